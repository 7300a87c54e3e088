// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gather_store.h"

#include <algorithm>

namespace convict::kernels::gemm {
namespace {

/// The runs of columns that sums are stored by, except those that are in the result already.
template <class T>
int64_t runs_of(const PartSums<T>& sums, ColumnRun* runs) {
  const GatherPart<T>& part = *sums.part;
  int64_t count = 0, column = sums.straight;
  if (part.even && column < sums.columns.count)
    runs[count++] = {part.position_of(sums.columns.first + column), column, sums.columns.count - column};
  if (part.even) return count;
  while (column < sums.columns.count) {
    const Axes at = part.position_of(sums.columns.first + column);
    if (at[2] < part.positions[2]) {
      const int64_t length = std::min(part.positions[2] - at[2], sums.columns.count - column);
      runs[count++] = {at, column, length};
      column += length;
    } else {  // a gap between two rows
      const int64_t next = at[1] + 1 < part.positions[1] ? at[0] * part.pitch[0] + (at[1] + 1) * part.pitch[1]
                                                         : (at[0] + 1) * part.pitch[0];
      column = next - sums.columns.first;
    }
  }
  return count;
}

template <class T>
void store_run(const GatherPlan<T>& plan, const StoredRun& stored, const T* c, T* result) {
  const T *from = c + stored.column, beta = T(plan.form.beta);
  T* to = result + stored.place;
  if (beta == 0) return plan.spread(from, stored.length, plan.step[2], to);
  for (int64_t j = 0; j < stored.length; ++j) to[j * plan.step[2]] = from[j] + beta * to[j * plan.step[2]];
}

/// Row by row, because the runs of a row lie close together in both.
template <class T>
void store_rows(const GatherPlan<T>& plan, int64_t n, int64_t group, const PartSums<T>& sums) {
  ColumnRun runs[kMostColumnsOfBlock<T>];
  const int64_t count = runs_of(sums, runs);
  if (count == 0) return;  // all are in the result
  const ResultRow* row = sums.part->row + sums.rows.first;
  if constexpr (kIsCell<T>) {
    plan.port->store({n, group, row, sums.rows.count, sums.part->rows / plan.result_channels, runs, count, plan.step,
                      sums.c, plan.c_pitch});
  } else {
    T* result = plan.result.plane(n, group * plan.result_channels);
    for (int64_t i = 0; i < sums.rows.count; ++i)
      for (const ColumnRun* run = runs; run != runs + count; ++run)
        store_run(plan, stored_run(row[i], *run, plan.step), sums.c + i * plan.c_pitch, result);
  }
}

template <class T>
PartSums<T> some_rows(const GatherPlan<T>& plan, PartSums<T> sums, int64_t first, int64_t end) {
  sums.c += (first - sums.rows.first) * plan.c_pitch;
  sums.rows = {first, end - first};
  return sums;
}

template <class T>
void store_apart(const GatherPlan<T>& plan, int64_t n, int64_t group, std::span<const PartSums<T>> parts) {
  for (const PartSums<T>& sums : parts) store_rows(plan, n, group, sums);
}

/// A row of sums of channel 0, which is interleaved with those of the other phases of the last axis.
template <class T>
struct PhaseRow {
  const PartSums<T>* sums;
  int64_t row;
};

/// A sum of channel 0 that is stored by itself, because another phase has none for its step.
struct LoneSum {
  int64_t phase, column, place;
};

/// How the rows of all phases of a channel are stored.
template <class T>
struct InterleavedRows {
  simd::InterleavedPiece piece[kMostColumnsOfBlock<T>];
  LoneSum alone[simd::kMostInterleavedRows * kMostColumnsOfBlock<T>];
  int64_t pieces = 0, lone = 0;
};

template <class T>
struct Runs {
  int64_t count;
  ColumnRun run[kMostColumnsOfBlock<T>];
};

/// Whether runs of two parts are in the same rows of positions.
template <class T>
bool are_aligned(const Runs<T>& a, const Runs<T>& b) {
  return std::equal(a.run, a.run + a.count, b.run, b.run + b.count, [](const ColumnRun& one, const ColumnRun& other) {
    return one.at[0] == other.at[0] && one.at[1] == other.at[1];
  });
}

/// Adds a run. `phase_rows` and `run`: of each phase, in the order of the result.
template <class T>
void add_run(const GatherPlan<T>& plan, const PhaseRow<T>* phase_rows, const ColumnRun* const* run,
             InterleavedRows<T>& rows) {
  const int64_t phases = plan.step[2];
  StoredRun stored[simd::kMostInterleavedRows];
  int64_t begin[simd::kMostInterleavedRows], first = INT64_MIN, end = INT64_MAX;  // steps of the result
  for (int64_t i = 0; i < phases; ++i) {
    const ResultRow& row = phase_rows[i].sums->part->row[phase_rows[i].row];
    stored[i] = stored_run(row, *run[i], plan.step);
    begin[i] = run[i]->at[2] + (stored[i].column - run[i]->column) + row.lag;
    first = std::max(first, begin[i]);
    end = std::min(end, begin[i] + stored[i].length);
  }
  end = std::max(first, end);
  const auto add_alone = [&](int64_t phase, int64_t from, int64_t to) {
    const StoredRun& all = stored[phase];
    for (int64_t j = from; j < to; ++j) rows.alone[rows.lone++] = {phase, all.column + j, all.place + j * phases};
  };
  for (int64_t i = 0; i < phases; ++i) {
    const int64_t before = first < end ? first - begin[i] : stored[i].length;
    add_alone(i, 0, before);
    add_alone(i, before + end - first, stored[i].length);
  }
  if (first == end) return;
  simd::InterleavedPiece& piece = rows.piece[rows.pieces++];
  for (int64_t i = 0; i < phases; ++i) piece.first[i] = stored[i].column + first - begin[i];
  piece.count = end - first;
  piece.place = stored[0].place + (first - begin[0]) * phases;
}

/// Some channels, whose rows are among the sums of all parts, of one phase of the other axes.
template <class T>
void store_phase(const GatherPlan<T>& plan, std::span<const PartSums<T>> parts, const Runs<T>* runs, int64_t phase,
                 work::Panel channels, T* result) {
  PhaseRow<T> phase_rows[simd::kMostInterleavedRows];
  const Runs<T>* runs_of_row[simd::kMostInterleavedRows];
  const T* c[simd::kMostInterleavedRows];            // of a channel
  int64_t channel_of_c[simd::kMostInterleavedRows];  // from one to the next
  for (size_t k = 0; k < parts.size(); ++k) {
    const PartSums<T>& sums = parts[k];
    const int64_t phases = sums.part->last_phases(), rows_of_channel = sums.part->rows / plan.result_channels;
    for (int64_t row = phase * phases; row < (phase + 1) * phases; ++row) {
      const int64_t turn = sums.part->row[row].turn;
      phase_rows[turn] = {&sums, row};
      runs_of_row[turn] = &runs[k];
      c[turn] = sums.c + (channels.first * rows_of_channel + row - sums.rows.first) * plan.c_pitch;
      channel_of_c[turn] = rows_of_channel * plan.c_pitch;
    }
  }
  InterleavedRows<T> rows;
  for (int64_t j = 0; j < runs[0].count; ++j) {
    const ColumnRun* run[simd::kMostInterleavedRows];
    for (int64_t i = 0; i < plan.step[2]; ++i) run[i] = &runs_of_row[i]->run[j];
    add_run(plan, phase_rows, run, rows);
  }
  T* to = result + channels.first * plan.result.inner;
  for (int64_t channel = 0; channel < channels.count; ++channel, to += plan.result.inner) {
    plan.interleave(c, plan.step[2], rows.piece, rows.pieces, to);
    for (const LoneSum& sum : std::span(rows.alone, static_cast<size_t>(rows.lone)))
      to[sum.place] = c[sum.phase][sum.column];
    for (int64_t i = 0; i < plan.step[2]; ++i) c[i] += channel_of_c[i];
  }
}

template <class T>
void store_interleaved(const GatherPlan<T>& plan, int64_t n, int64_t group, std::span<const PartSums<T>> parts) {
  Runs<T> runs[kMostPartsTogether];
  int64_t begin = 0, end = plan.result_channels;  // channels all of whose rows are here
  bool aligned = parts.size() == plan.parts_together;
  for (size_t k = 0; k < parts.size(); ++k) {
    const PartSums<T>& sums = parts[k];
    runs[k].count = runs_of(sums, runs[k].run);
    aligned &= are_aligned(runs[0], runs[k]);
    const int64_t of_channel = sums.part->rows / plan.result_channels;
    begin = std::max(begin, work::panels_of(sums.rows.first, of_channel));
    end = std::min(end, (sums.rows.first + sums.rows.count) / of_channel);
  }
  if (!aligned || begin >= end) return store_apart(plan, n, group, parts);
  for (const PartSums<T>& sums : parts) {
    const int64_t of_channel = sums.part->rows / plan.result_channels, after = sums.rows.first + sums.rows.count;
    store_rows(plan, n, group, some_rows(plan, sums, sums.rows.first, begin * of_channel));
    store_rows(plan, n, group, some_rows(plan, sums, end * of_channel, after));
  }
  const int64_t phases = parts[0].part->rows / plan.result_channels / parts[0].part->last_phases();
  for (int64_t phase = 0; phase < phases; ++phase)
    store_phase(plan, parts, runs, phase, {begin, end - begin}, plan.result.plane(n, group * plan.result_channels));
}

}  // namespace

template <class T>
void store(const GatherPlan<T>& plan, int64_t n, int64_t group, std::span<const PartSums<T>> parts) {
  if constexpr (!kIsCell<T>)
    if (plan.interleaved) return store_interleaved(plan, n, group, parts);
  store_apart(plan, n, group, parts);
}

template void store(const GatherPlan<float>&, int64_t, int64_t, std::span<const PartSums<float>>);
template void store(const GatherPlan<double>&, int64_t, int64_t, std::span<const PartSums<double>>);
template void store(const GatherPlan<int32_t>&, int64_t, int64_t, std::span<const PartSums<int32_t>>);

}  // namespace convict::kernels::gemm

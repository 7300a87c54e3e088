// SPDX-License-Identifier: Apache-2.0
#include "kernels/int8/sum_store.h"

#include <algorithm>

#include "kernels/int8/epilogue_rows.h"
#include "kernels/simd/cells.h"

namespace convict::kernels::int8 {
namespace {

constexpr int64_t kMostColumns = gemm::kMostColumnsOfBlock<int32_t>;

/// Where sums of a group go: its first channel in the image.
template <class T>
struct Target {
  const border::Epilogue& epilogue;
  const EpilogueRows<T>& rows;
  Finish finish;
  T* first;
  int64_t first_channel;
};

template <class T>
void store_one_by_one(const Target<T>& to, const gemm::CellSums& sums) {
  const int64_t step = sums.step[kAxes - 1];
  for (int64_t i = 0; i < sums.rows; ++i)
    for (const gemm::ColumnRun* run = sums.run; run != sums.run + sums.runs; ++run) {
      const gemm::StoredRun stored = gemm::stored_run(sums.row[i], *run, sums.step);
      const int32_t* from = sums.c + i * sums.c_pitch + stored.column;
      for (int64_t j = 0; j < stored.length; ++j)
        to.epilogue.store(to.first[stored.place + j * step], to.first_channel + sums.row[i].channel, from[j]);
    }
}

template <class T>
void store_rows(const Target<T>& to, const gemm::CellSums& sums) {
  const int64_t step = sums.step[kAxes - 1];
  T apart[kMostColumns];
  for (int64_t i = 0; i < sums.rows; ++i) {
    const int64_t channel = to.first_channel + sums.row[i].channel;
    const float scale = scale_of(to.epilogue, channel), bias = bias_of(to.epilogue, channel);
    for (const gemm::ColumnRun* run = sums.run; run != sums.run + sums.runs; ++run) {
      const gemm::StoredRun stored = gemm::stored_run(sums.row[i], *run, sums.step);
      T* first = to.first + stored.place;
      to.rows.row(to.finish, scale, bias, sums.c + i * sums.c_pitch + stored.column, stored.length,
                  step == 1 ? first : apart);
      if (step == 1) continue;
      for (int64_t j = 0; j < stored.length; ++j) first[j * step] = apart[j];
    }
  }
}

/// Rows of one phase, whose channels lie side by side: they are transposed, so that lanes are channels.
template <class T>
void store_channels(const Target<T>& to, const gemm::CellSums& sums) {
  const int64_t lanes = to.rows.lanes, phases = sums.phases;
  float scale[kMostEpilogueLanes] = {}, bias[kMostEpilogueLanes] = {};
  int32_t transposed[kMostColumns * kMostEpilogueLanes];
  for (int64_t phase = 0; phase < std::min(phases, sums.rows); ++phase)
    for (int64_t i = phase; i < sums.rows; i += lanes * phases) {
      const int64_t channels = std::min(lanes, work::panels_of(sums.rows - i, phases));
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t channel = to.first_channel + sums.row[i].channel + c;
        scale[c] = scale_of(to.epilogue, channel);
        bias[c] = bias_of(to.epilogue, channel);
      }
      for (const gemm::ColumnRun* run = sums.run; run != sums.run + sums.runs; ++run) {
        const gemm::StoredRun stored = gemm::stored_run(sums.row[i], *run, sums.step);
        simd::tiles<int32_t>().transpose(channels, stored.length, sums.c + i * sums.c_pitch + stored.column,
                                         phases * sums.c_pitch, transposed, lanes);
        to.rows.channels(to.finish, scale, bias, channels, transposed, stored.length, to.first + stored.place,
                         sums.step[kAxes - 1]);
      }
    }
}

template <class T>
void store_as(const border::QuantizedForm& form, const Operand<int32_t>& result, int64_t channels,
              const gemm::CellSums& sums) {
  const int64_t first_channel = sums.group * channels;
  T* dst = static_cast<T*>(form.tensors.dst.data) + sums.n * result.outer;
  const Target<T> to = {form.epilogue, epilogue_rows<T>(), finish_of<T>(form.epilogue),
                        dst + first_channel * result.inner, first_channel};
  if (!has_vectors<T>(form.epilogue)) return store_one_by_one(to, sums);
  if (result.inner == 1 && sums.step[kAxes - 1] != 1) return store_channels(to, sums);
  store_rows(to, sums);
}

}  // namespace

void store(const border::QuantizedForm& form, const Operand<int32_t>& result, int64_t channels,
           const gemm::CellSums& sums) {
  with_result(form.tensors.dst.dtype, [&](auto zero) { store_as<decltype(zero)>(form, result, channels, sums); });
}

}  // namespace convict::kernels::int8

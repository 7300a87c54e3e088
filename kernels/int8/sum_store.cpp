// SPDX-License-Identifier: Apache-2.0
#include "kernels/int8/sum_store.h"

#include <algorithm>
#include <limits>
#include <type_traits>

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

/// Whether vectors compute this epilogue. Sums that stay sums are only copied, or else changed one by one.
template <class T>
bool has_vectors(const border::Epilogue& e) {
  const bool plain = e.beta == 0 && e.requantization.kind == CONVICT_NO_REQUANTIZATION;
  return plain && (!std::is_same_v<T, int32_t> || (!e.bias && !e.relu));
}

template <class T>
Finish finish_of(const border::Epilogue& e) {
  Finish finish = {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity(), e.zero_point};
  if constexpr (sizeof(T) == 1) {
    finish.low = static_cast<float>(std::numeric_limits<T>::min() - e.zero_point);
    finish.high = static_cast<float>(std::numeric_limits<T>::max() - e.zero_point);
  }
  if (e.relu) finish.low = std::max(finish.low, 0.0f);
  return finish;
}

float scale_of(const border::Epilogue& e, int64_t channel) { return e.scale ? e.scale[channel * e.scale_stride] : 1; }

float bias_of(const border::Epilogue& e, int64_t channel) {
  return e.bias ? static_cast<const float*>(e.bias)[channel * e.bias_stride] : -0.0f;  // which changes nothing
}

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
  switch (form.tensors.dst.dtype) {
    case CONVICT_S8: return store_as<int8_t>(form, result, channels, sums);
    case CONVICT_U8: return store_as<uint8_t>(form, result, channels, sums);
    case CONVICT_S32: return store_as<int32_t>(form, result, channels, sums);
    default: return store_as<float>(form, result, channels, sums);
  }
}

}  // namespace convict::kernels::int8

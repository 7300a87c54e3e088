// SPDX-License-Identifier: Apache-2.0
#include "kernels/int8/cell_form.h"

#include <algorithm>

#include "kernels/border/planes.h"
#include "kernels/int8/epilogue_rows.h"
#include "kernels/work/team.h"

namespace convict::kernels::int8 {
namespace {

// Taps as members copy every channel of the image `members` times.
constexpr double kTapsAreBetter = 0.7;

constexpr int64_t kPlaces = 16, kCells = 64;  // transposed at a time: 4 KiB

Operand<int32_t> without_data(const Operand<uint8_t>& from) { return {nullptr, from.outer, from.inner, from.spatial}; }

/// The channels of the image, and of the result, of one group.
template <class Form>
auto& image_channels_of(Form& form) {
  return form.face == Face::kX ? form.y_channels : form.x_channels;
}
template <class Form>
auto& result_channels_of(Form& form) {
  return form.face == Face::kX ? form.x_channels : form.y_channels;
}
template <class Form>
auto& image_of(Form& form) {
  return form.face == Face::kX ? form.y : form.x;
}

template <class T>
const Axes& extent_of(const Trilinear<T>& f) {
  return f.face == Face::kX ? f.y_extent : f.x_extent;
}

/// The cells of planes that are `member` apart, side by side.
void interleave_planes(const simd::CellKernels& kernels, simd::MemberOf change, const Axes& spatial, const Axes& extent,
                       simd::ByteLines planes, int32_t* to) {
  if (border::is_dense(spatial, extent)) {
    planes.count = volume(extent);
    return kernels.interleave(planes, change, to);
  }
  const bool rows = spatial[2] == 1;
  planes.count = rows ? extent[2] : 1;
  planes.lines = rows ? extent[1] : extent[2];
  planes.from_line = rows ? spatial[1] : spatial[2];
  planes.to_line = planes.count;
  const uint8_t* first = planes.first;
  border::for_each_place(spatial, {extent[0], rows ? 1 : extent[1], 1}, [&](int64_t, int64_t offset) {
    planes.first = first + offset;
    kernels.interleave(planes, change, to);
    to += planes.lines * planes.count;
  });
}

/// Sets the members of cells beyond the first ones to 0.
void keep_members(int64_t present, int64_t members, int64_t count, int32_t* cells) {
  if (present == members) return;
  const auto kept = static_cast<int32_t>((1u << present * 32 / members) - 1);
  for (int64_t i = 0; i < count; ++i) cells[i] &= kept;
}

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

CellForm::CellForm(const border::QuantizedForm& quantized)
    : quantized_(quantized),
      kernels_(simd::cell_kernels()),
      bytes_(quantized.over<uint8_t>()),
      members_(members_of(quantized, kernels_)) {
  const Trilinear<uint8_t>& b = bytes_;
  cells_ = {b.face,     b.batch,           b.groups, b.x_channels,     b.y_channels, b.x_extent,
            b.y_extent, b.kernel,          b.stride, b.dilation,       b.pad_begin,  b.threads,
            /*beta=*/0, without_data(b.x), {},       without_data(b.y)};
  const int64_t members = kernels_.members, channels = image_channels_of(b), taps = b.kernel[2];
  members_are_taps_ =
      b.face == Face::kY && static_cast<double>(channels * cells_of(taps, members)) <
                                kTapsAreBetter * static_cast<double>(cells_of(channels, members) * taps);
  if (members_are_taps_) {
    const int64_t beyond = (members - 1) * b.dilation[2];  // places from the first member to the last
    cells_.kernel[2] = cells_of(taps, members);
    cells_.dilation[2] *= members;
    cells_.x_extent[2] += beyond;
    cells_.pad_begin[2] -= beyond;
  } else {
    image_channels_of(cells_) = cells_of(channels, members);
  }
  describe_operands();
  carve();
  cells_.workspace = work::behind(b.workspace, bytes());  // for the product
}

void CellForm::describe_operands() {
  const Axes& extent = extent_of(cells_);
  Operand<int32_t>& image = image_of(cells_);
  image = {nullptr, 0, work::odd_lines<int32_t>(volume(extent)), {extent[1] * extent[2], extent[2], 1}};
  const Axes& kernel = cells_.kernel;
  const int64_t inner = volume(kernel);
  cells_.w = {nullptr, cells_.x_channels * inner, inner, {kernel[1] * kernel[2], kernel[2], 1}};
}

void CellForm::carve() {
  const int64_t channels = bytes_.groups * image_channels_of(cells_), taps = volume(cells_.kernel);
  const int64_t weights = bytes_.groups * cells_.y_channels * cells_.w.outer;
  image_of(cells_).data = workspace_.take<int32_t>(channels * image_of(cells_).inner);
  // sum_members reads beyond the last weight.
  cells_.w.data = workspace_.take<int32_t>(weights + simd::kMostLanes / static_cast<int64_t>(sizeof(int32_t)));
  start_ = members_.zero == 0 ? nullptr : workspace_.take<int32_t>(bytes_.groups * result_channels_of(cells_) * taps);
  const int64_t row = bytes_.x_extent[2] + 2 * (cells_.x_extent[2] - bytes_.x_extent[2]);
  buffer_size_ = members_are_taps_ ? std::max(row, bytes_.kernel[2]) : 0;
  buffers_ = workspace_.take<uint8_t>(bytes_.threads * buffer_size_);
}

void CellForm::prepare() {
  workspace_.allocate(bytes_.workspace);
  carve();
  const int64_t items = cells_.y_channels;  // of a group
  const auto weights = static_cast<double>(bytes_.groups * bytes_.y_channels * bytes_.x_channels) *
                       static_cast<double>(volume(bytes_.kernel));
  work::Team::run(work::threads_for(bytes_.threads, weights), [&](work::Team& team, int member) {
    team.share(bytes_.groups * items, [&](int64_t i) {
      if (members_are_taps_)
        make_row_of_taps(i, buffers_ + member * buffer_size_);
      else if (bytes_.face == Face::kX)
        make_channel(i / items, i % items);
      else
        make_row(i);
    });
    if (start_) team.share(bytes_.groups, [&](int64_t group) { sum_weights(group); });
  });
}

/// Face Y: the weights of row `row` of all groups.
void CellForm::make_row_of_taps(int64_t row, uint8_t* buffer) const {
  const Axes &kernel = bytes_.kernel, &spatial = bytes_.w.spatial;
  for (int64_t c = 0; c < bytes_.x_channels; ++c)
    for (int64_t r = 0; r < kernel[0] * kernel[1]; ++r) {
      const uint8_t* taps = &bytes_.w.at(row, c, r / kernel[1], r % kernel[1], 0);
      if (spatial[2] != 1) {
        for (int64_t k = 0; k < kernel[2]; ++k) buffer[k] = taps[k * spatial[2]];
        taps = buffer;
      }
      kernels_.join(taps, kernel[2], members_.weight, cells_.w.plane(row, c) + r * cells_.kernel[2]);
    }
}

/// Face Y, members are channels.
void CellForm::make_row(int64_t row) const {
  const int64_t taps = volume(bytes_.kernel), members = kernels_.members;
  if (bytes_.w.inner == 1 && (taps == 1 || !border::taps_are_dense(bytes_)))
    return border::for_each_place(bytes_.w.spatial, bytes_.kernel, [&](int64_t tap, int64_t offset) {
      int32_t cell[kCells];
      for (int64_t c = 0; c < bytes_.x_channels; c += kCells * members) {
        const int64_t count = std::min(kCells * members, bytes_.x_channels - c);
        kernels_.join(bytes_.w.plane(row, c) + offset, count, members_.weight, cell);
        int32_t* to = cells_.w.plane(row, c / members) + tap;
        for (int64_t i = 0; i < cells_of(count, members); ++i) to[i * taps] = cell[i];
      }
    });
  const int64_t whole = border::taps_are_dense(bytes_) ? bytes_.x_channels / members : 0;
  kernels_.interleave({bytes_.w.plane(row, 0), bytes_.w.inner, members, taps, whole, members * bytes_.w.inner, taps},
                      members_.weight, cells_.w.plane(row, 0));
  for (int64_t c = whole; c < cells_.x_channels; ++c) {
    const int64_t present = std::min(members, bytes_.x_channels - c * members);
    interleave_planes(kernels_, members_.weight, bytes_.w.spatial, bytes_.kernel,
                      {bytes_.w.plane(row, c * members), bytes_.w.inner, present, 0}, cells_.w.plane(row, c));
    keep_members(present, members, taps, cells_.w.plane(row, c));
  }
}

/// Face X: the weights of a channel of Y, whose cells lie in rows of X.
void CellForm::make_channel(int64_t group, int64_t channel) const {
  const int64_t taps = volume(bytes_.kernel), members = kernels_.members, rows = bytes_.x_channels;
  const int64_t present = std::min(members, bytes_.y_channels - channel * members);
  const int64_t first = group * bytes_.y_channels + channel * members;
  int32_t* to = cells_.w.plane(group * cells_.y_channels + channel, 0);
  if (border::taps_are_dense(bytes_) && bytes_.w.inner == taps)
    kernels_.interleave({bytes_.w.plane(first, 0), bytes_.w.outer, present, rows * taps}, members_.weight, to);
  else
    for (int64_t row = 0; row < rows; ++row)
      interleave_planes(kernels_, members_.weight, bytes_.w.spatial, bytes_.kernel,
                        {bytes_.w.plane(first, row), bytes_.w.outer, present, 0}, to + row * taps);
  keep_members(present, members, rows * taps, to);
}

void CellForm::sum_weights(int64_t group) const {
  const int64_t taps = volume(cells_.kernel), count = result_channels_of(cells_) * taps;
  int32_t* to = start_ + group * count;
  const int32_t* weights = cells_.w.plane(group * cells_.y_channels, 0);
  if (cells_.face == Face::kX)
    kernels_.sum_members(cells_.y_channels, cells_.w.outer, count, weights, to);
  else
    for (int64_t row = 0; row < cells_.y_channels; ++row)
      kernels_.sum_members(cells_.x_channels, taps, taps, weights + row * cells_.w.outer, to + row * taps);
  for (int64_t i = 0; i < count; ++i) to[i] = members_.start(to[i]);
}

void CellForm::load(int64_t n, work::Team& team, int member) const {
  if (members_are_taps_)
    return team.share(bytes_.groups * bytes_.x_channels,
                      [&](int64_t channel) { load_taps(n, channel, buffers_ + member * buffer_size_); });
  const Operand<uint8_t>& image = image_of(bytes_);
  if (image.inner == 1 && image.spatial[2] != 1) return share_places(n, team);
  team.share(bytes_.groups * image_channels_of(cells_), [&](int64_t channel) { load_planes(n, channel); });
}

/// Place i has what place i - beyond has of the image, and the taps that follow it.
void CellForm::load_taps(int64_t n, int64_t channel, uint8_t* buffer) const {
  const Operand<uint8_t>& x = bytes_.x;
  const int64_t count = bytes_.x_extent[2], places = cells_.x_extent[2], beyond = places - count;
  const auto padding = static_cast<uint8_t>(quantized_.problem.src_zero_point);
  std::fill_n(buffer, beyond, padding);
  std::fill_n(buffer + beyond + count, beyond, padding);
  const simd::ByteLines taps = {buffer, bytes_.dilation[2], kernels_.members, places};
  int32_t* to = cells_.x.plane(0, channel);
  for (int64_t i = 0; i < bytes_.x_extent[0]; ++i)
    for (int64_t j = 0; j < bytes_.x_extent[1]; ++j, to += places) {
      const uint8_t* row = x.plane(n, channel) + i * x.spatial[0] + j * x.spatial[1];
      if (x.spatial[2] == 1)
        std::copy_n(row, count, buffer + beyond);
      else
        for (int64_t k = 0; k < count; ++k) buffer[beyond + k] = row[k * x.spatial[2]];
      kernels_.interleave(taps, members_.image, to);
    }
}

/// One channel of cells from the planes of its members. Weights are 0 for members beyond the last channel.
void CellForm::load_planes(int64_t n, int64_t channel) const {
  const Operand<uint8_t>& image = image_of(bytes_);
  const int64_t of_group = image_channels_of(bytes_), cells = image_channels_of(cells_);
  const int64_t first = channel % cells * kernels_.members;  // of its group
  const simd::ByteLines planes = {image.plane(n, channel / cells * of_group + first), image.inner,
                                  std::min<int64_t>(kernels_.members, of_group - first), 0};
  interleave_planes(kernels_, members_.image, image.spatial, extent_of(bytes_), planes,
                    image_of(cells_).plane(0, channel));
}

/// Channels that lie side by side: some places at a time, whose cells are transposed. Groups of whole cells are one.
void CellForm::share_places(int64_t n, work::Team& team) const {
  const int64_t of_group = image_channels_of(bytes_);
  const int64_t groups = of_group % kernels_.members == 0 ? 1 : bytes_.groups;
  const int64_t places = volume(extent_of(bytes_)), pieces = work::panels_of(places, kPlaces);
  team.share(groups * pieces, [&](int64_t i) {
    load_places(n, work::share_of(bytes_.groups * of_group, groups, i / pieces),
                work::piece_of(places, kPlaces, i % pieces),
                image_of(cells_).plane(0, i / pieces * image_channels_of(cells_)));
  });
}

void CellForm::load_places(int64_t n, work::Panel channels, work::Panel places, int32_t* to) const {
  const Operand<uint8_t>& image = image_of(bytes_);
  const Axes& extent = extent_of(bytes_);
  const int64_t members = kernels_.members, stride = image_of(cells_).inner;
  const uint8_t* from[kPlaces];
  Axes at = {places.first / extent[2] / extent[1], places.first / extent[2] % extent[1], places.first % extent[2]};
  for (int64_t j = 0; j < places.count; ++j) {
    from[j] = &image.at(n, channels.first, at[0], at[1], at[2]);
    for (int a = kAxes; a-- > 0 && ++at[a] == extent[a];) at[a] = 0;
  }
  to += places.first;
  for (int64_t c = 0; c < channels.count; c += kCells * members, to += kCells * stride) {
    int32_t cell[kPlaces * kCells];
    const int64_t count = std::min(kCells * members, channels.count - c);
    for (int64_t j = 0; j < places.count; ++j) kernels_.join(from[j] + c, count, members_.image, cell + j * kCells);
    kernels_.tiles.transpose(places.count, cells_of(count, members), cell, kCells, to, stride);
  }
}

void CellForm::store(const gemm::CellSums& sums) const {
  const bool is_x = cells_.face == Face::kX;
  int8::store(quantized_, is_x ? cells_.x : cells_.y, result_channels_of(cells_), sums);
}

void store(const border::QuantizedForm& form, const Operand<int32_t>& result, int64_t channels,
           const gemm::CellSums& sums) {
  with_result(form.tensors.dst.dtype, [&](auto zero) { store_as<decltype(zero)>(form, result, channels, sums); });
}

}  // namespace convict::kernels::int8

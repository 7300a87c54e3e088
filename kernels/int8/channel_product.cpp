// SPDX-License-Identifier: Apache-2.0
#include "kernels/int8/channel_product.h"

#include <algorithm>
#include <cstdio>

#include "kernels/border/planes.h"
#include "kernels/int8/epilogue_rows.h"

namespace convict::kernels::int8 {
namespace {

// The other way fills vectors with positions, but transposes the image and the sums.
constexpr double kLeastOfLanes = 0.6;
// Memory of the copy, in images.
constexpr double kMostOfImage = 4;
// So many tiles of positions are multiplied with a panel of weights, which stays in the second-level cache.
constexpr int64_t kTilesOfBlock = 32;
constexpr int64_t kItemsOfThread = 4;  // so that no thread waits long for the others

/// The places of each axis that some position reads, padding included.
Axes places_of(const Trilinear<uint8_t>& f) {
  Axes places;
  for (int i = 0; i < kAxes; ++i) places[i] = (f.y_extent[i] - 1) * f.stride[i] + (f.kernel[i] - 1) * f.dilation[i] + 1;
  return places;
}

bool needs_copy(const Trilinear<uint8_t>& f, const Members& members, const simd::CellKernels& kernels) {
  const Axes places = places_of(f);
  bool inside = true;
  for (int i = 0; i < kAxes; ++i) inside &= f.pad_begin[i] == 0 && places[i] <= f.x_extent[i];
  return !inside || members.image.flip != 0 || kernels.members == 2;
}

/// The index of CellKernels::positions, and lanes, for so many channels.
int64_t vectors_for(int64_t channels, int64_t lanes) {
  if (channels <= std::min<int64_t>(simd::kNarrowLanes, lanes)) return 0;
  return channels <= lanes ? 1 : 2;
}

/// Lanes of a panel, with those that are not computed.
int64_t width_for(int64_t channels, int64_t lanes) {
  return std::max<int64_t>(1, vectors_for(channels, lanes)) * lanes;
}

/// Of a problem, not its data: a plan has none, and so no bias in its epilogue.
bool is_plain(const border::QuantizedForm& q) {
  if (q.tensors.dst.dtype == CONVICT_S32 && q.problem.has_bias) return false;
  return with_result(q.tensors.dst.dtype, [&](auto zero) { return has_vectors<decltype(zero)>(q.epilogue); });
}

double share_of_lanes(int64_t channels, int64_t lanes) {
  const int64_t unit = vectors_for(channels, lanes) == 0 ? std::min<int64_t>(simd::kNarrowLanes, lanes) : lanes;
  return static_cast<double>(channels) / static_cast<double>(work::panels_of(channels, unit) * unit);
}

}  // namespace

bool ChannelProduct::takes(const border::QuantizedForm& q) {
  const Trilinear<uint8_t> f = q.over<uint8_t>();
  const simd::CellKernels& kernels = simd::cell_kernels();
  if (f.face != Face::kY || f.x.inner != 1 || f.y.inner != 1 || f.x_channels % kernels.members != 0) return false;
  if (!is_plain(q) || share_of_lanes(f.y_channels, kernels.tiles.lanes) < kLeastOfLanes) return false;
  double copy = 1, image = 1;
  const Axes places = places_of(f);
  for (int i = 0; i < kAxes; ++i) {
    copy *= static_cast<double>(places[i]);
    image *= static_cast<double>(f.x_extent[i]);
  }
  return !needs_copy(f, members_of(q, kernels), kernels) || copy <= kMostOfImage * image;
}

ChannelProduct::ChannelProduct(const border::QuantizedForm& quantized)
    : quantized_(quantized),
      kernels_(simd::cell_kernels()),
      form_(quantized.over<uint8_t>()),
      members_(members_of(quantized, kernels_)),
      staged_(needs_copy(form_, members_, kernels_)),
      cells_(form_.x_channels / kernels_.members),
      depth_(cells_ * volume(form_.kernel)),
      width_(width_for(form_.y_channels, kernels_.tiles.lanes)),
      panels_(work::panels_of(form_.y_channels, width_)),
      places_(places_of(form_)),
      pitch_(form_.x.spatial) {
  const int64_t place = form_.groups * cells_ * static_cast<int64_t>(sizeof(int32_t));
  if (staged_) pitch_ = {places_[1] * places_[2] * place, places_[2] * place, place};
  choose_lines();
  const double products = static_cast<double>(form_.groups * depth_ * panels_ * width_) *
                          static_cast<double>(form_.batch * lines_ * length_);
  threads_ = work::threads_for(form_.threads, products);
  const int64_t wanted = threads_ > 1 ? kItemsOfThread * threads_ : 1;
  tiles_ = lines_ * work::panels_of(length_, kernels_.tiles.most_rows);
  blocks_ = std::max(work::panels_of(tiles_, kTilesOfBlock), std::min(tiles_, wanted));
  slices_ = std::min(form_.groups * panels_, work::panels_of(wanted, blocks_));
  carve();
}

/// Rows of positions are one line if the last position of a row is as far from the next row's first as others are.
void ChannelProduct::choose_lines() {
  const Axes &out = form_.y_extent, &stride = form_.stride, &to = form_.y.spatial;
  lines_ = out[0] * out[1];
  length_ = out[2];
  const auto goes_on = [&](int axis, int64_t positions) {
    return out[axis] == 1 ||
           (stride[axis] * pitch_[axis] == positions * stride[2] * pitch_[2] && to[axis] == positions * to[2]);
  };
  if (!goes_on(1, out[2]) || !goes_on(0, out[1] * out[2])) return;
  length_ *= lines_;
  lines_ = 1;
}

void ChannelProduct::carve() {
  const int64_t panels = form_.groups * panels_;
  weights_ = workspace_.take<int32_t>(panels * width_ * depth_);
  start_ = workspace_.take<int32_t>(panels * width_);
  scale_ = workspace_.take<float>(panels * width_);
  bias_ = workspace_.take<float>(panels * width_);
  place_ = workspace_.take<int64_t>(depth_);
  rows_ = workspace_.take<int32_t>(threads_ * width_ * depth_);
  channels_ = workspace_.take<uint8_t>(threads_ * form_.x_channels);
  image_ = staged_ ? workspace_.take<uint8_t>(places_[0] * pitch_[0]) : nullptr;
}

std::string ChannelProduct::text() const {
  char line[160];
  std::snprintf(line, sizeof line, "%s positions %s tile=%dx%d depth=%d threads=%d workspace=%lld", kernels_.tiles.isa,
                staged_ ? "staged" : "unstaged", static_cast<int>(std::min(length_, kernels_.tiles.most_rows)),
                static_cast<int>(std::min(form_.y_channels, width_)), static_cast<int>(depth_), threads_,
                static_cast<long long>(workspace_.bytes()));
  return line;
}

void ChannelProduct::fill_places() const {
  const Axes& kernel = form_.kernel;
  int64_t* to = place_;
  for (int64_t tap = 0; tap < volume(kernel); ++tap) {
    const Axes at = {tap / kernel[2] / kernel[1], tap / kernel[2] % kernel[1], tap % kernel[2]};
    int64_t place = 0;
    for (int i = 0; i < kAxes; ++i) place += at[i] * form_.dilation[i] * pitch_[i];
    for (int64_t c = 0; c < cells_; ++c) *to++ = place + c * static_cast<int64_t>(sizeof(int32_t));
  }
}

/// The cells of the weights of a row, in the order of place_. `bytes`: for channels that lie apart.
void ChannelProduct::make_row(int64_t row, int32_t* cells, uint8_t* bytes) const {
  const Operand<uint8_t>& w = form_.w;
  const Axes &kernel = form_.kernel, &spatial = w.spatial;
  const int64_t channels = form_.x_channels;
  const bool dense = w.inner == 1 && (kernel[2] == 1 || spatial[2] == channels) &&
                     (kernel[1] == 1 || spatial[1] == kernel[2] * channels) &&
                     (kernel[0] == 1 || spatial[0] == kernel[1] * kernel[2] * channels);
  if (dense) return kernels_.join(w.plane(row, 0), channels * volume(kernel), members_.weight, cells);
  for (int64_t tap = 0; tap < volume(kernel); ++tap, cells += cells_) {
    const uint8_t* from = &w.at(row, 0, tap / kernel[2] / kernel[1], tap / kernel[2] % kernel[1], tap % kernel[2]);
    if (w.inner != 1) {
      for (int64_t c = 0; c < channels; ++c) bytes[c] = from[c * w.inner];
      from = bytes;
    }
    kernels_.join(from, channels, members_.weight, cells);
  }
}

/// A panel of all groups, where its sums start, and what becomes of them. Lanes without a channel have no weights.
void ChannelProduct::make_weights(int64_t panel, int32_t* buffer) const {
  const work::Panel rows = rows_of(panel);
  const int64_t first = panel / panels_ * form_.y_channels + rows.first;
  const int64_t thread = (buffer - rows_) / (width_ * depth_);
  int32_t *to = weights_ + panel * width_ * depth_, *start = start_ + panel * width_;
  std::fill_n(start, width_, 0);
  std::fill_n(scale_ + panel * width_, width_, 0.0f);
  std::fill_n(bias_ + panel * width_, width_, 0.0f);
  if (rows.count < width_) std::fill_n(to, width_ * depth_, 0);
  for (int64_t i = 0; i < rows.count; ++i) {
    make_row(first + i, buffer + i * depth_, channels_ + thread * form_.x_channels);
    scale_[panel * width_ + i] = scale_of(quantized_.epilogue, first + i);
    bias_[panel * width_ + i] = bias_of(quantized_.epilogue, first + i);
    if (members_.zero == 0) continue;
    kernels_.sum_members(depth_, 1, 1, buffer + i * depth_, start + i);
    start[i] = members_.start(start[i]);
  }
  kernels_.tiles.transpose(rows.count, depth_, buffer, depth_, to, width_for(rows.count, kernels_.tiles.lanes));
}

/// One row of places of the copy.
void ChannelProduct::stage_row(int64_t n, int64_t row) const {
  const Operand<uint8_t>& x = form_.x;
  const int64_t of_place = form_.groups * cells_, channels = form_.groups * form_.x_channels;
  auto* to = reinterpret_cast<int32_t*>(image_ + row * pitch_[1]);
  const int64_t i = row / places_[1] - form_.pad_begin[0], j = row % places_[1] - form_.pad_begin[1];
  const bool inside = i >= 0 && i < form_.x_extent[0] && j >= 0 && j < form_.x_extent[1];
  const int64_t begin = inside ? std::clamp<int64_t>(form_.pad_begin[2], 0, places_[2]) : 0;
  const int64_t end = inside ? std::clamp(form_.pad_begin[2] + form_.x_extent[2], begin, places_[2]) : 0;
  std::fill(to, to + begin * of_place, members_.padding());
  std::fill(to + end * of_place, to + places_[2] * of_place, members_.padding());
  if (begin == end) return;
  const uint8_t* from = &x.at(n, 0, i, j, begin - form_.pad_begin[2]);
  if (x.spatial[2] == channels)
    return kernels_.join(from, (end - begin) * channels, members_.image, to + begin * of_place);
  for (int64_t k = begin; k < end; ++k, from += x.spatial[2])
    kernels_.join(from, channels, members_.image, to + k * of_place);
}

ChannelProduct::Tile ChannelProduct::tile_at(int64_t n, int64_t index) const {
  const int64_t of_line = tiles_ / lines_, line = index / of_line;
  const int64_t i = line / form_.y_extent[1], j = line % form_.y_extent[1];
  const work::Panel at = work::panel_of(length_, kernels_.tiles.most_rows, index % of_line);
  const uint8_t* first = staged_ ? image_ : form_.x.plane(n, 0);
  const Axes &stride = form_.stride, &to = form_.y.spatial;
  return {first + i * stride[0] * pitch_[0] + j * stride[1] * pitch_[1] + at.first * stride[2] * pitch_[2],
          n * form_.y.outer + i * to[0] + j * to[1] + at.first * to[2], at.count};
}

/// The sums of a panel at some tiles, and what becomes of them.
template <class T>
void ChannelProduct::multiply_panel(int64_t panel, const Tile* tiles, int64_t count) const {
  const EpilogueRows<T>& elements = epilogue_rows<T>();
  const Finish finish = finish_of<T>(quantized_.epilogue);
  const int64_t lanes = kernels_.tiles.lanes, group = panel / panels_;
  const int64_t of_group = group * cells_ * static_cast<int64_t>(sizeof(int32_t));  // bytes
  const work::Panel rows = rows_of(panel);
  const int64_t channel = group * form_.y_channels + rows.first;
  const float *scale = scale_ + panel * width_, *bias = bias_ + panel * width_;
  alignas(64) int32_t sums[2 * simd::kMostTileRows * kMostEpilogueLanes];
  const auto& positions = kernels_.positions[vectors_for(rows.count, lanes)];
  for (const Tile* tile = tiles; tile != tiles + count; ++tile) {
    positions[tile->count](depth_, tile->image + of_group, form_.stride[2] * pitch_[2], place_,
                           weights_ + panel * width_ * depth_, start_ + panel * width_, sums);
    T* to = static_cast<T*>(quantized_.tensors.dst.data) + tile->place + channel;
    for (int64_t c = 0; c < rows.count; c += lanes)
      elements.channels(finish, scale + c, bias + c, std::min(lanes, rows.count - c), sums + c * tile->count,
                        tile->count, to + c, form_.y.spatial[2]);
  }
}

/// Some panels of all groups by some tiles.
template <class T>
void ChannelProduct::multiply(int64_t n, work::Panel panels, work::Panel tiles) const {
  Tile tile[kTilesOfBlock];
  for (int64_t i = 0; i < tiles.count; ++i) tile[i] = tile_at(n, tiles.first + i);
  for (int64_t i = 0; i < panels.count; ++i) multiply_panel<T>(panels.first + i, tile, tiles.count);
}

template <class T>
void ChannelProduct::run_thread(work::Team& team, int thread) const {
  const int64_t panels = form_.groups * panels_;
  team.share(panels, [&](int64_t panel) { make_weights(panel, rows_ + thread * width_ * depth_); });
  for (int64_t n = 0; n < form_.batch; ++n) {
    if (staged_) team.share(places_[0] * places_[1], [&](int64_t row) { stage_row(n, row); });
    team.share(blocks_ * slices_, [&](int64_t item) {
      multiply<T>(n, work::share_of(panels, slices_, item % slices_), work::share_of(tiles_, blocks_, item / slices_));
    });
  }
}

void ChannelProduct::run() {
  workspace_.allocate(form_.workspace);
  carve();
  fill_places();
  with_result(quantized_.tensors.dst.dtype, [&](auto zero) {
    work::Team::run(threads_, [&](work::Team& team, int thread) { run_thread<decltype(zero)>(team, thread); });
  });
}

}  // namespace convict::kernels::int8

// SPDX-License-Identifier: Apache-2.0
//
// A forward pass over 8-bit integers whose channels lie side by side, in src and in dst: lanes are channels of the
// result. Each cell of the image is read where it lies, and multiplied with a vector of weights, so nothing is
// transposed but the weights. The image is copied only for padding, or if its bytes have to be changed.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/border/quantized.h"
#include "kernels/int8/members.h"
#include "kernels/simd/cells.h"
#include "kernels/work/panel.h"
#include "kernels/work/team.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::int8 {

class ChannelProduct {
 public:
  /// Whether a problem is of this kind, and fills cells and vectors. Precondition: has_products(its form).
  static bool takes(const border::QuantizedForm& quantized);

  /// Precondition: takes(quantized). Reads no data. `quantized` outlives this.
  explicit ChannelProduct(const border::QuantizedForm& quantized);

  std::string text() const;
  int64_t bytes() const { return workspace_.bytes(); }
  /// Computes dst. Throws std::bad_alloc.
  void run();

 private:
  /// Some positions of the result that are equally far apart: where they begin in the image, and in dst.
  struct Tile {
    const uint8_t* image;
    int64_t place, count;
  };

  void choose_lines();
  void carve();
  work::Panel rows_of(int64_t panel) const { return work::piece_of(form_.y_channels, width_, panel % panels_); }
  Tile tile_at(int64_t n, int64_t index) const;

  void fill_places() const;
  void make_weights(int64_t panel, int32_t* buffer) const;
  void make_row(int64_t row, int32_t* cells, uint8_t* bytes) const;
  void stage_row(int64_t n, int64_t row) const;
  template <class T>
  void multiply_panel(int64_t panel, const Tile* tiles, int64_t count) const;
  template <class T>
  void multiply(int64_t n, work::Panel panels, work::Panel tiles) const;
  template <class T>
  void run_thread(work::Team& team, int thread) const;

  const border::QuantizedForm& quantized_;
  const simd::CellKernels& kernels_;
  const Trilinear<uint8_t> form_;  // but that elements of the result have other types
  const Members members_;
  const bool staged_;
  const int64_t cells_, depth_;      // of a group: through a tap, and through all
  const int64_t width_;              // channels of a panel but the last
  int64_t panels_;                   // of a group
  Axes places_, pitch_;              // of a copy; bytes from one place to the next, of what is read
  int64_t lines_, length_;           // all positions: lines of so many
  int64_t tiles_, blocks_, slices_;  // of all lines; items of tiles by panels
  int threads_;
  work::Workspace workspace_;
  int32_t *weights_ = nullptr, *start_ = nullptr, *rows_ = nullptr;  // by panel; by thread: the rows of a panel
  float *scale_ = nullptr, *bias_ = nullptr;                         // by panel
  int64_t* place_ = nullptr;                                         // [depth_], bytes from the first tap and channel
  uint8_t *image_ = nullptr, *channels_ = nullptr;                   // by thread: channels of a tap
};

}  // namespace convict::kernels::int8

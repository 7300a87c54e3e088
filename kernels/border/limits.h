// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a problem as floating-point numbers, which cannot overflow, and the limits that follow: problems whose
// copies would be too large, or whose products would nearly all be with padding. Kernels refuse these.
#pragma once

#include "abi/convict.h"
#include "abi/trilinear.h"

namespace convict::kernels::border {

/// Of a product that gathers the image; "rows" are channels.
struct Sizes {
  double calls;                      // batch * groups
  double image_rows, result_rows;    // channels of a group on the side that is read (W: X), and that is written (W: Y)
  double positions, last_positions;  // of one plane of the result (W: of Y): those of a phase; of the last axis only
  double phases, taps;               // of the whole window
  double image, result;              // elements of one plane
  double products;                   // all, those with padding included

  explicit Sizes(const Trilinear<float>& f);
};

/// Face X as a product that is scattered.
struct ScatterSizes {
  double weights;       // of all groups
  double depth;         // channels of Y, of one group
  double columns;       // channels of X of one group, with every tap
  double rows;          // positions of Y, of all images
  double rows_of_taps;  // of all channels of X and of one position of Y: taps along the last axis are one
  double y, x;          // elements

  explicit ScatterSizes(const Trilinear<float>& f);
};

/// Products with an element of the image, not with padding.
double products_inside(const Trilinear<float>& f);

/// Whether a kernel that also multiplies the zeros of the padding would do more than 10^9 products, nearly all of them
/// with padding: a large window on a tiny image. Precondition: not too_large_to_stage.
bool mostly_padding(const convict_problem& p);

/// The same for a kernel that computes all that positions of Y add to X and to its padding. Precondition: the face is
/// X, and not too_large_to_scatter.
bool mostly_cropped(const convict_problem& p);

/// Whether the operands of one image, padded and rearranged, would have more than 2^28 elements. Safe for any sizes.
bool too_large_to_stage(const convict_problem& p);

/// Whether the weights, or one image of Y, would have more than 2^28 elements. Safe for any sizes.
bool too_large_to_scatter(const convict_problem& p);

}  // namespace convict::kernels::border

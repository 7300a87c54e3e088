// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/plan.h"

#include <algorithm>
#include <cstdio>

#include "kernels/fft/roots_of_unity.h"
#include "kernels/work/team.h"

namespace convict::kernels::fft {
namespace {

// Spectra of a block of rows. If lanes are groups, they should stay in the second-level cache. If lanes are channels,
// the spectra of b are read from memory once for each block, so blocks are larger.
constexpr int64_t kBytesOfGroups = 1 << 20, kBytesOfChannels = 4 << 20;

constexpr int64_t kBytesApart = 32 << 20;  // at most, of spectra that a thread has for itself

/// Of a vector that has all channels, or all groups.
int64_t bytes_of_lanes(const Trilinear<float>& f) {
  return std::max({f.x_channels, f.y_channels, f.groups}) * static_cast<int64_t>(sizeof(float));
}

constexpr int64_t kFewestRows = 6;  // of a block whose products read all of b: what they keep in registers

}  // namespace

Plan::Plan(const Trilinear<float>& f)
    : form(f),
      tiles(simd::tiles_of_types(bytes_of_lanes(f)).first),
      fourier(fft::fourier(bytes_of_lanes(f))),
      lanes(fourier.lanes),
      sizes(cheapest_sizes(f, lanes)) {
  row_pitch = (sizes.axis[2].size / 2 + 1) * 2 * lanes;
  box = sizes.axis[0].size * sizes.axis[1].size * row_pitch;
  choose_operands();
  threads = work::threads_for(form.threads, sizes.cycles * static_cast<double>(lanes));
  choose_rows();
  choose_sharing();
  carve();
}

void Plan::choose_operands() {
  const Operand<float>&x = form.x, &y = form.y, &w = form.w;
  const int64_t xc = form.x_channels, yc = form.y_channels, images = form.batch * sizes.tiles();
  const int64_t of_x = xc * x.inner, of_y = yc * y.inner, of_w = yc * w.outer;
  switch (form.face) {
    case Face::kY:
      rows = images, depth = xc, columns = yc;
      a = {Signal::kX, x, of_x, x.outer, x.inner, true, false, xc};
      b = {Signal::kW, w, of_w, w.inner, w.outer, false, false, yc};
      sum = {Signal::kY, y, of_y, y.outer, y.inner, true, false, yc};
      return;
    case Face::kX:
      rows = images, depth = yc, columns = xc;
      a = {Signal::kY, y, of_y, y.outer, y.inner, true, false, yc};
      b = {Signal::kW, w, of_w, w.outer, w.inner, false, false, xc};
      sum = {Signal::kX, x, of_x, x.outer, x.inner, true, false, xc};
      return;
    case Face::kW:
      rows = xc, depth = form.batch, columns = yc;
      a = {Signal::kX, x, of_x, x.inner, x.outer, false, true, xc};
      b = {Signal::kY, y, of_y, y.outer, y.inner, false, false, yc};
      sum = {Signal::kW, w, of_w, w.inner, w.outer, false, false, yc};
  }
}

void Plan::choose_rows() {
  const bool groups = sizes.lanes_are_groups;
  const int64_t of_row = box * (vectors(depth) + vectors(columns)) * static_cast<int64_t>(sizeof(float));
  const bool b_is_read_again = !groups || depth * columns > 1;
  const int64_t fewest = b_is_read_again ? kFewestRows : 1;
  const int64_t most = std::max((groups ? kBytesOfGroups : kBytesOfChannels) / of_row, fewest);
  int64_t blocks = work::panels_of(rows, most);
  // If all threads share a call, each gets as many blocks.
  if (calls() % threads > 0 && rows >= threads * fewest) blocks = work::panels_of(blocks, threads) * threads;
  rows_at_once = work::panels_of(rows, blocks);
  if (is_w() && !groups) rows_at_once = std::min(work::panels_of(rows_at_once, lanes) * lanes, rows);
  lay_out(a, is_w() ? vectors(rows_at_once) : rows_at_once, is_w() ? depth : vectors(depth));
  lay_out(b, depth, vectors(columns));
  lay_out(sum, rows_at_once, vectors(columns));
  if (groups) return;
  // Numbers of a are multiplied one by one, so those of a row lie side by side.
  const int64_t side_by_side = (is_w() ? vectors(rows_at_once) : vectors(depth)) * lanes;
  a.to_first = is_w() ? lanes : 2 * side_by_side;
  a.to_second = is_w() ? 2 * side_by_side : lanes;
  a.imaginary = side_by_side;
}

/// Threads that divide calls, or blocks of rows, do not wait for each other, and have the spectra in their own caches.
void Plan::choose_sharing() {
  constexpr int64_t kMost = kBytesApart / static_cast<int64_t>(sizeof(float));
  if (threads > 1 && a.numbers + b.numbers + sum.numbers <= kMost) calls_apart = calls() / threads * threads;
  blocks_apart = threads > 1 && blocks() >= threads && a.numbers + sum.numbers <= kMost;
}

void Plan::lay_out(SpectrumOperand& operand, int64_t first_vectors, int64_t second_vectors) const {
  const int64_t number = 2 * lanes;
  operand.imaginary = lanes;
  operand.to_second = sizes.lanes_are_groups ? box : number;
  operand.to_first = second_vectors * operand.to_second;
  operand.frequency = sizes.lanes_are_groups ? number : first_vectors * second_vectors * number;
  operand.numbers = box * first_vectors * second_vectors;
}

void Plan::carve() {
  const int64_t points[kAxes] = {sizes.axis[0].size, sizes.axis[1].size, sizes.axis[2].size / 2};
  for (int axis = 0; axis < kAxes; ++axis) line_roots[axis] = workspace.take<float>(count_line_roots(points[axis]));
  real_roots = workspace.take<float>(count_real_roots(sizes.axis[2].size));
  scratch.clear();
  for (int thread = 0; thread < threads; ++thread) {
    Scratch own = thread > 0 ? scratch[0] : Scratch{};
    if (thread == 0 || calls_apart > 0) own.b = workspace.take<float>(b.numbers);
    if (thread == 0 || calls_apart > 0 || blocks_apart) {
      own.a = workspace.take<float>(a.numbers);
      own.sum = workspace.take<float>(sum.numbers);
    }
    if (!sizes.lanes_are_groups) own.box = workspace.take<float>(box);
    scratch.push_back(own);
  }
}

void Plan::prepare() {
  workspace.allocate(form.workspace);
  carve();
  const int64_t points[kAxes] = {sizes.axis[0].size, sizes.axis[1].size, sizes.axis[2].size / 2};
  for (int axis = 0; axis < kAxes; ++axis) fill_line_roots(points[axis], line_roots[axis]);
  fill_real_roots(sizes.axis[2].size, real_roots);
}

std::string Plan::text() const {
  std::string points, tile_counts;
  for (int i = 0; i < kAxes; ++i) {
    if (sizes.axis[i].size == 1 && sizes.axis[i].tiles == 1 && i < kAxes - 1) continue;
    points += (points.empty() ? "" : "x") + std::to_string(sizes.axis[i].size);
    tile_counts += (tile_counts.empty() ? "" : "x") + std::to_string(sizes.axis[i].tiles);
  }
  char line[200];
  std::snprintf(line, sizeof line, "%s lanes=%s points=%s tiles=%s block=%lld threads=%d workspace=%lld", fourier.isa,
                sizes.lanes_are_groups ? "groups" : "channels", points.c_str(), tile_counts.c_str(),
                static_cast<long long>(rows_at_once), threads, static_cast<long long>(workspace.bytes()));
  return line;
}

}  // namespace convict::kernels::fft

// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/plan.h"

#include <algorithm>
#include <cstdio>

#include "kernels/fft/roots_of_unity.h"
#include "kernels/simd/channel_lanes.h"
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

/// Elements of an operand on one axis of a tile: element first + i is at point place + i*step, for i < count.
struct Span {
  int64_t first, place, step, count;
};

int64_t divided_up(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

/// The elements at points `begin` to `end`. Point 0 is the place `origin` of the signal.
Span span_of(const SignalAxis& signal, int64_t origin, int64_t begin, int64_t end) {
  const int64_t to_point = signal.origin - origin;  // of element 0
  const int64_t first = std::clamp<int64_t>(divided_up(begin - to_point, signal.spacing), 0, signal.extent);
  const int64_t last = std::clamp<int64_t>(divided_up(end - to_point, signal.spacing), first, signal.extent);
  return {first, first * signal.spacing + to_point, signal.spacing, last - first};
}

using Spans = std::array<Span, kAxes>;

bool is_empty(const Spans& spans) { return std::min({spans[0].count, spans[1].count, spans[2].count}) == 0; }

/// The elements of an operand in a tile; of a result, those at valid points.
Spans spans_of(const Plan& plan, const SpectrumOperand& operand, int64_t tile) {
  Spans spans;
  for (int axis = kAxes; axis-- > 0;) {
    const TransformAxis& one = plan.sizes.axis[axis];
    const bool is_b = &operand == &plan.b, is_sum = &operand == &plan.sum;
    const int64_t origin = is_b ? 0 : one.begin + tile % one.tiles * one.length - one.valid;
    const int64_t begin = is_sum ? one.valid : 0;
    spans[axis] =
        span_of(signal_axis(plan.form, operand.signal, axis), origin, begin, is_sum ? begin + one.length : one.size);
    tile /= one.tiles;
  }
  return spans;
}

/// Calls visit(element's offset in the tensor, row of the box) for the rows that the spans have.
template <class Visit>
void for_each_row(const Plan& plan, const SpectrumOperand& operand, const Spans& spans, float* box,
                  const Visit& visit) {
  const Axes& stride = operand.tensor.spatial;
  for (int64_t i0 = 0; i0 < spans[0].count; ++i0)
    for (int64_t i1 = 0; i1 < spans[1].count; ++i1) {
      const int64_t place0 = spans[0].place + i0 * spans[0].step, place1 = spans[1].place + i1 * spans[1].step;
      visit((spans[0].first + i0) * stride[0] + (spans[1].first + i1) * stride[1] + spans[2].first * stride[2],
            box + (place0 * plan.sizes.axis[1].size + place1) * plan.row_pitch);
    }
}

/// Transforms the complex lines of an axis, 0 or 1, that cross the planes, or rows, of the spans before it.
void transform_axis(const Plan& plan, Fourier::LineMap map, int axis, const Span& planes, float* box) {
  const int64_t size = plan.sizes.axis[axis].size, plane = plan.sizes.axis[1].size * plan.row_pitch;
  if (size == 1) return;
  const int64_t lines = axis == 0 ? plane : plan.row_pitch;
  for (int64_t i = 0; i < (axis == 0 ? 1 : planes.count); ++i) {
    float* first = axis == 0 ? box : box + (planes.place + i * planes.step) * plane;
    for (int64_t line = 0; line < lines; line += 2 * plan.lanes) map(size, plan.line_roots[axis], first + line, lines);
  }
}

/// A vector of signals: where its first lane is, how far apart they are, how many, and of which tile.
struct SignalVector {
  float* first;
  int64_t stride, lanes;
  int64_t tile;
};

/// Vector (first, second) of an operand, counting vectors where lanes are.
SignalVector vector_of(const Plan& plan, const SpectrumOperand& operand, int64_t call, int64_t first, int64_t second) {
  const int64_t tile = operand.first_is_tile ? first % plan.sizes.tiles() : 0;
  if (operand.first_is_tile) first /= plan.sizes.tiles();
  if (plan.sizes.lanes_are_groups) {
    const int64_t group = call * plan.lanes;
    return {operand.tensor.data + group * operand.group + first * operand.first + second * operand.second,
            operand.group, std::min(plan.form.groups - group, plan.lanes), tile};
  }
  int64_t& channel = operand.lanes_are_first ? first : second;
  channel *= plan.lanes;
  return {operand.tensor.data + call * operand.group + first * operand.first + second * operand.second,
          operand.lanes_are_first ? operand.first : operand.second, std::min(operand.channels - channel, plan.lanes),
          tile};
}

/// The bias of the first lane of a vector of columns, or nullptr, and the stride to the next lane.
struct LaneBias {
  const float* first;
  int64_t stride;
};

LaneBias bias_of(const Plan& plan, int64_t call, int64_t column) {
  const Trilinear<float>& f = plan.form;
  const bool groups = plan.sizes.lanes_are_groups;
  const int64_t group = groups ? call * plan.lanes : call, channel = groups ? column : column * plan.lanes;
  return {f.bias ? f.bias + (group * plan.columns + channel) * f.bias_stride : nullptr,
          (groups ? plan.columns : 1) * f.bias_stride};
}

/// Loads a vector of signals and transforms it in place.
void transform_in(const Plan& plan, const SpectrumOperand& operand, const SignalVector& vector, float* box) {
  const Spans spans = spans_of(plan, operand, vector.tile);
  std::fill_n(box, plan.box, 0.0f);
  if (is_empty(spans)) return;
  const int64_t size = plan.sizes.axis[2].size;
  const simd::LaneStrides strides = {vector.stride, operand.tensor.spatial[2], spans[2].step * plan.lanes};
  for_each_row(plan, operand, spans, box, [&](int64_t offset, float* row) {
    simd::load_lanes(plan.tiles, strides, vector.lanes, spans[2].count, vector.first + offset,
                     row + spans[2].place * plan.lanes);
    plan.fourier.forward(size / 2, plan.line_roots[2], row, 2 * plan.lanes);
    plan.fourier.split(size, plan.real_roots, row);
  });
  transform_axis(plan, plan.fourier.forward, 1, spans[0], box);
  transform_axis(plan, plan.fourier.forward, 0, spans[0], box);
}

/// Transforms a vector of spectra back, in place, and stores its valid points.
void transform_out(const Plan& plan, const SignalVector& vector, const LaneBias& bias, float* box) {
  const Spans spans = spans_of(plan, plan.sum, vector.tile);
  if (is_empty(spans)) return;
  const int64_t size = plan.sizes.axis[2].size, step = spans[2].step * plan.lanes;
  const auto scale = 1 / static_cast<float>(plan.sizes.axis[0].size * plan.sizes.axis[1].size * size);
  transform_axis(plan, plan.fourier.backward, 0, spans[0], box);
  transform_axis(plan, plan.fourier.backward, 1, spans[0], box);
  const simd::LaneStrides strides = {vector.stride, plan.sum.tensor.spatial[2], step};
  for_each_row(plan, plan.sum, spans, box, [&](int64_t offset, float* row) {
    plan.fourier.join(size, plan.real_roots, scale, row);
    plan.fourier.backward(size / 2, plan.line_roots[2], row, 2 * plan.lanes);
    float* from = row + spans[2].place * plan.lanes;
    if (bias.first)
      for (int64_t i = 0; i < spans[2].count; ++i)
        for (int64_t lane = 0; lane < vector.lanes; ++lane) from[i * step + lane] += bias.first[lane * bias.stride];
    simd::store_lanes(plan.tiles, strides, vector.lanes, spans[2].count, static_cast<float>(plan.form.beta), from,
                      vector.first + offset);
  });
}

/// Writes the spectrum of vector (first, second) of an operand to `spectra`, at `place` of the first dimension.
void transform_vector(const Plan& plan, const SpectrumOperand& operand, int64_t call, int64_t first, int64_t second,
                      int64_t place, float* spectra, float* box) {
  float* to = spectra + operand.to(place, second);
  transform_in(plan, operand, vector_of(plan, operand, call, first, second), box ? box : to);
  if (box)
    plan.fourier.copy(plan.sizes.points(), {box, 2 * plan.lanes, plan.lanes},
                      {to, operand.frequency, operand.imaginary});
}

/// Products of some frequencies, for `rows` rows.
void multiply(const Plan& plan, work::Panel frequencies, int64_t rows, const Scratch& scratch) {
  const bool groups = plan.sizes.lanes_are_groups, conjugated = plan.form.face != Face::kX;
  const SpectrumOperand &a = plan.a, &b = plan.b, &sum = plan.sum;
  plan.fourier.multiply[groups][conjugated](
      {frequencies.count, rows, plan.depth, plan.vectors(plan.columns), scratch.a + frequencies.first * a.frequency,
       a.frequency, groups || !plan.is_w() ? a.to_first : 1, groups || plan.is_w() ? a.to_second : 1, a.imaginary,
       scratch.b + frequencies.first * b.frequency, b.frequency, b.to_first, b.to_second,
       scratch.sum + frequencies.first * sum.frequency, sum.frequency, sum.to_first, sum.to_second});
}

/// One block of rows of a call, whose b is transformed.
void compute_rows(const Plan& plan, int64_t call, int64_t block, work::Team& team, const Scratch& scratch) {
  const SpectrumOperand &a = plan.a, &sum = plan.sum;
  const bool lanes_are_rows = a.lanes_are_first && !plan.sizes.lanes_are_groups;
  const work::Panel rows = work::piece_of(plan.rows, plan.rows_at_once, block);
  const int64_t first_of_a = lanes_are_rows ? rows.first / plan.lanes : rows.first;
  const int64_t per_row = plan.is_w() ? plan.depth : plan.vectors(plan.depth);
  team.share((lanes_are_rows ? plan.vectors(rows.count) : rows.count) * per_row, [&](int64_t i) {
    transform_vector(plan, a, call, first_of_a + i / per_row, i % per_row, i / per_row, scratch.a, scratch.box);
  });
  constexpr int64_t kFrequencies = 64;
  const int64_t points = plan.sizes.points(), columns = plan.vectors(plan.columns);
  team.share(work::panels_of(points, kFrequencies),
             [&](int64_t i) { multiply(plan, work::panel_of(points, kFrequencies, i), rows.count, scratch); });
  team.share(rows.count * columns, [&](int64_t i) {
    const int64_t row = i / columns, column = i % columns;
    float *spectra = scratch.sum + sum.to(row, column), *box = scratch.box ? scratch.box : spectra;
    if (scratch.box)
      plan.fourier.copy(points, {spectra, sum.frequency, sum.imaginary}, {box, 2 * plan.lanes, plan.lanes});
    transform_out(plan, vector_of(plan, sum, call, rows.first + row, column), bias_of(plan, call, column), box);
  });
}

void transform_b(const Plan& plan, int64_t call, work::Team& team, const Scratch& scratch) {
  const int64_t columns = plan.vectors(plan.columns);
  team.share(plan.depth * columns, [&](int64_t i) {
    transform_vector(plan, plan.b, call, i / columns, i % columns, i / columns, scratch.b, scratch.box);
  });
}

/// A call, by all members of a team.
void compute_call(const Plan& plan, int64_t call, work::Team& team, const Scratch& scratch) {
  transform_b(plan, call, team, scratch);
  for (int64_t block = 0; block < plan.blocks(); ++block) compute_rows(plan, call, block, team, scratch);
}

/// A call, by all threads of the plan.
void compute_together(const Plan& plan, int64_t call, work::Team& team, int thread) {
  const Scratch &first = plan.scratch[0], &own = plan.scratch[thread];
  if (!plan.blocks_apart) return compute_call(plan, call, team, {first.a, first.b, first.sum, own.box});
  const Scratch scratch = {own.a, first.b, own.sum, own.box};
  transform_b(plan, call, team, scratch);
  team.share(plan.blocks(), [&](int64_t i) {
    work::Team::run(1, [&](work::Team& one, int) { compute_rows(plan, call, i, one, scratch); });
  });
}

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

void Plan::compute() {
  prepare();
  work::Team::run(threads, [&](work::Team& team, int thread) {
    team.share(calls_apart, [&](int64_t call) {
      work::Team::run(1, [&](work::Team& one, int) { compute_call(*this, call, one, scratch[thread]); });
    });
    for (int64_t call = calls_apart; call < calls(); ++call) compute_together(*this, call, team, thread);
  });
}

}  // namespace convict::kernels::fft

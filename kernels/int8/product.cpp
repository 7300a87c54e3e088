// SPDX-License-Identifier: Apache-2.0
#include "kernels/int8/product.h"

#include <algorithm>
#include <cstdio>

#include "kernels/work/team.h"

namespace convict::kernels::int8 {
namespace {

constexpr int64_t kTileVectors = 2;

/// Calls visit(std::array of a member of each axis' list) for all combinations.
template <class List, class Visit>
void for_each_combination(const std::array<List, kAxes>& lists, const Visit& visit) {
  for (const auto& i : *lists[0])
    for (const auto& j : *lists[1])
      for (const auto& k : *lists[2]) visit(std::array{&i, &j, &k});
}

int64_t tile_columns(const Plan& plan) { return kTileVectors * plan.tiles.lanes; }

/// One channel of the image, of elements of type T.
template <class T>
void copy_channel(const Plan& plan, int64_t n, int64_t channel) {
  const Operand<float>& image = plan.image;
  const T* from = static_cast<const T*>(plan.quantized.tensors.src.data) + n * image.outer + channel * image.inner;
  const int32_t zero_point = plan.quantized.problem.src_zero_point;
  int16_t* to = plan.staged + channel * plan.shape.channel;
  std::fill_n(to, plan.shape.channel, int16_t{0});
  const int64_t length = plan.axes[2].length, step = plan.axes[2].step * image.spatial[2];
  image::for_each_plane(
      plan.axes, plan.shape, [&](int64_t at0, bool inside, const image::StagedRun& run1, int64_t place) {
        for (int64_t j1 = run1.begin; inside && j1 < run1.end; ++j1) {
          const T* row = from + at0 * image.spatial[0] + (run1.first + j1 * plan.axes[1].step) * image.spatial[1];
          int16_t* at = to + place + j1 * length;
          for (const image::StagedRun& run : plan.axes[2].runs) {
            const T* first = row + run.first * image.spatial[2];
            for (int64_t j = run.begin; j < run.end; ++j) at[j] = static_cast<int16_t>(first[j * step] - zero_point);
            at += plan.shape.run[2];
          }
        }
      });
}

/// The weights of some rows of a group, as tiles read them.
void pack_weights(const Plan& plan, const Part& part, int64_t group, const work::Panel& panel, int32_t* to) {
  const Operand<float>& w = plan.form.w;
  const bool is_x = plan.form.face == Face::kX;
  const int64_t row_stride = is_x ? w.inner : w.outer, channel_stride = is_x ? w.outer : w.inner;
  const auto* first =
      static_cast<const int8_t*>(plan.quantized.tensors.wei.data) + group * plan.form.y_channels * w.outer;
  first += panel.first * row_stride;
  const auto place = [&](int64_t p) { return p / part.taps * channel_stride + part.weight[p % part.taps]; };
  for (int64_t p = 0; p < part.depth; p += 2) {
    const bool pair = p + 1 < part.depth;
    const int64_t even = place(p), odd = pair ? place(p + 1) : even;
    for (int64_t i = 0; i < panel.count; ++i) {
      const int8_t* row = first + i * row_stride;
      *to++ = pair_of(row[even], pair ? row[odd] : int16_t{0});
    }
  }
}

/// Calls visit(column, position) for `count` columns from `first` on; those beyond the last one repeat it.
template <class Visit>
void for_each_column(const Part& part, int64_t first, int64_t count, const Visit& visit) {
  const int64_t row = part.positions[2], plane = part.positions[1] * row;
  Axes at = {first / plane, first % plane / row, first % row};
  for (int64_t j = 0; j < count; ++j) {
    visit(j, Axes{at[0] + part.phase[0]->begin, at[1] + part.phase[1]->begin, at[2] + part.phase[2]->begin});
    if (first + j + 1 < part.columns)
      for (int a = kAxes; a-- > 0 && ++at[a] == part.positions[a];) at[a] = 0;
  }
}

/// Packs a tile of columns.
void gather(const Plan& plan, size_t index, int64_t group, int64_t first, int64_t vectors, int32_t* to) {
  const Part& part = plan.parts[index];
  const int64_t lanes = plan.tiles.lanes;
  PairLanes lane[kTileVectors];
  for (int64_t v = 0; v < vectors; ++v) {
    PairLanes& to_fill = lane[v];
    to_fill.side_by_side = true;
    for_each_column(part, first + v * lanes, lanes, [&](int64_t j, const Axes& at) {
      to_fill.place[j] = at[0] * plan.shape.pitch[0] + at[1] * plan.shape.pitch[1] + at[2] * plan.shape.pitch[2];
      to_fill.side_by_side &= to_fill.place[j] == to_fill.place[0] + j;
    });
  }
  plan.tiles.gather(part.depth, plan.staged + group * plan.image_channels * plan.shape.channel, plan.image_row[index],
                    vectors, lane, to);
}

/// Stores the sums of a tile of C to dst, whose elements are of type T.
template <class T>
void store(const Plan& plan, const Part& part, int64_t n, int64_t first_channel, int64_t rows, int64_t first,
           int64_t stride, const int32_t* sums) {
  const int64_t count = std::min(stride, part.columns - first);
  int64_t place[kTileVectors * kMostPairLanes];
  for_each_column(part, first, count, [&](int64_t j, const Axes& at) {
    place[j] = 0;
    for (int a = 0; a < kAxes; ++a)
      place[j] += (part.phase[a]->first + at[a] * plan.axes[a].out_step) * plan.result.spatial[a];
  });
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t channel = first_channel + i;
    T* row = static_cast<T*>(plan.quantized.tensors.dst.data) + n * plan.result.outer + channel * plan.result.inner;
    for (int64_t j = 0; j < count; ++j) plan.quantized.epilogue.store(row[place[j]], channel, sums[i * stride + j]);
  }
}

/// One tile of columns, all rows of its group.
template <class T>
void compute_tile(const Plan& plan, size_t index, int64_t n, int64_t group, int64_t tile,
                  const Plan::Scratch& scratch) {
  const Part& part = plan.parts[index];
  const int64_t first = tile * tile_columns(plan), lanes = plan.tiles.lanes;
  const int64_t vectors = part.columns - first > lanes ? 2 : 1;
  gather(plan, index, group, first, vectors, scratch.columns);
  const int32_t* weights = plan.weights[index] + group * plan.result_channels * part.pairs();
  for (const work::Panel& panel : plan.panels) {
    plan.tiles.multiply[vectors][panel.count](part.pairs(), weights + panel.first * part.pairs(), scratch.columns,
                                              scratch.sums);
    store<T>(plan, part, n, group * plan.result_channels + panel.first, panel.count, first, vectors * lanes,
             scratch.sums);
  }
}

/// What every thread does.
template <class Src, class Dst>
void run_thread(const Plan& plan, work::Team& team, int thread) {
  const int64_t groups = plan.form.groups, panels = static_cast<int64_t>(plan.panels.size());
  for (size_t i = 0; i < plan.parts.size(); ++i)
    team.share(groups * panels, [&](int64_t item) {
      const work::Panel& panel = plan.panels[item % panels];
      const int64_t before = item / panels * plan.result_channels + panel.first;
      pack_weights(plan, plan.parts[i], item / panels, panel, plan.weights[i] + before * plan.parts[i].pairs());
    });
  for (int64_t n = 0; n < plan.form.batch; ++n) {
    team.share(groups * plan.image_channels, [&](int64_t channel) { copy_channel<Src>(plan, n, channel); });
    for (size_t i = 0; i < plan.parts.size(); ++i)
      team.share(groups * plan.parts[i].tiles, [&](int64_t item) {
        compute_tile<Dst>(plan, i, n, item / plan.parts[i].tiles, item % plan.parts[i].tiles, plan.scratch[thread]);
      });
  }
}

template <class Src>
void run(const Plan& plan) {
  work::Team::run(plan.threads, [&](work::Team& team, int thread) {
    switch (plan.quantized.tensors.dst.dtype) {
      case CONVICT_S8: return run_thread<Src, int8_t>(plan, team, thread);
      case CONVICT_U8: return run_thread<Src, uint8_t>(plan, team, thread);
      case CONVICT_S32: return run_thread<Src, int32_t>(plan, team, thread);
      default: return run_thread<Src, float>(plan, team, thread);
    }
  });
}

}  // namespace

Plan::Plan(const border::QuantizedForm& q)
    : quantized(q),
      form(q.over<float>()),
      image(form.face == Face::kX ? form.y : form.x),
      result(form.face == Face::kX ? form.x : form.y),
      image_channels(form.face == Face::kX ? form.y_channels : form.x_channels),
      result_channels(form.face == Face::kX ? form.x_channels : form.y_channels),
      axes(image::correlation(form)),
      shape(image::staged_shape<int16_t>(axes)),
      tiles(pair_tiles()) {
  for (int64_t i = 0; i < work::panels_of(result_channels, tiles.most_rows); ++i)
    panels.push_back(work::panel_of(result_channels, tiles.most_rows, i));
  double products = 0;
  for_each_combination(std::array{&axes[0].classes, &axes[1].classes, &axes[2].classes}, [&](const auto& one) {
    for_each_combination(std::array{&one[0]->phases, &one[1]->phases, &one[2]->phases},
                         [&](const auto& phase) { add_part(one, phase); });
  });
  for (const Part& part : parts)
    products += static_cast<double>(form.batch * form.groups * result_channels * part.depth) *
                static_cast<double>(part.columns);
  threads = work::threads_for(form.threads, products);
  carve();
}

void Plan::add_part(const std::array<const image::AxisClass*, kAxes>& one,
                    const std::array<const image::AxisPhase*, kAxes>& phase) {
  Part part{one, phase, 1, 0, {}, 1, 0, {}, {}};
  for (int a = 0; a < kAxes; ++a) {
    part.positions[a] = std::max<int64_t>(0, phase[a]->end - phase[a]->begin);
    part.columns *= part.positions[a];
    part.taps *= static_cast<int64_t>(one[a]->offsets.size());
  }
  if (part.columns == 0) return;
  part.depth = image_channels * part.taps;
  part.tiles = work::panels_of(part.columns, kTileVectors * tiles.lanes);
  const Operand<float> any;  // a staged image has strides of its own
  for (size_t i = 0; i < one[0]->offsets.size(); ++i)
    for (size_t j = 0; j < one[1]->offsets.size(); ++j)
      for (size_t k = 0; k < one[2]->offsets.size(); ++k) {
        const Axes tap = {phase[0]->kernel_index[i], phase[1]->kernel_index[j], phase[2]->kernel_index[k]};
        const Axes offset = {one[0]->offsets[i], one[1]->offsets[j], one[2]->offsets[k]};
        part.weight.push_back(tap[0] * form.w.spatial[0] + tap[1] * form.w.spatial[1] + tap[2] * form.w.spatial[2]);
        part.place.push_back(image::tap_place(axes, shape, any, offset));
      }
  parts.push_back(std::move(part));
}

void Plan::carve() {
  weights.clear();
  image_row.clear();
  scratch.clear();
  int64_t most_pairs = 0;
  for (const Part& part : parts) {
    weights.push_back(workspace.take<int32_t>(form.groups * result_channels * part.pairs()));
    image_row.push_back(workspace.take<int64_t>(part.depth));
    most_pairs = std::max(most_pairs, part.pairs());
  }
  // Vectors of the last columns read beyond the last place of a channel.
  staged = workspace.take<int16_t>(form.groups * image_channels * shape.channel + tiles.lanes);
  for (int thread = 0; thread < threads; ++thread)
    scratch.push_back({workspace.take<int32_t>(most_pairs * kTileVectors * tiles.lanes),
                       workspace.take<int32_t>(kMostPairRows * kTileVectors * tiles.lanes)});
}

void Plan::prepare() {
  workspace.allocate();
  carve();
  for (size_t i = 0; i < parts.size(); ++i)
    for (int64_t p = 0; p < parts[i].depth; ++p)
      image_row[i][p] = p / parts[i].taps * shape.channel + parts[i].place[p % parts[i].taps];
}

std::string Plan::text() const {
  char line[200];
  std::snprintf(line, sizeof line, "%s int8 tile=%dx%d parts=%d threads=%d workspace=%lld", tiles.isa,
                panels.empty() ? 0 : static_cast<int>(panels[0].count), static_cast<int>(kTileVectors * tiles.lanes),
                static_cast<int>(parts.size()), threads, static_cast<long long>(workspace.bytes()));
  return line;
}

void compute(Plan& plan) {
  plan.prepare();
  if (plan.quantized.tensors.src.dtype == CONVICT_U8)
    run<uint8_t>(plan);
  else
    run<int8_t>(plan);
}

}  // namespace convict::kernels::int8

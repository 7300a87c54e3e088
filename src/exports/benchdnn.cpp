// SPDX-License-Identifier: Apache-2.0
//
// Writes a command line for benchdnn, the driver of oneDNN's own tests: the problem without its data.
#include <fmt/format.h>

#include <vector>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/names.h"
#include "exports/exporter.h"
#include "exports/shared/spelling.h"

namespace convict::exports {
namespace {

/// Why benchdnn would skip the problem or compute something else; empty if it would not.
std::string benchdnn_unsuited(const ExportRequest& request) {
  if (request.must_be_refused) return "benchdnn runs legal problems only";
  const convict_problem p = resolve(request.c).problem;
  if (p.batch == 0 || p.ic == 0 || p.oc == 0) return "benchdnn has no empty batch and no empty channels";
  for (int i = 0; i < p.rank; ++i) {
    if (p.in[i] == 0) return "benchdnn has no empty spatial extents";
    if (p.pad_begin[i] < 0) return "benchdnn has no negative padding at the begin of an axis";
  }
  if (request.c.scale != Scale::kNone) return "benchdnn's scales are not of the same kind in all of its versions";
  if (p.beta != 0 && p.pass != CONVICT_FORWARD) return "benchdnn adds to old contents in the forward pass only";
  return "";
}

/// "ih5oh3kh3sh1dh0ph0": states every value, so that benchdnn derives only the padding at the end, from the extents.
std::string descriptor(const convict_problem& p) {
  constexpr std::string_view kLetters = "dhw";
  std::string text = p.groups > 1 ? fmt::format("g{}", p.groups) : "";
  text += fmt::format("mb{}_ic{}oc{}", p.batch, p.ic, p.oc);
  for (int i = 0; i < p.rank; ++i) {
    const char axis = kLetters[static_cast<size_t>(kAxes - p.rank + i)];
    const std::pair<char, int64_t> entries[] = {{'i', p.in[i]},       {'o', p.out[i]},          {'k', p.kernel[i]},
                                                {'s', p.stride[i]},   {'d', p.dilation[i] - 1},  // 0 is dense there
                                                {'p', p.pad_begin[i]}};
    text += '_';
    for (const auto& [key, value] : entries) text += fmt::format("{}{}{}", key, axis, value);
  }
  return text;
}

/// Dimensions by letters, outermost first: a, b, c... in the order of oneDNN's logical ones, which are
/// [g][o][i][spatial], or [o][i][spatial] without groups.
std::string weight_tag(const Case& c) {
  const std::string group = c.groups > 1 ? "a" : "";
  std::string o = c.groups > 1 ? "b" : "a", i = c.groups > 1 ? "c" : "b", spatial;
  for (int axis = 0; axis < c.rank; ++axis) spatial += static_cast<char>((c.groups > 1 ? 'd' : 'c') + axis);
  (c.op == CONVICT_CONV ? o : i).insert(0, group);  // the side that counts the channels of all groups
  switch (c.wei_layout) {
    case WeightLayout::kOihw: return o + i + spatial;
    case WeightLayout::kIohw: return i + o + spatial;
    case WeightLayout::kOhwi: return o + spatial + i;
    case WeightLayout::kHwio: return spatial + i + o;
  }
  return "any";
}

std::string tag(ActivationLayout layout) { return layout == ActivationLayout::kChannelsFirst ? "abx" : "axb"; }

struct Tags {
  std::string src, wei, dst;
};

Tags tags_of(const ExportRequest& request) {
  switch (onednn_layout(request)) {
    case OnednnLayout::kChosenByOnednn: return {"any", "any", "any"};
    case OnednnLayout::kChannelsFirst: return {"abx", "any", "abx"};
    case OnednnLayout::kChannelsLast: return {"axb", "any", "axb"};
    case OnednnLayout::kOfTheCase: break;
  }
  const Case& c = request.c;
  return {tag(c.src_layout), weight_tag(c), tag(c.dst_layout)};
}

std::string direction(const convict_problem& p) {
  if (p.pass == CONVICT_BACKWARD_DATA) return "BWD_D";
  const std::string pass = p.pass == CONVICT_FORWARD ? "FWD_" : "BWD_W";
  if (p.pass == CONVICT_FORWARD) return pass + (p.has_bias ? "B" : "D");
  return pass + (p.has_bias ? "B" : "");
}

/// The types as a configuration of 2.x; empty if it has none.
std::string configuration(const Case& c) {
  const std::string joined = fmt::format("{}{}{}", type_name(c.src_type), type_name(c.wei_type), type_name(c.dst_type));
  if (is_integer(c.src_type)) return joined;
  if (c.src_type == c.wei_type && c.src_type == c.dst_type && c.src_type != CONVICT_BF16)
    return c.src_type == CONVICT_F64 ? "" : std::string(type_name(c.src_type));
  for (const char* known : {"bf16bf16bf16", "bf16bf16f32", "f32bf16bf16", "bf16f32bf16"})
    if (joined == known) return joined;
  return "";
}

/// Post-ops in their order, and zero points.
std::string attributes(const Case& c) {
  std::string post_ops = c.beta == 0 ? "" : fmt::format("sum:{}", c.beta);
  if (c.relu) post_ops += post_ops.empty() ? "relu" : "+relu";
  std::string zeros = c.src_zero == 0 ? "" : fmt::format("src:common:{}", c.src_zero);
  if (c.dst_zero != 0) zeros += fmt::format("{}dst:common:{}", zeros.empty() ? "" : "+", c.dst_zero);
  return (zeros.empty() ? "" : " --attr-zero-points=" + zeros) +
         (post_ops.empty() ? "" : " --attr-post-ops=" + post_ops);
}

std::string command(const ExportRequest& request, const convict_problem& p, const std::string& types) {
  const Case& c = request.c;
  const Tags tags = tags_of(request);
  return fmt::format("OMP_NUM_THREADS={} ./benchdnn --{} --dir={} {} --stag={} --wtag={} --dtag={}{} {}\n", c.threads,
                     c.op == CONVICT_CONV ? "conv" : "deconv", direction(p), types, tags.src, tags.wei, tags.dst,
                     attributes(c), descriptor(p));
}

/// The parts of the case that the command line cannot express.
std::vector<std::string> losses(const Case& c, const convict_problem& p) {
  std::vector<std::string> all = {
      "the data of the case: benchdnn fills operands with small integers by a formula of its own, and checks its own "
      "sums"};
  if (c.views != Views{}) all.emplace_back("views: its tensors are dense");
  if (repeats_calls(c)) all.emplace_back("repeated calls");
  for (int i = 0; i < p.rank; ++i)
    if (p.op == CONVICT_CONV_TRANSPOSE && p.output_padding[i] > 0) {
      all.emplace_back("output padding by name: it is in the extent of the output");
      break;
    }
  return all;
}

std::vector<ExportFile> write_benchdnn(const ExportRequest& request) {
  const Case& c = request.c;
  const convict_problem p = resolve(c).problem;
  std::string text = fmt::format("# {}\n", to_text(c));
  if (request.evidence) text += fmt::format("# {}\n", comment_text(accusation(request)));
  for (const std::string& loss : losses(c, p)) text += fmt::format("# Not said: {}.\n", loss);
  const std::string old = configuration(c);
  if (old.empty())
    text += "# benchdnn 2.x has no word for these data types.\n";
  else
    text += "# benchdnn 2.x\n" + command(request, p, "--cfg=" + old);
  text += "# benchdnn 3.x\n" +
          command(request, p,
                  fmt::format("--dt={}:{}:{}", type_name(c.src_type), type_name(c.wei_type), type_name(c.dst_type)));
  return {{"case.txt", text}};
}

}  // namespace

extern const Exporter export_benchdnn = {"benchdnn", "a command line of oneDNN's own test driver", ExportForm::kText,
                                         benchdnn_unsuited, write_benchdnn};

}  // namespace convict::exports

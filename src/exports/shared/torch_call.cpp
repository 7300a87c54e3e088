// SPDX-License-Identifier: Apache-2.0
#include "exports/shared/torch_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "abi/element.h"
#include "abi/torch_frame.h"
#include "abi/trilinear.h"
#include "core/geometry.h"
#include "core/names.h"

namespace convict::exports {
namespace {

/// torch.nn.functional.pad takes the last axis first.
std::string pad_call(const convict_problem& p, const TorchFrame& e, const char* what) {
  std::vector<int64_t> pads;
  for (int i = p.rank - 1; i >= 0; --i) {
    pads.push_back(e.begin[i]);
    pads.push_back(e.end[i]);
  }
  return fmt::format("F.pad({}, {})", what, python_tuple(pads.data(), static_cast<int>(pads.size())));
}

/// What a frame cannot express.
std::string unsuited_padding(const convict_problem& p) {
  const TorchFrame e = torch_frame(p);
  if (!e.framed) return "";
  const bool is_conv = p.op == CONVICT_CONV;
  for (int i = 0; i < p.rank; ++i) {
    if (!is_conv && (e.begin[i] > 0 || e.end[i] > 0) && p.has_bias)
      return "PyTorch has no bias where negative padding of conv_transpose adds rows";
    const int64_t cropped = is_conv ? p.in[i] + std::min<int64_t>(e.begin[i], 0) + std::min<int64_t>(e.end[i], 0)
                                    : p.out[i] - std::max<int64_t>(e.begin[i], 0) - std::max<int64_t>(e.end[i], 0);
    if (cropped < 0) return "PyTorch cannot crop more than the whole axis";
  }
  return "";
}

std::string unsuited_empty(const convict_problem& p) {
  if (p.oc == 0) return "PyTorch wants at least one channel of dst";
  if (p.ic == 0 && p.op == CONVICT_CONV_TRANSPOSE) return "PyTorch's conv_transpose wants at least one channel of src";
  for (int i = 0; i < p.rank; ++i)
    if (p.in[i] == 0) return "PyTorch takes no empty spatial extents";
  return "";
}

/// Of an illegal problem: what PyTorch has no argument for cannot be refused by it.
std::string unsuited_illegal(const Case& c) {
  if (c.bias && c.pass == CONVICT_BACKWARD_DATA) return "PyTorch has no bias to be given to backward_data";
  const bool same = c.pad_mode == PadMode::kSameUpper || c.pad_mode == PadMode::kSameLower;
  if (c.output_padding != Axes{0, 0, 0} && (same || c.op == CONVICT_CONV))
    return "PyTorch has no output_padding for it that it could refuse";
  if (c.op == CONVICT_CONV) return "";
  if (c.oc % c.groups != 0) return "PyTorch's conv_transpose takes the channels of dst from the weights";
  const Resolved resolved = resolve(c);
  if (std::string_view(resolved.why_not.field) != "g" && !has_torch_padding(resolved.problem))
    return "PyTorch needs F.pad for this padding of conv_transpose, which crops down to nothing without complaint";
  return "";
}

}  // namespace

std::string torch_type(convict_dtype type) {
  switch (type) {
    case CONVICT_F64: return "torch.float64";
    case CONVICT_F16: return "torch.float16";
    case CONVICT_BF16: return "torch.bfloat16";
    default: break;  // f32; integers are unsuited
  }
  return "torch.float32";
}

std::string python_tuple(const int64_t* values, int count) {
  return fmt::format("({}{})", fmt::join(values, values + count, ", "), count == 1 ? "," : "");
}

TorchCall torch_call(const convict_problem& p) {
  const TorchFrame e = torch_frame(p);
  const bool is_conv = p.op == CONVICT_CONV;
  TorchCall call;
  const std::string image = is_conv && e.framed ? pad_call(p, e, "src") : "src";
  const std::string transposed =
      is_conv ? "" : fmt::format("output_padding={}, ", python_tuple(e.output_padding, p.rank));
  call.forward =
      fmt::format("    dst = F.{}{}d({}, wei, bias, stride={}, padding={},\n        {}dilation={}, groups={})\n",
                  is_conv ? "conv" : "conv_transpose", p.rank, image, python_tuple(p.stride, p.rank),
                  python_tuple(e.padding, p.rank), transposed, python_tuple(p.dilation, p.rank), p.groups);
  if (e.framed && !is_conv) call.forward += fmt::format("    dst = {}\n", pad_call(p, e, "dst"));
  if (e.framed)
    call.note = is_conv ? "PyTorch pads both ends alike and never crops: F.pad does it before the call."
                        : "PyTorch crops both ends alike and never adds: F.pad does it after the call.";
  return call;
}

std::string torch_unsuited(const ExportRequest& request) {
  const Case& c = request.c;
  if (is_integer(c.src_type)) return "PyTorch has no convolution of integers with these operands";
  if (c.src_type != c.wei_type || c.src_type != c.dst_type) return "PyTorch wants all operands of one data type";
  if (request.must_be_refused) return unsuited_illegal(c);
  const convict_problem p = resolve(c).problem;
  if (c.beta != 0 && (c.src_type == CONVICT_F16 || c.src_type == CONVICT_BF16))
    return "PyTorch has no beta, and added by hand it would come after the rounding to " +
           std::string(type_name(c.src_type));
  if (std::string why = unsuited_empty(p); !why.empty()) return why;
  return unsuited_padding(p);
}

}  // namespace convict::exports

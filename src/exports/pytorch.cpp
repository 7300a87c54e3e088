// SPDX-License-Identifier: Apache-2.0
//
// A Python script that needs nothing but PyTorch: operands, call and exact result in one file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "abi/element.h"
#include "abi/torch_frame.h"
#include "abi/trilinear.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/role.h"
#include "core/text.h"
#include "exports/exporter.h"
#include "exports/shared/operands.h"
#include "exports/shared/spelling.h"
#include "judge/bounds.h"

namespace convict::exports {
namespace {

// The part of an exported Python script that is the same for every case.

constexpr std::string_view kScriptHelpers = R"python(import base64
import math
import sys

import torch
import torch.nn.functional as F


def numbers(text):
    """Decimal integers or hexadecimal floats, in row-major order."""
    return torch.tensor([float(word) if word.lstrip("-").isdigit() else float.fromhex(word)
                         for word in text.split()], dtype=torch.float64)


def packed(text, dtype):
    """Little-endian elements in row-major order."""
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=dtype)


def operand(values, dtype, size, stride, offset, room):
    """A tensor in memory as the case says; what lies between its elements is NaN."""
    buffer = torch.full((max(room, 1),), math.nan, dtype=dtype)
    tensor = buffer.as_strided(size, stride, offset)
    tensor.copy_(values.reshape(size))
    return tensor


def check(name, got, size, value, exact=None, bound=None, largest=math.inf):
    """Prints what is wrong, in a line. `value` is the exact result, rounded once; a `bound` of 0 demands it."""
    if tuple(got.shape) != size:
        print(f"MISMATCH: {name} has the extents {tuple(got.shape)} instead of {size}")
        return False
    got = got.detach().to(torch.float64).reshape(-1)
    right = (got == value) | (torch.isnan(got) & torch.isnan(value))
    if bound is not None:
        right |= (bound > 0) & ((got - exact).abs() <= bound)
        right |= (bound > 0) & torch.isinf(got) & (got.sign() == exact.sign()) & (exact.abs() + bound >= largest)
    wrong = (~right).nonzero().flatten().tolist()
    if not wrong:
        return True
    first, at, rest = wrong[0], [], wrong[0]
    for extent in reversed(size):
        at.insert(0, rest % extent)
        rest //= extent
    print(f"MISMATCH: {name}{at} is {got[first].item().hex()} ({got[first].item()}), must be "
          f"{value[first].item().hex()} ({value[first].item()})"
          + (f", allowed error {bound[first].item()}" if bound is not None else "")
          + f"; {len(wrong)} of {len(got)} elements are wrong")
    return False
)python";

/// Lines of Python, and why they are not just one call. `forward` computes `dst` from `src`, `wei` and `bias`.
struct TorchCall {
  std::string forward;  // indented by four blanks
  std::string note;     // empty where one call says it all
};

/// "torch.float32".
std::string torch_type(convict_dtype type) {
  switch (type) {
    case CONVICT_F64: return "torch.float64";
    case CONVICT_F16: return "torch.float16";
    case CONVICT_BF16: return "torch.bfloat16";
    default: break;  // f32; integers are unsuited
  }
  return "torch.float32";
}

/// "(1, 2)", "(1,)".
std::string python_tuple(const int64_t* values, int count) {
  return fmt::format("({}{})", fmt::join(values, values + count, ", "), count == 1 ? "," : "");
}

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
  if (c.output_padding != Axes{0, 0, 0} && (is_same(c) || c.op == CONVICT_CONV))
    return "PyTorch has no output_padding for it that it could refuse";
  if (c.op == CONVICT_CONV) return "";
  if (c.oc % c.groups != 0) return "PyTorch's conv_transpose takes the channels of dst from the weights";
  const Resolved resolved = resolve(c);
  if (std::string_view(resolved.why_not.field) != "g" && !has_torch_padding(resolved.problem))
    return "PyTorch needs F.pad for this padding of conv_transpose, which crops down to nothing without complaint";
  return "";
}

/// The problem as users of PyTorch express it: torch.nn.functional and, where the padding is not symmetric or negative,
/// a frame of zeros or a crop around it.
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

/// Why PyTorch cannot express the request, or nothing.
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

constexpr size_t kMostAsText = 4096;  // elements of a tensor as text; more are base64 of their bytes

bool is_whole(double value) {
  return std::abs(value) < 0x1p53 && std::trunc(value) == value && !(value == 0 && std::signbit(value));
}

/// Python that gives the values in row-major order.
std::string spelt(convict_dtype type, std::span<const double> values) {
  if (values.empty()) return fmt::format("torch.empty(0, dtype={})", torch_type(type));
  if (values.size() > kMostAsText)
    return fmt::format("packed(\"{}\", {})", base64(raw_bytes(type, values)), torch_type(type));
  std::vector<std::string> words;
  for (const double value : values)
    words.push_back(is_whole(value) ? fmt::format("{}", static_cast<int64_t>(value)) : hex_float(value));
  return "numbers(\"\"\"\n" + wrapped(words, "    ") + "\"\"\")";
}

std::string place(const convict_tensor& tensor) {
  return fmt::format("{}, {}, {}, {}, {}", torch_type(tensor.dtype), python_tuple(tensor.dims, tensor.ndim),
                     python_tuple(tensor.strides, tensor.ndim), tensor.offset, buffer_count(tensor));
}

std::string zeros(const convict_tensor& tensor) {
  return fmt::format("torch.zeros({})", python_tuple(tensor.dims, tensor.ndim));
}

std::string head(const ExportRequest& request, const TorchCall& call, const std::string& rule) {
  const Case& c = request.c;
  std::string text = program_head(request, "#", " and what must come out of it, for PyTorch");
  text += request.must_be_refused
              ? "#\n# The problem is not legal. Exit code 0: PyTorch refuses it. 1: it computes something.\n"
          : fails_late(request)
              ? "#\n# Exit code 0: PyTorch is right. 1: it is wrong, or fails.\n"
              : "#\n# Exit code 0: PyTorch is right. 1: it is wrong. 125: it does not compute this at all.\n";
  if (!rule.empty()) text += fmt::format("# Results are held to {}.\n", rule);
  if (!call.note.empty()) text += fmt::format("# {}\n", call.note);
  if (c.pass == CONVICT_FORWARD && (c.dst_layout != ActivationLayout::kChannelsFirst || c.views.dst))
    text += "# PyTorch chooses the layout of dst itself; the one of the case is not used.\n";
  if (c.pass == CONVICT_BACKWARD_WEIGHTS || c.pass == CONVICT_BACKWARD_DATA)
    text += "# PyTorch chooses the layout of what it computes; operands have that of the case.\n";
  if (c.beta != 0) text += "# PyTorch has no beta: the old contents are added by hand.\n";
  if (c.relu) text += "# PyTorch has no fused ReLU: it is a call of its own.\n";
  if (repeats_calls(c)) text += "# The case is about repeated calls; this makes one.\n";
  return text + "\n";
}

std::string case_text(const ExportRequest& request) {
  return fmt::format("\n\nCASE = {}\n", string_literal(to_text(request.c)));
}

/// All tensors that the forward call needs, by name; those it is not given are zeros that ask for a gradient.
std::string placed_operands(const ExportRequest& request, const convict_tensors& described, const Operands& operands) {
  std::string text = "\n";
  const bool has_bias = request.c.bias && request.c.pass != CONVICT_BACKWARD_DATA;
  if (!has_bias) text += "bias = None\n";
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = described.*role.tensor;
    if (tensor.ndim == 0) continue;
    if (const NamedTensor* input = operands.input(role.name)) {
      text += fmt::format("{} = operand({},\n    {})\n", role.name, spelt(tensor.dtype, input->values), place(tensor));
    } else if (role.is_output[request.c.pass] && role.tensor != &convict_tensors::dst) {
      text += fmt::format("{} = operand({}, {}).requires_grad_()\n", role.name.substr(5), zeros(tensor), place(tensor));
    } else if (request.must_be_refused && role.tensor != &convict_tensors::dst) {
      text += fmt::format("{} = operand({}, {})\n", role.name, zeros(tensor), place(tensor));
    }
  }
  if (!operands.outputs.empty() && request.c.beta != 0) {
    const RequiredTensor& main = operands.outputs.front();
    text += fmt::format("old = {}.reshape({}).to({})\n", spelt(main.tensor.layout.dtype, main.old),
                        python_tuple(main.tensor.layout.dims, main.tensor.layout.ndim),
                        torch_type(main.tensor.layout.dtype));
  }
  return text;
}

std::string compute(const Case& c, const convict_problem& p, const TorchCall& call) {
  std::string text = "\n\ndef compute():\n" + call.forward;
  const std::string addend = c.beta == 0 ? "" : fmt::format(" + {} * old", c.beta);
  switch (c.pass) {
    case CONVICT_FORWARD:
      if (c.relu) return text + fmt::format("    return {{\"dst\": torch.relu(dst{})}}\n", addend);
      return text + fmt::format("    return {{\"dst\": dst{}}}\n", addend);
    case CONVICT_BACKWARD_DATA:
      text += "    diff_src, = torch.autograd.grad(dst, [src], diff_dst)\n";
      return text + fmt::format("    return {{\"diff_src\": diff_src{}}}\n", addend);
    case CONVICT_BACKWARD_WEIGHTS: break;
  }
  if (!p.has_bias) {
    text += "    diff_wei, = torch.autograd.grad(dst, [wei], diff_dst)\n";
    return text + fmt::format("    return {{\"diff_wei\": diff_wei{}}}\n", addend);
  }
  text += "    diff_wei, diff_bias = torch.autograd.grad(dst, [wei, bias], diff_dst)\n";
  return text + fmt::format("    return {{\"diff_wei\": diff_wei{}, \"diff_bias\": diff_bias}}\n", addend);
}

/// A call of check() for one output.
std::string checked(const RequiredTensor& output) {
  const NamedTensor& tensor = output.tensor;
  std::string text =
      fmt::format("    right &= check(\"{0}\", results[\"{0}\"], {1},\n    {2}.to(torch.float64)", tensor.role,
                  python_tuple(tensor.layout.dims, tensor.layout.ndim), spelt(tensor.layout.dtype, tensor.values));
  if (output.by_equality()) return text + ")\n";
  return text + fmt::format(",\n    {},\n    {}, float.fromhex(\"{}\"))\n", spelt(CONVICT_F64, output.exact),
                            spelt(CONVICT_F64, output.bounds), hex_float(judge::largest_finite(tensor.layout.dtype)));
}

/// Whether oneDNN is to be used, where the suspect's name says so; else PyTorch decides.
std::string switches(const ExportRequest& request) {
  std::string text = fmt::format("    torch.set_num_threads({})\n", request.c.threads);
  if (!request.evidence) return text;
  const std::string& suspect = request.evidence->suspect;
  if (suspect == "libtorch:native") text += "    torch.backends.mkldnn.set_flags(False)\n";
  if (suspect == "libtorch:onednn") text += "    torch.backends.mkldnn.set_flags(True)\n";
  return text;
}

std::string main_function(const ExportRequest& request, const Operands& operands) {
  std::string text = "\n\ndef main():\n    print(CASE)\n";
  text += switches(request) + "    try:\n        results = compute()\n    except Exception as error:\n";
  text += request.must_be_refused ? "        print(\"refused, as it must be:\", error)\n        return 0\n"
          : fails_late(request)
              ? "        print(\"MISMATCH: PyTorch fails on a legal problem:\", error)\n        return 1\n"
              : "        print(\"PyTorch does not compute this:\", error)\n        return 125\n";
  if (request.must_be_refused) {
    text +=
        "    print(\"MISMATCH: not legal, but computed:\", {name: tuple(t.shape) for name, t in results.items()})\n";
    text += "    return 1\n";
  } else {
    text += "    right = True\n";
    for (const RequiredTensor& output : operands.outputs) text += checked(output);
    text += "    print(\"verdict: what was computed here is\", \"RIGHT\" if right else \"WRONG\")\n";
    text += "    return 0 if right else 1\n";
  }
  return text + "\n\nif __name__ == \"__main__\":\n    sys.exit(main())\n";
}

/// Gradients of an illegal problem need the forward call only, which has to raise.
ExportRequest as_forward(ExportRequest request) {
  if (request.must_be_refused) request.c.pass = CONVICT_FORWARD;
  return request;
}

std::vector<ExportFile> write_pytorch(const ExportRequest& request) {
  const ExportRequest run = as_forward(request);
  const convict_problem p = resolve(run.c).problem;
  const Operands operands = request.must_be_refused ? Operands{} : operands_of(request);
  const TorchCall call = torch_call(p);
  return {{"case.py", head(request, call, operands.rule) + std::string(kScriptHelpers) + case_text(request) +
                          placed_operands(run, describe_tensors(run.c, p), operands) + compute(run.c, p, call) +
                          main_function(request, operands) + certificate_comment(request, "#")}};
}

}  // namespace

extern const Exporter export_pytorch = {"pytorch", "a Python script that needs nothing but torch", ExportForm::kText,
                                        torch_unsuited, write_pytorch};

}  // namespace convict::exports

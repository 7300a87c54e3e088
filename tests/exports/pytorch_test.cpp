// SPDX-License-Identifier: Apache-2.0
//
// Exported scripts under PyTorch itself: silent where it is right, and not where it is made wrong.
#include <gtest/gtest.h>

#include <sstream>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/processor.h"
#include "generate/generate.h"
#include "tests/exports/export_bench.h"

namespace convict::test {
namespace {

/// Runs every script of a folder twice, the second time with a PyTorch whose results are off; prints name and both
/// exit codes.
constexpr const char* kDriver = R"python(
import contextlib, glob, io, runpy, sys
import torch
import torch.nn.functional as F

def off(result):
    return tuple(map(off, result)) if isinstance(result, tuple) else result * 1.25 + 1

def run(path):
    try:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        return end.code, said.getvalue()

def wrong(path):
    computes_gradient = "torch.autograd.grad" in open(path).read()
    names = ["grad"] if computes_gradient else [f"conv{t}{r}d" for t in ("", "_transpose") for r in (1, 2, 3)] + ["pad"]
    place = torch.autograd if computes_gradient else F
    real = {name: getattr(place, name) for name in names}
    lenient = "not legal" in open(path).read()
    for name in names:
        setattr(place, name, (lambda *a, **k: torch.zeros(1)) if lenient else
                (lambda f: lambda *a, **k: off(f(*a, **k)))(real[name]))
    code, said = run(path)
    for name in names:
        setattr(place, name, real[name])
    return code if "MISMATCH" in said else "silent"

for path in sorted(glob.glob(sys.argv[1] + "/*.py")):
    code, said = run(path)
    print(path.split("/")[-1], code, wrong(path), said.splitlines()[-1] if code != 0 else "")
)python";

const char* const kLines[] = {
    "conv1d n=2 ic=3 oc=4 in=9 k=3 s=2 p=1 seed=1",
    "conv2d n=2 g=2 ic=4 oc=6 in=7x8 k=3x2 s=2x1 d=1x2 p=1x0 bias seed=2",
    "conv3d ic=2 oc=3 in=4x5x6 k=2x3x1 p=1 bias dt=f64 fill=normal seed=3",
    "conv1d.backward_data ic=3 oc=2 in=9 k=4 s=3 p=2:1 seed=4",
    "conv2d.backward_data n=2 g=3 ic=6 oc=3 in=8 k=3 d=2 p=2 lay=nhwc:ohwi:nhwc seed=5",
    "conv3d.backward_data ic=2 oc=2 in=4 k=2 s=2 fill=positive seed=6",
    "conv1d.backward_weights n=3 ic=2 oc=4 in=9 k=3 bias view=src+dst seed=7",
    "conv2d.backward_weights n=2 g=2 ic=4 oc=4 in=6x7 k=3 s=2 p=1 bias dt=f64 seed=8",
    "conv3d.backward_weights n=2 ic=2 oc=3 in=4 k=2 fill=normal seed=9",
    "conv_transpose1d ic=3 oc=2 in=5 k=3 s=3 p=1 op=2 bias seed=10",
    "conv_transpose2d in=2x3 k=2x2 s=2x1 p=1x1 op=1x0 seed=7",
    "conv_transpose2d n=2 g=2 ic=4 oc=6 in=3x4 k=3 s=2 d=1x3 p=1 op=1x2 lay=nhwc:hwio:nhwc bias seed=11",
    "conv_transpose3d ic=2 oc=3 in=2x3x4 k=3 s=2 p=1 op=1x0x1 dt=f64 fill=wide seed=12",
    "conv_transpose1d.backward_data ic=2 oc=3 in=6 k=4 s=2 p=0:3 seed=13",
    "conv_transpose2d.backward_data g=2 ic=4 oc=4 in=4 k=3 s=2 p=1:0 op=1 seed=14",
    "conv_transpose3d.backward_data ic=2 oc=2 in=3 k=2 view=wei seed=15",
    "conv_transpose1d.backward_weights n=2 ic=2 oc=3 in=5 k=3 s=2 bias seed=16",
    "conv_transpose2d.backward_weights n=2 ic=3 oc=2 in=4x5 k=3 s=2 p=1 op=1 bias fill=normal seed=17",
    "conv_transpose3d.backward_weights n=2 g=2 ic=2 oc=2 in=3 k=2 d=2 seed=18",
    "conv2d ic=2 oc=3 in=7 k=3 p=2:-1x0:1 seed=19",
    "conv2d.backward_data ic=2 oc=3 in=7 k=3 p=-1:2x3:0 seed=20",
    "conv2d.backward_weights ic=2 oc=3 in=7 k=3 s=2 p=same_lower seed=21",
    "conv_transpose2d ic=2 oc=3 in=4 k=3 s=2 p=2:0x0:1 op=1 bias seed=22",
    "conv_transpose2d ic=2 oc=3 in=4 k=3 s=2 p=-2:1 seed=23",
    "conv_transpose2d.backward_weights ic=2 oc=3 in=4 k=2 s=3 p=same_upper seed=24",
    "conv2d ic=2 oc=3 in=5 k=3 beta=0.5 seed=25",
    "conv2d.backward_weights ic=2 oc=3 in=5 k=3 beta=-1 seed=26",
    "conv2d ic=3 oc=4 in=6 k=3 dt=bf16 fill=normal seed=27",
    "conv2d.backward_weights n=2 ic=3 oc=4 in=6 k=3 dt=bf16 seed=28",
    "conv2d ic=2 oc=3 in=6 k=3 fill=special seed=29",
    "conv2d ic=2 oc=3 in=6 k=3 fill=subnormal seed=30",
    "conv2d ic=4 oc=4 in=9 k=3 p=1 fill=comb threads=2 view=src+wei seed=31",
    "conv2d n=2 ic=8 oc=8 in=24 k=3 fill=normal seed=32",  // more than 4096 elements: packed
    "conv2d ic=2 oc=3 in=5 k=3 beta=-1 bias relu fill=normal seed=33",
    "conv2d in=3 k=4 => refused",
    "conv_transpose2d.backward_data in=4 k=3 s=2 op=2 => refused",
    "conv2d g=2 ic=3 oc=2 in=4 k=3 => refused",
};

/// Of the generator's cases, those that PyTorch 1.13 is known to compute: not the 16-bit types, whose kernels are
/// missing or, for conv_transpose, those of a convolution; not the empty tensors that it gives other extents.
bool is_ordinary(const exports::ExportRequest& what) {
  const Case& c = what.c;
  const bool wide = c.src_type == CONVICT_F32 || c.src_type == CONVICT_F64;
  return !what.must_be_refused && wide && c.batch > 0 && c.ic > 0 && exports::too_large(c).empty() &&
         exporter("pytorch").unsuited(what).empty();
}

TEST(PyTorchExport, IsSilentWhereItIsRightAndFiresWhereItIsNot) {
  if (!python_has("torch")) GTEST_SKIP() << "needs the package python3-torch";
  const TemporaryDirectory directory;
  std::vector<std::string> lines;
  const auto add = [&](const exports::ExportRequest& what) {
    write_file(directory.file(fmt::format("{:03}.py", lines.size())), text_of("pytorch", what));
    lines.push_back(to_text(what.c));
  };
  // Without AVX-512, PyTorch keeps sums of bf16 in bf16, and scripts rightly say that it is wrong.
  const bool sums_bf16_in_f32 = best_isa() == "avx512";
  for (const char* line : kLines) {
    ASSERT_EQ(unsuited("pytorch", line), "") << line;
    const exports::ExportRequest what = request(line);
    if (sums_bf16_in_f32 || what.c.src_type != CONVICT_BF16) add(what);
  }
  for (uint64_t index = 0; index < 300; ++index) {
    const Case c = generate::generate(generate::find_profile("smoke"), 11, index);
    const exports::ExportRequest what = {c, static_cast<bool>(resolve(c).why_not)};
    if (is_ordinary(what)) add(what);
  }
  ASSERT_GT(lines.size(), std::size(kLines) + 100);
  const CommandResult result = run_program(kPython, {"-c", kDriver, directory.path().string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream reports(result.out);
  size_t count = 0;
  for (std::string report; std::getline(reports, report); ++count)
    EXPECT_EQ(report, fmt::format("{:03}.py 0 1 ", count)) << lines.at(count);
  EXPECT_EQ(count, lines.size());
}

TEST(PyTorchExport, HostileNamesStayText) {
  if (!python_has("torch")) GTEST_SKIP() << "needs the package python3-torch";
  const TemporaryDirectory directory;
  write_file(directory.file("case.py"), text_of("pytorch", accused("conv2d in=5 k=3", kHostile)));
  const CommandResult result = run_program(kPython, {directory.file("case.py")});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
  EXPECT_NE(result.out.find("RIGHT\n"), std::string::npos);
}

TEST(PyTorchExport, RefusesWhatPyTorchHasNoWordsFor) {
  const std::pair<const char*, const char*> refused[] = {
      {"conv2d in=5 k=3 dt=bf16:bf16:f32", "one data type"},
      {"conv2d in=5 k=3 dt=f16 beta=1", "no beta"},
      {"conv2d in=5 k=3 dt=u8:s8:s32", "no convolution of integers"},
      {"conv2d oc=0 in=5 k=3", "one channel of dst"},
      {"conv_transpose2d ic=0 in=5 k=3", "one channel of src"},
      {"conv_transpose1d in=0 k=3 p=-1", "empty spatial"},
      {"conv_transpose2d in=4 k=3 p=-1 bias", "negative padding"},
      {"conv2d in=5 k=3 op=1 => refused", "output_padding"},
      {"conv_transpose2d g=2 ic=2 oc=3 in=5 k=3 => refused", "channels of dst from the weights"},
  };
  for (const auto& [line, reason] : refused)
    EXPECT_NE(unsuited("pytorch", line).find(reason), std::string::npos) << line << ": " << unsuited("pytorch", line);
}

TEST(PyTorchExport, SwitchesOneDnnWhereTheSuspectSaysSo) {
  exports::ExportRequest what = request("conv2d in=5 k=3");
  EXPECT_EQ(text_of("pytorch", what).find("mkldnn"), std::string::npos);
  what.evidence = exports::Evidence{"libtorch:native", "wrong-exact", {}};
  EXPECT_NE(text_of("pytorch", what).find("mkldnn.set_flags(False)"), std::string::npos);
  what.evidence->suspect = "libtorch:onednn";
  EXPECT_NE(text_of("pytorch", what).find("mkldnn.set_flags(True)"), std::string::npos);
}

}  // namespace
}  // namespace convict::test

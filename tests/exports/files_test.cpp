// SPDX-License-Identifier: Apache-2.0
//
// npz and ONNX as the libraries they are made for read them.
#include <gtest/gtest.h>

#include "tests/exports/export_bench.h"

namespace convict::test {
namespace {

/// Written into a directory of its own.
class Written {
 public:
  Written(std::string_view format, const exports::ExportRequest& what) {
    for (const exports::ExportFile& file : exporter(format).write(what)) {
      const auto to = directory_.path() / file.name;
      std::filesystem::create_directories(to.parent_path());
      write_file(to, file.bytes);
    }
  }
  CommandResult python(const std::string& script) const {
    return run_convict({"-c", script}, {.directory = directory_.path(), .program = kPython});
  }

 private:
  TemporaryDirectory directory_;
};

TEST(NpzExport, IsReadByNumPy) {
  if (!python_has("numpy")) GTEST_SKIP() << "needs the package python3-numpy";
  const Written written("npz", request("conv2d ic=2 oc=3 in=4x5 k=2 bias dt=f32:f16:f64 view=src seed=3"));
  const CommandResult result = written.python(R"python(
import numpy
z = numpy.load("case.npz", allow_pickle=False)
src, wei, bias, dst = (z[name] for name in ("src", "wei", "bias", "dst"))
assert (src.dtype, wei.dtype, dst.dtype) == ("<f4", "<f2", "<f8"), (src.dtype, wei.dtype, dst.dtype)
assert src.shape == (1, 2, 4, 5) and wei.shape == (3, 2, 2, 2) and bias.shape == (3,)
want = numpy.zeros((1, 3, 3, 4))
for k in range(3):
    for y in range(3):
        for x in range(4):
            want[0, k, y, x] = bias[k] + (src[0, :, y:y+2, x:x+2].astype("f8") * wei[k].astype("f8")).sum()
assert (dst == want).all() and (z["dst_exact"] == want).all() and (z["dst_bound"] == 0).all()
assert str(z["case"]).startswith("conv2d ic=2"), z["case"]
assert "note" not in z.files and "certificate" not in z.files
)python");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

/// As the format of NumPy asks, so that a file can be mapped.
TEST(NpzExport, DataOfArraysIsAligned) {
  if (!python_has("numpy")) GTEST_SKIP() << "needs the package python3-numpy";
  const Written written("npz", request("conv2d ic=2 oc=3 in=4x5 k=2 bias seed=3"));
  const CommandResult result = written.python(R"python(
import zipfile
arrays = zipfile.ZipFile("case.npz")
for name in arrays.namelist():
    begin = arrays.read(name)
    assert (10 + int.from_bytes(begin[8:10], "little")) % 64 == 0, name
)python");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(NpzExport, BfloatsAreBitsAndNamesAreText) {
  if (!python_has("numpy")) GTEST_SKIP() << "needs the package python3-numpy";
  const Written written("npz", accused("conv2d in=4 k=2 dt=bf16 beta=2 seed=3", kHostile));
  const CommandResult result = written.python(R"python(
import json, numpy
z = numpy.load("case.npz", allow_pickle=False)
wide = lambda name: (z[name].astype("<u4") << 16).view("<f4")
src, wei, old = wide("src"), wide("wei"), wide("dst_old")
want = sum(src[0, 0, y:y+3, x:x+3] * wei[0, 0, y, x] for y in range(2) for x in range(2)) + 2 * old[0, 0]
assert (z["dst_exact"][0, 0] == want).all()
assert "uint16" in str(z["note"]) and str(z["accusation"]).isprintable()
assert "end" in json.loads(str(z["certificate"]))["text"]
)python");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(NpzExport, IsTheSameFileEveryTime) {
  const exports::ExportRequest what = request("conv2d in=4 k=2");
  EXPECT_EQ(text_of("npz", what), text_of("npz", what));
}

TEST(OnnxExport, IsAValidModelWithItsData) {
  if (!python_has("onnx, numpy")) GTEST_SKIP() << "needs the package python3-onnx";
  for (const char* line : {"conv2d n=2 g=2 ic=4 oc=6 in=5x6 k=3x2 s=2x1 d=1x2 p=1:0x2:3 bias seed=4",
                           "conv1d ic=2 oc=3 in=7 k=3 dt=f16 p=same_lower",
                           "conv_transpose2d g=2 ic=4 oc=2 in=3x4 k=3 s=2 p=1:0 op=1x0 bias dt=f64",
                           "conv_transpose3d ic=2 oc=3 in=2x3x4 k=2 s=2x1x3 p=same_upper fill=normal"}) {
    const Written written("onnx", accused(line, kHostile));
    const CommandResult result = written.python(R"python(
import glob, onnx
from onnx import numpy_helper, shape_inference
model = onnx.load("model.onnx")
onnx.checker.check_model(model, full_check=True)
declared = [d.dim_value for d in model.graph.output[0].type.tensor_type.shape.dim]
model.graph.output[0].type.tensor_type.ClearField("shape")
inferred = shape_inference.infer_shapes(model, strict_mode=True).graph.output[0].type.tensor_type.shape.dim
assert [d.dim_value for d in inferred] == declared, (inferred, declared)  # ONNX' own arithmetic of padding
names = sorted(glob.glob("test_data_set_0/input_*.pb"))
assert len(names) == len(model.graph.input)
for name, value in list(zip(names, model.graph.input)) + [("test_data_set_0/output_0.pb", None)]:
    tensor = onnx.TensorProto()
    tensor.ParseFromString(open(name, "rb").read())
    array = numpy_helper.to_array(tensor)
    assert value is None or value.name == tensor.name
assert list(array.shape) == declared and array.any()
)python");
    EXPECT_EQ(result.exit_code, 0) << line << "\n" << result.err;
  }
}

TEST(OnnxExport, RefusesWhatOnnxHasNoWordsFor) {
  const std::pair<const char*, const char*> refused[] = {
      {"conv2d.backward_data in=5 k=3", "gradients"},
      {"conv2d in=5 k=3 beta=1", "beta"},
      {"conv2d in=5 k=3 relu", "ReLU"},
      {"conv2d in=5 k=3 dt=u8:s8:s32", "integers"},
      {"conv2d in=5 k=3 dt=bf16", "bf16"},
      {"conv2d in=5 k=3 dt=f16:f16:f32", "one data type"},
      {"conv2d in=5 k=3 p=0:-1", "negative padding"},
      {"conv2d in=5 k=7 => refused", "refused"},
  };
  for (const auto& [line, reason] : refused)
    EXPECT_NE(unsuited("onnx", line).find(reason), std::string::npos) << line << ": " << unsuited("onnx", line);
}

}  // namespace
}  // namespace convict::test

// SPDX-License-Identifier: Apache-2.0
//
// ONNX backend tests: models made here, hostile files, and those of Debian's libonnx-testdata.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/imports/onnx_models.h"

namespace convict::test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class Onnx : public ImportTest {
 protected:
  void put_model(const std::string& name, const onnx::ModelProto& model) const {
    put(name + "/model.onnx", model.SerializeAsString());
  }
  void put_data(const std::string& name, const onnx::TensorProto& tensor) const {
    put("test/test_data_set_0/" + name + ".pb", tensor.SerializeAsString());
  }
  imports::Imported read() const { return import_from("onnx", directory_.path()); }

  /// The one line that this model gives with these dimensions; nothing if it is none.
  std::string line_of(onnx::ModelProto model, const std::vector<int64_t>& x, const std::vector<int64_t>& w) const {
    declare(model, 0, x);
    declare(model, 1, w);
    put_model("test", model);
    const imports::Imported imported = read();
    return imported.cases.size() == 1 ? to_text(imported.cases.at(0).c) : imported.unexpressed.at(0).reason;
  }

  /// Conv of a 1x1x3 image with a kernel of 2: its correct output is 5, 8.
  void put_known(const std::vector<float>& output) const {
    put_model("test", model_of("Conv"));
    put_data("input_0", tensor({1, 1, 3}, {1, 2, 3}));
    put_data("input_1", tensor({1, 1, 2}, {1, 2}));
    put_data("output_0", tensor({1, 1, static_cast<int64_t>(output.size())}, output));
  }

  void expect_reason(const std::string& part) const {
    const imports::Imported imported = read();
    ASSERT_EQ(imported.unexpressed.size(), 1u);
    EXPECT_NE(imported.unexpressed.at(0).reason.find(part), std::string::npos) << imported.unexpressed.at(0).reason;
    EXPECT_TRUE(imported.recorded.empty());
  }
};

TEST_F(Onnx, AttributesOfConv) {
  onnx::ModelProto model = model_of("Conv");
  set_number(model, "group", 2);
  set_numbers(model, "kernel_shape", {3, 2});
  set_numbers(model, "strides", {2, 1});
  set_numbers(model, "dilations", {1, 3});
  set_numbers(model, "pads", {1, 0, 2, 4});
  EXPECT_EQ(line_of(model, {2, 4, 9, 8}, {6, 2, 3, 2}), "conv2d n=2 g=2 ic=4 oc=6 in=9x8 k=3x2 s=2x1 d=1x3 p=1:2x0:4");
}

TEST_F(Onnx, DefaultsOfConvAndABias) {
  onnx::ModelProto model = model_of("Conv", 3);
  declare(model, 2, {2});
  EXPECT_EQ(line_of(model, {1, 1, 5}, {2, 1, 3}), "conv1d oc=2 in=5 k=3 bias");
}

TEST_F(Onnx, AutomaticPadding) {
  for (const auto& [word, expected] :
       {std::pair("SAME_UPPER", "same_upper"), {"SAME_LOWER", "same_lower"}, {"VALID", "valid"}}) {
    onnx::ModelProto model = model_of("Conv");
    set_word(model, "auto_pad", word);
    EXPECT_EQ(line_of(model, {1, 1, 5}, {1, 1, 2}), std::string("conv1d in=5 k=2 p=") + expected);
  }
}

TEST_F(Onnx, AttributesOfConvTranspose) {
  onnx::ModelProto model = model_of("ConvTranspose");
  set_number(model, "group", 2);
  set_numbers(model, "strides", {2});
  set_numbers(model, "pads", {1, 0});
  set_numbers(model, "output_padding", {1});
  EXPECT_EQ(line_of(model, {1, 4, 3}, {4, 3, 2}), "conv_transpose1d g=2 ic=4 oc=6 in=3 k=2 s=2 p=1:0 op=1");
}

TEST_F(Onnx, OutputShapeOfConvTranspose) {  // full extent 2*2 + 4 = 8
  const auto with_shape = [&](int64_t extent, const char* auto_pad) {
    onnx::ModelProto model = model_of("ConvTranspose");
    set_numbers(model, "strides", {2});
    set_numbers(model, "output_shape", {extent});
    set_word(model, "auto_pad", auto_pad);
    return line_of(model, {1, 1, 3}, {1, 1, 4});
  };
  EXPECT_EQ(with_shape(8, "NOTSET"), "conv_transpose1d in=3 k=4 s=2");
  EXPECT_EQ(with_shape(5, "NOTSET"), "conv_transpose1d in=3 k=4 s=2 p=2:1");
  EXPECT_EQ(with_shape(5, "SAME_UPPER"), "conv_transpose1d in=3 k=4 s=2 p=1:2");
  EXPECT_EQ(with_shape(9, "NOTSET"), "conv_transpose1d in=3 k=4 s=2 op=1");
  EXPECT_EQ(with_shape(11, "NOTSET"), "conv_transpose1d in=3 k=4 s=2 p=0:-3");
}

TEST_F(Onnx, WhatContradictsItselfIsListed) {
  const auto with = [&](const char* name, const std::vector<int64_t>& values) {
    onnx::ModelProto model = model_of("Conv");
    set_numbers(model, name, values);
    return line_of(model, {1, 1, 5}, {1, 1, 3});
  };
  EXPECT_EQ(with("strides", {2, 2}), "malformed model: strides has 2 values for 1");
  EXPECT_EQ(with("kernel_shape", {2}), "malformed model: kernel_shape is not that of W");
  EXPECT_NE(with("strides", {0}).find("out of range"), std::string::npos);
  EXPECT_NE(with("dilations", {-1}).find("out of range"), std::string::npos);
  EXPECT_NE(with("group", {-1}).find("malformed model: X has 1 channels"), std::string::npos);
  EXPECT_NE(with("pads", {INT64_MAX, INT64_MAX}).find("malformed model: pads"), std::string::npos);
  EXPECT_NE(with("pads", {-2, -2}).find("not legal"), std::string::npos);
  EXPECT_EQ(with("activations", {1}), "attribute: 'activations'");
  EXPECT_EQ(line_of(model_of("Conv"), {1, 2, 5}, {1, 1, 3}), "malformed model: X has 2 channels, W 1");
  EXPECT_EQ(line_of(model_of("Conv"), {1, 1, 5, 5}, {1, 1, 3}), "malformed model: X has 4 dimensions, W 3");
  EXPECT_EQ(line_of(model_of("Conv"), {1, 1}, {1, 1}), "rank: 2 dimensions");
  EXPECT_EQ(line_of(model_of("Conv"), {1, 1, -5}, {1, 1, 3}), "malformed model: a dimension of -5");
  EXPECT_EQ(line_of(model_of("Conv"), {1, 1, INT64_MAX}, {1, 1, 3}),
            "malformed model: a dimension of 9223372036854775807");
}

TEST_F(Onnx, OtherModelsAreListed) {
  put_model("test", model_of("Relu", 1));
  expect_reason("operator Relu");
  put_model("test", model_of("Conv", 1));
  expect_reason("1 inputs");
  onnx::ModelProto two = model_of("Conv");
  two.mutable_graph()->add_node()->set_op_type("Relu");
  put_model("test", two);
  expect_reason("several nodes: 2");
  onnx::ModelProto foreign = model_of("Conv");
  foreign.mutable_graph()->mutable_node(0)->set_domain("com.example");
  put_model("test", foreign);
  expect_reason("of the domain com.example");
  put_model("test", model_of("Conv"));
  expect_reason("unknown shape");
  onnx::ModelProto bytes = model_of("Conv");
  declare(bytes, 0, {1, 1, 5})->set_elem_type(onnx::TensorProto::INT8);
  put_model("test", bytes);
  expect_reason("data type: INT8");
}

TEST_F(Onnx, ARecordedOutputThatIsRightAgrees) {
  put_known({5, 8});
  const imports::Imported imported = read();
  EXPECT_EQ(lines_of(imported), Lines{"conv1d in=3 k=2"});
  ASSERT_EQ(imported.recorded.size(), 1u);
  EXPECT_TRUE(imported.recorded.at(0).agrees());
  EXPECT_EQ(imported.recorded.at(0).elements, 2);
  EXPECT_EQ(imported.recorded.at(0).worst, 0);
}

TEST_F(Onnx, APlantedWrongOutputIsReported) {
  const float wrong = 8.0f + 3 * 0x1p-20f;  // the bound is 4u * 8, two units in the last place
  put_known({5, wrong});
  const imports::Imported imported = read();
  ASSERT_EQ(imported.recorded.size(), 1u);
  const imports::RecordedOutput& recorded = imported.recorded.at(0);
  EXPECT_FALSE(recorded.agrees());
  EXPECT_EQ(recorded.wrong, 1);
  ASSERT_EQ(recorded.examples.size(), 1u);
  EXPECT_EQ(recorded.examples[0].at, (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(recorded.examples[0].exact, 8);
  EXPECT_EQ(recorded.examples[0].recorded, static_cast<double>(wrong));
  EXPECT_GT(recorded.examples[0].bound, 0);
  EXPECT_LT(recorded.examples[0].bound, 2e-6);
}

TEST_F(Onnx, ARoundingWithinTheBoundAgrees) {
  put_known({5, std::nextafter(8.0f, 9.0f)});
  const imports::Imported imported = read();
  ASSERT_EQ(imported.recorded.size(), 1u);
  EXPECT_TRUE(imported.recorded.at(0).agrees());
  EXPECT_GT(imported.recorded.at(0).worst, 0);
}

TEST_F(Onnx, NotANumberIsNoRightAnswer) {
  put_known({5, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(read().recorded.at(0).wrong, 1);
}

TEST_F(Onnx, ARecordedOutputOfAnotherShapeDiffers) {
  put_known({5, 8, 0});
  const imports::Imported imported = read();
  ASSERT_EQ(imported.recorded.size(), 1u);
  EXPECT_FALSE(imported.recorded.at(0).agrees());
  EXPECT_EQ(imported.recorded.at(0).wrong_shape, "1x1x3, not 1x1x2");
}

TEST_F(Onnx, HalfPrecisionIsReadFromEitherField) {
  put_known({});
  const auto half = [](const std::vector<int64_t>& dims, const std::vector<uint16_t>& bits, bool raw) {
    onnx::TensorProto result;
    result.set_data_type(onnx::TensorProto::FLOAT16);
    for (const int64_t dim : dims) result.add_dims(dim);
    if (raw) result.set_raw_data(bits.data(), 2 * bits.size());
    for (const uint16_t one : bits)
      if (!raw) result.add_int32_data(one);
    return result;
  };
  put_data("input_0", half({1, 1, 3}, {0x3c00, 0x4000, 0x4200}, true));  // 1, 2, 3
  put_data("input_1", half({1, 1, 2}, {0x3c00, 0x4000}, false));         // 1, 2
  put_data("output_0", half({1, 1, 2}, {0x4500, 0x4800}, true));         // 5, 8
  const imports::Imported imported = read();
  EXPECT_EQ(lines_of(imported), Lines{"conv1d in=3 k=2 dt=f16"});
  EXPECT_TRUE(imported.recorded.at(0).agrees());
}

TEST_F(Onnx, DataThatContradictsItsDimensionsIsListed) {
  const auto with_input = [&](const onnx::TensorProto& input, const char* reason) {
    put_known({5, 8});
    put_data("input_0", input);
    expect_reason(reason);
  };
  with_input(tensor({1, 1, 4}, {1, 2, 3}), "4 elements by its dimensions, 3 in it");
  with_input(tensor({1, 1, -3}, {1, 2, 3}), "a dimension of -3");
  with_input(tensor({1, 1, INT64_MAX}, {1, 2, 3}), "more than 2^48 elements");
  with_input(tensor({INT64_MAX, INT64_MAX, INT64_MAX}, {1, 2, 3}), "more than 2^48 elements");
  with_input(tensor({1, 1, 1, 1, 1, 1, 3}, {1, 2, 3}), "rank: 7 dimensions");
  onnx::TensorProto cut = tensor({1, 1, 3}, {});
  cut.set_raw_data("12345678901");
  with_input(cut, "its last element is cut off");
  onnx::TensorProto external = tensor({1, 1, 3}, {});
  external.set_data_location(onnx::TensorProto::EXTERNAL);
  with_input(external, "external data");
  onnx::TensorProto unknown = tensor({1, 1, 3}, {1, 2, 3});
  unknown.set_data_type(12345);
  with_input(unknown, "data type: number 12345");
}

TEST_F(Onnx, AModelThatContradictsItsDataIsListed) {
  put_known({5, 8});
  onnx::ModelProto model = model_of("Conv");
  declare(model, 0, {1, 1, 4});
  put_model("test", model);
  expect_reason("it declares f32 1x1x4, the data has f32 1x1x3");
}

TEST_F(Onnx, TruncatedAndGarbledFilesAreListedOrStillLegal) {
  onnx::ModelProto model = model_of("Conv");
  set_numbers(model, "pads", {1, 1});
  declare(model, 0, {1, 1, 3});
  declare(model, 1, {1, 1, 2});
  const std::string whole = model.SerializeAsString();
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    put("test/model.onnx", whole.substr(0, bytes));
    const imports::Imported imported = read();
    EXPECT_EQ(imported.cases.size() + imported.unexpressed.size(), 1u) << bytes;
    std::string garbled = whole;
    garbled[bytes] = static_cast<char>(garbled[bytes] ^ 0xff);
    put("test/model.onnx", garbled);
    const imports::Imported other = read();
    EXPECT_EQ(other.cases.size() + other.unexpressed.size(), 1u) << bytes;
  }
}

TEST_F(Onnx, TruncatedDataIsListedBesideItsCase) {
  put_known({5, 8});
  put("test/test_data_set_0/output_0.pb", "\x08\x01\x08");
  const imports::Imported imported = read();
  EXPECT_EQ(imported.cases.size(), 1u);
  EXPECT_EQ(reasons_of(imported), Lines{"malformed tensor: not a TensorProto"});
}

TEST_F(Onnx, OversizedFilesAreListedUnread) {
  put_known({5, 8});
  fs::resize_file(file("test/model.onnx"), uintmax_t{1} << 40);
  expect_reason("unreadable file");
}

TEST_F(Onnx, LinksOutOfTheTreeAreNotFollowed) {
  put_known({5, 8});
  fs::create_directory(file("inner"));
  fs::create_directory_symlink(file("test"), file("inner/link"));
  fs::create_directory_symlink(file("inner"), file("inner/cycle"));
  fs::create_directory(file("inner/linked"));
  fs::create_symlink(file("test/model.onnx"), file("inner/linked/model.onnx"));
  const imports::Imported imported = import_from("onnx", file("inner"));
  EXPECT_TRUE(imported.cases.empty());
  Lines reasons = reasons_of(imported);
  std::ranges::sort(reasons);
  EXPECT_EQ(reasons, (Lines{"missing file: model.onnx is no file of this directory tree", "symbolic link: not followed",
                            "symbolic link: not followed"}));
}

TEST_F(Onnx, PipesAndDirectoriesAreNoModels) {
  fs::create_directories(file("a/model.onnx"));
  fs::create_directories(file("b"));
  ASSERT_EQ(mkfifo(file("b/model.onnx").c_str(), 0600), 0);
  EXPECT_EQ(reasons_of(read()).size(), 2u);
}

TEST_F(Onnx, DeepTreesEnd) {
  put_known({5, 8});
  const fs::path here = fs::current_path();
  fs::current_path(directory_.path());
  constexpr int kDeep = 500;  // removing thousands takes some file systems half a minute
  int depth = 0;
  while (depth < kDeep && mkdir("d", 0700) == 0 && chdir("d") == 0) ++depth;
  EXPECT_EQ(depth, kDeep);
  fs::current_path(here);
  const imports::Imported imported = read();
  EXPECT_EQ(imported.cases.size(), 1u);
  EXPECT_EQ(reasons_of(imported), Lines{"nested more than 32 deep"});
}

TEST_F(Onnx, WithoutAModelThereIsNothingToImport) {
  EXPECT_NE(error_of_import("onnx", directory_.path()).find("holds no model.onnx"), std::string::npos);
  EXPECT_NE(error_of_import("onnx", file("missing")).find("not a directory"), std::string::npos);
  EXPECT_NE(error_of_import("onnx", put("file", "")).find("not a directory"), std::string::npos);
}

TEST(OnnxTestData, EveryConvolutionIsImportedAndItsRecordedOutputAgrees) {
  const fs::path data = "/usr/share/libonnx-testdata/data";
  if (!fs::is_directory(data)) GTEST_SKIP() << "the package libonnx-testdata is not installed";
  const imports::Imported imported = import_from("onnx", data);
  EXPECT_GE(imported.cases.size(), 40u);
  EXPECT_GE(imported.recorded.size(), 45u);
  for (const imports::RecordedOutput& recorded : imported.recorded) EXPECT_TRUE(recorded.agrees()) << recorded.origin;
  for (const std::string& reason : reasons_of(imported))
    EXPECT_TRUE((reason.starts_with("operator ") && reason != "operator Conv" && reason != "operator ConvTranspose") ||
                reason.starts_with("several nodes"))
        << reason;
}

}  // namespace
}  // namespace convict::test

// SPDX-License-Identifier: Apache-2.0
#include "lab/bench/layers.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "core/error.h"
#include "tests/cli/command.h"

namespace convict {
namespace {

TEST(BenchFlops, CountTwoForEachProductInsideTheImage) {
  EXPECT_EQ(bench::flops_of(parse_case("conv1d in=3 k=3")), 6);
  EXPECT_EQ(bench::flops_of(parse_case("conv1d in=3 k=3 p=1 bias")), 14);  // two of nine taps lie in the padding
  EXPECT_EQ(bench::flops_of(parse_case("conv2d n=2 ic=3 oc=5 in=4x6 k=1x1")), 2 * 2 * 3 * 5 * 24);
  EXPECT_EQ(bench::flops_of(parse_case("conv2d n=2 g=2 ic=4 oc=6 in=1")), 2 * 2 * 2 * 2 * 3);
  EXPECT_EQ(bench::flops_of(parse_case("conv_transpose1d in=3 k=2 s=2")), 12);
  EXPECT_EQ(bench::flops_of(parse_case("conv_transpose1d in=3 k=2 s=2 p=1")), 8);
}

TEST(BenchBytes, AreThoseOfAllOperands) {
  EXPECT_EQ(bench::bytes_of(parse_case("conv1d ic=2 oc=3 in=4 k=2")), 4 * (2 * 4 + 3 * 2 * 2 + 3 * 3));
  EXPECT_EQ(bench::bytes_of(parse_case("conv1d in=4 bias dt=f64")), 8 * (4 + 1 + 4 + 1));
}

TEST(BenchFlops, AreThoseOfAllPasses) {
  for (const char* rest : {" ic=4 oc=6 in=9 k=3 s=2 p=1", " g=2 ic=4 oc=6 in=7 k=4 s=3 d=2 p=2:1"})
    for (const std::string op : {"conv2d", "conv_transpose2d"})
      for (const char* pass : {".backward_data", ".backward_weights"})
        EXPECT_EQ(bench::flops_of(parse_case(op + pass + rest)), bench::flops_of(parse_case(op + rest)))
            << op << pass << rest;
}

std::vector<CorpusEntry> entries(const std::string& text) {
  const test::TemporaryDirectory directory;
  test::write_file(directory.file("odd.cases"), text);
  return read_corpus(directory.file("odd.cases"));
}

TEST(BenchLayers, AreNamedByFileAndComment) {
  const auto layers =
      bench::layers_of(entries("# about the file\n\n# the layer\nconv1d in=3 threads=4\nconv1d in=4\n"), {});
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].set, "odd");
  EXPECT_EQ(layers[0].label, "the layer");
  EXPECT_EQ(layers[0].c.threads, 1);
  EXPECT_EQ(layers[1].label, "conv1d in=4");
}

TEST(BenchLayers, OfTheCommandLineAreGiven) {
  std::vector<CorpusEntry> entries;
  append_corpus_line("conv1d in=3", "", entries);
  EXPECT_EQ(bench::layers_of(entries, {}).front().set, "given");
}

TEST(BenchLayers, HaveThePassesAskedFor) {
  const convict_pass all[] = {CONVICT_FORWARD, CONVICT_BACKWARD_DATA, CONVICT_BACKWARD_WEIGHTS};
  const auto layers = bench::layers_of(entries("conv1d in=3 bias\n"), all);
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_TRUE(layers[0].c.bias);
  EXPECT_EQ(layers[1].c.pass, CONVICT_BACKWARD_DATA);
  EXPECT_FALSE(layers[1].c.bias);  // it would not be legal
  EXPECT_TRUE(layers[2].c.bias);
  EXPECT_EQ(bench::layers_of(entries("conv1d.backward_weights in=3\n"), {}).front().c.pass, CONVICT_BACKWARD_WEIGHTS);
}

TEST(BenchLayers, OfIntegersAndWithAReluAreForwardOnly) {
  const convict_pass all[] = {CONVICT_FORWARD, CONVICT_BACKWARD_DATA, CONVICT_BACKWARD_WEIGHTS};
  for (const char* line : {"conv1d in=3 dt=u8:s8:s32\n", "conv1d in=3 relu\n"}) {
    const auto layers = bench::layers_of(entries(line), all);
    ASSERT_EQ(layers.size(), 1u) << line;
    EXPECT_EQ(layers[0].c.pass, CONVICT_FORWARD);
  }
}

TEST(BenchLayers, LeaveOutWhatMustBeRefusedAndRefuseBeta) {
  EXPECT_EQ(bench::layers_of(entries("conv1d in=3 k=4 => refused\nconv1d in=3\n"), {}).size(), 1u);
  EXPECT_THROW(bench::layers_of(entries("conv1d in=3 beta=1\n"), {}), UsageError);
}

}  // namespace
}  // namespace convict

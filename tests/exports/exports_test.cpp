// SPDX-License-Identifier: Apache-2.0
//
// What all exports share, and the formats that need no other program to be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "exports/shared/spelling.h"
#include "tests/exports/export_bench.h"

namespace convict::test {
namespace {

using nlohmann::json;

TEST(ExportFacts, AreTheOperandsAndTheExactResult) {
  const exports::Operands operands = exports::operands_of(request("conv2d ic=2 oc=3 in=4x5 k=2 bias seed=3"));
  ASSERT_EQ(operands.inputs.size(), 3);
  const exports::NamedTensor &src = *operands.input("src"), &wei = *operands.input("wei"),
                             &bias = *operands.input("bias");
  EXPECT_EQ(operands.input("dst"), nullptr);
  const exports::RequiredTensor& dst = operands.outputs.at(0);
  ASSERT_EQ(dst.tensor.values.size(), 3 * 3 * 4);
  EXPECT_TRUE(dst.by_equality());
  for (size_t k = 0, i = 0; k < 3; ++k)
    for (size_t y = 0; y < 3; ++y)
      for (size_t x = 0; x < 4; ++x, ++i) {
        double sum = bias.values[k];
        for (size_t c = 0; c < 2; ++c)
          for (size_t r = 0; r < 4; ++r)
            sum += src.values[(c * 4 + y + r / 2) * 5 + x + r % 2] * wei.values[(k * 2 + c) * 4 + r];
        EXPECT_EQ(dst.tensor.values[i], sum);
        EXPECT_EQ(dst.exact[i], sum);
      }
}

TEST(ExportFacts, RealDataHasBoundsAndOutputsAreRoundedOnce) {
  const exports::Operands operands = exports::operands_of(request("conv2d ic=8 in=6 k=3 dt=bf16 fill=normal"));
  const exports::RequiredTensor& dst = operands.outputs.at(0);
  EXPECT_FALSE(dst.by_equality());
  for (size_t i = 0; i < dst.exact.size(); ++i) {
    EXPECT_GT(dst.bounds[i], 0);
    EXPECT_LE(std::abs(dst.tensor.values[i] - dst.exact[i]), std::abs(dst.exact[i]) * 0x1p-8);
    EXPECT_LE(std::abs(dst.tensor.values[i] - dst.exact[i]), dst.bounds[i]);  // the best of all is not accused
  }
}

TEST(ExportFacts, BetaKeepsTheOldContents) {
  const exports::Operands operands = exports::operands_of(request("conv1d.backward_weights in=4 k=2 beta=2 bias"));
  ASSERT_EQ(operands.outputs.size(), 2);
  EXPECT_EQ(operands.outputs[0].old.size(), 2);
  EXPECT_TRUE(operands.outputs[1].old.empty());
  const std::vector<double>&x = operands.input("src")->values, &y = operands.input("diff_dst")->values;
  EXPECT_EQ(operands.outputs[0].exact[0], x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + 2 * operands.outputs[0].old[0]);
  EXPECT_EQ(operands.outputs[1].exact[0], y[0] + y[1] + y[2]);
}

TEST(ExportFacts, TheCertificateDecidesTheBoundOfItsElement) {
  exports::ExportRequest what = request("conv1d in=6 k=3 fill=normal");
  const exports::Operands plain = exports::operands_of(what);
  const json at = {0, 0, 2};
  what.evidence = exports::Evidence{"s", "wrong-statistical", {{"role", "dst"}, {"at", at}, {"bound", 0.125}}};
  const exports::Operands claimed = exports::operands_of(what);
  EXPECT_EQ(claimed.outputs[0].bounds[2], 0.125);
  EXPECT_EQ(claimed.outputs[0].bounds[1], plain.outputs[0].bounds[1]);
  what.evidence->certificate = {{"role", "dst"}, {"at", at}, {"bound", 0.125}, {"bound_name", "winograd"}};
  EXPECT_EQ(exports::operands_of(what).outputs[0].bounds[2], 0.125);
  EXPECT_TRUE(std::isinf(exports::operands_of(what).outputs[0].bounds[1]));
}

TEST(ExportFacts, TheAccumulatorOfTheCertificateChoosesTheRule) {
  exports::ExportRequest what = request("conv1d in=9 k=8 dt=bf16");
  EXPECT_TRUE(exports::operands_of(what).outputs[0].by_equality());
  what.evidence = exports::Evidence{"s", "contract", {{"accumulator", "bf16"}}};
  EXPECT_FALSE(exports::operands_of(what).outputs[0].by_equality());  // partial sums are not exact in eight bits
  EXPECT_NE(exports::operands_of(what).rule.find("a bf16 accumulator"), std::string::npos);
}

TEST(ExportFacts, HostileCertificatesAreIgnored) {
  exports::ExportRequest what = request("conv1d in=6 k=3 fill=normal");
  const std::vector<double> bounds = exports::operands_of(what).outputs[0].bounds;
  for (const json& certificate :
       {json(nullptr), json::array({1}), json("text"), json{{"at", "x"}, {"bound", "y"}, {"role", 3}},
        json{{"role", "dst"}, {"at", {0, 0, "2"}}, {"bound", 1}},
        json{{"role", "dst"}, {"at", {0, 0, 9}}, {"bound", 1}}, json{{"role", "dst"}, {"at", {0, 0, 2}}, {"bound", -1}},
        json{{"accumulator", json::array()}}}) {
    what.evidence = exports::Evidence{"s", "v", certificate};
    EXPECT_EQ(exports::operands_of(what).outputs[0].bounds, bounds) << certificate;
  }
}

TEST(ExportFacts, LargeCasesAreRefusedWithTheNumber) {
  EXPECT_EQ(exports::too_large(request("conv2d ic=16 in=100 k=3").c), "");
  EXPECT_NE(exports::too_large(request("conv2d in=5000 k=3").c).find("bytes, more than 67,108,864"), std::string::npos);
  EXPECT_NE(exports::too_large(request("conv2d n=0 ic=281474976710656 in=1 ").c).find("bytes"), std::string::npos);
  EXPECT_NE(exports::too_large(request("conv2d ic=512 oc=512 in=80 k=3").c).find("multiply-adds"), std::string::npos);
  EXPECT_NE(exports::too_large(request("conv1d in=281474976710656 k=1 s=3 => refused").c).find("beyond"),
            std::string::npos);
  EXPECT_NE(unsuited("cpp", "conv1d in=2000000").find("elements"), std::string::npos);
  EXPECT_NE(unsuited("json", "conv1d in=2000000").find("elements"), std::string::npos);
  EXPECT_EQ(unsuited("npz", "conv1d in=2000000"), "");
}

TEST(ExportSpelling, NumbersAndBytes) {
  EXPECT_EQ(hex_float(1.5), "0x1.8p+0");
  EXPECT_EQ(hex_float(-0.0), "-0x0p+0");
  EXPECT_EQ(hex_float(-std::nan("")), "nan");
  EXPECT_EQ(hex_float(-HUGE_VAL), "-inf");
  const std::vector<double> values = {1, -2};
  EXPECT_EQ(exports::raw_bytes(CONVICT_F32, values), std::string("\0\0\x80\x3f\0\0\0\xc0", 8));
  EXPECT_EQ(exports::raw_bytes(CONVICT_BF16, values), std::string("\x80\x3f\0\xc0", 4));
  EXPECT_EQ(exports::raw_bytes(CONVICT_F16, values), std::string("\0\x3c\0\xc0", 4));
  // RFC 4648, section 10.
  const std::pair<const char*, const char*> known[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : known) EXPECT_EQ(exports::base64(plain), coded);
}

TEST(ExportSpelling, ForeignTextStaysText) {
  EXPECT_EQ(exports::string_literal("a\"b\\c\nd\x1b"
                                    "1?"),
            R"("a\"b\\c\nd\0331\077")");
  for (const std::string& text : {exports::string_literal(kHostile), exports::comment_text(kHostile)})
    for (const char c : text) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
  EXPECT_EQ(exports::comment_text("end\\"), "end/");
  EXPECT_EQ(exports::comment_text("*/\nint"), "*/.int");  // only in comments that end with the line
}

TEST(BenchdnnExport, SaysTheProblemInItsOwnGrammar) {
  const std::string conv =
      text_of("benchdnn", request("conv2d n=3 g=2 ic=4 oc=6 in=7x9 k=3x2 s=2x1 d=2x1 p=1:2x0 bias dt=bf16:bf16:f32 "
                                  "lay=nhwc:hwio:nchw threads=2 seed=5"));
  // out = floor((7 + 3 - 5) / 2) + 1 = 3 and 9 - 2 + 1 = 8; dilation counts from 0, weights are [g][o][i][h][w].
  const std::string problem =
      " --stag=axb --wtag=decab --dtag=abx g2mb3_ic4oc6_ih7oh3kh3sh2dh1ph1_iw9ow8kw2sw1dw0pw0\n";
  EXPECT_NE(conv.find("\nOMP_NUM_THREADS=2 ./benchdnn --conv --dir=FWD_B --cfg=bf16bf16f32" + problem), conv.npos);
  EXPECT_NE(conv.find("\nOMP_NUM_THREADS=2 ./benchdnn --conv --dir=FWD_B --dt=bf16:bf16:f32" + problem), conv.npos);
  EXPECT_NE(conv.find("Not said: the data"), conv.npos);

  const std::string deconv = text_of(
      "benchdnn", request("conv_transpose1d.backward_weights ic=2 oc=3 in=4 k=3 s=2 op=1 bias dt=f64 view=src"));
  EXPECT_NE(deconv.find("--deconv --dir=BWD_WB --dt=f64:f64:f64 --stag=abx --wtag=bac --dtag=abx "
                        "mb1_ic2oc3_iw4ow10kw3sw2dw0pw0\n"),
            deconv.npos)
      << deconv;
  EXPECT_NE(deconv.find("2.x has no word"), deconv.npos);
  EXPECT_NE(deconv.find("Not said: views"), deconv.npos);
  const auto of_variant = [](const char* suspect) {
    exports::ExportRequest accusation = request("conv2d in=3 k=2 lay=nchw:hwio:nhwc");
    accusation.evidence = {suspect, "wrong-exact"};
    return text_of("benchdnn", accusation);
  };
  EXPECT_NE(of_variant("onednn").find(" --stag=abx --wtag=cdba --dtag=axb "), std::string::npos);
  EXPECT_NE(of_variant("onednn:any").find(" --stag=any --wtag=any --dtag=any "), std::string::npos);
  EXPECT_NE(of_variant("onednn:channels_first").find(" --stag=abx --wtag=any --dtag=abx "), std::string::npos);
  EXPECT_NE(of_variant("onednn:channels_last").find(" --stag=axb --wtag=any --dtag=axb "), std::string::npos);
  EXPECT_NE(text_of("benchdnn", request("conv2d in=3 k=2 beta=0.5")).find(" --attr-post-ops=sum:0.5 "),
            std::string::npos);
  const std::string integers = text_of("benchdnn", request("conv2d in=3 k=2 beta=1 relu dt=u8:s8:s8 zp=3:-5"));
  const std::string attributes = " --attr-zero-points=src:common:3+dst:common:-5 --attr-post-ops=sum:1+relu mb1";
  EXPECT_NE(integers.find("--dir=FWD_D --cfg=u8s8s8 --stag=abx --wtag=abcd --dtag=abx" + attributes), std::string::npos)
      << integers;
  EXPECT_NE(integers.find("--dir=FWD_D --dt=u8:s8:s8 --stag=abx --wtag=abcd --dtag=abx" + attributes),
            std::string::npos);
}

TEST(BenchdnnExport, RefusesWhatItHasNoWordsFor) {
  for (const char* line :
       {"conv2d n=0 in=5 k=3", "conv2d ic=0 in=5", "conv1d in=0 k=1 p=1", "conv2d in=5 p=-1:0",
        "conv2d in=5 k=7 => refused", "conv2d.backward_data in=5 k=3 beta=1", "conv2d in=3 dt=s8 scale=tensor"})
    EXPECT_NE(unsuited("benchdnn", line), "") << line;
  EXPECT_EQ(unsuited("benchdnn", "conv2d in=5 p=0:-1"), "");
}

TEST(BenchdnnExport, HostileNamesStayInTheComment) {
  const std::string text = text_of("benchdnn", accused("conv2d in=5 k=3", kHostile));
  for (const std::string_view line : split(text, '\n'))
    EXPECT_TRUE(line.empty() || line.starts_with("# ") || line.starts_with("OMP_NUM_THREADS=1 ./benchdnn ")) << line;
}

TEST(JsonExport, HasEverythingToTheBit) {
  const json document = json::parse(text_of("json", request("conv2d in=4x5 k=2 dt=bf16 view=src fill=normal seed=2")));
  EXPECT_EQ(document["case"], "conv2d in=4x5 k=2x2 dt=bf16 view=src fill=normal seed=2");
  EXPECT_EQ(document["problem"]["out"], json({3, 4}));
  const json &src = document["inputs"]["src"], &dst = document["outputs"]["dst"];
  EXPECT_EQ(src["dims"], json({1, 1, 4, 5}));
  EXPECT_EQ(src["data"].size(), 20);
  EXPECT_GT(src["offset"].get<int64_t>(), 0);
  EXPECT_EQ(dst["exact"].size(), 12);
  EXPECT_EQ(dst["bounds"].size(), 12);
  EXPECT_TRUE(src["data"][0].get<std::string>().find("0x1") != std::string::npos);
}

TEST(JsonExport, SaysWhyAProblemMustBeRefusedAndSurvivesHostileNames) {
  const json refused = json::parse(text_of("json", request("conv2d in=3 k=4 => refused")));
  EXPECT_EQ(refused["must_be_refused"], true);
  EXPECT_EQ(refused["why"]["field"], "p");
  EXPECT_FALSE(refused.contains("outputs"));
  const std::string text = text_of("json", accused("conv2d in=5 k=3", kHostile));
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); }));
  EXPECT_NE(json::parse(text)["mismatch"]["suspect"].get<std::string>().find("end\\"), std::string::npos);
}

}  // namespace
}  // namespace convict::test

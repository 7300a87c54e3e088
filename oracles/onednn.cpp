// SPDX-License-Identifier: Apache-2.0
//
// oneDNN's convolution and deconvolution primitives (2.6 and later, 3.x) behind the C ABI; its parts are in onednn/.
//
// `onednn` describes our strided tensors as they are, and copies nothing. The other variants let the library choose the
// layouts, or give one of two orders, for which it runs other code; they reorder the tensors before and after. The
// library decides which of its implementations runs. `unsupported` covers only problems that its descriptors can never
// express; `run` returns everything else it declines as a refusal with the library's status. It computes what it
// accepts, right or wrong.
#include <oneapi/dnnl/dnnl_debug.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

#include "abi/convict.h"
#include "abi/validity.h"
#include "oracles/onednn/attributes.h"
#include "oracles/onednn/choice.h"
#include "oracles/onednn/computation.h"
#include "oracles/onednn/primitive.h"

namespace convict::onednn {
namespace {

/// Primitives that the library keeps. Campaigns hardly ever repeat a geometry, so a larger cache would only hold
/// memory; a computation with all its reorders has five.
constexpr int kPrimitiveCache = 16;

/// `self` of every implementation here.
struct Variant : convict_implementation {
  Layouts layouts;
};

/// Runs a step. On failure, puts a line about it into `error`.
template <class Step>
convict_status guarded(const Step& step, char* error, size_t error_size) {
  try {
    const Outcome result = step();
    if (result.status != CONVICT_OK)
      std::snprintf(error, error_size, "oneDNN %s (%s)", result.what, dnnl_status2str(result.library));
    return result.status;
  } catch (const std::bad_alloc&) {
    std::snprintf(error, error_size, "out of memory");
    return CONVICT_OUT_OF_MEMORY;
  } catch (const dnnl::error& e) {  // from the header's descriptors and memory objects; the rest reports by status
    std::snprintf(error, error_size, "oneDNN cannot describe the tensors (%s)", dnnl_status2str(e.status));
    return e.status == dnnl_out_of_memory ? CONVICT_OUT_OF_MEMORY : CONVICT_REFUSED;
  }
}

/// The choice made when this thread was last asked for the size of a workspace; `run` takes it.
Choice& last_choice() {
  thread_local Choice last;
  return last;
}

size_t workspace_size(const convict_implementation* self, const convict_problem* problem,
                      const convict_tensors* tensors) {
  if (tensors->scale.ndim != 0) return 0;  // version 2 reads its values when it chooses; they are not here yet
  use_threads(problem->threads);
  const auto choose = [&]() -> Outcome {
    last_choice() = Choice(*problem, *tensors, static_cast<const Variant*>(self)->layouts);
    return {};
  };
  char unread[200];  // `run` has the same error
  return guarded(choose, unread, sizeof unread) == CONVICT_OK ? last_choice().scratchpad() : 0;
}

convict_status run(const convict_implementation* self, const convict_problem* problem, const convict_tensors* tensors,
                   char* error, size_t error_size) {
  const auto all_steps = [&] {
    Computation one;
    const Choice choice = std::exchange(last_choice(), {});
    Outcome result = one.prepare(*problem, *tensors, static_cast<const Variant*>(self)->layouts, choice);
    if (result.status == CONVICT_OK) result = one.execute();
    return result.status == CONVICT_OK ? one.finish() : result;
  };
  return guarded(all_steps, error, error_size);
}

void* prepare(const convict_implementation* self, const convict_problem* problem, const convict_tensors* tensors,
              char* error, size_t error_size) {
  std::unique_ptr<Computation> one;
  const auto step = [&]() -> Outcome {
    if (problem->beta != 0)
      return {CONVICT_REFUSED, "accumulates in place, which cannot be repeated", dnnl_unimplemented};
    one = std::make_unique<Computation>();
    return one->prepare(*problem, *tensors, static_cast<const Variant*>(self)->layouts);
  };
  return guarded(step, error, error_size) == CONVICT_OK ? one.release() : nullptr;
}

convict_status execute(void* prepared, char* error, size_t error_size) {
  return guarded([&] { return static_cast<Computation*>(prepared)->execute(); }, error, error_size);
}

convict_status finish(void* prepared) {
  const std::unique_ptr<Computation> one(static_cast<Computation*>(prepared));
  char unread[200];
  return guarded([&] { return one->finish(); }, unread, sizeof unread);
}

convict_status reshape(const convict_implementation* self, void* prepared, const convict_problem* problem,
                       const convict_tensors* tensors, char* error, size_t error_size) {
  const Layouts layouts = static_cast<const Variant*>(self)->layouts;
  return guarded([&] { return static_cast<Computation*>(prepared)->reshape(*problem, *tensors, layouts); }, error,
                 error_size);
}

constexpr convict_steps kSteps = {prepare, execute, finish};

const char* unsupported(const convict_implementation*, const convict_problem* p, const convict_tensors* t) {
  for (const convict_tensor* tensor :
       {&t->src, &t->wei, &t->bias, &t->dst, &t->diff_src, &t->diff_wei, &t->diff_bias, &t->diff_dst})
    if (tensor->ndim != 0 && tensor->dtype == CONVICT_F64) return "oneDNN computes no f64 on the CPU";
  if (invalid(*p)) return "not a legal problem";                // oneDNN knows no output padding that it could check
  for (const convict_tensor* bias : {&t->bias, &t->diff_bias})  // its guide knows them in format x only, i.e. dense
    if (bias->ndim != 0 && bias->strides[0] != 1) return "oneDNN wants a dense bias";
  if (p->ic == 0 || p->oc == 0) return "oneDNN wants at least one channel";
  const Geometry g = geometry_of(*p);
  for (int i = 0; i < p->rank; ++i) {
    if (g.padding_l[i] < 0) return "oneDNN has no negative padding at the begin";
    if (g.padding_r[i] <= -g.strides[i]) return "oneDNN needs pad_end - output_padding > -stride";
  }
  return inexpressible(*p, *t);
}

const char* version() {
  static char text[32];
  const dnnl_version_t* v = dnnl_version();
  std::snprintf(text, sizeof text, "%d.%d.%d", v->major, v->minor, v->patch);
  return text;
}

constexpr convict_contract kContract = {CONVICT_DIRECT,           CONVICT_F32,
                                        /*winograd_m=*/0,         /*winograd_r=*/0,
                                        /*flushes_subnormals=*/0, /*deterministic=*/1,
                                        CONVICT_FIXED_ORDER,      /*sum_block=*/0,
                                        /*accumulates=*/1,        /*fuses_relu=*/1};

constexpr Variant variant(const char* name, const char* description, Layouts layouts) {
  return {{name, description, "onednn", kContract, unsupported, run, nullptr, nullptr, &kSteps}, layouts};
}
constexpr Variant kPlain =
    variant("onednn", "oneDNN, the implementation it chooses for plain layouts", Layouts::kAsGiven);
constexpr Variant kAny = variant("onednn:any", "oneDNN, in the layouts it chooses, reordered", Layouts::kAny);
constexpr Variant kChannelsFirst = variant(
    "onednn:channels_first", "oneDNN, src and dst channels first, weights as it chooses", Layouts::kChannelsFirst);
constexpr Variant kChannelsLast =
    variant("onednn:channels_last", "oneDNN, src and dst channels last, weights as it chooses", Layouts::kChannelsLast);
constexpr const convict_implementation* kImplementations[] = {&kPlain, &kAny, &kChannelsFirst, &kChannelsLast};

}  // namespace
}  // namespace convict::onednn

/// Its documents allow primitives on several threads, where each has a stream and a scratchpad, as here.
extern "C" const convict_abilities* convict_abilities_v1(const convict_implementation*) {
  using namespace convict::onednn;
  static constexpr convict_abilities kAbilities = {0, workspace_size, nullptr, /*concurrent=*/1, reshape};
  return &kAbilities;
}

extern "C" const convict_plugin* convict_plugin_v1(void) {
  using namespace convict::onednn;
  if (dnnl_set_primitive_cache_capacity(kPrimitiveCache) != dnnl_success) return nullptr;
  dnnl_set_jit_profiling_flags(0);  // otherwise each kernel it generates is described to VTune, attached or not
  static const convict_plugin plugin = {CONVICT_ABI_VERSION, version(), std::size(kImplementations), kImplementations};
  return &plugin;
}

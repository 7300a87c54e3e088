// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace convict::inline core {

/// How results are judged: by the whole ladder, or as other tools do it, for comparison.
enum class Yardstick {
  kLadder,
  kIntegers,     // integer data and equality only
  kAssertClose,  // the default tolerances of torch.testing.assert_close, by data type
  kLoose         // 1e-2 of the value plus 1e-3
};

}  // namespace convict::inline core

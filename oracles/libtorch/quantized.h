// SPDX-License-Identifier: Apache-2.0
//
// LibTorch's quantized convolutions, on the engine QNNPACK: u8 by s8 into u8.
#pragma once

#include "abi/convict.h"

namespace convict::libtorch {

extern const convict_implementation kQnnpack;  // "libtorch:qnnpack"

}  // namespace convict::libtorch

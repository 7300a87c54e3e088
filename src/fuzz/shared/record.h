// SPDX-License-Identifier: Apache-2.0
//
// A case as bytes, for engines that mutate bytes: a fixed layout, versioned, derived from the field table.
//
//     offset 0   'c' 'v' version                             kRecordVersion
//            3   op | pass << 2 | rank << 4                   one byte
//            4   the slots of core/fields.h in their order, each as its distance from the default: a little-endian
//                number (three for a slot that is per axis, whatever the rank) of 4 bytes, or of 8 where the largest
//                value does not fit 4
//
// A record may end anywhere: what is missing is the default, so shorter records are simpler cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"

namespace convict::fuzz {

/// To be raised whenever record_layout() changes: old corpora would be read as other cases.
inline constexpr uint8_t kRecordVersion = 2;

/// Names, widths and order of what a record holds, in one line.
std::string record_layout();

/// Bytes of a complete record.
size_t record_size();

/// Without the defaults at its end. A case whose numbers are within reach of repair() comes back the same.
std::vector<uint8_t> encode(const Case& c);

/// A legal, affordable case for any bytes (repair.h). What is no record of this version stands for a case that the
/// generator draws, with the bytes as its seed.
Case decode(std::span<const uint8_t> bytes);

}  // namespace convict::fuzz

// SPDX-License-Identifier: Apache-2.0
//
// A case as bytes, for engines that mutate bytes: a fixed layout, versioned, derived from the field table.
//
//     offset 0   'c' 'v' version                             kRecordVersion
//            3   op | pass << 2 | rank << 4                   one byte
//            4   the slots of core/fields.h in their order, each as its distance from the default: a little-endian
//                number (three for a slot that is per axis, whatever the rank) of 4 bytes, or of 8 where the largest
//                value does not fit 4; without those of earlier problems
//            *   the changes of the earlier problems (core/earlier.h), two of each: field and axis of one byte each,
//                and the distance from the value of the case, or from the number of its word, in 4 bytes
//
// A record may end anywhere: missing fields have their defaults, so shorter records are simpler cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"

namespace convict::fuzz {

/// Raise it whenever record_layout() changes: old corpora would be read as other cases.
inline constexpr uint8_t kRecordVersion = 6;

/// Names, widths and order of the parts of a record, in one line.
std::string record_layout();

/// Bytes of a complete record.
size_t record_size();

/// Omits the defaults at the end of the record. decode() restores a case that repair() leaves unchanged.
std::vector<uint8_t> encode(const Case& c);

/// Returns a legal, affordable case for any bytes (repair.h). Bytes that are no record of this version are the seed of
/// a case that the generator draws.
Case decode(std::span<const uint8_t> bytes);

}  // namespace convict::fuzz

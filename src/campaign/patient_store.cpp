// SPDX-License-Identifier: Apache-2.0
#include "campaign/patient_store.h"

#include <fmt/format.h>

#include <utility>

#include "core/text.h"
#include "store/trouble.h"

namespace convict::campaign {

constexpr auto kPatience = std::chrono::seconds(1);  // before the lock is reported, and between tries

void PatientStore::tell() {
  if (!std::exchange(has_told_, true))
    tell_(fmt::format("database '{}' is locked by another process; what is found waits for its end",
                      printable(path_, 200)));
}

bool PatientStore::tried(const std::function<void()>& action) {
  if (std::chrono::steady_clock::now() < try_again_) return false;
  try {
    action();
    return true;
  } catch (const store::Locked&) {
    tell();
    try_again_ = std::chrono::steady_clock::now() + kPatience;
    return false;
  }
}

void PatientStore::insist(const std::function<void()>& action) {
  for (;;) try {
      return action();
    } catch (const store::Locked&) {
      if (interrupted_ && *interrupted_) throw;
      tell();
    }
}

void PatientStore::open() {
  insist([this] { store_ = store::Store::open(path_, kPatience); });
}

}  // namespace convict::campaign

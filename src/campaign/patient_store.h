// SPDX-License-Identifier: Apache-2.0
//
// The database of a campaign, which another process may have locked for as long as it likes: a vacuum, a large merge.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "store/store.h"

namespace convict::campaign {

class PatientStore {
 public:
  /// `tell` is called once, with a note that the database is locked. `interrupted` is borrowed, and may be nullptr.
  PatientStore(std::string path, const std::atomic<bool>* interrupted, std::function<void(const std::string&)> tell)
      : path_(std::move(path)), interrupted_(interrupted), tell_(std::move(tell)) {}

  /// As Store::open().
  void open();
  explicit operator bool() const { return store_.has_value(); }
  store::Store& operator*() { return *store_; }
  const store::Store& operator*() const { return *store_; }
  store::Store* operator->() { return &*store_; }

  /// Runs what uses the database. Returns false if another process has it locked, and for a second from then on.
  bool tried(const std::function<void()>& action);

  /// Runs it as soon as no other process has it locked. Throws store::Locked if the user interrupts that.
  void insist(const std::function<void()>& action);

 private:
  void tell();

  std::string path_;
  const std::atomic<bool>* interrupted_;
  std::function<void(const std::string&)> tell_;
  std::optional<store::Store> store_;
  std::chrono::steady_clock::time_point try_again_;
  bool has_told_ = false;
};

}  // namespace convict::campaign

// SPDX-License-Identifier: Apache-2.0
#include "run/seal.h"

#include <sodium.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

namespace convict::run {
namespace {

constexpr size_t kSealBytes = 16;                   // of a BLAKE2b code: crypto_generichash_BYTES_MIN
constexpr size_t kSealLength = 2 * kSealBytes + 1;  // in a line: hexadecimal digits and a blank

void start_library() {
  if (sodium_init() < 0) throw std::system_error(ENOSYS, std::generic_category(), "libsodium cannot start");
}

}  // namespace

SealKey random_key() {
  start_library();
  SealKey key;
  randombytes_buf(key.data(), key.size());
  return key;
}

void Seal::Free::operator()(unsigned char* memory) const { sodium_free(memory); }

Seal::Seal(SealKey& key) {
  start_library();
  key_.reset(static_cast<unsigned char*>(sodium_malloc(kSealKeyBytes)));
  if (!key_) throw std::bad_alloc();
  std::memcpy(key_.get(), key.data(), kSealKeyBytes);
  sodium_memzero(key.data(), key.size());
  sodium_mprotect_noaccess(key_.get());
}

std::string Seal::seal_of(std::string_view line) {
  const auto* text = reinterpret_cast<const unsigned char*>(line.data());
  unsigned char number[sizeof count_];
  std::memcpy(number, &count_, sizeof count_);
  ++count_;
  crypto_generichash_state state;
  unsigned char code[kSealBytes];
  sodium_mprotect_readonly(key_.get());
  crypto_generichash_init(&state, key_.get(), kSealKeyBytes, kSealBytes);
  sodium_mprotect_noaccess(key_.get());
  crypto_generichash_update(&state, number, sizeof number);
  crypto_generichash_update(&state, text, line.size());
  crypto_generichash_final(&state, code, kSealBytes);
  sodium_memzero(&state, sizeof state);
  char digits[2 * kSealBytes + 1];
  return sodium_bin2hex(digits, sizeof digits, code, kSealBytes);
}

std::string Seal::sealed(std::string_view line) { return seal_of(line) + ' ' + std::string(line); }

std::optional<std::string> Seal::opened(std::string_view sealed_line) {
  if (sealed_line.size() < kSealLength) return std::nullopt;
  const std::string_view line = sealed_line.substr(kSealLength);
  const std::string expected = seal_of(line) + ' ';
  if (sodium_memcmp(expected.data(), sealed_line.data(), kSealLength) != 0) return std::nullopt;
  return std::string(line);
}

}  // namespace convict::run

// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gemm.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace convict::kernels {
namespace {

/// A dense matrix of small integers, so that sums are exact in any order; stored by rows or by columns.
template <class T>
struct Owned {
  int64_t rows, columns;
  bool by_rows;
  std::vector<T> elements;

  Owned(int64_t rows, int64_t columns, bool by_rows, uint32_t seed)
      : rows(rows), columns(columns), by_rows(by_rows), elements(rows * columns) {
    for (T& element : elements) {
      seed = seed * 1664525u + 1013904223u;
      element = static_cast<T>(static_cast<int>(seed >> 24) % 7 - 3);
    }
  }
  gemm::Matrix<T> view() {
    return by_rows ? gemm::Matrix<T>{elements.data(), columns, 1} : gemm::Matrix<T>{elements.data(), 1, rows};
  }
};

/// gemm(), with panels in memory of its own.
template <class T>
void multiply(int64_t m, int64_t n, int64_t k, gemm::Matrix<T> a, gemm::Matrix<T> b, gemm::Matrix<T> c) {
  work::Workspace workspace;
  gemm::take_panels<T>(m, n, k, workspace);
  workspace.allocate(nullptr);
  gemm::gemm(m, n, k, a, b, c, gemm::take_panels<T>(m, n, k, workspace));
}

/// The definition: C[i][j] + sum over p of A[i][p] * B[p][j].
template <class T>
T expected_element(const gemm::Matrix<T>& a, const gemm::Matrix<T>& b, T before, int64_t i, int64_t j, int64_t k) {
  for (int64_t p = 0; p < k; ++p) before += a.at(i, p) * b.at(p, j);
  return before;
}

/// Multiplies matrices of these sizes, each stored by rows or by columns, and checks every element of C.
template <class T>
void expect_product(int64_t m, int64_t n, int64_t k, bool a_by_rows = true, bool b_by_rows = true,
                    bool c_by_rows = true) {
  SCOPED_TRACE(testing::Message() << "m=" << m << " n=" << n << " k=" << k << " by rows: A " << a_by_rows << " B "
                                  << b_by_rows << " C " << c_by_rows);
  Owned<T> a(m, k, a_by_rows, 1), b(k, n, b_by_rows, 2), c(m, n, c_by_rows, 3);
  Owned<T> before = c;
  multiply(m, n, k, a.view(), b.view(), c.view());
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      ASSERT_EQ(c.view().at(i, j), expected_element(a.view(), b.view(), before.view().at(i, j), i, j, k))
          << "at " << i << ", " << j;
}

TEST(Gemm, AgreesWithTheTripleLoopOnSmallSizesIncludingZero) {
  for (const int64_t m : {0, 1, 2, 3, 4, 5, 7, 13})
    for (const int64_t n : {0, 1, 2, 3, 4, 5, 8, 9, 17})
      for (const int64_t k : {0, 1, 2, 3, 4, 5, 30}) {
        expect_product<float>(m, n, k);
        expect_product<double>(m, n, k);
      }
}

TEST(Gemm, AgreesWithTheTripleLoopAtTheEdgesOfRegisterTiles) {
  for (const int64_t m : {15, 16, 17})
    for (const int64_t n : {23, 24, 25, 31, 32, 33})
      for (const int64_t k : {19, 20}) {
        expect_product<float>(m, n, k);
        expect_product<double>(m, n, k);
      }
}

TEST(Gemm, AgreesWithTheTripleLoopAtTheEdgesOfCacheBlocks) {
  for (const int64_t beyond : {-1, 0, 1}) {
    expect_product<float>(gemm::detail::kBlockM + beyond, 20, 20);
    expect_product<float>(20, gemm::detail::kBlockN + beyond, 20);
    expect_product<float>(20, 20, gemm::detail::kBlockK + beyond);
    expect_product<double>(gemm::detail::kBlockM + beyond, gemm::detail::kBlockN - beyond,
                           gemm::detail::kBlockK + beyond);
  }
  expect_product<double>(2 * gemm::detail::kBlockM + 3, gemm::detail::kBlockN + 5, 2 * gemm::detail::kBlockK + 1);
}

TEST(Gemm, TakesTransposesAsStrides) {
  for (int storage = 0; storage < 8; ++storage) {
    const bool a = storage & 1, b = storage & 2, c = storage & 4;
    for (const int64_t size : {1, 3, 6, 21}) {
      expect_product<float>(size, size + 1, size + 2, a, b, c);
      expect_product<double>(size + 2, size, size + 1, a, b, c);
    }
    expect_product<float>(70, 530, 260, a, b, c);
  }
}

TEST(Gemm, AccumulatesOverRepeatedCalls) {
  for (const int64_t size : {2, 40}) {
    Owned<double> a(size, size, true, 1), b(size, size, true, 2), once(size, size, true, 3);
    once.elements.assign(once.elements.size(), 0);
    Owned<double> twice = once;
    multiply(size, size, size, a.view(), b.view(), once.view());
    multiply(size, size, size, a.view(), b.view(), twice.view());
    multiply(size, size, size, a.view(), b.view(), twice.view());
    for (size_t i = 0; i < once.elements.size(); ++i) ASSERT_EQ(twice.elements[i], 2 * once.elements[i]);
  }
}

TEST(Gemm, LeavesCAloneWithoutProducts) {
  Owned<float> c(3, 5, true, 1);
  const std::vector<float> before = c.elements;
  multiply<float>(3, 5, 0, {}, {}, c.view());
  EXPECT_EQ(c.elements, before);
}

TEST(Gemm, WritesOnlyTheElementsOfAStridedC) {
  const int64_t m = 19, n = 21, k = 23, row = 50, column = 2;  // every second element of rows that are too long
  Owned<float> a(m, k, true, 1), b(k, n, true, 2);
  std::vector<float> c(m * row, 1000.0f);
  multiply(m, n, k, a.view(), b.view(), {c.data(), row, column});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t at = 0; at < row; ++at) {
      const bool inside = at % column == 0 && at / column < n;
      const float expected = inside ? expected_element(a.view(), b.view(), 1000.0f, i, at / column, k) : 1000.0f;
      ASSERT_EQ(c[i * row + at], expected) << "row " << i << ", offset " << at;
    }
}

TEST(Gemm, PaddingOfTilesDoesNotLetNotANumbersLeak) {
  const int64_t m = 17, n = 18, k = 19;
  Owned<float> a(m, k, true, 1), b(k, n, true, 2), c(m, n, true, 3);
  a.view().at(m - 1, 0) = std::numeric_limits<float>::infinity();
  b.view().at(0, n - 1) = std::numeric_limits<float>::quiet_NaN();
  Owned<float> before = c;
  multiply(m, n, k, a.view(), b.view(), c.view());
  for (int64_t i = 0; i < m - 1; ++i)
    for (int64_t j = 0; j < n - 1; ++j)
      ASSERT_EQ(c.view().at(i, j), expected_element(a.view(), b.view(), before.view().at(i, j), i, j, k));
}

}  // namespace
}  // namespace convict::kernels

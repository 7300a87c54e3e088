// SPDX-License-Identifier: Apache-2.0
// MLIR 22: affine-loop-fusion moves the loop that fills %padded with zeros behind the copy into %padded, as it does not
// see that the copy writes it. %result is [0, 0] instead of [0, 1].
//     mlir-opt-22 FILE -pass-pipeline='builtin.module(PASSES)' | mlir-runner-22 -e main -entry-point-result=i32
// PASSES: func.func(affine-loop-fusion),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts
// MUST PRINT: 1
memref.global "private" constant @image : memref<1xi32> = dense<1>
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %image = memref.get_global @image : memref<1xi32>
  %padded = memref.alloc() : memref<2xi32>
  %result = memref.alloc() : memref<2xi32>
  affine.for %i = 0 to 2 {
    affine.store %zero, %padded[%i] : memref<2xi32>
  }
  %inside = memref.subview %padded[1] [1] [1] : memref<2xi32> to memref<1xi32, strided<[1], offset: 1>>
  memref.copy %image, %inside : memref<1xi32> to memref<1xi32, strided<[1], offset: 1>>
  affine.for %i = 0 to 2 {
    %v = affine.load %padded[%i] : memref<2xi32>
    affine.store %v, %result[%i] : memref<2xi32>
  }
  %last = affine.load %result[1] : memref<2xi32>
  return %last : i32
}

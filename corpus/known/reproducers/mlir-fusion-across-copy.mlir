// SPDX-License-Identifier: Apache-2.0
//
// MLIR 22: affine-loop-fusion moves the loop that fills %padded with zeros behind the copy into %padded, because it does
// not see that the copy writes it. Its result is [0, 0, 0, 0]
// instead of [0, 1, 2, 0].
//     mlir-opt-22 FILE -pass-pipeline='builtin.module(PASSES)' | mlir-runner-22 -e main -entry-point-result=i32
// PASSES: func.func(affine-loop-fusion),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts
// MUST PRINT: 3
func.func @pad(%image: memref<2xf32>, %result: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %padded = memref.alloc() : memref<4xf32>
  affine.for %i = 0 to 4 {
    affine.store %zero, %padded[%i] : memref<4xf32>
  }
  %inside = memref.subview %padded[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  memref.copy %image, %inside : memref<2xf32> to memref<2xf32, strided<[1], offset: 1>>
  affine.for %i = 0 to 4 {
    %v = affine.load %padded[%i] : memref<4xf32>
    affine.store %v, %result[%i] : memref<4xf32>
  }
  return
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %image = memref.alloc() : memref<2xf32>
  %result = memref.alloc() : memref<4xf32>
  memref.store %one, %image[%c0] : memref<2xf32>
  memref.store %two, %image[%c1] : memref<2xf32>
  call @pad(%image, %result) : (memref<2xf32>, memref<4xf32>) -> ()
  %a = memref.load %result[%c1] : memref<4xf32>
  %b = memref.load %result[%c2] : memref<4xf32>
  %sum = arith.addf %a, %b : f32
  %number = arith.fptosi %sum : f32 to i32
  return %number : i32
}

// SPDX-License-Identifier: Apache-2.0
//
// MLIR 22: affine-loop-fusion puts the loops that start all sums with the bias into the loop over the images, so that
// the sums of the first image are started anew before those of the second are computed. Here, all numbers are 1: each
// sum is 1 + 1 + 1.
//     mlir-opt-22 FILE -pass-pipeline='builtin.module(PASSES)' | mlir-runner-22 -e main -entry-point-result=i32
// PASSES: convert-linalg-to-loops,func.func(affine-loop-fusion),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts
// MUST PRINT: 3
func.func @convolve(%image: memref<2x4x1xf32>, %weights: memref<2x1x1xf32>, %bias: memref<1xf32>) -> memref<2x3x1xf32> {
  %sums = memref.alloc() : memref<2x3x1xf32>
  affine.for %n = 0 to 2 {
    affine.for %o = 0 to 3 {
      affine.for %k = 0 to 1 {
        %b = affine.load %bias[%k] : memref<1xf32>
        affine.store %b, %sums[%n, %o, %k] : memref<2x3x1xf32>
      }
    }
  }
  affine.for %n = 0 to 2 {
    affine.for %o = 0 to 3 {
      affine.for %k = 0 to 1 {
        affine.for %tap = 0 to 2 {
          affine.for %c = 0 to 1 {
            %x = affine.load %image[%n, %o + %tap, %c] : memref<2x4x1xf32>
            %w = affine.load %weights[%tap, %c, %k] : memref<2x1x1xf32>
            %sum = affine.load %sums[%n, %o, %k] : memref<2x3x1xf32>
            %product = arith.mulf %x, %w : f32
            %more = arith.addf %sum, %product : f32
            affine.store %more, %sums[%n, %o, %k] : memref<2x3x1xf32>
          }
        }
      }
    }
  }
  return %sums : memref<2x3x1xf32>
}

func.func @main() -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %image = memref.alloc() : memref<2x4x1xf32>
  %weights = memref.alloc() : memref<2x1x1xf32>
  %bias = memref.alloc() : memref<1xf32>
  linalg.fill ins(%one : f32) outs(%image : memref<2x4x1xf32>)
  linalg.fill ins(%one : f32) outs(%weights : memref<2x1x1xf32>)
  linalg.fill ins(%one : f32) outs(%bias : memref<1xf32>)
  %sums = call @convolve(%image, %weights, %bias)
      : (memref<2x4x1xf32>, memref<2x1x1xf32>, memref<1xf32>) -> memref<2x3x1xf32>
  %first = memref.load %sums[%zero, %zero, %zero] : memref<2x3x1xf32>
  %number = arith.fptosi %first : f32 to i32
  return %number : i32
}

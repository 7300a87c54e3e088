// SPDX-License-Identifier: Apache-2.0
// MLIR 22: affine-loop-fusion puts the loops that start all sums with the bias into the loop over the images, so that
// the sums of the first image are started anew before those of the second are computed. Each sum is 1 + 1 * 1.
//     mlir-opt-22 FILE -pass-pipeline='builtin.module(PASSES)' | mlir-runner-22 -e main -entry-point-result=i32
// PASSES: convert-linalg-to-affine-loops,func.func(affine-loop-fusion),lower-affine,convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts
// MUST PRINT: 2
memref.global @bias : memref<1xi32> = dense<1>
memref.global @images : memref<2x2x1xi32> = dense<1>
memref.global @weights : memref<2x1x1xi32> = dense<1>
func.func @sums() -> memref<2x2x1xi32> {
  %bias = memref.get_global @bias : memref<1xi32>
  %images = memref.get_global @images : memref<2x2x1xi32>
  %weights = memref.get_global @weights : memref<2x1x1xi32>
  %sums = memref.alloc() : memref<2x2x1xi32>
  linalg.broadcast ins(%bias : memref<1xi32>) outs(%sums : memref<2x2x1xi32>) dimensions = [0, 1]
  linalg.batch_matmul ins(%images, %weights : memref<2x2x1xi32>, memref<2x1x1xi32>) outs(%sums : memref<2x2x1xi32>)
  return %sums : memref<2x2x1xi32>
}
func.func @main() -> i32 {
  %sums = call @sums() : () -> memref<2x2x1xi32>
  %first = affine.load %sums[0, 0, 0] : memref<2x2x1xi32>
  return %first : i32
}

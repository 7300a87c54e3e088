// SPDX-License-Identifier: Apache-2.0
// MLIR 22: vectorization of tensor.insert_slice ignores its stride of 2: %r is [1, 2, 0] instead of [1, 0, 2].
//     mlir-opt-22 FILE -pass-pipeline='builtin.module(PASSES)' | mlir-runner-22 -e main -entry-point-result=i32
// PASSES: transform-interpreter,symbol-dce,one-shot-bufferize,convert-vector-to-scf,convert-scf-to-cf,convert-vector-to-llvm,expand-strided-metadata,convert-to-llvm,reconcile-unrealized-casts
// MUST PRINT: 2
module attributes {transform.with_named_sequence} {
  func.func @main() -> i32 {
    %c2 = arith.constant 2 : index
    %image = arith.constant dense<[1, 2]> : tensor<2xi32>
    %zeros = arith.constant dense<0> : tensor<3xi32>
    %r = tensor.insert_slice %image into %zeros[0] [2] [2] : tensor<2xi32> into tensor<3xi32>
    %last = tensor.extract %r[%c2] : tensor<3xi32>
    return %last : i32
  }
  transform.named_sequence private @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    %vectors = transform.structured.vectorize_children_and_apply_patterns %function
      : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

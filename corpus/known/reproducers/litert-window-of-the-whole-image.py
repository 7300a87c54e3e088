# SPDX-License-Identifier: Apache-2.0
# LiteRT's optimized kernels, 2 threads: ones of 2x2 by a window of 2x2 with SAME padding are 4 2 2 1.
#     python3 litert-window-of-the-whole-image.py
# Exit code 0: right. 1: wrong.
import sys

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def tensor(shape, buffer):
    one = schema.TensorT()
    one.shape, one.buffer, one.name = shape, buffer, "tensor"
    return one


graph, code, node = schema.SubGraphT(), schema.OperatorCodeT(), schema.OperatorT()
graph.tensors = [tensor([1, 2, 2, 1], 0), tensor([1, 2, 2, 1], 1), tensor([1], 2), tensor([1, 2, 2, 1], 0)]
graph.inputs, graph.outputs, graph.operators = [0], [3], [node]
code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.CONV_2D
node.inputs, node.outputs, node.builtinOptions = [0, 1, 2], [3], schema.Conv2DOptionsT()
node.builtinOptionsType = schema.BuiltinOptions.Conv2DOptions
node.builtinOptions.padding, node.builtinOptions.strideW, node.builtinOptions.strideH = schema.Padding.SAME, 1, 1
model = schema.ModelT()
model.version, model.operatorCodes, model.subgraphs = 3, [code], [graph]
model.buffers = [schema.BufferT() for _ in range(3)]
for buffer, values in ((1, [1, 1, 1, 1]), (2, [0])):
    model.buffers[buffer].data = numpy.frombuffer(numpy.float32(values).tobytes(), "uint8")
builder = flatbuffers.Builder(1024)
builder.Finish(model.Pack(builder), b"TFL3")
interpreter = Interpreter(model_content=bytes(builder.Output()), num_threads=2,
                          experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
interpreter.allocate_tensors()
interpreter.set_tensor(0, numpy.ones((1, 2, 2, 1), "float32"))
interpreter.invoke()
print("computed", interpreter.get_tensor(3).ravel().tolist(), "right is [4, 2, 2, 1]")
sys.exit(0 if interpreter.get_tensor(3).ravel().tolist() == [4, 2, 2, 1] else 1)

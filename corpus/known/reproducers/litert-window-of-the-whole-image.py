# SPDX-License-Identifier: Apache-2.0
# LiteRT's optimized kernels, 2 threads: ones of 2x2 by a window of 2x2 with SAME padding are 4 2 2 1.
#     python3 litert-window-of-the-whole-image.py
# Exit code 0: right. 1: wrong.
import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

tensors = [schema.TensorT(shape, buffer=buffer) for shape, buffer in (([1, 2, 2, 1], 0), ([1, 2, 2, 1], 1), ([1], 2))]
node = schema.OperatorT(0, [0, 1, 2], [3], schema.BuiltinOptions.Conv2DOptions, schema.Conv2DOptionsT(0, 1, 1))  # SAME
code = schema.OperatorCodeT(schema.BuiltinOperator.CONV_2D, builtinCode=schema.BuiltinOperator.CONV_2D)
buffers = [schema.BufferT(numpy.float32(values).view("uint8")) for values in ([], [1, 1, 1, 1], [0])]
model = schema.ModelT(3, [code], [schema.SubGraphT(tensors + tensors[:1], [0], [3], [node])], buffers=buffers)
builder = flatbuffers.Builder()
builder.Finish(model.Pack(builder), b"TFL3")
interpreter = Interpreter(model_content=bytes(builder.Output()), num_threads=2,
                          experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
interpreter.allocate_tensors()
interpreter.set_tensor(0, numpy.ones((1, 2, 2, 1), "float32"))
interpreter.invoke()
got = interpreter.get_tensor(3).ravel().tolist()
print("computed", got, "right is [4, 2, 2, 1]")
raise SystemExit(0 if got == [4, 2, 2, 1] else 1)

# SPDX-License-Identifier: Apache-2.0
"""Models of LiteRT with one convolution, and a PAD in front of it if wanted, made by the schema that comes with it."""
import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema

TYPES = {"float32": schema.TensorType.FLOAT32, "int8": schema.TensorType.INT8, "int32": schema.TensorType.INT32}
OPERATORS = {  # code, class of options, its number in the union, version
    "CONV_2D": (schema.Conv2DOptionsT, 5), "DEPTHWISE_CONV_2D": (schema.DepthwiseConv2DOptionsT, 6),
    "TRANSPOSE_CONV": (schema.TransposeConvOptionsT, 4), "CONV_3D": (schema.Conv3DOptionsT, 1),
    "CONV_3D_TRANSPOSE": (schema.Conv3DOptionsT, 1), "PAD": (schema.PadOptionsT, 1)}


class Buffer(schema.BufferT):
    """Aligned as the schema wants it (force_align), which code for Python does not do by itself."""

    def Pack(self, builder):
        builder.StartVector(1, len(self.data), 16)
        builder.head -= len(self.data)
        builder.Bytes[builder.head:builder.head + len(self.data)] = self.data
        data = builder.EndVector()
        schema.BufferStart(builder)
        schema.BufferAddData(builder, data)
        return schema.BufferEnd(builder)


class Builder:
    def __init__(self):
        self.model, self.graph = schema.ModelT(), schema.SubGraphT()
        self.model.version, self.model.operatorCodes, self.model.subgraphs = 3, [], [self.graph]
        self.model.buffers = [schema.BufferT()]
        self.graph.tensors, self.graph.operators = [], []

    def tensor(self, kind, shape, data=None, scale=None, zero_point=0, axis=0):
        """The number of a tensor; with data it is a constant."""
        one = schema.TensorT()
        one.type, one.shape, one.buffer = TYPES[str(kind)], [int(extent) for extent in shape], 0
        one.name = f"t{len(self.graph.tensors)}"
        if data is not None:
            buffer = Buffer()
            buffer.data = numpy.ascontiguousarray(data).tobytes()
            self.model.buffers.append(buffer)
            one.buffer = len(self.model.buffers) - 1
        if scale is not None:
            one.quantization = quantization = schema.QuantizationParametersT()
            quantization.scale, quantization.quantizedDimension = numpy.asarray(scale, "float32"), axis
            quantization.zeroPoint = numpy.full(len(quantization.scale), zero_point, "int64")
        self.graph.tensors.append(one)
        return len(self.graph.tensors) - 1

    def constant(self, array, **quantized):
        return self.tensor(array.dtype, array.shape, array, **quantized)

    def operator(self, name, inputs, output, **options):
        code, one, (kind, version) = schema.OperatorCodeT(), schema.OperatorT(), OPERATORS[name]
        code.builtinCode = getattr(schema.BuiltinOperator, name)
        code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), version
        one.opcodeIndex, one.inputs, one.outputs = len(self.model.operatorCodes), inputs, [output]
        one.builtinOptionsType = getattr(schema.BuiltinOptions, kind.__name__[:-1])
        one.builtinOptions = kind()
        for key, value in options.items():
            setattr(one.builtinOptions, key, value)
        self.model.operatorCodes.append(code)
        self.graph.operators.append(one)

    def finished(self, inputs, outputs):
        self.graph.inputs, self.graph.outputs = inputs, outputs
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

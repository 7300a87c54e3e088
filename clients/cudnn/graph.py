# SPDX-License-Identifier: Apache-2.0
"""A problem as one of cuDNN's three operations, its engines, and what they promise."""
import collections
import dataclasses

from library import Descriptor, Error, notes_of
from names import N

TYPES = {"f32": N.DATA_FLOAT, "f64": N.DATA_DOUBLE, "f16": N.DATA_HALF, "bf16": N.DATA_BFLOAT16}
PLANS_KEPT = 256


@dataclasses.dataclass(frozen=True)
class Operation:
    """Of cuDNN. `attributes` begin with alpha and beta; then operands: inputs, and the output last."""
    name: str
    descriptor: int
    alpha: int
    beta: int
    convolution: int
    x: int
    w: int
    y: int


FORWARD = Operation("forward", N.BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                    N.ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, N.ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
                    N.ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, N.ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                    N.ATTR_OPERATION_CONVOLUTION_FORWARD_W, N.ATTR_OPERATION_CONVOLUTION_FORWARD_Y)
DATA = Operation("data", N.BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                 N.ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, N.ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
                 N.ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, N.ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                 N.ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, N.ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY)
FILTER = Operation("filter", N.BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                   N.ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, N.ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
                   N.ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, N.ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                   N.ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, N.ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY)
OPERATIONS = {one.name: one for one in (FORWARD, DATA, FILTER)}

# Of each pass of a convolution; a transposed one is the gradient of a convolution from dst to src.
OF_PASS = {("conv", "forward"): (FORWARD, "src", "wei", "dst"),
           ("conv", "backward_data"): (DATA, "diff_src", "wei", "diff_dst"),
           ("conv", "backward_weights"): (FILTER, "src", "diff_wei", "diff_dst"),
           ("conv_transpose", "forward"): (DATA, "dst", "wei", "src"),
           ("conv_transpose", "backward_data"): (FORWARD, "diff_dst", "wei", "diff_src"),
           ("conv_transpose", "backward_weights"): (FILTER, "diff_dst", "diff_wei", "src")}


@dataclasses.dataclass(frozen=True)
class Tensor:
    """Extents, strides in elements and the alignment in bytes of x, w or y. cuDNN has no spatial rank of one."""
    dims: tuple
    strides: tuple
    alignment: int

    def of_two_axes(self):
        if len(self.dims) > 3:
            return self
        batch, channels, width = self.dims
        n, c, w = self.strides
        return Tensor((batch, channels, 1, width), (n, c, max(w * width, 1), w), self.alignment)


@dataclasses.dataclass(frozen=True)
class Question:
    """What a plan is made for."""
    operation: Operation
    dtype: str
    tensors: tuple  # x, w, y
    window: tuple  # dilations, strides, paddings before, paddings behind, outermost axis first

    @staticmethod
    def of(problem, tensors):
        """`tensors` are by the names of the problem's operands."""
        operation, *names = OF_PASS[problem.op, problem.pass_]
        window = (problem.dilation, problem.stride, problem.pad_begin, problem.pad_end)
        if problem.rank == 1:
            window = ([1, *window[0]], [1, *window[1]], [0, *window[2]], [0, *window[3]])
        return Question(operation, problem.dtypes[names[0]], tuple(tensors[name].of_two_axes() for name in names),
                        tuple(map(tuple, window)))

    def graph(self, library):
        """An operation graph. Throws Error where cuDNN has none."""
        real = N.TYPE_DOUBLE if self.dtype == "f64" else N.TYPE_FLOAT
        dilations, strides, before, behind = self.window
        x, w, y = (Descriptor(library, N.BACKEND_TENSOR_DESCRIPTOR, [
            (N.ATTR_TENSOR_DATA_TYPE, N.TYPE_DATA_TYPE, TYPES[self.dtype]),
            (N.ATTR_TENSOR_DIMENSIONS, N.TYPE_INT64, one.dims), (N.ATTR_TENSOR_STRIDES, N.TYPE_INT64, one.strides),
            (N.ATTR_TENSOR_BYTE_ALIGNMENT, N.TYPE_INT64, one.alignment),
            (N.ATTR_TENSOR_UNIQUE_ID, N.TYPE_INT64, number)]) for number, one in enumerate(self.tensors))
        convolution = Descriptor(library, N.BACKEND_CONVOLUTION_DESCRIPTOR, [
            (N.ATTR_CONVOLUTION_COMP_TYPE, N.TYPE_DATA_TYPE, TYPES["f64" if self.dtype == "f64" else "f32"]),
            (N.ATTR_CONVOLUTION_CONV_MODE, N.TYPE_CONVOLUTION_MODE, N.CROSS_CORRELATION),
            (N.ATTR_CONVOLUTION_SPATIAL_DIMS, N.TYPE_INT64, len(strides)),
            (N.ATTR_CONVOLUTION_DILATIONS, N.TYPE_INT64, dilations),
            (N.ATTR_CONVOLUTION_FILTER_STRIDES, N.TYPE_INT64, strides),
            (N.ATTR_CONVOLUTION_PRE_PADDINGS, N.TYPE_INT64, before),
            (N.ATTR_CONVOLUTION_POST_PADDINGS, N.TYPE_INT64, behind)])
        one = self.operation
        operation = Descriptor(library, one.descriptor, [
            (one.alpha, real, 1.0), (one.beta, real, 0.0),
            *[(name, N.TYPE_BACKEND_DESCRIPTOR, value)
              for name, value in ((one.convolution, convolution), (one.x, x), (one.w, w), (one.y, y))]],
            (convolution, x, w, y))
        return Descriptor(library, N.BACKEND_OPERATIONGRAPH_DESCRIPTOR, [
            (N.ATTR_OPERATIONGRAPH_HANDLE, N.TYPE_HANDLE, library.handle),
            (N.ATTR_OPERATIONGRAPH_OPS, N.TYPE_BACKEND_DESCRIPTOR, operation)], (operation,))


def engine_of(library, graph, number):
    return Descriptor(library, N.BACKEND_ENGINE_DESCRIPTOR, [
        (N.ATTR_ENGINE_OPERATION_GRAPH, N.TYPE_BACKEND_DESCRIPTOR, graph),
        (N.ATTR_ENGINE_GLOBAL_INDEX, N.TYPE_INT64, number)], (graph,))


class Plans:
    """Those of the latest questions to each engine."""

    def __init__(self, library):
        self.library, self.plans = library, collections.OrderedDict()

    def plan(self, question, engine_number, allowed):
        """A plan and the bytes of its workspace. Throws Error, also where the engine's notes go beyond `allowed`: its
        contract would be another one."""
        key = (question, engine_number)
        if key not in self.plans:
            self.plans[key] = self._made(question, engine_number, allowed)
        self.plans.move_to_end(key)
        if len(self.plans) > PLANS_KEPT:
            self.plans.popitem(last=False)
        return self.plans[key]

    def _made(self, question, engine_number, allowed):
        graph = question.graph(self.library)
        try:
            engine = engine_of(self.library, graph, engine_number)
            if beyond := notes_of(engine) - allowed:
                raise Error(3000, "this engine is noted " + ", ".join(sorted(beyond)) + " here")
            configuration = Descriptor(self.library, N.BACKEND_ENGINECFG_DESCRIPTOR, [
                (N.ATTR_ENGINECFG_ENGINE, N.TYPE_BACKEND_DESCRIPTOR, engine)], (engine,))
            plan = Descriptor(self.library, N.BACKEND_EXECUTION_PLAN_DESCRIPTOR, [
                (N.ATTR_EXECUTION_PLAN_HANDLE, N.TYPE_HANDLE, self.library.handle),
                (N.ATTR_EXECUTION_PLAN_ENGINE_CONFIG, N.TYPE_BACKEND_DESCRIPTOR, configuration)], (configuration,))
        except Error as why:  # an engine need not compute each graph, and says so in several ways
            raise Error(3000, "not computed by this engine: " + str(why)) from None
        return plan, plan.get(N.ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, N.TYPE_INT64)[0]

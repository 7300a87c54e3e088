# SPDX-License-Identifier: Apache-2.0
"""The ways in which Paddle computes a call. Each takes a Call and its operands as arrays, and returns its results as
arrays by name. What is compiled for a call is kept for equal ones."""
import contextlib

import numpy
import paddle
from paddle import pir_utils
from paddle.nn import functional

MOST_KEPT = 256  # programs; each has an executor


def eager(call, tensors):
    arguments = operands(call, tensors)
    for name in call.differentiated():
        arguments[name].stop_gradient = False
    return results(call, tensors, arguments, call.apply(**arguments))


def to_static(call, tensors):
    arguments = operands(call, tensors)
    for name in call.differentiated():
        arguments[name].stop_gradient = False
    return results(call, tensors, arguments, compiled(call)(*arguments.values()))


def operands(call, tensors):
    """Those that a gradient does not need are zeros."""
    return {name: paddle.to_tensor(call.given(name, tensors[name]) if name in tensors else
                                   numpy.zeros(call.extents(name, dims), call.type))
            for name, dims in call.forward}


def results(call, tensors, arguments, dst):
    if not call.is_gradient:
        return {"dst": call.taken("dst", dst.numpy())}
    gradients = paddle.grad([dst], [arguments[name] for name in call.differentiated()],
                            [paddle.to_tensor(call.given("diff_dst", tensors["diff_dst"]))])
    return {name: call.taken(name, gradient.numpy()) for name, gradient in zip(call.outputs, gradients)}


def kept(make):
    """Makes something of a call once."""
    made = {}

    def keep(call, *rest):
        if call not in made:
            if len(made) >= MOST_KEPT:
                made.clear()
            made[call] = make(call, *rest)
        return made[call]

    return keep


@kept
def compiled(call):
    """Paddle reads the source of the function, so that it is a plain one."""
    function, keywords = getattr(functional, call.function), call.arguments()

    def convolution(src, wei, bias=None):
        return function(src, wei, bias, **keywords)

    return paddle.jit.to_static(convolution, full_graph=True)


def static(pir, test=False):
    """Of the two representations of a graph. `test`: a forward pass is said to be one, which transposed convolutions by
    oneDNN demand."""
    guard = pir_utils.IrGuard if pir else pir_utils.OldIrGuard

    @kept
    def program(call):
        made = paddle.static.Program()
        with paddle.static.program_guard(made, paddle.static.Program()):
            fetched = graph(call)
        if test and not call.is_gradient:
            if pir:
                made.set_is_test_attr()
            else:
                made, fetched = made.clone(for_test=True), [fetched[0].name]
        return paddle.static.Executor(paddle.CPUPlace()), made, fetched

    def compute(call, tensors):
        with in_static_mode(), guard():
            executor, made, fetched = program(call)
            fed = {name: call.given(name, tensors[name]) if name in tensors else
                   numpy.zeros(call.extents(name, dims), call.type) for name, dims in call.forward}
            if call.is_gradient:
                fed["diff_dst"] = call.given("diff_dst", tensors["diff_dst"])
            values = executor.run(made, feed=fed, fetch_list=fetched)
        return {name: call.taken(name, value) for name, value in zip(call.outputs, values)}

    return compute


def graph(call):
    """Adds a call to the program that is guarded. Returns its results."""
    arguments = {name: paddle.static.data(name, call.extents(name, dims), call.type) for name, dims in call.forward}
    for name in call.differentiated():
        arguments[name].stop_gradient = False
    dst = call.apply(**arguments)
    if not call.is_gradient:
        return [dst]
    diff_dst = paddle.static.data("diff_dst", call.extents("dst", call.result), call.type)
    return paddle.static.gradients([dst], [arguments[name] for name in call.differentiated()], [diff_dst])


@contextlib.contextmanager
def in_static_mode():
    paddle.enable_static()
    try:
        yield
    finally:
        paddle.disable_static()

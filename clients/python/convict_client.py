#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client of convict's process targets, protocol version 1, in one file of the standard library: copy it, and replace
`refusal` and `compute`. What is here is textbook forward convolution in f32, of any rank.

    convict fuzz --command 'python3 convict_client.py'

docs/process-targets.md has the protocol."""
import itertools
import json
import math
import mmap
import os
import socket
import struct
import sys
import threading
import traceback

BATCH = 32  # problems that we take at once


class Refused(Exception):
    """Raised by a computation that finds out only now that it cannot express its problem."""


def announcement():
    """What we are. `contract` (docs/plugin-interface.md) is a promise about arithmetic: it chooses the error bound."""
    return {
        "name": "textbook-py",
        "description": "textbook loops in Python",
        "lineage": "textbook-py",
        "contract": {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True},
        "batch": BATCH,
    }


def refusal(problem):
    """Why we cannot compute a problem, or None. It may be illegal: those have to be refused."""
    tensors = problem["tensors"].values()
    if problem["op"] != "conv" or problem["pass"] != "forward":
        return "only conv forward"
    if any(tensor["dtype"] != "f32" for tensor in tensors):
        return "only f32"
    if problem["groups"] < 1 or problem["ic"] % problem["groups"] or problem["oc"] % problem["groups"]:
        return "groups do not divide the channels"
    if min(problem["out"] + problem["kernel"] + problem["stride"] + problem["dilation"]) < 1:
        return "an extent, a stride or a dilation is not positive"
    if any(problem["output_padding"]) or problem["out"] != [output_extent(problem, axis) for axis in range(problem["rank"])]:
        return "not the output of a convolution"
    return None


def output_extent(problem, axis):
    """The extent of the output that these inputs have."""
    padded = problem["in"][axis] + problem["pad_begin"][axis] + problem["pad_end"][axis]
    window = problem["dilation"][axis] * (problem["kernel"][axis] - 1) + 1
    return (padded - window) // problem["stride"][axis] + 1


class Tensor:
    """A strided view of the file. Elements are indexed by tuples: x[n, c, y, x]."""

    def __init__(self, file, description):
        self.file, self.dims = file, description["dims"]
        self.at = description["at"]
        self.strides = [4 * stride for stride in description["strides"]]  # bytes

    def position(self, index):
        return self.at + sum(i * stride for i, stride in zip(index, self.strides))

    def __getitem__(self, index):
        return struct.unpack_from("<f", self.file, self.position(index))[0]

    def __setitem__(self, index, value):
        struct.pack_into("<f", self.file, self.position(index), value)


def rounded(number):
    """What f32 holds: Python computes in f64, and packs no number that is too large."""
    largest = 3.4028235677973366e38  # from here on, f32 rounds to infinity
    return math.copysign(math.inf, number) if abs(number) >= largest else number


def compute(problem, tensors):
    """Writes every element of the outputs. Raises Refused, or anything else if it fails."""
    src, wei, dst, bias = tensors["src"], tensors["wei"], tensors["dst"], tensors.get("bias")
    inputs, outputs = problem["ic"] // problem["groups"], problem["oc"] // problem["groups"]
    taps = list(itertools.product(*map(range, problem["kernel"])))
    for index in itertools.product(*map(range, dst.dims)):
        n, k, *place = index
        total = 0.0
        for c, tap in itertools.product(range(inputs), taps):
            at = [
                o * stride - pad + r * dilation
                for o, r, stride, pad, dilation in zip(
                    place, tap, problem["stride"], problem["pad_begin"], problem["dilation"]
                )
            ]
            if all(0 <= i < extent for i, extent in zip(at, problem["in"])):
                total += src[(n, k // outputs * inputs + c, *at)] * wei[(k, c, *tap)]
        dst[index] = rounded(total + (bias[(k,)] if bias else 0.0))


def status_of(problem, file):
    """Runs one problem."""
    try:
        compute(problem, {name: Tensor(file, one) for name, one in problem["tensors"].items()})
        return {"status": "ok"}
    except Refused as why:
        return {"status": "refused", "error": str(why)}
    except Exception as error:  # ours: the problem was accepted
        traceback.print_exc()
        return {"status": "failed", "error": f"{type(error).__name__}: {error}"}


def can_fork():
    """Whether a copy of this process is as good as a new one. Threads are not copied, but some libraries end theirs
    before a fork, and start them again when they compute: OpenBLAS, for numpy."""
    if threading.active_count() > 1 or not os.path.isdir("/proc/self/task"):
        return False
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return len(os.listdir("/proc/self/task")) == 1


def wait_for_forks(descriptor):
    """Forks a process for each message of the socket, and returns in each of them. Its stdin, stdout, stderr and file
    are the four descriptors of the message."""
    requests = socket.socket(fileno=descriptor)
    while True:
        byte, descriptors, _, _ = socket.recv_fds(requests, 1, 4)
        if not byte:
            os._exit(0)  # convict has ended
        between = os.fork()
        if between == 0:
            if os.fork():
                os._exit(0)  # so that convict becomes the parent of the new process, and sees how it ends
            os.setsid()
            requests.send(struct.pack("i", os.getpid()))
            requests.close()
            for place, one in enumerate(descriptors):
                os.dup2(one, place)
                os.close(one)
            return
        for one in descriptors:
            os.close(one)
        os.waitpid(between, 0)


class Client:
    """Answers one question after the other until there are no more."""

    def __init__(self):
        self.can_fork = can_fork()
        self.begin()

    def begin(self):
        self.questions = os.fdopen(os.dup(0), "rb")
        # A print of somebody's would be no answer: from now on it goes to stderr.
        self.answers = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        self.descriptor, self.file = None, None

    def mapped(self, size):
        """The file of operands. It grows, and never shrinks."""
        if self.file is None or len(self.file) < size:
            self.file = mmap.mmap(self.descriptor, size)
        return self.file

    def answer(self, question):
        if "hello" in question:
            self.descriptor = question["hello"]["file"]
            return {"hello": {"protocol": 1, "version": "1.0", "forks": self.can_fork, "implementations": [announcement()]}}
        if "fork" in question:
            return {"fork": True}
        if "ask" in question:
            return {"ask": [refusal(problem) for problem in question["ask"]]}
        file = self.mapped(question["file_bytes"])
        return {"run": [status_of(problem, file) for problem in question["run"]]}

    def serve(self):
        for line in self.questions:
            question = json.loads(line)
            answer = {"id": question["id"], **self.answer(question)}
            self.answers.write(json.dumps(answer).encode() + b"\n")
            self.answers.flush()
            if answer.get("fork"):
                wait_for_forks(question["fork"]["socket"])
                self.begin()
                return self.serve()


if __name__ == "__main__":
    Client().serve()

# SPDX-License-Identifier: Apache-2.0
"""Operands in the memory of the device. Each lies between two zones of a pattern, with the alignment and the strides
that it has on the host; what is written beside it there is written beside it here, where convict looks."""
import ctypes
import os
import sys

import numpy

from library import loaded

ZONE, BLOCK, PATTERN = 256, 64, 0xA5  # bytes; a line of memory of the host, as far as alignments are kept; a byte
TO_DEVICE, TO_HOST = 1, 2


class Device:
    """The current one, and a piece of its memory that is filled from its begin for each batch, over a copy on the host:
    operands travel at once."""

    def __init__(self):
        self.calls = loaded("libcudart.so.*")
        self.calls.cudaGetErrorString.restype = ctypes.c_char_p
        self.memory, self.size, self.used = ctypes.c_void_p(), 0, 0
        self.staged = numpy.empty(0, "uint8")

    def check(self, error, what):
        """A device that has had an error answers nothing but this error; another process has it anew."""
        if error:
            print(f"{what}: {self.calls.cudaGetErrorString(error).decode()} ({error})", file=sys.stderr, flush=True)
            os._exit(70)

    def begin(self, operands, behind):
        """Forgets what was there. There is room for so many bytes of operands and of what is not copied then, or False
        is returned."""
        self.used, self.staged = 0, numpy.full(operands, PATTERN, "uint8")
        if operands + behind <= self.size:
            return True
        self.check(self.calls.cudaFree(self.memory), "cudaFree")
        self.size, size = 0, 2 * (operands + behind)  # twice, so that it seldom grows
        if self.calls.cudaMalloc(ctypes.byref(self.memory), ctypes.c_size_t(size)):
            self.calls.cudaGetLastError()  # this one is no error of the device
            self.memory = ctypes.c_void_p()
            return False
        self.size = size
        return True

    def take(self, size):
        """The place of so many bytes, by its distance from the begin."""
        self.used += size
        return self.used - size

    def send(self):
        self._copy(self.memory.value, self.staged.ctypes.data, TO_DEVICE)

    def fetch(self):
        """Waits for all that was begun."""
        self.check(self.calls.cudaDeviceSynchronize(), "the device")
        self._copy(self.staged.ctypes.data, self.memory.value, TO_HOST)

    def _copy(self, to, from_, direction):
        self.check(self.calls.cudaMemcpy(ctypes.c_void_p(to), ctypes.c_void_p(from_),
                                         ctypes.c_size_t(self.staged.nbytes), direction), "a copy")

    def fill(self, place, size):
        """With bytes that are a NaN of each type of floating point. Returns the address."""
        address = self.memory.value + place
        self.check(self.calls.cudaMemset(ctypes.c_void_p(address), 0xFF, ctypes.c_size_t(size)), "cudaMemset")
        return address


def room_for(array):
    """Bytes of the device for an operand."""
    return -(-(2 * ZONE + BLOCK + span_of(array)) // BLOCK) * BLOCK


def span_of(array):
    """From its first element to its last, which are those of the lowest and the highest address."""
    return sum((extent - 1) * stride for extent, stride in zip(array.shape, array.strides)) + array.itemsize


class Operand:
    """A copy of an array of the host, which is sent with the others of a batch."""

    def __init__(self, device, array):
        self.device, self.span, self.host = device, span_of(array), array.ctypes.data
        size = room_for(array)
        self.begin = device.take(size)
        self.offset = ZONE + self.host % BLOCK  # memory of a device is aligned to more
        self.staged = device.staged[self.begin:self.begin + size]
        self.staged[self.offset:self.offset + self.span] = bytes_at(self.host, self.span)

    @property
    def address(self):
        return self.device.memory.value + self.begin + self.offset

    def back(self):
        """Copies what was fetched to the host, also what was changed beside it, as far as a line of memory reaches."""
        end = self.offset + self.span
        bytes_at(self.host, self.span)[:] = self.staged[self.offset:end]
        for zone, begin in ((self.staged[:self.offset], 0), (self.staged[end:], end)):
            if (zone != PATTERN).any():
                self._tell_of(numpy.flatnonzero(zone != PATTERN) + begin - self.offset)

    def _tell_of(self, changed):
        """Bytes beside it, by their distance from its first one."""
        near = changed[numpy.abs(changed - numpy.clip(changed, 0, self.span)) <= BLOCK]
        if not near.size:
            print(f"the device wrote {changed.size} bytes, {changed[0]} bytes from the begin of an operand of "
                  f"{self.span} bytes and further", file=sys.stderr, flush=True)
            os._exit(71)
        for at in near:
            bytes_at(self.host + int(at), 1)[0] = self.staged[self.offset + int(at)]


def bytes_at(address, size):
    """Memory of the host."""
    return numpy.frombuffer((ctypes.c_uint8 * size).from_address(address), "uint8")

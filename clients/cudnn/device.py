# SPDX-License-Identifier: Apache-2.0
"""Operands in the memory of the device. Each lies between two zones of a pattern, with the alignment and the strides that
it has on the host; what is written beside it there is written beside it here, where convict looks."""
import ctypes
import os
import sys

import numpy

from library import loaded

ZONE, BLOCK, PATTERN = 256, 64, 0xA5  # bytes; a line of memory of the host, as far as alignments are kept; a byte
TO_DEVICE, TO_HOST = 1, 2


class Device:
    """The current one, and a piece of its memory that is filled from its begin for each batch."""

    def __init__(self):
        self.calls = loaded("libcudart.so.*")
        self.calls.cudaGetErrorString.restype = ctypes.c_char_p
        self.memory, self.size, self.used = ctypes.c_void_p(), 0, 0

    def check(self, error, what):
        """A device that has had an error answers nothing but this error; another process has it anew."""
        if error:
            print(f"{what}: {self.calls.cudaGetErrorString(error).decode()} ({error})", file=sys.stderr, flush=True)
            os._exit(70)

    def begin(self, size):
        """Forgets what was there. There is room for so many bytes then, or False is returned."""
        self.used = 0
        if size <= self.size:
            return True
        self.check(self.calls.cudaFree(self.memory), "cudaFree")
        self.size = 0
        if self.calls.cudaMalloc(ctypes.byref(self.memory), ctypes.c_size_t(size)):
            self.calls.cudaGetLastError()  # this one is no error of the device
            self.memory = ctypes.c_void_p()
            return False
        self.size = size
        return True

    def take(self, size):
        """An address with so many bytes behind it."""
        self.used += size
        return self.memory.value + self.used - size

    def wait(self):
        self.check(self.calls.cudaDeviceSynchronize(), "the device")

    def copy(self, to, from_, size, direction):
        self.check(self.calls.cudaMemcpy(ctypes.c_void_p(to), ctypes.c_void_p(from_), ctypes.c_size_t(size), direction),
                   "a copy")

    def fill(self, address, size):
        """With bytes that are a NaN of each type of floating point."""
        self.check(self.calls.cudaMemset(ctypes.c_void_p(address), 0xFF, ctypes.c_size_t(size)), "cudaMemset")


def room_for(array):
    """Bytes of the device for an operand."""
    return -(-(2 * ZONE + BLOCK + span_of(array)) // BLOCK) * BLOCK


def span_of(array):
    """From its first element to its last, which are those of the lowest and the highest address."""
    return sum((extent - 1) * stride for extent, stride in zip(array.shape, array.strides)) + array.itemsize


class Operand:
    """A copy of an array of the host."""

    def __init__(self, device, array):
        self.device, self.span, self.host = device, span_of(array), array.ctypes.data
        self.begin = device.take(room_for(array))
        self.offset = ZONE + self.host % BLOCK  # memory of a device is aligned to more
        self.staged = numpy.full(self.offset + self.span + ZONE, PATTERN, "uint8")
        self.staged[self.offset:self.offset + self.span] = bytes_at(self.host, self.span)
        device.copy(self.begin, self.staged.ctypes.data, self.staged.nbytes, TO_DEVICE)

    @property
    def address(self):
        return self.begin + self.offset

    def back(self):
        """Copies it to the host, with what was changed beside it, as far as a line of memory reaches."""
        got = numpy.empty_like(self.staged)
        self.device.copy(got.ctypes.data, self.begin, got.nbytes, TO_HOST)
        bytes_at(self.host, self.span)[:] = got[self.offset:self.offset + self.span]
        self._tell_of(numpy.flatnonzero(got[:self.offset] != PATTERN) - self.offset, got)
        self._tell_of(numpy.flatnonzero(got[self.offset + self.span:] != PATTERN) + self.span, got)

    def _tell_of(self, changed, got):
        """Bytes beside it, by their distance from its begin."""
        if changed.size and not (numpy.abs(changed - numpy.clip(changed, 0, self.span)) <= BLOCK).any():
            print(f"the device wrote {changed.size} bytes up to {abs(changed).max()} bytes from the begin of an operand of "
                  f"{self.span} bytes", file=sys.stderr, flush=True)
            os._exit(71)
        for at in changed[numpy.abs(changed - numpy.clip(changed, 0, self.span)) <= BLOCK]:
            bytes_at(self.host + int(at), 1)[0] = got[self.offset + int(at)]


def bytes_at(address, size):
    """Memory of the host."""
    return numpy.frombuffer((ctypes.c_uint8 * size).from_address(address), "uint8")

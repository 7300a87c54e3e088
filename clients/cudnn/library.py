# SPDX-License-Identifier: Apache-2.0
"""cuDNN's backend API, its descriptors and statuses, without a compiler."""
import ctypes
import glob
import importlib.util
import os

from names import N, NOTES

ELEMENT = {N.TYPE_HANDLE: ctypes.c_void_p, N.TYPE_VOID_PTR: ctypes.c_void_p, N.TYPE_BACKEND_DESCRIPTOR: ctypes.c_void_p,
           N.TYPE_INT64: ctypes.c_int64, N.TYPE_FLOAT: ctypes.c_float, N.TYPE_DOUBLE: ctypes.c_double}  # or an enum


class Error(Exception):
    """A status other than success; thousands are its kind."""

    def __init__(self, status, what):
        super().__init__(what)
        self.is_refusal = status // 1000 == 3


def folders():
    """Where libraries lie: those of CONVICT_CUDNN, else those of the distributions of NVIDIA, which name no path."""
    if given := os.environ.get("CONVICT_CUDNN"):
        return [given]
    spec = importlib.util.find_spec("nvidia")
    return [folder for place in spec.submodule_search_locations
            for folder in glob.glob(place + "/*/lib")] if spec else []


def loaded(name):
    """A library of a version, which may be any: "libcudnn.so.*", in those folders, else where the system has it."""
    places = folders()
    found = sorted(path for folder in places for path in glob.glob(f"{folder}/{name}"))
    if not found and places:
        raise OSError(f"no {name} in {', '.join(places)}")
    return ctypes.CDLL(found[-1] if found else name.removesuffix(".*"), mode=ctypes.RTLD_GLOBAL)


class Library:
    """cuDNN with a handle for the current device."""

    def __init__(self):
        self.calls = loaded("libcudnn.so.*")
        self.calls.cudnnGetErrorString.restype = ctypes.c_char_p
        self.calls.cudnnGetVersion.restype = ctypes.c_size_t
        self.handle = ctypes.c_void_p()
        self.check(self.calls.cudnnCreate(ctypes.byref(self.handle)), "cudnnCreate")

    @property
    def version(self):
        number = self.calls.cudnnGetVersion()
        return f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def check(self, status, what):
        if status == 0:
            return
        message = ctypes.create_string_buffer(400)
        self.calls.cudnnGetLastErrorString(message, ctypes.c_size_t(len(message)))
        name = self.calls.cudnnGetErrorString(status).decode()
        raise Error(status, f"{what}: {name} {message.value.decode(errors='replace')}".strip()[:400])

    def execute(self, plan, pack):
        self.check(self.calls.cudnnBackendExecute(self.handle, plan.pointer, pack.pointer), "cudnnBackendExecute")


class Descriptor:
    """One that is finalized, with what it refers to. Attributes are triples: name, type, value or values."""

    def __init__(self, library, kind, attributes, referred=()):
        self.library, self.referred, self.pointer = library, referred, ctypes.c_void_p()
        library.check(library.calls.cudnnBackendCreateDescriptor(kind, ctypes.byref(self.pointer)), "a descriptor")
        for name, type_, values in attributes:
            self._set(name, type_, values if isinstance(values, (list, tuple, range)) else [values])
        library.check(library.calls.cudnnBackendFinalize(self.pointer), f"descriptor {kind} is finalized")

    def _set(self, name, type_, values):
        values = [one.pointer if isinstance(one, Descriptor) else one for one in values]
        array, count = (ELEMENT.get(type_, ctypes.c_int) * len(values))(*values), ctypes.c_int64(len(values))
        status = self.library.calls.cudnnBackendSetAttribute(self.pointer, name, type_, count, array)
        self.library.check(status, f"attribute {name}")

    def get(self, name, type_, most=1):
        array, count = (ELEMENT.get(type_, ctypes.c_int) * most)(), ctypes.c_int64()
        status = self.library.calls.cudnnBackendGetAttribute(self.pointer, name, type_, ctypes.c_int64(most),
                                                             ctypes.byref(count), array)
        self.library.check(status, f"attribute {name}")
        return list(array[:count.value])

    def __del__(self):
        if self.pointer:
            self.library.calls.cudnnBackendDestroyDescriptor(self.pointer)


def notes_of(engine):
    """What an engine's arithmetic is, in words: {"TENSOR_CORE"}."""
    return {NOTES[one] for one in engine.get(N.ATTR_ENGINE_NUMERICAL_NOTE, N.TYPE_NUMERICAL_NOTE, len(NOTES))
            if one in NOTES}

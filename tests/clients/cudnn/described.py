# SPDX-License-Identifier: Apache-2.0
"""cuDNN itself, which finds engines and makes plans for a device that is described to it, and not there: it takes what
the client says. Where `make cudnn` has been: build/venvs/cudnn/bin/python described.py SOURCE"""
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "clients/cudnn"))
import engines
import graph
import library
from names import N

DEVICEPROP_DESCRIPTOR, DEVICEPROP_JSON, TYPE_CHAR = 38, 2702, 24
OF_DEVICE = {N.BACKEND_ENGINE_DESCRIPTOR: 1307, N.BACKEND_EXECUTION_PLAN_DESCRIPTOR: 407}
HOPPER = {"deviceName": "NVIDIA H100", "deviceVer": 900, "driverVer": 13000, "cudaDeviceId": 0, "pciDeviceId": 0,
          "multiProcessorCount": 132, "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "maxRegistersPerSM": 65536,
          "maxCtasPerSM": 32, "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448,
          "reservedSharedMemoryPerBlock": 1024, "regsPerBlock": 65536, "warpSize": 32, "l2CacheSize": 52428800,
          "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64], "totalGlobalMem": 85000000000,
          "memClockRateKHz": 2619000, "memoryBusWidth": 5120, "smClockRateKHz": 1980000, "isTccDriver": 0,
          "supportCoopLaunch": 1, "smCountOrigin": 0}
DRIVER = ("cuGetErrorString", "cuModuleGetFunction", "cuModuleLoadData", "cuModuleUnload", "cuTensorMapEncodeIm2col",
          "cuTensorMapEncodeTiled")


def load_a_driver_without_devices():
    """Libraries of cuDNN are linked with the driver's, which comes with devices."""
    with tempfile.TemporaryDirectory() as folder:
        source, driver = f"{folder}/driver.c", f"{folder}/libcuda.so.1"
        pathlib.Path(source).write_text("".join(f"int {one}(void) {{ return 100; }}\n" for one in DRIVER))
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", driver, source], check=True)
        ctypes.CDLL(driver, mode=ctypes.RTLD_GLOBAL)


class WithoutHandle(library.Library):
    def __init__(self):
        self.calls, self.handle = library.loaded("libcudnn.so.*"), ctypes.c_void_p()
        self.calls.cudnnGetErrorString.restype = ctypes.c_char_p
        library.ELEMENT[TYPE_CHAR] = ctypes.c_char
        described = [bytes([one]) for one in json.dumps(HOPPER).encode()] + [b"\0"]
        self.device = library.Descriptor(self, DEVICEPROP_DESCRIPTOR, [(DEVICEPROP_JSON, TYPE_CHAR, described)])


class OfDevice(library.Descriptor):
    """One that has the device instead of a handle."""

    def __init__(self, one, kind, attributes, referred=()):
        handles = (N.ATTR_OPERATIONGRAPH_HANDLE, N.ATTR_EXECUTION_PLAN_HANDLE)
        attributes = [attribute for attribute in attributes if attribute[0] not in handles]
        if kind in OF_DEVICE:
            attributes.append((OF_DEVICE[kind], N.TYPE_BACKEND_DESCRIPTOR, one.device))
        super().__init__(one, kind, attributes, referred)


def planned(plans, dtype, operation):
    """The engines of a type that make a plan for one of the examples."""
    found, able = engines.all_of(plans.library, dtype, operation), set()
    for number, notes in found.items():
        for question in engines.examples(operation, dtype):
            try:
                plans.plan(question, number, notes)
                able.add(number)
            except library.Error as why:
                assert why.is_refusal, why
    print(f"{dtype} {operation.name}: engines {sorted(found)}, with plans {sorted(able)}")
    return able


load_a_driver_without_devices()
graph.Descriptor = OfDevice
shared = graph.Plans(WithoutHandle())
wrong = [f"{dtype} {operation.name}" for dtype in graph.TYPES for operation in graph.OPERATIONS.values()
         if len(planned(shared, dtype, operation)) < 3]
print("hardly any engines:", *wrong if wrong else ["of none"])
sys.exit(bool(wrong))

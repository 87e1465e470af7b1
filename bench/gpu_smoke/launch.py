# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the packed kernels on this machine's GPU: correct or not, time, bandwidth. Needs numpy and the NVIDIA driver."""

import ctypes
import json
import statistics
import sys
from pathlib import Path

import numpy as np

# Numpy's word on each case: inputs to the expected output. The counter of `persistent` must begin at 0.
CASES = {"copy": lambda x: x, "matmul": lambda a, b: a @ b, "persistent": lambda a, b, _: np.maximum(a @ b, 0).sum(1)}
DTYPES, REPEATS, POINTER = {"f32": np.float32, "i32": np.int32}, 20, ctypes.c_void_p


class Gpu:
    """The first GPU through the driver API, which frees all memory at the end of the process."""

    def __init__(self, driver):
        """Make the GPU's context the current one; `driver` is libcuda, or a fake of it."""
        self.driver = driver
        self("cuInit", 0)
        device = self.make("cuDeviceGet", 0, kind=ctypes.c_int)
        self("cuCtxSetCurrent", self.make("cuDevicePrimaryCtxRetain", device))
        self.units = self.make("cuDeviceGetAttribute", 16, device, kind=ctypes.c_int).value  # multiprocessors

    def __call__(self, function, *arguments):
        """Call the driver; an error code is an error."""
        if code := getattr(self.driver, function)(*arguments):
            raise OSError(f"{function} failed with CUDA error {code}")

    def make(self, function, *arguments, kind=POINTER):
        """Call a function of the driver that stores its result at its first argument."""
        result = kind()
        self(function, ctypes.byref(result), *arguments)
        return result

    def run(self, folder):
        """Run the artifact in a folder; whether it is correct."""
        manifest = json.loads((folder / "manifest.json").read_text())
        (launch,), (kernel,), memory, random = manifest["launches"], manifest["kernels"], {}, np.random.default_rng(0)
        for b in manifest["buffers"]:
            array = np.full(b["shape"], 0 if b["role"] == "input" else -1, DTYPES[b["element_type"]])
            if b["role"] == "input" and b["element_type"] == "f32":
                array[...] = random.integers(-4, 5, b["shape"])
            size = ctypes.c_size_t(array.nbytes)
            address = self.make("cuMemAlloc_v2", size, kind=ctypes.c_uint64)
            self("cuMemcpyHtoD_v2", address, array.ctypes.data_as(POINTER), size)
            memory[b["name"]] = address, array, size
        module = self.make("cuModuleLoadData", (folder / kernel["files"]["ptx"]).read_bytes() + b"\0")
        entry = self.make("cuModuleGetFunction", module, launch["kernel"].encode())
        dynamic, (grid, *_), (threads, *_) = launch["dynamic_workgroup_bytes"], launch["grid"], launch["block"]
        self("cuFuncSetAttribute", entry, 8, dynamic)  # the most dynamic shared memory
        start, extra = "cuLaunchKernel", [None]
        if launch["cooperative"]:  # such kernels run with any grid whose blocks are all resident
            start, extra, query = "cuLaunchCooperativeKernel", [], "cuOccupancyMaxActiveBlocksPerMultiprocessor"
            resident = self.make(query, entry, threads, ctypes.c_size_t(dynamic), kind=ctypes.c_int)
            grid = min(grid, self.units * resident.value)
        pointers = [ctypes.cast(ctypes.byref(memory[view["buffer"]][0]), POINTER) for view in launch["arguments"]]
        cells, times = (POINTER * len(pointers))(*pointers), []
        events = [self.make("cuEventCreate", 0) for _ in range(2)]
        for _ in range(REPEATS):
            self("cuEventRecord", events[0], None)
            self(start, entry, grid, 1, 1, threads, 1, 1, dynamic, None, cells, *extra)
            self("cuEventRecord", events[1], None)
            self("cuEventSynchronize", events[1])
            times.append(self.make("cuEventElapsedTime", *events, kind=ctypes.c_float).value * 1e-3)
        (output,), inputs = manifest["outputs"], [memory[name][1] for name in manifest["inputs"]]
        address, got, size = memory[output]
        self("cuMemcpyDtoH_v2", got.ctypes.data_as(POINTER), address, size)
        wrong = np.count_nonzero(got != CASES[folder.name](*inputs))
        seconds, moved = statistics.median(times), got.nbytes + sum(a.nbytes for a in inputs if a.dtype == np.float32)
        verdict = f"WRONG in {wrong} of {got.size} elements" if wrong else "correct"
        print(f"{folder.name}: {verdict}, median {seconds * 1e6:.1f} us, {moved / max(seconds, 1e-12) / 1e9:.1f} GB/s")
        return not wrong


def main(driver=None):
    """Run every case; exit code 1 if one is wrong or cannot run."""
    try:
        gpu, here = Gpu(driver or ctypes.CDLL("libcuda.so.1")), Path(__file__).resolve().parent
        return 1 - min([gpu.run(here / name) for name in CASES])
    except OSError as error:
        print(f"launch.py: error: {error}; this needs a GPU with NVIDIA's driver", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the packed kernels on this machine's GPU: correct or not, time, bandwidth. Needs numpy and the NVIDIA driver."""

import ctypes
import json
import statistics
import sys
from pathlib import Path

import numpy as np

# Numpy's word on each case: inputs to the expected output, and the bytes that must move.
CASES = {
    "copy": (lambda x: x, lambda x: 2 * x.nbytes),
    "matmul": (lambda a, b: a @ b, lambda a, b: a.nbytes + b.nbytes + 4 * len(a) * b.shape[1]),
    "persistent": (lambda a, b, _: np.maximum(a @ b, 0).sum(1), lambda a, b, _: a.nbytes + b.nbytes + 4 * len(a)),
}
DTYPES, REPEATS = {"f32": np.float32, "i32": np.int32}, 20


class Gpu:
    """The first GPU through the driver API."""

    def __init__(self, driver):
        """Start; `driver` is libcuda, or a fake of it."""
        self.driver, device, context = driver, ctypes.c_int(), ctypes.c_void_p()
        self("cuInit", 0)
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)
        units = ctypes.c_int()
        self("cuDeviceGetAttribute", ctypes.byref(units), 16, device)  # multiprocessors
        self.units = units.value

    def __call__(self, function, *arguments):
        """Call the driver; an error code is an error."""
        code = getattr(self.driver, function)(*arguments)
        if code:
            raise RuntimeError(f"{function} failed with CUDA error {code}")

    def make(self, function, *arguments, kind=ctypes.c_void_p):
        """Call a function of the driver that stores its result at its first argument."""
        result = kind()
        self(function, ctypes.byref(result), *arguments)
        return result

    def run(self, folder):
        """Run the artifact in a folder; whether it is correct."""
        manifest = json.loads((folder / "manifest.json").read_text())
        (launch,), buffers, random = manifest["launches"], {}, np.random.default_rng(0)
        inputs, (output,) = [], manifest["outputs"]
        for b in manifest["buffers"]:
            dtype, kind = DTYPES[b["element_type"]], b["element_type"]
            array = random.integers(-4, 5, b["shape"]).astype(dtype) if kind == "f32" else np.zeros(b["shape"], dtype)
            array = array if b["role"] == "input" else np.full(b["shape"], -1, dtype)
            buffers[b["name"]] = address, array = (
                self.make("cuMemAlloc_v2", ctypes.c_size_t(array.nbytes), kind=ctypes.c_uint64),
                array,
            )
            self("cuMemcpyHtoD_v2", address, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
            inputs += [array] if b["role"] == "input" else []
        kernel = next(k for k in manifest["kernels"] if k["name"] == launch["kernel"])
        module = self.make("cuModuleLoadData", (folder / kernel["files"]["ptx"]).read_bytes() + b"\0")
        entry = self.make("cuModuleGetFunction", module, launch["kernel"].encode())
        dynamic, (grid, *_), (threads, *_) = launch["dynamic_workgroup_bytes"], launch["grid"], launch["block"]
        if dynamic:
            self("cuFuncSetAttribute", entry, 8, dynamic)  # the most dynamic shared memory
        if launch["cooperative"]:  # such kernels run with any grid whose blocks are all resident
            occupancy = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
            blocks = self.make(occupancy, entry, threads, ctypes.c_size_t(dynamic), kind=ctypes.c_int)
            grid = min(grid, self.units * blocks.value)
        pointers = [ctypes.pointer(buffers[view["buffer"]][0]) for view in launch["arguments"]]
        cells = (ctypes.c_void_p * len(pointers))(*[ctypes.cast(p, ctypes.c_void_p) for p in pointers])
        tail, extra = [grid, 1, 1, threads, 1, 1, dynamic, None, cells], [] if launch["cooperative"] else [None]
        events, times = [self.make("cuEventCreate", 0) for _ in range(2)], []
        for _ in range(REPEATS):
            self("cuEventRecord", events[0], None)
            self("cuLaunchCooperativeKernel" if launch["cooperative"] else "cuLaunchKernel", entry, *tail, *extra)
            self("cuEventRecord", events[1], None)
            self("cuEventSynchronize", events[1])
            times.append(self.make("cuEventElapsedTime", *events, kind=ctypes.c_float).value * 1e-3)
        address, got = buffers[output]
        self("cuMemcpyDtoH_v2", got.ctypes.data_as(ctypes.c_void_p), address, ctypes.c_size_t(got.nbytes))
        expected, moved = CASES[folder.name][0](*inputs), CASES[folder.name][1](*inputs)
        wrong, seconds = int(np.count_nonzero(got != expected)), statistics.median(times)
        for address, _ in buffers.values():
            self("cuMemFree_v2", address)
        verdict = "correct" if not wrong else f"WRONG in {wrong} of {got.size} elements"
        print(f"{folder.name}: {verdict}, median {seconds * 1e6:.1f} us, {moved / max(seconds, 1e-12) / 1e9:.1f} GB/s")
        return not wrong


def main(driver=None):
    """Run every case; exit code 1 if one is wrong."""
    gpu, here = Gpu(driver or ctypes.CDLL("libcuda.so.1")), Path(__file__).resolve().parent
    return 0 if all(list(map(gpu.run, [here / name for name in CASES]))) else 1


if __name__ == "__main__":
    sys.exit(main())

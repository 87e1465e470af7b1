/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The library of fake_cuda.c under HIP's names: an AMD driver for tests, whose device is a gfx942. FAKE_HIP_VERSION is
 * what it says of its version, 60400000 without it.
 */
#include "fake_cuda.c"

static int device_now;

const char *hipGetErrorString(int error) { return (void)error, "said the fake driver"; }
int hipInit(unsigned flags) { return cuInit(flags); }
int hipGetDeviceCount(int *count) { return cuDeviceGetCount(count); }
int hipGetDevice(int *device) { return *device = device_now, SUCCESS; }
int hipSetDevice(int device) { return device_now = device, current = context + device, SUCCESS; }
static int version(void) { return getenv("FAKE_HIP_VERSION") ? atoi(getenv("FAKE_HIP_VERSION")) : 60400000; }

/* Loaders before ROCm 6.3 do not know the sixth version of code objects, whose ABI is 4. */
int hipModuleLoadData(struct module **made, const void *image) {
    if (!strncmp(image, "\177ELF", 4) && ((const char *)image)[8] == 4 && version() < 60300000)
        return INVALID_IMAGE;
    return cuModuleLoadDataEx(made, image, 0, 0, 0);
}
int hipModuleGetFunction(struct function **made, struct module *module, const char *name) {
    return cuModuleGetFunction(made, module, name);
}
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, struct function *f, int threads, size_t shared) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared);
}
int hipModuleLaunchKernel(struct function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared, uint64_t stream, void **parameters, void **extra) {
    return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra);
}
int hipModuleLaunchCooperativeKernel(struct function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                     unsigned by, unsigned bz, unsigned shared, uint64_t stream, void **parameters) {
    return cuLaunchCooperativeKernel(f, gx, gy, gz, bx, by, bz, shared, stream, parameters);
}
int hipMalloc(uint64_t *address, size_t size) { return cuMemAlloc(address, size); }
int hipFree(uint64_t address) { return cuMemFree(address); }
int hipMemcpyAsync(uint64_t to, uint64_t from, size_t size, int kind, uint64_t stream) {
    static const char *const names[] = {"host", "upload", "download", "copy"};
    return copy(names[kind], to, from, size, stream);
}
int hipStreamIsCapturing(uint64_t stream, int *status) { return cuStreamIsCapturing(stream, status); }
int hipStreamSynchronize(uint64_t stream) { return cuStreamSynchronize(stream); }
int hipStreamWaitEvent(uint64_t stream, uint64_t event, unsigned flags) {
    return cuStreamWaitEvent(stream, event, flags);
}
int hipEventCreateWithFlags(uint64_t *event, unsigned flags) { return cuEventCreate(event, flags); }
int hipEventDestroy(uint64_t event) { return cuEventDestroy(event); }
int hipEventRecord(uint64_t event, uint64_t stream) { return cuEventRecord(event, stream); }
int hipEventSynchronize(uint64_t event) { return cuEventSynchronize(event); }
int hipEventElapsedTime(float *milliseconds, uint64_t start, uint64_t stop) {
    return cuEventElapsedTime(milliseconds, start, stop);
}

int hipDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) { /* hipDeviceAttribute_t of hip_runtime_api.h */
    case 10: return *value = 1, SUCCESS;                        /* cooperative launch */
    case 5: return *value = 2100000, SUCCESS;                   /* clock */
    case 19: return *value = 4 << 20, SUCCESS;                  /* L2 */
    case 26: case 27: case 28: return *value = 1024, SUCCESS;   /* threads of a block in x, y, z */
    case 29: case 30: case 31: return *value = 65536, SUCCESS;  /* blocks in x, y, z */
    case 56: return *value = 1024, SUCCESS;                     /* threads of a block */
    case 63: return *value = 304, SUCCESS;                      /* compute units */
    case 74: return *value = 65536, SUCCESS;                    /* workgroup memory */
    default: return INVALID_VALUE;
    }
}
int hipGetDevicePropertiesR0600(char *properties, int device) {
    (void)device;
    strcpy(properties, "Fake MI300X");
    *(size_t *)(properties + 288) = most_bytes(); /* totalGlobalMem */
    return strcpy(properties + 1160, "gfx942:sramecc+:xnack-"), SUCCESS; /* gcnArchName of hipDeviceProp_tR0600 */
}
int hipDriverGetVersion(int *found) { return *found = version(), SUCCESS; }
int hipMemsetAsync(uint64_t address, int value, size_t size, uint64_t stream) {
    return cuMemsetD8Async(address, (unsigned char)value, size, stream);
}
int hipPointerGetAttributes(int *attributes, uint64_t address) {
    return address < 4096 ? INVALID_VALUE : (attributes[0] = 2, attributes[1] = 0, SUCCESS); /* type, device */
}

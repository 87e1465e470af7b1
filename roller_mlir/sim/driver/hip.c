/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libamdhip64.so whose device is simulated: what the HIP runtime of this package, IREE's and plain programs call.
 */
#include "device.h"

static void *const primary = POINTER(0xc0);
static __thread int last_error;

static int noted(int status) { return status ? last_error = status : SUCCESS; }

API const char *hipGetErrorName(int error) {
    switch (error) {
    case SUCCESS: return "hipSuccess";
    case INVALID_VALUE: return "hipErrorInvalidValue";
    case OUT_OF_MEMORY: return "hipErrorOutOfMemory";
    case NOT_INITIALIZED: return "hipErrorNotInitialized";
    case NO_DEVICE: return "hipErrorNoDevice";
    case INVALID_DEVICE: return "hipErrorInvalidDevice";
    case INVALID_IMAGE: return "hipErrorInvalidImage";
    case NOT_FOUND: return "hipErrorNotFound";
    case LAUNCH_FAILED: return "hipErrorLaunchFailure";
    case NOT_SUPPORTED: return "hipErrorNotSupported";
    default: return "hipErrorUnknown";
    }
}
API const char *hipGetErrorString(int error) {
    return error && error == said_code ? said : error ? "an error of the simulated driver" : "no error";
}
API int hipDrvGetErrorString(int error, const char **text) { return *text = hipGetErrorString(error), SUCCESS; }
API int hipGetLastError(void) {
    int error = last_error;
    return last_error = SUCCESS, error;
}
API int hipPeekAtLastError(void) { return last_error; }

/* The device, its context; who never calls hipInit has it called by the first other function */
API int hipInit(unsigned flags) {
    connect_device("hip");
    return noted(flags ? INVALID_VALUE : devices() ? SUCCESS : said_code ? said_code : NO_DEVICE);
}
API int hipGetDeviceCount(int *count) { return connect_device("hip"), *count = devices(), SUCCESS; }
API int hipDriverGetVersion(int *version) { return *version = 60400000, SUCCESS; }
API int hipRuntimeGetVersion(int *version) { return hipDriverGetVersion(version); }
API int hipDeviceGet(int *found, int ordinal) { return *found = ordinal, noted(ordinal ? INVALID_DEVICE : SUCCESS); }
API int hipGetDevice(int *found) { return *found = 0, SUCCESS; }
API int hipSetDevice(int ordinal) { return connect_device("hip"), noted(ordinal ? INVALID_DEVICE : SUCCESS); }
API int hipDeviceSynchronize(void) { return wait_for_hosts(); }
API int hipDeviceGetName(char *name, int size, int of) { return (void)of, snprintf(name, size, "%s", device.name), SUCCESS; }
API int hipDeviceGetUuid(uint8_t *uuid, int of) { return (void)of, memcpy(uuid, device.uuid, 16), SUCCESS; }
API int hipDeviceTotalMem(size_t *bytes, int of) { return (void)of, *bytes = device.memory_bytes, SUCCESS; }
API int hipDeviceGetAttribute(int *value, int attribute, int of) { return (void)of, noted(attribute_of(value, attribute)); }
API int hipDeviceCanAccessPeer(int *can, int a, int b) { return (void)a, (void)b, *can = 0, SUCCESS; }
API int hipDeviceEnablePeerAccess(int of, unsigned flags) { return (void)of, (void)flags, noted(NOT_SUPPORTED); }
API int hipDevicePrimaryCtxRetain(void **made, int of) { return *made = primary, noted(of ? INVALID_DEVICE : SUCCESS); }
API int hipDevicePrimaryCtxRelease(int of) { return noted(of ? INVALID_DEVICE : SUCCESS); }
API int hipCtxSetCurrent(void *context) { return (void)context, SUCCESS; }
API int hipCtxGetCurrent(void **found) { return *found = primary, SUCCESS; }
API int hipCtxPushCurrent(void *context) { return (void)context, SUCCESS; }
API int hipCtxPopCurrent(void **context) { return context ? *context = primary : NULL, SUCCESS; }

/* Places in the record of properties: of ROCm 6 (R0600), and of the releases before, which IREE asks for. */
static int describe(char *to, size_t size, size_t memory, size_t subgroup, size_t architecture) {
    int lanes = 0, status = attribute_of(&lanes, 87);
    memset(to, 0, size);
    snprintf(to, 256, "%s", device.name);
    memcpy(to + memory, &device.memory_bytes, 8);
    memcpy(to + subgroup, &lanes, 4);
    return snprintf(to + architecture, 256, "%s", device.architecture), noted(status);
}
API int hipGetDevicePropertiesR0600(char *to, int of) { return (void)of, describe(to, 1472, 288, 308, 1160); }
API int hipGetDeviceProperties(char *to, int of) { return (void)of, describe(to, 792, 256, 276, 396); }

/* Streams, events, functions of the host */
API int hipStreamCreateWithFlags(void **made, unsigned flags) { return (void)flags, *made = malloc(1), SUCCESS; }
API int hipStreamCreate(void **made) { return hipStreamCreateWithFlags(made, 0); }
API int hipStreamDestroy(void *stream) { return free(stream), SUCCESS; }
API int hipStreamSynchronize(void *stream) { return (void)stream, wait_for_hosts(); }
API int hipStreamQuery(void *stream) { return (void)stream, SUCCESS; }
API int hipStreamWaitEvent(void *stream, void *event, unsigned flags) { return (void)stream, (void)event, (void)flags, SUCCESS; }
API int hipStreamIsCapturing(void *stream, int *status) { return (void)stream, *status = 0, SUCCESS; }
API int hipLaunchHostFunc(void *stream, void (*call)(void *), void *data) { return (void)stream, call_host(call, data); }
API int hipEventCreateWithFlags(struct event **made, unsigned flags) { return (void)flags, make_event(made); }
API int hipEventCreate(struct event **made) { return make_event(made); }
API int hipEventDestroy(struct event *event) { return free(event), SUCCESS; }
API int hipEventRecord(struct event *event, void *stream) { return (void)stream, note_event(event); }
API int hipEventQuery(struct event *event) { return (void)event, SUCCESS; }
API int hipEventSynchronize(struct event *event) { return (void)event, SUCCESS; }
API int hipEventElapsedTime(float *milliseconds, struct event *from, struct event *to) { return elapsed(milliseconds, from, to); }

/* Memory; that of the host, made here, is the device's too */
API int hipMalloc(uint64_t *made, size_t size) { return noted(allocate(made, size)); }
API int hipMallocAsync(uint64_t *made, size_t size, void *stream) { return (void)stream, hipMalloc(made, size); }
API int hipMallocManaged(uint64_t *made, size_t size, unsigned flags) { return (void)flags, hipMalloc(made, size); }
API int hipMallocFromPoolAsync(uint64_t *made, size_t size, void *pool, void *stream) {
    return (void)pool, (void)stream, hipMalloc(made, size);
}
API int hipHostMalloc(uint64_t *made, size_t size, unsigned flags) { return (void)flags, hipMalloc(made, size); }
API int hipFree(uint64_t address) { return noted(give_back(address)); }
API int hipFreeAsync(uint64_t address, void *stream) { return (void)stream, hipFree(address); }
API int hipHostFree(uint64_t address) { return hipFree(address); }
API int hipHostGetDevicePointer(uint64_t *found, uint64_t address, unsigned flags) {
    return (void)flags, *found = address, noted(check_device(address, 1));
}
API int hipHostRegister(void *address, size_t size, unsigned flags) {
    (void)size, (void)flags;
    return noted(refuse(NOT_SUPPORTED, "the simulated device cannot reach %p of the host; copy it to the device", address));
}
API int hipHostUnregister(void *address) { return (void)address, noted(NOT_SUPPORTED); }
API int hipMemGetInfo(size_t *left, size_t *all) { return *left = *all = device.memory_bytes, SUCCESS; }
API int hipPointerGetAttributes(int *attributes, uint64_t address) {
    if (check_device(address, 1))
        return noted(INVALID_VALUE);
    return attributes[0] = 2, attributes[1] = 0, SUCCESS; /* memory of a device, and which */
}
API int hipMemPrefetchAsync(uint64_t address, size_t size, int to, void *stream) {
    return (void)address, (void)size, (void)to, (void)stream, SUCCESS;
}
API int hipMemcpy(uint64_t to, uint64_t from, size_t size, int way) { return (void)way, noted(copy(to, from, size)); }
API int hipMemcpyAsync(uint64_t to, uint64_t from, size_t size, int way, void *stream) {
    return (void)stream, hipMemcpy(to, from, size, way);
}
API int hipMemcpyHtoDAsync(uint64_t to, uint64_t from, size_t size, void *stream) {
    return (void)stream, noted(copy(to, from, size));
}
ALIAS(hipMemcpyDtoHAsync, hipMemcpyHtoDAsync);
ALIAS(hipMemcpyDtoDAsync, hipMemcpyHtoDAsync);
API int hipMemset(uint64_t to, int value, size_t count) { return noted(fill(to, value, 1, count)); }
API int hipMemsetAsync(uint64_t to, int value, size_t count, void *stream) { return (void)stream, hipMemset(to, value, count); }
API int hipMemsetD8Async(uint64_t to, uint8_t value, size_t count, void *stream) { return (void)stream, noted(fill(to, value, 1, count)); }
API int hipMemsetD16Async(uint64_t to, uint16_t value, size_t count, void *stream) { return (void)stream, noted(fill(to, value, 2, count)); }
API int hipMemsetD32Async(uint64_t to, int value, size_t count, void *stream) { return (void)stream, noted(fill(to, value, 4, count)); }

/* Kernels */
API int hipModuleLoadData(struct module **made, const void *image) { return noted(load_module(made, image)); }
API int hipModuleLoadDataEx(struct module **made, const void *image, unsigned count, int *options, void **values) {
    return (void)count, (void)options, (void)values, hipModuleLoadData(made, image);
}
API int hipModuleUnload(struct module *module) { return free(module), SUCCESS; }
API int hipModuleGetFunction(struct function **made, struct module *module, const char *name) {
    return noted(find_function(made, module, name));
}
API int hipModuleGetGlobal(void **found, size_t *size, struct module *module, const char *name) {
    (void)found, (void)size, (void)module;
    return noted(refuse(NOT_FOUND, "the simulated device knows kernels only, but '%s' is asked for", name));
}
API int hipFuncSetAttribute(const void *function, int attribute, int value) {
    return (void)function, (void)attribute, (void)value, SUCCESS;
}
API int hipFuncGetAttribute(int *value, int attribute, const void *function) {
    (void)function, (void)attribute;
    return noted(attribute_of(value, 74)); /* IREE asks how much workgroup memory a kernel may have */
}
API int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, struct function *function, int threads,
                                                           size_t shared) {
    int most = 0, status = ((void)function, (void)shared, attribute_of(&most, 57)); /* threads of a multiprocessor */
    return noted(status ? status : resident_blocks(blocks, threads, most));
}
API int hipModuleLaunchKernel(struct function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, void *stream, void **parameters, void **extra) {
    const struct shape shape = {{gx, gy, gz}, {bx, by, bz}, shared, 0, {1, 1, 1}};
    return (void)stream, noted(launch(function, &shape, parameters, extra));
}
API int hipModuleLaunchCooperativeKernel(struct function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                         unsigned by, unsigned bz, unsigned shared, void *stream, void **parameters) {
    const struct shape shape = {{gx, gy, gz}, {bx, by, bz}, shared, 1, {1, 1, 1}};
    return (void)stream, noted(launch(function, &shape, parameters, NULL));
}

/* IREE asks for these functions, and calls them for pools, which the device says not to have, or for graphs. */
#define NOT_HERE(name) API int name(void) { return noted(refuse(NOT_SUPPORTED, #name " is not simulated")); }
NOT_HERE(hipMemPoolCreate) NOT_HERE(hipMemPoolDestroy) NOT_HERE(hipMemPoolGetAttribute) NOT_HERE(hipMemPoolSetAttribute)
NOT_HERE(hipMemPoolTrimTo) NOT_HERE(hipLaunchKernel) NOT_HERE(hipGraphCreate) NOT_HERE(hipGraphDestroy)
NOT_HERE(hipGraphAddEmptyNode) NOT_HERE(hipGraphAddEventRecordNode) NOT_HERE(hipGraphAddKernelNode)
NOT_HERE(hipGraphAddMemsetNode) NOT_HERE(hipDrvGraphAddMemcpyNode) NOT_HERE(hipGraphInstantiate)
NOT_HERE(hipGraphLaunch) NOT_HERE(hipGraphExecDestroy)

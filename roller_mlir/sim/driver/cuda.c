/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libcuda.so.1 whose device is simulated: what the CUDA runtime of this package, IREE's and plain programs call.
 */
#include "device.h"
#include "graph.h"

typedef uint64_t address_t;
static void *const primary = POINTER(0xc0);
static __thread void *current;
enum { ASSUMED_SHARED_BYTES = 48 << 10, ALLOW_SHARED = 8, CLUSTER = 4, COOPERATIVE = 2, DEVICE_ORDINAL = 9 };

API int cuGetErrorName(int error, const char **name) {
    static const struct {
        int code;
        const char *name;
    } names[] = {{SUCCESS, "CUDA_SUCCESS"}, {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
                 {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"}, {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
                 {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"}, {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
                 {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"}, {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
                 {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"}, {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == error)
            return *name = names[i].name, SUCCESS;
    return *name = NULL, INVALID_VALUE;
}
API int cuGetErrorString(int error, const char **text) {
    return *text = error && error == said_code ? said : error ? "an error of the simulated driver" : "no error", SUCCESS;
}
API int cuInit(unsigned flags) {
    connect_device("cuda");
    return flags ? INVALID_VALUE : devices() ? SUCCESS : said_code ? said_code : NO_DEVICE;
}
API int cuDriverGetVersion(int *version) { return *version = 13000, SUCCESS; }

/* The device, its context */
API int cuDeviceGetCount(int *count) { return *count = devices(), SUCCESS; }
API int cuDeviceGet(int *found, int ordinal) { return *found = ordinal, ordinal ? INVALID_DEVICE : SUCCESS; }
API int cuDeviceGetName(char *name, int size, int of) { return (void)of, snprintf(name, size, "%s", device.name), SUCCESS; }
API int cuDeviceGetUuid(uint8_t *uuid, int of) { return (void)of, memcpy(uuid, device.uuid, 16), SUCCESS; }
ALIAS(cuDeviceGetUuid_v2, cuDeviceGetUuid);
API int cuDeviceTotalMem(size_t *bytes, int of) { return (void)of, *bytes = device.memory_bytes, SUCCESS; }
ALIAS(cuDeviceTotalMem_v2, cuDeviceTotalMem);
API int cuDeviceGetAttribute(int *value, int attribute, int of) { return (void)of, attribute_of(value, attribute); }
API int cuDevicePrimaryCtxRetain(void **made, int of) { return *made = primary, of ? INVALID_DEVICE : SUCCESS; }
API int cuDevicePrimaryCtxRelease(int of) { return of ? INVALID_DEVICE : SUCCESS; }
ALIAS(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease);
API int cuCtxCreate(void **made, unsigned flags, int of) {
    return (void)flags, *made = current = primary, of ? INVALID_DEVICE : SUCCESS;
}
ALIAS(cuCtxCreate_v2, cuCtxCreate);
API int cuCtxCreate_v4(void **made, void *how, unsigned flags, int of) { return (void)how, cuCtxCreate(made, flags, of); }
API int cuCtxDestroy(void *context) { return (void)context, SUCCESS; }
ALIAS(cuCtxDestroy_v2, cuCtxDestroy);
API int cuCtxGetCurrent(void **found) { return *found = current, SUCCESS; }
API int cuCtxSetCurrent(void *context) { return current = context, SUCCESS; }
API int cuCtxPushCurrent(void *context) { return current = context, SUCCESS; }
ALIAS(cuCtxPushCurrent_v2, cuCtxPushCurrent);
API int cuCtxPopCurrent(void **context) { return context ? *context = current : NULL, SUCCESS; }
ALIAS(cuCtxPopCurrent_v2, cuCtxPopCurrent);
API int cuCtxGetDevice(int *found) { return *found = 0, SUCCESS; }
API int cuCtxSynchronize(void) { return wait_for_hosts(); }

/* Streams, events, functions of the host */
API int cuStreamCreate(void **made, unsigned flags) { return (void)flags, *made = malloc(1), SUCCESS; }
API int cuStreamCreateWithPriority(void **made, unsigned flags, int priority) {
    return (void)priority, cuStreamCreate(made, flags);
}
API int cuStreamDestroy(void *stream) { return free(stream), SUCCESS; }
ALIAS(cuStreamDestroy_v2, cuStreamDestroy);
API int cuStreamSynchronize(void *stream) { return (void)stream, wait_for_hosts(); }
API int cuStreamQuery(void *stream) { return (void)stream, SUCCESS; }
API int cuStreamWaitEvent(void *stream, void *event, unsigned flags) { return (void)stream, (void)event, (void)flags, SUCCESS; }
API int cuStreamIsCapturing(void *stream, int *status) { return (void)stream, *status = 0, SUCCESS; }
API int cuLaunchHostFunc(void *stream, void (*call)(void *), void *data) { return (void)stream, call_host(call, data); }
API int cuEventCreate(struct event **made, unsigned flags) { return (void)flags, make_event(made); }
API int cuEventDestroy(struct event *event) { return free(event), SUCCESS; }
ALIAS(cuEventDestroy_v2, cuEventDestroy);
API int cuEventRecord(struct event *event, void *stream) { return (void)stream, note_event(event); }
API int cuEventQuery(struct event *event) { return (void)event, SUCCESS; }
API int cuEventSynchronize(struct event *event) { return (void)event, SUCCESS; }
API int cuEventElapsedTime(float *milliseconds, struct event *from, struct event *to) { return elapsed(milliseconds, from, to); }
ALIAS(cuEventElapsedTime_v2, cuEventElapsedTime);

/* Memory; that of the host, made here, is the device's too */
API int cuMemAlloc(address_t *made, size_t size) { return allocate(made, size); }
ALIAS(cuMemAlloc_v2, cuMemAlloc);
API int cuMemAllocManaged(address_t *made, size_t size, unsigned flags) { return (void)flags, allocate(made, size); }
API int cuMemAllocAsync(address_t *made, size_t size, void *stream) { return (void)stream, allocate(made, size); }
API int cuMemAllocFromPoolAsync(address_t *made, size_t size, void *pool, void *stream) {
    return (void)pool, (void)stream, allocate(made, size);
}
API int cuMemFree(address_t address) { return give_back(address); }
ALIAS(cuMemFree_v2, cuMemFree);
API int cuMemFreeAsync(address_t address, void *stream) { return (void)stream, give_back(address); }
API int cuMemHostAlloc(void **made, size_t size, unsigned flags) {
    address_t address;
    int status = ((void)flags, allocate(&address, size));
    return status ? status : (*made = POINTER(address), SUCCESS);
}
API int cuMemAllocHost(void **made, size_t size) { return cuMemHostAlloc(made, size, 0); }
ALIAS(cuMemAllocHost_v2, cuMemAllocHost);
API int cuMemFreeHost(void *address) { return give_back((uintptr_t)address); }
API int cuMemHostGetDevicePointer(address_t *found, void *address, unsigned flags) {
    return (void)flags, *found = (uintptr_t)address, check_device(*found, 1);
}
ALIAS(cuMemHostGetDevicePointer_v2, cuMemHostGetDevicePointer);
API int cuMemHostRegister(void *address, size_t size, unsigned flags) {
    (void)size, (void)flags;
    return refuse(NOT_SUPPORTED, "the simulated device cannot reach %p of the host; copy it to the device", address);
}
ALIAS(cuMemHostRegister_v2, cuMemHostRegister);
API int cuMemHostUnregister(void *address) { return (void)address, NOT_SUPPORTED; }
API int cuMemGetInfo(size_t *left, size_t *all) { return *left = *all = device.memory_bytes, SUCCESS; }
ALIAS(cuMemGetInfo_v2, cuMemGetInfo);
API int cuPointerGetAttribute(void *value, int attribute, address_t address) {
    if (attribute != DEVICE_ORDINAL || check_device(address, 1))
        return INVALID_VALUE;
    return *(int *)value = 0, SUCCESS;
}
API int cuMemPrefetchAsync(address_t address, size_t size, int to, void *stream) {
    return (void)address, (void)size, (void)to, (void)stream, SUCCESS;
}
API int cuMemcpyAsync(address_t to, address_t from, size_t size, void *stream) { return (void)stream, copy(to, from, size); }
ALIAS(cuMemcpyHtoDAsync, cuMemcpyAsync);
ALIAS(cuMemcpyHtoDAsync_v2, cuMemcpyAsync);
ALIAS(cuMemcpyDtoHAsync, cuMemcpyAsync);
ALIAS(cuMemcpyDtoHAsync_v2, cuMemcpyAsync);
ALIAS(cuMemcpyDtoDAsync, cuMemcpyAsync);
ALIAS(cuMemcpyDtoDAsync_v2, cuMemcpyAsync);
API int cuMemcpy(address_t to, address_t from, size_t size) { return copy(to, from, size); }
ALIAS(cuMemcpyHtoD, cuMemcpy);
ALIAS(cuMemcpyHtoD_v2, cuMemcpy);
ALIAS(cuMemcpyDtoH, cuMemcpy);
ALIAS(cuMemcpyDtoH_v2, cuMemcpy);
ALIAS(cuMemcpyDtoD, cuMemcpy);
ALIAS(cuMemcpyDtoD_v2, cuMemcpy);
API int cuMemsetD8Async(address_t to, uint8_t value, size_t count, void *stream) { return (void)stream, fill(to, value, 1, count); }
API int cuMemsetD16Async(address_t to, uint16_t value, size_t count, void *stream) { return (void)stream, fill(to, value, 2, count); }
API int cuMemsetD32Async(address_t to, uint32_t value, size_t count, void *stream) { return (void)stream, fill(to, value, 4, count); }
API int cuMemsetD8(address_t to, uint8_t value, size_t count) { return fill(to, value, 1, count); }
ALIAS(cuMemsetD8_v2, cuMemsetD8);
API int cuMemsetD32(address_t to, uint32_t value, size_t count) { return fill(to, value, 4, count); }
ALIAS(cuMemsetD32_v2, cuMemsetD32);

/* Kernels */
API int cuModuleLoadData(struct module **made, const void *image) { return load_module(made, image); }
API int cuModuleLoadDataEx(struct module **made, const void *image, unsigned count, const int *options, void **values) {
    int status = load_module(made, image);
    for (unsigned i = 0; status && i + 1 < count; i++)
        if (options[i] == 5 && options[i + 1] == 6) /* CU_JIT_ERROR_LOG_BUFFER and its size */
            snprintf(values[i], (uint32_t)(uintptr_t)values[i + 1], "%s", said);
    return status;
}
API int cuModuleUnload(struct module *module) { return free(module), SUCCESS; }
API int cuModuleGetFunction(struct function **made, struct module *module, const char *name) {
    return find_function(made, module, name);
}
API int cuModuleGetGlobal(address_t *found, size_t *size, struct module *module, const char *name) {
    (void)found, (void)size, (void)module;
    return refuse(NOT_FOUND, "the simulated device knows kernels only, but '%s' is asked for", name);
}
ALIAS(cuModuleGetGlobal_v2, cuModuleGetGlobal);
API int cuFuncSetAttribute(struct function *function, int attribute, int value) {
    if (attribute == ALLOW_SHARED)
        function->allowed_bytes = value;
    return SUCCESS;
}
API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, struct function *function, int threads, size_t shared) {
    int most = 0, status = ((void)function, (void)shared, attribute_of(&most, 39)); /* threads of a multiprocessor */
    return status ? status : resident_blocks(blocks, threads, most);
}
static int start(struct function *function, const struct shape *shape, void **parameters, void **extra) {
    if (shape->shared_bytes > ASSUMED_SHARED_BYTES && shape->shared_bytes > function->allowed_bytes)
        return refuse(INVALID_VALUE, "kernel '%s' asks for %u B of workgroup memory, but may have %u B: see "
                      "cuFuncSetAttribute", function->name, shape->shared_bytes, ASSUMED_SHARED_BYTES);
    return launch(function, shape, parameters, extra);
}
API int cuLaunchKernel(struct function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                       unsigned bz, unsigned shared, void *stream, void **parameters, void **extra) {
    const struct shape shape = {{gx, gy, gz}, {bx, by, bz}, shared, 0, {1, 1, 1}};
    return (void)stream, start(function, &shape, parameters, extra);
}
API int cuLaunchCooperativeKernel(struct function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                  unsigned by, unsigned bz, unsigned shared, void *stream, void **parameters) {
    const struct shape shape = {{gx, gy, gz}, {bx, by, bz}, shared, 1, {1, 1, 1}};
    return (void)stream, start(function, &shape, parameters, NULL);
}
struct attribute {
    int id, padding;
    uint32_t value[16];
};
struct configuration {
    uint32_t grid[3], block[3], shared_bytes;
    void *stream;
    const struct attribute *attributes;
    unsigned count;
};
static void set_attribute(struct shape *shape, int id, const uint32_t *value) {
    if (id == CLUSTER)
        memcpy(shape->cluster, value, sizeof shape->cluster);
    else if (id == COOPERATIVE)
        shape->cooperative = value[0] != 0;
}
API int cuLaunchKernelEx(const struct configuration *how, struct function *function, void **parameters, void **extra) {
    struct shape shape = {.shared_bytes = how->shared_bytes, .cluster = {1, 1, 1}};
    memcpy(shape.grid, how->grid, sizeof how->grid);
    memcpy(shape.block, how->block, sizeof how->block);
    for (unsigned i = 0; i < how->count; i++)
        set_attribute(&shape, how->attributes[i].id, how->attributes[i].value);
    return start(function, &shape, parameters, extra);
}

/* The record is ours, and the server holds it against the artifact's: as many bytes as NVIDIA's, in another order. */
struct map {
    uint8_t type, rank, swizzle, promotion;
    uint32_t unused;
    uint64_t address, strides[4];
    uint32_t extents[5], box[5], steps[5];
};
API int cuTensorMapEncodeTiled(void *record, int type, uint32_t rank, void *address, const uint64_t *extents,
                               const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                               int swizzle, int promotion, int filling) {
    if ((uintptr_t)record % 64 || (uintptr_t)address % 16 || interleave || filling || rank < 1 || rank > 5)
        return refuse(INVALID_VALUE, "a tensor map must lie at a multiple of 64 and its array at one of 16, have 1 to 5 "
                      "dimensions, and neither interleave nor fill with NaN");
    struct map map = {.type = type, .rank = rank, .swizzle = swizzle, .promotion = promotion, .address = (uintptr_t)address};
    for (uint32_t i = 0; i < rank; i++) {
        map.extents[i] = extents[i], map.box[i] = box[i], map.steps[i] = steps[i];
        if (i + 1 < rank)
            map.strides[i] = strides[i];
    }
    return memset(record, 0, 128), memcpy(record, &map, sizeof map), SUCCESS;
}

/* Graphs */
struct kernel_node {
    struct function *function;
    uint32_t grid[3], block[3], shared_bytes;
    void **parameters, **extra;
};
struct place {
    size_t x, y, z, level;
    int type;
    void *host;
    address_t device;
    void *array, *reserved;
    size_t pitch, height;
};
struct copy_node {
    struct place from, to;
    size_t width, height, depth;
};
struct fill_node {
    address_t to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
};
API int cuGraphCreate(struct graph **made, unsigned flags) { return (void)flags, make_graph(made); }
API int cuGraphDestroy(struct graph *graph) { return free_graph(graph); }
ALIAS(cuGraphExecDestroy, cuGraphDestroy);
API int cuGraphAddEmptyNode(struct node **made, struct graph *graph, struct node *const *after, size_t count) {
    return (void)after, (void)count, *made = add_node(graph, 0), SUCCESS;
}
API int cuGraphAddEventRecordNode(struct node **made, struct graph *graph, struct node *const *after, size_t count,
                                  struct event *event) {
    return (void)event, cuGraphAddEmptyNode(made, graph, after, count);
}
API int cuGraphAddKernelNode(struct node **made, struct graph *graph, struct node *const *after, size_t count,
                             const struct kernel_node *given) {
    (void)after, (void)count;
    if (given->extra)
        return refuse(NOT_SUPPORTED, "the simulated driver takes parameters as an array of their addresses only");
    struct node *one = *made = add_node(graph, KERNEL_NODE);
    one->function = given->function;
    one->shape = (struct shape){.shared_bytes = given->shared_bytes, .cluster = {1, 1, 1}};
    memcpy(one->shape.grid, given->grid, sizeof given->grid);
    memcpy(one->shape.block, given->block, sizeof given->block);
    one->values = malloc(parameter_bytes(given->function) + 1);
    return gather(given->function, given->parameters, one->values), SUCCESS;
}
ALIAS(cuGraphAddKernelNode_v2, cuGraphAddKernelNode);
/* As of CUDA 12.3 and later, with what each edge is; cuGetProcAddress gives it for the name without _v2, too. */
struct edge {
    uint8_t from_port, to_port, type, reserved[5];
};
API int cuGraphAddDependencies(struct graph *graph, struct node *const *from, struct node *const *to,
                               const struct edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct edge edge = edges ? edges[i] : (struct edge){0};
        if (edge.type > 1 || edge.from_port > 2 || edge.to_port || (edge.type && !edge.from_port) ||
            (edge.type && (from[i]->kind != KERNEL_NODE || to[i]->kind != KERNEL_NODE)))
            return refuse(INVALID_VALUE, "programmatic edges lead from a programmatic port of a kernel to a kernel");
        if (!stands_before(graph, from[i], to[i]))
            return refuse(NOT_SUPPORTED, "the simulated driver runs nodes in the order in which they were added");
    }
    return SUCCESS;
}
ALIAS(cuGraphAddDependencies_v2, cuGraphAddDependencies);
API int cuGraphKernelNodeSetAttribute(struct node *node, int id, const uint32_t *value) {
    return set_attribute(&node->shape, id, value), SUCCESS;
}
API int cuGraphAddMemcpyNode(struct node **made, struct graph *graph, struct node *const *after, size_t count,
                             const struct copy_node *given, void *context) {
    (void)after, (void)count, (void)context;
    if (given->from.type != 2 || given->to.type != 2 || given->height != 1 || given->depth != 1)
        return refuse(NOT_SUPPORTED, "the simulated driver copies bytes in a row within the device only, in a graph");
    struct node *one = *made = add_node(graph, COPY_NODE);
    one->to = given->to.device + given->to.x, one->from = given->from.device + given->from.x, one->width = given->width;
    return SUCCESS;
}
API int cuGraphAddMemsetNode(struct node **made, struct graph *graph, struct node *const *after, size_t count,
                             const struct fill_node *given, void *context) {
    (void)after, (void)count, (void)context;
    if (given->height != 1)
        return refuse(NOT_SUPPORTED, "the simulated driver fills bytes in a row only, in a graph");
    struct node *one = *made = add_node(graph, FILL_NODE);
    one->to = given->to, one->value = given->value, one->width = given->element_bytes, one->count = given->width;
    return SUCCESS;
}
API int cuGraphGetNodes(struct graph *graph, struct node **nodes, size_t *count) {
    size_t room = *count, number = 0;
    for (struct node *one = graph->first; nodes && one && number < room; one = one->next)
        nodes[number++] = one;
    return *count = nodes ? number : graph->count, SUCCESS;
}
API int cuGraphInstantiateWithFlags(struct graph **made, struct graph *graph, uint64_t flags) {
    return (void)flags, instantiate(made, graph);
}
ALIAS(cuGraphInstantiate, cuGraphInstantiateWithFlags);
API int cuGraphLaunch(struct graph *graph, void *stream) { return (void)stream, launch_graph(graph); }

/* Pools: IREE asks for the functions, and for none of the pools, as the device says that it has none */
#define NO_POOLS(name) API int name(void) { return refuse(NOT_SUPPORTED, #name ": the simulated device has no pools"); }
NO_POOLS(cuMemPoolCreate) NO_POOLS(cuMemPoolDestroy) NO_POOLS(cuMemPoolGetAttribute) NO_POOLS(cuMemPoolSetAccess)
NO_POOLS(cuMemPoolSetAttribute) NO_POOLS(cuMemPoolTrimTo)

/* What is not here is not there, as in an old driver. */
API int cuGetProcAddress(const char *symbol, void **address, int version, uint64_t flags) {
    static void *self;
    Dl_info here;
    (void)version, (void)flags;
    if (!self && dladdr((void *)cuInit, &here))
        self = dlopen(here.dli_fname, RTLD_NOLOAD | RTLD_NOW);
    *address = self ? dlsym(self, symbol) : NULL;
    return *address ? SUCCESS : NOT_FOUND;
}
API int cuGetProcAddress_v2(const char *symbol, void **address, int version, uint64_t flags, int *status) {
    int found = cuGetProcAddress(symbol, address, version, flags);
    if (status)
        *status = found ? 1 : 0;
    return found;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A driver library for tests: memory is the host's, every call that matters is written down, and one kind of kernel
 * runs ("twice...": float32, its second argument becomes two times its first). Handles count up from 0x1000.
 *
 * FAKE_CUDA_LOG names the file of the record. cuGetProcAddress finds what is defined here and says of the rest, as an
 * old driver would, that it is not there.
 *
 * Its clock, which events note, is only moved by what it is given to do: a kernel "..._us20" takes 20 microseconds, any
 * other 500, and filling takes 1 per MiB and 1 more. A kernel "..._slower" takes 1 microsecond more each time. What else
 * kernels do, by a part of their names: "_wrong" gives 3 times, "_hang" never ends, "_crash" kills the process, "_fault"
 * makes every later call fail, "_late" is so only from the second time on, "_third" from the third, "_writes"
 * spoils its input.
 * FAKE_CUDA_REFUSES=cubin makes it refuse images that begin as ELF does, as drivers refuse those of newer toolkits.
 * FAKE_CUDA_BYTES is the device's memory, 1 MiB without it; pieces above 64 MiB are there, but nobody fills them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUCCESS 0
#define INVALID_VALUE 1
#define OUT_OF_MEMORY 2
#define INVALID_IMAGE 200
#define NOT_FOUND 500
#define ILLEGAL_ADDRESS 700
#define INVALID_PTX 218
#define CAPTURING 0xcafe /* the stream of which this driver says that it records a graph */

struct function {
    char name[64];
    int parameters, sizes[16], runs;
};
struct module {
    char *text;
};

static uint64_t context = 0xc0, current, handles = 0x1000, live_bytes;
static const uint64_t large_bytes = 64u << 20;
static double clock_us, noted_us[1 << 16];
static int faulted;

static uint64_t most_bytes(void) {
    const char *given = getenv("FAKE_CUDA_BYTES");
    return given ? strtoull(given, NULL, 10) : 1u << 20;
}

static void say(const char *format, ...) {
    const char *path = getenv("FAKE_CUDA_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    va_list arguments;
    if (!log)
        return;
    va_start(arguments, format);
    vfprintf(log, format, arguments);
    va_end(arguments);
    fputc('\n', log);
    fclose(log);
}

int cuGetProcAddress_v2(const char *symbol, void **address, int version, uint64_t flags, int *status) {
    (void)version, (void)flags;
    void *self = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW);
    *address = self ? dlsym(self, symbol) : NULL;
    if (status)
        *status = *address ? 0 : 1;
    return *address ? SUCCESS : NOT_FOUND;
}
int cuInit(unsigned flags) { return flags ? INVALID_VALUE : SUCCESS; }
int cuDriverGetVersion(int *version) { return *version = 13000, SUCCESS; }
int cuDeviceGetCount(int *count) { return *count = 2, SUCCESS; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, SUCCESS; }
int cuDevicePrimaryCtxRetain(uint64_t *made, int device) { return *made = context + device, SUCCESS; }
int cuCtxGetCurrent(uint64_t *found) { return *found = current, SUCCESS; }
int cuCtxSetCurrent(uint64_t wanted) { return current = wanted, SUCCESS; }
int cuGetErrorName(int error, const char **name) {
    return *name = error == INVALID_PTX     ? "CUDA_ERROR_INVALID_PTX"
                   : error == INVALID_IMAGE ? "CUDA_ERROR_INVALID_IMAGE"
                                            : "CUDA_ERROR",
           SUCCESS;
}
int cuGetErrorString(int error, const char **text) { return (void)error, *text = "said the fake driver", SUCCESS; }

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) { /* CUdevice_attribute of cuda.h */
    case 1: case 2: return *value = 1024, SUCCESS;          /* threads of a block, in x */
    case 3: return *value = 1024, SUCCESS;                  /* in y */
    case 4: return *value = 64, SUCCESS;                    /* in z */
    case 5: return *value = 2147483647, SUCCESS;            /* blocks in x */
    case 6: case 7: return *value = 65535, SUCCESS;         /* in y and z */
    case 16: return *value = 132, SUCCESS;                  /* multiprocessors */
    case 75: return *value = 9, SUCCESS;                    /* compute capability */
    case 76: return *value = 0, SUCCESS;
    case 95: return *value = 1, SUCCESS;                    /* cooperative launch */
    case 97: return *value = 232448, SUCCESS;               /* workgroup memory, where asked for */
    case 13: return *value = 1980000, SUCCESS;              /* clock */
    case 38: return *value = 50 << 20, SUCCESS;             /* L2 */
    case 120: return *value = 1, SUCCESS;                   /* clusters */
    default: return INVALID_VALUE;
    }
}
int cuDeviceGetName(char *name, int size, int device) {
    return (void)device, snprintf(name, size, "Fake H200"), SUCCESS;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = most_bytes(), SUCCESS; }
int cuDeviceTotalMem(size_t *bytes, int device) { return cuDeviceTotalMem_v2(bytes, device); }

int cuModuleLoadDataEx(struct module **made, const void *image, unsigned count, int *options, void **values) {
    const char *text = image, *refused = getenv("FAKE_CUDA_REFUSES");
    if (refused && !strcmp(refused, "cubin") && !strncmp(text, "\177ELF", 4))
        return INVALID_IMAGE;
    if (strstr(text, "not assembly")) {
        for (unsigned i = 0; i < count; i++)
            if (options[i] == 5) /* CU_JIT_ERROR_LOG_BUFFER */
                strcpy(values[i], "line 1: unexpected text");
        return INVALID_PTX;
    }
    *made = calloc(1, sizeof **made);
    (*made)->text = strdup(text);
    say("load %zu bytes", strlen(text));
    return SUCCESS;
}

/* Reads the sizes of the parameters from PTX, as the driver knows them. */
int cuModuleGetFunction(struct function **made, struct module *module, const char *name) {
    char entry[96];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    const char *at = strstr(module->text, entry);
    if (!at)
        return NOT_FOUND;
    const char *end = strchr(at + strlen(entry), ')');
    static struct function functions[256]; /* never given back, as modules of a test are few */
    static int made_so_far;
    struct function *function = &functions[made_so_far++ % 256];
    memset(function, 0, sizeof *function);
    snprintf(function->name, sizeof function->name, "%s", name);
    for (at = strstr(at, ".param"); at && at < end; at = strstr(at + 1, ".param")) {
        const char *stop = at + strcspn(at, ",)"), *open = memchr(at, '[', stop - at);
        function->sizes[function->parameters++] = open ? atoi(open + 1) : 8;
    }
    say("function %s with %d parameters", name, function->parameters);
    return *made = function, SUCCESS;
}
int cuFuncSetAttribute(struct function *function, int attribute, int value) {
    return say("attribute %d of %s is %d", attribute, function->name, value), SUCCESS;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, struct function *function, int threads, size_t shared) {
    (void)function, (void)shared;
    return *blocks = 2048 / threads, SUCCESS;
}

/* Returns what a kernel gives per element, after what else its name makes it do. */
static float behave(struct function *f, float *input) {
    const char *cost = strstr(f->name, "_us");
    int first = strstr(f->name, "_third") ? 2 : strstr(f->name, "_late") ? 1 : 0, acts = f->runs++ >= first;
    clock_us += (cost ? atoi(cost + 3) : 500) + (strstr(f->name, "_slower") ? f->runs : 0);
    if (!acts)
        return 2;
    if (strstr(f->name, "_crash"))
        raise(SIGKILL);
    while (strstr(f->name, "_hang"))
        sleep(1);
    faulted |= strstr(f->name, "_fault") != NULL;
    if (strstr(f->name, "_writes"))
        input[0] = -1;
    return strstr(f->name, "_wrong") ? 3 : 2;
}

static int start(const char *how, struct function *f, const unsigned *shape, uint64_t stream, void **parameters) {
    char line[2048];
    int at = snprintf(line, sizeof line, "%s %s grid %u,%u,%u block %u,%u,%u shared %u stream %#llx context %#llx:", how,
                      f->name, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], shape[6],
                      (unsigned long long)stream, (unsigned long long)current);
    for (int i = 0; i < f->parameters; i++) {
        at += snprintf(line + at, sizeof line - at, " ");
        for (int byte = f->sizes[i] - 1; byte >= 0; byte--) /* the last byte first: addresses read as numbers */
            at += snprintf(line + at, sizeof line - at, "%02x", ((uint8_t *)parameters[i])[byte]);
        if (f->sizes[i] == 128)
            at += snprintf(line + at, sizeof line - at, "@%d", (int)((uintptr_t)parameters[i] % 128));
    }
    say("%s", line);
    if (strncmp(f->name, "twice", 5))
        return SUCCESS;
    float times = behave(f, *(float **)parameters[0]);
    for (unsigned i = 0; i < shape[0] * shape[3]; i++)
        (*(float **)parameters[1])[i] = times * (*(float **)parameters[0])[i];
    return faulted ? ILLEGAL_ADDRESS : SUCCESS;
}
int cuLaunchKernel(struct function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, uint64_t stream, void **parameters, void **extra) {
    const unsigned shape[] = {gx, gy, gz, bx, by, bz, shared};
    return extra ? INVALID_VALUE : start("launch", f, shape, stream, parameters);
}
int cuLaunchCooperativeKernel(struct function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, uint64_t stream, void **parameters) {
    const unsigned shape[] = {gx, gy, gz, bx, by, bz, shared};
    return start("cooperative", f, shape, stream, parameters);
}

struct attribute {
    int id;
    char padding[4];
    unsigned value[16];
};
struct configuration {
    unsigned shape[7];
    uint64_t stream;
    struct attribute *attributes;
    unsigned count;
};
int cuLaunchKernelEx(const struct configuration *config, struct function *f, void **parameters, void **extra) {
    char how[64] = "";
    for (unsigned i = 0; i < config->count; i++) {
        const struct attribute *one = config->attributes + i;
        if (one->id == 4) /* CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION */
            sprintf(how + strlen(how), "cluster %u,%u,%u ", one->value[0], one->value[1], one->value[2]);
        else if (one->id == 2 && one->value[0] == 1) /* CU_LAUNCH_ATTRIBUTE_COOPERATIVE */
            sprintf(how + strlen(how), "cooperative ");
    }
    if (!*how)
        strcpy(how, "launch");
    return extra ? INVALID_VALUE : start(how, f, config->shape, config->stream, parameters);
}

/* The record is not NVIDIA's: type, rank, swizzle and promotion, the address, then extents, strides, box and steps. */
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *extents,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill) {
    if ((uintptr_t)map % 128 || (uintptr_t)address % 16 || interleave || fill)
        return INVALID_VALUE;
    memset(map, 0, 128);
    uint8_t *bytes = map;
    bytes[0] = type, bytes[1] = rank, bytes[2] = swizzle, bytes[3] = promotion;
    memcpy(bytes + 8, &address, 8);
    for (uint32_t i = 0; i < rank; i++) {
        bytes[16 + i] = box[i], bytes[24 + i] = steps[i];
        memcpy(bytes + 32 + 8 * i, extents + i, 8);
        if (i + 1 < rank)
            memcpy(bytes + 80 + 8 * i, strides + i, 8);
    }
    return say("encode a map of %u dimensions", rank), SUCCESS;
}

int cuMemAlloc_v2(uint64_t *address, size_t size) {
    if (faulted)
        return ILLEGAL_ADDRESS;
    if (live_bytes + size > most_bytes())
        return OUT_OF_MEMORY;
    uint8_t *raw = aligned_alloc(4096, 4096 + (size + 4095) / 4096 * 4096);
    memcpy(raw, &size, sizeof size);
    if (size <= large_bytes)
        memset(raw + 4096, 0xff, size);
    live_bytes += size;
    say("allocate %zu", size);
    return *address = (uint64_t)(uintptr_t)(raw + 4096), SUCCESS;
}
int cuMemAlloc(uint64_t *address, size_t size) { return cuMemAlloc_v2(address, size); }
int cuMemFree_v2(uint64_t address) {
    size_t size;
    memcpy(&size, (void *)(uintptr_t)(address - 4096), sizeof size);
    live_bytes -= size;
    say("free %zu", size);
    return free((void *)(uintptr_t)(address - 4096)), SUCCESS;
}
int cuMemFree(uint64_t address) { return cuMemFree_v2(address); }

static int copy(const char *how, uint64_t to, uint64_t from, size_t size, uint64_t stream) {
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, size);
    return say("%s %zu bytes stream %#llx", how, size, (unsigned long long)stream), SUCCESS;
}
int cuMemcpyHtoDAsync(uint64_t to, uint64_t from, size_t size, uint64_t stream) {
    return copy("upload", to, from, size, stream);
}
int cuMemcpyDtoHAsync(uint64_t to, uint64_t from, size_t size, uint64_t stream) {
    return copy("download", to, from, size, stream);
}
int cuMemcpyDtoDAsync(uint64_t to, uint64_t from, size_t size, uint64_t stream) {
    return copy("copy", to, from, size, stream);
}
int cuMemsetD8Async(uint64_t address, unsigned char value, size_t size, uint64_t stream) {
    if (size <= large_bytes)
        memset((void *)(uintptr_t)address, value, size);
    clock_us += 1 + (double)size / (1 << 20);
    say("fill %zu bytes with %d stream %#llx", size, value, (unsigned long long)stream);
    return faulted ? ILLEGAL_ADDRESS : SUCCESS;
}
int cuPointerGetAttribute(void *value, int attribute, uint64_t address) {
    if (attribute != 9 || address < 4096) /* CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL */
        return INVALID_VALUE;
    return *(int *)value = 0, SUCCESS;
}
int cuStreamIsCapturing(uint64_t stream, int *status) { return *status = stream == CAPTURING, SUCCESS; }
int cuStreamSynchronize(uint64_t stream) {
    say("synchronize stream %#llx", (unsigned long long)stream);
    return faulted ? ILLEGAL_ADDRESS : SUCCESS;
}
int cuEventCreate(uint64_t *event, unsigned flags) { return (void)flags, *event = handles++, SUCCESS; }
int cuEventDestroy_v2(uint64_t event) { return (void)event, SUCCESS; }
int cuEventDestroy(uint64_t event) { return (void)event, SUCCESS; }
int cuEventRecord(uint64_t event, uint64_t stream) {
    noted_us[event & 0xffff] = clock_us;
    return say("record stream %#llx", (unsigned long long)stream), SUCCESS;
}
int cuStreamWaitEvent(uint64_t stream, uint64_t event, unsigned flags) {
    return (void)event, (void)flags, say("wait stream %#llx", (unsigned long long)stream), SUCCESS;
}
int cuEventSynchronize(uint64_t event) { return (void)event, faulted ? ILLEGAL_ADDRESS : SUCCESS; }
int cuEventElapsedTime(float *milliseconds, uint64_t start, uint64_t stop) {
    return *milliseconds = (float)((noted_us[stop & 0xffff] - noted_us[start & 0xffff]) * 1e-3), SUCCESS;
}

/* Graphs: nodes run in an order that their dependences allow, of those that may the last one first. */
struct node {
    struct function *function; /* of a copy there is none */
    char how[64];
    unsigned shape[7], copied;
    uint64_t to, from;
    uint8_t values[16][128];
    void *parameters[16];
    int after[64], count, done;
};
struct graph {
    struct node nodes[64];
    int count;
};
struct kernel_node {
    struct function *function;
    unsigned shape[7];
    void **parameters, **extra;
    void *kernel, *context;
};
struct place {
    size_t x, y, z, level;
    int type;
    void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
};
struct copy_node {
    struct place from, to;
    size_t width, height, depth;
};
int cuGraphCreate(struct graph **made, unsigned flags) {
    return flags ? INVALID_VALUE : (*made = calloc(1, sizeof **made), SUCCESS);
}
static struct node *add(struct node **made, struct graph *graph, struct node *const *after, size_t count) {
    struct node *node = *made = graph->nodes + graph->count++;
    for (size_t i = 0; i < count; i++)
        node->after[node->count++] = (int)(after[i] - graph->nodes);
    return node;
}
int cuGraphAddKernelNode(struct node **made, struct graph *graph, struct node *const *after, size_t count,
                         const struct kernel_node *given) {
    struct node *node = add(made, graph, after, count);
    node->function = given->function;
    strcpy(node->how, "node");
    memcpy(node->shape, given->shape, sizeof node->shape);
    for (int i = 0; i < given->function->parameters; i++) {
        memcpy(node->values[i], given->parameters[i], given->function->sizes[i]);
        node->parameters[i] = node->values[i];
    }
    return given->extra ? INVALID_VALUE : SUCCESS;
}
int cuGraphKernelNodeSetAttribute(struct node *node, int id, const unsigned *value) {
    if (id == 4)
        sprintf(node->how + strlen(node->how), " cluster %u,%u,%u", value[0], value[1], value[2]);
    else if (id == 2 && value[0] == 1)
        strcat(node->how, " cooperative");
    return SUCCESS;
}
/* As of CUDA 13, whose functions have data of edges: port, port, type. */
int cuGraphAddDependencies(struct graph *graph, struct node *const *from, struct node *const *to,
                           const uint8_t (*edges)[8], size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (edges[i][0] != 1 || edges[i][1] || edges[i][2] != 1 || !from[i]->function || !to[i]->function)
            return INVALID_VALUE; /* programmatic edges are from the programmatic port of a kernel to a kernel */
        to[i]->after[to[i]->count++] = (int)(from[i] - graph->nodes);
        strcat(to[i]->how, " ahead");
    }
    return SUCCESS;
}
int cuGraphAddMemcpyNode(struct node **made, struct graph *graph, struct node *const *after, size_t count,
                         const struct copy_node *given, uint64_t where) {
    struct node *node = add(made, graph, after, count);
    node->to = given->to.device, node->from = given->from.device, node->copied = (unsigned)given->width;
    return given->from.type != 2 || given->to.type != 2 || given->height != 1 || given->depth != 1 || !where;
}
int cuGraphInstantiateWithFlags(struct graph **made, struct graph *graph, uint64_t flags) {
    *made = malloc(sizeof **made);
    memcpy(*made, graph, sizeof **made);
    for (int i = 0; i < graph->count; i++) /* parameters lie in the copy */
        for (int j = 0; j < 16; j++)
            (*made)->nodes[i].parameters[j] = (*made)->nodes[i].values[j];
    return say("graph of %d nodes", graph->count), flags ? INVALID_VALUE : SUCCESS;
}
int cuGraphLaunch(struct graph *graph, uint64_t stream) {
    for (int i = 0; i < graph->count; i++)
        graph->nodes[i].done = 0;
    for (int left = graph->count; left; left--) {
        int pick = graph->count, ready = 0;
        while (!ready && pick--) {
            ready = !graph->nodes[pick].done;
            for (int i = 0; i < graph->nodes[pick].count; i++)
                ready &= graph->nodes[graph->nodes[pick].after[i]].done;
        }
        struct node *node = graph->nodes + pick;
        node->done = 1;
        int failed = node->function ? start(node->how, node->function, node->shape, stream, node->parameters)
                                    : copy("node copy", node->to, node->from, node->copied, stream);
        if (failed)
            return failed;
    }
    return SUCCESS;
}
int cuGraphExecDestroy(struct graph *graph) { return free(graph), say("free a graph"), SUCCESS; }
int cuGraphDestroy(struct graph *graph) { return free(graph), SUCCESS; }

/* What the header for C calls beside; cuda.h gives some functions a newer name. */
int cuCtxGetDevice(int *device) { return *device = (int)(current - context), SUCCESS; }
int cuDevicePrimaryCtxRelease_v2(int device) { return (void)device, say("release"), SUCCESS; }
int cuModuleLoadData(struct module **made, const void *image) { return cuModuleLoadDataEx(made, image, 0, 0, 0); }
int cuModuleUnload(struct module *module) { return free(module->text), free(module), say("unload"), SUCCESS; }
int cuMemcpyHtoD_v2(uint64_t to, uint64_t from, size_t size) { return copy("upload", to, from, size, 0); }
int cuMemcpyDtoH_v2(uint64_t to, uint64_t from, size_t size) { return copy("download", to, from, size, 0); }
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, uint64_t stream) {
    return copy("copy", to, from, size, stream);
}

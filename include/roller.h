/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * roller.h: loads an artifact of roller-mlir through the CUDA driver API and runs it, in a header and its part
 * roller_data.h; it needs C11 and cuda.h of CUDA 12 or later.
 *
 *     #define ROLLER_IMPLEMENTATION   in one file, before including it
 *     #include <roller.h>
 *
 *     roller_program program;
 *     if (roller_open(&program, "matmul.roller"))            a context must be current
 *         puts(program.error);
 *     roller_run(&program, inputs, outputs, workspace, stream);
 *     roller_close(&program);
 *
 * Functions return 0, or 1 with the reason in `program.error`. Buffers are dense and row-major; `program.buffers` says
 * name, bytes and alignment of each. A run queues its launches on the stream and waits for nothing, so that a stream may
 * capture it. Artifacts may be a stranger's: their text is checked, names stay in their folder, hashes are verified.
 */
#ifndef ROLLER_H
#define ROLLER_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

enum roller_access { ROLLER_READ = 1, ROLLER_WRITE = 2 };
enum roller_role { ROLLER_INPUT, ROLLER_OUTPUT, ROLLER_WORKSPACE, ROLLER_STATE, ROLLER_CONSTANT };

typedef struct {
    char name[128];
    enum roller_role role;
    uint64_t size_bytes, offset_bytes, alignment_bytes;
} roller_buffer;

typedef struct {
    uint64_t argument, offset_bytes, rank, element, swizzle; /* element and swizzle as cuda.h numbers them */
    uint64_t extents[5], strides[5], box[5], steps[5]; /* innermost first */
} roller_map;

typedef struct {
    char kernel[128];
    CUfunction function; /* NULL: a copy of the first argument into the second */
    uint64_t grid[3], block[3], cluster[3], shared_bytes, copied_bytes;
    int cooperative, reports;
    uint64_t report_bytes; /* where in the last argument the report of a wait that was given up begins, if it reports */
    uint64_t times_bytes, tick_ns, positions; /* where in it the times of tasks begin; positions: 0 if it records none */
    size_t arguments, maps;
    size_t *buffers;   /* per argument: which buffer, and where in it */
    uint64_t *offsets;
    unsigned *access;  /* per argument: ROLLER_READ, ROLLER_WRITE or both, which it is too where nobody knows */
    roller_map *map;
} roller_launch;

typedef struct {
    char error[512], note[512]; /* note: which cubin the driver refused, so that PTX runs; "" where none was */
    size_t buffer_count, input_count, output_count, launch_count, module_count;
    roller_buffer *buffers;
    size_t *inputs, *outputs; /* numbers of buffers */
    roller_launch *launches;
    CUmodule *modules;
    CUdeviceptr constants, state; /* state: zeroed by roller_open, and kept from run to run */
    uint64_t workspace_bytes, state_bytes;
} roller_program;

/* Loads the artifact in a folder into the current context. On failure nothing is kept but the error. */
int roller_open(roller_program *program, const char *folder);

/* Queues a run: `inputs` and `outputs` in the function's order, `workspace` of program->workspace_bytes at a multiple of
 * 256 B (0 where none is needed). Runs of a program with state must not overlap. */
int roller_run(roller_program *program, const CUdeviceptr *inputs, const CUdeviceptr *outputs, CUdeviceptr workspace,
               CUstream stream);

/* Waits for a stream, and reads when the tasks of a launch (its number) ran in its last run, where it has positions:
 * start and end in nanoseconds of one clock, into times[grid[0]][positions][2]. In manifest.json the launch's
 * times.programs name the tasks of each block, in order, as numbers that go on from operator to operator. */
int roller_read_times(roller_program *program, size_t number, uint64_t *times, CUstream stream);

/* Unloads it, after all runs have ended. */
void roller_close(roller_program *program);

#endif

#ifdef ROLLER_IMPLEMENTATION
#include <stdarg.h>

#include "roller_data.h"

enum { ROLLER_MAPS = 16, ROLLER_ARGUMENTS = 256, ROLLER_REPORT = 8, ROLLER_MANIFEST_BYTES = 64 << 20 };

static int roller_fail(roller_program *program, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(program->error, sizeof program->error, format, arguments);
    va_end(arguments);
    return 1;
}

static int roller_check(roller_program *program, CUresult code, const char *what, const char *name) {
    const char *text = NULL;
    if (code == CUDA_SUCCESS)
        return 0;
    cuGetErrorName(code, &text);
    return roller_fail(program, "%s '%s' failed: %s", what, name, text ? text : "unknown error");
}

/* Reads a file that the manifest lists, and verifies it. */
static char *roller_file(roller_program *program, const char *folder, const char *record, size_t *size) {
    char name[256], wanted[65], found[65];
    uint64_t listed;
    if (roller_text(roller_get(record, "name"), name, sizeof name) ||
        roller_text(roller_get(record, "sha256"), wanted, sizeof wanted) ||
        roller_number(roller_get(record, "size_bytes"), &listed)) {
        roller_fail(program, "manifest.json: a record of a file is malformed");
        return NULL;
    }
    char *data = roller_read(folder, name, listed, size);
    if (data)
        roller_sha256((const unsigned char *)data, *size, found);
    if (!data || *size != listed || strcmp(wanted, found)) {
        roller_fail(program, "%s is missing or damaged: its SHA-256 is not the manifest's", name);
        free(data);
        return NULL;
    }
    return data;
}


static uint64_t roller_element_bytes(const char *value) {
    static const struct { const char *name; uint64_t size; } types[] = {
        {"f64", 8}, {"f32", 4}, {"f16", 2}, {"bf16", 2}, {"i64", 8}, {"i32", 4}, {"i16", 2}, {"i8", 1}, {"i1", 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (roller_is(value, types[i].name))
            return types[i].size;
    return 0;
}

/* Returns the bytes of a dense array; 0 in `*wrong` if its record makes sense. */
static uint64_t roller_size(const char *record, int *wrong) {
    uint64_t size = roller_element_bytes(roller_get(record, "element_type")), extent = 0;
    const char *shape = roller_get(record, "shape");
    *wrong |= !size || !shape || *shape != '[';
    for (const char *item = roller_first(shape, '['); item; item = roller_next(item)) {
        *wrong |= roller_number(item, &extent) || (extent && size > INT64_MAX / extent);
        size = *wrong ? 0 : size * extent;
    }
    return size;
}

static int roller_find(const roller_program *program, const char *value, size_t *found) {
    char name[sizeof program->buffers->name];
    if (roller_text(value, name, sizeof name))
        return 1;
    for (*found = 0; *found < program->buffer_count; ++*found)
        if (!strcmp(program->buffers[*found].name, name))
            return 0;
    return 1;
}

static int roller_read_buffers(roller_program *program, const char *manifest) {
    static const char *const roles[] = {"input", "output", "workspace", "state", "constant"};
    const char *array = roller_get(manifest, "buffers");
    int wrong = roller_number(roller_get(manifest, "workspace_bytes"), &program->workspace_bytes);
    if (roller_get(manifest, "state_bytes"))
        wrong |= roller_number(roller_get(manifest, "state_bytes"), &program->state_bytes);
    program->buffers = calloc(roller_count(array) + 1, sizeof *program->buffers);
    if (!program->buffers)
        return roller_fail(program, "out of memory");
    for (const char *item = roller_first(array, '['); item; item = roller_next(item)) {
        roller_buffer *buffer = program->buffers + program->buffer_count++;
        unsigned role = 0;
        while (role < 5 && !roller_is(roller_get(item, "role"), roles[role]))
            role++;
        buffer->role = (enum roller_role)role;
        buffer->size_bytes = roller_size(item, &wrong);
        const uint64_t whole = role == ROLLER_WORKSPACE ? program->workspace_bytes : program->state_bytes;
        wrong |= role == 5 || roller_text(roller_get(item, "name"), buffer->name, sizeof buffer->name) ||
                 roller_number(roller_get(item, "offset_bytes"), &buffer->offset_bytes) ||
                 roller_number(roller_get(item, "alignment_bytes"), &buffer->alignment_bytes) ||
                 !buffer->alignment_bytes ||
                 ((role == ROLLER_WORKSPACE || role == ROLLER_STATE) &&
                  (buffer->size_bytes > whole || buffer->offset_bytes > whole - buffer->size_bytes));
    }
    for (int output = 0; output < 2; output++) {
        const char *names = roller_get(manifest, output ? "outputs" : "inputs");
        size_t *numbers = calloc(roller_count(names) + 1, sizeof *numbers), count = 0;
        for (const char *item = numbers ? roller_first(names, '[') : NULL; item; item = roller_next(item))
            wrong |= roller_find(program, item, numbers + count++) ||
                     program->buffers[numbers[count - 1]].role != (output ? ROLLER_OUTPUT : ROLLER_INPUT);
        *(output ? &program->outputs : &program->inputs) = numbers;
        *(output ? &program->output_count : &program->input_count) = count;
        wrong |= !numbers;
    }
    return wrong ? roller_fail(program, "manifest.json: buffers, inputs or outputs are malformed") : 0;
}

static int roller_read_map(const char *record, roller_map *map) {
    static const struct { const char *name; uint64_t type; } types[] = {
        {"i8", CU_TENSOR_MAP_DATA_TYPE_UINT8},   {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
        {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32}, {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
        {"tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32}};
    size_t type = 0;
    uint64_t swizzle = 0;
    while (type < 5 && !roller_is(roller_get(record, "element"), types[type].name))
        type++;
    map->rank = roller_count(roller_get(record, "extents"));
    if (type == 5 || !map->rank || map->rank > 5 || roller_number(roller_get(record, "argument"), &map->argument) ||
        roller_number(roller_get(record, "swizzle"), &swizzle) ||
        (roller_get(record, "offset_bytes") && roller_number(roller_get(record, "offset_bytes"), &map->offset_bytes)))
        return 1;
    map->element = types[type].type;
    map->swizzle = swizzle == 128 ? 3 : swizzle / 32; /* CUtensorMapSwizzle of 0, 32, 64, 128 B */
    return (swizzle & 31) || map->swizzle > 3 || roller_numbers(roller_get(record, "extents"), map->extents, map->rank, 1) ||
           roller_numbers(roller_get(record, "strides"), map->strides, map->rank - 1, 1) ||
           roller_numbers(roller_get(record, "box"), map->box, map->rank, 1) ||
           roller_numbers(roller_get(record, "steps"), map->steps, map->rank, 1);
}

/* Takes a bit from the arguments that a list of a launch does not name. */
static int roller_read_access(const char *list, unsigned *access, size_t count, unsigned bit) {
    unsigned named[ROLLER_ARGUMENTS] = {0};
    if (!list || *list != '[')
        return 0;
    for (const char *item = roller_first(list, '['); item; item = roller_next(item)) {
        uint64_t number = 0;
        if (roller_number(item, &number) || number >= count)
            return 1;
        named[number] = bit;
    }
    for (size_t i = 0; i < count; i++)
        access[i] &= ~bit | named[i];
    return 0;
}

static int roller_read_launch(roller_program *program, const char *record, roller_launch *launch) {
    const char *arguments = roller_get(record, "arguments"), *cooperative = roller_get(record, "cooperative");
    const char *report = roller_get(record, "report_bytes"), *times = roller_get(record, "times");
    const size_t count = roller_count(arguments);
    int wrong = count > ROLLER_ARGUMENTS || roller_numbers(roller_get(record, "grid"), launch->grid, 3, 0) ||
                roller_numbers(roller_get(record, "block"), launch->block, 3, 0) ||
                roller_number(roller_get(record, "dynamic_workgroup_bytes"), &launch->shared_bytes);
    for (int i = 0; i < 3; i++)
        launch->cluster[i] = 1;
    if (roller_get(record, "cluster"))
        wrong |= roller_numbers(roller_get(record, "cluster"), launch->cluster, 3, 0);
    for (int i = 0; i < 3; i++)
        wrong |= launch->grid[i] > INT32_MAX || launch->block[i] > 1024 || launch->shared_bytes > INT32_MAX ||
                 !launch->cluster[i] || launch->cluster[i] > 1024;
    launch->cooperative = cooperative && *cooperative == 't';
    launch->reports = report && *report != 'n';
    wrong |= launch->reports && roller_number(report, &launch->report_bytes);
    if (times && *times == '{')
        wrong |= roller_number(roller_get(times, "offset_bytes"), &launch->times_bytes) ||
                 roller_number(roller_get(times, "tick_ns"), &launch->tick_ns) ||
                 roller_number(roller_get(times, "positions"), &launch->positions);
    launch->buffers = calloc(count + 1, sizeof *launch->buffers);
    launch->offsets = calloc(count + 1, sizeof *launch->offsets);
    launch->access = calloc(count + 1, sizeof *launch->access);
    for (size_t i = 0; launch->access && i < count; i++)
        launch->access[i] = ROLLER_READ | ROLLER_WRITE;
    wrong = wrong || !launch->access || roller_read_access(roller_get(record, "read"), launch->access, count, ROLLER_READ) ||
            roller_read_access(roller_get(record, "written"), launch->access, count, ROLLER_WRITE);
    if (wrong || !launch->buffers || !launch->offsets)
        return roller_fail(program, "manifest.json: a launch is malformed");
    for (const char *item = roller_first(arguments, '['); item; item = roller_next(item), launch->arguments++) {
        const size_t i = launch->arguments;
        const uint64_t size = roller_size(item, &wrong);
        if (wrong || roller_find(program, roller_get(item, "buffer"), launch->buffers + i) ||
            roller_number(roller_get(item, "offset_bytes"), launch->offsets + i) ||
            size > program->buffers[launch->buffers[i]].size_bytes ||
            launch->offsets[i] > program->buffers[launch->buffers[i]].size_bytes - size)
            return roller_fail(program, "manifest.json: a launch's view lies outside of its buffer");
        if (i && launch->copied_bytes != size && roller_is(roller_get(record, "kernel"), ""))
            return roller_fail(program, "manifest.json: a copy has two views of one size");
        launch->copied_bytes = size;
    }
    if (launch->reports && (launch->copied_bytes < 4 * ROLLER_REPORT ||
                            launch->report_bytes > launch->copied_bytes - 4 * ROLLER_REPORT || !program->state_bytes))
        return roller_fail(program, "manifest.json: a launch's report lies outside of its last argument");
    if (launch->positions &&
        (!count || program->buffers[launch->buffers[count - 1]].role != ROLLER_STATE || !launch->grid[0] ||
         launch->times_bytes > launch->copied_bytes ||
         launch->positions > (launch->copied_bytes - launch->times_bytes) / (16 * launch->grid[0])))
        return roller_fail(program, "manifest.json: a launch's times lie outside of its last argument");
    return 0;
}

/* Returns the kind of binary for the artifact's architecture that runs on the current device: "cubin", "ptx" or NULL;
 * after a cubin that the driver refused, as of a newer toolkit than its own, "ptx" or NULL. */
static const char *roller_kind(const char *manifest, const char *kernel, int refused) {
    char text[32];
    int major = 0, minor = 0;
    CUdevice device;
    const char *files = roller_get(kernel, "files");
    if (roller_text(roller_get(roller_get(manifest, "device"), "architecture"), text, sizeof text) ||
        strncmp(text, "sm_", 3) || cuCtxGetDevice(&device) ||
        cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ||
        cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
        return NULL;
    char *suffix = NULL;
    const int wanted = (int)strtol(text + 3, &suffix, 10), here = 10 * major + minor;
    const int family = wanted / 10 == major && wanted <= here;
    if (*suffix == 'a' ? wanted != here : *suffix == 'f' ? !family : wanted > here)
        return NULL;
    if (roller_get(files, "cubin") && family && !refused)
        return "cubin";
    return roller_get(files, "ptx") ? "ptx" : NULL;
}

static int roller_load(roller_program *program, const char *folder, const char *manifest, const char *kernel,
                       roller_launch *launch, int refused) {
    char name[256];
    size_t size = 0;
    const char *kind = roller_kind(manifest, kernel, refused), *array = roller_get(manifest, "files");
    if (!kind)
        return roller_fail(program, "kernel '%s' has no binary for this device", launch->kernel);
    if (roller_text(roller_get(roller_get(kernel, "files"), kind), name, sizeof name) ||
        !roller_record(array, "name", name))
        return roller_fail(program, "manifest.json: kernel '%s' names no file", launch->kernel);
    char *image = roller_file(program, folder, roller_record(array, "name", name), &size);
    if (!image)
        return 1;
    int failed = roller_check(program, cuModuleLoadData(program->modules + program->module_count, image), "loading", name);
    free(image);
    if (failed && !refused && !strcmp(kind, "cubin") && roller_get(roller_get(kernel, "files"), "ptx")) {
        memcpy(program->note, program->error, sizeof program->note);
        return roller_load(program, folder, manifest, kernel, launch, 1);
    }
    if (failed)
        return 1;
    CUmodule module = program->modules[program->module_count++];
    return roller_check(program, cuModuleGetFunction(&launch->function, module, launch->kernel), "finding kernel",
                        launch->kernel);
}

static int roller_read_kernel(roller_program *program, const char *folder, const char *manifest, const char *record,
                              roller_launch *launch) {
    if (roller_text(roller_get(record, "kernel"), launch->kernel, sizeof launch->kernel))
        return roller_fail(program, "manifest.json: a launch names no kernel");
    if (!*launch->kernel)
        return launch->arguments == 2 ? 0 : roller_fail(program, "manifest.json: a copy has two arguments");
    const char *kernel = roller_record(roller_get(manifest, "kernels"), "name", launch->kernel);
    const char *maps = roller_get(kernel, "tensor_maps");
    if (!kernel || roller_count(maps) > ROLLER_MAPS)
        return roller_fail(program, "manifest.json: kernel '%s' is missing or malformed", launch->kernel);
    launch->map = calloc(roller_count(maps) + 1, sizeof *launch->map);
    for (const char *item = launch->map ? roller_first(maps, '[') : NULL; item; item = roller_next(item))
        if (roller_read_map(item, launch->map + launch->maps) || launch->map[launch->maps++].argument >= launch->arguments)
            return roller_fail(program, "manifest.json: a tensor map of kernel '%s' is malformed", launch->kernel);
    for (roller_launch *other = program->launches; other < launch && !launch->function; other++)
        if (!strcmp(other->kernel, launch->kernel))
            launch->function = other->function;
    if (!launch->function && roller_load(program, folder, manifest, kernel, launch, 0))
        return 1;
    if (launch->shared_bytes <= 48 << 10)
        return 0;
    return roller_check(program,
                        cuFuncSetAttribute(launch->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                           (int)launch->shared_bytes),
                        "allowing the workgroup memory of", launch->kernel);
}

static int roller_read_constants(roller_program *program, const char *folder, const char *manifest) {
    const char *record = roller_record(roller_get(manifest, "files"), "role", "constants");
    size_t size = 0;
    char *data = record ? roller_file(program, folder, record, &size) : NULL;
    int failed = record && !data;
    for (size_t i = 0; !failed && i < program->buffer_count; i++) {
        const roller_buffer *one = program->buffers + i;
        if (one->role == ROLLER_CONSTANT && (one->size_bytes > size || one->offset_bytes > size - one->size_bytes))
            failed = roller_fail(program, "constant '%s' lies outside of the constants", one->name);
    }
    if (!failed && size)
        failed = roller_check(program, cuMemAlloc(&program->constants, size), "allocating", "constants") ||
                 roller_check(program, cuMemcpyHtoD(program->constants, data, size), "uploading", "constants");
    free(data);
    return failed;
}

static int roller_make_state(roller_program *program) {
    const size_t size = (size_t)program->state_bytes;
    void *zeros = size ? calloc(1, size) : NULL;
    int failed = size && !zeros ? roller_fail(program, "out of memory") : 0;
    if (zeros)
        failed = roller_check(program, cuMemAlloc(&program->state, size), "allocating", "state") ||
                 roller_check(program, cuMemcpyHtoD(program->state, zeros, size), "zeroing", "state");
    free(zeros);
    return failed;
}

static int roller_read_all(roller_program *program, const char *folder, const char *manifest) {
    uint64_t version = 0;
    const char *array = roller_get(manifest, "launches");
    const size_t count = roller_count(array);
    if (roller_number(roller_get(manifest, "schema_version"), &version) || version != 1)
        return roller_fail(program, "manifest.json: this header reads schema version 1");
    program->launches = calloc(count + 1, sizeof *program->launches);
    program->modules = calloc(count + 1, sizeof *program->modules);
    if (!program->launches || !program->modules)
        return roller_fail(program, "out of memory");
    if (roller_read_buffers(program, manifest) || roller_read_constants(program, folder, manifest) ||
        roller_make_state(program))
        return 1;
    for (const char *item = roller_first(array, '['); item; item = roller_next(item)) {
        roller_launch *launch = program->launches + program->launch_count++;
        if (roller_read_launch(program, item, launch) || roller_read_kernel(program, folder, manifest, item, launch))
            return 1;
    }
    return 0;
}

int roller_open(roller_program *program, const char *folder) {
    size_t size = 0;
    memset(program, 0, sizeof *program);
    char *manifest = roller_read(folder, "manifest.json", ROLLER_MANIFEST_BYTES, &size);
    if (!manifest)
        return roller_fail(program, "cannot read manifest.json in %s", folder);
    const char *end = roller_skip(manifest, 0);
    int failed = !end || *roller_space(end) || roller_space(end) != manifest + size || *roller_space(manifest) != '{';
    if (failed)
        roller_fail(program, "manifest.json is not a JSON object");
    else
        failed = roller_read_all(program, folder, manifest);
    free(manifest);
    if (failed) {
        char error[sizeof program->error];
        memcpy(error, program->error, sizeof error);
        roller_close(program);
        memcpy(program->error, error, sizeof error);
    }
    return failed;
}

void roller_close(roller_program *program) {
    for (size_t i = 0; i < program->launch_count; i++) {
        free(program->launches[i].buffers);
        free(program->launches[i].offsets);
        free(program->launches[i].access);
        free(program->launches[i].map);
    }
    for (size_t i = 0; i < program->module_count; i++)
        cuModuleUnload(program->modules[i]);
    if (program->constants)
        cuMemFree(program->constants);
    if (program->state)
        cuMemFree(program->state);
    free(program->launches);
    free(program->modules);
    free(program->buffers);
    free(program->inputs);
    free(program->outputs);
    memset(program, 0, sizeof *program);
}

static int roller_encode(roller_program *program, CUtensorMap *encoded, const roller_map *map, CUdeviceptr address) {
    cuuint32_t box[5], steps[5];
    for (int i = 0; i < 5; i++)
        box[i] = (cuuint32_t)map->box[i], steps[i] = (cuuint32_t)map->steps[i];
    CUresult code = cuTensorMapEncodeTiled(
        encoded, (CUtensorMapDataType)map->element, (cuuint32_t)map->rank, (void *)(uintptr_t)address,
        (const cuuint64_t *)map->extents, (const cuuint64_t *)map->strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        (CUtensorMapSwizzle)map->swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return roller_check(program, code, "encoding", "a tensor map");
}

static int roller_start(roller_program *program, const roller_launch *launch, CUdeviceptr *addresses, CUstream stream) {
    _Alignas(128) CUtensorMap maps[ROLLER_MAPS];
    void *parameters[ROLLER_ARGUMENTS + ROLLER_MAPS];
    CUlaunchAttribute attributes[2];
    CUlaunchConfig config;
    if (!launch->function)
        return launch->copied_bytes && roller_check(program,
                                                    cuMemcpyDtoDAsync(addresses[1], addresses[0],
                                                                      (size_t)launch->copied_bytes, stream),
                                                    "copying", "a view");
    for (size_t i = 0; i < launch->arguments; i++)
        parameters[i] = addresses + i;
    for (size_t i = 0; i < launch->maps; i++) {
        parameters[launch->arguments + i] = maps + i;
        if (roller_encode(program, maps + i, launch->map + i,
                          addresses[launch->map[i].argument] + launch->map[i].offset_bytes))
            return 1;
    }
    memset(&config, 0, sizeof config);
    memset(attributes, 0, sizeof attributes);
    config.gridDimX = (unsigned)launch->grid[0], config.gridDimY = (unsigned)launch->grid[1];
    config.gridDimZ = (unsigned)launch->grid[2], config.blockDimX = (unsigned)launch->block[0];
    config.blockDimY = (unsigned)launch->block[1], config.blockDimZ = (unsigned)launch->block[2];
    config.sharedMemBytes = (unsigned)launch->shared_bytes, config.hStream = stream, config.attrs = attributes;
    if (launch->cooperative) {
        attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[config.numAttrs++].value.cooperative = 1;
    }
    if (launch->cluster[0] * launch->cluster[1] * launch->cluster[2] != 1) {
        attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attributes[config.numAttrs].value.clusterDim.x = (unsigned)launch->cluster[0];
        attributes[config.numAttrs].value.clusterDim.y = (unsigned)launch->cluster[1];
        attributes[config.numAttrs++].value.clusterDim.z = (unsigned)launch->cluster[2];
    }
    return roller_check(program, cuLaunchKernelEx(&config, launch->function, parameters, NULL), "launching", launch->kernel);
}

/* Waits for a launch, and fails where it gave up a wait; its counters then begin again from zero. */
static int roller_check_waits(roller_program *program, const roller_launch *launch, CUdeviceptr report, CUstream stream) {
    int32_t cells[ROLLER_REPORT] = {0};
    if (roller_check(program, cuStreamSynchronize(stream), "waiting for", launch->kernel) ||
        roller_check(program, cuMemcpyDtoH(cells, report, sizeof cells), "reading the report of", launch->kernel))
        return 1;
    if (!cells[0])
        return 0;
    if (roller_check(program, cuMemsetD8Async(program->state, 0, (size_t)program->state_bytes, stream), "zeroing", "state"))
        return 1;
    return roller_fail(program,
                       "kernel '%s' gave up a wait, and its results are not valid: block %d at position %d of its schedule "
                       "(body %d, task %d) waits for event %d, which has %d signals and wants %d",
                       launch->kernel, cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7]);
}

int roller_read_times(roller_program *program, size_t number, uint64_t *times, CUstream stream) {
    const roller_launch *launch = program->launches + number;
    if (number >= program->launch_count || !launch->positions)
        return roller_fail(program, "launch %llu records no times", (unsigned long long)number);
    const size_t last = launch->arguments - 1, count = (size_t)(2 * launch->grid[0] * launch->positions);
    const CUdeviceptr state = program->state + program->buffers[launch->buffers[last]].offset_bytes;
    if (roller_check(program, cuStreamSynchronize(stream), "waiting for", launch->kernel) ||
        roller_check(program, cuMemcpyDtoH(times, state + launch->offsets[last] + launch->times_bytes, 8 * count),
                     "reading the times of", launch->kernel))
        return 1;
    for (size_t i = 0; i < count; i++)
        times[i] *= launch->tick_ns;
    return 0;
}

int roller_run(roller_program *program, const CUdeviceptr *inputs, const CUdeviceptr *outputs, CUdeviceptr workspace,
               CUstream stream) {
    CUdeviceptr *base = calloc(program->buffer_count + 1, sizeof *base), addresses[ROLLER_ARGUMENTS];
    int failed = base ? 0 : roller_fail(program, "out of memory");
    if (!failed && program->workspace_bytes && (!workspace || workspace % 256))
        failed = roller_fail(program, "the workspace must begin at a multiple of 256 B");
    for (size_t i = 0; !failed && i < program->input_count; i++)
        base[program->inputs[i]] = inputs[i];
    for (size_t i = 0; !failed && i < program->output_count; i++)
        base[program->outputs[i]] = outputs[i];
    for (size_t i = 0; !failed && i < program->buffer_count; i++) {
        const roller_buffer *one = program->buffers + i;
        if (one->role != ROLLER_INPUT && one->role != ROLLER_OUTPUT)
            base[i] = (one->role == ROLLER_WORKSPACE ? workspace
                       : one->role == ROLLER_STATE   ? program->state
                                                     : program->constants) + one->offset_bytes;
        if ((!base[i] && one->size_bytes) || base[i] % one->alignment_bytes)
            failed = roller_fail(program, "'%s' must begin at a multiple of %llu B, but its address is %#llx", one->name,
                                 (unsigned long long)one->alignment_bytes, (unsigned long long)base[i]);
    }
    for (size_t number = 0; !failed && number < program->launch_count; number++) {
        const roller_launch *launch = program->launches + number;
        for (size_t i = 0; i < launch->arguments; i++)
            addresses[i] = base[launch->buffers[i]] + launch->offsets[i];
        failed = roller_start(program, launch, addresses, stream);
        if (!failed && launch->reports)
            failed = roller_check_waits(program, launch, addresses[launch->arguments - 1] + launch->report_bytes, stream);
    }
    free(base);
    return failed;
}
#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs an artifact once on the first NVIDIA device: inputs are files of raw bytes, outputs become such files.
 *
 *     cc -Iinclude -I$CUDA_HOME/include examples/c/run_artifact.c -o run_artifact -lcuda
 *     ./run_artifact matmul.roller a.bin b.bin c.bin
 */
#define ROLLER_IMPLEMENTATION
#include <roller.h>
#include <stdio.h>
#include <stdlib.h>

static int say(const char *what, const char *why) { return fprintf(stderr, "run_artifact: %s: %s\n", what, why), 1; }

/* Reads exactly so many bytes; NULL: the file has fewer or more. */
static void *read_whole(const char *path, size_t size) {
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(size + 1);
    size_t found = file && bytes ? fread(bytes, 1, size + 1, file) : 0;
    if (file)
        fclose(file);
    if (found == size && file)
        return bytes;
    free(bytes);
    return NULL;
}

static int write_whole(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    int failed = !file || fwrite(bytes, 1, size, file) != size;
    return (file && fclose(file)) || failed;
}

/* Allocates a buffer of the function; returns 0 if there is no memory left. */
static CUdeviceptr make(size_t size) {
    CUdeviceptr address = 0;
    return cuMemAlloc(&address, size ? size : 1) == CUDA_SUCCESS ? address : 0;
}

static int run(roller_program *program, char **paths) {
    const size_t inputs = program->input_count, outputs = program->output_count;
    CUdeviceptr *memory = calloc(inputs + outputs + 1, sizeof *memory);
    CUdeviceptr workspace = program->workspace_bytes ? make(program->workspace_bytes) : 0;
    int failed = !memory || (program->workspace_bytes && !workspace) ? say("memory", "there is none left") : 0;
    for (size_t i = 0; !failed && i < inputs + outputs; i++) {
        const roller_buffer *buffer =
            program->buffers + (i < inputs ? program->inputs[i] : program->outputs[i - inputs]);
        if (!(memory[i] = make(buffer->size_bytes)))
            failed = say(buffer->name, "there is no memory left");
        else if (i < inputs) {
            void *bytes = read_whole(paths[i], buffer->size_bytes);
            if (!bytes || cuMemcpyHtoD(memory[i], bytes, buffer->size_bytes))
                failed = say(paths[i], "it must be a file of exactly the input's bytes");
            free(bytes);
        }
    }
    if (!failed && roller_run(program, memory, memory + inputs, workspace, NULL))
        failed = say("run", program->error);
    for (size_t i = inputs; !failed && i < inputs + outputs; i++) {
        const size_t size = program->buffers[program->outputs[i - inputs]].size_bytes;
        void *bytes = malloc(size + 1);
        if (!bytes || cuMemcpyDtoH(bytes, memory[i], size)) /* waits for the launches */
            failed = say("output", "it cannot be copied back");
        else if (write_whole(paths[i], bytes, size))
            failed = say(paths[i], "it cannot be written");
        free(bytes);
    }
    for (size_t i = 0; memory && i < inputs + outputs; i++)
        cuMemFree(memory[i]);
    if (workspace)
        cuMemFree(workspace);
    free(memory);
    return failed;
}

int main(int count, char **words) {
    CUdevice device;
    CUcontext context;
    roller_program program;
    if (count < 2)
        return say("usage", "run_artifact ARTIFACT INPUT... OUTPUT...");
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context))
        return say("CUDA", "there is no NVIDIA device or driver");
    if (roller_open(&program, words[1]))
        return say(words[1], program.error);
    int failed = (size_t)(count - 2) != program.input_count + program.output_count
                     ? say(words[1], "the number of files must be that of inputs and outputs")
                     : run(&program, words + 2);
    roller_close(&program);
    cuDevicePrimaryCtxRelease(device);
    return failed;
}

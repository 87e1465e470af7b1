// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of C that calls a compiled function: once as a whole, and once kernel by kernel on two threads.
#include "mlp.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64, DEPTH = 784, HIDDEN = 256, CLASSES = 10 };

static float *array(size_t count, const char *file) {
  float *memory = aligned_alloc(256, (count * sizeof(float) + 255) / 256 * 256);
  if (!memory) exit(1);
  if (file) {
    FILE *stream = fopen(file, "rb");
    if (!stream || fread(memory, sizeof(float), count, stream) != count) exit(1);
    fclose(stream);
  }
  return memory;
}

static void write_result(const float *result, const char *file) {
  FILE *stream = fopen(file, "wb");
  if (!stream || fwrite(result, sizeof(float), ROWS * CLASSES, stream) != ROWS * CLASSES) exit(1);
  fclose(stream);
}

static float *input[5], *hidden, *result;

static void *first_layer(void *second_half) {
  int64_t half = MLP_MATMUL_0_TASKS / 2;
  int64_t first = second_half ? half : 0, end = second_half ? MLP_MATMUL_0_TASKS : half;
  mlp_matmul_0(input[0], input[1], input[2], hidden, first, end);
  return NULL;
}

static void *last_layer(void *second_half) {
  int64_t half = MLP_MATMUL_1_TASKS / 2;
  int64_t first = second_half ? half : 0, end = second_half ? MLP_MATMUL_1_TASKS : half;
  mlp_matmul_1(hidden, input[3], input[4], result, first, end);
  return NULL;
}

static void on_two_threads(void *(*part)(void *)) {
  static int second_half;
  pthread_t other;
  if (pthread_create(&other, NULL, part, &second_half)) exit(1);
  part(NULL);
  pthread_join(other, NULL);
}

int main(void) {
  size_t counts[] = {ROWS * DEPTH, DEPTH * HIDDEN, HIDDEN, HIDDEN * CLASSES, CLASSES};
  const char *files[] = {"input0", "input1", "input2", "input3", "input4"};
  for (int i = 0; i < 5; i++) input[i] = array(counts[i], files[i]);
  hidden = array(ROLLER_MLP_WORKSPACE_BYTES / sizeof(float), NULL);
  result = array(ROWS * CLASSES, NULL);
  roller_mlp(input[0], input[1], input[2], input[3], input[4], result, hidden);
  write_result(result, "one");
  on_two_threads(first_layer);
  on_two_threads(last_layer);
  write_result(result, "two");
  return 0;
}

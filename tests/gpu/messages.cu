/* The message when CUDA fails: the place, CUDA's own message, the remedy; exit status 1. Needs no GPU.
 *
 *     messages      exit status 0: all are complete; 1: not */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diamond/gpu/device.h"
#include "diamond/gpu/view/slab_view.cuh"

/* The output of tor_gpu_fail, and the exit status of the process that called it. */
static int fail_with(cudaError_t error, char *text, size_t size) {
  int ends[2], status = -1;
  if (pipe(ends)) return -1;
  fflush(stdout);
  const pid_t child = fork();
  if (!child) {
    dup2(ends[1], STDERR_FILENO);
    tor_gpu_fail("diamond/place.cu", 12, "cudaCall()", (int)error);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got; (got = read(ends[0], text + length, size - 1 - length)) > 0;) length += (size_t)got;
  text[length] = 0;
  close(ends[0]);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void) {
  static const struct {
    cudaError_t error;
    const char *advice;
  } known[] = {
      {cudaErrorMemoryAllocation, "schedule.device_memory"},
      {cudaErrorNoDevice, "CUDA_VISIBLE_DEVICES"},
      {cudaErrorInsufficientDriver, "install a newer one"},
      {cudaErrorUnsupportedPtxVersion, "install a newer one"},
      {cudaErrorNoKernelImageForDevice, "CMAKE_CUDA_ARCHITECTURES"},
      {cudaErrorECCUncorrectable, "--restart from the last checkpoint"},
      {cudaErrorLaunchFailure, "schedule.engine = \"stepwise\""},
      {cudaErrorLaunchTimeout, "schedule.th"},
      {cudaErrorDevicesUnavailable, "nvidia-smi"},
  };
  int failures = 0;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[4096];
    const int status = fail_with(known[i].error, text, sizeof text);
    const int is_right = status == TOR_EXIT_FAILURE && strstr(text, "torre: place.cu:12: cudaCall(): ") == text &&
                         strstr(text, cudaGetErrorString(known[i].error)) && strstr(text, known[i].advice) &&
                         strstr(text, "\ntorre: that was ");
    printf("%s %s\n", is_right ? "ok  " : "fail", cudaGetErrorName(known[i].error));
    if (!is_right) printf("     status %d: %s", status, text);
    failures += !is_right;
  }
  if (!tor_device_count()) {
    const int is_right = strchr(tor_device_absence(), ';') != nullptr;
    printf("%s no GPU: %s\n", is_right ? "ok  " : "fail", tor_device_absence());
    failures += !is_right;
  }
  return failures > 0;
}

// A program as people write and build them, PTX compressed: a kernel runs, host
// code cannot reach device memory, and where it is emulated the counters are
// written at the end.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulated.cuh"

__global__ void twice(int *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		data[i] *= 2;
}

// The signal that ends a process which reads the byte; 0: it could.
static int signal_of_reading(const void *address)
{
	int status = 0;
	pid_t child = fork();
	if (child == 0)
		_exit(*(const volatile char *)address == 77);
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static bool file_holds(const char *path, const char *text)
{
	char buffer[4096] = "";
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	size_t size = fread(buffer, 1, sizeof buffer - 1, file);
	fclose(file);
	buffer[size] = 0;
	return strstr(buffer, text) != nullptr;
}

static int failures;

static void expect(bool condition, const char *what)
{
	if (condition)
		return;
	printf("failed: %s\n", what);
	failures++;
}

static void work()
{
	int numbers[100], *data = nullptr, *pinned = nullptr;
	for (int i = 0; i < 100; i++)
		numbers[i] = i;
	expect(cudaMalloc(&data, sizeof numbers) == cudaSuccess, "cudaMalloc");
	expect(cudaMallocHost(&pinned, 4) == cudaSuccess, "cudaMallocHost");
	cudaMemcpy(data, numbers, sizeof numbers, cudaMemcpyHostToDevice);
	twice<<<4, 32>>>(data, 100);
	expect(cudaDeviceSynchronize() == cudaSuccess, "the kernel");
	expect(signal_of_reading(data) == SIGSEGV, "device memory is out of reach");
	expect(signal_of_reading(pinned) == 0, "pinned memory is not");
	cudaMemcpy(numbers, data, sizeof numbers, cudaMemcpyDeviceToHost);
	expect(numbers[99] == 198 && numbers[1] == 2, "the result");
	cudaFree(data);
	cudaFreeHost(pinned);
}

int main(int count, char **names)
{
	const char *counters = "plain_program_counters.json";
	if (count > 1) {
		work();
		return failures;
	}
	int status = -1;
	unlink(counters);
	pid_t child = fork();
	if (child == 0) {
		setenv("EMULATED_GPU_COUNTERS", counters, 1);
		execl(names[0], names[0], "work", (char *)nullptr);
		_exit(1);
	}
	waitpid(child, &status, 0);
	expect(status == 0, "the program");
	if (emulated()) {
		expect(file_holds(counters, "\"launches\": 1,"), "counters: launches");
		expect(file_holds(counters, "twice"), "counters: the kernel's name");
	}
	unlink(counters);
	return failures;
}

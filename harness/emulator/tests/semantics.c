/* What the models (model.h) say of every form of some instructions, through the driver: on a GPU,
 * or on the emulated one.
 *
 *   semantics [SUITE...]     runs them, all without a name; 1 where a result differs
 *   semantics --ptx SUITE    writes its kernel
 *
 * The driver is the process's libcuda.so.1; the kernels are for sm_90a. Exit status 2: it cannot be
 * run here. */
#include "model.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct model_suite *const suites[] = {&model_cvt, &model_atomics, &model_members,
												   &model_mma, &model_wgmma};
#define SUITES (sizeof suites / sizeof suites[0])

/* One row a function: a name in the library, and its type. */
#define FUNCTIONS(X)                                                                               \
	X(cuInit, "cuInit")                                                                            \
	X(cuDeviceGet, "cuDeviceGet")                                                                  \
	X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                                        \
	X(cuCtxSetCurrent, "cuCtxSetCurrent")                                                          \
	X(cuModuleLoadDataEx, "cuModuleLoadDataEx")                                                    \
	X(cuModuleGetFunction, "cuModuleGetFunction")                                                  \
	X(cuMemAlloc, "cuMemAlloc_v2")                                                                 \
	X(cuMemFree, "cuMemFree_v2")                                                                   \
	X(cuMemcpyHtoD, "cuMemcpyHtoD_v2")                                                             \
	X(cuMemcpyDtoH, "cuMemcpyDtoH_v2")                                                             \
	X(cuMemsetD8, "cuMemsetD8_v2")                                                                 \
	X(cuLaunchKernel, "cuLaunchKernel")                                                            \
	X(cuModuleUnload, "cuModuleUnload")
#define MEMBER(name, symbol) __typeof__(&name) name##_of;
static struct {
	FUNCTIONS(MEMBER)
} driver;

static bool load_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	bool all = library != NULL;
#define LOAD(name, symbol)                                                                         \
	*(void **)&driver.name##_of = library ? dlsym(library, symbol) : NULL;                         \
	all = all && driver.name##_of;
	FUNCTIONS(LOAD)
	return all;
}

static bool done(CUresult result, const char *what)
{
	if (result != CUDA_SUCCESS)
		fprintf(stderr, "semantics: %s: CUresult %d\n", what, (int)result);
	return result == CUDA_SUCCESS;
}

static bool open_device(void)
{
	CUdevice device;
	CUcontext context;
	return done(driver.cuInit_of(0), "cuInit") &&
		   done(driver.cuDeviceGet_of(&device, 0), "cuDeviceGet") &&
		   done(driver.cuDevicePrimaryCtxRetain_of(&context, device), "cuDevicePrimaryCtxRetain") &&
		   done(driver.cuCtxSetCurrent_of(context), "cuCtxSetCurrent");
}

static bool load_kernel(const struct model_suite *suite, CUmodule *module, CUfunction *kernel)
{
	struct model_text text = {0};
	char log[4096] = "";
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)sizeof log};
	suite->kernel(&text);
	bool good = done(driver.cuModuleLoadDataEx_of(module, text.text, 2, options, values),
					 "cuModuleLoadDataEx") &&
				done(driver.cuModuleGetFunction_of(kernel, *module, "k"), "cuModuleGetFunction");
	if (!good && log[0])
		fprintf(stderr, "%s\n", log);
	free(text.text);
	return good;
}

/* Draws the input, runs the kernel, and brings its output. */
static bool launch(const struct model_suite *suite, CUfunction kernel, void *in, void *out)
{
	const size_t in_bytes = suite->in_bytes(), out_bytes = suite->out_bytes();
	CUdeviceptr from = 0, to = 0;
	void *parameters[] = {&from, &to};
	suite->draw(in);
	bool good = done(driver.cuMemAlloc_of(&from, in_bytes), "cuMemAlloc") &&
				done(driver.cuMemAlloc_of(&to, out_bytes), "cuMemAlloc") &&
				done(driver.cuMemcpyHtoD_of(from, in, in_bytes), "cuMemcpyHtoD") &&
				done(driver.cuMemsetD8_of(to, 0, out_bytes), "cuMemsetD8") &&
				done(driver.cuLaunchKernel_of(kernel, suite->blocks, 1, 1, suite->threads, 1, 1, 0,
											  NULL, parameters, NULL),
					 "cuLaunchKernel") &&
				done(driver.cuMemcpyDtoH_of(out, to, out_bytes), "cuMemcpyDtoH");
	if (from)
		driver.cuMemFree_of(from);
	if (to)
		driver.cuMemFree_of(to);
	return good;
}

/* 0 all as the model says, 1 something differs, 2 it did not run */
static int run(const struct model_suite *suite)
{
	void *in = calloc(1, suite->in_bytes()), *out = calloc(1, suite->out_bytes());
	CUmodule module = NULL;
	CUfunction kernel;
	char said[256] = "";
	size_t compared = 0, differ = 0;
	bool good = in && out && load_kernel(suite, &module, &kernel) && launch(suite, kernel, in, out);
	if (good)
		differ = suite->differ(in, out, &compared, said, sizeof said);
	if (good)
		printf("%s: %zu of %zu differ%s%s\n", suite->name, differ, compared, differ ? ": " : "",
			   said);
	else
		printf("%s: did not run\n", suite->name);
	if (module)
		driver.cuModuleUnload_of(module);
	free(out);
	free(in);
	return good ? differ != 0 : 2;
}

static const struct model_suite *find(const char *name)
{
	for (size_t i = 0; i < SUITES; i++)
		if (strcmp(suites[i]->name, name) == 0)
			return suites[i];
	fprintf(stderr, "semantics: there is no %s: cvt, atomics, members, mma, wgmma\n", name);
	return NULL;
}

static int write_kernel(const struct model_suite *suite)
{
	struct model_text text = {0};
	if (!suite)
		return 2;
	suite->kernel(&text);
	fputs(text.text, stdout);
	free(text.text);
	return 0;
}

int main(int count, char **arguments)
{
	int worst = 0;
	if (count == 3 && strcmp(arguments[1], "--ptx") == 0)
		return write_kernel(find(arguments[2]));
	if (!load_driver()) {
		fprintf(stderr,
				"semantics: no driver (libcuda.so.1), or one without a function of CUDA 13\n");
		return 2;
	}
	if (!open_device())
		return 2;
	for (size_t i = 0; i < (count > 1 ? (size_t)count - 1 : SUITES); i++) {
		const struct model_suite *suite = count > 1 ? find(arguments[i + 1]) : suites[i];
		int status = suite ? run(suite) : 2;
		worst = status > worst ? status : worst;
	}
	return worst;
}

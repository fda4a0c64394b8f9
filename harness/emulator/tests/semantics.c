/* What the models (model.h) say of every form of some instructions, through the driver: on a GPU,
 * or on the emulated one.
 *
 *   semantics [SUITE...]     runs them, all without a name; 1 where a result differs
 *   semantics --ptx SUITE    writes its kernel
 *
 * The driver is the process's libcuda.so.1; the kernels are for sm_90a. Exit status 2: it cannot be
 * run here. */
#include "driver.h"
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct model_suite *const suites[] = {&model_cvt, &model_atomics, &model_members,
												   &model_mma, &model_wgmma};
#define SUITES (sizeof suites / sizeof suites[0])

static bool load_kernel(const struct model_suite *suite, CUmodule *module, CUfunction *kernel)
{
	struct model_text text = {0};
	suite->kernel(&text);
	bool good = driver_load(text.text, module) &&
				driver_done(cuModuleGetFunction(kernel, *module, "k"), "cuModuleGetFunction");
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
	bool good = driver_done(cuMemAlloc(&from, in_bytes), "cuMemAlloc") &&
				driver_done(cuMemAlloc(&to, out_bytes), "cuMemAlloc") &&
				driver_done(cuMemcpyHtoD(from, in, in_bytes), "cuMemcpyHtoD") &&
				driver_done(cuMemsetD8(to, 0, out_bytes), "cuMemsetD8") &&
				driver_done(cuLaunchKernel(kernel, suite->blocks, 1, 1, suite->threads, 1, 1, 0,
										   NULL, parameters, NULL),
							"cuLaunchKernel") &&
				driver_done(cuMemcpyDtoH(out, to, out_bytes), "cuMemcpyDtoH");
	if (from)
		cuMemFree(from);
	if (to)
		cuMemFree(to);
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
		cuModuleUnload(module);
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
	if (!driver_open())
		return 2;
	for (size_t i = 0; i < (count > 1 ? (size_t)count - 1 : SUITES); i++) {
		const struct model_suite *suite = count > 1 ? find(arguments[i + 1]) : suites[i];
		int status = suite ? run(suite) : 2;
		worst = status > worst ? status : worst;
	}
	return worst;
}

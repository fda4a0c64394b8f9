#include "contestant/enclose.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/toolkit.h"
#include "contestant/timing.h"
#include "process/jail.h"

/* What a compiled solution is linked with, and what is loaded by name when it is first needed:
 * libgcc_s by exceptions and the end of threads, libzstd by the emulated GPU. In glibc from 2.34
 * on the last three are empty. */
static const char *const of_all[] = {
	"libgcc_s.so.1",   "libstdc++.so.6", "libm.so.6",  "libzstd.so.1",
	"libpthread.so.0", "libdl.so.2",     "librt.so.1", NULL};
/* The driver's compiler of PTX, which it loads when a kernel has no machine code for the GPU, and
 * how the loader finds it. Not loaded beforehand: they bring a C++ library of their own, beside
 * which a solution's std::cout crashes (seen on an H200). */
static const char *const of_driver[] = {"/etc/ld.so.cache",
										"/usr/lib/" MULTIARCH "/libnvidia-ptxjitcompiler.so.1",
										"/usr/lib/" MULTIARCH "/libnvidia-gpucomp.so.1",
										"/usr/lib/" MULTIARCH "/libnvidia-nvvm.so.4",
										"/usr/lib64/libnvidia-ptxjitcompiler.so.1",
										"/usr/lib64/libnvidia-nvvm.so.4",
										NULL};
#define DRIVER_FILES (sizeof of_driver / sizeof *of_driver)

/* One that is not there will be missed by whoever needs it. */
static void load_all(const char *const *names)
{
	for (size_t i = 0; names[i] != NULL; i++)
		dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
}

/* The emulated GPU's memory, which host code cannot touch on a GPU, either. */
static struct jail_memory device_memory(const struct cudart *cudart)
{
	uint64_t lock[4] = {0};
	if (cudart->emulated_lock == NULL || cudart->emulated_lock(lock) != cudaSuccess)
		return (struct jail_memory){.mask = 0};
	return (struct jail_memory){lock[0], lock[1], lock[2], lock[3]};
}

int enclose(const struct contestant_open *request, const struct cudart *cudart,
			struct contestant_open_reply *reply)
{
	struct error err = {{0}};
	const char *readable[2 + DRIVER_FILES] = {NULL};
	struct jail_telling telling = {.fd = -1};
	const double begun = clock_seconds();
	if (request->layers == 0)
		return -1;
	load_all(of_all);
	size_t count = 0;
	if (request->solution[0] != '\0')
		readable[count++] = request->solution;
	if (request->library_folder[0] != '\0')
		readable[count++] = request->library_folder;
	for (size_t i = 0; request->device.kind == DEVICE_CUDA && of_driver[i] != NULL; i++)
		if (access(of_driver[i], R_OK) == 0)
			readable[count++] = of_driver[i];
	readable[count] = NULL;
	if (request->timed) /* whoever measures later tells what is missing */
		timing_prepare(&err);
	const double loaded = clock_seconds();
	reply->layers = jail_close(&(struct jail){.readable = readable,
											  .driver = request->device.kind == DEVICE_CUDA,
											  .memory = device_memory(cudart),
											  .telling = request->tells != 0 ? &telling : NULL},
							   request->layers, &err);
	reply->head.seconds[PART_LIBRARY] = (float)(loaded - begun);
	reply->head.seconds[PART_JAIL] = (float)(clock_seconds() - loaded);
	text_format(reply->unavailable, sizeof reply->unavailable, "%s", err.message);
	reply->tells = telling.fd >= 0;
	snprintf(reply->untold, sizeof reply->untold, "%s", telling.why_not);
	return telling.fd;
}

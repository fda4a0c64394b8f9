/* Finds libexec/referee_cuda.so and the CUDA libraries that it is linked to.
 * The program itself is linked to none of them, so that it starts on any
 * machine; what is missing is said here. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "device/referee_device.h"

/* In order of need: each needs only those before it. */
static const char *const libraries[] = {"libcudart.so.13", "libcublasLt.so.13", "libcublas.so.13"};

static void *open_in(const char *root, const char *below, const char *library)
{
	char path[PATHS_MAX];
	if (root == NULL || root[0] == '\0')
		return NULL;
	if (snprintf(path, sizeof path, "%s/%s/%s", root, below, library) >= (int)sizeof path)
		return NULL;
	return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

/* From the named toolkits, then wherever the loader looks. The handle stays open
 * as long as the process: CUDA does not survive being unloaded. */
static bool open_library(const char *library, const char *source_folder)
{
	const char *const roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda",
								 "/usr/local/cuda-13", "/opt/cuda"};
	static const char *const below[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
	for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
		for (size_t j = 0; j < sizeof below / sizeof below[0]; j++)
			if (open_in(roots[i], below[j], library) != NULL)
				return true;
	return open_in(source_folder, ".toolchain/cuda/lib64", library) != NULL ||
		   open_in(source_folder, ".toolchain/cuda/lib", library) != NULL ||
		   dlopen(library, RTLD_NOW | RTLD_GLOBAL) != NULL;
}

const struct referee_device *referee_device_cuda_load(const char *folder, const char *source_folder,
													  struct error *err)
{
	char path[PATHS_MAX];
	for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
		if (open_library(libraries[i], source_folder))
			continue;
		const char *why = dlerror();
		error_set(err,
				  "no %s of CUDA 13: install the toolkit or set CUDA_HOME to its folder; or judge "
				  "with --device emu (%.200s)",
				  libraries[i], why != NULL ? why : "no reason given");
		return NULL;
	}
	if (!paths_join(path, folder, "referee_cuda.so", err))
		return NULL;
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (plugin == NULL) {
		error_set(err, "cannot load the GPU's half of the referee: %.600s", dlerror());
		return NULL;
	}
	const struct referee_device *(*get)(void) = NULL;
	*(void **)&get = dlsym(plugin, "referee_device_cuda");
	const struct referee_device *device = get != NULL ? get() : NULL;
	if (device == NULL || device->version != REFEREE_DEVICE_VERSION) {
		error_set(err, "%.500s is of another version of this program: build both together", path);
		return NULL;
	}
	return device;
}

/* Finds libexec/referee_cuda.so and the CUDA libraries that it is linked to.
 * The program itself is linked to none of them, so that it starts on any
 * machine; what is missing is said here. */
#include <dlfcn.h>

#include "base/toolkit.h"
#include "device/referee_device.h"

/* In order of need: each needs only those before it. */
static const char *const libraries[] = {"libcudart.so.13", "libcublasLt.so.13", "libcublas.so.13"};

const struct referee_device *referee_device_cuda_load(const char *folder, struct error *err)
{
	char path[PATHS_MAX];
	struct error why;
	for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
		/* the handle stays open as long as the process: CUDA does not survive being unloaded */
		if (toolkit_open_library(libraries[i], RTLD_NOW | RTLD_GLOBAL, &why) != NULL)
			continue;
		error_set(err,
				  "no %s of CUDA 13: install the toolkit or set CUDA_HOME to its folder; or judge "
				  "with --device emu (%.200s)",
				  libraries[i], why.message);
		return NULL;
	}
	if (!paths_join(path, folder, "referee_cuda.so", err))
		return NULL;
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (plugin == NULL) {
		error_set(err, "cannot load the GPU's half of the referee: %s", dlerror());
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

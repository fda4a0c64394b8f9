#include "contestant/cudart.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/toolkit.h"

/* The driver's library beside an emulated runtime: loaded here, it is what a solution's
 * libcuda.so.1 means, whose code may open no file. On a GPU the runtime has loaded it. */
static void load_driver(const char *folder, int flags)
{
	char path[PATHS_MAX];
	struct error ignored;
	if (paths_join(path, folder, DRIVER_FILE, &ignored))
		dlopen(path, flags);
}

/* Finds one function. ISO C knows no cast from void * to a function; POSIX does. */
static bool find(void *library, const char *name, void *function, bool needed, struct error *err)
{
	void *address = dlsym(library, name);
	memcpy(function, &address, sizeof address);
	return address != NULL || !needed || error_set(err, CUDART_FILE " has no %s", name);
}

static bool find_all(void *library, struct cudart *out, struct error *err)
{
	return find(library, "cudaSetDevice", &out->set_device, true, err) &&
		   find(library, "cudaMalloc", &out->malloc, true, err) &&
		   find(library, "cudaFree", &out->free, true, err) &&
		   find(library, "cudaMemcpy", &out->memcpy, true, err) &&
		   find(library, "cudaDeviceSynchronize", &out->device_synchronize, true, err) &&
		   find(library, "cudaGetLastError", &out->get_last_error, true, err) &&
		   find(library, "cudaGetErrorName", &out->get_error_name, true, err) &&
		   find(library, "cudaGetErrorString", &out->get_error_string, true, err) &&
		   find(library, "cudaIpcOpenMemHandle", &out->ipc_open, false, err) &&
		   find(library, "cudaIpcCloseMemHandle", &out->ipc_close, false, err) &&
		   find(library, "cudaEventCreate", &out->event_create, false, err) &&
		   find(library, "cudaEventRecord", &out->event_record, false, err) &&
		   find(library, "cudaEventSynchronize", &out->event_synchronize, false, err) &&
		   find(library, "cudaEventElapsedTime", &out->event_elapsed, false, err) &&
		   find(library, "cudaEventDestroy", &out->event_destroy, false, err) &&
		   find(library, "cudaEmulatedName", &out->emulated_name, false, err) &&
		   find(library, "cudaEmulatedFailure", &out->emulated_failure, false, err) &&
		   find(library, "cudaEmulatedSteps", &out->emulated_steps, false, err) &&
		   find(library, "cudaEmulatedMemory", &out->emulated_memory, false, err) &&
		   find(library, "cudaEmulatedLock", &out->emulated_lock, false, err) &&
		   find(library, "cudaEmulatedCounters", &out->emulated_counters, false, err) &&
		   find(library, "cudaEmulatedOrder", &out->emulated_order, false, err) &&
		   find(library, "cudaEmulatedWhere", &out->emulated_where, false, err) &&
		   find(library, "cudaEmulatedWhereNow", &out->emulated_where_now, false, err) &&
		   find(library, "cudaMemGetInfo", &out->mem_get_info, false, err);
}

bool cudart_load(struct cudart *out, const char *folder, struct error *err)
{
	const int flags = RTLD_NOW | RTLD_GLOBAL;
	char path[PATHS_MAX];
	void *library;
	if (folder == NULL) {
		library = toolkit_open_library(CUDART_FILE, flags, err);
	} else {
		if (!paths_join(path, folder, CUDART_FILE, err))
			return false;
		library = dlopen(path, flags);
		if (library == NULL)
			error_set(err, "%s", dlerror());
		else
			load_driver(folder, flags);
	}
	if (library == NULL)
		return false;
	struct link_map *map = NULL;
	if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != NULL)
		snprintf(out->path, sizeof out->path, "%s", map->l_name);
	return find_all(library, out, err);
}

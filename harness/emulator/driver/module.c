/* Modules and libraries that the program loads itself, from PTX text or fat binaries, and what it
 * finds in them. A module and a library are the same thing here, and so are the handles of a
 * kernel and of a function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/driver/driver.h"

static struct binary *binary_of(void *handle)
{
	return handle;
}

/* ---- loading ------------------------------------------------------------------- */

/* What the caller of cuModuleLoadDataEx() gave for messages: option values are pointers and
 * numbers in void *. */
struct jit_log {
	char *buffer;
	uintptr_t size;
	void **written; /* the option's value becomes how much was written */
};

static void find_log(struct jit_log *log, CUjit_option buffer, CUjit_option size, unsigned count,
					 const CUjit_option *options, void **values)
{
	*log = (struct jit_log){0};
	for (unsigned i = 0; options != NULL && values != NULL && i < count; i++) {
		if (options[i] == buffer)
			log->buffer = values[i];
		if (options[i] == size)
			log->size = (uintptr_t)values[i], log->written = &values[i];
	}
}

static void write_log(const struct jit_log *log, const char *text)
{
	int length =
		log->buffer != NULL && log->size ? snprintf(log->buffer, log->size, "%s", text) : 0;
	if (log->written != NULL)
		*log->written = (void *)((uintptr_t)length < log->size ? (uintptr_t)length : log->size);
}

static cudaError_t load(const void *image, struct binary **out, char text[static 1024])
{
	struct fault fault = {0};
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = binary_load(image, out, &fault);
	snprintf(text, 1024, "%s", fault.text);
	return runtime_leave(status);
}

static CUresult load_data(const char *name, void *out, const void *image, unsigned count,
						  CUjit_option *options, void **values)
{
	struct jit_log info, error;
	struct binary *binary = NULL;
	char text[1024];
	if (out == NULL || image == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult status = driver_begin(name);
	if (status != CUDA_SUCCESS)
		return status;
	status = driver_end(load(image, &binary, text));
	find_log(&info, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, count, options,
			 values);
	find_log(&error, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, count, options,
			 values);
	write_log(&info, "");
	write_log(&error, text);
	if (status == CUDA_SUCCESS)
		memcpy(out, &binary, sizeof binary);
	return status;
}

EXPORT CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count,
								   CUjit_option *options, void **values)
{
	return load_data("cuModuleLoadDataEx", out, image, count, options, values);
}

EXPORT CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
	return load_data("cuModuleLoadData", out, image, 0, NULL, NULL);
}

EXPORT CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
	return load_data("cuModuleLoadFatBinary", out, image, 0, NULL, NULL);
}

/* Options of libraries only say how long the image lives, and it is copied. */
EXPORT CUresult cuLibraryLoadData(CUlibrary *out, const void *image, CUjit_option *options,
								  void **values, unsigned count, CUlibraryOption *library_options,
								  void **library_values, unsigned library_count)
{
	(void)library_options, (void)library_values, (void)library_count;
	return load_data("cuLibraryLoadData", out, image, count, options, values);
}

/* The file's bytes and a 0 after them; the caller frees. */
static char *read_file(const char *path)
{
	char *bytes = NULL;
	long size = -1;
	FILE *file = fopen(path, "rb");
	if (file != NULL && fseek(file, 0, SEEK_END) == 0)
		size = ftell(file);
	if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
		bytes = calloc(1, (size_t)size + 1);
	if (bytes != NULL && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
		free(bytes);
		bytes = NULL;
	}
	if (file != NULL)
		fclose(file);
	return bytes;
}

static CUresult load_file(const char *name, void *out, const char *path)
{
	char *image = out != NULL && path != NULL ? read_file(path) : NULL;
	if (image == NULL)
		return out != NULL && path != NULL ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
	CUresult status = load_data(name, out, image, 0, NULL, NULL);
	free(image);
	return status;
}

EXPORT CUresult cuModuleLoad(CUmodule *out, const char *path)
{
	return load_file("cuModuleLoad", out, path);
}

EXPORT CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, CUjit_option *options,
									  void **values, unsigned count,
									  CUlibraryOption *library_options, void **library_values,
									  unsigned library_count)
{
	(void)options, (void)values, (void)count;
	(void)library_options, (void)library_values, (void)library_count;
	return load_file("cuLibraryLoadFromFile", out, path);
}

static cudaError_t unload(struct binary *binary)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && !binary_valid(binary))
		status = cudaErrorInvalidResourceHandle;
	if (status == cudaSuccess) {
		runtime_open_memory(); /* its variables are freed */
		binary_unload(binary);
		runtime_close_memory();
	}
	return runtime_leave(status);
}

EXPORT CUresult cuModuleUnload(CUmodule module)
{
	return DRIVER(cuModuleUnload, unload(binary_of(module)));
}

EXPORT CUresult cuLibraryUnload(CUlibrary library)
{
	return DRIVER(cuLibraryUnload, unload(binary_of(library)));
}

/* Kernels are decoded when they are first launched. */
EXPORT CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *out)
{
	if (out != NULL)
		*out = CU_MODULE_LAZY_LOADING;
	return out != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- what is in them ------------------------------------------------------------- */

static cudaError_t get_function(struct binary *binary, const char *name, void *out)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && (out == NULL || name == NULL))
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && !binary_valid(binary))
		status = cudaErrorInvalidResourceHandle;
	struct function *function = status == cudaSuccess ? binary_function(binary, name) : NULL;
	if (status == cudaSuccess && function == NULL) {
		runtime_say("%s: the module has no kernel %s", runtime_call_name(""), name);
		status = cudaErrorSymbolNotFound;
	}
	if (status == cudaSuccess)
		memcpy(out, &function, sizeof function);
	return runtime_leave(status);
}

EXPORT CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
	return DRIVER(cuModuleGetFunction, get_function(binary_of(module), name, out));
}

EXPORT CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name)
{
	return DRIVER(cuLibraryGetKernel, get_function(binary_of(library), name, out));
}

static cudaError_t get_variable(struct binary *binary, const char *name, CUdeviceptr *address,
								size_t *bytes)
{
	uint64_t at = 0;
	size_t size = 0;
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && name == NULL)
		status = cudaErrorInvalidValue;
	if (status == cudaSuccess && !binary_valid(binary))
		status = cudaErrorInvalidResourceHandle;
	if (status == cudaSuccess && !module_variable(binary->module, name, &at, &size)) {
		runtime_say("%s: the module has no variable %s", runtime_call_name(""), name);
		status = cudaErrorSymbolNotFound;
	}
	if (status == cudaSuccess && address != NULL)
		*address = at;
	if (status == cudaSuccess && bytes != NULL)
		*bytes = size;
	return runtime_leave(status);
}

EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
									 const char *name)
{
	return DRIVER(cuModuleGetGlobal, get_variable(binary_of(module), name, address, bytes));
}

EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
								   const char *name)
{
	return DRIVER(cuLibraryGetGlobal, get_variable(binary_of(library), name, address, bytes));
}

/* Up to `room` kernels; *count, if asked for: how many there are. */
static cudaError_t get_all(struct binary *binary, void **out, unsigned room, unsigned *count)
{
	unsigned found = 0;
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && !binary_valid(binary))
		status = cudaErrorInvalidResourceHandle;
	const struct kernel *kernel = NULL;
	while (status == cudaSuccess && (kernel = module_kernel_at(binary->module, found)) != NULL) {
		struct kernel_properties facts;
		kernel_properties(kernel, &facts);
		if (found < room)
			out[found] = binary_function(binary, facts.name);
		found++;
	}
	if (status == cudaSuccess && count != NULL)
		*count = found;
	return runtime_leave(status);
}

EXPORT CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module)
{
	return DRIVER(cuModuleGetFunctionCount, get_all(binary_of(module), NULL, 0, count));
}

EXPORT CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned room, CUmodule module)
{
	return DRIVER(cuModuleEnumerateFunctions, get_all(binary_of(module), (void **)out, room, NULL));
}

EXPORT CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
	return DRIVER(cuLibraryGetKernelCount, get_all(binary_of(library), NULL, 0, count));
}

EXPORT CUresult cuLibraryEnumerateKernels(CUkernel *out, unsigned room, CUlibrary library)
{
	return DRIVER(cuLibraryEnumerateKernels, get_all(binary_of(library), (void **)out, room, NULL));
}

static cudaError_t check(struct binary *binary)
{
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess && !binary_valid(binary))
		status = cudaErrorInvalidResourceHandle;
	return runtime_leave(status);
}

EXPORT CUresult cuLibraryGetModule(CUmodule *out, CUlibrary library)
{
	CUresult status = DRIVER(cuLibraryGetModule, check(binary_of(library)));
	if (status == CUDA_SUCCESS)
		*out = (CUmodule)(void *)library;
	return status;
}

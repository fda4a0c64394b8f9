/* Registration: nvcc's start-up code names every fat binary, kernel and
 * variable of a program. The PTX is parsed when one of them is first used, as
 * CUDA loads lazily, so that a program pays only for what it runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/fatbin.h"
#include "emulator/runtime/runtime.h"

/* nvcc calls these; no public header declares them. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
							int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
							int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
					   size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
							  size_t size, int constant, int global);
cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host);

/* Programs may ask for it before anything else, and from any thread. */
static _Atomic int cuda_version = CUDART_VERSION;

int runtime_cuda_version(void)
{
	return cuda_version;
}

static void note_version(int version)
{
	if (version > cuda_version)
		cuda_version = version;
}

/* Registration cannot fail: what goes wrong shows when the thing is used. */
EXPORT void **__cudaRegisterFatBinary(void *wrapper)
{
	runtime_enter_early();
	const void *fatbin = fatbin_of_wrapper(wrapper);
	note_version(fatbin_cuda_version(fatbin, fatbin_size(fatbin)));
	struct binary *binary = calloc(1, sizeof *binary);
	if (binary != NULL) {
		binary->wrapper = wrapper;
		binary->next = runtime.binaries;
		runtime.binaries = binary;
	}
	runtime_leave_quietly(cudaSuccess);
	return (void **)binary;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

/* What a kernel counted outlives its module, whose memory holds the name. */
static void retire(struct function *function)
{
	char *name = function->launches ? strdup(function->name) : NULL;
	if (name == NULL) {
		free(function);
		return;
	}
	function->name = name;
	function->binary = NULL;
	function->host = NULL;
	function->kernel = NULL;
	function->next = runtime.retired;
	runtime.retired = function;
}

static void drop_functions(const struct binary *binary)
{
	for (struct function **at = &runtime.functions; *at != NULL;) {
		struct function *function = *at;
		if (function->binary != binary) {
			at = &function->next;
			continue;
		}
		*at = function->next;
		retire(function);
	}
}

static void drop_variables(const struct binary *binary)
{
	for (struct variable **at = &runtime.variables; *at != NULL;) {
		struct variable *variable = *at;
		if (variable->binary != binary) {
			at = &variable->next;
			continue;
		}
		*at = variable->next;
		free(variable);
	}
}

void binary_unload(struct binary *binary)
{
	drop_functions(binary);
	drop_variables(binary);
	struct binary **at = &runtime.binaries;
	while (*at != NULL && *at != binary)
		at = &(*at)->next;
	if (*at != NULL)
		*at = binary->next;
	if (binary->module != NULL)
		module_free(binary->module);
	free(binary);
}

EXPORT void __cudaUnregisterFatBinary(void **handle)
{
	struct binary *binary = (struct binary *)handle;
	if (binary == NULL)
		return;
	runtime_enter_early();
	binary_unload(binary);
	runtime_leave_quietly(cudaSuccess);
}

/* Registered ones are parsed again when they are next used. */
static void binary_forget(struct binary *binary)
{
	for (struct function *at = runtime.functions; at != NULL; at = at->next)
		if (at->binary == binary) {
			at->kernel = NULL;
			at->dynamic_shared_set = false;
			at->nonportable_cluster = false;
			at->shared_mode = 0;
		}
	for (struct variable *at = runtime.variables; at != NULL; at = at->next)
		if (at->binary == binary)
			at->address = 0;
	if (binary->module != NULL)
		module_free(binary->module);
	binary->module = NULL;
	binary->parsed = false;
}

void runtime_modules_drop_all(void)
{
	for (struct binary *binary = runtime.binaries, *next; binary != NULL; binary = next) {
		next = binary->next;
		if (binary->loaded)
			binary_unload(binary);
		else
			binary_forget(binary);
	}
}

EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
								   int thread_limit, uint3 *tid, uint3 *bid, dim3 *block,
								   dim3 *grid, int *warp_size)
{
	(void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
	(void)warp_size;
	runtime_enter_early();
	struct function *function = handle != NULL ? calloc(1, sizeof *function) : NULL;
	if (function != NULL) {
		function->binary = (struct binary *)handle;
		function->host = host;
		function->name = name;
		function->next = runtime.functions;
		runtime.functions = function;
	}
	runtime_leave_quietly(cudaSuccess);
}

static void register_variable(void **handle, const void *host, void **managed, const char *name,
							  size_t size)
{
	runtime_enter_early();
	struct variable *variable = handle != NULL ? calloc(1, sizeof *variable) : NULL;
	/* The host reads and writes managed variables, which lie among the others. */
	runtime.unguarded = runtime.unguarded || managed != NULL;
	if (variable != NULL) {
		variable->binary = (struct binary *)handle;
		variable->host = host;
		variable->managed = managed;
		variable->name = name;
		variable->size = size;
		variable->next = runtime.variables;
		runtime.variables = variable;
	}
	runtime_leave_quietly(cudaSuccess);
}

EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
							  size_t size, int constant, int global)
{
	(void)device, (void)ext, (void)constant, (void)global;
	register_variable(handle, host, NULL, name, size);
}

EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
									 int ext, size_t size, int constant, int global)
{
	(void)device, (void)ext, (void)constant, (void)global;
	register_variable(handle, host, host, name, size);
}

static cudaError_t binary_refuse(enum fatbin_status status, struct fault *fault)
{
	snprintf(fault->text, sizeof fault->text, "%s", fatbin_advice(status));
	runtime_say("%s", fault->text);
	switch (status) {
	case FATBIN_COMPRESSED: return cudaErrorNotSupported;
	case FATBIN_MALFORMED: return cudaErrorInvalidKernelImage;
	default: return cudaErrorNoKernelImageForDevice;
	}
}

/* The PTX of an image; `loaded`: that binary_load() was given. */
static enum fatbin_status find_ptx(const void *image, bool loaded, struct fatbin_ptx *ptx)
{
	static const char elf[] = "\177ELF";
	int sm = runtime.gpu->major * 10 + runtime.gpu->minor;
	const void *fatbin = fatbin_of_wrapper(image);
	if (fatbin == NULL && fatbin_size(image))
		fatbin = image;
	note_version(fatbin_cuda_version(fatbin, fatbin_size(fatbin)));
	if (fatbin != NULL || !loaded || image == NULL)
		return fatbin_choose(fatbin, fatbin_size(fatbin), sm, ptx);
	if (memcmp(image, elf, sizeof elf - 1) == 0)
		return FATBIN_NO_PTX;
	*ptx = (struct fatbin_ptx){.text = image, .length = strlen(image)};
	note_version(fatbin_text_cuda_version(ptx->text, ptx->length));
	return fatbin_text_suits(ptx->text, ptx->length, sm);
}

static cudaError_t binary_parse(struct binary *binary, const void *image, struct fault *fault)
{
	struct fatbin_ptx ptx;
	enum fatbin_status found = find_ptx(image, binary->loaded, &ptx);
	if (found != FATBIN_FOUND)
		return binary_refuse(found, fault);
	runtime_open_memory(); /* variables are initialised */
	binary->module = module_parse(ptx.text, ptx.length, fault);
	runtime_close_memory();
	free(ptx.expanded);
	if (binary->module != NULL) {
		if (runtime.gpu->major < 9)
			module_set_shared_base(binary->module, 0);
		return cudaSuccess;
	}
	runtime_say("%s", fault->text);
	return fault->kind == FAULT_UNSUPPORTED ? cudaErrorNotSupported
		   : fault->kind == FAULT_MEMORY    ? cudaErrorMemoryAllocation
											: cudaErrorInvalidPtx;
}

cudaError_t binary_load(const void *image, struct binary **out, struct fault *fault)
{
	struct binary *binary = calloc(1, sizeof *binary);
	if (binary == NULL)
		return cudaErrorMemoryAllocation;
	binary->loaded = binary->parsed = true;
	binary->status = binary_parse(binary, image, fault);
	cudaError_t status = binary->status;
	if (status != cudaSuccess) {
		free(binary);
		return status;
	}
	binary->next = runtime.binaries;
	runtime.binaries = binary;
	*out = binary;
	return cudaSuccess;
}

bool binary_valid(const struct binary *binary)
{
	const struct binary *at = runtime.binaries;
	while (at != NULL && at != binary)
		at = at->next;
	return at != NULL && at->loaded;
}

struct function *binary_function(struct binary *binary, const char *name)
{
	const struct kernel *kernel = module_kernel(binary->module, name);
	struct function *function = runtime.functions;
	while (function != NULL && function->kernel != kernel)
		function = function->next;
	if (kernel == NULL || function != NULL || (function = calloc(1, sizeof *function)) == NULL)
		return kernel != NULL ? function : NULL;
	struct kernel_properties facts;
	kernel_properties(kernel, &facts);
	*function = (struct function){
		.next = runtime.functions, .binary = binary, .name = facts.name, .kernel = kernel};
	runtime.functions = function;
	return function;
}

static cudaError_t binary_ready(struct binary *binary)
{
	if (!binary->parsed) {
		binary->parsed = true;
		struct fault fault = {0};
		binary->status = binary_parse(binary, binary->wrapper, &fault);
	}
	return binary->status;
}

cudaError_t function_find(const void *host, struct function **out)
{
	struct function *function = runtime.functions;
	while (function != NULL && function->host != host && function != host)
		function = function->next;
	*out = function;
	if (function == NULL || host == NULL)
		return cudaErrorInvalidDeviceFunction;
	if (function->kernel != NULL)
		return cudaSuccess;
	cudaError_t status = binary_ready(function->binary);
	if (status != cudaSuccess)
		return status;
	function->kernel = module_kernel(function->binary->module, function->name);
	return function->kernel != NULL ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t variable_find(const void *host, struct variable **out)
{
	struct variable *variable = runtime.variables;
	while (variable != NULL && variable->host != host)
		variable = variable->next;
	*out = variable;
	if (variable == NULL)
		return cudaErrorInvalidSymbol;
	if (variable->address)
		return cudaSuccess;
	cudaError_t status = binary_ready(variable->binary);
	if (status != cudaSuccess)
		return status;
	size_t size;
	struct module *module = variable->binary->module;
	if (!module_variable(module, variable->name, &variable->address, &size))
		return cudaErrorInvalidSymbol;
	variable->size = size;
	return cudaSuccess;
}

/* Called before a __managed__ variable is first touched on the host: its host
 * pointer must then hold the device address. */
EXPORT char __cudaInitModule(void **handle)
{
	struct binary *binary = (struct binary *)handle;
	bool done = runtime_enter_queueing() == cudaSuccess && binary != NULL &&
				binary_ready(binary) == cudaSuccess;
	for (struct variable *at = runtime.variables; done && at != NULL; at = at->next) {
		struct variable *variable;
		if (at->binary != binary || at->managed == NULL)
			continue;
		if (variable_find(at->host, &variable) == cudaSuccess)
			*at->managed = (void *)(uintptr_t)variable->address;
	}
	runtime_leave_quietly(cudaSuccess);
	return done;
}

/* The handle does not need the kernel itself, so that a failure to parse shows
 * at the launch, where the program looks for it. */
EXPORT cudaError_t cudaGetKernel(cudaKernel_t *out, const void *host)
{
	runtime_enter_queueing();
	struct function *function = runtime.functions;
	while (function != NULL && function->host != host && function != host)
		function = function->next;
	if (out != NULL)
		*out = (cudaKernel_t)function;
	return runtime_leave(function && out ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}
EXPORT_ALIAS(cudaGetKernel, __cudaGetKernel);

EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *host)
{
	return cudaGetKernel((cudaKernel_t *)out, host);
}

EXPORT cudaError_t cudaGetSymbolAddress(void **out, const void *symbol)
{
	struct variable *variable;
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = variable_find(symbol, &variable);
	if (status == cudaSuccess)
		*out = (void *)(uintptr_t)variable->address;
	return runtime_leave(status);
}

EXPORT cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol)
{
	struct variable *variable;
	cudaError_t status = runtime_enter();
	if (status == cudaSuccess)
		status = variable_find(symbol, &variable);
	if (status == cudaSuccess)
		*out = variable->size;
	return runtime_leave(status);
}

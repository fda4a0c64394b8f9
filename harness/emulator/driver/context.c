/* Contexts. There is one GPU, and memory is one whatever context it was made in; what is kept is
 * who has retained the primary context and which context a thread works in, so that a program
 * that forgets either is refused as it would be on a GPU. */
#include <stdlib.h>

#include "emulator/driver/driver.h"

#define DEPTH 64

struct CUctx_st {
	struct CUctx_st *next;
	unsigned flags;
	unsigned long long id;
};

static struct {
	bool initialised; /* by cuInit() */
	unsigned retained;
	struct CUctx_st primary;
	struct CUctx_st *made; /* by cuCtxCreate() */
	unsigned long long ids;
} contexts = {.primary = {.id = 1}, .ids = 1};

/* The contexts of a thread; the last is current. A NULL in it is "none". */
static _Thread_local struct CUctx_st *stack[DEPTH];
static _Thread_local unsigned depth;
static _Thread_local unsigned long long own_calls; /* of the runtime that have been looked at */

static struct CUctx_st *current(void)
{
	return depth ? stack[depth - 1] : NULL;
}

static void set_current(struct CUctx_st *context)
{
	if (depth == 0)
		depth = 1;
	stack[depth - 1] = context;
}

/* A call of the runtime gives a thread that has no context the primary one. */
static void take_primary(void)
{
	if (own_calls == runtime_own_calls())
		return;
	own_calls = runtime_own_calls();
	if (current() == NULL)
		set_current(&contexts.primary);
}

static bool primary_active(void)
{
	return runtime.holds_primary || contexts.retained > 0;
}

static bool known(const struct CUctx_st *context)
{
	const struct CUctx_st *at = contexts.made;
	while (at != NULL && at != context)
		at = at->next;
	return context == &contexts.primary || at != NULL;
}

static bool alive(const struct CUctx_st *context)
{
	return context == &contexts.primary ? primary_active() : known(context);
}

CUresult driver_begin_device(const char *name)
{
	take_primary();
	if (!contexts.initialised && !runtime.used) {
		runtime_say("%s: cuInit has not been called", name);
		return CUDA_ERROR_NOT_INITIALIZED;
	}
	runtime_call_begin(name);
	return CUDA_SUCCESS;
}

CUresult driver_begin(const char *name)
{
	CUresult status = driver_begin_device(name);
	if (status != CUDA_SUCCESS || (current() != NULL && alive(current())))
		return status;
	runtime_call_end();
	runtime_say("%s: %s", name,
				current() != NULL ? "the thread's context has been destroyed or reset"
								  : "the thread has no context: cuDevicePrimaryCtxRetain and "
									"cuCtxSetCurrent give it one");
	return current() != NULL ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
}

/* Functions of contexts hold the lock but need none of what runtime_enter() looks for. */
static CUresult enter(const char *name)
{
	CUresult status = driver_begin_device(name);
	if (status == CUDA_SUCCESS)
		runtime_enter();
	return status;
}

static CUresult leave(CUresult status)
{
	runtime_leave_quietly(cudaSuccess);
	runtime_call_end();
	return status;
}

EXPORT CUresult cuInit(unsigned flags)
{
	if (flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	runtime_call_begin("cuInit");
	runtime_enter();
	contexts.initialised = runtime.init_status == cudaSuccess;
	runtime_leave_quietly(cudaSuccess);
	return driver_end(runtime.init_status);
}

/* ---- the primary context ------------------------------------------------------ */

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
	if (out == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult status = enter("cuDevicePrimaryCtxRetain");
	if (status != CUDA_SUCCESS)
		return status;
	if (device != 0)
		return leave(CUDA_ERROR_INVALID_DEVICE);
	contexts.retained++;
	*out = &contexts.primary;
	return leave(CUDA_SUCCESS);
}

/* The last release resets it: CUDA driver API, "Primary Context Management". */
EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
	CUresult status = enter("cuDevicePrimaryCtxRelease");
	if (status != CUDA_SUCCESS)
		return status;
	if (device != 0)
		return leave(CUDA_ERROR_INVALID_DEVICE);
	if (contexts.retained == 0)
		return leave(CUDA_ERROR_INVALID_CONTEXT);
	if (--contexts.retained == 0 && !runtime.holds_primary)
		runtime_reset();
	return leave(CUDA_SUCCESS);
}

EXPORT CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
	CUresult status = enter("cuDevicePrimaryCtxReset");
	if (status != CUDA_SUCCESS)
		return status;
	if (device != 0)
		return leave(CUDA_ERROR_INVALID_DEVICE);
	runtime_reset();
	return leave(CUDA_SUCCESS);
}

EXPORT CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
	CUresult status = enter("cuDevicePrimaryCtxSetFlags");
	if (status != CUDA_SUCCESS)
		return status;
	contexts.primary.flags = flags;
	return leave(device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
	CUresult status = enter("cuDevicePrimaryCtxGetState");
	if (status != CUDA_SUCCESS)
		return status;
	if (device == 0 && flags != NULL && active != NULL) {
		*flags = contexts.primary.flags;
		*active = primary_active();
		return leave(CUDA_SUCCESS);
	}
	return leave(device != 0 ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
}

/* ---- further contexts, and a thread's ---------------------------------------- */

static CUresult create(const char *name, CUcontext *out, unsigned flags, CUdevice device)
{
	CUresult status = enter(name);
	if (status != CUDA_SUCCESS)
		return status;
	if (out == NULL || device != 0)
		return leave(out != NULL ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
	struct CUctx_st *context = depth < DEPTH ? calloc(1, sizeof *context) : NULL;
	if (context == NULL)
		return leave(CUDA_ERROR_OUT_OF_MEMORY);
	*context = (struct CUctx_st){contexts.made, flags, ++contexts.ids};
	contexts.made = context;
	stack[depth++] = context;
	*out = context;
	return leave(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *how, unsigned flags,
							   CUdevice device)
{
	(void)how;
	return create("cuCtxCreate", out, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *affinity, int count, unsigned flags,
						CUdevice device);
EXPORT CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *affinity, int count,
							   unsigned flags, CUdevice device)
{
	(void)affinity, (void)count;
	return create("cuCtxCreate", out, flags, device);
}

CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device);
EXPORT CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device)
{
	return create("cuCtxCreate", out, flags, device);
}

EXPORT CUresult cuCtxDestroy(CUcontext context)
{
	CUresult status = enter("cuCtxDestroy");
	if (status != CUDA_SUCCESS)
		return status;
	struct CUctx_st **at = &contexts.made;
	while (*at != NULL && *at != context)
		at = &(*at)->next;
	if (*at == NULL)
		return leave(CUDA_ERROR_INVALID_CONTEXT);
	*at = context->next;
	if (current() == context)
		depth--;
	free(context);
	return leave(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxPushCurrent(CUcontext context)
{
	CUresult status = enter("cuCtxPushCurrent");
	if (status != CUDA_SUCCESS)
		return status;
	if (!known(context))
		return leave(CUDA_ERROR_INVALID_CONTEXT);
	if (depth == DEPTH)
		return leave(CUDA_ERROR_OUT_OF_MEMORY);
	stack[depth++] = context;
	return leave(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxPopCurrent(CUcontext *out)
{
	CUresult status = enter("cuCtxPopCurrent");
	if (status != CUDA_SUCCESS)
		return status;
	if (depth == 0)
		return leave(CUDA_ERROR_INVALID_CONTEXT);
	depth--;
	if (out != NULL)
		*out = stack[depth];
	return leave(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
	CUresult status = enter("cuCtxSetCurrent");
	if (status != CUDA_SUCCESS)
		return status;
	if (context != NULL && !known(context))
		return leave(CUDA_ERROR_INVALID_CONTEXT);
	if (context != NULL)
		set_current(context);
	else if (depth > 0)
		depth--;
	return leave(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *out)
{
	CUresult status = enter("cuCtxGetCurrent");
	if (status != CUDA_SUCCESS)
		return status;
	if (out != NULL)
		*out = current();
	return leave(out != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuCtxGetDevice(CUdevice *out)
{
	CUresult status = out != NULL ? driver_begin("cuCtxGetDevice") : CUDA_ERROR_INVALID_VALUE;
	if (status == CUDA_SUCCESS)
		*out = 0;
	return status == CUDA_SUCCESS ? driver_end(cudaSuccess) : status;
}

/* With a context as an argument: since CUDA 13. */
EXPORT CUresult cuCtxGetDevice_v2(CUdevice *out, CUcontext context)
{
	CUresult status = enter("cuCtxGetDevice");
	if (status != CUDA_SUCCESS)
		return status;
	if (out == NULL || !alive(context != NULL ? context : current()))
		return leave(out != NULL ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE);
	*out = 0;
	return leave(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxGetFlags(unsigned *out)
{
	CUresult status = out != NULL ? driver_begin("cuCtxGetFlags") : CUDA_ERROR_INVALID_VALUE;
	if (status == CUDA_SUCCESS)
		*out = current()->flags;
	return status == CUDA_SUCCESS ? driver_end(cudaSuccess) : status;
}

EXPORT CUresult cuCtxGetId(CUcontext context, unsigned long long *out)
{
	CUresult status = enter("cuCtxGetId");
	if (status != CUDA_SUCCESS)
		return status;
	context = context != NULL ? context : current();
	if (out == NULL || context == NULL || !known(context))
		return leave(out != NULL ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE);
	*out = context->id;
	return leave(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
	CUresult status = enter("cuCtxGetApiVersion");
	if (status != CUDA_SUCCESS)
		return status;
	if (version == NULL || (context != NULL && !known(context)))
		return leave(version != NULL ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE);
	*version = 3020; /* what drivers have said since then */
	return leave(CUDA_SUCCESS);
}

EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *out)
{
	CUresult status =
		out != NULL ? DRIVER(cuStreamGetCtx, cudaStreamQuery(stream)) : CUDA_ERROR_INVALID_VALUE;
	if (status == CUDA_SUCCESS)
		*out = current();
	return status;
}
EXPORT_ALIAS(cuStreamGetCtx, cuStreamGetCtx_ptsz);

/* ---- what the runtime has, too ----------------------------------------------- */

EXPORT CUresult cuCtxSynchronize(void)
{
	return DRIVER(cuCtxSynchronize, cudaDeviceSynchronize());
}

EXPORT CUresult cuCtxSynchronize_v2(CUcontext context)
{
	(void)context;
	return DRIVER(cuCtxSynchronize, cudaDeviceSynchronize());
}

/* The limits have the runtime's numbers. */
EXPORT CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	return DRIVER(cuCtxSetLimit, cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

EXPORT CUresult cuCtxGetLimit(size_t *out, CUlimit limit)
{
	return DRIVER(cuCtxGetLimit, cudaDeviceGetLimit(out, (enum cudaLimit)limit));
}

EXPORT CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	return DRIVER(cuCtxSetCacheConfig, cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

EXPORT CUresult cuCtxGetCacheConfig(CUfunc_cache *out)
{
	return DRIVER(cuCtxGetCacheConfig, cudaDeviceGetCacheConfig((enum cudaFuncCache *)out));
}

EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	return DRIVER(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange(least, greatest));
}

EXPORT CUresult cuCtxResetPersistingL2Cache(void)
{
	return DRIVER(cuCtxResetPersistingL2Cache, cudaCtxResetPersistingL2Cache());
}

EXPORT CUresult cuProfilerStart(void)
{
	return DRIVER(cuProfilerStart, cudaProfilerStart());
}

EXPORT CUresult cuProfilerStop(void)
{
	return DRIVER(cuProfilerStop, cudaProfilerStop());
}

#include "driver.h"

#include <stdio.h>

bool driver_done(CUresult result, const char *what)
{
	if (result != CUDA_SUCCESS)
		fprintf(stderr, "%s: CUresult %d\n", what, (int)result);
	return result == CUDA_SUCCESS;
}

bool driver_open(void)
{
	CUdevice device;
	CUcontext context;
	return driver_done(cuInit(0), "cuInit") &&
		   driver_done(cuDeviceGet(&device, 0), "cuDeviceGet") &&
		   driver_done(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain") &&
		   driver_done(cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

bool driver_load(const char *ptx, CUmodule *module)
{
	char log[4096] = "";
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)sizeof log};
	bool good =
		driver_done(cuModuleLoadDataEx(module, ptx, 2, options, values), "cuModuleLoadDataEx");
	if (!good && log[0])
		fprintf(stderr, "%s\n", log);
	return good;
}

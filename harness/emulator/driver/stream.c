/* Streams, events and host functions: the runtime's, whose handles these are. */
#include "emulator/driver/driver.h"

EXPORT CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
	return DRIVER(cuStreamCreate, cudaStreamCreateWithFlags(out, flags));
}

EXPORT CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority)
{
	return DRIVER(cuStreamCreateWithPriority, cudaStreamCreateWithPriority(out, flags, priority));
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
	return DRIVER(cuStreamDestroy, cudaStreamDestroy(stream));
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
	return DRIVER(cuStreamSynchronize, cudaStreamSynchronize(stream));
}
EXPORT_ALIAS(cuStreamSynchronize, cuStreamSynchronize_ptsz);

EXPORT CUresult cuStreamQuery(CUstream stream)
{
	return DRIVER(cuStreamQuery, cudaStreamQuery(stream));
}
EXPORT_ALIAS(cuStreamQuery, cuStreamQuery_ptsz);

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	return DRIVER(cuStreamWaitEvent, cudaStreamWaitEvent(stream, event, flags));
}
EXPORT_ALIAS(cuStreamWaitEvent, cuStreamWaitEvent_ptsz);

EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned *out)
{
	return DRIVER(cuStreamGetFlags, cudaStreamGetFlags(stream, out));
}
EXPORT_ALIAS(cuStreamGetFlags, cuStreamGetFlags_ptsz);

EXPORT CUresult cuStreamGetPriority(CUstream stream, int *out)
{
	return DRIVER(cuStreamGetPriority, cudaStreamGetPriority(stream, out));
}
EXPORT_ALIAS(cuStreamGetPriority, cuStreamGetPriority_ptsz);

EXPORT CUresult cuStreamGetId(CUstream stream, unsigned long long *out)
{
	return DRIVER(cuStreamGetId, cudaStreamGetId(stream, out));
}
EXPORT_ALIAS(cuStreamGetId, cuStreamGetId_ptsz);

EXPORT CUresult cuStreamGetDevice(CUstream stream, CUdevice *out)
{
	return DRIVER(cuStreamGetDevice, cudaStreamGetDevice(stream, out));
}
EXPORT_ALIAS(cuStreamGetDevice, cuStreamGetDevice_ptsz);

EXPORT CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *out)
{
	return DRIVER(cuStreamIsCapturing,
				  cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)out));
}
EXPORT_ALIAS(cuStreamIsCapturing, cuStreamIsCapturing_ptsz);

/* Outside of DRIVER: the callback may call the runtime and the driver. */
EXPORT CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data,
									unsigned flags)
{
	(void)flags;
	CUresult status = callback != NULL ? DRIVER(cuStreamAddCallback, cudaStreamQuery(stream))
									   : CUDA_ERROR_INVALID_VALUE;
	if (status == CUDA_SUCCESS)
		callback(stream, CUDA_SUCCESS, data);
	return status;
}
EXPORT_ALIAS(cuStreamAddCallback, cuStreamAddCallback_ptsz);

EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
	bool now = false;
	CUresult status = DRIVER(cuLaunchHostFunc, stream_host_function(stream, function, data, &now));
	if (now)
		function(data);
	return status;
}
EXPORT_ALIAS(cuLaunchHostFunc, cuLaunchHostFunc_ptsz);

EXPORT CUresult cuLaunchHostFunc_v2(CUstream stream, CUhostFn function, void *data, unsigned mode)
{
	return mode < HOST_SYNC_MODES ? cuLaunchHostFunc(stream, function, data)
								  : CUDA_ERROR_INVALID_VALUE;
}
EXPORT_ALIAS(cuLaunchHostFunc_v2, cuLaunchHostFunc_v2_ptsz);

EXPORT CUresult cuEventCreate(CUevent *out, unsigned flags)
{
	return DRIVER(cuEventCreate, cudaEventCreateWithFlags(out, flags));
}

EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
	return DRIVER(cuEventDestroy, cudaEventDestroy(event));
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
	return DRIVER(cuEventRecord, cudaEventRecord(event, stream));
}
EXPORT_ALIAS(cuEventRecord, cuEventRecord_ptsz);

EXPORT CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
	return DRIVER(cuEventRecordWithFlags, cudaEventRecordWithFlags(event, stream, flags));
}
EXPORT_ALIAS(cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz);

EXPORT CUresult cuEventQuery(CUevent event)
{
	return DRIVER(cuEventQuery, cudaEventQuery(event));
}

EXPORT CUresult cuEventSynchronize(CUevent event)
{
	return DRIVER(cuEventSynchronize, cudaEventSynchronize(event));
}

EXPORT CUresult cuEventElapsedTime_v2(float *out, CUevent start, CUevent end)
{
	return DRIVER(cuEventElapsedTime, cudaEventElapsedTime(out, start, end));
}
EXPORT_FIRST(cuEventElapsedTime, cuEventElapsedTime_v2);

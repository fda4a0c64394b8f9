#include "contestant/call_outcome.h"

#include <stdio.h>

static enum run_status status_of(cudaError_t code)
{
	switch ((int)code) {
	case cudaSuccess: return RUN_OK;
	case cudaErrorInvalidDeviceFunction:
	case cudaErrorInvalidKernelImage:
	case cudaErrorNoKernelImageForDevice:
	case cudaErrorInvalidPtx:
	case cudaErrorUnsupportedPtxVersion:
	case cudaErrorNotSupported: return RUN_UNSUPPORTED;
	case cudaErrorLaunchTimeout: return RUN_TIME_LIMIT;
	default: return RUN_DEVICE_ERROR;
	}
}

struct call_outcome call_outcome_of_code(const struct cudart *cudart, cudaError_t code)
{
	struct call_outcome out = {.status = status_of(code), .code = code};
	if (code != cudaSuccess)
		snprintf(out.text, sizeof out.text, "%s", cudart->get_error_string(code));
	return out;
}

struct call_outcome call_outcome_of(const struct cudart *cudart, cudaError_t code, cudaError_t left)
{
	if (code != cudaSuccess)
		return call_outcome_of_code(cudart, code);
	struct call_outcome out = call_outcome_of_code(cudart, left);
	out.left = out.status;
	out.status = RUN_OK;
	return out;
}

void call_outcome_name(const struct cudart *cudart, cudaError_t code, char *out, size_t size)
{
	snprintf(out, size, "%s", code != cudaSuccess ? cudart->get_error_name(code) : "");
}

void call_outcome_fill(const struct cudart *cudart, struct call_outcome outcome, double seconds,
					   struct contestant_reply *reply)
{
	reply->status = outcome.status;
	reply->left = outcome.left;
	reply->error_code = (int32_t)outcome.code;
	reply->seconds = seconds;
	call_outcome_name(cudart, outcome.code, reply->error_name, sizeof reply->error_name);
	snprintf(reply->error_text, sizeof reply->error_text, "%s", outcome.text);
}

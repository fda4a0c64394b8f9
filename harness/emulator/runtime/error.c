/* Names and descriptions of error codes. A code without a description of its
 * own is described by its name. */
#include "emulator/runtime/runtime.h"

struct error_entry {
	cudaError_t code;
	const char *name, *text;
};

#define NAMED(code)                                                                                \
	{                                                                                              \
		code, #code, NULL                                                                          \
	}
#define DESCRIBED(code, text)                                                                      \
	{                                                                                              \
		code, #code, text                                                                          \
	}

#define NEWER(code, number)                                                                        \
	{                                                                                              \
		(cudaError_t) number, #code, NULL                                                          \
	}

static const struct error_entry errors[] = {
	DESCRIBED(cudaSuccess, "no error"),
	DESCRIBED(cudaErrorInvalidValue, "invalid argument"),
	DESCRIBED(cudaErrorMemoryAllocation, "out of memory"),
	DESCRIBED(cudaErrorInitializationError, "initialization error"),
	NAMED(cudaErrorCudartUnloading),
	NAMED(cudaErrorProfilerDisabled),
	NAMED(cudaErrorProfilerNotInitialized),
	NAMED(cudaErrorProfilerAlreadyStarted),
	NAMED(cudaErrorProfilerAlreadyStopped),
	DESCRIBED(cudaErrorInvalidConfiguration, "invalid configuration argument"),
	NAMED(cudaErrorInvalidPitchValue),
	DESCRIBED(cudaErrorInvalidSymbol, "invalid device symbol"),
	NAMED(cudaErrorInvalidHostPointer),
	NAMED(cudaErrorInvalidDevicePointer),
	NAMED(cudaErrorInvalidTexture),
	NAMED(cudaErrorInvalidTextureBinding),
	NAMED(cudaErrorInvalidChannelDescriptor),
	DESCRIBED(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
	NAMED(cudaErrorAddressOfConstant),
	NAMED(cudaErrorTextureFetchFailed),
	NAMED(cudaErrorTextureNotBound),
	NAMED(cudaErrorSynchronizationError),
	NAMED(cudaErrorInvalidFilterSetting),
	NAMED(cudaErrorInvalidNormSetting),
	NAMED(cudaErrorMixedDeviceExecution),
	NAMED(cudaErrorNotYetImplemented),
	NAMED(cudaErrorMemoryValueTooLarge),
	NAMED(cudaErrorStubLibrary),
	NAMED(cudaErrorInsufficientDriver),
	NAMED(cudaErrorCallRequiresNewerDriver),
	NAMED(cudaErrorInvalidSurface),
	NAMED(cudaErrorDuplicateVariableName),
	NAMED(cudaErrorDuplicateTextureName),
	NAMED(cudaErrorDuplicateSurfaceName),
	NAMED(cudaErrorDevicesUnavailable),
	NAMED(cudaErrorIncompatibleDriverContext),
	NAMED(cudaErrorMissingConfiguration),
	NAMED(cudaErrorPriorLaunchFailure),
	NAMED(cudaErrorLaunchMaxDepthExceeded),
	NAMED(cudaErrorLaunchFileScopedTex),
	NAMED(cudaErrorLaunchFileScopedSurf),
	NAMED(cudaErrorSyncDepthExceeded),
	NAMED(cudaErrorLaunchPendingCountExceeded),
	DESCRIBED(cudaErrorInvalidDeviceFunction, "invalid device function"),
	DESCRIBED(cudaErrorNoDevice, "no such emulated GPU"),
	DESCRIBED(cudaErrorInvalidDevice, "invalid device ordinal"),
	NAMED(cudaErrorDeviceNotLicensed),
	NAMED(cudaErrorSoftwareValidityNotEstablished),
	NAMED(cudaErrorStartupFailure),
	NAMED(cudaErrorInvalidKernelImage),
	NAMED(cudaErrorDeviceUninitialized),
	NAMED(cudaErrorMapBufferObjectFailed),
	NAMED(cudaErrorUnmapBufferObjectFailed),
	NAMED(cudaErrorArrayIsMapped),
	NAMED(cudaErrorAlreadyMapped),
	DESCRIBED(cudaErrorNoKernelImageForDevice, "no PTX image that the emulated GPU can run"),
	NAMED(cudaErrorAlreadyAcquired),
	NAMED(cudaErrorNotMapped),
	NAMED(cudaErrorNotMappedAsArray),
	NAMED(cudaErrorNotMappedAsPointer),
	NAMED(cudaErrorECCUncorrectable),
	NAMED(cudaErrorUnsupportedLimit),
	NAMED(cudaErrorDeviceAlreadyInUse),
	NAMED(cudaErrorPeerAccessUnsupported),
	DESCRIBED(cudaErrorInvalidPtx, "the PTX does not parse"),
	NAMED(cudaErrorInvalidGraphicsContext),
	NAMED(cudaErrorNvlinkUncorrectable),
	NAMED(cudaErrorJitCompilerNotFound),
	NAMED(cudaErrorUnsupportedPtxVersion),
	NAMED(cudaErrorJitCompilationDisabled),
	NAMED(cudaErrorUnsupportedExecAffinity),
	NAMED(cudaErrorUnsupportedDevSideSync),
	NAMED(cudaErrorContained),
	NAMED(cudaErrorInvalidSource),
	NAMED(cudaErrorFileNotFound),
	NAMED(cudaErrorSharedObjectSymbolNotFound),
	NAMED(cudaErrorSharedObjectInitFailed),
	NAMED(cudaErrorOperatingSystem),
	DESCRIBED(cudaErrorInvalidResourceHandle, "invalid resource handle"),
	NAMED(cudaErrorIllegalState),
	NAMED(cudaErrorLossyQuery),
	NAMED(cudaErrorSymbolNotFound),
	DESCRIBED(cudaErrorNotReady, "device not ready"),
	DESCRIBED(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
	DESCRIBED(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
	DESCRIBED(cudaErrorLaunchTimeout, "the kernel ran out of its step budget"),
	NAMED(cudaErrorLaunchIncompatibleTexturing),
	NAMED(cudaErrorPeerAccessAlreadyEnabled),
	NAMED(cudaErrorPeerAccessNotEnabled),
	NAMED(cudaErrorSetOnActiveProcess),
	NAMED(cudaErrorContextIsDestroyed),
	DESCRIBED(cudaErrorAssert, "device-side assert or trap"),
	NAMED(cudaErrorTooManyPeers),
	DESCRIBED(cudaErrorHostMemoryAlreadyRegistered, "host memory is already registered"),
	DESCRIBED(cudaErrorHostMemoryNotRegistered, "host memory is not registered"),
	NAMED(cudaErrorHardwareStackError),
	NAMED(cudaErrorIllegalInstruction),
	DESCRIBED(cudaErrorMisalignedAddress, "misaligned address"),
	NAMED(cudaErrorInvalidAddressSpace),
	NAMED(cudaErrorInvalidPc),
	DESCRIBED(cudaErrorLaunchFailure, "unspecified launch failure"),
	DESCRIBED(cudaErrorCooperativeLaunchTooLarge, "too many blocks for a cooperative launch"),
	NAMED(cudaErrorTensorMemoryLeak),
	NAMED(cudaErrorNotPermitted),
	DESCRIBED(cudaErrorNotSupported, "operation not supported by the emulated GPU"),
	NAMED(cudaErrorSystemNotReady),
	NAMED(cudaErrorSystemDriverMismatch),
	NAMED(cudaErrorCompatNotSupportedOnDevice),
	NAMED(cudaErrorMpsConnectionFailed),
	NAMED(cudaErrorMpsRpcFailure),
	NAMED(cudaErrorMpsServerNotReady),
	NAMED(cudaErrorMpsMaxClientsReached),
	NAMED(cudaErrorMpsMaxConnectionsReached),
	NAMED(cudaErrorMpsClientTerminated),
	NAMED(cudaErrorCdpNotSupported),
	NAMED(cudaErrorCdpVersionMismatch),
	NAMED(cudaErrorStreamCaptureUnsupported),
	NAMED(cudaErrorStreamCaptureInvalidated),
	NAMED(cudaErrorStreamCaptureMerge),
	NAMED(cudaErrorStreamCaptureUnmatched),
	NAMED(cudaErrorStreamCaptureUnjoined),
	NAMED(cudaErrorStreamCaptureIsolation),
	NAMED(cudaErrorStreamCaptureImplicit),
	NAMED(cudaErrorCapturedEvent),
	NAMED(cudaErrorStreamCaptureWrongThread),
	NAMED(cudaErrorTimeout),
	NAMED(cudaErrorGraphExecUpdateFailure),
	NAMED(cudaErrorExternalDevice),
	DESCRIBED(cudaErrorInvalidClusterSize, "invalid cluster size"),
	NAMED(cudaErrorFunctionNotLoaded),
	NAMED(cudaErrorInvalidResourceType),
	NAMED(cudaErrorInvalidResourceConfiguration),
	NEWER(cudaErrorVersionTranslation, 10), /* these since CUDA 13.1 */
	NEWER(cudaErrorInsufficientLoaderVersion, 227),
	NEWER(cudaErrorStreamDetached, 917),
	NEWER(cudaErrorGraphRecaptureFailure, 918),
	NEWER(cudaErrorFabricNotReady, 919),
	DESCRIBED(cudaErrorUnknown, "unknown error"),
	NAMED(cudaErrorApiFailureBase),
};

static const struct error_entry *error_find(cudaError_t code)
{
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
		if (errors[i].code == code)
			return &errors[i];
	return NULL;
}

const char *error_text(cudaError_t code)
{
	const struct error_entry *entry = error_find(code);
	return entry != NULL ? entry->text : NULL;
}

EXPORT const char *cudaGetErrorName(cudaError_t code)
{
	const struct error_entry *entry = error_find(code);
	return entry != NULL ? entry->name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(cudaError_t code)
{
	const struct error_entry *entry = error_find(code);
	return entry == NULL         ? "unrecognized error code"
		   : entry->text != NULL ? entry->text
								 : entry->name;
}

/* hopper::tune(): the choice of a configuration by measurement, where the heuristic's model is not
 * good enough. hopper_gemm.h says what it promises, of hopper_gemm_tune_f16().
 *
 *     hopper_gemm product = {M, N, K, A, B, C, K, N, N, alpha, beta};
 *     auto out = epilogue_make<half>(C, M, N, alpha, beta);
 *     hopper::tune<half>(product, out, workspace, bytes, stream); // once
 *     hopper::gemm<half>(product, out, workspace, bytes, stream);
 *
 * 1. Those that fit are called once each, untimed, as CUDA then loads a kernel, and once timed. The
 *    model leaves out what it thinks much slower than its best, and those are most of them.
 * 2. Those whose timed call was not much slower than the best one take turns in rounds, so that a
 *    clock that changes changes all of them.
 * 3. The smallest median wins. */
#ifndef HOPPER_TUNE_CUH
#define HOPPER_TUNE_CUH

#include <algorithm>

#include "gemm.cuh"

namespace hopper
{
constexpr int TUNE_ROUNDS = 9;
constexpr float TUNE_PREDICTED = 2.0f, TUNE_TIMED = 1.5f; // times the best, at most

/* Events are some tenths of a microsecond off, so that a sample of a short product is of several
 * calls. */
constexpr int TUNE_CALLS = 10;
constexpr float TUNE_SAMPLE = 100.0f; // microseconds

/* Keeps the stream busy for 100 microseconds or so, while the host queues what is timed: else that
 * would begin before it is all there, and short products would be timed as the host's launches. */
static __global__ void tune_hold(void)
{
	for (int i = 0; i < 100; i++)
		__nanosleep(1000);
}

/* What is called again and again, between two events. */
template <class Element, b_layout B_LAYOUT, class Epilogue> struct tune_calls {
	const hopper_gemm &product;
	const Epilogue &out;
	void *workspace;
	size_t bytes;
	cudaStream_t stream;
	cudaEvent_t begin = NULL, end = NULL;

	bool events_make(void)
	{
		return cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess;
	}
	void events_free(void)
	{
		for (cudaEvent_t event : {begin, end})
			if (event != NULL)
				cudaEventDestroy(event);
	}

	/* Sets `us` to the microseconds of one of `calls` calls of a configuration. */
	hopper_status time(int number, int calls, float &us) const
	{
		tune_hold<<<1, 1, 0, stream>>>();
		if (cudaEventRecord(begin, stream) != cudaSuccess)
			return HOPPER_CUDA_ERROR;
		for (int i = 0; i < calls; i++) {
			hopper_status status =
				gemm_by<Element, B_LAYOUT>(number, product, out, workspace, bytes, stream);
			if (status != HOPPER_OK)
				return status;
		}
		float milliseconds;
		if (cudaEventRecord(end, stream) != cudaSuccess ||
			cudaEventSynchronize(end) != cudaSuccess ||
			cudaEventElapsedTime(&milliseconds, begin, end) != cudaSuccess)
			return HOPPER_CUDA_ERROR;
		us = milliseconds * 1e3f / (float)calls;
		return HOPPER_OK;
	}
};

/* Configurations that are still in question, and what was timed of each. */
struct tune_candidates {
	int count = 0;
	struct {
		int number;
		float us[TUNE_ROUNDS];
	} of[CONFIGS];

	void add(int number, float us)
	{
		of[count].number = number;
		of[count++].us[0] = us;
	}
	/* Leaves those whose first time is not above `limit`. */
	void keep(float limit)
	{
		int kept = 0;
		for (int i = 0; i < count; i++)
			if (!(of[i].us[0] > limit))
				of[kept++] = of[i];
		count = kept;
	}
	float best(void) const // of the first times
	{
		float least = INFINITY;
		for (int i = 0; i < count; i++)
			least = std::min(least, of[i].us[0]);
		return least;
	}
};

/* Those that fit, with the model's times. */
static inline tune_candidates tune_predict(const problem &q, const bool *compiled)
{
	int ordinal;
	const device_table &device = device_get(ordinal);
	int order = order_wanted(q, compiled);
	tune_candidates made;
	for (int number = 0; number < CONFIGS; number++)
		if (config_serves(device, number, q, compiled, order))
			made.add(number, config_time(device, CONFIG_LINES[number], q));
	return made;
}

/* A call of each, and a timed one; one that cannot be launched (its part is not linked) is none. */
template <class Calls> static hopper_status tune_first(const Calls &calls, tune_candidates &in)
{
	for (int i = 0; i < in.count; i++) {
		float &us = in.of[i].us[0];
		hopper_status status = calls.time(in.of[i].number, 1, us);
		if (status == HOPPER_OK)
			status = calls.time(in.of[i].number, 1, us);
		if (status == HOPPER_INVALID_ARGUMENT)
			us = INFINITY;
		else if (status != HOPPER_OK)
			return status;
	}
	return HOPPER_OK;
}

template <class Calls> static hopper_status tune_rounds(const Calls &calls, tune_candidates &in)
{
	float most = TUNE_SAMPLE / in.best(); // infinity, if events do not tell
	int count = std::max(1, most < TUNE_CALLS ? (int)most : TUNE_CALLS);
	for (int round = 0; round < TUNE_ROUNDS; round++)
		for (int i = 0; i < in.count; i++) {
			hopper_status status = calls.time(in.of[i].number, count, in.of[i].us[round]);
			if (status != HOPPER_OK)
				return status;
		}
	return HOPPER_OK;
}

/* The number of the one with the smallest median. */
static inline int tune_fastest(tune_candidates &in)
{
	int number = -1;
	float least = INFINITY;
	for (int i = 0; i < in.count; i++) {
		float *us = in.of[i].us;
		std::sort(us, us + TUNE_ROUNDS);
		if (number < 0 || us[TUNE_ROUNDS / 2] < least) {
			number = in.of[i].number;
			least = us[TUNE_ROUNDS / 2];
		}
	}
	return number;
}

template <class Element, b_layout B_LAYOUT = B_N_MAJOR, class Epilogue>
static hopper_status tune(hopper_gemm &product, const Epilogue &out, void *workspace, size_t bytes,
						  cudaStream_t stream)
{
	cudaStreamCaptureStatus capture;
	if (cudaStreamIsCapturing(stream, &capture) != cudaSuccess)
		return HOPPER_CUDA_ERROR;
	if (capture != cudaStreamCaptureStatusNone)
		return HOPPER_INVALID_ARGUMENT;
	hopper_gemm timed = product;
	timed.configuration = 0; // the heuristic's choice is called first, which checks the arguments
	hopper_status status = gemm<Element, B_LAYOUT>(timed, out, workspace, bytes, stream);
	if (status != HOPPER_OK)
		return status;
	if (gemm_choice<Element, B_LAYOUT, Epilogue>(timed, bytes > 0) < 0) {
		product.configuration = 0;
		return cudaStreamSynchronize(stream) == cudaSuccess ? HOPPER_OK : HOPPER_CUDA_ERROR;
	}
	tune_candidates in = tune_predict(problem_of<Epilogue>(timed, bytes > 0),
									  LAUNCHERS<Element, B_LAYOUT, Epilogue>.compiled);
	in.keep(TUNE_PREDICTED * in.best());
	tune_calls<Element, B_LAYOUT, Epilogue> calls = {timed, out, workspace, bytes, stream};
	status = calls.events_make() ? tune_first(calls, in) : HOPPER_CUDA_ERROR;
	if (status == HOPPER_OK) {
		in.keep(TUNE_TIMED * in.best());
		status = tune_rounds(calls, in);
	}
	calls.events_free();
	if (status == HOPPER_OK)
		product.configuration = tune_fastest(in) + 1;
	return status;
}
} // namespace hopper

#endif

#include "contestant/timing.h"

#if __has_include(<cupti.h>)

#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/toolkit.h"
#include "contestant/kernels.h"

#define CUPTI_FILE "libcupti.so.13"
#define BUFFER_BYTES (4u << 20)
#define BUFFER_ALIGN 8 /* what CUPTI asks for */
/* More than any honest pass makes; 24 bytes each. */
#define ACTIVITIES_MAX (16u << 20)
/* An idle stretch between two calls, so that a record belongs to a call beyond
 * doubt although the GPU's clock and the host's are only about the same. */
#define PAUSE_SECONDS 20e-6

struct cupti {
	CUptiResult (*register_callbacks)(CUpti_BuffersCallbackRequestFunc,
									  CUpti_BuffersCallbackCompleteFunc);
	CUptiResult (*enable)(CUpti_ActivityKind);
	CUptiResult (*disable)(CUpti_ActivityKind);
	CUptiResult (*flush)(uint32_t);
	CUptiResult (*next_record)(uint8_t *, size_t, CUpti_Activity **);
	CUptiResult (*dropped)(CUcontext, uint32_t, size_t *);
	CUptiResult (*timestamp)(uint64_t *);
	CUptiResult (*result_string)(CUptiResult, const char **);
};

/* Nanoseconds of CUPTI's clock. */
struct activity {
	uint64_t start, end;
	uint32_t kernel; /* its place in the recorder's table, KERNEL_UNLISTED, or NO_KERNEL */
};
#define NO_KERNEL (KERNEL_UNLISTED - 1) /* a copy or a set */

/* CUPTI's callbacks carry no context, so what they work on has to be found by
 * name: the one recorder of the process. The lock is for CUPTI's own thread. */
static struct recorder {
	struct cupti cupti;
	bool ready; /* loaded, callbacks registered */
	pthread_mutex_t lock;
	struct activity *list;
	size_t count, capacity;
	struct kernel_table kernels;
	const char *trouble; /* why the records are not to be trusted; NULL: they are */
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
										   CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
#define KINDS (sizeof kinds / sizeof *kinds)

/* ---- loading ------------------------------------------------------------ */

static bool find(void *library, const char *name, void *function, struct error *err)
{
	void *address = dlsym(library, name);
	memcpy(function, &address, sizeof address);
	return address != NULL || error_set(err, CUPTI_FILE " has no %s", name);
}

static bool load(struct cupti *cupti, struct error *err)
{
	void *library = toolkit_open_library(CUPTI_FILE, RTLD_NOW | RTLD_LOCAL, err);
	return library != NULL &&
		   find(library, "cuptiActivityRegisterCallbacks", &cupti->register_callbacks, err) &&
		   find(library, "cuptiActivityEnable", &cupti->enable, err) &&
		   find(library, "cuptiActivityDisable", &cupti->disable, err) &&
		   find(library, "cuptiActivityFlushAll", &cupti->flush, err) &&
		   find(library, "cuptiActivityGetNextRecord", &cupti->next_record, err) &&
		   find(library, "cuptiActivityGetNumDroppedRecords", &cupti->dropped, err) &&
		   find(library, "cuptiGetTimestamp", &cupti->timestamp, err) &&
		   find(library, "cuptiGetResultString", &cupti->result_string, err);
}

static bool check(CUptiResult result, const char *what, struct error *err)
{
	const char *text = NULL;
	if (result == CUPTI_SUCCESS)
		return true;
	recorder.cupti.result_string(result, &text);
	return error_set(err, "CUPTI: %s: %s (error %d)", what, text != NULL ? text : "unknown error",
					 (int)result);
}

/* ---- recording ---------------------------------------------------------- */

/* With the lock held. */
static void add_activity(uint64_t start, uint64_t end, uint32_t kernel)
{
	if (start == 0 || end < start) {
		recorder.trouble = "it has no times for some activities";
		return;
	}
	if (recorder.count == recorder.capacity) {
		size_t capacity = recorder.capacity > 0 ? recorder.capacity * 2 : 16384;
		struct activity *more = NULL;
		if (capacity <= ACTIVITIES_MAX)
			more = realloc(recorder.list, capacity * sizeof *more);
		if (more == NULL) {
			recorder.trouble = "there are too many activities";
			return;
		}
		recorder.list = more;
		recorder.capacity = capacity;
	}
	recorder.list[recorder.count++] = (struct activity){start, end, kernel};
}

static void add_record(const CUpti_Activity *record)
{
	switch (record->kind) {
	case CUPTI_ACTIVITY_KIND_KERNEL:
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
		const CUpti_ActivityKernel10 *kernel = (const void *)record;
		add_activity(kernel->start, kernel->end, kernel_table_place(&recorder.kernels, kernel));
		break;
	}
	case CUPTI_ACTIVITY_KIND_MEMCPY: {
		const CUpti_ActivityMemcpy6 *copy = (const void *)record;
		add_activity(copy->start, copy->end, NO_KERNEL);
		break;
	}
	case CUPTI_ACTIVITY_KIND_MEMSET: {
		const CUpti_ActivityMemset4 *set = (const void *)record;
		add_activity(set->start, set->end, NO_KERNEL);
		break;
	}
	default: break;
	}
}

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *records)
{
	*buffer = aligned_alloc(BUFFER_ALIGN, BUFFER_BYTES); /* NULL: CUPTI counts a drop */
	*size = *buffer != NULL ? BUFFER_BYTES : 0;
	*records = 0; /* as many as fit */
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
									  size_t size, size_t valid)
{
	CUpti_Activity *record = NULL;
	(void)context, (void)stream, (void)size;
	pthread_mutex_lock(&recorder.lock);
	while (valid > 0) {
		CUptiResult result = recorder.cupti.next_record(buffer, valid, &record);
		if (result == CUPTI_SUCCESS) {
			add_record(record);
			continue;
		}
		if (result != CUPTI_ERROR_MAX_LIMIT_REACHED)
			recorder.trouble = "some of its records are incomplete";
		break;
	}
	pthread_mutex_unlock(&recorder.lock);
	free(buffer);
}

static bool make_ready(struct error *err)
{
	if (recorder.ready)
		return true;
	recorder.ready = load(&recorder.cupti, err) &&
					 check(recorder.cupti.register_callbacks(buffer_requested, buffer_completed),
						   "cannot register callbacks", err);
	return recorder.ready;
}

static bool begin_recording(struct error *err)
{
	if (!make_ready(err))
		return false;
	pthread_mutex_lock(&recorder.lock);
	recorder.count = 0;
	recorder.kernels.count = 0;
	recorder.trouble = NULL;
	pthread_mutex_unlock(&recorder.lock);
	for (size_t i = 0; i < KINDS; i++)
		if (!check(recorder.cupti.enable(kinds[i]), "cannot record activities", err)) {
			while (i-- > 0)
				recorder.cupti.disable(kinds[i]);
			return false;
		}
	return true;
}

/* The device must be idle, so that all records are complete. */
static bool end_recording(struct error *err)
{
	size_t dropped = 0;
	bool flushed = check(recorder.cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED),
						 "cannot fetch its records", err);
	for (size_t i = 0; i < KINDS; i++)
		recorder.cupti.disable(kinds[i]);
	if (!flushed)
		return false;
	recorder.cupti.dropped(NULL, 0, &dropped);
	if (dropped > 0)
		return error_set(err, "CUPTI: it dropped %zu records", dropped);
	if (recorder.trouble != NULL)
		return error_set(err, "CUPTI: %s", recorder.trouble);
	return true;
}

bool timing_prepare(struct error *err)
{
	return begin_recording(err) && end_recording(err);
}

/* ---- measuring ---------------------------------------------------------- */

static void pause_for(double seconds)
{
	double until = clock_seconds() + seconds;
	while (clock_seconds() < until)
		;
}

/* Makes the calls. marks[i] is a time in the pause before call i, marks[n] one
 * after the last. */
static bool make_calls(const struct timing *timing, uint64_t *marks, cudaError_t *code,
					   struct error *err)
{
	const struct cudart *cudart = timing->cudart;
	uint32_t count = timing->warmups + timing->calls;
	CUptiResult result = CUPTI_SUCCESS;
	*code = cudart->device_synchronize();
	for (uint32_t i = 0; i <= count && *code == cudaSuccess; i++) {
		pause_for(PAUSE_SECONDS / 2);
		result = recorder.cupti.timestamp(&marks[i]);
		if (result != CUPTI_SUCCESS || i == count)
			break;
		pause_for(PAUSE_SECONDS / 2);
		timing_call(timing, i);
		*code = cudart->device_synchronize();
	}
	return check(result, "no time", err);
}

/* The call that an activity belongs to: the last mark not after its start. */
static uint32_t call_of(const uint64_t *marks, uint32_t count, uint64_t start)
{
	uint32_t low = 0, high = count; /* marks[low] <= start < marks[high], once inside */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (marks[middle] <= start)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct span {
	uint64_t start, end;
	uint32_t activities;
};

static void collect_spans(const struct timing *timing, const uint64_t *marks, struct span *spans)
{
	uint32_t count = timing->warmups + timing->calls;
	pthread_mutex_lock(&recorder.lock);
	for (size_t i = 0; i < recorder.count; i++) {
		struct activity one = recorder.list[i];
		if (one.start < marks[0] || one.start >= marks[count])
			continue; /* of something else than a call */
		struct span *span = &spans[call_of(marks, count, one.start)];
		if (span->activities == 0 || one.start < span->start)
			span->start = one.start;
		if (span->activities == 0 || one.end > span->end)
			span->end = one.end;
		span->activities++;
	}
	pthread_mutex_unlock(&recorder.lock);
}

/* Keeps the first KERNELS_SHOWN by their start. */
static void insert_by_start(struct activity *first, uint32_t *count, struct activity one)
{
	uint32_t at = *count;
	while (at > 0 && first[at - 1].start > one.start)
		at--;
	if (at == KERNELS_SHOWN)
		return;
	*count += *count < KERNELS_SHOWN;
	memmove(&first[at + 1], &first[at], (*count - at - 1) * sizeof *first);
	first[at] = one;
}

/* The kernels of the first timed call. Records need not come in the order of their
 * starts. */
static void collect_kernels(const struct timing *timing, const uint64_t *marks,
							struct kernel_list *out)
{
	struct activity first[KERNELS_SHOWN] = {0};
	uint64_t begin = marks[timing->warmups], end = marks[timing->warmups + 1];
	*out = (struct kernel_list){0};
	pthread_mutex_lock(&recorder.lock);
	for (size_t i = 0; i < recorder.count; i++) {
		struct activity one = recorder.list[i];
		if (one.kernel == NO_KERNEL || one.start < begin || one.start >= end)
			continue;
		out->run++;
		if (one.kernel != KERNEL_UNLISTED)
			insert_by_start(first, &out->shown, one);
	}
	for (uint32_t i = 0; i < out->shown; i++)
		out->first[i] = recorder.kernels.launches[first[i].kernel];
	pthread_mutex_unlock(&recorder.lock);
}

static bool report_spans(const struct timing *timing, const struct span *spans, float *microseconds,
						 uint32_t *activities, struct error *err)
{
	*activities = 0;
	for (uint32_t i = 0; i < timing->calls; i++) {
		const struct span *span = &spans[timing->warmups + i];
		if (span->activities == 0)
			return error_set(err,
							 "CUPTI: no device activity in call %u of %u: solve() does nothing, "
							 "or another tool holds the records",
							 (unsigned)i + 1, (unsigned)timing->calls);
		microseconds[i] = (float)((double)(span->end - span->start) * 1e-3);
		if (span->activities > *activities)
			*activities = span->activities;
	}
	return true;
}

bool timing_span(const struct timing *timing, float *microseconds, uint32_t *activities,
				 struct kernel_list *kernels, cudaError_t *code, struct error *err)
{
	uint32_t count = timing->warmups + timing->calls;
	uint64_t *marks = calloc(count + 1, sizeof *marks);
	struct span *spans = calloc(count, sizeof *spans);
	bool measured = false;
	*code = cudaSuccess;
	if (marks == NULL || spans == NULL) {
		error_set(err, "out of memory for %u calls", (unsigned)count);
		goto done;
	}
	if (!begin_recording(err))
		goto done;
	bool called = make_calls(timing, marks, code, err);
	if (*code != cudaSuccess) { /* the error is the answer; the records do not matter */
		for (size_t i = 0; i < KINDS; i++)
			recorder.cupti.disable(kinds[i]);
		measured = true;
		goto done;
	}
	measured = end_recording(called ? err : &(struct error){{0}}) && called;
	if (!measured)
		goto done;
	collect_spans(timing, marks, spans);
	collect_kernels(timing, marks, kernels);
	measured = report_spans(timing, spans, microseconds, activities, err);
done:
	free(marks);
	free(spans);
	return measured;
}

#else

bool timing_prepare(struct error *err)
{
	return error_set(err, "built without CUPTI's headers");
}

bool timing_span(const struct timing *timing, float *microseconds, uint32_t *activities,
				 struct kernel_list *kernels, cudaError_t *code, struct error *err)
{
	(void)timing, (void)microseconds, (void)activities, (void)kernels, (void)code;
	return error_set(err, "built without CUPTI's headers");
}

#endif

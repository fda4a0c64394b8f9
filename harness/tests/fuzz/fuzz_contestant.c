/* links: kernels channel digest buffers chain testcases; seeds: harness/tests/fuzz/seeds/contestant
 */
/* What the contestant may be asked: serve() on messages of an input, over a runtime of the
 * host's memory and a solution that reads and writes every byte of its operands. The messages are
 * the supervisor's own, so that this is about bugs, not about tricks.
 *
 * A request is a byte for its type, one for the number of patches and what comes along, and the
 * patches. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "contestant/cudart.h"
#include "contestant/enclose.h"
#include "contestant/fault.h"
#include "contestant/opened.h"
#include "contestant/settings.h"
#include "contestant/solution.h"
#include "contestant/timing.h"
#include "fuzz.h"
#include "messages.h"
#include "process/buffers.h"
#include "process/channel.h"
#include "process/child.h"

#define FILE_BYTES 65536 /* of the memfd */

/* ---- what stands in for the rest of the contestant ---------------------------------- */

static cudaError_t host_set_device(int device)
{
	return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t host_malloc(void **out, size_t bytes)
{
	*out = bytes <= FILE_BYTES ? malloc(bytes) : NULL;
	return *out != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t host_free(void *memory)
{
	free(memory);
	return cudaSuccess;
}

static cudaError_t host_memcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	(void)kind;
	memcpy(to, from, bytes);
	return cudaSuccess;
}

static cudaError_t host_good(void)
{
	return cudaSuccess;
}

static const char *host_name(cudaError_t code)
{
	return code == cudaSuccess ? "cudaSuccess" : "cudaErrorOfSomeKind";
}

static cudaError_t host_open(void **out, cudaIpcMemHandle_t handle, unsigned flags)
{
	(void)out, (void)handle, (void)flags;
	return cudaErrorInvalidValue;
}

static cudaError_t host_call_it(const void *memory, const char *name)
{
	return memory != NULL && strlen(name) < BUFFER_NAME_MAX ? cudaSuccess : cudaErrorInvalidValue;
}

bool cudart_load(struct cudart *out, const char *folder, struct error *err)
{
	*out = (struct cudart){.set_device = host_set_device,
						   .malloc = host_malloc,
						   .free = host_free,
						   .memcpy = host_memcpy,
						   .device_synchronize = host_good,
						   .get_last_error = host_good,
						   .get_error_name = host_name,
						   .get_error_string = host_name,
						   .ipc_open = host_open,
						   .ipc_close = host_free,
						   .emulated_name = host_call_it};
	return folder == NULL || strlen(folder) < 400 || error_set(err, "no such folder");
}

int enclose(const struct contestant_open *request, const struct cudart *cudart,
			struct contestant_open_reply *reply)
{
	(void)cudart;
	reply->layers = request->layers;
	return -1;
}

bool settings_take(struct settings *settings, int fd, struct error *err)
{
	*settings = (struct settings){.at = NULL};
	return fd < 0 || error_set(err, "no settings here");
}

void settings_forget(struct settings *settings, const struct cudart *cudart, bool counts)
{
	(void)settings, (void)cudart, (void)counts;
}

void fault_open(const struct cudart *cudart)
{
	(void)cudart;
}

void fault_forget(void)
{
}

void fault_buffer(const char *name, const void *base, size_t bytes)
{
	if (strlen(name) >= FAULT_NAME || (base == NULL && bytes > 0 && name[0] == '\0'))
		abort();
}

void fault_is(enum fault_doing doing)
{
	(void)doing;
}

static int bind(int stage, const void *bytes, size_t size)
{
	return stage + (size > 0 && *(const char *)bytes != 0);
}

enum run_status solution_load(struct solution *out, const char *path, const struct problem *problem,
							  enum entry_order order, enum device_kind device, struct error *err)
{
	(void)path, (void)order, (void)device, (void)err;
	*out = (struct solution){.problem = problem, .bind = bind};
	return RUN_OK;
}

void libraries_note(struct libraries *out)
{
	out->count = 0;
}

bool libraries_came(const struct libraries *before, struct error *err)
{
	(void)before, (void)err;
	return false;
}

bool timing_span(const struct timing *timing, float *microseconds, uint32_t *activities,
				 struct kernel_list *kernels, cudaError_t *code, struct error *err)
{
	*activities = kernels->run = 1;
	return timing_event(timing, microseconds, code, err);
}

bool timing_event(const struct timing *timing, float *microseconds, cudaError_t *code,
				  struct error *err)
{
	(void)err;
	for (uint32_t i = 0; i < timing->calls; i++)
		microseconds[i] = 1.0f;
	for (uint32_t i = 0; i < timing->warmups + timing->calls && *code == cudaSuccess; i++) {
		struct call_operands operands;
		*code = opened_take(timing->opened, timing->cudart, timing->first + i, &operands);
		*code =
			opened_put_back(timing->opened, timing->cudart, timing->first + i, &operands, *code);
	}
	return true;
}

bool timing_stream(const struct timing *timing, const struct contestant_stream *asked,
				   struct streamed *out, cudaError_t *code, struct error *err)
{
	struct timing one = *timing;
	float microseconds;
	one.first = asked->aside;
	one.calls = 1;
	*out = (struct streamed){.calls = 1, .seconds = asked->seconds};
	return timing_event(&one, &microseconds, code, err);
}

/* ---- the contestant ----------------------------------------------------------------------- */

static bool play_send(int channel, const void *reply, size_t bytes, int fd)
{
	(void)channel, (void)reply, (void)fd;
	return bytes > 0;
}

static const struct opened *now_opened, *now_sealed;

/* Mappings that are there: none may be left behind. */
static int mappings;

static void *counted_mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset)
{
	void *base = mmap(at, bytes, access, flags, fd, offset);
	mappings += base != MAP_FAILED;
	return base;
}

static int counted_munmap(void *base, size_t bytes)
{
	mappings--;
	return munmap(base, bytes);
}

#define mmap counted_mmap
#define munmap counted_munmap
#define channel_send play_send
#define main contestant_main
#include "contestant/opened.c" /* NOLINT(bugprone-suspicious-include) */

#include "contestant/sealed.c" /* NOLINT(bugprone-suspicious-include) */

#include "contestant/call_outcome.c" /* NOLINT(bugprone-suspicious-include) */

#include "contestant/library.c" /* NOLINT(bugprone-suspicious-include) */

#include "contestant/main.c" /* NOLINT(bugprone-suspicious-include) */
#undef main
#undef mmap
#undef munmap

int solution_part(const struct solution *solution, const struct test_case *test)
{
	return solution->problem != NULL ? (int)test->number : -1;
}

void solution_call(struct solution *solution, const struct test_case *test,
				   const struct call_operands *operands)
{
	(void)solution, (void)test;
	const struct opened *now =
		now_sealed != NULL && now_sealed->base != NULL ? now_sealed : now_opened;
	for (uint32_t i = 0; now != NULL && i < now->arena.count; i++)
		memset(operands->at[i], 1, now->arena.buffers[i].bytes);
}

/* ---- who asks -------------------------------------------------------------------------------- */

static struct source play;

static size_t good_request(uint32_t which, union request *request)
{
	static const uint32_t types[] = {MESSAGE_CONTESTANT_OPEN, MESSAGE_CONTESTANT_LOAD,
									 MESSAGE_CONTESTANT_CASE, MESSAGE_CONTESTANT_RUN,
									 MESSAGE_CONTESTANT_TIME, MESSAGE_CONTESTANT_SEALED,
									 MESSAGE_CONTESTANT_GO,   MESSAGE_CONTESTANT_CALL,
									 MESSAGE_CONTESTANT_END,  MESSAGE_CONTESTANT_LIBRARY};
	static const struct shape shape = {{1, 5, 6, 7, 1}};
	const struct problem *problem = problem_find("gemm-f16");
	struct buffers buffers;
	request->head.type = types[which % (sizeof types / sizeof *types)];
	switch (request->head.type) {
	case MESSAGE_CONTESTANT_OPEN:
		request->open.device.kind = which % 2 == 0 ? DEVICE_CUDA : DEVICE_EMULATED;
		request->open.under_tool = which / 64 % 2;
		return sizeof request->open;
	case MESSAGE_CONTESTANT_LOAD:
		strcpy(request->load.problem, problem->name);
		return sizeof request->load;
	case MESSAGE_CONTESTANT_CASE:
		request->one_case.test = case_of_shape(problem, &shape, NULL, which);
		request->one_case.arena.sets = 2;
		buffers_of_case(problem, &request->one_case.test, NULL, &buffers);
		buffers_lay_out(&buffers, &request->one_case.arena);
		request->one_case.arena.bytes = 2 * request->one_case.arena.set_stride;
		return sizeof request->one_case;
	case MESSAGE_CONTESTANT_SEALED:
		request->sealed.test = case_of_shape(problem, &shape, NULL, which);
		request->sealed.arena.sets = 2;
		request->sealed.outputs = 4; /* C */
		buffers_of_case(problem, &request->sealed.test, NULL, &buffers);
		buffers_lay_out(&buffers, &request->sealed.arena);
		request->sealed.arena.bytes = 2 * request->sealed.arena.set_stride;
		return sizeof request->sealed;
	case MESSAGE_CONTESTANT_RUN: return sizeof request->run;
	case MESSAGE_CONTESTANT_GO: return sizeof request->go;
	case MESSAGE_CONTESTANT_CALL: return sizeof request->call;
	case MESSAGE_CONTESTANT_LIBRARY: return sizeof request->library;
	case MESSAGE_CONTESTANT_END: return sizeof request->end;
	default:
		if (which / 32 % 2) {
			request->head.type = MESSAGE_CONTESTANT_STREAM;
			return sizeof request->stream;
		}
		request->time.calls = 1;
		return sizeof request->time;
	}
}

static int make_file(void)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, FILE_BYTES) != 0)
		fuzz_found("no memfd");
	return fd;
}

static void ask(struct contestant *self, union request *request)
{
	memset(request, 0, sizeof *request);
	size_t bytes = good_request(source_number(&play, 1), request);
	uint32_t how = source_number(&play, 1);
	for (uint32_t i = 0; i < how % 8; i++)
		source_patch(&play, request, bytes);
	if (how & 128)
		bytes = source_number(&play, 2) % sizeof *request;
	memset(request->bytes + bytes, 0, sizeof *request - bytes);
	int fd = how & 64 ? -1 : make_file();
	serve(self, request, bytes, fd);
	if (fd >= 0)
		close(fd);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	static union request request;
	struct contestant self = {.channel = -1};
	play = (struct source){data, data + size};
	now_opened = &self.opened;
	now_sealed = &self.sealed.opened;
	while (play.at != play.end)
		ask(&self, &request);
	opened_close(&self.opened, &self.cudart);
	opened_close(&self.sealed.opened, &self.cudart);
	now_opened = now_sealed = NULL;
	if (mappings != 0)
		fuzz_found("buffers stay mapped that nobody knows any more");
}

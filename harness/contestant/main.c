/* The contestant: loads one compiled solution, calls solve() when it is told to,
 * and measures. The only process that the solution's code runs in, so nothing
 * here is trusted by anybody: the referee judges what is in the buffers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "contestant/call_outcome.h"
#include "contestant/cudart.h"
#include "contestant/enclose.h"
#include "contestant/fault.h"
#include "contestant/library.h"
#include "contestant/opened.h"
#include "contestant/sealed.h"
#include "contestant/settings.h"
#include "contestant/solution.h"
#include "contestant/timing.h"
#include "process/buffers.h"
#include "process/channel.h"
#include "process/child.h"
#include "process/protocol.h"

/* Between sealed calls of a GPU the channel is looked at without sleep for so long: to be woken
 * takes a time that nobody could tell from the call's. */
#define LOOK_SECONDS 0.02

struct contestant {
	int channel;
	bool open, loaded, has_case;
	bool libraries_allowed, under_tool, takes_more; /* the last: other solutions, one by one */
	struct device_choice device;
	struct contestant_open asked; /* and answered, where it is lent */
	struct contestant_open_reply answered;
	char lent[sizeof((struct contestant_load *)NULL)->solution]; /* that is loaded */
	struct cudart cudart;
	struct libraries before; /* the solution was loaded */
	struct solution solution;
	struct library_functions library;
	struct opened opened;
	struct test_case test;
	struct sealed sealed;
	/* of the group of sealed calls: the first that went wrong, or left an error behind */
	struct call_outcome group;
};

union request {
	struct message head;
	struct contestant_open open;
	struct contestant_load load;
	struct contestant_case one_case;
	struct contestant_run run;
	struct contestant_library library;
	struct contestant_time time;
	struct contestant_stream stream;
	struct contestant_sealed sealed;
	struct contestant_go go;
	struct contestant_call call;
	struct contestant_part part;
	struct contestant_end end;
	char bytes[CHILD_MESSAGE_MAX];
};

/* ---- replies ------------------------------------------------------------- */

/* A request that could not be served; the harness's fault or the machine's. */
static void reply_failure(const struct contestant *self, const struct message *request,
						  const char *why)
{
	struct message reply = {.type = request->type};
	text_format(reply.error, sizeof reply.error, "%s", why);
	fflush(NULL);
	if (!channel_send(self->channel, &reply, sizeof reply, -1))
		_exit(EXIT_FAILURE);
}

static void reply_with_fd(const struct contestant *self, void *reply, size_t bytes, int fd)
{
	struct message *head = reply;
	head->ok = 1;
	fflush(NULL); /* what the solution printed belongs to this call */
	if (!channel_send(self->channel, reply, bytes, fd)) {
		fprintf(stderr, "the channel to the judge is gone\n");
		fflush(NULL);
		_exit(EXIT_FAILURE);
	}
}

static void reply_with(const struct contestant *self, void *reply, size_t bytes)
{
	reply_with_fd(self, reply, bytes, -1);
}

/* After each time that the solution's code ran. */
static struct call_outcome outcome_of_libraries(const struct contestant *self,
												struct call_outcome before)
{
	struct error found = {{0}};
	if (self->libraries_allowed || !libraries_came(&self->before, &found))
		return before;
	struct call_outcome out = {.status = RUN_FORBIDDEN_LIBRARY};
	snprintf(out.text, sizeof out.text, "%.400s (only solutions/baselines/ may)", found.message);
	return out;
}

static void reply_outcome(const struct contestant *self, const struct message *request,
						  struct call_outcome outcome, double seconds)
{
	struct contestant_reply reply = {.head.type = request->type};
	call_outcome_fill(&self->cudart, outcome, seconds, &reply);
	reply_with(self, &reply, sizeof reply);
}

/* ---- requests ------------------------------------------------------------ */

static bool open_device(struct contestant *self, struct error *err)
{
	const struct device_choice *device = &self->device;
	const char *folder = device->kind == DEVICE_CUDA ? NULL : device->runtime_folder;
	if (!problem_know(self->asked.problem_file, err) || !cudart_load(&self->cudart, folder, err))
		return false;
	cudaError_t code = self->cudart.set_device(device->ordinal);
	if (code == cudaSuccess)
		code = self->cudart.free(NULL); /* makes the context, outside of any measurement */
	return code == cudaSuccess || error_set(err, "cannot use device %d: %s", device->ordinal,
											self->cudart.get_error_string(code));
}

static void serve_open(struct contestant *self, struct contestant_open *request, int fd)
{
	struct contestant_open_reply reply = {.head.type = request->head.type};
	struct error err = {{0}};
	request->solution[sizeof request->solution - 1] = '\0';
	request->library_folder[sizeof request->library_folder - 1] = '\0';
	request->device.runtime_folder[sizeof request->device.runtime_folder - 1] = '\0';
	request->problem_file[sizeof request->problem_file - 1] = '\0';
	const void *asked = &self->asked, *again = request; /* whole, as they came */
	if (self->open && request->lent != 0 && memcmp(asked, again, sizeof *request) == 0) {
		reply_with(self, &self->answered, sizeof self->answered);
		return;
	}
	if (self->open) {
		reply_failure(self, &request->head, "opened twice");
		return;
	}
	self->asked = *request;
	self->device = request->device;
	self->libraries_allowed = request->libraries_allowed != 0;
	self->under_tool = request->under_tool != 0;
	self->takes_more = request->library_folder[0] != '\0';
	struct settings settings;
	const double begun = clock_seconds();
	bool opened = settings_take(&settings, fd, &err) && open_device(self, &err);
	reply.head.seconds[PART_CONTEXT] = (float)(clock_seconds() - begun);
	settings_forget(&settings, &self->cudart, request->counts != 0);
	if (!opened) {
		reply_failure(self, &request->head, err.message);
		return;
	}
	if (request->timed || self->device.kind == DEVICE_EMULATED)
		sealed_open(&self->sealed, self->device.kind);
	reply.sealed = self->sealed.open;
	snprintf(reply.unsealed, sizeof reply.unsealed, "%s", self->sealed.unavailable);
	int listener = enclose(request, &self->cudart, &reply);
	self->open = true;
	self->answered = reply;
	reply_with_fd(self, &reply, sizeof reply, listener);
	if (listener >= 0) /* before any code of a submission runs here */
		close(listener);
}

static void serve_load(struct contestant *self, struct contestant_load *request)
{
	struct error err = {{0}};
	request->solution[sizeof request->solution - 1] = '\0';
	request->problem[sizeof request->problem - 1] = '\0';
	const struct problem *problem = problem_find(request->problem);
	if (self->loaded && self->asked.lent != 0 && strcmp(request->solution, self->lent) == 0) {
		struct contestant_reply same = {.head.type = request->head.type,
										.entry = self->solution.entry};
		reply_with(self, &same, sizeof same);
		return;
	}
	bool twice = self->loaded && !self->takes_more;
	if (!self->open || twice || problem == NULL) {
		reply_failure(self, &request->head,
					  !self->open ? "not opened yet"
					  : twice     ? "loaded twice"
								  : "unknown problem");
		return;
	}
	struct call_outcome out = {0};
	self->loaded = self->has_case = false;
	libraries_note(&self->before);
	fault_open(&self->cudart);
	out.status = solution_load(&self->solution, request->solution, problem, request->order,
							   self->device.kind, &err);
	text_format(out.text, sizeof out.text, "%s", err.message);
	if (out.status == RUN_OK && request->has_epilogue && self->solution.bind == NULL)
		out.status = RUN_NO_EPILOGUE;
	self->loaded = out.status == RUN_OK;
	if (self->loaded)
		library_find(&self->library, self->solution.library);
	if (self->loaded)
		memcpy(self->lent, request->solution, sizeof self->lent);
	if (self->loaded) /* what the solution's constructors have left behind */
		out = call_outcome_of_code(&self->cudart, self->cudart.get_last_error());
	struct contestant_reply reply = {.head.type = request->head.type,
									 .entry = self->solution.entry};
	call_outcome_fill(&self->cudart, outcome_of_libraries(self, out), 0.0, &reply);
	reply_with(self, &reply, sizeof reply);
}

/* The epilogue of the calls to come; else it has been refused. */
static bool take_chain(struct contestant *self, const struct message *request,
					   const struct chain *chain)
{
	bool fits = chain->count <= CHAIN_STAGES_MAX && chain->buffers <= CHAIN_BUFFERS_MAX &&
				(self->solution.bind != NULL || !chain_has_members(chain));
	if (fits)
		self->solution.chain = *chain;
	else
		reply_failure(self, request, "an epilogue that does not fit the solution");
	return fits;
}

static void serve_case(struct contestant *self, const struct contestant_case *request, int fd)
{
	struct error err = {{0}};
	cudaError_t code;
	if (!take_chain(self, &request->head, &request->chain))
		return;
	self->has_case = opened_open(&self->opened, &self->cudart,
								 &(struct arena_given){.device = self->device.kind,
													   .arena = &request->arena,
													   .fd = fd,
													   .own = self->under_tool},
								 &code, &err);
	self->test = request->test;
	if (!self->has_case && code == cudaSuccess) {
		reply_failure(self, &request->head, err.message);
		return;
	}
	struct call_outcome out = call_outcome_of_code(&self->cudart, code);
	if (!self->has_case) {
		error_prefix(&err, "%s", out.text);
		text_format(out.text, sizeof out.text, "%s", err.message);
	}
	reply_outcome(self, &request->head, out, 0.0);
}

/* Messages call the buffers what solve() and the stages call them: "A, 31 x
 * 109", "bias.bias, 109". */
static void name_buffers(const struct contestant *self, const struct call_operands *operands)
{
	struct buffers buffers;
	char name[FAULT_NAME];
	bool own = self->cudart.emulated_name != NULL && self->opened.copied;
	fault_forget();
	buffers_of_case(self->solution.problem, &self->test, &self->solution.chain, &buffers);
	for (uint32_t i = 0; i < self->opened.arena.count && i < buffers.count; i++) {
		const struct buffer *buffer = &buffers.at[i];
		unsigned long long columns = buffer->columns > 0 ? buffer->columns : 1;
		unsigned long long rows = buffer->elements / columns;
		if (rows > 1 && columns > 1)
			snprintf(name, sizeof name, "%s, %llu x %llu", buffer->name, rows, columns);
		else
			snprintf(name, sizeof name, "%s, %llu", buffer->name, rows * columns);
		fault_buffer(name, operands->at[i], self->opened.arena.buffers[i].bytes);
		if (own)
			self->cudart.emulated_name(operands->at[i], name);
	}
}

/* Adds to a failed call's reply how the device explains the failure. */
static void note_failure(const struct cudart *cudart, struct contestant_reply *reply)
{
	char failed[RUN_TEXT_BYTES], advice[RUN_TEXT_BYTES];
	if (cudart->emulated_failure == NULL)
		return;
	cudart->emulated_failure(failed, advice, RUN_TEXT_BYTES);
	if (reply->failed[0] == '\0')
		memcpy(reply->failed, failed, sizeof failed);
	if (advice[0] != '\0')
		memcpy(reply->advice, advice, sizeof advice);
}

/* Device memory that is free. */
static size_t available(const struct cudart *cudart)
{
	size_t available = 0, total = 0;
	if (cudart->mem_get_info != NULL)
		cudart->mem_get_info(&available, &total);
	return available;
}

/* The most device memory that was allocated since the last time that this was asked, and now. */
static size_t most_allocated(const struct cudart *cudart, size_t *now)
{
	size_t most = *now = 0;
	if (cudart->emulated_memory != NULL)
		cudart->emulated_memory(&most, now);
	return most;
}

/* One call on a set, and how it went. */
static void run_on(struct contestant *self, const struct contestant_run *request, uint32_t call,
				   struct contestant_reply *reply)
{
	const struct cudart *cudart = &self->cudart;
	const uint32_t set = request->set + call;
	struct call_operands operands;
	double seconds = 0.0;
	cudaError_t left = cudaSuccess;
	*reply = (struct contestant_reply){.head.type = request->head.type};
	cudaError_t code = opened_take(&self->opened, cudart, set, &operands);
	if (code == cudaSuccess) {
		name_buffers(self, &operands);
		size_t before = available(cudart), allocated, now;
		most_allocated(cudart, &allocated);
		cudart->get_last_error(); /* an old error is not this call's */
		if (cudart->emulated_order != NULL)
			cudart->emulated_order(request->orders[call]);
		if (cudart->emulated_steps != NULL)
			cudart->emulated_steps(request->steps);
		fault_is(FAULT_SOLVE);
		double started = clock_seconds();
		solution_call(&self->solution, &self->test, &operands);
		fault_is(FAULT_DEVICE);
		note_failure(cudart, reply);
		left = cudart->get_last_error();
		code = cudart->device_synchronize();
		seconds = clock_seconds() - started;
		fault_is(FAULT_BETWEEN);
		if (code == cudaSuccess)
			reply->kept_bytes = (int64_t)(before - available(cudart));
		reply->peak_bytes = (int64_t)(most_allocated(cudart, &now) - allocated);
		if (reply->peak_bytes < reply->kept_bytes) /* a GPU tells only what is left */
			reply->peak_bytes = reply->kept_bytes;
	}
	note_failure(cudart, reply); /* of kernels that ran meanwhile */
	code = opened_put_back(&self->opened, cudart, set, &operands, code);
	call_outcome_fill(&self->cudart,
					  outcome_of_libraries(self, call_outcome_of(&self->cudart, code, left)),
					  seconds, reply);
}

static void serve_run(struct contestant *self, const struct contestant_run *request)
{
	struct contestant_reply reply;
	const uint32_t sets = self->opened.arena.sets;
	if (request->set >= sets || request->more >= sets - request->set ||
		request->more >= RUN_CALLS_MAX) {
		reply_failure(self, &request->head, "no such set of buffers");
		return;
	}
	run_on(self, request, 0, &reply);
	for (uint32_t i = 1; i <= request->more && reply.status == RUN_OK; i++)
		run_on(self, request, i, &reply);
	reply_with(self, &reply, sizeof reply);
}

static void serve_part(struct contestant *self, const struct contestant_part *request)
{
	const int part = solution_part(&self->solution, &request->test);
	struct contestant_part_reply reply = {.head.type = request->head.type, .part = part};
	reply_with(self, &reply, sizeof reply);
}

static void serve_library(struct contestant *self, const struct contestant_library *request)
{
	struct contestant_library_reply reply = {.head.type = request->head.type};
	fault_is(FAULT_SOLVE);
	library_choose(&self->library, request, &reply);
	fault_is(FAULT_BETWEEN);
	reply_with(self, &reply, sizeof reply);
}

static struct timing timing_of(struct contestant *self, cudaError_t *left)
{
	return (struct timing){.cudart = &self->cudart,
						   .solution = &self->solution,
						   .opened = &self->opened,
						   .test = &self->test,
						   .left = left};
}

static bool measure(struct contestant *self, const struct contestant_time *request,
					struct contestant_time_reply *reply, struct error *err)
{
	cudaError_t left = cudaSuccess, code = cudaSuccess;
	struct timing timing = timing_of(self, &left);
	timing.first = request->first;
	timing.warmups = request->warmups;
	timing.calls = request->calls;
	uint64_t last = (uint64_t)request->first + request->warmups + request->calls;
	if (self->device.kind != DEVICE_CUDA)
		return error_set(err, "the emulated GPU has no time");
	if (request->calls == 0 || request->calls > TIME_CALLS_MAX || last > self->opened.arena.sets)
		return error_set(err, "%u calls from set %u on: there are %u sets",
						 (unsigned)request->calls, (unsigned)request->first,
						 (unsigned)self->opened.arena.sets);
	self->cudart.get_last_error();
	bool measured = request->method == TIME_SPAN
						? timing_span(&timing, reply->microseconds, &reply->activities,
									  &reply->kernels, &code, err)
						: timing_event(&timing, reply->microseconds, &code, err);
	struct call_outcome out =
		outcome_of_libraries(self, call_outcome_of(&self->cudart, code, left));
	reply->status = out.status;
	reply->left = out.left;
	reply->error_code = (int32_t)out.code;
	call_outcome_name(&self->cudart, out.code, reply->error_name, sizeof reply->error_name);
	snprintf(reply->error_text, sizeof reply->error_text, "%s", out.text);
	reply->calls = out.status == RUN_OK ? request->calls : 0;
	return measured;
}

static void serve_time(struct contestant *self, const struct contestant_time *request)
{
	struct contestant_time_reply reply = {.head.type = request->head.type};
	struct error err = {{0}};
	if (measure(self, request, &reply, &err))
		reply_with(self, &reply, sizeof reply);
	else
		reply_failure(self, &request->head, err.message);
}

static void serve_stream(struct contestant *self, const struct contestant_stream *request)
{
	struct contestant_reply reply = {.head.type = request->head.type};
	cudaError_t left = cudaSuccess, code = cudaSuccess;
	struct timing timing = timing_of(self, &left);
	struct streamed stream;
	struct error err = {{0}};
	self->cudart.get_last_error();
	if (self->device.kind != DEVICE_CUDA)
		error_set(&err, "the emulated GPU has no time");
	else if (self->opened.arena.sets < 2 || request->aside >= self->opened.arena.sets ||
			 !(request->seconds <= STREAM_SECONDS_MAX))
		error_set(&err, "a stream of %g s beside set %u: there are %u sets", request->seconds,
				  (unsigned)request->aside, (unsigned)self->opened.arena.sets);
	else if (timing_stream(&timing, request, &stream, &code, &err)) {
		reply.calls = stream.calls;
		call_outcome_fill(&self->cudart,
						  outcome_of_libraries(self, call_outcome_of(&self->cudart, code, left)),
						  stream.seconds, &reply);
		reply_with(self, &reply, sizeof reply);
		return;
	}
	reply_failure(self, &request->head, err.message);
}

static void serve_sealed(struct contestant *self, const struct contestant_sealed *request)
{
	struct error err = {{0}};
	if (!take_chain(self, &request->head, &request->chain))
		return;
	opened_close(&self->opened, &self->cudart);
	sealed_end(&self->sealed,
			   &self->cudart); /* a group that was not given back has its own layout */
	self->has_case = false;
	if (sealed_prepare(&self->sealed, request, &err))
		reply_outcome(self, &request->head, (struct call_outcome){0}, 0.0);
	else
		reply_failure(self, &request->head, err.message);
}

static void note_sealed(struct contestant *self, cudaError_t code, cudaError_t left)
{
	if (self->group.status == RUN_OK && self->group.left == RUN_OK)
		self->group = call_outcome_of(&self->cudart, code, left);
}

/* From here to the last call of the group the clock runs: nothing is done that can wait. */
static void serve_go(struct contestant *self, const struct contestant_go *request, int fd)
{
	struct message reply = {.type = request->head.type};
	if (!self->sealed.ready) {
		reply_failure(self, &request->head, "a sealed call that was not prepared");
		return;
	}
	cudaError_t code = sealed_go(&self->sealed, &self->cudart, fd);
	reply_with(self, &reply, sizeof reply);
	self->group = (struct call_outcome){0};
	if (code != cudaSuccess)
		note_sealed(self, code, cudaSuccess);
}

static void serve_call(struct contestant *self, const struct contestant_call *request)
{
	struct contestant_call_reply reply = {.head.type = request->head.type};
	cudaError_t left = cudaSuccess;
	if (self->sealed.opened.base == NULL || request->set >= self->sealed.opened.arena.sets) {
		reply_failure(self, &request->head, "a sealed call on a set that there is not");
		return;
	}
	cudaError_t code = sealed_call(&self->sealed, &self->cudart, &self->solution, request->set,
								   reply.digests, &left);
	reply_with(self, &reply, sizeof reply);
	if (code != cudaSuccess || left != cudaSuccess)
		note_sealed(self, code, left);
}

static void serve_end(struct contestant *self, const struct contestant_end *request)
{
	cudaError_t code = sealed_end(&self->sealed, &self->cudart);
	if (code != cudaSuccess)
		note_sealed(self, code, cudaSuccess);
	reply_outcome(self, &request->head, outcome_of_libraries(self, self->group), 0.0);
}

static void serve(struct contestant *self, union request *request, size_t bytes, int fd)
{
	static const struct {
		uint32_t type;
		size_t bytes;
	} known[] = {{MESSAGE_CONTESTANT_OPEN, sizeof request->open},
				 {MESSAGE_CONTESTANT_LOAD, sizeof request->load},
				 {MESSAGE_CONTESTANT_CASE, sizeof request->one_case},
				 {MESSAGE_CONTESTANT_RUN, sizeof request->run},
				 {MESSAGE_CONTESTANT_LIBRARY, sizeof request->library},
				 {MESSAGE_CONTESTANT_TIME, sizeof request->time},
				 {MESSAGE_CONTESTANT_STREAM, sizeof request->stream},
				 {MESSAGE_CONTESTANT_SEALED, sizeof request->sealed},
				 {MESSAGE_CONTESTANT_GO, sizeof request->go},
				 {MESSAGE_CONTESTANT_CALL, sizeof request->call},
				 {MESSAGE_CONTESTANT_END, sizeof request->end},
				 {MESSAGE_CONTESTANT_PART, sizeof request->part}};
	bool right = false;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		right |= bytes == known[i].bytes && request->head.type == known[i].type;
	if (!right) {
		reply_failure(self, &request->head, "a message that a contestant does not know");
		return;
	}
	bool begins = request->head.type == MESSAGE_CONTESTANT_OPEN ||
				  request->head.type == MESSAGE_CONTESTANT_LOAD;
	bool needs_case = request->head.type == MESSAGE_CONTESTANT_RUN ||
					  request->head.type == MESSAGE_CONTESTANT_TIME ||
					  request->head.type == MESSAGE_CONTESTANT_STREAM;
	if ((!begins && !self->loaded) || (needs_case && !self->has_case)) {
		reply_failure(self, &request->head, self->loaded ? "no case yet" : "no solution yet");
		return;
	}
	switch (request->head.type) {
	case MESSAGE_CONTESTANT_OPEN: serve_open(self, &request->open, fd); break;
	case MESSAGE_CONTESTANT_LOAD: serve_load(self, &request->load); break;
	case MESSAGE_CONTESTANT_CASE: serve_case(self, &request->one_case, fd); break;
	case MESSAGE_CONTESTANT_RUN: serve_run(self, &request->run); break;
	case MESSAGE_CONTESTANT_LIBRARY: serve_library(self, &request->library); break;
	case MESSAGE_CONTESTANT_STREAM: serve_stream(self, &request->stream); break;
	case MESSAGE_CONTESTANT_SEALED: serve_sealed(self, &request->sealed); break;
	case MESSAGE_CONTESTANT_GO: serve_go(self, &request->go, fd); break;
	case MESSAGE_CONTESTANT_CALL: serve_call(self, &request->call); break;
	case MESSAGE_CONTESTANT_PART: serve_part(self, &request->part); break;
	case MESSAGE_CONTESTANT_END: serve_end(self, &request->end); break;
	default: serve_time(self, &request->time); break;
	}
}

static double look_seconds(const struct contestant *self)
{
	return self->sealed.ready && self->sealed.device != NULL ? LOOK_SECONDS : 0.0;
}

int main(void)
{
	static union request request;
	static struct contestant self;
	size_t bytes;
	int fd;

	self.channel = channel_open();
	if (self.channel < 0) {
		fprintf(stderr, "contestant: started by gemmjudge, not by hand\n");
		return EXIT_FAILURE;
	}
	while (channel_look(self.channel, look_seconds(&self)) &&
		   channel_receive(self.channel, &request, sizeof request, &bytes, &fd)) {
		memset(request.bytes + bytes, 0, sizeof request - bytes);
		serve(&self, &request, bytes, fd);
		if (fd >= 0)
			close(fd);
	}
	if (errno == EMFILE) {
		fprintf(stderr,
				"the solution has left no file descriptor for the buffers of the next case\n");
		fflush(NULL);
		_exit(EXIT_FAILURE);
	}
	if (self.under_tool)
		return EXIT_SUCCESS; /* tools write what they know when the program exits */
	/* Without the destructors of the solution and of its libraries, which could
	 * do anything and are of no use. */
	_exit(EXIT_SUCCESS);
}

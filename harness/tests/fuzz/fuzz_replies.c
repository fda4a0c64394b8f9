/* links: report judge; seeds: harness/tests/fuzz/seeds/replies */
/* What a contestant may answer, as the supervisor reads it: child*.c with real descriptors, at
 * whose other end an input answers instead of a process; then the links, checking, timing,
 * the verdict and the reports. The referee answers as it should, a clock of its own makes
 * waiting short.
 *
 * For every answer of the contestant the input has a byte, 0 for one as it should be: how many
 * patches (3 bits), another length, descriptors, output, an end, none or two instead of one. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "judge/cases/check.h"
#include "judge/run/counters.h"
#include "judge/timing/timer.h"
#include "process/child.h"
#include "process/cpu.h"
#include "process/keeper.h"
#include "process/ring.h"
#include "process/tree.h"

#include "messages.h"
#include "report_all.h"

static ssize_t peer_sendmsg(int fd, const struct msghdr *message, int flags);

/* ---- child*.c with nobody behind it ------------------------------------------------- */

#define IDLE_SECONDS 0.9
#define NOBODY 0x7fffffff /* no process: what is done to it is done to none */

static double fuzz_time;

static double fuzz_clock(void)
{
	return fuzz_time += 0.0001;
}

/* Where nothing is there, nothing comes: a deadline is passed in some rounds, not in thousands. */
static int fuzz_poll(struct pollfd *events, nfds_t count, int milliseconds)
{
	int ready = poll(events, count, 0);
	fuzz_time += ready == 0 && milliseconds > 0 ? IDLE_SECONDS : 0.0;
	return ready;
}

static int fuzz_sleep(const struct timespec *pause, struct timespec *left)
{
	(void)left;
	fuzz_time += (double)pause->tv_sec + (double)pause->tv_nsec * 1e-9;
	return 0;
}

static int fuzz_kill(pid_t pid, int number)
{
	(void)pid, (void)number;
	return 0;
}

static pid_t fuzz_waitpid(pid_t pid, int *status, int flags)
{
	(void)pid, (void)status, (void)flags;
	return -1;
}

static size_t fuzz_count(void)
{
	return 0;
}

#define clock_seconds fuzz_clock
#define poll(events, count, milliseconds) fuzz_poll(events, count, milliseconds)
#define nanosleep fuzz_sleep
#define kill fuzz_kill
#define waitpid fuzz_waitpid
#define tree_scan(root, out, max, number, older) fuzz_count()
#define tree_younger(parent, pid, started, out, max) ((void)(started), (void)(out), fuzz_count())
#define tree_kill(root) ((void)(root))
#define tree_memory(pids, count, shared)                                                           \
	(struct tree_memory)                                                                           \
	{                                                                                              \
		.own = fuzz_count()                                                                        \
	}
#define tree_memory_exact(pids, count, shared)                                                     \
	(struct tree_memory)                                                                           \
	{                                                                                              \
		.own = fuzz_count()                                                                        \
	}
#define tree_memory_shared(pids, count) fuzz_count()
#define tree_stopped(pid) false
#define tree_ends(pid) false
#define cpu_hold(pid, cpu) ((void)(pid), (void)(cpu), true)
#define cpu_is_held(pid, cpu) ((void)(pid), (void)(cpu), true)
#define sendmsg peer_sendmsg
#define child_start real_child_start
#include "process/child.c"        /* NOLINT(bugprone-suspicious-include) */
#include "process/child_call.c"   /* NOLINT(bugprone-suspicious-include) */
#include "process/child_end.c"    /* NOLINT(bugprone-suspicious-include) */
#include "process/child_list.c"   /* NOLINT(bugprone-suspicious-include) */
#include "process/child_output.c" /* NOLINT(bugprone-suspicious-include) */
#include "process/child_start.c"  /* NOLINT(bugprone-suspicious-include) */
#undef child_start
#undef sendmsg
#undef poll

/* ---- who answers --------------------------------------------------------------------- */

#define PEERS_MAX 64

struct peer {
	bool is_ours; /* the referee, or the calibration kernel of sealed calls: it answers as it should
				   */
	int supervisor; /* number of the other end of the channel */
	int channel, output, report, life;
};

static struct {
	struct source source;
	struct peer peers[PEERS_MAX];
	size_t count;
} play;

static void peer_close(struct peer *peer)
{
	int *const all[] = {&peer->channel, &peer->output, &peer->report, &peer->life};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		child_close(all[i]);
	peer->supervisor = -1;
}

static void peer_end(struct peer *peer, int status)
{
	struct keeper_report report = {.wait_status = status};
	if (write(peer->report, &report, sizeof report) != sizeof report)
		fuzz_found("no report can be written");
	peer_close(peer);
}

struct child *child_start(const struct child_options *options, struct error *err)
{
	struct ends ends = ENDS_NONE;
	struct child *child = calloc(1, sizeof *child);
	if (play.count == PEERS_MAX || child == NULL || !open_ends(&ends)) {
		free(child);
		error_set(err, "no more processes");
		return NULL;
	}
	child->alive = true;
	child->keeper = child->program = NOBODY;
	child->memory_limit = options->memory_limit_bytes;
	child->channel = ends.channel[0];
	child->output = ends.output[0];
	child->life = ends.life[0];
	child->report = ends.report[0];
	child_list_add(child); /* of one thread: nobody else holds it */
	play.peers[play.count++] = (struct peer){.is_ours = strstr(options->argv[0], "referee"),
											 .supervisor = ends.channel[0],
											 .channel = ends.channel[1],
											 .output = ends.output[1],
											 .report = ends.report[1],
											 .life = ends.life[1]};
	child_close(&ends.start[0]);
	child_close(&ends.start[1]);
	child_close(&ends.null_fd);
	return child;
}

union request {
	struct message head;
	struct referee_case referee_case;
	struct contestant_open open;
	struct contestant_time time;
	char bytes[CHILD_MESSAGE_MAX];
};

union reply {
	struct message head;
	struct referee_open_reply referee_open;
	struct referee_case_reply referee_case;
	struct referee_check_reply check;
	struct referee_explain_reply explain;
	struct referee_digest_reply digest;
	struct referee_bits_reply bits;
	struct contestant_open_reply open;
	struct contestant_reply run;
	struct contestant_time_reply time;
	struct contestant_call_reply call;
	char bytes[CHILD_MESSAGE_MAX];
};

/* A reply as it should be, and its size. */
static size_t good_reply(const union request *request, union reply *reply)
{
	reply->head = (struct message){.type = request->head.type, .ok = 1};
	switch (request->head.type) {
	case MESSAGE_REFEREE_OPEN:
		reply->referee_open.facts = (struct device_properties){.name = "a GPU",
															   .architecture = "90a",
															   .multiprocessors = 1,
															   .sm_clock_khz = 1000,
															   .memory_bytes = 1 << 30};
		return sizeof reply->referee_open;
	case MESSAGE_REFEREE_CASE:
		memset(&reply->referee_case.arena, 0, sizeof reply->referee_case.arena);
		reply->referee_case.arena.sets = request->referee_case.sets;
		reply->referee_case.custom_stages = 0;
		return sizeof reply->referee_case;
	case MESSAGE_REFEREE_BITS:
		memset(&reply->bits.found, 0, sizeof reply->bits.found);
		return sizeof reply->bits;
	case MESSAGE_REFEREE_DIGEST:
		memset(&reply->digest.result, 0, sizeof reply->digest.result);
		return sizeof reply->digest;
	case MESSAGE_REFEREE_ARRANGE:
	case MESSAGE_REFEREE_RESET:
	case MESSAGE_REFEREE_DESCRIPTOR:
	case MESSAGE_CONTESTANT_GO: return sizeof reply->head;
	case MESSAGE_REFEREE_CHECK:
		memset(&reply->check.found, 0, sizeof reply->check.found);
		return sizeof reply->check;
	case MESSAGE_REFEREE_EXPLAIN:
		memset(&reply->explain.facts, 0, sizeof reply->explain.facts);
		return sizeof reply->explain;
	case MESSAGE_CONTESTANT_OPEN:
		reply->open.layers = ~0u;
		reply->open.unavailable[0] = reply->open.unsealed[0] = '\0';
		reply->open.sealed = 1;
		reply->open.tells = 0;
		return sizeof reply->open;
	case MESSAGE_CONTESTANT_TIME:
		memset(&reply->time.status, 0,
			   sizeof reply->time - offsetof(struct contestant_time_reply, status));
		reply->time.calls = request->time.calls;
		reply->time.kernels = (struct kernel_list){.run = 1, .shown = 1, .first[0].name = "gemm"};
		for (uint32_t i = 0; i < request->time.calls && i < TIME_CALLS_MAX; i++)
			reply->time.microseconds[i] = 10.0f;
		return sizeof reply->time;
	case MESSAGE_CONTESTANT_CALL:
		memset(reply->call.digests, 0, sizeof reply->call.digests);
		return sizeof reply->call;
	default:
		memset(&reply->run.status, 0,
			   sizeof reply->run - offsetof(struct contestant_reply, status));
		return sizeof reply->run;
	}
}

static void send_with(int channel, const void *bytes, size_t size, size_t descriptors)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = {0};
	const int many[4] = {STDERR_FILENO, STDERR_FILENO, STDERR_FILENO, STDERR_FILENO};
	struct iovec part = {.iov_base = (void *)bytes, .iov_len = size};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	if (descriptors > 0) {
		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(descriptors * sizeof(int));
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(descriptors * sizeof(int));
		memcpy(CMSG_DATA(header), many, descriptors * sizeof(int));
	}
	sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT); /* a full channel takes no more */
}

static void say(struct peer *peer, struct source *source)
{
	char text[4096];
	size_t size = 1 + source_number(source, 1);
	memset(text, '\n', sizeof text);
	source_patch(source, text, size);
	if (write(peer->output, text, size) < 0)
		fuzz_found("nobody reads the output");
}

static void answer(struct peer *peer, const union request *request)
{
	static union reply reply;
	struct source *source = &play.source, none = {NULL, NULL};
	size_t size = good_reply(request, &reply), times = 1, descriptors = 0;
	if (request->head.type == MESSAGE_CONTESTANT_OPEN)
		peer->is_ours = strstr(request->open.solution, "calibration") != NULL;
	if (peer->is_ours)
		source = &none;
	descriptors = request->head.type == MESSAGE_REFEREE_DESCRIPTOR;
	uint32_t how = source_number(source, 1);
	for (uint32_t i = 0; i < (how & 7); i++)
		source_patch(source, reply.bytes, size);
	if (how & 8)
		size = source_number(source, 2) % (size + 8);
	if (how & 16)
		descriptors = source_number(source, 1) % 5;
	if (how & 32)
		say(peer, source);
	if (how & 128)
		times = source_number(source, 1) % 4;
	for (size_t i = 0; i < times; i++)
		send_with(peer->channel, &reply, size, descriptors);
	if (how & 64)
		peer_end(peer, (int)source_number(source, 2));
}

/* What the supervisor sends is answered before the call returns. */
static ssize_t peer_sendmsg(int fd, const struct msghdr *message, int flags)
{
	static union request request;
	ssize_t sent = sendmsg(fd, message, flags);
	for (size_t i = play.count; sent > 0 && i > 0; i--) {
		struct peer *peer = &play.peers[i - 1];
		if (peer->supervisor != fd)
			continue;
		if (recv(peer->channel, &request, sizeof request, MSG_DONTWAIT) > 0)
			answer(peer, &request);
		break;
	}
	return sent;
}

/* ---- a run ---------------------------------------------------------------------------- */

static void look_at_detail(const char *detail)
{
	if (strchr(detail, '\n') != NULL)
		fuzz_found("a detail of several lines");
}

static void judge_with(struct run *run, struct judgement *item)
{
	const struct problem *problem = problem_find("gemm-f16");
	const struct shape shape = {{1, 16, 16, 16, 1}};
	const struct entrant entrant = {
		.label = "a.cu", .file = "a.cu", .library = "/nowhere/a.so", .text = "/nowhere/a.cu"};
	struct error err;
	item->count = 2;
	item->cases = calloc(item->count, sizeof *item->cases);
	item->compile_log = strdup("");
	snprintf(item->file, sizeof item->file, "a.cu");
	snprintf(item->problem, sizeof item->problem, "%s", problem->name);
	for (size_t i = 0; i < item->count; i++)
		item->cases[i].test = case_of_shape(problem, &shape, NULL, 1);
	if (!check_cases(run, problem, &entrant, item, &err))
		fuzz_found("a contestant has ended the whole run");
	struct timer *timer = timer_open(run, problem, &entrant, 1, &err);
	item->has_timing = timer_case(timer, &item->cases[0].test, &item->timing, &err);
	timer_close(timer);
	if (!item->has_timing)
		fuzz_found("a contestant has ended the timing");
	look_at_detail(item->detail);
	look_at_detail(item->timing.entries[0].detail);
	for (size_t i = 0; i < item->count; i++)
		look_at_detail(item->cases[i].detail);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	const struct judge_options options = {.timing.untimed = false};
	const struct device_choice device = {.kind = DEVICE_CUDA};
	struct run run = {.options = &options, .lock = -1, .timeout = 1.0, .memory_limit = 1 << 30};
	struct judgement_list list = {.count = 1, .items = calloc(1, sizeof *list.items)};
	struct error err;
	play.source = (struct source){data, data + size};
	play.count = 0;
	if (list.items == NULL || !referee_link_open(&run.referee, &device, &err))
		fuzz_found("cannot begin");
	judge_with(&run, &list.items[0]);
	referee_link_close(&run.referee);
	for (size_t i = 0; i < play.count; i++)
		peer_close(&play.peers[i]);
	report_all(&list);
	judgement_list_free(&list);
	if (alive != NULL)
		fuzz_found("a child was not given back");
}

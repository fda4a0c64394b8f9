/* links: compile process testcases base; timeout: 300 */
/* Device time, on a runtime and a CUPTI made for this test: a "kernel" is a
 * stretch of the host's clock, so its time is known to the nanosecond. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "compile/compile.h"
#include "process/child.h"
#include "process/jail.h"
#include "process/protocol.h"

/* Kernels start 3 us after their launch or when the one before has ended. Those
 * launched "aside" run in a stream that events of the default one do not wait for. */
static const char *const runtime_source =
	"#include <stdint.h>\n"
	"#include <stdlib.h>\n"
	"#include <time.h>\n"
	"static uint64_t busy, busy_aside;\n"
	"int cudaTestCode;\n"
	"void (*cudaTestHook)(uint64_t start, uint64_t end);\n"
	"uint64_t cudaTestNow(void)\n"
	"{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);\n"
	"  return t.tv_sec * 1000000000ull + t.tv_nsec; }\n"
	"static void launch(uint64_t *until, uint64_t ns)\n"
	"{ uint64_t start = cudaTestNow() + 3000;\n"
	"  if (start < *until) start = *until;\n"
	"  *until = start + ns;\n"
	"  if (cudaTestHook) cudaTestHook(start, *until); }\n"
	"uint64_t cudaTestQueued(void)\n"
	"{ uint64_t now = cudaTestNow(); return busy > now ? busy - now : 0; }\n"
	"void cudaTestLaunch(uint64_t ns) { launch(&busy, ns); }\n"
	"void cudaTestLaunchAside(uint64_t ns) { launch(&busy_aside, ns); }\n"
	"int cudaSetDevice(int d) { return 0; }\n"
	"int cudaMalloc(void **p, size_t n) { return 2; }\n"
	"int cudaFree(void *p) { return 0; }\n"
	"int cudaMemcpy(void *to, const void *from, size_t n, int kind) { return 1; }\n"
	"int cudaDeviceSynchronize(void)\n"
	"{ while (cudaTestNow() < busy || cudaTestNow() < busy_aside) ; return cudaTestCode; }\n"
	"int cudaGetLastError(void) { return 0; }\n"
	"const char *cudaGetErrorName(int e) { return \"?\"; }\n"
	"const char *cudaGetErrorString(int e) { return \"?\"; }\n"
	"struct handle { char bytes[64]; };\n"
	"int cudaIpcOpenMemHandle(void **p, struct handle h, unsigned flags)\n"
	"{ *p = aligned_alloc(1 << 20, 1 << 20); return 0; }\n"
	"int cudaIpcCloseMemHandle(void *p) { free(p); return 0; }\n"
	"int cudaEventCreate(uint64_t **e) { *e = malloc(8); return 0; }\n"
	"int cudaEventDestroy(uint64_t *e) { free(e); return 0; }\n"
	"int cudaEventRecord(uint64_t *e, void *s)\n"
	"{ *e = cudaTestNow(); if (*e < busy) *e = busy; return 0; }\n"
	"int cudaEventSynchronize(uint64_t *e) { while (cudaTestNow() < *e) ; return cudaTestCode; }\n"
	"int cudaEventElapsedTime(float *ms, uint64_t *a, uint64_t *b)\n"
	"{ *ms = (*b - *a) * 1e-6f; return 0; }\n";

/* Hands records over only when it is flushed, kernels and copies in turn. A kernel of
 * n ns has n blocks. */
static const char *const cupti_source =
	"#define _GNU_SOURCE\n"
	"#include <cupti.h>\n"
	"#include <dlfcn.h>\n"
	"#include <string.h>\n"
	"static CUpti_BuffersCallbackRequestFunc request;\n"
	"static CUpti_BuffersCallbackCompleteFunc complete;\n"
	"static uint8_t *buffer;\n"
	"static size_t size, used, last, enabled[64];\n"
	"static void flush(void)\n"
	"{ if (buffer) complete(0, 0, buffer, size, used); buffer = 0; used = 0; }\n"
	"static void *room(size_t bytes)\n"
	"{ size_t records; void *at;\n"
	"  if (buffer && used + bytes > size) flush();\n"
	"  if (!buffer) { request(&buffer, &size, &records); used = 0; }\n"
	"  at = buffer + used; used += bytes; memset(at, 0, bytes); return at; }\n"
	"static void hook(uint64_t start, uint64_t end)\n"
	"{ static int turn;\n"
	"  if (turn++ % 2) { CUpti_ActivityMemcpy6 *m; if (!enabled[1]) return;\n"
	"    m = room(sizeof *m); m->kind = 1; m->start = start; m->end = end; }\n"
	"  else { CUpti_ActivityKernel10 *k; if (!enabled[10]) return;\n"
	"    k = room(sizeof *k); k->kind = 10; k->start = start; k->end = end;\n"
	"    k->name = \"_Z4workILi4EEvPf\"; k->gridX = end - start; k->gridY = k->gridZ = 1;\n"
	"    k->blockX = 128; k->blockY = k->blockZ = 1; k->registersPerThread = 40;\n"
	"    k->dynamicSharedMemory = 512; } }\n"
	"CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc r,\n"
	"                                           CUpti_BuffersCallbackCompleteFunc c)\n"
	"{ request = r; complete = c; *(void **)dlsym(RTLD_DEFAULT, \"cudaTestHook\") = hook;\n"
	"  return 0; }\n"
	"CUptiResult cuptiActivityEnable(CUpti_ActivityKind k) { enabled[k] = 1; return 0; }\n"
	"CUptiResult cuptiActivityDisable(CUpti_ActivityKind k) { enabled[k] = 0; return 0; }\n"
	"CUptiResult cuptiActivityFlushAll(uint32_t flag) { flush(); return 0; }\n"
	"CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext c, uint32_t s, size_t *n)\n"
	"{ *n = 0; return 0; }\n"
	"CUptiResult cuptiGetTimestamp(uint64_t *t)\n"
	"{ *t = ((uint64_t (*)(void))dlsym(RTLD_DEFAULT, \"cudaTestNow\"))(); return 0; }\n"
	"CUptiResult cuptiGetResultString(CUptiResult r, const char **s) { *s = \"?\"; return 0; }\n"
	"CUptiResult cuptiActivityGetNextRecord(uint8_t *b, size_t valid, CUpti_Activity **r)\n"
	"{ uint8_t *at = *r ? (uint8_t *)*r : b;\n"
	"  if (*r) at += (*r)->kind == 1 ? sizeof(CUpti_ActivityMemcpy6)\n"
	"                                : sizeof(CUpti_ActivityKernel10);\n"
	"  if (at >= b + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;\n"
	"  *r = (CUpti_Activity *)at; return 0; }\n";

static char folder[64];

static const char *path_of(const char *name)
{
	static char path[PATHS_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void build(const char *name, const char *source, const char *flags)
{
	char command[4 * PATHS_MAX];
	FILE *file = fopen(path_of("source.c"), "w");
	fputs(source, file);
	fclose(file);
	snprintf(command, sizeof command, "gcc -w -O1 -shared -fPIC -o %s/%s %s/source.c %s", folder,
			 name, folder, flags);
	cr_assert_eq(system(command), 0, "%s", command);
}

static void build_solution(const char *body)
{
	char source[2048], flags[256];
	snprintf(flags, sizeof flags, "-L%s -l:libcudart.so.13", folder);
	/* The set of a call shows in its address: sets are 4096 bytes apart. */
	snprintf(source, sizeof source,
			 "#include <stdint.h>\n"
			 "void cudaTestLaunch(uint64_t ns);\nvoid cudaTestLaunchAside(uint64_t ns);\n"
			 "void solve(const void *A)\n"
			 "{ uint64_t set = ((uintptr_t)A & 0xFFFFF) / 4096; %s }\n",
			 body);
	build("solution.so", source, flags);
}

static void begin(void)
{
	char nvcc[PATHS_MAX], version[64], flags[PATHS_MAX + 64];
	struct error err = {{0}};
	strcpy(folder, "/tmp/test_timing.XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	build("libcudart.so.13", runtime_source, "-Wl,-soname,libcudart.so.13");
	cr_assert(compile_find_nvcc(nvcc, version, &err), "%s", err.message);
	*strrchr(nvcc, '/') = '\0';
	snprintf(flags, sizeof flags, "-I%s/../include -Wl,-soname,libcupti.so.13 -ldl", nvcc);
	build("libcupti.so.13", cupti_source, flags);
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *walk)
{
	(void)facts, (void)kind, (void)walk;
	return remove(path);
}

static void end(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(timing, .init = begin, .fini = end);

static void exchange(struct child *child, const void *request, size_t bytes, void *reply,
					 size_t reply_bytes)
{
	struct child_exchange exchange = {.request = request,
									  .request_bytes = bytes,
									  .request_fd = -1,
									  .reply = reply,
									  .reply_capacity = reply_bytes,
									  .seconds = 60};
	struct child_result result = child_call(child, &exchange);
	cr_assert_eq(result.outcome, CHILD_REPLIED, "%s", child_output(child));
}

#define SETS 200

/* A contestant with a case of SETS sets. */
static struct child *begin_case(void)
{
	struct error err = {{0}};
	char build_folder[PATHS_MAX], program[PATHS_MAX], variable[PATHS_MAX];
	cr_assert(paths_build(build_folder, &err), "%s", err.message);
	cr_assert(paths_join(program, build_folder, "libexec/contestant", &err));
	snprintf(variable, sizeof variable, "LD_LIBRARY_PATH=%s", folder);
	const char *argv[] = {program, NULL}, *environment[] = {variable, NULL};
	struct child *child =
		child_start(&(struct child_options){.argv = argv, .setenv = environment}, &err);
	cr_assert_not_null(child, "%s", err.message);

	struct contestant_reply reply;
	struct contestant_open_reply opened;
	struct contestant_open open = {.head.type = MESSAGE_CONTESTANT_OPEN,
								   .device.kind = DEVICE_CUDA,
								   .layers = LAYER_SOLUTION, /* CUPTI is loaded before */
								   .timed = 1};
	struct contestant_load load = {.head.type = MESSAGE_CONTESTANT_LOAD, .problem = "sgemm"};
	snprintf(open.solution, sizeof open.solution, "%s", path_of("solution.so"));
	snprintf(load.solution, sizeof load.solution, "%s", path_of("solution.so"));
	exchange(child, &open, sizeof open, &opened, sizeof opened);
	cr_assert(opened.head.ok, "%s", opened.head.error);
	exchange(child, &load, sizeof load, &reply, sizeof reply);
	cr_assert(reply.head.ok && reply.status == RUN_OK, "%s %s", reply.head.error, reply.error_text);
	struct contestant_case one = {.head.type = MESSAGE_CONTESTANT_CASE,
								  .test.shape.size = {1, 16, 16, 16, 1},
								  .arena = {.bytes = SETS * 4096,
											.set_stride = 4096,
											.sets = SETS,
											.count = 3,
											.buffers = {{.bytes = 0}, {.bytes = 0}, {.bytes = 4}}}};
	exchange(child, &one, sizeof one, &reply, sizeof reply);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	return child;
}

static struct contestant_time_reply *measure(struct child *child, enum time_method method,
											 uint32_t warmups, uint32_t calls)
{
	static struct contestant_time_reply reply;
	struct contestant_time request = {
		.head.type = MESSAGE_CONTESTANT_TIME, .method = method, .warmups = warmups, .calls = calls};
	memset(&reply, 0, sizeof reply);
	exchange(child, &request, sizeof request, &reply, sizeof reply);
	return &reply;
}

/* Each record is given to the call that made it: set i takes 10 + i microseconds. */
Test(timing, span_of_one_kernel_is_exact)
{
	build_solution("cudaTestLaunch(10000 + set * 1000);");
	struct child *child = begin_case();
	for (int pass = 0; pass < 2; pass++) { /* switched off and on again */
		struct contestant_time_reply *reply = measure(child, TIME_SPAN, 5, SETS - 5);
		cr_assert(reply->head.ok, "%s", reply->head.error);
		cr_assert_eq(reply->calls, SETS - 5);
		cr_assert_eq(reply->activities, 1);
		for (int i = 0; i < SETS - 5; i++)
			cr_assert_eq(reply->microseconds[i], (float)(10 + 5 + i), "%d: %g", i,
						 reply->microseconds[i]);
	}
	child_stop(child);
}

Test(timing, span_covers_all_activities_of_a_call)
{
	build_solution("cudaTestLaunch(300000); cudaTestLaunchAside(100000); cudaTestLaunch(1000);");
	struct child *child = begin_case();
	struct contestant_time_reply *reply = measure(child, TIME_SPAN, 2, 20);
	cr_assert(reply->head.ok, "%s", reply->head.error);
	cr_assert_eq(reply->activities, 3);
	int close = 0; /* unless the launching thread was held up */
	for (int i = 0; i < 20; i++) {
		cr_assert_geq(reply->microseconds[i], 301.0f);
		close += reply->microseconds[i] < 302.0f;
	}
	cr_assert_geq(close, 10);
	child_stop(child);
}

/* Every second of these is a copy. The third kernel starts beside the first, before the
 * second, which waits for the first: 5 us after it was launched, where it is recorded. */
Test(timing, span_lists_the_kernels_of_a_call_by_their_start)
{
	build_solution("cudaTestLaunch(300000); cudaTestLaunchAside(1);"
				   "cudaTestLaunch(2000); cudaTestLaunchAside(1);"
				   "cudaTestLaunchAside(5000); cudaTestLaunch(1);");
	struct child *child = begin_case();
	struct contestant_time_reply *reply = measure(child, TIME_SPAN, 2, 10);
	cr_assert(reply->head.ok, "%s", reply->head.error);
	cr_assert_eq(reply->activities, 6);
	cr_assert(reply->kernels.run == 3 && reply->kernels.shown == 3, "%u", reply->kernels.run);
	const struct kernel_launch *first = reply->kernels.first;
	cr_assert(first[0].grid[0] == 300000 && first[1].grid[0] == 5000 && first[2].grid[0] == 2000,
			  "%u %u %u", first[0].grid[0], first[1].grid[0], first[2].grid[0]);
	cr_assert_str_eq(first[0].name, "work<4>");
	cr_assert(first[0].block[0] == 128 && first[0].registers == 40);
	cr_assert(first[0].shared_bytes == 512 && first[0].cluster[0] == 1);
	child_stop(child);
}

/* Calls 0 and 1 are the warm-ups; kernels and copies in turn. */
Test(timing, span_lists_the_first_kernels_of_the_first_timed_call)
{
	build_solution("for (int i = 0; i < 40; i++) cudaTestLaunch(1000 * (set + 1) + i);");
	struct child *child = begin_case();
	for (int pass = 0; pass < 2; pass++) {
		struct contestant_time_reply *reply = measure(child, TIME_SPAN, 2, 3);
		cr_assert(reply->head.ok, "%s", reply->head.error);
		cr_assert_eq(reply->kernels.run, 20);
		cr_assert_eq(reply->kernels.shown, KERNELS_SHOWN);
		for (uint32_t i = 0; i < KERNELS_SHOWN; i++)
			cr_assert_eq(reply->kernels.first[i].grid[0], 3000 + 2 * i);
	}
	child_stop(child);
}

/* Each launch is another: the table is full before the timed calls. */
Test(timing, span_counts_kernels_that_it_cannot_list)
{
	build_solution("static int n; for (int i = 0; i < 100; i++) cudaTestLaunch(100 + n++);");
	struct child *child = begin_case();
	struct contestant_time_reply *reply = measure(child, TIME_SPAN, 2, 3);
	cr_assert(reply->head.ok, "%s", reply->head.error);
	cr_assert_eq(reply->kernels.run, 50);
	cr_assert_eq(reply->kernels.shown, 0);
	child_stop(child);
}

Test(timing, span_of_nothing_is_no_time)
{
	build_solution("(void)set;");
	struct child *child = begin_case();
	struct contestant_time_reply *reply = measure(child, TIME_SPAN, 0, 3);
	cr_assert_not(reply->head.ok);
	cr_assert_not_null(strstr(reply->head.error, "no device activity in call 1 of 3"), "%s",
					   reply->head.error);
	child_stop(child);
}

Test(timing, events_include_the_launch)
{
	build_solution("cudaTestLaunch(50000);");
	struct child *child = begin_case();
	struct contestant_time_reply *reply = measure(child, TIME_EVENT, 5, 20);
	cr_assert(reply->head.ok, "%s", reply->head.error);
	cr_assert_eq(reply->calls, 20);
	cr_assert_eq(reply->kernels.run, 0);
	for (int i = 0; i < 20; i++)
		cr_assert_geq(reply->microseconds[i], 52.9f);
	child_stop(child);
}

/* Events of the default stream alone would see no time at all. */
Test(timing, events_wait_for_other_streams)
{
	build_solution("cudaTestLaunchAside(50000);");
	struct child *child = begin_case();
	struct contestant_time_reply *reply = measure(child, TIME_EVENT, 5, 20);
	cr_assert(reply->head.ok, "%s", reply->head.error);
	for (int i = 0; i < 20; i++)
		cr_assert_geq(reply->microseconds[i], 52.9f);
	child_stop(child);
}

Test(timing, no_set_is_used_that_is_not_there)
{
	build_solution("cudaTestLaunch(1000);");
	struct child *child = begin_case();
	cr_assert_not(measure(child, TIME_EVENT, 1, SETS)->head.ok);
	cr_assert_not(measure(child, TIME_SPAN, 0, TIME_CALLS_MAX + 1)->head.ok);
	cr_assert(measure(child, TIME_EVENT, 1, SETS - 1)->head.ok);
	child_stop(child);
}

/* ---- streams --------------------------------------------------------------------------- */

static struct contestant_reply stream(struct child *child, double seconds, uint32_t aside,
									  uint32_t ends)
{
	struct contestant_reply reply = {.calls = 0};
	struct contestant_stream request = {
		.head.type = MESSAGE_CONTESTANT_STREAM, .seconds = seconds, .aside = aside, .ends = ends};
	exchange(child, &request, sizeof request, &reply, sizeof reply);
	return reply;
}

/* On set 7 it says what it has seen until then. */
#define COUNTING                                                                                   \
	"int printf(const char *, ...); static int calls, next, wrong;"                                \
	"if (set == 7) printf(\"%d calls, %d out of turn\\n\", calls, wrong);"                         \
	"else { calls++; next += next == 7; wrong += set != next; next = (set + 1) % 200; }"

Test(timing, a_stream_calls_all_sets_in_turn_and_ends_with_the_one_aside)
{
	build_solution(COUNTING "cudaTestLaunch(1000000);");
	struct child *child = begin_case();
	struct contestant_reply reply = stream(child, 0.3, 7, 1);
	char said[80];
	cr_assert(reply.head.ok && reply.status == RUN_OK, "%s", reply.head.error);
	cr_expect_geq(reply.seconds, 0.3);
	cr_expect_gt(reply.calls, 200, "once through all sets, and more");
	cr_expect_leq(1e-3 * (double)reply.calls, reply.seconds, "each takes a millisecond");
	snprintf(said, sizeof said, "%d calls, 0 out of turn\n", (int)reply.calls - 1);
	cr_expect_str_eq(child_output(child), said, "%s", child_output(child));
	child_stop(child);
}

Test(timing, a_stream_need_not_end_with_the_one_aside)
{
	build_solution(COUNTING "cudaTestLaunch(1000000);");
	struct child *child = begin_case();
	cr_assert_gt(stream(child, 0.25, 7, 0).calls, 2);
	cr_assert_gt(stream(child, 0.0001, 7, 0).calls, 0, "one at least");
	cr_expect_str_eq(child_output(child), "", "%s", child_output(child));
	child_stop(child);
}

/* Behind a host that did not wait calls would queue for seconds: it makes one in less than a
 * microsecond. Behind one that waited for each there would never be a second one. */
Test(timing, a_stream_queues_some_milliseconds_of_calls)
{
	build_solution(
		"int printf(const char *, ...); uint64_t cudaTestQueued(void); static uint64_t most;"
		"uint64_t queued = cudaTestQueued(); if (queued > most) most = queued;"
		"if (set == 7) printf(\"%d\", (int)(most / 1000)); cudaTestLaunch(20000);");
	struct child *child = begin_case();
	const struct contestant_reply reply = stream(child, 0.3, 7, 1);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	cr_expect_geq(1e6 * reply.seconds, 20.0 * (double)reply.calls);
	const int most = atoi(child_output(child));
	cr_expect(most >= 1000 && most <= 1024 * 20, "%d us", most);
	child_stop(child);
}

Test(timing, a_stream_waits_for_other_streams)
{
	build_solution("cudaTestLaunchAside(20000);");
	struct child *child = begin_case();
	const struct contestant_reply reply = stream(child, 0.002, 7, 1);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	cr_expect_geq(reply.seconds, 20e-6 * (double)reply.calls);
	child_stop(child);
}

Test(timing, a_stream_ends_where_a_call_fails)
{
	build_solution("extern int cudaTestCode; static int calls;"
				   "if (++calls == 30) cudaTestCode = 700; cudaTestLaunch(100000);");
	struct child *child = begin_case();
	const struct contestant_reply reply = stream(child, 20, 7, 1);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	cr_expect_eq(reply.status, RUN_DEVICE_ERROR);
	cr_expect_eq(reply.error_code, 700);
	cr_expect_lt(reply.seconds, 10);
	child_stop(child);
}

Test(timing, no_stream_is_made_of_sets_that_are_not_there)
{
	build_solution("cudaTestLaunch(1000);");
	struct child *child = begin_case();
	const struct contestant_reply reply = stream(child, 0.01, SETS, 1);
	cr_expect_not(reply.head.ok);
	cr_expect_str_eq(reply.head.error, "a stream of 0.01 s beside set 200: there are 200 sets");
	cr_expect_not(stream(child, STREAM_SECONDS_MAX + 1, 7, 1).head.ok);
	cr_expect_not(stream(child, NAN, 7, 1).head.ok);
	cr_expect(stream(child, 0.01, SETS - 1, 1).head.ok);
	child_stop(child);
}

Test(timing, says_when_there_is_no_cupti)
{
	build_solution("cudaTestLaunch(1000);");
	build("libcupti.so.13", "int nothing;\n", "");
	struct child *child = begin_case();
	struct contestant_time_reply *reply = measure(child, TIME_SPAN, 0, 3);
	cr_assert_not(reply->head.ok);
	cr_assert_not_null(strstr(reply->head.error, "libcupti.so.13"), "%s", reply->head.error);
	child_stop(child);
}

/* The contestant on a runtime made for these tests: device memory is malloc's, and errors come when
 * a solution asks for them. Solutions are C compiled by gcc. Of test_contestant*.c. */
#ifndef GEMMJUDGE_TESTS_CONTESTANT_FIXTURE_H
#define GEMMJUDGE_TESTS_CONTESTANT_FIXTURE_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "process/child.h"
#include "process/jail.h"
#include "process/protocol.h"

static const char *const runtime_source =
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"static int error, allocated, from_host;\n"
	"static float arena[32768] = {[16384 + 1024] = 7.0f}; /* A[0] of set 1 */\n"
	"struct handle { char bytes[64]; };\n"
	"int cudaIpcOpenMemHandle(void **p, struct handle h, unsigned flags)\n"
	"{ *p = arena; return 0; }\n"
	"int cudaIpcCloseMemHandle(void *p) { return 0; }\n"
	"int cudaTestFromHost(void) { return from_host; }\n"
	"void cudaTestFail(int code) { error = code; }\n"
	"int cudaTestAllocated(void) { return allocated; }\n"
	"static int checked;\n"
	"int cudaTestChecked(void) { return checked; }\n"
	"int cudaSetDevice(int d)\n"
	"{ checked = getenv(\"EMULATED_GPU_CHECK\") != 0; return d == 0 ? 0 : 101; }\n"
	"int cudaEmulatedCounters(char *at, size_t n) { memcpy(at, \"{}\", 3); return 0; }\n"
	"int cudaMalloc(void **p, size_t n) { allocated++; return (*p = malloc(n)) ? 0 : 2; }\n"
	"int cudaFree(void *p) { allocated -= p != 0; free(p); return 0; }\n"
	"int cudaMemcpy(void *to, const void *from, size_t n, int kind)\n"
	"{ from_host += kind == 1; memcpy(to, from, n); return 0; }\n"
	"int cudaDeviceSynchronize(void) { return error; }\n"
	"int cudaGetLastError(void) { return 0; }\n"
	"const char *cudaGetErrorName(int e) { return e == 700 ? \"cudaErrorIllegalAddress\" : \"?\"; "
	"}\n"
	"const char *cudaGetErrorString(int e) { return e == 700 ? \"illegal\" : \"other\"; }\n";

static char folder[64];

static const char *path_of(const char *name)
{
	static char path[PATHS_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* Compiles C source to FOLDER/name. */
static inline void build(const char *name, const char *source, const char *flags)
{
	char command[2 * PATHS_MAX];
	FILE *file = fopen(path_of("source.c"), "w");
	fputs(source, file);
	fclose(file);
	snprintf(command, sizeof command, "gcc -w -shared -fPIC -o %s/%s %s/source.c %s", folder, name,
			 folder, flags);
	cr_assert_eq(system(command), 0, "%s", command);
}

static inline void build_solution(const char *source)
{
	char flags[256];
	snprintf(flags, sizeof flags, "-Wl,--no-as-needed -L%s -l:libcudart.so.13", folder);
	build("solution.so", source, flags);
}

static inline void begin(void)
{
	strcpy(folder, "/tmp/test_contestant.XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	build("libcudart.so.13", runtime_source, "-Wl,-soname,libcudart.so.13");
}

static inline int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *walk)
{
	(void)facts, (void)kind, (void)walk;
	return remove(path);
}

static inline void end(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- talking to it ---------------------------------------------------------- */

#define STRIDE 65536
#define SETS 2

struct talk {
	bool takes_more;       /* solutions may follow the first one */
	int settings;          /* their file; 0: none */
	enum device_kind kind; /* DEVICE_CUDA: the arena is the runtime's own; a tool looks on */
	struct child *child;
	int memory; /* the arena */
	unsigned char *arena;
	struct child_result result; /* of the last exchange */
	struct contestant_reply reply;
	struct contestant_open_reply opened;
};

static inline void exchange(struct talk *talk, const void *request, size_t bytes, int fd,
							double seconds)
{
	struct child_exchange exchange = {.request = request,
									  .request_bytes = bytes,
									  .request_fd = fd,
									  .reply = &talk->reply,
									  .reply_capacity = sizeof talk->reply,
									  .seconds = seconds};
	memset(&talk->reply, 0, sizeof talk->reply);
	talk->result = child_call(talk->child, &exchange);
}

static inline struct talk begin_talk(enum device_kind kind)
{
	struct talk talk = {.kind = kind};
	struct error err = {{0}};
	char build_folder[PATHS_MAX], program[PATHS_MAX], variable[128];
	cr_assert(paths_build(build_folder, &err), "%s", err.message);
	cr_assert(paths_join(program, build_folder, "libexec/contestant", &err));
	snprintf(variable, sizeof variable, "LD_LIBRARY_PATH=%s", folder);
	const char *argv[] = {program, NULL}, *environment[] = {variable, NULL};
	talk.child = child_start(&(struct child_options){.argv = argv, .setenv = environment}, &err);
	cr_assert_not_null(talk.child, "%s", err.message);
	talk.memory = memfd_create("arena", MFD_CLOEXEC);
	cr_assert_eq(ftruncate(talk.memory, SETS * STRIDE), 0);
	talk.arena = mmap(NULL, SETS * STRIDE, PROT_READ | PROT_WRITE, MAP_SHARED, talk.memory, 0);
	return talk;
}

static inline void end_talk(struct talk *talk)
{
	child_stop(talk->child);
	munmap(talk->arena, SETS * STRIDE);
	close(talk->memory);
}

static inline void open_device(struct talk *talk, bool libraries, unsigned layers)
{
	struct contestant_open request = {.head.type = MESSAGE_CONTESTANT_OPEN,
									  .device.kind = talk->kind,
									  .layers = layers,
									  .under_tool = talk->kind == DEVICE_CUDA,
									  .libraries_allowed = libraries};
	struct child_exchange exchange = CHILD_EXCHANGE(request, talk->opened);
	exchange.seconds = 20;
	snprintf(request.device.runtime_folder, sizeof request.device.runtime_folder, "%s", folder);
	snprintf(request.solution, sizeof request.solution, "%s", path_of("solution.so"));
	if (talk->takes_more)
		snprintf(request.library_folder, sizeof request.library_folder, "%s", folder);
	request.counts = talk->settings > 0;
	exchange.request_fd = talk->settings > 0 ? talk->settings : -1;
	talk->result = child_call(talk->child, &exchange);
}

static inline void load_file(struct talk *talk, const char *name, const char *problem)
{
	struct contestant_load request = {.head.type = MESSAGE_CONTESTANT_LOAD};
	snprintf(request.solution, sizeof request.solution, "%s", path_of(name));
	snprintf(request.problem, sizeof request.problem, "%s", problem);
	exchange(talk, &request, sizeof request, -1, 20);
}

static inline void load_solution(struct talk *talk, const char *problem)
{
	load_file(talk, "solution.so", problem);
}

/* Not closed in: what the contestant itself sees is looked at. */
static inline void open_solution(struct talk *talk, const char *problem, bool libraries)
{
	open_device(talk, libraries, 0);
	cr_assert(talk->opened.head.ok, "%s", talk->opened.head.error);
	cr_assert_eq(talk->opened.layers, 0);
	load_solution(talk, problem);
}

/* M = 2, N = 3, K = 5, in a batch of 7 with groups of 4; scalars are 1.5, 0.5, then 3 to 8. */
static inline void send_case(struct talk *talk)
{
	struct contestant_case request = {
		.head.type = MESSAGE_CONTESTANT_CASE,
		.test.shape
			.size = {[SIZE_BATCH] = 7, [SIZE_M] = 2, [SIZE_N] = 3, [SIZE_K] = 5, [SIZE_GROUP] = 4},
		.test.scalar = {[SCALAR_ALPHA] = 1.5f,
						[SCALAR_BETA] = 0.5f,
						[SCALAR_SCALE_LEFT] = 3,
						[SCALAR_SCALE_RIGHT] = 4,
						[SCALAR_SCALE_RESULT] = 5,
						[SCALAR_ZERO_LEFT] = -6,
						[SCALAR_ZERO_RIGHT] = 7,
						[SCALAR_ZERO_RESULT] = 8},
		.arena = {.bytes = SETS * STRIDE,
				  .set_stride = STRIDE,
				  .sets = SETS,
				  .count = 3,
				  .buffers = {{.offset = 4096, .bytes = 40},
							  {.offset = 16384, .bytes = 60},
							  {.offset = 32768, .bytes = 24}}}};
	exchange(talk, &request, sizeof request, talk->kind == DEVICE_CUDA ? -1 : talk->memory, 20);
}

static inline void run_set(struct talk *talk, uint32_t set, double seconds)
{
	struct contestant_run request = {.head.type = MESSAGE_CONTESTANT_RUN, .set = set};
	exchange(talk, &request, sizeof request, -1, seconds);
}

/* Opens the solution, sends a case and runs it once; the replies before the last
 * one must be good. */
static inline struct talk run_once_on(enum device_kind kind, const char *source, double seconds)
{
	build_solution(source);
	struct talk talk = begin_talk(kind);
	open_solution(&talk, "sgemm", false);
	cr_assert_eq(talk.result.outcome, CHILD_REPLIED);
	cr_assert(talk.reply.head.ok, "%s", talk.reply.head.error);
	cr_assert_eq(talk.reply.status, RUN_OK, "%s", talk.reply.error_text);
	send_case(&talk);
	cr_assert_eq(talk.result.outcome, CHILD_REPLIED);
	cr_assert(talk.reply.head.ok, "%s", talk.reply.head.error);
	run_set(&talk, 1, seconds);
	return talk;
}

static inline struct talk run_once(const char *source, double seconds)
{
	return run_once_on(DEVICE_EMULATED, source, seconds);
}

#endif

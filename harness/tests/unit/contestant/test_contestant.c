/* links: jail judgement process digest testcases base; timeout: 300 */
/* The contestant on a runtime made for this test: device memory is malloc's, and
 * errors come when a solution asks for them. Solutions are C compiled by gcc. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
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
	"int cudaSetDevice(int d) { return d == 0 ? 0 : 101; }\n"
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
static void build(const char *name, const char *source, const char *flags)
{
	char command[2 * PATHS_MAX];
	FILE *file = fopen(path_of("source.c"), "w");
	fputs(source, file);
	fclose(file);
	snprintf(command, sizeof command, "gcc -w -shared -fPIC -o %s/%s %s/source.c %s", folder, name,
			 folder, flags);
	cr_assert_eq(system(command), 0, "%s", command);
}

static void build_solution(const char *source)
{
	char flags[256];
	snprintf(flags, sizeof flags, "-Wl,--no-as-needed -L%s -l:libcudart.so.13", folder);
	build("solution.so", source, flags);
}

static void begin(void)
{
	strcpy(folder, "/tmp/test_contestant.XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	build("libcudart.so.13", runtime_source, "-Wl,-soname,libcudart.so.13");
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

TestSuite(contestant, .init = begin, .fini = end);

/* ---- talking to it ---------------------------------------------------------- */

#define STRIDE 65536
#define SETS 2

struct talk {
	bool takes_more;       /* solutions may follow the first one */
	bool counts;           /* into folder/counters */
	enum device_kind kind; /* DEVICE_CUDA: the arena is the runtime's own; a tool looks on */
	struct child *child;
	int memory; /* the arena */
	unsigned char *arena;
	struct child_result result; /* of the last exchange */
	struct contestant_reply reply;
	struct contestant_open_reply opened;
};

static void exchange(struct talk *talk, const void *request, size_t bytes, int fd, double seconds)
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

static struct talk begin_talk(enum device_kind kind)
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

static void end_talk(struct talk *talk)
{
	child_stop(talk->child);
	munmap(talk->arena, SETS * STRIDE);
	close(talk->memory);
}

static void open_device(struct talk *talk, bool libraries, unsigned layers)
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
	if (talk->counts)
		snprintf(request.counters, sizeof request.counters, "%s", path_of("counters"));
	talk->result = child_call(talk->child, &exchange);
}

static void load_file(struct talk *talk, const char *name, const char *problem)
{
	struct contestant_load request = {.head.type = MESSAGE_CONTESTANT_LOAD};
	snprintf(request.solution, sizeof request.solution, "%s", path_of(name));
	snprintf(request.problem, sizeof request.problem, "%s", problem);
	exchange(talk, &request, sizeof request, -1, 20);
}

static void load_solution(struct talk *talk, const char *problem)
{
	load_file(talk, "solution.so", problem);
}

/* Not closed in: what the contestant itself sees is looked at. */
static void open_solution(struct talk *talk, const char *problem, bool libraries)
{
	open_device(talk, libraries, 0);
	cr_assert(talk->opened.head.ok, "%s", talk->opened.head.error);
	cr_assert_eq(talk->opened.layers, 0);
	load_solution(talk, problem);
}

/* M = 2, N = 3, K = 5, in a batch of 7 with groups of 4; scalars are 1.5, 0.5, then 3 to 8. */
static void send_case(struct talk *talk)
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

static void run_set(struct talk *talk, uint32_t set, double seconds)
{
	struct contestant_run request = {.head.type = MESSAGE_CONTESTANT_RUN, .set = set};
	exchange(talk, &request, sizeof request, -1, seconds);
}

/* Opens the solution, sends a case and runs it once; the replies before the last
 * one must be good. */
static struct talk run_once_on(enum device_kind kind, const char *source, double seconds)
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

static struct talk run_once(const char *source, double seconds)
{
	return run_once_on(DEVICE_EMULATED, source, seconds);
}

/* ---- tests ------------------------------------------------------------------ */

Test(contestant, calls_solve_on_the_buffers_of_a_set)
{
	struct talk talk = run_once(
		"#include <stdio.h>\n"
		"void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,\n"
		"           float beta)\n"
		"{ printf(\"%d %d %d\\n\", M, N, K);\n"
		"  C[0] = alpha; C[1] = beta; C[2] += A[0] + B[0]; C[3] = cudaTestAllocated(); }\n",
		10);
	float *c = (float *)(talk.arena + STRIDE + 32768);
	cr_assert_eq(talk.reply.status, RUN_OK);
	cr_assert_eq(c[0], 1.5f);
	cr_assert_eq(c[1], 0.5f);
	cr_assert_eq(c[3], 3.0f);
	cr_assert_str_eq(child_output(talk.child), "2 3 5\n");

	/* C is read as it is in the arena, and nothing is left allocated. */
	*(float *)(talk.arena + STRIDE + 4096) = 1.0f;
	*(float *)(talk.arena + STRIDE + 16384) = 2.0f;
	c[2] = 10.0f;
	run_set(&talk, 1, 10);
	cr_assert_eq(c[2], 13.0f);
	cr_assert_eq(c[3], 3.0f);
	cr_assert_eq(*(float *)(talk.arena + 32768), 0.0f, "the other set");
	end_talk(&talk);
}

/* One after the other in a closed process, each with its own state; a case belongs to one of them.
 */
Test(contestant, loads_the_next_sets_where_they_are_announced)
{
	build_solution("static int calls;\nvoid solve(const float *A, const float *B, float *C) { C[0] "
				   "= 10 + ++calls; }\n");
	char other[PATHS_MAX];
	snprintf(other, sizeof other, "%s", path_of("other.so"));
	cr_assert_eq(rename(path_of("solution.so"), other), 0);
	build_solution("static int calls;\nvoid solve(const float *A, const float *B, float *C) { C[0] "
				   "= 20 + ++calls; }\n");
	for (int more = 0; more < 2; more++) {
		struct talk talk = begin_talk(DEVICE_EMULATED);
		float *c = (float *)(talk.arena + STRIDE + 32768);
		talk.takes_more = more == 1;
		open_device(&talk, false, LAYER_SOLUTION);
		load_solution(&talk, "sgemm");
		send_case(&talk);
		run_set(&talk, 1, 10);
		run_set(&talk, 1, 10);
		cr_assert_eq(c[0], 22.0f);
		load_file(&talk, "other.so", "sgemm");
		cr_assert(talk.reply.head.ok == talk.takes_more, "%s", talk.reply.head.error);
		if (more == 1) {
			cr_assert_eq(talk.reply.status, RUN_OK, "%s", talk.reply.error_text);
			run_set(&talk, 1, 10);
			cr_assert_str_eq(talk.reply.head.error, "no case yet");
			send_case(&talk);
		}
		run_set(&talk, 1, 10);
		cr_assert_eq(c[0], more == 1 ? 11.0f : 23.0f);
		end_talk(&talk);
	}
}

/* Tools that track what was written know nothing of the referee's writes. */
Test(contestant, fills_operands_from_the_host_under_a_tool)
{
	struct talk talk = run_once_on(
		DEVICE_CUDA,
		"void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha,\n"
		"           float beta)\n"
		"{ if (A[0] != 7.0f || cudaTestFromHost() != 3 || cudaTestAllocated() != 3)\n"
		"    cudaTestFail(700); }\n",
		10);
	cr_assert_eq(talk.reply.status, RUN_OK, "%s", talk.reply.error_text);
	end_talk(&talk);
}

/* What a solve() of this problem, which prints its arguments, says. */
static void passes(const char *problem, const char *source, const char *says)
{
	build_solution(source);
	struct talk talk = begin_talk(DEVICE_EMULATED);
	open_solution(&talk, problem, false);
	send_case(&talk);
	run_set(&talk, 0, 10);
	cr_assert_eq(talk.reply.status, RUN_OK);
	cr_assert_str_eq(child_output(talk.child), says, "%s: %s", problem, child_output(talk.child));
	end_talk(&talk);
}

#define PRINTING "#include <stdio.h>\n#include <stdint.h>\nvoid solve("

Test(contestant, gives_sizes_in_the_problems_order)
{
	static const char product[] =
		PRINTING "const float *A, const float *B, float *C, int M, int N, int K)\n"
				 "{ printf(\"%d %d %d\", M, N, K); }\n";
	passes("minplus-f32", product, "2 3 5");
	passes("matmul-f32", product, "2 5 3"); /* its N is summed over, its K the width */
	passes("gemv-f32",
		   PRINTING "const float *A, const float *x, float *y, int M, int N)\n"
					"{ printf(\"%d %d\", M, N); }\n",
		   "2 5");
	passes("batched-f32",
		   PRINTING "const float *A, const float *B, float *C, int BATCH, int M, int N, int K)\n"
					"{ printf(\"%d %d %d %d\", BATCH, M, N, K); }\n",
		   "7 2 3 5");
}

/* More arguments than registers take, integers and floats mixed. */
Test(contestant, gives_scalars_in_the_problems_order)
{
	passes("gemm-s8",
		   PRINTING "const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K,\n"
					"  float a, float b, float c, int za, int zb, int zc)\n"
					"{ printf(\"%d %d %d %g %g %g %d %d %d\", M, N, K, a, b, c, za, zb, zc); }\n",
		   "2 3 5 3 4 5 -6 7 8");
	passes("gemm-e4m3",
		   PRINTING
		   "const char *A, const char *B, short *C, int M, int N, int K, float a, float b)\n"
		   "{ printf(\"%d %d %d %g %g\", M, N, K, a, b); }\n",
		   "2 3 5 3 4");
	passes("gemm-w4",
		   PRINTING "const short *x, const uint8_t *w_q, const short *scales, short *y, int M,\n"
					"  int N, int K, int group_size)\n"
					"{ printf(\"%d %d %d %d\", M, N, K, group_size); }\n",
		   "2 3 5 4");
}

Test(contestant, tells_device_errors_from_missing_support)
{
	struct talk talk = run_once("void solve(void) { cudaTestFail(700); }\n", 10);
	cr_assert_eq(talk.reply.status, RUN_DEVICE_ERROR);
	cr_assert_eq(talk.reply.error_code, 700);
	cr_assert_str_eq(talk.reply.error_name, "cudaErrorIllegalAddress");
	cr_assert_str_eq(talk.reply.error_text, "illegal");
	end_talk(&talk);
	talk = run_once("void solve(void) { cudaTestFail(209); }\n", 10);
	cr_assert_eq(talk.reply.status, RUN_UNSUPPORTED);
	end_talk(&talk);
}

Test(contestant, reports_what_cannot_be_loaded)
{
	struct talk talk = begin_talk(DEVICE_EMULATED);
	build_solution("void solve(void) { cublasGemmEx(); }\n");
	open_solution(&talk, "sgemm", false);
	cr_assert_eq(talk.reply.status, RUN_UNLOADABLE);
	cr_assert_str_eq(talk.reply.error_text, "undefined symbol: cublasGemmEx");
	end_talk(&talk);

	talk = begin_talk(DEVICE_EMULATED);
	build_solution("void solve(void) { cudaSomethingNew(); }\n");
	open_solution(&talk, "sgemm", false);
	cr_assert_eq(talk.reply.status, RUN_UNSUPPORTED);
	cr_assert_str_eq(talk.reply.error_text, "the runtime of this device has no cudaSomethingNew");
	end_talk(&talk);

	talk = begin_talk(DEVICE_EMULATED);
	build_solution("void resolve(void) { }\n");
	open_solution(&talk, "sgemm", false);
	cr_assert_eq(talk.reply.status, RUN_NO_SOLVE);
	end_talk(&talk);
}

Test(contestant, finds_a_library_loaded_by_stealth)
{
	char source[PATHS_MAX + 200];
	build("libcublas.so.13", "int cublasCreate_v2(void *p) { return 0; }\n", "");
	snprintf(source, sizeof source,
			 "#include <dlfcn.h>\nvoid solve(void) { dlopen(\"%s\", RTLD_NOW); }\n",
			 path_of("libcublas.so.13"));
	struct talk talk = run_once(source, 10);
	cr_assert_eq(talk.reply.status, RUN_FORBIDDEN_LIBRARY);
	cr_assert_not_null(strstr(talk.reply.error_text, "libcublas.so.13"));
	end_talk(&talk);

	talk = begin_talk(DEVICE_EMULATED);
	open_solution(&talk, "sgemm", true);
	send_case(&talk);
	run_set(&talk, 0, 10);
	cr_assert_eq(talk.reply.status, RUN_OK, "a baseline may");
	end_talk(&talk);
}

/* Somebody else's: here the runtime's; with LD_PRELOAD the user's. */
Test(contestant, blames_nobody_for_what_was_there_before)
{
	char flags[256];
	build("libcublas.so.13", "int cublasCreate_v2(void *p) { return 0; }\n", "");
	snprintf(flags, sizeof flags,
			 "-Wl,-soname,libcudart.so.13,--no-as-needed -L%s -l:libcublas.so.13", folder);
	build("libcudart.so.13", runtime_source, flags);
	build_solution("void solve(void) { cublasCreate_v2(0); }\n");
	struct talk talk = begin_talk(DEVICE_EMULATED);
	open_solution(&talk, "sgemm", false);
	send_case(&talk);
	run_set(&talk, 0, 10);
	cr_assert_eq(talk.reply.status, RUN_OK, "%s", talk.reply.error_text);
	end_talk(&talk);
}

/* The reply to OPEN comes before the solution's first instruction, which is inside. */
Test(contestant, closes_itself_before_the_solution)
{
	char text[LAYERS_TEXT];
	build_solution("#include <fcntl.h>\n#include <errno.h>\n#include <unistd.h>\n"
				   "static int file, child;\n"
				   "__attribute__((constructor)) static void begin(void)\n"
				   "{ file = open(\"/etc/passwd\", O_RDONLY) >= 0; child = fork();\n"
				   "  if (child == 0) _exit(0); }\n"
				   "void solve(void) { if (file || child > 0) cudaTestFail(700); }\n");
	struct talk talk = begin_talk(DEVICE_EMULATED);
	open_device(&talk, false, LAYER_SOLUTION);
	cr_assert(talk.opened.head.ok, "%s", talk.opened.head.error);
	if ((talk.opened.layers & (LAYER_FILES | LAYER_CALLS)) != (LAYER_FILES | LAYER_CALLS))
		cr_skip_test("this machine has %s: %s", layers_print(talk.opened.layers, text),
					 talk.opened.unavailable);
	load_solution(&talk, "sgemm");
	cr_assert_eq(talk.reply.status, RUN_OK, "%s", talk.reply.error_text);
	send_case(&talk);
	run_set(&talk, 0, 10);
	cr_assert_eq(talk.reply.status, RUN_OK, "%s", talk.reply.error_text);
	end_talk(&talk);
}

Test(contestant, dies_alone_when_solve_does_harm)
{
	struct talk talk =
		run_once("#include <signal.h>\n"
				 "void solve(void) { signal(SIGSEGV, SIG_DFL); *(volatile int *)0 = 1; }\n",
				 10);
	cr_assert_eq(talk.result.outcome, CHILD_SIGNALED);
	end_talk(&talk);
	talk = run_once("#include <stdlib.h>\nvoid solve(void) { exit(0); }\n", 10);
	cr_assert_eq(talk.result.outcome, CHILD_EXITED);
	end_talk(&talk);
	talk = run_once("void solve(void) { for (;;) ; }\n", 0.3);
	cr_assert_eq(talk.result.outcome, CHILD_TIMED_OUT);
	end_talk(&talk);
}

Test(contestant, cannot_be_hung_by_closing_its_channel)
{
	struct talk talk = run_once("#include <unistd.h>\nvoid solve(void) { closefrom(0); }\n", 60);
	cr_assert_neq(talk.result.outcome, CHILD_REPLIED);
	cr_assert_neq(talk.result.outcome, CHILD_TIMED_OUT);
	end_talk(&talk);
	talk = run_once("#include <unistd.h>\nvoid solve(void) { close(3); }\n", 10);
	cr_assert_eq(talk.result.outcome, CHILD_REPLIED, "the channel is not there");
	end_talk(&talk);
}

Test(contestant, refuses_what_makes_no_sense)
{
	struct talk talk = begin_talk(DEVICE_EMULATED);
	run_set(&talk, 0, 10);
	cr_assert_not(talk.reply.head.ok);
	cr_assert_str_eq(talk.reply.head.error, "no solution yet");
	build_solution("void solve(void) { }\n");
	load_solution(&talk, "sgemm");
	cr_assert_not(talk.reply.head.ok);
	cr_assert_str_eq(talk.reply.head.error, "not opened yet");
	open_solution(&talk, "gemm-f17", false);
	cr_assert_not(talk.reply.head.ok);
	open_device(&talk, false, 0);
	cr_assert_not(talk.opened.head.ok, "twice");
	load_solution(&talk, "sgemm");
	cr_assert(talk.reply.head.ok);
	load_solution(&talk, "sgemm");
	cr_assert_not(talk.reply.head.ok, "twice");
	run_set(&talk, 0, 10);
	cr_assert_not(talk.reply.head.ok);
	send_case(&talk);
	run_set(&talk, SETS, 10);
	cr_assert_not(talk.reply.head.ok);
	struct contestant_case outside = {.head.type = MESSAGE_CONTESTANT_CASE,
									  .arena = {.bytes = SETS * STRIDE,
												.set_stride = STRIDE,
												.sets = SETS,
												.count = 1,
												.buffers = {{.offset = STRIDE, .bytes = 1}}}};
	exchange(&talk, &outside, sizeof outside, talk.memory, 10);
	cr_assert_not(talk.reply.head.ok);
	send_case(&talk);
	struct contestant_time time = {.head.type = MESSAGE_CONTESTANT_TIME, .calls = 1};
	exchange(&talk, &time, sizeof time, -1, 10);
	cr_assert_not(talk.reply.head.ok);
	cr_assert_str_eq(talk.reply.head.error, "the emulated GPU has no time");
	struct message unknown = {.type = 12345};
	exchange(&talk, &unknown, sizeof unknown, -1, 10);
	cr_assert_not(talk.reply.head.ok);
	run_set(&talk, 0, 10);
	cr_assert(talk.reply.head.ok, "and goes on");
	end_talk(&talk);
}

/* ---- sealed calls ------------------------------------------------------------- */

#define GROUP 4 /* sets */

static const struct arena sealed_arena = {.bytes = GROUP * STRIDE,
										  .set_stride = STRIDE,
										  .sets = GROUP,
										  .count = 3,
										  .buffers = {{.offset = 4096, .bytes = 40},
													  {.offset = 16384, .bytes = 60},
													  {.offset = 32768, .bytes = 24}}};

/* Adds A[0] to C, in which the digests of two sets then differ. */
static const char adding[] =
	"void solve(const float *A, const float *B, float *C) { C[0] += A[0]; C[5] = 1; }\n";

/* M = 2, N = 3, K = 5. */
static void send_sealed(struct talk *talk, const struct arena *arena)
{
	struct contestant_sealed request = {.head.type = MESSAGE_CONTESTANT_SEALED,
										.arena = *arena,
										.test.shape.size = {[SIZE_BATCH] = 1, 2, 3, 5, 1},
										.outputs = 1 << 2};
	exchange(talk, &request, sizeof request, -1, 10);
}

static void send_go(struct talk *talk, int fd)
{
	struct contestant_go request = {.head.type = MESSAGE_CONTESTANT_GO};
	exchange(talk, &request, sizeof request, fd, 10);
}

static void send_end(struct talk *talk)
{
	struct contestant_end request = {.head.type = MESSAGE_CONTESTANT_END};
	exchange(talk, &request, sizeof request, -1, 10);
}

static struct contestant_call_reply send_call(struct talk *talk, uint32_t set)
{
	struct contestant_call request = {.head.type = MESSAGE_CONTESTANT_CALL, .set = set};
	struct contestant_call_reply reply = {.head.ok = 0};
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	exchange.seconds = 10;
	talk->result = child_call(talk->child, &exchange);
	cr_assert_eq(talk->result.outcome, CHILD_REPLIED);
	return reply;
}

/* A group of sets, A[0] of set i being `first` + i. */
struct group {
	int fd;
	unsigned char *memory;
};

static struct group group_make(float first)
{
	struct group group = {.fd = memfd_create("group", MFD_CLOEXEC)};
	cr_assert_eq(ftruncate(group.fd, GROUP * STRIDE), 0);
	group.memory = mmap(NULL, GROUP * STRIDE, PROT_READ | PROT_WRITE, MAP_SHARED, group.fd, 0);
	cr_assert_neq(group.memory, MAP_FAILED);
	for (int i = 0; i < GROUP; i++)
		*(float *)(group.memory + i * STRIDE + 4096) = first + (float)i;
	return group;
}

static void group_free(struct group *group)
{
	munmap(group->memory, GROUP * STRIDE);
	close(group->fd);
}

static float *result_in(const struct group *group, uint32_t set)
{
	return (float *)(group->memory + set * STRIDE + 32768);
}

/* The reply has the digest of what is in C, and no other one. */
static void is_digest(const struct contestant_call_reply *reply, const struct group *group,
					  uint32_t set)
{
	struct digest want, none = {{0}};
	cr_assert(reply->head.ok, "%s", reply->head.error);
	cr_assert(digest_of(result_in(group, set), 24, &want));
	cr_assert_eq(memcmp(&reply->digests[2], &want, sizeof want), 0, "set %u", set);
	for (int i = 0; i < BUFFERS_MAX; i++)
		cr_assert(i == 2 || memcmp(&reply->digests[i], &none, sizeof none) == 0, "buffer %d", i);
}

static void refused(struct message reply, const char *why)
{
	cr_assert_not(reply.ok);
	cr_assert_str_eq(reply.error, why);
}

static struct talk begin_sealed(const char *source)
{
	build_solution(source);
	struct talk talk = begin_talk(DEVICE_EMULATED);
	open_solution(&talk, "sgemm", false);
	cr_assert(talk.opened.sealed && talk.opened.unsealed[0] == '\0');
	send_sealed(&talk, &sealed_arena);
	cr_assert(talk.reply.head.ok, "%s", talk.reply.head.error);
	return talk;
}

Test(contestant, answers_sealed_calls_with_the_digests_of_outputs)
{
	struct talk talk = begin_sealed(adding);
	for (int i = 0; i < 2; i++) {
		static const uint32_t sets[] = {3, 0, 3};
		struct group group = group_make(10.0f * (float)(i + 1));
		send_go(&talk, group.fd);
		cr_assert(talk.reply.head.ok, "%s", talk.reply.head.error);
		for (int j = 0; j < 3; j++) {
			struct contestant_call_reply reply = send_call(&talk, sets[j]);
			is_digest(&reply, &group, sets[j]);
		}
		cr_assert_eq(result_in(&group, 3)[0], 2 * (10.0f * (float)(i + 1) + 3));
		cr_assert_eq(result_in(&group, 0)[0], 10.0f * (float)(i + 1));
		cr_assert_eq(result_in(&group, 1)[5], 0.0f, "a set that was not called");
		send_end(&talk);
		cr_assert(talk.reply.head.ok && talk.reply.status == RUN_OK, "%s", talk.reply.error_text);
		group_free(&group);
	}
	end_talk(&talk);
}

#define NO_SET "a sealed call on a set that there is not"

Test(contestant, refuses_sealed_calls_out_of_order)
{
	build_solution(adding);
	struct talk talk = begin_talk(DEVICE_EMULATED);
	struct group group = group_make(1.0f);
	send_sealed(&talk, &sealed_arena);
	refused(talk.reply.head, "no solution yet");
	open_solution(&talk, "sgemm", false);
	send_go(&talk, group.fd);
	refused(talk.reply.head, "a sealed call that was not prepared");
	refused(send_call(&talk, 0).head, NO_SET);
	send_end(&talk); /* of nothing */
	cr_assert(talk.reply.head.ok && talk.reply.status == RUN_OK);
	send_sealed(&talk, &sealed_arena);
	cr_assert(talk.reply.head.ok, "%s", talk.reply.head.error);
	refused(send_call(&talk, 0).head, NO_SET); /* before GO */
	send_go(&talk, group.fd);
	refused(send_call(&talk, GROUP).head, NO_SET);
	refused(send_call(&talk, UINT32_MAX).head, NO_SET);
	struct contestant_call_reply reply = send_call(&talk, 2);
	is_digest(&reply, &group, 2);
	run_set(&talk, 0, 10);
	refused(talk.reply.head, "no case yet");
	send_end(&talk);
	cr_assert(talk.reply.head.ok && talk.reply.status == RUN_OK);
	refused(send_call(&talk, 2).head, NO_SET); /* after END */
	send_case(&talk);
	run_set(&talk, 0, 10);
	cr_assert(talk.reply.head.ok && talk.reply.status == RUN_OK, "plain calls go on");
	group_free(&group);
	end_talk(&talk);
}

Test(contestant, a_second_go_takes_the_place_of_the_first)
{
	struct talk talk = begin_sealed(adding);
	struct group first = group_make(1.0f), second = group_make(100.0f);
	send_go(&talk, first.fd);
	send_go(&talk, second.fd);
	cr_assert(talk.reply.head.ok, "%s", talk.reply.head.error);
	struct contestant_call_reply reply = send_call(&talk, 1);
	is_digest(&reply, &second, 1);
	cr_assert_eq(result_in(&second, 1)[0], 101.0f);
	cr_assert_eq(result_in(&first, 1)[0], 0.0f);
	send_end(&talk);
	cr_assert(talk.reply.head.ok && talk.reply.status == RUN_OK);
	send_end(&talk); /* twice */
	cr_assert(talk.reply.head.ok && talk.reply.status == RUN_OK);
	group_free(&first);
	group_free(&second);
	end_talk(&talk);
}

Test(contestant, a_go_without_its_memory_is_told_at_the_end)
{
	struct talk talk = begin_sealed(adding);
	int small = memfd_create("small", MFD_CLOEXEC);
	cr_assert_eq(ftruncate(small, STRIDE), 0);
	const int fds[] = {-1, small};
	for (int i = 0; i < 2; i++) {
		send_go(&talk, fds[i]);
		refused(send_call(&talk, 0).head, NO_SET);
		send_end(&talk);
		cr_assert(talk.reply.head.ok && talk.reply.status == RUN_DEVICE_ERROR);
	}
	struct group group = group_make(1.0f);
	send_go(&talk, group.fd);
	struct contestant_call_reply reply = send_call(&talk, 0);
	is_digest(&reply, &group, 0);
	send_end(&talk);
	cr_assert_eq(talk.reply.status, RUN_OK, "and the next group has forgotten it");
	group_free(&group);
	close(small);
	end_talk(&talk);
}

Test(contestant, refuses_sealed_cases_that_are_not_sound)
{
	static const char outside[] = "the buffers of the case lie outside of their arena";
	struct talk talk = begin_sealed(adding);
	struct arena arena = sealed_arena;
	arena.buffers[2].offset = STRIDE - 8;
	send_sealed(&talk, &arena);
	refused(talk.reply.head, outside);
	arena = sealed_arena;
	arena.sets = 0;
	send_sealed(&talk, &arena);
	refused(talk.reply.head, outside);
	arena = sealed_arena;
	arena.sets = GROUP + 1;
	send_sealed(&talk, &arena);
	refused(talk.reply.head, outside);
	arena = sealed_arena;
	arena.count = BUFFERS_MAX + 1;
	send_sealed(&talk, &arena);
	refused(talk.reply.head, outside);
	struct contestant_sealed chained = {.head.type = MESSAGE_CONTESTANT_SEALED,
										.arena = sealed_arena,
										.chain.count = CHAIN_STAGES_MAX + 1};
	exchange(&talk, &chained, sizeof chained, -1, 10);
	refused(talk.reply.head, "an epilogue that does not fit the solution");
	send_sealed(&talk, &sealed_arena);
	cr_assert(talk.reply.head.ok, "%s", talk.reply.head.error);
	end_talk(&talk);
}

/* The reply to the call is of one form whatever became of it; END tells, of the first fault. */
Test(contestant, tells_at_the_end_what_became_of_sealed_calls)
{
	struct talk talk =
		begin_sealed("void solve(const float *A) { cudaTestFail(A[0] == 2 ? 700 : 0); }\n");
	struct group group = group_make(1.0f);
	send_go(&talk, group.fd);
	cr_assert(send_call(&talk, 0).head.ok);
	cr_assert(send_call(&talk, 1).head.ok); /* A[0] is 2 */
	cr_assert(send_call(&talk, 2).head.ok);
	send_end(&talk);
	cr_assert(talk.reply.head.ok && talk.reply.status == RUN_DEVICE_ERROR);
	cr_assert_eq(talk.reply.error_code, 700);
	cr_assert_str_eq(talk.reply.error_name, "cudaErrorIllegalAddress");
	send_go(&talk, group.fd);
	cr_assert(send_call(&talk, 0).head.ok);
	send_end(&talk);
	cr_assert_eq(talk.reply.status, RUN_OK, "it is the group's");
	group_free(&group);
	end_talk(&talk);
}

Test(contestant, says_when_there_is_no_runtime)
{
	build_solution("void solve(void) { }\n");
	cr_assert_eq(remove(path_of("libcudart.so.13")), 0);
	struct talk talk = begin_talk(DEVICE_EMULATED);
	open_device(&talk, false, 0);
	cr_assert_not(talk.opened.head.ok);
	cr_assert_not_null(strstr(talk.opened.head.error, "libcudart.so.13"), "%s",
					   talk.opened.head.error);
	end_talk(&talk);
}

/* All that its process may write to, while the folder has room. */
Test(contestant, counters_have_one_file)
{
	build_solution("");
	cr_assert_eq(mkdir(path_of("counters"), 0700), 0);
	for (int i = 0; i < 3; i++) {
		struct talk talk = begin_talk(DEVICE_EMULATED);
		talk.counts = true;
		open_device(&talk, false, LAYER_SOLUTION);
		cr_assert(talk.opened.head.ok, "%s", talk.opened.head.error);
		end_talk(&talk);
		size_t files = 0;
		DIR *all = opendir(path_of("counters"));
		for (struct dirent *entry; (entry = readdir(all)) != NULL;)
			files += strstr(entry->d_name, ".json") != NULL;
		closedir(all);
		cr_expect_eq(files, i < 2 ? (size_t)i + 1 : 2, "%zu files of %d processes", files, i + 1);
		if (i < 1)
			continue;
		int fd = open(path_of("counters/full"), O_WRONLY | O_CREAT, 0600);
		cr_assert_eq(ftruncate(fd, (off_t)(COUNTERS_BYTES_ALL - COUNTERS_BYTES) + 1), 0);
		close(fd);
	}
}

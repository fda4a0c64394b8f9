/* links: jail judgement process digest testcases base; timeout: 300 */
/* The contestant by itself: what it does with solutions. */
#define _GNU_SOURCE
#include "contestant_fixture.h"
#include "process/settings.h"

TestSuite(contestant, .init = begin, .fini = end);

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
	struct contestant_stream stream = {.head.type = MESSAGE_CONTESTANT_STREAM, .seconds = 0.01};
	exchange(&talk, &stream, sizeof stream, -1, 10);
	cr_assert_not(talk.reply.head.ok);
	cr_assert_str_eq(talk.reply.head.error, "the emulated GPU has no time");
	struct message unknown = {.type = 12345};
	exchange(&talk, &unknown, sizeof unknown, -1, 10);
	cr_assert_not(talk.reply.head.ok);
	run_set(&talk, 0, 10);
	cr_assert(talk.reply.head.ok, "and goes on");
	end_talk(&talk);
}

/* The runtime has read them, the solution finds none, and what is counted goes into their file. */
Test(contestant, settings_are_gone_before_the_solution)
{
	static const char *const variables[] = {"EMULATED_GPU_CHECK=race", NULL};
	struct error err;
	struct talk talk = begin_talk(DEVICE_EMULATED);
	build_solution(
		"#include <stdlib.h>\n#include <string.h>\nextern char **environ;\n"
		"void solve(const float *A, const float *B, float *C)\n"
		"{ C[0] = cudaTestChecked();\n"
		"  for (char **at = environ; *at; at++) C[1] += strstr(*at, \"EMULATED\") != 0; }\n");
	talk.settings = settings_make(variables, true, &err);
	cr_assert_gt(talk.settings, 0, "%s", err.message);
	open_solution(&talk, "sgemm", false);
	send_case(&talk);
	run_set(&talk, 1, 10);
	const float *c = (float *)(talk.arena + STRIDE + 32768);
	cr_expect_eq(c[0], 1.0f, "the runtime finds it");
	cr_expect_eq(c[1], 0.0f, "the solution does not");
	char *counters = settings_counters(talk.settings);
	cr_assert_not_null(counters);
	cr_expect_str_eq(counters, "{}");
	free(counters);
	close(talk.settings);
	end_talk(&talk);
}

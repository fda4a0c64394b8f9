/* links: referee_core chain testcases base */
/* A stage that the referee has no reference for: it hands out the values that the stage gets, takes
 * what came back, and goes on with the chain. */
#include <criterion/criterion.h>
#include <math.h>

#include "referee_fixture.h"
#include "testcases/values.h"

enum { ROWS = 17, COLUMNS = 19, DEPTH = 21, ELEMENTS = ROWS * COLUMNS };
enum { FIRST = 1, SECOND = 3 }; /* the custom stages of the chain below */

struct custom {
	struct session session;
	const struct problem *problem;
	struct test_case test;
	struct chain chain;
};

/* alpha_beta, a stage of the user's own, bias, another one, relu. */
static struct custom custom_start(void)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	struct chain_files files;
	struct error err = {{0}};
	struct custom custom = {.session = session_start(), .problem = problem_find("sgemm")};
	const float scalars[SCALARS_MAX] = {1, 0.5f};
	uint32_t stages;
	custom.test =
		case_of_shape(custom.problem, &(struct shape){{1, ROWS, COLUMNS, DEPTH, 1}}, scalars, 3);
	cr_assert(paths_source(source, &err) && paths_join(folder, source, "epilogues", &err));
	cr_assert(
		chain_parse("alpha_beta,silu,bias,residual,relu", folder, &custom.chain, &files, &err),
		"%s", err.message);
	custom.chain.stages[FIRST].shipped = custom.chain.stages[SECOND].shipped = 0;
	open_emulated(&custom.session);
	make_chained(&custom.session, custom.problem->name, &custom.test, &custom.chain, 1, &stages);
	cr_assert(stages == (1u << FIRST | 1u << SECOND));
	return custom;
}

/* What the supervisor maps of a stage. */
struct stage_memory {
	struct arena arena;
	uint8_t *memory;
};

static float *stage_buffer(const struct stage_memory *stage, uint32_t buffer, uint32_t set)
{
	return (float *)(stage->memory + set * stage->arena.set_stride +
					 stage->arena.buffers[buffer].offset);
}

static struct stage_memory stage_open(struct custom *custom, uint32_t stage)
{
	struct referee_stage request = {.head.type = MESSAGE_REFEREE_STAGE_OPEN, .stage = stage};
	struct referee_stage_reply reply;
	int fd;
	cr_assert(call(&custom->session, &request, sizeof request, &reply, sizeof reply, &fd) ==
			  sizeof reply);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	cr_assert(fd >= 0 && reply.arena.sets == STAGE_SETS);
	struct stage_memory out = {.arena = reply.arena};
	out.memory = mmap(NULL, reply.arena.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_assert(out.memory != MAP_FAILED);
	cr_assert(ftruncate(fd, 0) != 0, "a contestant could shrink the memory");
	close(fd);
	return out;
}

static struct check_summary stage_close(struct custom *custom, uint32_t stage,
										struct stage_memory *memory)
{
	struct referee_stage request = {.head.type = MESSAGE_REFEREE_STAGE_CLOSE, .stage = stage};
	struct referee_check_reply reply;
	int fd;
	munmap(memory->memory, memory->arena.bytes);
	cr_assert(call(&custom->session, &request, sizeof request, &reply, sizeof reply, &fd) ==
			  sizeof reply);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	return reply.found;
}

static bool is_refused(struct custom *custom, uint32_t type, uint32_t stage)
{
	struct referee_stage request = {.head.type = type, .stage = stage};
	union {
		struct message head;
		struct referee_stage_reply open;
		struct referee_check_reply close;
	} reply;
	int fd;
	call(&custom->session, &request, sizeof request, &reply, sizeof reply, &fd);
	return !reply.head.ok && reply.head.error[0] != '\0' && fd < 0;
}

/* Element of a buffer of the case. */
static float element(const struct custom *custom, uint32_t buffer, uint64_t index)
{
	return ((const float *)buffer_in(&custom->session, buffer, 0))[index];
}

/* Before the first stage of the user's own. */
static float scaled_sum(const struct custom *custom, uint64_t index)
{
	uint64_t row = index / COLUMNS, column = index % COLUMNS;
	float sum = 0;
	for (uint64_t k = 0; k < DEPTH; k++)
		sum = fmaf(element(custom, 0, row * DEPTH + k), element(custom, 1, k * COLUMNS + column),
				   sum);
	struct values before = values_of_operand(custom->problem, &custom->test, custom->test.seed, 2);
	return sum + 0.5f * (float)values_number_at(&before, index);
}

/* The two stages: 3 - x, and x times what residual reads. */
static float first_stage(float x)
{
	return 3 - x;
}

/* Runs the first stage as the supervisor would, on every set. */
static struct stage_memory run_first(struct custom *custom)
{
	struct stage_memory stage = stage_open(custom, FIRST);
	for (uint32_t set = 0; set < STAGE_SETS; set++)
		for (uint64_t i = 0; i < ELEMENTS; i++)
			stage_buffer(&stage, PROBLEM_STAGE_OUT, set)[i] =
				first_stage(stage_buffer(&stage, PROBLEM_STAGE_VALUES, set)[i]);
	return stage;
}

static struct stage_memory run_second(struct custom *custom)
{
	struct stage_memory stage = stage_open(custom, SECOND);
	const uint32_t own = PROBLEM_STAGE_OUT + 1; /* what the stage reads */
	for (uint32_t set = 0; set < STAGE_SETS; set++)
		for (uint64_t i = 0; i < ELEMENTS; i++) {
			float factor = stage_buffer(&stage, own, set)[i];
			cr_assert(factor == element(custom, 4, i), "its input is that of the judged call");
			stage_buffer(&stage, PROBLEM_STAGE_OUT, set)[i] =
				stage_buffer(&stage, PROBLEM_STAGE_VALUES, set)[i] * factor;
		}
	return stage;
}

/* The whole chain, as a fused kernel computes it; `wrong` of the elements leave a stage out. */
static void solve_fused(struct custom *custom, uint64_t wrong)
{
	float *out = (float *)buffer_in(&custom->session, 2, 0);
	for (uint64_t i = 0; i < ELEMENTS; i++) {
		float x = scaled_sum(custom, i);
		x = i < wrong ? x : first_stage(x);
		x = (x + element(custom, 3, i % COLUMNS)) * element(custom, 4, i);
		out[i] = x > 0 ? x : 0;
	}
}

Test(custom, the_stage_gets_the_values_their_least_and_their_most)
{
	struct custom custom = custom_start();
	struct check_summary reply = check_set(&custom.session, 0);
	cr_assert(reply.wrong == 0 && reply.shown == 0, "there is nothing to compare yet");
	struct stage_memory stage = stage_open(&custom, FIRST);
	cr_assert(stage.arena.count == 3); /* X, C, Y: silu reads nothing */
	struct values before = values_of_operand(custom.problem, &custom.test, custom.test.seed, 2);
	for (uint64_t i = 0; i < ELEMENTS; i++) {
		float x[STAGE_SETS], want = scaled_sum(&custom, i);
		for (uint32_t set = 0; set < STAGE_SETS; set++)
			x[set] = stage_buffer(&stage, PROBLEM_STAGE_VALUES, set)[i];
		cr_assert(x[1] <= x[0] && x[0] <= x[2] && x[1] < x[2]);
		cr_assert(x[1] <= want && want <= x[2], "%g is not within %g and %g", (double)want,
				  (double)x[1], (double)x[2]);
		cr_assert(x[2] - x[1] < 1e-4f);
		/* C as the judged call found it, whatever lies in the arena now */
		cr_assert((double)stage_buffer(&stage, PROBLEM_STAGE_RESULT, 0)[i] ==
				  values_number_at(&before, i));
	}
	munmap(stage.memory, stage.arena.bytes);
	session_stop(&custom.session);
}

Test(custom, the_verdict_comes_with_the_last_of_them)
{
	static const uint64_t faults[] = {0, 40};
	struct custom custom = custom_start();
	for (size_t f = 0; f < 2; f++) {
		reset(&custom.session, 0);
		solve_fused(&custom, faults[f]);
		check_set(&custom.session, 0);
		struct stage_memory stage = run_first(&custom);
		struct check_summary reply = stage_close(&custom, FIRST, &stage);
		cr_assert(reply.wrong == 0, "the chain is not at its end");
		stage = run_second(&custom);
		reply = stage_close(&custom, SECOND, &stage);
		cr_assert(reply.elements == ELEMENTS && reply.reference_spot_checks >= 16);
		if (faults[f] == 0)
			cr_assert(reply.wrong == 0, "%llu", (unsigned long long)reply.wrong);
		else /* relu makes some of them right */
			cr_assert(reply.wrong > 10 && reply.wrong <= faults[f] && reply.first[0].row < 3);
	}
	cr_assert(session_stop(&custom.session) == 0);
}

Test(custom, stages_come_in_order)
{
	struct custom custom = custom_start();
	cr_assert(is_refused(&custom, MESSAGE_REFEREE_STAGE_CLOSE, FIRST));
	check_set(&custom.session, 0);
	cr_assert(is_refused(&custom, MESSAGE_REFEREE_STAGE_OPEN, SECOND));
	cr_assert(is_refused(&custom, MESSAGE_REFEREE_STAGE_OPEN, 0));
	cr_assert(is_refused(&custom, MESSAGE_REFEREE_STAGE_OPEN, 99));
	cr_assert(is_refused(&custom, MESSAGE_REFEREE_STAGE_CLOSE, FIRST));
	struct stage_memory stage = run_first(&custom);
	cr_assert(is_refused(&custom, MESSAGE_REFEREE_STAGE_CLOSE, SECOND));
	stage_close(&custom, FIRST, &stage);
	cr_assert(is_refused(&custom, MESSAGE_REFEREE_STAGE_CLOSE, FIRST));
	cr_assert(is_refused(&custom, MESSAGE_REFEREE_STAGE_OPEN, FIRST));
	session_stop(&custom.session);
}

/* A call without the epilogue is checked in one go. */
Test(custom, plain_calls_have_none)
{
	struct custom custom = custom_start();
	float *out = (float *)buffer_in(&custom.session, 2, 0);
	for (uint64_t i = 0; i < ELEMENTS; i++)
		out[i] = scaled_sum(&custom, i);
	struct referee_check request = {.head.type = MESSAGE_REFEREE_CHECK, .plain = 1};
	struct referee_check_reply reply;
	int fd;
	call(&custom.session, &request, sizeof request, &reply, sizeof reply, &fd);
	cr_assert(reply.head.ok && reply.found.elements == ELEMENTS && reply.found.wrong == 0);
	cr_assert(is_refused(&custom, MESSAGE_REFEREE_STAGE_OPEN, FIRST));
	session_stop(&custom.session);
}

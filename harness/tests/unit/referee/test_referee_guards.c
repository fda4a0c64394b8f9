/* links: judge referee_core chain testcases base */
/* What a call must not touch, by role: the bands around every buffer, inputs, and what an epilogue
 * reads. The referee says which buffer it was, the judge calls it by its name. */
#include <criterion/criterion.h>

#include "judge/run/finding.h"
#include "referee_fixture.h"

static struct chain chain_of(const char *text)
{
	char source[PATHS_MAX], folder[PATHS_MAX];
	struct chain chain;
	struct chain_files files;
	struct error err = {{0}};
	cr_assert(paths_source(source, &err) && paths_join(folder, source, "epilogues", &err));
	cr_assert(chain_parse(text, folder, &chain, &files, &err), "%s", err.message);
	return chain;
}

/* A case with an input and an output of its epilogue; the bytes of no buffer are a multiple of
 * 256, so that the band behind one begins in the gap. */
struct guarded {
	struct session session;
	const struct problem *problem;
	struct test_case test;
	struct chain chain;
};

static struct guarded guarded_start(const char *problem, float beta)
{
	struct guarded guarded = {.session = session_start(), .problem = problem_find(problem)};
	const float scalars[SCALARS_MAX] = {1, beta};
	struct shape shape = {{1, 17, 19, 21, 1}};
	uint32_t custom;
	guarded.test = case_of_shape(guarded.problem, &shape, scalars, 3);
	guarded.chain = chain_of("alpha_beta,bias,save,bias_rows");
	open_emulated(&guarded.session);
	make_chained(&guarded.session, guarded.problem->name, &guarded.test, &guarded.chain, 2,
				 &custom);
	cr_assert(custom == 0);
	return guarded;
}

static const char *const names[] = {"A", "B", "C", "bias.bias", "save.saved", "bias_rows.bias"};
#define BUFFERS (sizeof names / sizeof *names)

static void is_named(const struct guarded *guarded, uint32_t buffer)
{
	char name[BUFFER_NAME_MAX];
	buffers_name(guarded->problem, &guarded->chain, buffer, name);
	cr_assert_str_eq(name, names[buffer]);
}

/* The judge's verdict, which has to be a violation, in these words. */
static void is_violation(const struct guarded *guarded, const struct check_summary *reply,
						 const char *words)
{
	char detail[1024];
	cr_assert(finding_verdict(guarded->problem, &guarded->test, &guarded->chain, reply, detail) ==
			  VERDICT_RULE_VIOLATION);
	cr_assert_str_eq(detail, words);
}

Test(guards, every_band_is_told_from_the_others)
{
	struct guarded guarded = guarded_start("gemm-f16", 1);
	const struct arena *arena = &guarded.session.arena;
	cr_assert(arena->count == BUFFERS);
	for (uint32_t i = 0; i < BUFFERS; i++)
		for (int side = 0; side < 2; side++) {
			uint8_t *start = buffer_in(&guarded.session, i, 1),
					*end = start + arena->buffers[i].bytes;
			uint8_t *changed = side == 0 ? start - 5 : end + 4;
			char words[256];
			*changed ^= 1;
			struct check_summary reply = check_set(&guarded.session, 1);
			cr_assert(reply.guard_changed == 1 && reply.guard_buffer == i);
			cr_assert(reply.guard_nearest == (side == 0 ? -5 : 4));
			is_named(&guarded, i);
			snprintf(words, sizeof words,
					 "wrote outside of its buffers: 1 bytes, the nearest %d bytes %s %s",
					 side == 0 ? 5 : 4, side == 0 ? "before the start of" : "past the end of",
					 names[i]);
			is_violation(&guarded, &reply, words);
			*changed ^= 1;
			cr_assert(check_set(&guarded.session, 1).guard_changed == 0);
		}
	cr_assert(session_stop(&guarded.session) == 0);
}

Test(guards, the_far_ends_of_a_band_belong_to_its_buffer)
{
	struct guarded guarded = guarded_start("gemm-f16", 0);
	const struct arena *arena = &guarded.session.arena;
	for (uint32_t i = 0; i < BUFFERS; i++) {
		uint64_t bytes = arena->buffers[i].bytes, gap = (256 - bytes % 256) % 256;
		uint8_t *start = buffer_in(&guarded.session, i, 0);
		uint8_t *const ends[] = {start - GUARD_BYTES, start + bytes + gap + GUARD_BYTES - 1};
		for (int side = 0; side < 2; side++) {
			*ends[side] = 0;
			struct check_summary reply = check_set(&guarded.session, 0);
			cr_assert(reply.guard_changed == 1 && reply.guard_buffer == i, "%s", names[i]);
			*ends[side] = GUARD_PATTERN;
		}
	}
	session_stop(&guarded.session);
}

Test(guards, a_reset_restores_them)
{
	struct guarded guarded = guarded_start("gemm-f16", 1);
	*(buffer_in(&guarded.session, 3, 0) - 1) = 0;
	*(buffer_in(&guarded.session, 4, 1) - 1) = 0;
	cr_assert(check_set(&guarded.session, 0).guard_changed == 1);
	cr_assert(check_set(&guarded.session, 1).guard_changed == 1);
	reset(&guarded.session, 0);
	cr_assert(check_set(&guarded.session, 0).guard_changed == 0);
	cr_assert(check_set(&guarded.session, 1).guard_changed == 0);
	session_stop(&guarded.session);
}

/* Results and what an epilogue stores may be written, inputs may not. */
Test(guards, changed_inputs_are_named)
{
	static const struct {
		bool input;
		char words[96];
	} buffers[BUFFERS] = {
		{true, "changed its input A: 1 elements differ after the call"},
		{true, "changed its input B: 1 elements differ after the call"},
		{false, ""},
		{true, "changed bias.bias, an input of its epilogue: 1 elements differ"},
		{false, ""},
		{true, "changed bias_rows.bias, an input of its epilogue: 1 elements differ"}};
	struct guarded guarded = guarded_start("gemm-f16", 1);
	for (uint32_t i = 0; i < BUFFERS; i++) {
		uint8_t *last =
			buffer_in(&guarded.session, i, 1) + guarded.session.arena.buffers[i].bytes - 1;
		*last ^= 1;
		struct check_summary reply = check_set(&guarded.session, 1);
		for (uint32_t other = 0; other < BUFFERS_MAX; other++)
			cr_assert(reply.changed[other] == (other == i && buffers[i].input), "%u %u", i, other);
		cr_assert(reply.guard_changed == 0);
		if (buffers[i].input)
			is_violation(&guarded, &reply, buffers[i].words);
		*last ^= 1;
	}
	session_stop(&guarded.session);
}

/* Elements narrower than a byte, and operands that other problems have not. */
Test(guards, changed_weights_of_four_bits)
{
	struct session session = session_start();
	const struct problem *problem = problem_find("gemm-w4");
	struct test_case test = case_of_shape(problem, &(struct shape){{1, 5, 7, 6, 2}}, NULL, 3);
	open_emulated(&session);
	make_case(&session, problem->name, &test, 1);
	cr_assert(session.arena.buffers[1].bytes == 21);
	buffer_in(&session, 1, 0)[20] ^= 0x01; /* the last weight, in the low half */
	buffer_in(&session, 1, 0)[4] ^= 0x11;  /* two of one byte */
	buffer_in(&session, 2, 0)[0] ^= 0x01;
	struct check_summary reply = check_set(&session, 0);
	cr_assert(reply.changed[1] == 3 && reply.changed[2] == 1);
	session_stop(&session);
}

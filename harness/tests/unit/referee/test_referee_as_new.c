/* links: referee_core testcases base */
/* A referee that is opened once more, between two files of a batch: nothing of the first one's
 * cases is left in what it says of the second one's. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "referee_fixture.h"

/* All that a referee shows of one case: its buffers, and what it says of a result. */
struct shown {
	uint8_t *memory;
	struct arena arena;
	struct check_summary found, looked_again;
	struct wrong_pattern why;
	struct digest result;
};

/* Sends it, and whether the referee did so. */
#define ASK(session, kind, request_of, reply)                                                      \
	ask(session, kind, &(request_of).head, sizeof(request_of), &(reply), sizeof(reply))

static bool ask(struct session *session, uint32_t type, struct message *request, size_t bytes,
				void *reply, size_t capacity)
{
	int fd;
	request->type = type;
	memset(reply, 0, capacity);
	call(session, request, bytes, reply, capacity, &fd);
	if (fd >= 0)
		close(fd);
	const struct message *head = reply;
	cr_assert(head->ok || head->error[0] != '\0', "refused without a word");
	return head->ok != 0;
}

static bool reopen(struct session *session, const char *runtime_folder)
{
	struct referee_open request = {.device.kind = DEVICE_EMULATED};
	struct referee_open_reply reply;
	snprintf(request.device.runtime_folder, sizeof request.device.runtime_folder, "%s",
			 runtime_folder);
	return ASK(session, MESSAGE_REFEREE_OPEN, request, reply);
}

static struct test_case case_of(const char *problem, uint64_t seed)
{
	struct shape shape = {{1, 19, 24, 32, 1}};
	const struct problem *found = problem_find(problem);
	for (int i = 0; i < SIZE_COUNT; i++)
		if (problem_size_of(found, (enum size)i) == NULL)
			shape.size[i] = 1;
	if (found->algebra == ALGEBRA_SHORTEST_PATHS)
		shape.size[SIZE_M] = shape.size[SIZE_N] = shape.size[SIZE_K] = 24;
	if (problem_size_of(found, SIZE_GROUP) != NULL)
		shape.size[SIZE_GROUP] = 8;
	return case_of_shape(found, &shape, NULL, seed);
}

/* Of a result that is wrong in some elements, unwritten in others. */
static struct shown show(struct session *session, const char *problem, const struct test_case *test)
{
	struct shown shown = {.memory = NULL};
	const uint32_t result = (uint32_t)problem_part_index(problem_find(problem), PART_RESULT);
	struct referee_explain explain = {.head.ok = 0};
	struct referee_explain_reply explained;
	struct referee_again again = {.head.ok = 0};
	struct referee_check_reply rechecked;
	struct referee_digest digest = {.set = 0};
	struct referee_digest_reply digested;
	struct message done;
	make_case(session, problem, test, 2);
	shown.arena = session->arena;
	shown.memory = malloc(session->arena.bytes);
	cr_assert_not_null(shown.memory);
	memcpy(shown.memory, session->memory, session->arena.bytes);
	memset(buffer_in(session, result, 0), 0x11, session->arena.buffers[result].bytes / 3);
	shown.found = check_set(session, 0);
	cr_assert(shown.found.wrong > 0);
	cr_assert(ASK(session, MESSAGE_REFEREE_REFILL, again, done), "%s", done.error);
	cr_assert(ASK(session, MESSAGE_REFEREE_RECHECK, again, rechecked));
	shown.looked_again = rechecked.found;
	cr_assert(ASK(session, MESSAGE_REFEREE_EXPLAIN, explain, explained));
	shown.why = explained.facts;
	cr_assert(ASK(session, MESSAGE_REFEREE_DIGEST, digest, digested));
	shown.result = digested.result;
	return shown;
}

/* As they came from the referee, whose messages begin as zeros. */
static bool same_bytes(const void *a, const void *b, size_t bytes)
{
	return memcmp(a, b, bytes) == 0;
}

static void expect_same(const struct shown *a, const struct shown *b, const char *problem)
{
	cr_assert(same_bytes(&a->arena, &b->arena, sizeof a->arena), "%s: layout", problem);
	cr_assert_eq(memcmp(a->memory, b->memory, a->arena.bytes), 0, "%s: buffers", problem);
	cr_assert(same_bytes(&a->found, &b->found, sizeof a->found), "%s: the check", problem);
	cr_assert(same_bytes(&a->looked_again, &b->looked_again, sizeof a->looked_again),
			  "%s: the second look", problem);
	cr_assert(same_bytes(&a->why, &b->why, sizeof a->why), "%s: the explanation", problem);
	cr_assert(same_bytes(&a->result, &b->result, sizeof a->result), "%s: a digest", problem);
}

static bool bits(struct session *session, struct referee_bits request)
{
	struct referee_bits_reply reply;
	return ASK(session, MESSAGE_REFEREE_BITS, request, reply);
}

/* What a file does: cases of several problems, checked, explained, their bits kept. */
static void use(struct session *session)
{
	static const char *const problems[] = {"gemm-f16", "apsp-f32", "gemm-w4", "gemm-f16"};
	for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
		const struct test_case test = case_of(problems[i], 40 + i);
		struct shown shown = show(session, problems[i], &test);
		free(shown.memory);
		for (uint32_t slot = 0; slot < BITS_SLOTS; slot++)
			cr_assert(bits(session, (struct referee_bits){.sets = 1, .slot = slot, .keep = 1}));
	}
}

Test(referee_as_new, shows_what_a_fresh_one_shows)
{
	static const char *const problems[] = {"gemm-f16",    "sgemm",    "gemm-s8", "gemm-w4",
										   "minplus-f32", "apsp-f32", "gemv-f32"};
	struct session used = session_start();
	open_emulated(&used);
	for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
		const struct test_case test = case_of(problems[i], 7);
		struct session fresh = session_start();
		open_emulated(&fresh);
		use(&used);
		cr_assert(reopen(&used, ""));
		struct shown a = show(&fresh, problems[i], &test), b = show(&used, problems[i], &test);
		expect_same(&a, &b, problems[i]);
		free(a.memory);
		free(b.memory);
		cr_assert_eq(session_stop(&fresh), 0);
	}
	cr_assert_eq(session_stop(&used), 0);
}

static void expect_refusals(struct session *session)
{
	struct message done;
	struct referee_reset reset_of = {.fresh = 3};
	struct referee_descriptor descriptor = {.group = 0};
	struct referee_check check = {.tolerance.kind = TOLERANCE_BOUND};
	struct referee_check_reply checked;
	struct referee_again again = {.head.ok = 0};
	struct referee_explain explain = {.head.ok = 0};
	struct referee_explain_reply explained;
	struct referee_digest digest = {.set = 0};
	struct referee_digest_reply digested;
	struct referee_arrange arrange = {.cancels = 1};
	struct referee_stage stage = {.stage = 0};
	struct referee_stage_reply staged;
	cr_assert_not(ASK(session, MESSAGE_REFEREE_RESET, reset_of, done));
	cr_assert_not(ASK(session, MESSAGE_REFEREE_DESCRIPTOR, descriptor, done));
	cr_assert_not(ASK(session, MESSAGE_REFEREE_CHECK, check, checked));
	cr_assert_not(ASK(session, MESSAGE_REFEREE_REFILL, again, done));
	cr_assert_not(ASK(session, MESSAGE_REFEREE_RECHECK, again, checked));
	cr_assert_not(ASK(session, MESSAGE_REFEREE_EXPLAIN, explain, explained));
	cr_assert_not(ASK(session, MESSAGE_REFEREE_DIGEST, digest, digested));
	cr_assert_not(ASK(session, MESSAGE_REFEREE_ARRANGE, arrange, done));
	cr_assert_not(ASK(session, MESSAGE_REFEREE_STAGE_OPEN, stage, staged));
	cr_assert_not(ASK(session, MESSAGE_REFEREE_STAGE_CLOSE, stage, checked));
	cr_assert_not(bits(session, (struct referee_bits){.sets = 1, .keep = 1}));
	cr_assert_not(bits(session, (struct referee_bits){.sets = 1}));
}

Test(referee_as_new, knows_of_no_case)
{
	struct session session = session_start();
	open_emulated(&session);
	expect_refusals(&session); /* of a fresh one */
	use(&session);
	cr_assert(reopen(&session, ""));
	expect_refusals(&session);
	cr_assert(reopen(&session, ""), "once more, with nothing in between");
	expect_refusals(&session);
	cr_assert_eq(session_stop(&session), 0);
}

Test(referee_as_new, has_no_bits_to_compare_with)
{
	struct session session = session_start();
	const struct test_case test = case_of("gemm-f16", 43); /* the last one of use() */
	open_emulated(&session);
	use(&session);
	cr_assert(bits(&session, (struct referee_bits){.sets = 1, .slot = 1}));
	cr_assert(reopen(&session, ""));
	make_case(&session, "gemm-f16", &test, 2);
	for (uint32_t slot = 0; slot < BITS_SLOTS; slot++)
		cr_assert_not(bits(&session, (struct referee_bits){.sets = 1, .slot = slot}));
	cr_assert_eq(session_stop(&session), 0);
}

/* Before and behind each buffer, at both ends of the band. */
Test(referee_as_new, is_refused_where_the_guards_were_written_to)
{
	const struct test_case test = case_of("gemm-f16", 7);
	for (uint32_t i = 0; i < 12; i++) {
		struct session session = session_start();
		open_emulated(&session);
		make_case(&session, "gemm-f16", &test, 2);
		check_set(&session, 0);
		const uint32_t buffer = i / 4;
		uint8_t *at = buffer_in(&session, buffer, 0);
		const uint64_t bytes = session.arena.buffers[buffer].bytes;
		uint8_t *const places[] = {at - GUARD_BYTES, at - 1, at + bytes,
								   at + bytes + GUARD_BYTES - 1};
		*places[i % 4] ^= 1;
		cr_assert_not(reopen(&session, ""), "%u", i);
		cr_assert_not(reopen(&session, ""), "%u: it is as new by asking twice", i);
		session_stop(&session);
	}
}

/* It is another referee then, and what was written around a case of the first is gone with it. */
Test(referee_as_new, another_device_is_opened_anew)
{
	const struct test_case test = case_of("gemm-f16", 43);
	struct session session = session_start(), fresh = session_start();
	open_emulated(&session);
	open_emulated(&fresh);
	use(&session);
	*(buffer_in(&session, 0, 0) - 1) ^= 1;
	cr_assert_not(reopen(&session, ""));
	cr_assert(reopen(&session, "/another/folder"));
	expect_refusals(&session);
	struct shown a = show(&fresh, "gemm-f16", &test), b = show(&session, "gemm-f16", &test);
	expect_same(&a, &b, "gemm-f16");
	cr_assert_not(bits(&session, (struct referee_bits){.sets = 1, .slot = 0}));
	free(a.memory);
	free(b.memory);
	session_stop(&fresh);
	session_stop(&session);
}

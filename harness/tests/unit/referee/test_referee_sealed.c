/* links: judge referee_core chain digest testcases base */
/* A sealed case: groups of sets that are memory of their own, and what is said of a call's result
 * beside the digest that the call was ended with. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "judge/run/finding.h"
#include "referee_fixture.h"

#define GROUPS 2u
#define GROUP 4u
#define SETS (GROUPS * GROUP)

enum { A, B, C, BIAS, SAVED }; /* buffers; the last two where there is an epilogue */

struct sealed {
	struct session session;
	const struct problem *problem;
	struct test_case test;
	struct chain chain;
	int fds[GROUPS];
	uint8_t *groups[GROUPS];
};

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

static struct referee_case_reply ask_case(struct sealed *sealed, uint32_t sets, uint32_t group)
{
	struct referee_case request = {.head.type = MESSAGE_REFEREE_CASE,
								   .test = sealed->test,
								   .chain = sealed->chain,
								   .sets = sets,
								   .group = group};
	struct referee_case_reply reply = {0};
	int fd;
	snprintf(request.problem, sizeof request.problem, "%s", sealed->problem->name);
	call(&sealed->session, &request, sizeof request, &reply, sizeof reply, &fd);
	if (fd >= 0)
		close(fd);
	cr_assert(fd < 0 || group == 0, "a sealed case is shared by groups only");
	return reply;
}

static struct message ask_descriptor(struct sealed *sealed, uint32_t group, int *fd)
{
	struct referee_descriptor request = {.head.type = MESSAGE_REFEREE_DESCRIPTOR, .group = group};
	struct message reply = {0};
	cr_assert(call(&sealed->session, &request, sizeof request, &reply, sizeof reply, fd) ==
			  sizeof reply);
	return reply;
}

static struct sealed sealed_open(const char *problem)
{
	struct sealed sealed = {.session = session_start(), .problem = problem_find(problem)};
	const float scalars[SCALARS_MAX] = {1.5f, 0.5f};
	const struct shape shape = {{1, 17, 19, 21, 1}};
	sealed.test = case_of_shape(sealed.problem, &shape, scalars, 7);
	open_emulated(&sealed.session);
	return sealed;
}

static void take_groups(struct sealed *sealed)
{
	struct referee_case_reply made = ask_case(sealed, SETS, GROUP);
	cr_assert(made.head.ok, "%s", made.head.error);
	sealed->session.arena = made.arena;
	size_t bytes = GROUP * made.arena.set_stride;
	for (uint32_t i = 0; i < GROUPS; i++) {
		struct message reply = ask_descriptor(sealed, i, &sealed->fds[i]);
		cr_assert(reply.ok, "%s", reply.error);
		cr_assert(sealed->fds[i] >= 0);
		sealed->groups[i] =
			mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, sealed->fds[i], 0);
		cr_assert(sealed->groups[i] != MAP_FAILED);
	}
}

static struct sealed sealed_start(const char *problem, const char *chain)
{
	struct sealed sealed = sealed_open(problem);
	if (chain != NULL)
		sealed.chain = chain_of(chain);
	take_groups(&sealed);
	return sealed;
}

static void sealed_stop(struct sealed *sealed)
{
	for (uint32_t i = 0; i < GROUPS; i++) {
		if (sealed->groups[i] == NULL)
			continue;
		munmap(sealed->groups[i], GROUP * sealed->session.arena.set_stride);
		close(sealed->fds[i]);
	}
	cr_assert(session_stop(&sealed->session) == 0);
}

static void *buffer(const struct sealed *sealed, uint32_t index, uint32_t set)
{
	const struct arena *arena = &sealed->session.arena;
	return sealed->groups[set / GROUP] + set % GROUP * arena->set_stride +
		   arena->buffers[index].offset;
}

/* sgemm, as a call would have it. */
static void solve(const struct sealed *sealed, uint32_t set)
{
	const int32_t *size = sealed->test.shape.size;
	const float *a = buffer(sealed, A, set), *b = buffer(sealed, B, set);
	float *c = buffer(sealed, C, set);
	for (int i = 0; i < size[SIZE_M]; i++)
		for (int j = 0; j < size[SIZE_N]; j++) {
			double sum = 0;
			float *to = &c[i * size[SIZE_N] + j];
			for (int k = 0; k < size[SIZE_K]; k++)
				sum += (double)a[i * size[SIZE_K] + k] * (double)b[k * size[SIZE_N] + j];
			*to = (float)((double)sealed->test.scalar[SCALAR_ALPHA] * sum +
						  (double)sealed->test.scalar[SCALAR_BETA] * (double)*to);
		}
}

/* A call's end: of the outputs as they are now. */
static void commit(const struct sealed *sealed, uint32_t set, struct referee_check *check)
{
	*check = (struct referee_check){
		.head.type = MESSAGE_REFEREE_CHECK, .set = set, .tolerance.kind = TOLERANCE_BOUND};
	for (uint32_t i = 0; i < sealed->session.arena.count; i++)
		if (i == C || i == SAVED)
			cr_assert(digest_of(buffer(sealed, i, set), sealed->session.arena.buffers[i].bytes,
								&check->digests[i]));
}

static struct check_summary checked(struct sealed *sealed, const struct referee_check *check)
{
	struct referee_check_reply reply;
	int fd;
	cr_assert(call(&sealed->session, check, sizeof *check, &reply, sizeof reply, &fd) ==
			  sizeof reply);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	return reply.found;
}

static enum verdict verdict_of(const struct sealed *sealed, const struct check_summary *reply,
							   char detail[1024])
{
	return finding_verdict(sealed->problem, &sealed->test, &sealed->chain, reply, detail);
}

/* ---- memory ---------------------------------------------------------------------- */

Test(referee_sealed, each_group_is_memory_of_its_own)
{
	struct sealed sealed = sealed_start("sgemm", NULL);
	struct stat facts[GROUPS];
	for (uint32_t i = 0; i < GROUPS; i++) {
		cr_assert(fstat(sealed.fds[i], &facts[i]) == 0);
		cr_assert((uint64_t)facts[i].st_size == GROUP * sealed.session.arena.set_stride,
				  "a group, and nothing else");
		cr_assert(ftruncate(sealed.fds[i], 0) != 0, "a contestant could shrink it");
	}
	cr_assert(facts[0].st_ino != facts[1].st_ino);
	uint8_t *first = buffer(&sealed, C, 0), *other = buffer(&sealed, C, GROUP);
	uint8_t before = *other;
	*first ^= 0xFF;
	cr_assert(*other == before);
	for (uint32_t i = 0; i < SETS; i++) /* drawn anew for each */
		for (uint32_t j = 0; j < i; j++)
			for (uint32_t k = A; k <= C; k++)
				cr_assert(memcmp(buffer(&sealed, k, i), buffer(&sealed, k, j),
								 sealed.session.arena.buffers[k].bytes) != 0,
						  "buffer %u of sets %u and %u", k, i, j);
	sealed_stop(&sealed);
}

Test(referee_sealed, another_case_is_other_memory)
{
	struct sealed sealed = sealed_start("sgemm", NULL);
	uint8_t *old[GROUPS] = {sealed.groups[0], sealed.groups[1]};
	size_t bytes = GROUP * sealed.session.arena.set_stride;
	int fds[GROUPS] = {sealed.fds[0], sealed.fds[1]};
	sealed.test.seed++;
	take_groups(&sealed);
	memset(old[0], 0, bytes);
	memset(old[1], 0, bytes);
	for (uint32_t i = 0; i < SETS; i++) {
		struct referee_check check;
		solve(&sealed, i);
		commit(&sealed, i, &check);
		struct check_summary reply = checked(&sealed, &check);
		cr_assert(reply.wrong == 0 && reply.guard_changed == 0 && reply.altered == 0);
	}
	for (int i = 0; i < (int)GROUPS; i++) {
		munmap(old[i], bytes);
		close(fds[i]);
	}
	sealed_stop(&sealed);
}

/* ---- results ---------------------------------------------------------------------- */

Test(referee_sealed, accepts_a_right_result_with_its_digest)
{
	struct sealed sealed = sealed_start("sgemm", NULL);
	static const uint32_t sets[] = {5, 0, 7, 5}; /* in any order, and twice */
	char detail[1024];
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		struct referee_check check;
		if (i < 3)
			solve(&sealed, sets[i]);
		commit(&sealed, sets[i], &check);
		struct check_summary reply = checked(&sealed, &check);
		cr_assert(verdict_of(&sealed, &reply, detail) == VERDICT_ACCEPTED, "%s", detail);
		cr_assert(reply.elements == 17 * 19 && reply.reference_spot_checks >= 16);
	}
	sealed_stop(&sealed);
}

Test(referee_sealed, an_output_that_changed_afterwards_is_altered)
{
	struct sealed sealed = sealed_start("sgemm", NULL);
	struct referee_check check;
	char detail[1024];
	uint8_t *last = (uint8_t *)buffer(&sealed, C, 6) + sealed.session.arena.buffers[C].bytes - 1;
	commit(&sealed, 6, &check); /* when nothing was there yet */
	solve(&sealed, 6);
	struct check_summary reply = checked(&sealed, &check);
	cr_assert(reply.altered == 1u << C && reply.wrong == 0);
	cr_assert(verdict_of(&sealed, &reply, detail) == VERDICT_RULE_VIOLATION);
	cr_assert_str_eq(detail, "C changed after the call had ended: solve() has to be done when it "
							 "and the device are");
	commit(&sealed, 6, &check);
	cr_assert(checked(&sealed, &check).altered == 0);
	*last ^= 1; /* which may be within the bound */
	cr_assert(checked(&sealed, &check).altered == 1u << C);
	*last ^= 1;
	cr_assert(checked(&sealed, &check).altered == 0, "what counts is what is there");
	sealed_stop(&sealed);
}

Test(referee_sealed, a_wrong_digest_of_a_right_result_is_no_digest)
{
	struct sealed sealed = sealed_start("sgemm", NULL);
	struct referee_check right, check;
	solve(&sealed, 2);
	commit(&sealed, 2, &right);
	for (int word = 0; word < 4; word++) {
		check = right;
		check.digests[C].word[word] ^= 1u << (7 * word);
		cr_assert(checked(&sealed, &check).altered == 1u << C, "word %d", word);
	}
	check = right;
	check.digests[A].word[0] = check.digests[B].word[0] = 12345; /* of inputs there are none */
	cr_assert(checked(&sealed, &check).altered == 0);
	solve(&sealed, 3);
	check.set = 3; /* another set's */
	cr_assert(checked(&sealed, &check).altered == 1u << C);
	sealed_stop(&sealed);
}

Test(referee_sealed, what_an_epilogue_stores_is_an_output_too)
{
	struct sealed sealed = sealed_start("gemm-f16", "bias,save");
	struct referee_check check;
	uint8_t *saved = buffer(&sealed, SAVED, 4), *c = buffer(&sealed, C, 4);
	cr_assert(sealed.session.arena.count == 5);
	commit(&sealed, 4, &check);
	cr_assert(checked(&sealed, &check).altered == 0);
	saved[10] ^= 1;
	cr_assert(checked(&sealed, &check).altered == 1u << SAVED);
	c[10] ^= 1;
	cr_assert(checked(&sealed, &check).altered == (1u << SAVED | 1u << C));
	saved[10] ^= 1;
	cr_assert(checked(&sealed, &check).altered == 1u << C);
	sealed_stop(&sealed);
}

Test(referee_sealed, changed_inputs_and_guards_are_seen)
{
	struct sealed sealed = sealed_start("sgemm", NULL);
	struct referee_check check;
	char detail[1024];
	float *a = buffer(&sealed, A, 1), kept = a[3];
	uint8_t *behind = (uint8_t *)buffer(&sealed, B, 1) + sealed.session.arena.buffers[B].bytes;
	solve(&sealed, 1);
	commit(&sealed, 1, &check);
	a[3] = 0.123f;
	struct check_summary reply = checked(&sealed, &check);
	cr_assert(reply.changed[A] == 1 && reply.changed[B] == 0 && reply.wrong == 0);
	cr_assert(verdict_of(&sealed, &reply, detail) == VERDICT_RULE_VIOLATION);
	a[3] = kept;
	*behind ^= 1;
	reply = checked(&sealed, &check);
	cr_assert(reply.guard_changed == 1 && reply.guard_buffer == B && reply.guard_nearest == 0);
	cr_assert(verdict_of(&sealed, &reply, detail) == VERDICT_RULE_VIOLATION);
	sealed_stop(&sealed);
}

/* Where the device cannot compute rows alone, to ask for some means all. */
Test(referee_sealed, one_wrong_element_is_found_whatever_rows_are_asked_for)
{
	struct sealed sealed = sealed_start("sgemm", NULL);
	float *c = buffer(&sealed, C, 3);
	solve(&sealed, 3);
	for (int row = 0; row < 17; row++) {
		struct referee_check check;
		float kept = c[row * 19 + 7];
		c[row * 19 + 7] = 1000.0f;
		commit(&sealed, 3, &check);
		check.rows = 1;
		struct check_summary reply = checked(&sealed, &check);
		cr_assert(reply.altered == 0 && reply.wrong == 1 && reply.elements == 17 * 19);
		cr_assert(reply.first[0].row == row && reply.first[0].column == 7);
		c[row * 19 + 7] = kept;
	}
	sealed_stop(&sealed);
}

/* ---- nonsense ---------------------------------------------------------------------- */

static void is_refused(const struct message *reply, const char *words)
{
	cr_assert(!reply->ok);
	cr_assert_str_eq(reply->error, words);
}

Test(referee_sealed, refuses_groups_that_cannot_be)
{
	struct sealed sealed = sealed_open("sgemm");
	struct referee_case_reply reply;
	struct message message;
	int fd;
	message = ask_descriptor(&sealed, 0, &fd);
	is_refused(&message, "the case is not sealed");
	cr_assert(fd < 0);
	reply = ask_case(&sealed, 7, 3);
	is_refused(&reply.head, "7 sets in groups of 3");
	reply = ask_case(&sealed, 6, 4);
	is_refused(&reply.head, "6 sets in groups of 4");
	reply = ask_case(&sealed, 2, 4);
	is_refused(&reply.head, "2 sets in groups of 4");
	reply = ask_case(&sealed, 4 * GROUP_MAX, 2 * GROUP_MAX);
	is_refused(&reply.head, "4096 sets in groups of 2048");
	reply = ask_case(&sealed, 0, 4);
	is_refused(&reply.head, "0 sets of buffers: 1 to 65536 may be");
	reply = ask_case(&sealed, 4, UINT32_MAX);
	is_refused(&reply.head, "4 sets in groups of 4294967295");
	message = ask_descriptor(&sealed, 0, &fd);
	is_refused(&message, "the case is not sealed");
	reply = ask_case(&sealed, 6, 3); /* any number */
	cr_assert(reply.head.ok, "%s", reply.head.error);
	reply = ask_case(&sealed, 4, 0);
	cr_assert(reply.head.ok, "%s", reply.head.error);
	message = ask_descriptor(&sealed, 0, &fd);
	is_refused(&message, "the case is not sealed");
	cr_assert(fd < 0);
	take_groups(&sealed);
	message = ask_descriptor(&sealed, GROUPS, &fd);
	is_refused(&message, "there is no group 2");
	cr_assert(fd < 0);
	sealed_stop(&sealed);
}

/* What lies behind the sets is the referee's own. */
Test(referee_sealed, refuses_a_set_that_is_not_there)
{
	struct sealed sealed = sealed_start("sgemm", NULL);
	struct referee_check check = {
		.head.type = MESSAGE_REFEREE_CHECK, .set = SETS, .tolerance.kind = TOLERANCE_BOUND};
	struct message reply = {0};
	int fd;
	call(&sealed.session, &check, sizeof check, &reply, sizeof reply, &fd);
	is_refused(&reply, "there is no set 8: the case has 8");
	sealed_stop(&sealed);
}

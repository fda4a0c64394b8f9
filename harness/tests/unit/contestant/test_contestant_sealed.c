/* links: jail judgement process digest testcases base; timeout: 300 */
/* Sealed calls of the contestant by itself. */
#define _GNU_SOURCE
#include "contestant_fixture.h"

TestSuite(contestant, .init = begin, .fini = end);

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

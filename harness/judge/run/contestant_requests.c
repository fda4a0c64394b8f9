/* Requests to a contestant that have nothing to do with how it starts and ends: cases, sealed
 * calls, and what a library lets choose. */
#include <string.h>

#include "judge/run/contestant_call.h"

struct outcome contestant_link_case(struct contestant_link *link, const struct arena *arena,
									int arena_fd, const struct test_case *test)
{
	struct contestant_case request = {
		.head.type = MESSAGE_CONTESTANT_CASE, .arena = *arena, .test = *test};
	if (link->setup->chain != NULL)
		request.chain = *link->setup->chain;
	struct contestant_reply reply;
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	exchange.request_fd = arena_fd;
	exchange.seconds = contestant_call_seconds(link);
	return contestant_call_for_status(link, BETWEEN_CALLS, &exchange);
}

struct outcome contestant_link_part(struct contestant_link *link, const struct test_case *test,
									int *part)
{
	struct contestant_part request = {.head.type = MESSAGE_CONTESTANT_PART, .test = *test};
	struct contestant_part_reply reply;
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	exchange.seconds = contestant_call_seconds(link);
	struct outcome outcome = contestant_call(link, "solution_part()", &exchange);
	*part = outcome.verdict == VERDICT_ACCEPTED ? reply.part : -1;
	return outcome;
}

struct outcome contestant_link_library(struct contestant_link *link,
									   struct contestant_library request,
									   struct contestant_library_reply *reply)
{
	request.head.type = MESSAGE_CONTESTANT_LIBRARY;
	struct child_exchange exchange = CHILD_EXCHANGE(request, *reply);
	exchange.seconds = contestant_call_seconds(link);
	struct outcome outcome = contestant_call(link, "a function of library.cuh", &exchange);
	if (outcome.verdict == VERDICT_ACCEPTED && reply->algorithms < 1)
		reply->algorithms = 1;
	if (outcome.verdict == VERDICT_ACCEPTED && reply->algorithms > LIBRARY_ALGORITHMS_MAX)
		reply->algorithms = LIBRARY_ALGORITHMS_MAX;
	return outcome;
}

struct outcome contestant_link_stream(struct contestant_link *link, struct contestant_stream asked,
									  double timeout, uint64_t *calls, double *seconds)
{
	asked.head.type = MESSAGE_CONTESTANT_STREAM;
	struct contestant_reply reply;
	struct child_exchange exchange = CHILD_EXCHANGE(asked, reply);
	exchange.seconds = asked.seconds + timeout * (STREAM_QUEUED + 1);
	struct outcome outcome = contestant_call_of_solve(link, &exchange);
	*calls = reply.calls;
	*seconds = reply.seconds;
	return outcome;
}

struct outcome contestant_link_sealed(struct contestant_link *link, const struct arena *arena,
									  uint32_t group, const struct test_case *test,
									  uint64_t outputs)
{
	struct contestant_sealed request = {
		.head.type = MESSAGE_CONTESTANT_SEALED, .arena = *arena, .test = *test, .outputs = outputs};
	struct contestant_reply reply;
	request.arena.sets = group;
	request.arena.bytes = group * request.arena.set_stride;
	request.test.seed = 0;
	if (link->setup->chain != NULL)
		request.chain = *link->setup->chain;
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	exchange.seconds = contestant_call_seconds(link);
	return contestant_call(link, BETWEEN_CALLS, &exchange);
}

struct outcome contestant_link_go(struct contestant_link *link, int fd, double *seconds)
{
	struct contestant_go request = {.head.type = MESSAGE_CONTESTANT_GO};
	struct message reply;
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	exchange.request_fd = fd;
	exchange.seconds = contestant_call_seconds(link);
	exchange.clocked = true;
	struct outcome outcome = contestant_call(link, BETWEEN_CALLS, &exchange);
	*seconds = exchange.elapsed;
	return outcome;
}

struct outcome contestant_link_call(struct contestant_link *link, uint32_t set, double timeout,
									struct digest digests[BUFFERS_MAX], double *seconds)
{
	struct contestant_call request = {.head.type = MESSAGE_CONTESTANT_CALL, .set = set};
	struct contestant_call_reply reply;
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	exchange.seconds = timeout;
	exchange.clocked = true;
	struct outcome outcome = contestant_call(link, "solve()", &exchange);
	*seconds = exchange.elapsed;
	if (outcome.verdict == VERDICT_ACCEPTED)
		memcpy(digests, reply.digests, sizeof reply.digests);
	return outcome;
}

struct outcome contestant_link_end(struct contestant_link *link)
{
	struct contestant_end request = {.head.type = MESSAGE_CONTESTANT_END};
	struct contestant_reply reply;
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	exchange.seconds = contestant_call_seconds(link);
	return contestant_call_of_solve(link, &exchange);
}

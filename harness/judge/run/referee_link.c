#include "judge/run/referee_link.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/paths.h"
#include "judge/run/lock.h"

/* Our own code on sizes that we choose: slow only where a machine is slow. */
#define REFEREE_SECONDS 300.0

static void drop_arena(struct referee_link *link)
{
	if (link->arena_fd >= 0)
		close(link->arena_fd);
	link->arena_fd = -1;
}

void referee_link_close(struct referee_link *link)
{
	const double begun = clock_seconds();
	drop_arena(link);
	if (link->child == NULL)
		return;
	child_stop(link->child);
	link->child = NULL;
	timeline_end(link->spends, TIMELINE_END, begun);
}

static bool died(struct referee_link *link, struct child_result result, struct error *err)
{
	const char *said = child_output(link->child);
	const char *why = result.outcome == CHILD_TIMED_OUT ? "did not answer in time"
					  : result.outcome == CHILD_STOPPED ? "was stopped by a signal (SIGSTOP)"
					  : result.outcome == CHILD_BROKEN  ? "sent an invalid message"
														: "ended";
	if (result.outcome == CHILD_SIGNALED)
		error_set(err, "the referee was killed by signal %d", result.signal_number);
	else if (result.outcome == CHILD_EXITED)
		error_set(err, "the referee ended with status %d%s%s", result.exit_status,
				  said[0] != '\0' ? ": " : "", said);
	else
		error_set(err, "the referee %s", why);
	/* one line: whatever it printed must not break it */
	for (char *p = err->message; *p != '\0'; p++)
		if (*p == '\n')
			*p = p[1] == '\0' ? '\0' : ' ';
	referee_link_close(link);
	return false;
}

/* Sends a request and takes the reply, whose length must be exact. */
static bool call_with_descriptor(struct referee_link *link, struct child_exchange *exchange,
								 struct error *err)
{
	if (link->child == NULL)
		return error_set(err, "the referee is not running");
	exchange->seconds = REFEREE_SECONDS;
	const double begun = clock_seconds();
	struct child_result result = child_call(link->child, exchange);
	timeline_request(link->spends, exchange->request, exchange->reply, begun);
	if (result.outcome != CHILD_REPLIED)
		return died(link, result, err);

	const struct message *head = exchange->reply;
	if (exchange->reply_bytes >= sizeof *head && !head->ok)
		return error_set(err, "%.*s", (int)sizeof head->error - 1, head->error);
	if (exchange->reply_bytes != exchange->reply_capacity) {
		result.outcome = CHILD_BROKEN;
		return died(link, result, err);
	}
	return true;
}

static bool call(struct referee_link *link, struct child_exchange exchange, struct error *err)
{
	bool ok = call_with_descriptor(link, &exchange, err);
	if (exchange.reply_fd >= 0)
		close(exchange.reply_fd);
	return ok;
}
#define CALL(link, request, reply, err)                                                            \
	call(link, (struct child_exchange)CHILD_EXCHANGE(request, reply), err)

static struct child *start_child(struct error *err)
{
	char build[PATHS_MAX], program[PATHS_MAX];
	if (!paths_build(build, err) || !paths_join(program, build, "libexec/referee", err))
		return NULL;
	const char *argv[] = {program, NULL};
	struct child *child = child_start(&(struct child_options){.argv = argv}, err);
	if (child == NULL)
		error_prefix(err, "cannot start the referee");
	return child;
}

/* The one that is lent, as long as it answers; else one of our own. */
static struct child *take_child(struct referee_link *link, struct error *err)
{
	const int channel = link->lent > 0 ? fcntl(link->lent, F_DUPFD_CLOEXEC, 3) : -1;
	struct child *child = channel >= 0 ? child_borrow(channel, 0, err) : NULL;
	if (child != NULL && child_is_idle(child))
		return child;
	child_stop(child);
	link->lent = 0;
	return start_child(err);
}

/* Opens the device, or has it made as new. */
static bool open_device(struct referee_link *link, struct error *err)
{
	struct referee_open request = {.head.type = MESSAGE_REFEREE_OPEN, .device = link->device};
	struct referee_open_reply reply;
	const int place = lock_context(&link->device);
	const bool opened = CALL(link, request, reply, err);
	if (place >= 0)
		close(place);
	if (!opened) {
		referee_link_close(link);
		return false;
	}
	link->facts = reply.facts;
	link->used = false;
	return true;
}

/* Whoever has lent it will see that it has ended, and start another one. */
void referee_link_give_up(struct referee_link *link)
{
	referee_link_close(link);
	if (link->lent > 0)
		shutdown(link->lent, SHUT_RDWR);
	link->lent = 0;
}

bool referee_link_open(struct referee_link *link, const struct device_choice *device,
					   struct error *err)
{
	*link = (struct referee_link){
		.device = *device, .spends = link->spends, .lent = link->lent, .arena_fd = -1};
	const double begun = clock_seconds();
	link->child = take_child(link, err);
	timeline_end(link->spends, TIMELINE_START, begun);
	if (link->child != NULL && open_device(link, err))
		return true;
	if (link->lent == 0)
		return false;
	referee_link_give_up(link); /* it is not as new, after the file before */
	link->child = start_child(err);
	return link->child != NULL && open_device(link, err);
}

bool referee_link_renew(struct referee_link *link, bool afresh, struct error *err)
{
	const struct device_choice device = link->device;
	const struct device_properties facts = link->facts;
	struct error why_not;
	if (link->child != NULL && !link->used && !afresh)
		return true;
	drop_arena(link);
	const bool renewed = link->child != NULL && !afresh && open_device(link, &why_not);
	if (!renewed) {
		if (link->child != NULL || afresh) /* else it was only put aside, to wait for the device */
			referee_link_give_up(link);
		if (!referee_link_open(link, &device, err))
			return false;
	}
	link->facts = facts;
	return true;
}

static bool make_case(struct referee_link *link, struct referee_case *request, const char *problem,
					  const struct chain *chain, struct error *err)
{
	drop_arena(link);
	link->used = true;
	request->head.type = MESSAGE_REFEREE_CASE;
	if (chain != NULL)
		request->chain = *chain;
	snprintf(request->problem, sizeof request->problem, "%s", problem);
	const char *file = problem_find(problem)->file;
	snprintf(request->problem_file, sizeof request->problem_file, "%s", file != NULL ? file : "");
	struct referee_case_reply reply = {.custom_stages = 0};
	struct child_exchange exchange = CHILD_EXCHANGE(*request, reply);
	bool ok = call_with_descriptor(link, &exchange, err);
	link->arena_fd = exchange.reply_fd;
	if (!ok)
		return false;
	link->arena = reply.arena;
	link->custom_stages = reply.custom_stages;
	return true;
}

bool referee_link_case(struct referee_link *link, const char *problem, const struct test_case *test,
					   const struct chain *chain, uint32_t sets, struct error *err)
{
	struct referee_case request = {.test = *test, .sets = sets};
	return make_case(link, &request, problem, chain, err);
}

bool referee_link_sealed_case(struct referee_link *link, const char *problem,
							  const struct test_case *test, const struct chain *chain,
							  struct referee_groups groups, struct error *err)
{
	struct referee_case request = {
		.test = *test, .sets = groups.count * groups.sets, .group = groups.sets};
	return make_case(link, &request, problem, chain, err);
}

bool referee_link_descriptor(struct referee_link *link, uint32_t group, int *fd, struct error *err)
{
	struct referee_descriptor request = {.head.type = MESSAGE_REFEREE_DESCRIPTOR, .group = group};
	struct message reply;
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	bool ok = call_with_descriptor(link, &exchange, err);
	*fd = exchange.reply_fd;
	return ok && (*fd >= 0 || error_set(err, "the referee sent no descriptor"));
}

bool referee_link_reset(struct referee_link *link, uint64_t fresh, struct error *err)
{
	struct referee_reset request = {.head.type = MESSAGE_REFEREE_RESET, .fresh = fresh};
	struct message reply;
	return CALL(link, request, reply, err);
}

bool referee_link_check(struct referee_link *link, const struct referee_result *result,
						const struct tolerance *tolerance, struct check_summary *found,
						struct error *err)
{
	struct referee_check request = {.head.type = MESSAGE_REFEREE_CHECK,
									.set = result->set,
									.plain = result->plain,
									.rows = result->rows,
									.tolerance = *tolerance};
	if (result->digests != NULL)
		memcpy(request.digests, result->digests, sizeof request.digests);
	struct referee_check_reply reply;
	bool ok = CALL(link, request, reply, err);
	if (ok)
		*found = reply.found;
	return ok;
}

bool referee_link_refill(struct referee_link *link, struct error *err)
{
	struct referee_again request = {.head.type = MESSAGE_REFEREE_REFILL};
	struct message reply;
	return CALL(link, request, reply, err);
}

bool referee_link_recheck(struct referee_link *link, struct check_summary *found, struct error *err)
{
	struct referee_again request = {.head.type = MESSAGE_REFEREE_RECHECK};
	struct referee_check_reply reply;
	bool ok = CALL(link, request, reply, err);
	if (ok)
		*found = reply.found;
	return ok;
}

bool referee_link_explain(struct referee_link *link, struct wrong_pattern *facts, struct error *err)
{
	struct referee_explain request = {.head.type = MESSAGE_REFEREE_EXPLAIN};
	struct referee_explain_reply reply;
	if (!CALL(link, request, reply, err))
		return false;
	*facts = reply.facts;
	if (facts->map.rows > MAP_CELLS || facts->map.columns > MAP_CELLS)
		facts->map.rows = facts->map.columns = 0;
	if (facts->gated.count > WRONG_GATED)
		facts->gated.count = 0;
	return true;
}

bool referee_link_digest(struct referee_link *link, uint32_t set, struct digest *out,
						 struct error *err)
{
	struct referee_digest request = {.head.type = MESSAGE_REFEREE_DIGEST, .set = set};
	struct referee_digest_reply reply;
	if (!CALL(link, request, reply, err))
		return false;
	*out = reply.result;
	return true;
}

bool referee_link_alike(struct referee_link *link, const char *problem,
						const struct test_case *test, const struct chain *chain, uint32_t sets,
						struct error *err)
{
	struct referee_case request = {.test = *test, .sets = sets, .first = 1};
	return make_case(link, &request, problem, chain, err);
}

bool referee_link_arrange(struct referee_link *link, struct referee_arrange request,
						  struct error *err)
{
	struct message reply;
	request.head.type = MESSAGE_REFEREE_ARRANGE;
	return CALL(link, request, reply, err);
}

bool referee_link_bits(struct referee_link *link, struct referee_bits request,
					   struct bits_compared *found, struct error *err)
{
	struct referee_bits_reply reply = {.found.results = 0};
	request.head.type = MESSAGE_REFEREE_BITS;
	if (!CALL(link, request, reply, err))
		return false;
	*found = reply.found;
	return true;
}

bool referee_link_reference_open(struct referee_link *link, const struct reference_pass *pass,
								 struct arena *arena, int *fd, struct error *err)
{
	struct referee_reference request = {
		.head.type = MESSAGE_REFEREE_REFERENCE_OPEN, .set = pass->set, .faults = pass->faults};
	struct referee_reference_reply reply;
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	bool ok = call_with_descriptor(link, &exchange, err);
	*fd = exchange.reply_fd;
	if (!ok)
		return false;
	*arena = reply.arena;
	return *fd >= 0 || reply.known || error_set(err, "the referee sent no descriptor");
}

bool referee_link_reference_close(struct referee_link *link, struct reference_pass *pass,
								  struct error *err)
{
	struct referee_reference request = {
		.head.type = MESSAGE_REFEREE_REFERENCE_CLOSE, .set = pass->set, .faults = pass->faults};
	struct referee_reference_reply reply;
	if (!CALL(link, request, reply, err))
		return false;
	pass->step_faults = reply.step_faults;
	return true;
}

bool referee_link_stage_open(struct referee_link *link, uint32_t stage, struct arena *arena,
							 int *fd, struct error *err)
{
	struct referee_stage request = {.head.type = MESSAGE_REFEREE_STAGE_OPEN, .stage = stage};
	struct referee_stage_reply reply;
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	bool ok = call_with_descriptor(link, &exchange, err);
	*fd = exchange.reply_fd;
	if (!ok)
		return false;
	*arena = reply.arena;
	return true;
}

bool referee_link_stage_close(struct referee_link *link, uint32_t stage,
							  struct check_summary *found, struct error *err)
{
	struct referee_stage request = {.head.type = MESSAGE_REFEREE_STAGE_CLOSE, .stage = stage};
	struct referee_check_reply reply;
	bool ok = CALL(link, request, reply, err);
	if (ok)
		*found = reply.found;
	return ok;
}

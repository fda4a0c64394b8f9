#include "judge/run/contestant_link.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/text.h"
#include "compile/source_line.h"
#include "compile/stand_in.h"
#include "judge/run/contestant_call.h"
#include "judge/run/counters.h"
#include "judge/run/lock.h"
#include "process/jail.h"
#include "process/settings.h"

/* Loading a driver and a context; or a library with its kernels, from a cold disk. */
#define OPEN_SECONDS 120.0
#define CASE_SECONDS 60.0 /* at most: contestant_call_seconds() */
#define TOOL_SECONDS 60.0 /* for the end under a tool */
#define CONTESTANT_WORDS 64
#define STARTS 2 /* of a process that does not start, or ends while it opens the device */

static struct outcome outcome_ok(void)
{
	return (struct outcome){.verdict = VERDICT_ACCEPTED};
}

__attribute__((format(printf, 3, 4))) static struct outcome
outcome_failed(enum verdict verdict, bool dead, const char *format, ...)
{
	struct outcome outcome = {.verdict = verdict, .dead = dead};
	va_list args;
	va_start(args, format);
	vsnprintf(outcome.detail, sizeof outcome.detail, format, args);
	va_end(args);
	for (char *p = outcome.detail; *p != '\0'; p++) /* one line, whatever the solution wrote */
		*p = *p == '\n' ? ' ' : *p;
	return outcome;
}

/* What a runtime, an assert or an emulated device said last about the process's end. */
static void append_last_line(struct outcome *outcome, struct child *child)
{
	size_t length, used = strlen(outcome->detail);
	const char *line = text_last_line(child_output(child), &length);
	if (length > 0)
		snprintf(outcome->detail + used, sizeof outcome->detail - used, "; it said: %.*s",
				 (int)length, line);
}

/* A copy of what the library's code says, with the name that the user gave it. */
static char *tell(const struct contestant_link *link, const char *text)
{
	char *told = source_line_in(&link->source_line, text);
	char *named = link->setup->source != NULL && link->setup->source[0] != '\0'
					  ? stand_in_tell(told, link->setup->source)
					  : NULL;
	if (named == NULL)
		return told;
	free(told);
	return named;
}

/* What the emulated GPU says of the library's code becomes a line of the source, here and in what
 * is printed next. */
static void tell_source_line(struct contestant_link *link, struct outcome *outcome)
{
	source_line_find(&link->source_line, outcome->detail, link->setup->library);
	char *told = tell(link, outcome->detail);
	if (told != NULL)
		snprintf(outcome->detail, sizeof outcome->detail, "%s", told);
	free(told);
}

/* The first call that failed: the device has printed it, or it is said here. */
static void append_failed(struct outcome *outcome, struct contestant_link *link)
{
	size_t used = strlen(outcome->detail);
	if (link->facts.failed[0] == '\0' ||
		strstr(child_output(link->child), link->facts.failed) != NULL)
		append_last_line(outcome, link->child);
	else
		snprintf(outcome->detail + used, sizeof outcome->detail - used, "; %s", link->facts.failed);
}

/* The verdict of an exchange that brought no reply. */
static struct outcome outcome_of_end(struct contestant_link *link, struct child_result result,
									 const char *doing, double seconds)
{
	struct outcome outcome;
	char kinds[CHILD_MEMORY_TEXT];
	switch (result.outcome) {
	case CHILD_TIMED_OUT:
		outcome =
			outcome_failed(VERDICT_TIME_LIMIT, true, "%s took more than %g s", doing, seconds);
		break;
	case CHILD_STOPPED:
		outcome = outcome_failed(VERDICT_RUNTIME_ERROR, true,
								 "%s stopped its own process (SIGSTOP)", doing);
		break;
	case CHILD_OVER_MEMORY:
		child_memory_text(&result.memory, kinds);
		outcome = outcome_failed(
			VERDICT_MEMORY_LIMIT, true, "%s used more than %zu MiB of host memory%s%s", doing,
			link->setup->memory_limit >> 20, kinds[0] != '\0' ? ": " : "", kinds);
		break;
	case CHILD_SIGNALED:
		link->facts.signal = result.signal_number;
		outcome = outcome_failed(VERDICT_RUNTIME_ERROR, true, "%s was ended by signal %d (%s)",
								 doing, result.signal_number, strsignal(result.signal_number));
		break;
	case CHILD_EXITED:
		outcome =
			outcome_failed(VERDICT_RUNTIME_ERROR, true, "%s ended the process with exit status %d",
						   doing, result.exit_status);
		break;
	default:
		outcome =
			outcome_failed(VERDICT_RUNTIME_ERROR, true, "%s broke the channel to the judge", doing);
		break;
	}
	bool killed = result.outcome == CHILD_TIMED_OUT || result.outcome == CHILD_OVER_MEMORY ||
				  result.outcome == CHILD_STOPPED;
	if (!killed || (result.outcome == CHILD_TIMED_OUT &&
					strstr(child_output(link->child), FAULT_STILL_RUNS) != NULL))
		append_last_line(&outcome, link->child);
	tell_source_line(link, &outcome);
	return outcome;
}

/* A kernel that does not end, as a watchdog or the emulated GPU finds. */
#define RUN_ENDLESS "cudaErrorLaunchTimeout"

/* The verdict of a reply that tells of a failure. A solution could have written the
 * reply itself, so that its texts are ended here. */
static struct outcome outcome_of_status(struct contestant_link *link, enum run_status status,
										int error_code, char name[RUN_NAME_BYTES],
										char text[RUN_TEXT_BYTES])
{
	struct outcome outcome;
	name[RUN_NAME_BYTES - 1] = text[RUN_TEXT_BYTES - 1] = '\0';
	switch (status) {
	case RUN_OK: return outcome_ok();
	case RUN_NO_SOLVE: return outcome_failed(VERDICT_COMPILE_ERROR, true, RUN_NO_SOLVE_TEXT);
	case RUN_UNLOADABLE:
		return outcome_failed(
			VERDICT_RULE_VIOLATION, true,
			"the compiled solution needs something that is not allowed or not there: "
			"%s",
			text);
	case RUN_FORBIDDEN_LIBRARY:
		return outcome_failed(VERDICT_RULE_VIOLATION, true, "it loaded a GEMM library: %s", text);
	case RUN_NO_EPILOGUE:
		return outcome_failed(
			VERDICT_COMPILE_ERROR, true,
			"the solution neither includes epilogue.cuh nor defines epilogue_bind() "
			"(guide comparing): it can only be judged as alpha_beta");
	case RUN_TIME_LIMIT:
		outcome = outcome_failed(VERDICT_TIME_LIMIT, true, "a kernel of solve() does not end");
		break;
	case RUN_UNSUPPORTED:
		outcome =
			outcome_failed(VERDICT_UNSUPPORTED, true, "%s (%s, error %d)", text, name, error_code);
		break;
	default:
		outcome = outcome_failed(strcmp(name, RUN_ENDLESS) == 0 ? VERDICT_TIME_LIMIT
																: VERDICT_RUNTIME_ERROR,
								 true, "CUDA error %d, %s: %s", error_code, name, text);
		break;
	}
	append_failed(&outcome, link);
	tell_source_line(link, &outcome);
	return outcome;
}

/* One line without control characters, whatever the solution's process has written. */
static void take_text(char *out, size_t size, const char *text, size_t text_size)
{
	snprintf(out, size, "%.*s", (int)text_size - 1, text);
	for (char *p = out; *p != '\0'; p++)
		*p = (unsigned char)*p < ' ' ? ' ' : *p;
}

static void take_facts(struct contestant_link *link, const struct contestant_reply *reply)
{
	struct call_report *facts = &link->facts;
	take_text(facts->error, sizeof facts->error, reply->error_name, sizeof reply->error_name);
	take_text(facts->failed, sizeof facts->failed, reply->failed, sizeof reply->failed);
	take_text(facts->advice, sizeof facts->advice, reply->advice, sizeof reply->advice);
	facts->kept_bytes = reply->kept_bytes;
	facts->peak_bytes = reply->peak_bytes;
}

/* The verdict where the file's time is up, all of its cases together. */
static struct outcome outcome_of_all(struct contestant_link *link)
{
	return outcome_failed(VERDICT_TIME_LIMIT, true,
						  "the file took more than %g s for all of its cases (--file-timeout S "
						  "allows more)",
						  link->setup->together);
}

/* Sends a request; on failure the process may be gone (then `dead`). Nothing is clocked on the
 * emulated GPU, which has no time: to look for a reply without sleep takes a core from it. */
static struct outcome call_with_descriptor(struct contestant_link *link, const char *doing,
										   struct child_exchange *exchange)
{
	/* before the solution is loaded the time, and what is said, is ours */
	bool ours = ((const struct message *)exchange->request)->type == MESSAGE_CONTESTANT_OPEN;
	double left = link->setup->together - link->waited;
	bool shortened = link->setup->together > 0.0 && !ours && left < exchange->seconds;
	if (shortened)
		exchange->seconds = fmax(left, 0.0);
	exchange->clocked &= link->setup->device->kind == DEVICE_CUDA;
	const double begun = clock_seconds();
	struct child_result result = child_call(link->child, exchange);
	timeline_request(link->setup->spends, exchange->request, exchange->reply, begun);
	link->waited += ours ? 0.0 : result.waited;
	if (shortened && result.outcome == CHILD_TIMED_OUT)
		return outcome_of_all(link);
	if (result.outcome != CHILD_REPLIED)
		return outcome_of_end(link, result, doing, exchange->seconds);

	const struct message *head = exchange->reply;
	if (exchange->reply_bytes >= sizeof *head && !head->ok) {
		struct outcome outcome =
			outcome_failed(ours ? VERDICT_NOT_RUN : VERDICT_RUNTIME_ERROR, true, "%.*s",
						   (int)sizeof head->error - 1, head->error);
		outcome.refused = true;
		return outcome;
	}
	if (exchange->reply_bytes != exchange->reply_capacity)
		return outcome_failed(VERDICT_RUNTIME_ERROR, true, "%s broke the channel to the judge",
							  doing);
	return outcome_ok();
}

struct outcome contestant_call(struct contestant_link *link, const char *doing,
							   struct child_exchange *exchange)
{
	struct outcome outcome = call_with_descriptor(link, doing, exchange);
	if (exchange->reply_fd >= 0) /* none belongs there: the solution has sent it */
		close(exchange->reply_fd);
	return outcome;
}

/* A call by one of the requests that are answered with a contestant_reply, with what
 * the reply tells. */
struct outcome contestant_call_for_status(struct contestant_link *link, const char *doing,
										  struct child_exchange *exchange)
{
	struct contestant_reply *reply = exchange->reply;
	struct outcome outcome = contestant_call(link, doing, exchange);
	if (outcome.verdict == VERDICT_NOT_RUN) { /* the solution ran before, or wrote this itself */
		char why[sizeof reply->head.error];
		memcpy(why, outcome.detail, sizeof why);
		outcome =
			outcome_failed(VERDICT_RUNTIME_ERROR, true,
						   "%s left the judge's part of its process at a loss: %s", doing, why);
	}
	if (outcome.verdict != VERDICT_ACCEPTED) {
		*reply = (struct contestant_reply){.seconds = 0.0};
		return outcome;
	}
	take_facts(link, reply);
	return outcome_of_status(link, reply->status, reply->error_code, reply->error_name,
							 reply->error_text);
}

struct outcome contestant_call_left(struct contestant_link *link, enum run_status left,
									int error_code, char name[RUN_NAME_BYTES],
									char text[RUN_TEXT_BYTES])
{
	struct outcome outcome = outcome_of_status(link, left, error_code, name, text);
	outcome.dead = false;
	return outcome;
}

struct outcome contestant_call_of_solve(struct contestant_link *link,
										struct child_exchange *exchange)
{
	struct contestant_reply *reply = exchange->reply;
	struct outcome out = contestant_call_for_status(link, "solve()", exchange);
	if (out.verdict == VERDICT_ACCEPTED)
		link->left = contestant_call_left(link, reply->left, reply->error_code, reply->error_name,
										  reply->error_text);
	return out;
}

/* A tool tells what it has found when the program ends by itself. */
static void end_under_tool(struct contestant_link *link)
{
	child_finish(link->child, TOOL_SECONDS);
	char *now = contestant_link_output(link);
	if (now != NULL)
		text_append(&link->said, now); /* memory is short: less is shown */
	free(now);
}

/* What a process that has ended left of its counters. */
static void take_counters(struct contestant_link *link)
{
	if (!link->has_settings)
		return;
	char *text = link->setup->counts != NULL ? settings_counters(link->settings) : NULL;
	if (text != NULL && counters_read(text, link->setup->source, link->setup->counts))
		link->setup->counts->has_counters = true;
	free(text);
	close(link->settings);
	link->has_settings = false;
}

void contestant_link_close(struct contestant_link *link)
{
	const double begun = clock_seconds();
	const bool ran = link->child != NULL;
	if (ran && link->setup->under != NULL)
		end_under_tool(link);
	const int place = ran ? lock_context(link->setup->device) : -1;
	if (!child_stop(link->child) && link->setup->outlives != NULL)
		*link->setup->outlives = true;
	if (place >= 0)
		close(place);
	link->child = NULL;
	link->prepared = false;
	if (ran)
		timeline_end(link->setup->spends, TIMELINE_END, begun);
	take_counters(link);
	if (link->jail.listener != NULL) /* only now: without it the process would see other errors */
		denied_take(link->jail.listener, &link->jail.denied);
	denied_stop(link->jail.listener);
	link->jail.listener = NULL;
}

void contestant_link_denied(struct contestant_link *link, struct denied_list *list)
{
	if (link->jail.listener != NULL)
		denied_take(link->jail.listener, &link->jail.denied);
	denied_add_all(list, &link->jail.denied);
	link->jail.denied = (struct denied_list){.count = 0};
}

static bool start(struct contestant_link *link, struct error *err)
{
	char build[PATHS_MAX], program[PATHS_MAX];
	if (!paths_build(build, err) || !paths_join(program, build, "libexec/contestant", err))
		return false;
	const char *argv[CONTESTANT_WORDS + 2];
	size_t words = 0;
	for (; link->setup->under != NULL && link->setup->under[words] != NULL &&
		   words < CONTESTANT_WORDS;
		 words++)
		argv[words] = link->setup->under[words];
	argv[words++] = program;
	argv[words] = NULL;
	const double begun = clock_seconds();
	const int lent = link->setup->lent > 0 ? fcntl(link->setup->lent, F_DUPFD_CLOEXEC, 3) : -1;
	if (lent >= 0) {
		link->child = child_borrow(lent, link->setup->lent_program, err);
		if (link->child != NULL)
			child_forget_replies(link->child);
		return link->child != NULL;
	}
	link->child =
		child_start(&(struct child_options){.argv = argv,
											.setenv = link->setup->environment,
											.tells = true,
											.control = link->setup->control,
											.memory_limit_bytes = link->setup->memory_limit},
					err);
	timeline_end(link->setup->spends, TIMELINE_START, begun);
	return link->child != NULL || error_prefix(err, "cannot start the contestant");
}

/* Looks on at what the closed process will try. fd: what came with the reply. */
static bool listen_to(struct contestant_link *link, const struct contestant_open *request,
					  struct contestant_open_reply *reply, int fd, struct error *err)
{
	const char *readable[] = {link->setup->library, request->library_folder, NULL};
	if (request->library_folder[0] == '\0')
		readable[1] = NULL;
	reply->untold[sizeof reply->untold - 1] = '\0';
	if (request->tells != 0 && reply->tells == 0 && (reply->layers & LAYER_CALLS) != 0)
		memcpy(link->jail.denied.unrecorded, reply->untold, sizeof link->jail.denied.unrecorded);
	if (fd < 0)
		return reply->tells == 0 || error_set(err, "the jail's listener did not arrive");
	link->jail.listener = denied_listen(fd, &(struct denied_allowed){.readable = readable}, err);
	return link->jail.listener != NULL;
}

static bool make_settings(struct contestant_link *link, struct error *err)
{
	if (link->setup->device->kind != DEVICE_EMULATED)
		return true;
	link->settings = settings_make(link->setup->settings, link->setup->counts != NULL, err);
	link->has_settings = link->settings >= 0;
	return link->has_settings;
}

/* Makes the context and closes the process; no code of a submission runs in it yet. *ended: the
 * process came to an end over it, which is nobody's doing here. */
static struct outcome enclose(struct contestant_link *link, bool *ended)
{
	bool open = link->setup->libraries_allowed || link->setup->under != NULL;
	struct contestant_open request = {.head.type = MESSAGE_CONTESTANT_OPEN,
									  .device = *link->setup->device,
									  .layers = open ? 0 : LAYER_SOLUTION & ~link->setup->without,
									  .counts = link->setup->counts != NULL,
									  .timed = link->setup->timed,
									  .libraries_allowed = link->setup->libraries_allowed,
									  .under_tool = link->setup->under != NULL,
									  .tells = !open && link->setup->lent <= 0,
									  .lent = link->setup->lent > 0};
	struct contestant_open_reply reply = {.tells = 0};
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	struct error err = {{0}};
	exchange.seconds = OPEN_SECONDS;
	snprintf(request.solution, sizeof request.solution, "%s", link->setup->library);
	snprintf(request.library_folder, sizeof request.library_folder, "%s",
			 link->setup->library_folder != NULL ? link->setup->library_folder : "");
	const char *file = problem_find(link->setup->problem)->file;
	snprintf(request.problem_file, sizeof request.problem_file, "%s", file != NULL ? file : "");
	if (!make_settings(link, &err))
		return outcome_failed(VERDICT_NOT_RUN, true, "%s", err.message);
	if (link->has_settings)
		exchange.request_fd = link->settings;
	const int place = lock_context(link->setup->device);
	struct outcome outcome = call_with_descriptor(link, "opening the device", &exchange);
	if (place >= 0)
		close(place);
	bool died = outcome.verdict == VERDICT_RUNTIME_ERROR || outcome.verdict == VERDICT_TIME_LIMIT;
	*ended = outcome.verdict == VERDICT_RUNTIME_ERROR && link->setup->under == NULL;
	if (died && link->setup->under == NULL) /* the machine's doing: nobody's code has run */
		outcome.verdict = VERDICT_NOT_RUN;
	if (outcome.verdict != VERDICT_ACCEPTED) {
		if (exchange.reply_fd >= 0)
			close(exchange.reply_fd);
		return outcome;
	}
	if (!listen_to(link, &request, &reply, exchange.reply_fd, &err))
		return outcome_failed(VERDICT_NOT_RUN, true, "%s", err.message);
	link->jail.enclosed = true;
	link->jail.layers = reply.layers;
	link->jail.can_seal = reply.sealed != 0;
	reply.unavailable[sizeof reply.unavailable - 1] = '\0';
	snprintf(link->jail.unsealed, sizeof link->jail.unsealed, "%.399s", reply.unsealed);
	snprintf(link->jail.unavailable, sizeof link->jail.unavailable, "%s",
			 link->setup->libraries_allowed ? "it is a baseline, which may use libraries"
			 : open                         ? "a tool looks on"
											: reply.unavailable);
	return outcome;
}

bool contestant_link_holds(const struct contestant_link *link, struct error *err)
{
	unsigned missing = link->setup->required & LAYER_SOLUTION & ~link->jail.layers;
	char names[LAYERS_TEXT];
	return !link->jail.enclosed || missing == 0 ||
		   error_set(err, "--require: not closed around the solution: %s%s%s",
					 layers_print(missing, names), link->jail.unavailable[0] != '\0' ? "; " : "",
					 link->jail.unavailable);
}

/* One that is killed before code of a submission runs in it is replaced by a new one. */
static struct outcome start_enclosed(struct contestant_link *link)
{
	struct error err = {{0}};
	struct outcome outcome = outcome_ok();
	bool ended = true;
	for (int i = 0; i < STARTS && ended; i++) {
		contestant_link_close(link);
		if (start(link, &err))
			outcome = enclose(link, &ended);
		else
			outcome = outcome_failed(VERDICT_NOT_RUN, true, "%s", err.message);
	}
	return outcome;
}

struct outcome contestant_link_load(struct contestant_link *link)
{
	struct contestant_load request = {.head.type = MESSAGE_CONTESTANT_LOAD,
									  .has_epilogue =
										  link->setup->chain != NULL && !link->setup->unbound,
									  .order = link->setup->order};
	snprintf(request.solution, sizeof request.solution, "%s", link->setup->library);
	snprintf(request.problem, sizeof request.problem, "%s", link->setup->problem);
	struct contestant_reply reply;
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	exchange.seconds = link->setup->libraries_allowed ? OPEN_SECONDS : link->setup->timeout;
	link->facts = (struct call_report){.signal = 0};
	if (link->jail.listener != NULL)
		denied_begin(link->jail.listener);
	struct outcome outcome = contestant_call_for_status(link, "loading the solution", &exchange);
	bool known = outcome.verdict == VERDICT_ACCEPTED && reply.entry <= ENTRY_SOLUTION;
	link->entry = known ? reply.entry : ENTRY_SOLVE;
	return outcome;
}

static struct outcome open_enclosed(struct contestant_link *link)
{
	contestant_link_close(link);
	link->jail.enclosed = false;
	link->jail.layers = 0;
	link->jail.unavailable[0] = '\0';
	return start_enclosed(link);
}

void contestant_link_prepare(struct contestant_link *link)
{
	if (open_enclosed(link).verdict == VERDICT_ACCEPTED)
		link->prepared = true;
	else
		contestant_link_close(link);
}

struct outcome contestant_link_open(struct contestant_link *link)
{
	struct error err = {{0}};
	if (!link->prepared) {
		struct outcome outcome = open_enclosed(link);
		if (outcome.verdict != VERDICT_ACCEPTED)
			return outcome;
	}
	link->prepared = false;
	if (!contestant_link_holds(link, &err))
		return outcome_failed(VERDICT_NOT_RUN, true, "%s", err.message);
	return contestant_link_load(link);
}

/* What the judge's part of the process does there takes little, and a solution that keeps it from
 * that is not waited for much longer than one that does not end. */
double contestant_call_seconds(const struct contestant_link *link)
{
	return fmin(CASE_SECONDS, fmax(2.0 * link->setup->timeout, CASE_SECONDS / 3.0));
}

struct outcome contestant_link_runs(struct contestant_link *link, struct contestant_run request,
									double timeout, double *seconds)
{
	struct contestant_reply reply;
	struct child_exchange exchange = CHILD_EXCHANGE(request, reply);
	request.head.type = MESSAGE_CONTESTANT_RUN;
	request.steps = link->steps;
	exchange.seconds = timeout;
	link->facts = (struct call_report){.signal = 0};
	struct outcome outcome = contestant_call_of_solve(link, &exchange);
	*seconds = reply.seconds;
	return outcome;
}

struct outcome contestant_link_run(struct contestant_link *link, uint32_t set, double timeout,
								   double *seconds)
{
	const struct contestant_run request = {.set = set, .orders = {link->launches}};
	return contestant_link_runs(link, request, timeout, seconds);
}

struct outcome contestant_link_time(struct contestant_link *link, struct contestant_time request,
									double timeout, struct contestant_time_reply *reply)
{
	request.head.type = MESSAGE_CONTESTANT_TIME;
	struct child_exchange exchange = CHILD_EXCHANGE(request, *reply);
	exchange.seconds = timeout;
	struct outcome outcome = contestant_call(link, "solve()", &exchange);
	if (outcome.verdict != VERDICT_ACCEPTED)
		return outcome;
	if (reply->calls > request.calls) /* a solution could have written the reply itself */
		return outcome_failed(VERDICT_RUNTIME_ERROR, true,
							  "solve() broke the channel to the judge");
	outcome = outcome_of_status(link, reply->status, reply->error_code, reply->error_name,
								reply->error_text);
	if (outcome.verdict == VERDICT_ACCEPTED)
		link->left = contestant_call_left(link, reply->left, reply->error_code, reply->error_name,
										  reply->error_text);
	return outcome;
}

char *contestant_link_output(struct contestant_link *link)
{
	if (link->child == NULL)
		return NULL;
	const char *said = child_output(link->child);
	char *copy = said[0] != '\0' ? tell(link, said) : NULL;
	child_output_clear(link->child);
	return copy;
}

/* links: serve; label: threads */
/* Who is next, and what those who watch are told. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/queue.h"

static char folder[] = "/tmp/queue-XXXXXX";
static struct jobs *jobs;
static struct queue *queue;

static void begin(void)
{
	struct error err;
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	jobs = jobs_open("s.db", false, &err);
	cr_assert_not_null(jobs, "%s", err.message);
	queue = queue_open(jobs, &err);
	cr_assert_not_null(queue, "%s", err.message);
}

static void end(void)
{
	char command[128];
	queue_close(queue);
	jobs_close(jobs);
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0);
}

TestSuite(queue, .init = begin, .fini = end);

static const struct queue_limits limits = {.all = 6, .of_user = 4};

static enum queue_answer put(const char *id, const char *user)
{
	const struct job_given job = {.id = id,
								  .account = user,
								  .problem = "sgemm",
								  .name = "a.cu",
								  .options = "{}",
								  .source = "x",
								  .source_length = 1};
	struct error err;
	return queue_add(queue, &job, &limits, &err);
}

/* Takes the next one and begins it, as a runner does. */
static struct queue_entry *take(const char *expected)
{
	struct error err;
	char *options, *source;
	int attempts;
	struct queue_entry *entry = queue_take(queue);
	cr_assert_not_null(entry);
	cr_assert_str_eq(queue_id(entry), expected);
	cr_assert(job_begin(jobs, queue_id(entry), &options, &source, &attempts, &err));
	free(options);
	free(source);
	return entry;
}

static void finish(struct queue_entry *entry, double seconds)
{
	struct error err;
	const struct job_end ended = {.verdict = "accepted", .seconds = seconds};
	cr_assert(job_finish(jobs, queue_id(entry), &ended, &err), "%s", err.message);
	queue_done(queue, entry);
}

Test(queue, users_take_turns)
{
	put("a1", "ada");
	put("a2", "ada");
	put("a3", "ada");
	put("b1", "bob");
	cr_expect_eq(queue_place(queue, "a1"), 1);
	struct queue_entry *a1 = take("a1");
	cr_expect_eq(queue_place(queue, "a1"), 0);
	cr_expect_eq(queue_place(queue, "b1"), 1);
	cr_expect_eq(queue_place(queue, "a2"), 2);
	cr_expect_eq(queue_place(queue, "a3"), 3);
	struct queue_entry *b1 = take("b1"); /* who has none in judgement goes first */
	finish(b1, 9);
	finish(a1, 3);
	put("b2", "bob");
	struct queue_entry *a2 = take("a2"); /* of fewer seconds */
	struct queue_entry *b2 = take("b2");
	finish(a2, 1);
	finish(b2, 1);
	finish(take("a3"), 1);
}

Test(queue, is_bounded)
{
	cr_expect_eq(put("a1", "ada"), QUEUE_TAKEN);
	cr_expect_eq(put("a2", "ada"), QUEUE_TAKEN);
	cr_expect_eq(put("a3", "ada"), QUEUE_TAKEN);
	cr_expect_eq(put("a4", "ada"), QUEUE_TAKEN);
	cr_expect_eq(put("a5", "ada"), QUEUE_FULL_OF_USER);
	cr_expect_eq(put("b1", "bob"), QUEUE_TAKEN);
	cr_expect_eq(put("b1", "bob"), QUEUE_FAILED, "an id is there once");
	cr_expect_eq(put("b2", "bob"), QUEUE_TAKEN);
	cr_expect_eq(put("c1", "cy"), QUEUE_FULL);
	cr_expect_eq(queue_counts(queue, "ada").waiting, 6);
	cr_expect_eq(queue_counts(queue, "ada").of_user, 4);
	struct error err;
	cr_expect(queue_withdraw(queue, "a1", &err), "%s", err.message);
	cr_expect_not(queue_withdraw(queue, "a1", &err));
	cr_expect_eq(put("c1", "cy"), QUEUE_TAKEN);
}

static size_t woken;

static void wake(void *context)
{
	(void)context;
	woken++;
}

static void sleep_now(void *context)
{
	(void)context;
}

/* The events up to now, by their names and a number. */
static void expect_news(struct queue_watcher *watcher, enum queue_news last, ...)
{
	va_list names;
	char *text = NULL;
	const char *name;
	enum queue_news news;
	va_start(names, last);
	while ((news = queue_next(queue, watcher, sleep_now, &text)) == QUEUE_NEWS) {
		name = va_arg(names, const char *);
		cr_assert_not_null(name, "more than was to come: %s", text);
		cr_expect_not_null(strstr(text, name), "%s and not %s", text, name);
		free(text);
	}
	cr_expect_null(va_arg(names, const char *));
	cr_expect_eq(news, last);
	va_end(names);
}

static void tell(struct queue_entry *entry, const char *name)
{
	json_t *json = json_pack("{s:s}", "event", name);
	queue_tell(queue, entry, json, true);
	json_decref(json);
}

Test(queue, tells_those_who_watch)
{
	put("a1", "ada");
	put("a2", "ada");
	struct queue_watcher *first = queue_watch(queue, "a1", "ada", wake, NULL);
	struct queue_watcher *second = queue_watch(queue, "a2", "ada", wake, NULL);
	cr_expect_null(queue_watch(queue, "none", "ada", wake, NULL));
	expect_news(second, QUEUE_SLEPT, "event: queued\ndata: {\"event\":\"queued\",\"place\":2}\n\n",
				NULL);
	struct queue_entry *a1 = take("a1");
	cr_expect_eq(woken, 1);
	expect_news(second, QUEUE_SLEPT, "\"place\":1}", NULL);
	tell(a1, "compiling");
	expect_news(first, QUEUE_SLEPT, "event: compiling\n", NULL);
	queue_again(queue, a1); /* begun anew, it is all told again */
	expect_news(first, QUEUE_SLEPT, "\"place\":1}", NULL);
	a1 = take("a1");
	tell(a1, "compiling");
	tell(a1, "verdict");
	finish(a1, 1);
	struct queue_watcher *late = queue_watch(queue, "a1", "ada", wake, NULL);
	cr_assert_not_null(late, "others still watch it");
	expect_news(first, QUEUE_ENDED, "compiling", "verdict", NULL);
	expect_news(late, QUEUE_ENDED, "compiling", "verdict", NULL);
	queue_beat(queue);
	expect_news(second, QUEUE_SLEPT, ":\n\n", NULL);
	queue_unwatch(queue, first);
	queue_unwatch(queue, late);
	cr_expect_null(queue_watch(queue, "a1", "ada", wake, NULL), "nobody does");
	queue_shut(queue);
	expect_news(second, QUEUE_ENDED, NULL);
	queue_unwatch(queue, second);
}

Test(queue, ends)
{
	put("a1", "ada");
	queue_end(queue);
	cr_expect_null(queue_take(queue));
}

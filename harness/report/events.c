#include "report/events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "judgement/names.h"
#include "report/document.h"
#include "report/record.h"

bool events_open(struct events *events, const char *path, struct error *err)
{
	*events = (struct events){.fd = -1};
	if (path == NULL)
		return true;
	const bool standard = strcmp(path, "-") == 0;
	events->fd = standard ? dup(STDOUT_FILENO)
						  : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
	if (events->fd >= 0)
		return true;
	return error_set(err, "cannot write %s: %s", path, strerror(errno));
}

bool events_close(struct events *events, struct error *err)
{
	const int failed = events->failed;
	if (events->fd >= 0 && close(events->fd) != 0 && failed == 0)
		events->failed = errno;
	events->fd = -1;
	return events->failed == 0 ||
		   error_set(err, "cannot write the events: %s", strerror(events->failed));
}

/* In one piece, so that whoever reads, or is killed, has whole lines. */
static void put(struct events *events, json_t *json)
{
	char *line = document_line(json);
	errno = ENOMEM;
	if (line == NULL || !text_write(events->fd, line, strlen(line)))
		events->failed = errno;
	free(line);
}

static bool wanted(const struct events *events)
{
	return events->fd >= 0 && events->failed == 0;
}

static json_t *event(const char *name, const char *file)
{
	json_t *json = json_object();
	json_object_set_new(json, "event", json_string(name));
	if (file != NULL)
		json_object_set_new(json, "file", document_text(file));
	return json;
}

void events_queued(struct events *events, const char *file)
{
	if (!wanted(events))
		return;
	json_t *json = event("queued", file);
	json_object_set_new(json, "events_version", json_integer(EVENTS_SCHEMA_VERSION));
	put(events, json);
}

void events_compiling(struct events *events, const char *file)
{
	if (wanted(events))
		put(events, event("compiling", file));
}

void events_compiled(struct events *events, const struct judgement *item)
{
	static const char *const members[] = {"seconds", "cached", "log", "kernels"};
	if (!wanted(events))
		return;
	json_t *json = event("compiled", item->file);
	json_object_set_new(json, "ok", json_boolean(item->verdict == VERDICT_ACCEPTED));
	json_t *compile = record_of_compile(item);
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		json_object_set(json, members[i], json_object_get(compile, members[i]));
	json_decref(compile);
	put(events, json);
}

void events_case(struct events *events, const struct judgement *item, size_t i)
{
	if (!wanted(events))
		return;
	json_t *json = event("case", item->file);
	json_object_set_new(json, "number", json_integer((json_int_t)i + 1));
	json_object_set_new(json, "of", json_integer((json_int_t)item->count));
	json_object_set_new(json, "case", record_of_case(item, i));
	put(events, json);
}

void events_timing(struct events *events, const char *file)
{
	if (wanted(events))
		put(events, event("timing", file));
}

void events_verdict(struct events *events, const struct judgement_list *list, size_t i)
{
	const struct judgement *item = &list->items[i];
	char seed[32];
	if (!wanted(events))
		return;
	snprintf(seed, sizeof seed, "0x%llx", (unsigned long long)list->facts.seed);
	json_t *json = event("verdict", item->file);
	json_object_set_new(json, "verdict", json_string(verdict_name(item->verdict)));
	json_object_set_new(json, "seed", json_string(seed));
	json_object_set_new(json, "result", record_of_result(item));
	if (list->bench_count > 0)
		json_object_set_new(json, "bench", record_of_bench(list));
	put(events, json);
}

void events_error(struct events *events, const struct error *err)
{
	if (!wanted(events))
		return;
	json_t *json = event("error", NULL);
	json_object_set_new(json, "message", document_text(err->message));
	put(events, json);
}

void events_end(struct events *events, const struct run_description *facts)
{
	if (!wanted(events))
		return;
	json_t *json = event("end", NULL);
	json_object_set_new(json, "run", record_of_run(facts));
	put(events, json);
}

/* gemmjudge rejudge: what was judged, judged again. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/remove.h"
#include "base/scratch.h"
#include "base/text.h"
#include "cli/batch.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/reader.h"
#include "cli/recorded.h"
#include "cli/source_files.h"
#include "cli/stored.h"
#include "cli/written_files.h"
#include "report/clean.h"
#include "report/document.h"
#include "store/place.h"

#define SCHEMA_VERSION 1
#define AHEAD 256 /* sources are read from the store so many at a time */
/* Options that are the command's own, or go to its judges in other words. */
#define OWN_OPTIONS "problem since device json store no-store help"

/* A judgement that is to be had again. */
struct rejudged {
	const struct measured *before;
	char *path; /* of its source, while it is a file; owned */
	bool told;  /* why there is no file */
};

struct rejudge {
	const struct options *options;
	const char *store, *folder;
	const struct batch_words *words;
	FILE *text;
	size_t count, next, read; /* of `items`: all, those that were begun, those that are files */
	struct rejudged *items;   /* the newest of each source, the oldest first */
	size_t judged, changed, without, failed;
	json_t *answers; /* of --json */
};

/* ---- which ------------------------------------------------------------------------- */

/* What makes two judgements be of one thing. */
static char *key_of(const struct measured *item)
{
	json_t *key =
		json_pack("[s, s, s, s]", item->content, item->problem, item->epilogue, item->nvcc_flags);
	char *text = json_dumps(key, JSON_COMPACT);
	json_decref(key);
	return text;
}

static bool choose(struct rejudge *rejudge, const struct measured_list *found, struct error *err)
{
	json_t *known = json_object();
	rejudge->items = calloc(found->count + 1, sizeof *rejudge->items);
	struct rejudged *first = rejudge->items + found->count; /* filled from behind */
	bool ok = rejudge->items != NULL;
	for (size_t i = found->count; i-- > 0 && ok;) {
		char *key = key_of(&found->items[i]);
		ok = key != NULL;
		if (ok && json_object_get(known, key) == NULL) {
			json_object_set_new(known, key, json_true());
			*--first = (struct rejudged){.before = &found->items[i]};
			rejudge->count++;
		}
		free(key);
	}
	if (ok)
		memmove(rejudge->items, first, rejudge->count * sizeof *first);
	json_decref(known);
	return ok || error_set(err, "out of memory");
}

/* ---- requests ---------------------------------------------------------------------- */

static void say_failed(struct rejudge *rejudge, struct rejudged *item, const char *why)
{
	char line[1024];
	const struct measured *before = item->before;
	snprintf(line, sizeof line, "#%lld %.200s: %.700s", (long long)before->id, before->file, why);
	cli_tell(line);
	item->told = true;
	rejudge->failed++;
}

static void folder_of(const struct rejudge *rejudge, const struct rejudged *item,
					  char out[PATHS_MAX])
{
	snprintf(out, PATHS_MAX, "%s/%zu", rejudge->folder, (size_t)(item - rejudge->items));
}

static bool take_sources(void *context, size_t i, struct sources *sources, struct error *err)
{
	struct rejudge *rejudge = context;
	struct rejudged *item = &rejudge->items[rejudge->read + i];
	char folder[PATHS_MAX], path[PATHS_MAX];
	struct error why;
	folder_of(rejudge, item, folder);
	if (!source_files_write(folder, sources, path, &why)) {
		say_failed(rejudge, item, why.message);
		return true;
	}
	item->path = strdup(path);
	return item->path != NULL || error_set(err, "out of memory");
}

static bool read_sources(struct rejudge *rejudge, struct error *err)
{
	const char *hashes[AHEAD];
	size_t count = 0;
	for (; count < AHEAD && rejudge->read + count < rejudge->count; count++)
		hashes[count] = rejudge->items[rejudge->read + count].before->content;
	const bool ok = sources_each(rejudge->store, hashes, count, take_sources, rejudge, err);
	rejudge->read += count;
	return ok;
}

static char *request_of(const struct rejudge *rejudge, const struct rejudged *item)
{
	json_t *line = json_pack("{s:I, s:s, s:s, s:o}", "id", (json_int_t)(item - rejudge->items),
							 "problem", item->before->problem, "path", item->path, "options",
							 recorded_options(item->before, rejudge->words));
	char *text = json_dumps(line, JSON_COMPACT);
	json_decref(line);
	return text;
}

static bool ask(void *context, char **line, struct error *err)
{
	struct rejudge *rejudge = context;
	*line = NULL;
	while (rejudge->next < rejudge->count) {
		if (rejudge->next == rejudge->read && !read_sources(rejudge, err))
			return false;
		const struct rejudged *item = &rejudge->items[rejudge->next++];
		if (item->path != NULL) {
			*line = request_of(rejudge, item);
			return *line != NULL || error_set(err, "out of memory");
		}
		rejudge->without += !item->told;
	}
	return true;
}

/* ---- answers ----------------------------------------------------------------------- */

static void show_change(const struct rejudge *rejudge, const struct measured *before,
						const char *verdict)
{
	fprintf(rejudge->text, "#%lld ", (long long)before->id);
	clean_print_line(rejudge->text, before->file);
	fprintf(rejudge->text, " %.8s: %s -> %s\n", before->content, before->verdict, verdict);
	fflush(rejudge->text);
}

static void keep_answer(struct rejudge *rejudge, const struct measured *before,
						const json_t *answer)
{
	json_t *json = json_object(), *result = json_object_get(answer, "result");
	json_object_set_new(json, "id", json_integer(before->id));
	json_object_set_new(json, "file", document_text(before->file));
	json_object_set_new(json, "content", document_text(before->content));
	json_object_set_new(json, "problem", document_text(before->problem));
	json_object_set_new(json, "before", document_text(before->verdict));
	json_object_set(json, "after", json_object_get(answer, "verdict"));
	json_object_set(json, "detail", json_object_get(result, "detail"));
	json_array_append_new(rejudge->answers, json);
}

static bool take_answer(void *context, const json_t *answer, struct error *err)
{
	struct rejudge *rejudge = context;
	const json_int_t id = json_integer_value(json_object_get(answer, "id"));
	const char *verdict = json_string_value(json_object_get(answer, "verdict"));
	char folder[PATHS_MAX];
	(void)err;
	struct rejudged *item = &rejudge->items[id];
	folder_of(rejudge, item, folder);
	remove_folder(folder);
	if (verdict == NULL || verdict_is(verdict, VERDICT_NOT_RUN)) {
		const char *why = json_string_value(json_object_get(answer, "error"));
		if (!command_interrupted(NULL))
			say_failed(rejudge, item, why != NULL ? why : "not_run");
		return true;
	}
	rejudge->judged++;
	keep_answer(rejudge, item->before, answer);
	if (strcmp(verdict, item->before->verdict) != 0) {
		rejudge->changed++;
		show_change(rejudge, item->before, verdict);
	}
	return true;
}

static void show_sum(const struct rejudge *rejudge)
{
	const size_t rest = rejudge->count - rejudge->judged - rejudge->without - rejudge->failed;
	fprintf(rejudge->text, "%zu judged again, %zu changed, %zu without a source", rejudge->judged,
			rejudge->changed, rejudge->without);
	if (rejudge->failed > 0)
		fprintf(rejudge->text, ", %zu came to no verdict", rejudge->failed);
	if (rest > 0)
		fprintf(rejudge->text, ", %zu not judged", rest);
	fputc('\n', rejudge->text);
	fflush(rejudge->text); /* an interrupt ends the program by a signal */
}

static void write_json(const void *what, FILE *out)
{
	const struct rejudge *rejudge = what;
	json_t *json = document_make("rejudge", SCHEMA_VERSION);
	json_object_set_new(json, "judged", json_integer((json_int_t)rejudge->judged));
	json_object_set_new(json, "changed", json_integer((json_int_t)rejudge->changed));
	json_object_set_new(json, "without_source", json_integer((json_int_t)rejudge->without));
	json_object_set_new(json, "failed", json_integer((json_int_t)rejudge->failed));
	json_object_set(json, "judgements", rejudge->answers);
	document_print(json, out);
}

/* ---- all of them ------------------------------------------------------------------- */

/* Where it is not said: on the emulated GPU what was judged nowhere else. */
static bool choose_places(const struct rejudge *rejudge, struct batch_places *places,
						  struct error *err)
{
	struct device_list emulated;
	bool all = rejudge->count > 0 && rejudge->options->judge.device.text == NULL;
	for (size_t i = 0; i < rejudge->count && all; i++)
		all = device_kind_is(rejudge->items[i].before->device_kind, DEVICE_EMULATED);
	if (!all)
		return batch_places_take(places, &rejudge->options->judge.device, 0, err);
	return device_list_parse("emu", &emulated, err) && batch_places_take(places, &emulated, 0, err);
}

/* Every option is ours; these are flags (recorded.c). */
static bool any_option(const char *name, bool *takes_value)
{
	*takes_value = !option_list_has("tuned large-sizes seed-drawn", name);
	return true;
}

static bool judge_all(struct rejudge *rejudge, const struct batch_places *places, struct error *err)
{
	const struct options *options = rejudge->options;
	struct batch_outcome ignored;
	struct batch_words words;
	batch_words_take(&words, options, OWN_OPTIONS);
	rejudge->words = &words;
	const char *all[BATCH_WORDS_MAX];
	size_t count = 0;
	for (; count < words.count; count++)
		all[count] = words.at[count];
	if (count + 3 > BATCH_WORDS_MAX)
		return error_set(err, "more than %d options", BATCH_WORDS_MAX);
	all[count++] = "--no-sources"; /* they are kept already */
	all[count++] = options->store.none ? "--no-store" : "--store";
	if (!options->store.none)
		all[count++] = rejudge->store;
	static const char *const command[] = {"judge", "--quiet", NULL};
	const struct batch batch = {.ask = ask,
								.answer = take_answer,
								.command = command,
								.words = all,
								.word_count = count,
								.devices = places->at,
								.worker_count = places->count,
								.share = places->share,
								.option = any_option,
								.stopped = command_interrupted,
								.context = rejudge};
	const bool ok = batch_run(&batch, &ignored, err);
	batch_words_free(&words);
	return ok;
}

static bool run(struct rejudge *rejudge, const struct batch_places *places, struct error *err)
{
	char folder[PATHS_MAX];
	int lock;
	if (!scratch_make(folder, &lock, "rejudge", err))
		return false;
	rejudge->folder = folder;
	const bool ok = judge_all(rejudge, places, err);
	scratch_remove(folder, &lock);
	return ok;
}

/* "2026-11-30T08:00:00Z" or a beginning of it that is a day, a minute or a second. */
static bool is_date(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00Z";
	const size_t length = strlen(text);
	for (size_t i = 0; i < length; i++)
		if (i >= sizeof form - 1 ||
			(form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]))
			return false;
	return length == 10 || length == 16 || length >= 19;
}

static bool suits(const struct options *options, struct error *err)
{
	if (options->argument_count > 0)
		return error_set(err,
						 "rejudge takes no file, and '%.200s' is one: it judges what the store has",
						 options->arguments[0]);
	return options->query.since == NULL || is_date(options->query.since) ||
		   error_set(err, "--since '%.40s': a date is needed, such as 2026-11-30",
					 options->query.since);
}

static int end(struct rejudge *rejudge, bool ok, struct error *err)
{
	int status = ok ? EXIT_ACCEPTED : cli_fail(EXIT_CANNOT_RUN, err);
	if (ok && (rejudge->changed > 0 || rejudge->failed > 0))
		status = EXIT_NOT_ACCEPTED;
	show_sum(rejudge);
	if (rejudge->options->output.json != NULL &&
		!report_save_any(rejudge->options->output.json, write_json, rejudge, err))
		status = cli_fail(EXIT_CANNOT_RUN, err);
	return status;
}

static int rejudge_found(const struct options *options, const struct measured_list *found)
{
	struct error err = {{0}};
	char store[PATHS_MAX];
	struct batch_places places = {0};
	struct rejudge rejudge = {.options = options,
							  .store = store,
							  .text = written_files_take_stdout(options) ? stderr : stdout,
							  .answers = json_array()};
	int status = EXIT_BAD_INPUT;
	if (!store_needed(options->store.file, store, &err) || !choose(&rejudge, found, &err) ||
		!choose_places(&rejudge, &places, &err)) {
		cli_fail(status, &err);
	} else {
		const bool ok = run(&rejudge, &places, &err);
		status = end(&rejudge, ok, &err);
	}
	for (size_t i = 0; i < rejudge.count; i++)
		free(rejudge.items[i].path);
	free(rejudge.items);
	json_decref(rejudge.answers);
	return status;
}

static int rejudge(const char *program, struct options *options)
{
	(void)program;
	struct error err;
	struct measured_list found;
	const struct store_filter filter = {
		.problem = options->judge.problem != NULL ? options->judge.problem->name : NULL,
		.mode = "judge",
		.since = options->query.since,
		.cases = true};
	if (!suits(options, &err) || !stored_find(options, &filter, &found, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	command_watch_interrupts();
	const int status = rejudge_found(options, &found);
	measured_list_free(&found);
	command_end_interrupted();
	return cli_finish(status);
}

const struct subcommand subcommand_rejudge = {
	.name = "rejudge",
	.summary = "judge again what was judged, and say what changed",
	.usage = "usage: gemmjudge rejudge [OPTION...]\n"
			 "\n"
			 "Judges every source that the store keeps once more, as it was judged last: the "
			 "same problem, epilogue, flags, seed, cases and tolerance, unless an option says "
			 "otherwise. Says which verdicts changed. Each new judgement is one more in the "
			 "store; none is replaced. Exit status 1: a verdict changed, or there was none.\n"
			 "\n"
			 "  gemmjudge rejudge --since 2026-11-01\n"
			 "  gemmjudge rejudge --problem gemm-f16 --no-store --json changes.json\n",
	.run = rejudge,
};

#include "cli/submission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/line.h"
#include "cli/output.h"
#include "report/document.h"
#include "report/read.h"
#include "starter/flatten.h"
#include "testcases/problem.h"

#define SOURCE_BYTES ((size_t)1 << 20) /* as servers take them */
#define NUMBER_DIGITS 18               /* of a whole number in JSON */

/* Options that concern the sending alone, and are not sent. */
#define NOT_SENT "server token-file id wait problem json verbose quiet color help"

/* ---- the source --------------------------------------------------------------------------- */

static char *flat_source(const char *file, struct error *err)
{
	const struct flatten what = {.file = file};
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	const bool made = memory != NULL && flatten_write(memory, &what, err);
	if (memory == NULL || (fclose(memory) != 0 && made))
		error_set(err, "out of memory");
	else if (made)
		return text;
	free(text);
	return NULL;
}

/* Text up to its end: a NUL would cut it short. */
static char *read_text(const char *path, const char *file, struct error *err)
{
	struct stat facts;
	char *text = text_read(path, SOURCE_BYTES, err);
	if (text == NULL || stat(path, &facts) != 0 || strlen(text) == (size_t)facts.st_size)
		return text;
	free(text);
	error_set(err, "%s: it is no text", file);
	return NULL;
}

/* The server takes one file. */
static char *read_source(const struct options *options, struct error *err)
{
	const char *file = options->arguments[0];
	const char *path = options->judge.input != NULL ? options->judge.input : file;
	char *text = read_text(path, file, err);
	if (text == NULL || options->judge.input != NULL || !flatten_is_needed(file, text))
		return text;
	free(text);
	if (options->judge.epilogue != NULL) {
		error_set(err,
				  "%s includes headers of its own, and a server takes one file: 'gemmjudge flatten "
				  "%s --epilogue CHAIN' makes one",
				  file, file);
		return NULL;
	}
	char line[PATHS_MAX + 128];
	snprintf(line, sizeof line,
			 "%s goes with its headers as one file, as 'gemmjudge flatten' "
			 "writes it: lines are counted there",
			 file);
	cli_tell(line);
	return flat_source(file, err);
}

static const struct problem *problem_of(const struct options *options, struct error *err)
{
	char absolute[PATHS_MAX];
	paths_absolute(options->arguments[0], absolute);
	const struct problem *found =
		options->judge.problem != NULL ? options->judge.problem : problem_of_path(absolute);
	if (found == NULL)
		error_set(err,
				  "which problem does '%s' solve? Say it with --problem ('gemmjudge list problems' "
				  "shows them)",
				  options->arguments[0]);
	return found;
}

/* ---- options --------------------------------------------------------------------------------- */

struct sent_options {
	json_t *json;
	char last[48]; /* the option that a value may follow */
	struct error *err;
	bool ok;
};

/* Whole numbers are numbers; cases of several options stand in one, with commas. */
static void add_value(struct sent_options *sent, const char *value)
{
	uint64_t number;
	const json_t *before = json_object_get(sent->json, sent->last);
	char both[1024];
	if (json_is_string(before) && strcmp(sent->last, "case") != 0) {
		sent->ok = error_set(sent->err, "--%s: a submission has one", sent->last);
		return;
	}
	if (json_is_string(before)) {
		snprintf(both, sizeof both, "%s,%s", json_string_value(before), value);
		json_object_set_new(sent->json, sent->last, json_string(both));
	} else if (strlen(value) <= NUMBER_DIGITS && number_whole(value, INT64_MAX, &number) &&
			   value[strspn(value, "0123456789")] == '\0') {
		json_object_set_new(sent->json, sent->last, json_integer((json_int_t)number));
	} else {
		json_object_set_new(sent->json, sent->last, json_string(value));
	}
}

static void take_word(void *context, const char *word)
{
	struct sent_options *sent = context;
	if (!sent->ok)
		return;
	if (strncmp(word, "--", 2) != 0) {
		add_value(sent, word);
		return;
	}
	snprintf(sent->last, sizeof sent->last, "%s", word + 2);
	if (json_object_get(sent->json, sent->last) == NULL)
		json_object_set_new(sent->json, sent->last, json_true());
}

static json_t *options_of(const struct options *options, struct error *err)
{
	struct sent_options sent = {.json = json_object(), .err = err, .ok = true};
	options_words(options, NOT_SENT, take_word, &sent);
	if (sent.ok && sent.json != NULL)
		return sent.json;
	json_decref(sent.json);
	return NULL;
}

json_t *submission_body(const struct options *options, struct error *err)
{
	const char *file = options->arguments[0], *slash = strrchr(file, '/');
	const struct problem *problem = problem_of(options, err);
	char *source = problem != NULL ? read_source(options, err) : NULL;
	json_t *sent = source != NULL ? options_of(options, err) : NULL;
	json_t *text = source != NULL ? json_string(source) : NULL, *body = NULL;
	if (source != NULL && text == NULL)
		error_set(err, "%s: it is no UTF-8 text, which a submission is", file);
	else if (sent != NULL)
		body =
			json_pack("{s:s, s:O, s:O}", "problem", problem->name, "source", text, "options", sent);
	if (body != NULL && options->judge.input == NULL)
		json_object_set_new(body, "name", document_text(slash != NULL ? slash + 1 : file));
	json_decref(sent);
	json_decref(text);
	free(source);
	return body;
}

/* ---- what came back ----------------------------------------------------------------------------
 */

/* The command that judges the file here as the server judged it. */
static void again_here(const json_t *job, uint64_t seed, char *out, size_t capacity)
{
	struct command_line line = {.out = out, .capacity = capacity};
	const char *name, *text = json_string_value(json_object_get(job, "name"));
	const char *problem = json_string_value(json_object_get(job, "problem"));
	json_t *value;
	char number[32];
	out[0] = '\0';
	line_add(&line, "gemmjudge");
	line_add(&line, "judge");
	snprintf(number, sizeof number, "0x%llx", (unsigned long long)seed);
	line_add_option(&line, "seed", number);
	line_add_option(&line, "problem", problem != NULL ? problem : "");
	json_object_foreach(json_object_get(job, "options"), name, value)
	{
		snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
		if (strcmp(name, "seed") != 0 && !json_is_false(value) && !json_is_null(value))
			line_add_option(&line, name,
							json_is_string(value)    ? json_string_value(value)
							: json_is_integer(value) ? number
													 : NULL);
	}
	line_add(&line, text != NULL ? text : "FILE");
}

/* The file under the user's own name, and the command that submits it again. */
static void make_ones_own(const struct options *options, const char *program, const json_t *job,
						  struct judgement_list *list)
{
	struct run_description *facts = &list->facts;
	static struct options again; /* large, and never copied back */
	if (options->argument_count == 0) {
		again_here(job, facts->seed, facts->command, sizeof facts->command);
		return;
	}
	again = *options;
	again.judge.cases.seed = facts->seed;
	again.has_seed = true;
	snprintf(list->items[0].file, sizeof list->items[0].file, "%s", options->arguments[0]);
	options_again(&again, program, facts->command, sizeof facts->command);
}

/* The report as judge writes it, of what was sent: the list has less of it. */
static json_t *report_of(const struct judgement_list *list, const json_t *job)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	if (memory == NULL)
		return NULL;
	report_json(list, memory);
	json_t *report = fclose(memory) == 0 ? json_loadb(text, size, 0, NULL) : NULL;
	json_t *result = json_copy(json_object_get(job, "result"));
	json_object_set_new(result, "file", document_text(list->items[0].file));
	json_array_set_new(json_object_get(report, "results"), 0, result);
	json_object_set(report, "submission", json_object_get(job, "id"));
	free(text);
	return report;
}

static void write_json(const void *what, FILE *out)
{
	document_print(json_incref((json_t *)what), out);
}

static bool write_report(const struct options *options, const struct judgement_list *list,
						 const json_t *job, struct error *err)
{
	if (options->output.json == NULL)
		return true;
	json_t *report = report_of(list, job);
	const bool ok = report != NULL ? report_save_any(options->output.json, write_json, report, err)
								   : error_set(err, "out of memory");
	json_decref(report);
	return ok;
}

int submission_show(const struct options *options, const char *program, const json_t *job)
{
	struct error err = {{0}};
	struct report_read found;
	struct output_text text;
	if (!report_read_result(json_object_get(job, "run"), json_object_get(job, "result"), &found,
							&err))
		return cli_fail(EXIT_CANNOT_RUN, &err);
	make_ones_own(options, program, job, &found.list);
	output_text_open(&text, options);
	const bool accepted = found.list.items[0].verdict == VERDICT_ACCEPTED;
	bool ok = output_write(options, &text, &found.list, &err);
	ok = ok && write_report(options, &found.list, job, &err);
	report_read_free(&found);
	if (!ok)
		return cli_fail(EXIT_BAD_INPUT, &err);
	return accepted ? EXIT_ACCEPTED : EXIT_NOT_ACCEPTED;
}

/* gemmjudge history: what a solution was at each time. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "cli/cli.h"
#include "cli/stored.h"
#include "compile/content.h"
#include "report/clean.h"

#define HASH_LEAST 4 /* digits by which a content may be named */

static bool is_hash(const char *text)
{
	size_t digits = strspn(text, "0123456789abcdefABCDEF");
	return text[digits] == '\0' && digits >= HASH_LEAST && digits < CONTENT_TEXT;
}

/* The texts that the filter points to. */
struct wanted {
	char path[PATHS_MAX], content[CONTENT_TEXT];
};

/* A file that is there, else the beginning of a hash, else a file that was there. */
static void wanted_of(const char *argument, struct wanted *wanted, struct store_filter *filter)
{
	struct error ignored;
	bool there = access(argument, F_OK) == 0;
	if (!there && is_hash(argument)) {
		for (size_t i = 0; i <= strlen(argument); i++)
			wanted->content[i] = (char)tolower((unsigned char)argument[i]);
		filter->content = wanted->content;
		return;
	}
	paths_absolute(argument, wanted->path);
	filter->path = wanted->path;
	if (there && content_hash(argument, wanted->content, &ignored))
		filter->content = wanted->content;
}

/* A hash that stands for several contents is none. */
static bool is_one_content(const struct measured_list *list, const struct store_filter *filter,
						   struct error *err)
{
	for (size_t i = 1; i < list->count && filter->path == NULL && filter->content != NULL; i++)
		if (strcmp(list->items[0].content, list->items[i].content) != 0)
			return error_set(err, "%s is the beginning of several hashes: %.12s, %.12s",
							 filter->content, list->items[0].content, list->items[i].content);
	return true;
}

/* ---- text ------------------------------------------------------------------------- */

static bool same_place(const struct measured *a, const struct measured *b)
{
	return strcmp(a->device, b->device) == 0 && strcmp(a->driver, b->driver) == 0 &&
		   strcmp(a->host, b->host) == 0 && strcmp(a->problem, b->problem) == 0;
}

/* The shape that its time is of, where it is one. */
static const struct measured_time *only_time(const struct measured *run)
{
	return run->time_count == 1 ? &run->times[0] : NULL;
}

static void print_head(const struct measured *run, bool by_file, FILE *out)
{
	char line[512], shape[MEASURED_SHAPE];
	snprintf(line, sizeof line, "%s on %s%s%s%s%s", run->problem, run->device,
			 run->driver[0] != '\0' ? ", driver " : "", run->driver,
			 run->host[0] != '\0' ? ", host " : "", run->host);
	clean_print(out, line);
	fputc('\n', out);
	const struct measured_time *time = only_time(run);
	if (time != NULL) {
		measured_shape(time, shape);
		fprintf(out, "%s\n", shape);
	}
	fprintf(out, "%6s  %-16s  %-18s  %-14s %10s  %6s\n", "id", "date (UTC)",
			by_file ? "content   commit" : "file", "verdict", "median us", "/best");
}

/* "216.1", "216.1?", "12 shapes", "-" */
static void time_text(const struct measured *run, char out[STORED_NUMBER + 16])
{
	char number[STORED_NUMBER];
	const struct measured_time *time = only_time(run);
	if (run->time_count == 0)
		strcpy(out, "-");
	else if (time == NULL)
		sprintf(out, "%zu shapes", run->time_count);
	else
		sprintf(out, "%s%s", stored_microseconds(time->median, number),
				seal_state_is(time->seal, SEAL_CONFIRMED) ? ""
				: seal_state_is(time->seal, SEAL_OUTSIDE) ? "*"
														  : "?");
}

static void print_row(const struct measured *run, bool by_file, FILE *out)
{
	char date[STORED_DATE], time[STORED_NUMBER + 16], what[STORED_NAME], ratio[STORED_NUMBER] = "-";
	double mean = measured_mean_ratio(run);
	if (mean > 0.0)
		snprintf(ratio, sizeof ratio, "%.3f", mean);
	time_text(run, time);
	if (by_file)
		snprintf(what, sizeof what, "%-8.8s  %-8.8s", run->content,
				 run->commit[0] != '\0' ? run->commit : "-");
	else
		stored_cell(run, 18, what);
	fprintf(out, "%6lld  %-16s  %s  %-14s %10s  %6s\n", (long long)run->id, stored_date(run, date),
			what, run->verdict, time, ratio);
}

/* The marks that were used. */
static void print_legend(const struct measured_list *list, FILE *out)
{
	bool outside = false, open = false;
	for (size_t i = 0; i < list->count; i++) {
		const struct measured_time *time = only_time(&list->items[i]);
		if (time == NULL)
			continue;
		outside = outside || seal_state_is(time->seal, SEAL_OUTSIDE);
		open = open || (!seal_state_is(time->seal, SEAL_OUTSIDE) &&
						!seal_state_is(time->seal, SEAL_CONFIRMED));
	}
	if (outside || open)
		fputc('\n', out);
	if (outside)
		fputs("* seen from outside: the process says less\n", out);
	if (open)
		fputs("? not confirmed by sealed calls\n", out);
}

/* What was found, and whether it was asked for by a file or a content. */
struct found {
	struct measured_list list;
	bool by_file;
};

static void write_text(const void *what, FILE *out)
{
	const struct found *found = what;
	const struct measured_list *list = &found->list;
	const struct measured *head = NULL;
	const struct measured_time *shape = NULL;
	for (size_t i = 0; i < list->count; i++) {
		const struct measured *run = &list->items[i];
		const struct measured_time *time = only_time(run);
		bool other = head == NULL || !same_place(head, run) ||
					 (time != NULL && (shape == NULL || !measured_same_shape(time, shape)));
		if (other) {
			if (head != NULL)
				fputc('\n', out);
			print_head(run, found->by_file, out);
			head = run;
			shape = time;
		}
		print_row(run, found->by_file, out);
	}
	print_legend(list, out);
}

static void write_json(const void *what, FILE *out)
{
	const struct measured_list *list = &((const struct found *)what)->list;
	json_t *json = stored_document("history", STORED_JSON_SCHEMA_VERSION), *runs = json_array();
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(runs, stored_run(&list->items[i]));
	json_object_set_new(json, "judgements", runs);
	stored_print(json, out);
}

/* ---- the command -------------------------------------------------------------------- */

static int history(const char *program, struct options *options)
{
	(void)program;
	struct error err;
	struct wanted wanted = {0};
	struct store_filter filter = {0};
	struct found found = {.by_file = options->argument_count == 1};
	const char *what = options->argument_count == 1 ? options->arguments[0] : "this problem";
	if (options->judge.problem != NULL)
		filter.problem = options->judge.problem->name;
	if (options->argument_count > 1 || (options->argument_count == 0 && filter.problem == NULL))
		error_set(&err, "name one file, the hash of a content, or a problem with --problem");
	else {
		if (options->argument_count == 1)
			wanted_of(options->arguments[0], &wanted, &filter);
		if (stored_find(options, &filter, &found.list, &err) &&
			is_one_content(&found.list, &filter, &err) &&
			(found.list.count > 0 || error_set(&err, "nothing is remembered of %s", what))) {
			int status = stored_show(options, write_text, write_json, &found);
			measured_list_free(&found.list);
			return status;
		}
	}
	measured_list_free(&found.list);
	return cli_fail(EXIT_BAD_INPUT, &err);
}

const struct subcommand subcommand_history = {
	.name = "history",
	.takes = "FILE|HASH",
	.summary = "what a solution was at each time that it was judged",
	.usage = "usage: gemmjudge history FILE|HASH|--problem P [OPTION...]\n"
			 "\n"
			 "Lists what is remembered of a file (under its name and, with the content that it\n"
			 "has now, under others), of a content by the beginning of its hash, or of a\n"
			 "problem: when, verdict, time, and the fastest library's time over it.\n"
			 "\n"
			 "  gemmjudge history solutions/gemm_f16/mine.cu\n",
	.run = history,
};

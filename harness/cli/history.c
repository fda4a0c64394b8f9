/* gemmjudge history: what a solution was at each time. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "cli/cli.h"
#include "cli/stored.h"
#include "compile/content.h"
#include "store/show/show.h"

/* The texts that the filter points to. */
struct wanted {
	char path[PATHS_MAX], content[CONTENT_TEXT];
};

/* A file that is there, else the beginning of a hash, else a file that was there. */
static void wanted_of(const char *argument, struct wanted *wanted, struct store_filter *filter)
{
	struct error ignored;
	bool there = access(argument, F_OK) == 0;
	if (!there && stored_hash(argument, wanted->content)) {
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

static int history(const char *program, struct options *options)
{
	(void)program;
	struct error err;
	struct wanted wanted = {0};
	struct store_filter filter = {0};
	struct shown_history found = {.by_file = options->argument_count == 1};
	const char *what = options->argument_count == 1 ? options->arguments[0] : "this problem";
	if (options->judge.problem != NULL)
		filter.problem = options->judge.problem->name;
	if (options->argument_count > 1 || (options->argument_count == 0 && filter.problem == NULL))
		error_set(&err, "name one file, the hash of a content, or a problem with --problem");
	else {
		if (options->argument_count == 1)
			wanted_of(options->arguments[0], &wanted, &filter);
		found.content = filter.path != NULL ? filter.content : NULL;
		if (stored_find(options, &filter, &found.list, &err) &&
			is_one_content(&found.list, &filter, &err) &&
			(found.list.count > 0 || error_set(&err, "nothing is remembered of %s", what))) {
			int status = stored_show(options, show_history, show_history_json, &found);
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
			 "problem: when, verdict, time, and the fastest library's time over it, in the\n"
			 "order of time. Where that is of several files each row has a name; = marks what\n"
			 "the file holds now, where it has held something else.\n"
			 "\n"
			 "  gemmjudge history solutions/gemm_f16/mine.cu\n",
	.run = history,
};

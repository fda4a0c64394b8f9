/* gemmjudge history: what a solution was at each time. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "cli/cli.h"
#include "cli/source_files.h"
#include "cli/stored.h"
#include "compile/content.h"
#include "report/clean.h"
#include "store/leaderboard.h"
#include "store/place.h"
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

/* ---- --fastest --------------------------------------------------------------------- */

static int64_t last_of(const struct board *board)
{
	int64_t last = 0;
	for (size_t i = 0; i < board->count; i++)
		if (board->leaders[i].run->id > last)
			last = board->leaders[i].run->id;
	return last;
}

/* Of the shapes that most versions have; of several problems, GPUs and epilogues the last. */
static const struct leader *fastest_of(const struct leaderboard *all)
{
	const struct board *best = NULL;
	for (size_t i = 0; i < all->board_count; i++)
		if (all->boards[i].main && all->boards[i].count > 0 &&
			(best == NULL || last_of(&all->boards[i]) > last_of(best)))
			best = &all->boards[i];
	return best != NULL ? &best->leaders[0] : NULL;
}

static bool write_source(const struct options *options, const struct leader *leader,
						 struct error *err)
{
	char store[PATHS_MAX], shape[MEASURED_SHAPE];
	struct sources *sources = calloc(1, sizeof *sources);
	bool ok = sources != NULL || error_set(err, "out of memory");
	ok = ok && store_needed(options->store.file, store, err) &&
		 sources_find(store, leader->run->content, sources, err) &&
		 source_files_tell(options->query.fastest, sources, err);
	if (ok) {
		measured_shape(leader->time, shape);
		printf("#%lld: %.4g us at %s on ", (long long)leader->run->id, leader->time->median, shape);
		clean_print_line(stdout, leader->run->device);
		putchar('\n');
	}
	if (sources != NULL)
		sources_free(sources);
	free(sources);
	return ok;
}

static int write_fastest(const struct options *options, struct measured_list *list,
						 const char *what)
{
	struct error err;
	struct leaderboard all;
	if (!leaderboard_make(list, false, &all, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	const struct leader *leader = fastest_of(&all);
	const bool ok = (leader != NULL || error_set(&err,
												 "no version of %s has a time that ranks "
												 "('gemmjudge history' shows them)",
												 what)) &&
					write_source(options, leader, &err);
	leaderboard_free(&all);
	return ok ? EXIT_ACCEPTED : cli_fail(EXIT_BAD_INPUT, &err);
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
	filter.device = options->gpu;
	if (options->argument_count > 1 || (options->argument_count == 0 && filter.problem == NULL))
		error_set(&err, "name one file, the hash of a content, or a problem with --problem");
	else {
		if (options->argument_count == 1)
			wanted_of(options->arguments[0], &wanted, &filter);
		found.content = filter.path != NULL ? filter.content : NULL;
		if (stored_find(options, &filter, &found.list, &err) &&
			is_one_content(&found.list, &filter, &err) &&
			(found.list.count > 0 || error_set(&err, "nothing is remembered of %s", what))) {
			int status = options->query.fastest != NULL
							 ? write_fastest(options, &found.list, what)
							 : stored_show(options, show_history, show_history_json, &found);
			measured_list_free(&found.list);
			return cli_finish(status);
		}
	}
	measured_list_free(&found.list);
	return cli_fail(EXIT_BAD_INPUT, &err);
}

const struct subcommand subcommand_history = {
	.name = "history",
	.also = "log runs past",
	.takes = "FILE|HASH",
	.summary = "what a solution was at each time that it was judged",
	.usage = "usage: gemmjudge history FILE|HASH|--problem P [OPTION...]\n"
			 "\n"
			 "Lists what is remembered of a file (under its name and, with the content that it "
			 "has now, under others), of a content by the beginning of its hash, or of a "
			 "problem: when, verdict, time, and the fastest library's time over it, in the "
			 "order of time. Where that is of several files each row has a name; = marks what "
			 "the file holds now, where it has held something else.\n"
			 "\n"
			 "The fastest version is that which leads the leaderboard of these: at the shape "
			 "that most of them were timed at, on the GPU of the last.\n"
			 "\n"
			 "  gemmjudge history solutions/gemm_f16/mine.cu\n"
			 "  gemmjudge history mine.cu --fastest best\n",
	.run = history,
};

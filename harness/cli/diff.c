/* gemmjudge diff: is B slower than A? */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "cli/stored.h"
#include "compile/content.h"
#include "store/show/show.h"

/* One of the two arguments. */
struct side {
	const char *argument;
	bool is_source, is_report;
	struct measured_list found;
};

/* 17 or #17 */
static bool side_id(struct side *side, const struct options *options, int64_t id, struct error *err)
{
	const struct store_filter filter = {.id = id, .counters = true};
	return stored_find(options, &filter, &side->found, err) &&
		   (side->found.count > 0 ||
			error_set(err, "no judgement #%lld is remembered", (long long)id));
}

/* Why there is nothing of the file as it is now. */
static bool side_unknown(const struct side *side, const struct options *options, struct error *err)
{
	char path[PATHS_MAX];
	struct measured_list before;
	paths_absolute(side->argument, path);
	const struct store_filter filter = {.path = path, .newest = true};
	if (!stored_find(options, &filter, &before, err))
		return false;
	if (before.count > 0)
		error_set(err,
				  "%s has changed since it was judged as #%lld: judge it again, or compare #%lld",
				  side->argument, (long long)before.items[0].id, (long long)before.items[0].id);
	else
		error_set(err, "%s as it is now was never judged: 'gemmjudge judge' remembers it",
				  side->argument);
	measured_list_free(&before);
	return false;
}

static bool side_source(struct side *side, const struct options *options, struct error *err)
{
	char content[CONTENT_TEXT];
	const struct store_filter filter = {.content = content, .counters = true};
	side->is_source = true;
	return content_hash(side->argument, content, err) &&
		   stored_find(options, &filter, &side->found, err) &&
		   (side->found.count > 0 || side_unknown(side, options, err));
}

/* Reports are told by what they begin with; what can be read only once is one. */
static bool looks_like_json(const char *path)
{
	struct stat facts;
	if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
		return !S_ISDIR(facts.st_mode);
	FILE *file = fopen(path, "re");
	int c = EOF;
	while (file != NULL && (c = getc(file)) != EOF && isspace(c))
		;
	if (file != NULL)
		fclose(file);
	size_t length = strlen(path);
	return c == '{' || (length > 5 && strcmp(path + length - 5, ".json") == 0);
}

static bool side_find(struct side *side, const struct options *options, struct error *err)
{
	uint64_t id;
	const char *text = side->argument[0] == '#' ? side->argument + 1 : side->argument;
	if (number_whole(text, INT64_MAX, &id) && id > 0 && isdigit((unsigned char)text[0]))
		return side_id(side, options, (int64_t)id, err);
	side->is_report = looks_like_json(side->argument);
	return side->is_report ? measured_read_report(side->argument, &side->found, err)
						   : side_source(side, options, err);
}

static const char *file_name(const struct measured *run)
{
	const char *slash = strrchr(run->file, '/');
	return slash != NULL ? slash + 1 : run->file;
}

/* Two reports of several files: files of one name. *count is how many pairs there are. */
static bool pairs_by_name(const struct side sides[2], struct pair *out, size_t *count,
						  struct error *err)
{
	for (size_t i = 0; i < sides[0].found.count; i++)
		for (size_t j = 0; j < sides[1].found.count; j++) {
			const struct measured *a = &sides[0].found.items[i], *b = &sides[1].found.items[j];
			if (strcmp(file_name(a), file_name(b)) != 0 || strcmp(a->problem, b->problem) != 0)
				continue;
			if (!pair_make(a, b, &out[*count], err))
				return false;
			++*count;
			break;
		}
	return *count > 0 || error_set(err, "%s and %s have no file of one name and problem",
								   sides[0].argument, sides[1].argument);
}

static bool pairs_find(const struct side sides[2], struct pair *out, size_t *count,
					   struct error *err)
{
	const struct measured *a, *b;
	bool reports = sides[0].is_report && sides[1].is_report;
	bool sources = sides[0].is_source && sides[1].is_source;
	if (reports && (sides[0].found.count > 1 || sides[1].found.count > 1))
		return pairs_by_name(sides, out, count, err);
	if (!pair_choose(&sides[0].found, &sides[1].found, sources, &a, &b))
		return error_set(err,
						 "no two judgements of %s and %s can be compared: of one problem%s, and "
						 "not one of them twice",
						 sides[0].argument, sides[1].argument,
						 sources ? ", on one kind of device" : "");
	if (a->id > b->id && strcmp(a->content, b->content) == 0 && sources) {
		const struct measured *later = a; /* one content measured twice */
		a = b;
		b = later;
	}
	*count = 1;
	return pair_make(a, b, &out[0], err) || (*count = 0, false);
}

static int compare(const struct options *options, struct side sides[2], struct error *err)
{
	int status = EXIT_ACCEPTED;
	struct shown_pairs pairs = {0};
	if (!side_find(&sides[0], options, err) || !side_find(&sides[1], options, err))
		return EXIT_BAD_INPUT;
	pairs.items = calloc(sides[0].found.count + 1, sizeof *pairs.items);
	if (pairs.items == NULL)
		error_set(err, "out of memory");
	if (pairs.items == NULL || !pairs_find(sides, pairs.items, &pairs.count, err))
		status = EXIT_BAD_INPUT;
	else
		status = stored_show(options, show_pairs, show_pairs_json, &pairs);
	for (size_t i = 0; i < pairs.count; i++) {
		if (status == EXIT_ACCEPTED && (pairs.items[i].slower > 0 || pairs.items[i].worse))
			status = EXIT_NOT_ACCEPTED;
		pair_free(&pairs.items[i]);
	}
	free(pairs.items);
	return status;
}

static int diff(const char *program, struct options *options)
{
	(void)program;
	struct error err = {{0}};
	if (options->argument_count != 2) {
		error_set(&err, "name two: numbers of judgements (gemmjudge history shows them), JSON "
						"reports, or solution files");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	struct side sides[2] = {{.argument = options->arguments[0]},
							{.argument = options->arguments[1]}};
	int status = compare(options, sides, &err);
	for (size_t i = 0; i < 2; i++)
		measured_list_free(&sides[i].found);
	return status == EXIT_BAD_INPUT ? cli_fail(status, &err) : status;
}

const struct subcommand subcommand_diff = {
	.name = "diff",
	.takes = "A B",
	.summary = "whether B is slower than A by more than noise",
	.usage = "usage: gemmjudge diff A B [OPTION...]\n"
			 "\n"
			 "Compares two judgements: numbers that history shows, JSON reports, or solution "
			 "files, of which the last judgements on one kind of device are taken. What counts "
			 "is a difference of more than 1% that chance makes in less than one case in a "
			 "hundred. Exit status 1: B is slower at some shape, or is accepted no longer.\n"
			 "\n"
			 "  gemmjudge diff before.cu after.cu\n"
			 "  gemmjudge diff 17 result.json\n",
	.run = diff,
};

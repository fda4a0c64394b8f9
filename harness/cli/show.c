/* gemmjudge show: the source of what was judged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/source_files.h"
#include "cli/stored.h"
#include "report/clean.h"
#include "store/place.h"
#include "store/sources.h"

#define NUMBER_MOST 999999999 /* as a judgement's number; longer ones are digits of a hash */

/* 17 or #17: the content of that judgement. */
static bool hash_of_judgement(const struct options *options, int64_t id, char out[CONTENT_TEXT],
							  struct error *err)
{
	struct measured_list found;
	const struct store_filter filter = {.id = id};
	if (!stored_find(options, &filter, &found, err))
		return false;
	const bool some = found.count > 0;
	snprintf(out, CONTENT_TEXT, "%s", some ? found.items[0].content : "");
	measured_list_free(&found);
	if (!some)
		return error_set(err, "no judgement #%lld is remembered", (long long)id);
	return out[0] != '\0' || error_set(err, "the content of #%lld is not known", (long long)id);
}

static bool take_hash(const struct options *options, char out[CONTENT_TEXT], struct error *err)
{
	const char *text = options->arguments[0], *number = text + (text[0] == '#');
	uint64_t id;
	if (number_whole(number, NUMBER_MOST, &id))
		return hash_of_judgement(options, (int64_t)id, out, err);
	return stored_hash(text, out) ||
		   error_set(
			   err,
			   "'%.80s' is neither a judgement (#17) nor a hash, or the first %d digits of one",
			   text, STORED_HASH_LEAST);
}

/* To a terminal without what would steer it, or hide there. */
static void print(const struct source_file *file)
{
	char *clean = isatty(STDOUT_FILENO) ? clean_visible(file->text) : NULL;
	if (clean != NULL)
		fputs(clean, stdout);
	else
		fwrite(file->text, 1, file->length, stdout);
	free(clean);
}

static bool show_sources(const struct options *options, struct sources *sources, struct error *err)
{
	char hash[CONTENT_TEXT], store[PATHS_MAX];
	if (options->argument_count != 1 && options->argument_count != 2)
		return error_set(err, "a judgement (#17) or a hash is needed, and perhaps a folder");
	if (!take_hash(options, hash, err) || !store_needed(options->store.file, store, err) ||
		!sources_find(store, hash, sources, err))
		return false;
	if (options->argument_count == 1) {
		print(&sources->files[0]);
		return true;
	}
	return source_files_tell(options->arguments[1], sources, err);
}

static int show(const char *program, struct options *options)
{
	(void)program;
	struct error err = {"out of memory"};
	struct sources *sources = calloc(1, sizeof *sources);
	const bool ok = sources != NULL && show_sources(options, sources, &err);
	if (sources != NULL)
		sources_free(sources);
	free(sources);
	return cli_finish(ok ? EXIT_ACCEPTED : cli_fail(EXIT_BAD_INPUT, &err));
}

const struct subcommand subcommand_show = {
	.name = "show",
	.takes = "HASH|#N",
	.summary = "the source of something that was judged",
	.usage = "usage: gemmjudge show HASH|#N [FOLDER] [OPTION...]\n"
			 "\n"
			 "Prints a file as it was judged: that of judgement N, which 'history' shows, or "
			 "of the content whose hash begins so. With FOLDER writes it there, and the "
			 "headers beside it. An existing file is never overwritten.\n"
			 "\n"
			 "  gemmjudge show '#17' >best.cu\n",
	.run = show,
};

/* Reading a command line by the rows of options.c. */
#include <getopt.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/reader.h"
#include "cli/words.h"

#define FIRST_VALUE 256 /* getopt's values of our rows: above every character */
#define COMMANDS_TEXT 256

/* ---- what is no option ---- */

/* The subcommands that have such an option: "bench and compare"; "" when none has. */
static const char *commands_with(const char *name, char out[COMMANDS_TEXT])
{
	const char *names[COMMANDS_TEXT / 2];
	size_t count = 0;
	for (size_t c = 0; subcommands[c] != NULL; c++)
		for (size_t i = 0; i < option_row_count; i++)
			if (strcmp(option_rows[i].name, name) == 0 &&
				option_row_is_of(&option_rows[i], subcommands[c]->name))
				names[count++] = subcommands[c]->name;
	return text_names(out, COMMANDS_TEXT, names, count, " and ");
}

static bool unknown_option(const char *command, const char *text, struct error *err)
{
	const char *names[OPTION_ROWS_MAX];
	size_t count = 0;
	for (size_t i = 0; i < option_row_count; i++)
		if (option_row_is_of(&option_rows[i], command) &&
			option_row_in(&option_rows[i], command).help != NULL)
			names[count++] = option_rows[i].name;
	char word[64], others[COMMANDS_TEXT], meaning[SUGGEST_TEXT];
	const char *start = text + strspn(text, "-");
	snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
	const char *nearest = suggest_nearest(word, names, count);
	if (text[0] == '-' && text[1] == '-' && commands_with(word, others)[0] != '\0')
		return error_set(err, "--%s is an option of %s", word, others);
	if (words_option(meaning, word)[0] != '\0')
		return error_set(err, "unknown option '%s'%s", text, meaning);
	if (nearest != NULL)
		return error_set(err, "unknown option '%s'; did you mean '--%s'?", text, nearest);
	return error_set(err, "unknown option '%s'; --help shows those that there are", text);
}

/* What getopt_long() calls '?': no such option, an abbreviation of several, or
 * a value for an option that takes none. */
static bool refused_option(const char *command, char *const *argv, int option, struct error *err)
{
	const char *text = argv[optind - 1], *next = argv[optind];
	if (option >= FIRST_VALUE)
		return error_set(err, "--%s takes no value", option_rows[option - FIRST_VALUE].name);
	/* "-arch=sm_90" is no row of letters */
	char meaning[SUGGEST_TEXT];
	if (option != 0 && next != NULL && next[0] == '-' && next[1] == option &&
		words_option(meaning, next + 1)[0] != '\0')
		return error_set(err, "unknown option '%s'%s", next, meaning);
	/* a letter: its word may hold others, and the pointer has not moved on yet */
	char letter[3] = {'-', (char)option, '\0'};
	return unknown_option(command, option != 0 ? letter : text, err);
}

static const struct row *row_of(const char *command, int option)
{
	if (option >= FIRST_VALUE)
		return &option_rows[option - FIRST_VALUE];
	for (size_t i = 0; i < option_row_count; i++)
		if (option_rows[i].letter == option && option_row_is_of(&option_rows[i], command))
			return &option_rows[i];
	return NULL;
}

/* getopt's tables of a subcommand; ':' first, so that a value that lacks is told apart. */
static void tables_fill(const char *command, struct option *table, char *letters)
{
	*letters++ = ':';
	for (size_t i = 0; i < option_row_count; i++) {
		if (!option_row_is_of(&option_rows[i], command))
			continue;
		*table++ = (struct option){.name = option_rows[i].name,
								   .has_arg = option_rows[i].value != NULL ? required_argument
																		   : no_argument,
								   .val = FIRST_VALUE + (int)i};
		if (option_rows[i].letter != '\0')
			*letters++ = option_rows[i].letter;
		if (option_rows[i].letter != '\0' && option_rows[i].value != NULL)
			*letters++ = ':';
	}
	*table = (struct option){0};
	*letters = '\0';
}

/* ---- what options say of each other -------------------------------------------- */

/* The row of an option that was given and is in the list; NULL: none of them was. */
static const struct row *given_of(const char *list, const bool given[OPTION_ROWS_MAX])
{
	for (size_t i = 0; list != NULL && i < option_row_count; i++)
		if (given[i] && option_list_has(list, option_rows[i].name))
			return &option_rows[i];
	return NULL;
}

/* "--model-only or --judge": those of the list that the subcommand has. */
static void list_print(const char *list, const char *command, char out[COMMANDS_TEXT])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < option_row_count; i++)
		if (option_list_has(list, option_rows[i].name) &&
			option_row_is_of(&option_rows[i], command))
			used += (size_t)snprintf(out + used, COMMANDS_TEXT - used, "%s--%s",
									 used > 0 ? " or " : "", option_rows[i].name);
}

static bool suit_each_other(const char *command, const bool given[OPTION_ROWS_MAX],
							struct error *err)
{
	char others[COMMANDS_TEXT];
	for (size_t i = 0; i < option_row_count; i++) {
		if (!given[i])
			continue;
		const struct row row = option_row_in(&option_rows[i], command);
		const struct row *other = given_of(row.excludes, given);
		if (other != NULL && given_of(row.unless, given) == NULL)
			return error_set(err, "--%s and --%s exclude each other: %s", row.name, other->name,
							 row.why);
		if (row.goes_with == NULL || given_of(row.goes_with, given) != NULL)
			continue;
		list_print(row.goes_with, command, others);
		return error_set(err, "--%s goes with %s: %s", row.name, others, row.why);
	}
	return true;
}

/* The word of the option that getopt_long() has just read, its value apart or in the same word. */
static const char *word_read(char *const *argv)
{
	return argv[optind - 1] == optarg ? argv[optind - 2] : argv[optind - 1];
}

/* A word of other tools may be the beginning of a name of ours, and does not mean that. */
static bool is_foreign(const char *text, const struct row *row)
{
	char word[64], meaning[SUGGEST_TEXT];
	const size_t length = strcspn(text, "=");
	if (strncmp(text, "--", 2) != 0 || length - 2 >= strlen(row->name))
		return false;
	snprintf(word, sizeof word, "%.*s", (int)length - 2, text + 2);
	return words_option(meaning, word)[0] != '\0';
}

/* ---- parsing ------------------------------------------------------------------- */

bool options_parse(int argc, char **argv, struct options *out, struct error *err)
{
	struct option table[OPTION_ROWS_MAX + 1];
	char letters[2 * OPTION_ROWS_MAX + 2];
	bool given[OPTION_ROWS_MAX] = {false};
	*out = (struct options){
		.command = argv[0],
		.judge = {.compile = {.nvcc_flags = out->lists.nvcc_flags},
				  .cases = {.suites = out->lists.suites, .only = out->lists.only},
				  .timing = {.baselines = out->lists.baselines},
				  .shapes = {.items = out->lists.shapes, .lines = out->lists.shape_lines}}};
	tables_fill(out->command, table, letters);

	optind = 0; /* glibc: start anew */
	opterr = 0;
	for (;;) {
		int option = getopt_long(argc, argv, letters, table, NULL);
		if (option == -1)
			break;
		if (option == '?')
			return refused_option(out->command, argv, optopt, err);
		const struct row *row = row_of(out->command, option == ':' ? optopt : option);
		if (is_foreign(word_read(argv), row))
			return unknown_option(out->command, word_read(argv), err);
		if (option == ':')
			return error_set(err, "--%s needs a value: %s", row->name, row->value);
		const struct row here = option_row_in(row, out->command);
		if (!here.kind->read(&here, optarg, out, err))
			return false;
		given[row - option_rows] = true;
	}
	out->arguments = (const char *const *)(argv + optind);
	out->argument_count = (size_t)(argc - optind);
	if (out->help)
		return true;
	if (out->sizes.oversized[0] != '\0' && !out->sizes.large)
		return error_set(err, "%s: sizes above %d need --large-sizes", out->sizes.oversized,
						 DIM_MAX);
	return suit_each_other(out->command, given, err);
}

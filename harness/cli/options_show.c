/* What --help and others show of the rows of options.c, and the command line that does the same
 * again. */
#include <string.h>

#include "cli/reader.h"
#include "report/wrap.h"

#define UNGROUPED_MAX 10 /* so many options of a subcommand need no headings */

/* The index-th option of a subcommand by groups, of those that --help shows. False behind the last.
 */
static bool row_at(const char *command, size_t index, struct row *out)
{
	for (int group = GROUP_FIRST; group < GROUP_COUNT; group++)
		for (size_t i = 0; i < option_row_count; i++) {
			if (!option_row_is_of(&option_rows[i], command))
				continue;
			*out = option_row_in(&option_rows[i], command);
			if ((int)out->group == group && out->help != NULL && index-- == 0)
				return true;
		}
	return false;
}

#define HELP_COLUMN 23

static void row_help(const struct row *row, int width, FILE *out)
{
	char left[48], letter[8] = "";
	if (row->letter != '\0')
		snprintf(letter, sizeof letter, ", -%c", row->letter);
	snprintf(left, sizeof left, "--%s%s%s%s", row->name, letter, row->value != NULL ? " " : "",
			 row->value != NULL ? row->value : "");
	int column = fprintf(out, "  %-*s ", HELP_COLUMN - 3, left);
	wrap_print(out, width, column, HELP_COLUMN, row->help);
}

void options_help(const char *command, int width, FILE *out)
{
	struct row row;
	struct option_description facts;
	for (size_t i = 0; row_at(command, i, &row) && options_facts(command, i, &facts); i++) {
		if (facts.begins_group)
			fprintf(out, "%s%s:\n", i > 0 ? "\n" : "", facts.group);
		row_help(&row, width, out);
	}
}

void options_usage(const char *usage, int width, FILE *out)
{
	char line[1024];
	while (*usage != '\0') {
		size_t length = strcspn(usage, "\n");
		snprintf(line, sizeof line, "%.*s", (int)length, usage);
		if (options_keeps_line(line))
			fprintf(out, "%s\n", line);
		else
			wrap_print(out, width, 0, 0, line);
		usage += length + (usage[length] == '\n');
	}
}

bool options_keeps_line(const char *line)
{
	return line[0] == '\0' || line[0] == ' ' || strncmp(line, "usage:", 6) == 0;
}

bool options_facts(const char *command, size_t index, struct option_description *out)
{
	struct row row, before = {.group = GROUP_NONE}, any;
	if (!row_at(command, index, &row))
		return false;
	if (index > 0)
		row_at(command, index - 1, &before);
	bool grouped = row_at(command, UNGROUPED_MAX, &any);
	*out = (struct option_description){
		.group = grouped ? option_groups[row.group] : NULL,
		.begins_group = grouped && before.group != row.group,
		.excludes = row.excludes,
		.goes_with = row.goes_with,
		.name = row.name,
		.value = row.value,
		.help = row.help,
		.letter = row.letter,
		.words = row.value != NULL ? row.names : NULL,
		.is_problem = row.kind == &kind_problem,
		.is_file = row.value != NULL &&
				   (strcmp(row.value, "FILE") == 0 || strcmp(row.value, "SUITE") == 0),
		.use = row.kind->use};
	return true;
}

bool options_file(const struct options *options, enum value_use use, size_t index,
				  struct option_file *out)
{
	for (size_t i = 0; i < option_row_count; i++) {
		const struct row *row = &option_rows[i];
		if (row->kind->use != use || !option_row_is_of(row, options->command))
			continue;
		out->option = row->name;
		out->mark = row->mark;
		for (size_t k = 0; (out->path = row->kind->file(row, options, k, out->scratch)) != NULL;
			 k++)
			if (index-- == 0)
				return true;
	}
	return false;
}

void options_words(const struct options *options, const char *but,
				   void (*take)(void *context, const char *word), void *context)
{
	struct command_line line = {.take = take, .context = context};
	for (size_t i = 0; i < option_row_count; i++)
		if (option_row_is_of(&option_rows[i], options->command) &&
			!option_list_has(but, option_rows[i].name) &&
			(options->has_seed || option_rows[i].kind != &kind_seed)) /* each draws its own */
			option_rows[i].kind->write(&option_rows[i], options, &line);
}

void options_again(const struct options *options, const char *program, char *out, size_t capacity)
{
	static const enum again order[] = {AGAIN_SEED, AGAIN_DEVICE, AGAIN_LAST};
	struct command_line line = {.out = out, .capacity = capacity};
	line_add(&line, program);
	line_add(&line, options->command);
	for (size_t pass = 0; pass < sizeof order / sizeof *order; pass++)
		for (size_t i = 0; i < option_row_count; i++)
			if (option_rows[i].again == order[pass] &&
				option_row_is_of(&option_rows[i], options->command))
				option_rows[i].kind->write(&option_rows[i], options, &line);
	bool dashed = false; /* a file whose name begins with '-' follows "--"; '-' is stdin */
	for (size_t i = 0; i < options->argument_count; i++)
		dashed = dashed || (options->arguments[i][0] == '-' && options->arguments[i][1] != '\0');
	if (dashed)
		line_add(&line, "--");
	for (size_t i = 0; i < options->argument_count; i++)
		line_add(&line, options->store.as != NULL ? options->store.as : options->arguments[i]);
}

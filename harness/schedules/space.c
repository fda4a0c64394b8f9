#include "schedules/space.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "schedules/candidates.h"
#include "schedules/source.h"

#define LINE_MAX_BYTES 1024
#define ROLE_MOST ((int64_t)1 << 40)

static const struct {
	const char *name;
	int64_t least, most;
} role_rows[TUNE_ROLES] = {
	[TUNE_BLOCK_M] = {"block_m", 1, ROLE_MOST},
	[TUNE_BLOCK_N] = {"block_n", 1, ROLE_MOST},
	[TUNE_BLOCK_K] = {"block_k", 1, ROLE_MOST},
	[TUNE_WARP_M] = {"warp_m", 1, ROLE_MOST},
	[TUNE_WARP_N] = {"warp_n", 1, ROLE_MOST},
	[TUNE_THREAD_M] = {"thread_m", 1, ROLE_MOST},
	[TUNE_THREAD_N] = {"thread_n", 1, ROLE_MOST},
	[TUNE_SPLIT_K] = {"split_k", 1, ROLE_MOST},
	[TUNE_SPLIT_ATOMIC] = {"split_atomic", 0, 1},
	[TUNE_SWIZZLE] = {"swizzle", 1, ROLE_MOST},
	[TUNE_STAGES] = {"stages", 1, ROLE_MOST},
	[TUNE_THREADS] = {"threads", 1, ROLE_MOST},
	[TUNE_SHARED_BYTES] = {"shared_bytes", 0, ROLE_MOST},
	[TUNE_REGISTERS] = {"registers", 0, ROLE_MOST},
	[TUNE_BLOCKS_PER_MULTIPROCESSOR] = {"blocks_per_multiprocessor", 0, ROLE_MOST},
	[TUNE_UNIT] = {"unit", 0, UNIT_COUNT - 1},
	[TUNE_BLOCKS] = {"blocks", 1, ROLE_MOST},
};

static const char *const gpu_names[] = {"gpu_multiprocessors",
										"gpu_shared_per_block",
										"gpu_shared_per_multiprocessor",
										"gpu_registers_per_multiprocessor",
										"gpu_registers_per_thread",
										"gpu_threads_per_block",
										"gpu_threads_per_multiprocessor",
										"gpu_l2_bytes",
										"gpu_compute"};
#define GPU_NAMES (sizeof gpu_names / sizeof *gpu_names)

/* What expressions have names for, whatever the problem calls its sizes. */
static const char *const more_names[] = {"batch", "group", "beta_is_0"};

const char *tune_role_name(enum tune_role role)
{
	return role_rows[role].name;
}

bool tune_role_holds(enum tune_role role, int64_t value)
{
	return value >= role_rows[role].least && value <= role_rows[role].most;
}

/* ---- what the problem and the GPU give -------------------------------------------- */

static void give_name(struct space *space, const char *name)
{
	snprintf(space->names[space->name_count++].name, SPACE_NAME_MAX, "%s", name);
}

static void give_names(struct space *space)
{
	for (const struct problem_size *size = space->problem->sizes; size->name != NULL; size++)
		give_name(space, size->shown);
	for (size_t i = 0; i < sizeof more_names / sizeof *more_names; i++)
		give_name(space, more_names[i]);
	for (size_t i = 0; i < GPU_NAMES; i++)
		give_name(space, gpu_names[i]);
	space->given_count = space->name_count;
}

void space_give(const struct space *space, const struct tune_gpu *gpu, const struct test_case *test,
				int64_t values[SPACE_NAMES_MAX])
{
	const int64_t of_gpu[GPU_NAMES] = {gpu->multiprocessors,
									   gpu->shared_per_block,
									   gpu->shared_per_multiprocessor,
									   gpu->registers_per_multiprocessor,
									   gpu->registers_per_thread,
									   gpu->threads_per_block,
									   gpu->threads_per_multiprocessor,
									   gpu->l2_bytes,
									   gpu->compute};
	size_t at = 0;
	for (const struct problem_size *size = space->problem->sizes; size->name != NULL; size++)
		values[at++] = test->shape.size[__builtin_ctz(size->is)];
	values[at++] = test->shape.size[SIZE_BATCH];
	values[at++] = test->shape.size[SIZE_GROUP];
	values[at++] = !(test->scalar[SCALAR_BETA] != 0);
	memcpy(values + at, of_gpu, sizeof of_gpu);
}

/* ---- names ------------------------------------------------------------------------ */

static int find_name(const struct space *space, const char *name)
{
	for (size_t i = 0; i < space->name_count; i++)
		if (strcmp(space->names[i].name, name) == 0)
			return (int)i;
	return -1;
}

static bool is_identifier(const char *name)
{
	if (!isalpha((unsigned char)name[0]) && name[0] != '_')
		return false;
	for (const char *p = name; *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	return true;
}

/* The place of a new name, or -1. */
static int declare_name(struct space *space, const char *name, int line, struct error *err)
{
	int known = find_name(space, name);
	if (!is_identifier(name) || strlen(name) >= SPACE_NAME_MAX)
		error_set(err, "'%.40s' cannot be a name: letters, digits and _ can, %d at most", name,
				  SPACE_NAME_MAX - 1);
	else if (known >= 0 && space->names[known].line == 0)
		error_set(err, "the name '%s' is taken: the problem and the GPU have it", name);
	else if (known >= 0)
		error_set(err, "'%s' is declared twice, at first in line %d", name,
				  space->names[known].line);
	else if (space->name_count == SPACE_NAMES_MAX)
		error_set(err, "more than %d names", SPACE_NAMES_MAX - (int)space->given_count);
	else {
		struct space_name *added = &space->names[space->name_count];
		snprintf(added->name, sizeof added->name, "%s", name);
		added->line = line;
		return (int)space->name_count++;
	}
	return -1;
}

static int place_of(void *context, const char *name, struct error *err)
{
	const struct space *space = context;
	const char *names[SPACE_NAMES_MAX];
	char phrase[160];
	int place = find_name(space, name);
	if (place >= 0)
		return place;
	for (size_t i = 0; i < space->name_count; i++)
		names[i] = space->names[i].name;
	error_set(err, "unknown name '%s'%s", name,
			  suggest_phrase(phrase, name, names, space->name_count));
	return -1;
}

/* ---- lines -------------------------------------------------------------------------- */

/* A line `// tune WORD REST` on its way. */
struct tune_line {
	int number;
	bool too_long; /* the rest is not filled */
	char word[80]; /* "let", "where", "role", "rows", or a constant's name; maybe cut off */
	char *rest;    /* what follows, without blanks around it */
	char text[LINE_MAX_BYTES];
};

static char *trim(char *text)
{
	text += strspn(text, " \t");
	for (size_t end = strlen(text); end > 0 && isspace((unsigned char)text[end - 1]); end--)
		text[end - 1] = '\0';
	return text;
}

/* The text behind the mark that such lines begin with, or NULL. */
static const char *behind_mark(const char *line)
{
	line += strspn(line, " \t");
	if (strncmp(line, "//", 2) != 0)
		return NULL;
	line += 2 + strspn(line + 2, " \t");
	return strncmp(line, "tune", 4) == 0 && (line[4] == ' ' || line[4] == '\t') ? line + 4 : NULL;
}

/* The next one at or behind *at; false where there is none. */
static bool next_line(const char **at, int *number, struct tune_line *out)
{
	while (**at != '\0') {
		const char *line = behind_mark(*at), *end = *at + strcspn(*at, "\n");
		*at = *end == '\n' ? end + 1 : end;
		++*number;
		if (line == NULL)
			continue;
		*out = (struct tune_line){.number = *number, .rest = out->text};
		out->too_long = (size_t)(end - line) >= sizeof out->text;
		if (out->too_long)
			return true;
		snprintf(out->text, sizeof out->text, "%.*s", (int)(end - line), line);
		const char *word = trim(out->text);
		size_t length = strcspn(word, " \t=");
		snprintf(out->word, sizeof out->word, "%.*s", (int)length, word);
		out->rest = trim(out->text + (word - out->text) + length);
		return true;
	}
	return false;
}

/* "NAME = REST": ends the name in place, and gives what follows. NULL: there is no '='. */
static char *split_equals(char *text)
{
	char *equals = strchr(text, '=');
	if (equals == NULL)
		return NULL;
	*equals = '\0';
	trim(text);
	return trim(equals + 1);
}

static bool is_keyword(const char *word)
{
	return strcmp(word, "let") == 0 || strcmp(word, "where") == 0 || strcmp(word, "role") == 0 ||
		   strcmp(word, "rows") == 0;
}

/* ---- constants and tables --------------------------------------------------------- */

static bool take_constant(struct space *space, struct tune_line *line, struct error *err)
{
	if (is_keyword(line->word))
		return true;
	if (line->rest[0] != '=' || line->rest[1] == '=')
		return error_set(err,
						 "'%.40s %.40s' is none of: NAME = DEFAULT : CANDIDATES, "
						 "let NAME = EXPRESSION, where EXPRESSION, role NAME = EXPRESSION, "
						 "rows FILE",
						 line->word, line->rest);
	if (space->constant_count == SPACE_CONSTANTS_MAX)
		return error_set(err, "more than %d constants", SPACE_CONSTANTS_MAX);
	struct space_constant *constant = &space->constants[space->constant_count];
	struct space_choice *choice = &space->choices[space->choice_count];
	char *colon = strchr(line->rest, ':');
	if (colon != NULL)
		*colon = '\0';
	const char *standard = trim(line->rest + 1);
	if (!candidates_number(standard, &constant->standard))
		return error_set(err, "%s = '%.40s': the default is no whole number of 64 bits", line->word,
						 standard);
	constant->place = declare_name(space, line->word, line->number, err);
	if (constant->place < 0)
		return false;
	space->names[constant->place].constant = true;
	space->constant_count++;
	if (colon == NULL)
		return true; /* a table has its candidates */
	*choice =
		(struct space_choice){.line = line->number, .columns = 1, .places = {constant->place}};
	if (!candidates_parse(colon + 1, &choice->values, &choice->count, err))
		return error_prefix(err, "%s", line->word);
	space->choice_count++;
	for (size_t i = 0; i < choice->count; i++)
		if (choice->values[i] == constant->standard)
			return true;
	return error_set(err, "the default of %s, %lld, is not among its candidates", line->word,
					 (long long)constant->standard);
}

/* Whether a table or a list already has candidates for the name. */
static bool has_candidates(const struct space *space, int place)
{
	for (size_t i = 0; i < space->choice_count; i++)
		for (size_t j = 0; j < space->choices[i].columns; j++)
			if (space->choices[i].places[j] == place)
				return true;
	return false;
}

/* The row of a table before `row` with the same constants, or `row` itself. */
static size_t first_like(const struct space *space, const struct space_choice *choice, size_t row)
{
	for (size_t i = 0; i < row; i++) {
		bool same = true;
		for (size_t j = 0; j < choice->columns && same; j++)
			same = !space->names[choice->places[j]].constant ||
				   choice->values[i * choice->columns + j] ==
					   choice->values[row * choice->columns + j];
		if (same)
			return i;
	}
	return row;
}

static bool has_standard_row(const struct space *space, const struct space_choice *choice)
{
	for (size_t i = 0; i < choice->count; i++) {
		bool all = true;
		for (size_t j = 0; j < choice->columns; j++)
			for (size_t k = 0; k < space->constant_count; k++)
				if (space->constants[k].place == choice->places[j])
					all &= space->constants[k].standard == choice->values[i * choice->columns + j];
		if (all)
			return true;
	}
	return false;
}

/* Gives each column its place: a constant's, or a new name. */
static bool bind_columns(struct space *space, const struct candidates_table *table,
						 struct space_choice *choice, const char *path, struct error *err)
{
	bool any = false;
	for (size_t i = 0; i < table->columns; i++) {
		int place = find_name(space, table->names[i]);
		bool constant = place >= 0 && space->names[place].constant;
		if (!constant)
			place = declare_name(space, table->names[i], choice->line, err);
		else if (has_candidates(space, place))
			return error_set(err, "%s has candidates in line %d and in %s", table->names[i],
							 space->names[place].line, path);
		for (size_t j = 0; j < i; j++)
			if (choice->places[j] == place)
				return error_set(err, "two columns of %s are called '%s'", path, table->names[i]);
		if (place < 0)
			return error_prefix(err, "a column of %s", path);
		choice->places[choice->columns++] = place;
		any |= constant;
	}
	return any || error_set(err, "no column of %s is a constant that is declared", path);
}

/* A table is looked for in the solution's folder and below. */
static bool table_path(const struct space *space, const char *name, char out[PATHS_MAX],
					   struct error *err)
{
	const char *slash = strrchr(space->file, '/');
	int folder = slash != NULL ? (int)(slash + 1 - space->file) : 0;
	if (name[0] == '\0')
		return error_set(err, "rows: a file is needed");
	if (name[0] == '/' || strstr(name, "..") != NULL)
		return error_set(err, "rows %.80s: the file lies in the solution's folder or below", name);
	if (snprintf(out, PATHS_MAX, "%.*s%s", folder, space->file, name) >= PATHS_MAX)
		return error_set(err, "rows: the path is too long");
	return true;
}

static bool take_rows(struct space *space, struct tune_line *line, struct error *err)
{
	char path[PATHS_MAX];
	struct candidates_table table;
	if (strcmp(line->word, "rows") != 0)
		return true;
	if (space->choice_count == SPACE_CHOICES_MAX)
		return error_set(err, "more than %d lists of candidates and tables", SPACE_CHOICES_MAX);
	if (!table_path(space, line->rest, path, err) || !candidates_read_table(path, &table, err))
		return false;
	struct space_choice *choice = &space->choices[space->choice_count];
	*choice =
		(struct space_choice){.line = line->number, .count = table.rows, .values = table.values};
	if (!bind_columns(space, &table, choice, line->rest, err)) {
		free(table.values);
		return false;
	}
	space->choice_count++;
	for (size_t i = 0; i < choice->count; i++) {
		size_t first = first_like(space, choice, i);
		if (first < i)
			return error_set(err, "rows %zu and %zu of %s have the same constants", first + 1,
							 i + 1, line->rest);
	}
	return has_standard_row(space, choice) ||
		   error_set(err, "no row of %s has the defaults of its constants", line->rest);
}

/* ---- expressions ------------------------------------------------------------------ */

static bool add_rule(struct space *space, enum space_rule_kind kind, int line, const char *text,
					 struct error *err)
{
	const struct expression_names names = {.place = place_of, .context = space};
	struct space_rule *rule = &space->rules[space->rule_count];
	if (space->rule_count == SPACE_RULES_MAX)
		return error_set(err, "more than %d lines of let, where and role", SPACE_RULES_MAX);
	if (strlen(text) >= SPACE_TEXT_MAX)
		return error_set(err, "the expression has more than %d characters", SPACE_TEXT_MAX - 1);
	*rule = (struct space_rule){.kind = kind, .line = line};
	strcpy(rule->text, text);
	if (!expression_parse(text, &names, &rule->expression, err))
		return false;
	space->rule_count++;
	return true;
}

static bool take_role(struct space *space, const char *name, const char *text, int line,
					  struct error *err)
{
	const char *names[TUNE_ROLES];
	char phrase[160];
	for (int i = 0; i < TUNE_ROLES; i++)
		names[i] = role_rows[i].name;
	int role = (int)text_index(name, names, TUNE_ROLES);
	if (role == TUNE_ROLES)
		return error_set(err, "unknown role '%.40s'%s", name,
						 suggest_phrase(phrase, name, names, TUNE_ROLES));
	for (size_t i = 0; i < space->rule_count; i++)
		if (space->rules[i].kind == RULE_ROLE && space->rules[i].place == role)
			return error_set(err, "the role %s is given twice, at first in line %d", name,
							 space->rules[i].line);
	if (!add_rule(space, RULE_ROLE, line, text, err))
		return error_prefix(err, "role %s", name);
	space->rules[space->rule_count - 1].place = role;
	return true;
}

static bool take_let(struct space *space, const char *name, const char *text, int line,
					 struct error *err)
{
	if (!add_rule(space, RULE_LET, line, text, err))
		return error_prefix(err, "let %.40s", name);
	int place = declare_name(space, name, line, err);
	space->rules[space->rule_count - 1].place = place;
	return place >= 0;
}

static bool take_rule(struct space *space, struct tune_line *line, struct error *err)
{
	if (!is_keyword(line->word) || strcmp(line->word, "rows") == 0)
		return true;
	if (strcmp(line->word, "where") == 0)
		return add_rule(space, RULE_WHERE, line->number, line->rest, err) ||
			   error_prefix(err, "where");
	const char *text = split_equals(line->rest);
	if (text == NULL)
		return error_set(err, "%s %.40s: '= EXPRESSION' is missing", line->word, line->rest);
	const char *name = trim(line->rest);
	return strcmp(line->word, "let") == 0 ? take_let(space, name, text, line->number, err)
										  : take_role(space, name, text, line->number, err);
}

/* ---- the whole -------------------------------------------------------------------- */

static bool each_line(struct space *space, const char *text,
					  bool (*take)(struct space *, struct tune_line *, struct error *),
					  struct error *err)
{
	struct tune_line line;
	int number = 0;
	while (next_line(&text, &number, &line)) {
		bool ok = true;
		if (line.number > SPACE_LINES) /* prose may begin with the same word there */
			ok = (!is_keyword(line.word) && line.rest[0] != '=') ||
				 error_set(err, "only the first %d lines may declare what is tuned", SPACE_LINES);
		else if (line.too_long)
			ok = error_set(err, "the line has more than %d characters", LINE_MAX_BYTES - 1);
		else
			ok = take(space, &line, err);
		if (!ok)
			return error_prefix(err, "%s:%d", space->file, line.number);
	}
	return true;
}

/* Each constant has candidates of its own or in a table. */
static bool all_have_candidates(const struct space *space, struct error *err)
{
	for (size_t i = 0; i < space->constant_count; i++) {
		const struct space_name *name = &space->names[space->constants[i].place];
		if (!has_candidates(space, space->constants[i].place))
			return error_set(err,
							 "%s:%d: %s has no candidates: they follow the default behind ':', or "
							 "stand in a table (// tune rows FILE)",
							 space->file, name->line, name->name);
	}
	return space->constant_count > 0 ||
		   error_set(err,
					 "%s: declares nothing to tune; a line '// tune NAME = DEFAULT : CANDIDATES' "
					 "declares a constant",
					 space->file);
}

bool space_parse(const char *file, const char *text, const struct problem *problem,
				 struct space *out, struct error *err)
{
	*out = (struct space){.problem = problem};
	if (snprintf(out->file, sizeof out->file, "%s", file) >= (int)sizeof out->file)
		return error_set(err, "%.80s...: the path is too long", file);
	give_names(out);
	bool ok = each_line(out, text, take_constant, err) && each_line(out, text, take_rows, err) &&
			  all_have_candidates(out, err) && each_line(out, text, take_rule, err);
	if (!ok)
		space_free(out);
	return ok;
}

bool space_read(const char *file, const struct problem *problem, struct space *out,
				struct error *err)
{
	char *text = text_read(file, SOURCE_BYTES, err);
	*out = (struct space){0};
	if (text == NULL)
		return false;
	bool ok = space_parse(file, text, problem, out, err);
	free(text);
	if (ok && !source_keeps_to(out, err)) {
		space_free(out);
		ok = false;
	}
	return ok;
}

void space_free(struct space *space)
{
	for (size_t i = 0; i < space->choice_count; i++)
		free(space->choices[i].values);
	for (size_t i = 0; i < space->rule_count; i++)
		expression_free(&space->rules[i].expression);
	*space = (struct space){0};
}

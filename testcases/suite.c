#include "testcases/suite.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/paths.h"
#include "testcases/values.h"

#define LIST_MAX 512
#define TUPLES_MAX 16
#define CASES_MAX 20000
#define DIM_MAX 16384
#define LINE_MAX_BYTES 180 /* inih's own buffer holds 200 */

/* One size: a list, or a power of the group's w. */
struct size_list {
	size_t count;
	int size[LIST_MAX];
	int power_of_w; /* 1: w, 2: w*w; 0: the list */
};

/* What `values`, `a`, `b`, `c` or an operand's own name say of an operand. */
struct chosen {
	bool any;
	struct value_spec spec;
};

/* One [section]: its sizes are combined, every one with every tuple of scalars. */
struct group {
	char name[32];
	int line;
	bool skipped; /* for problems of another type */
	struct size_list w, sizes[SIZE_COUNT];
	size_t tuple_count;
	struct {
		size_t count;
		float value[SCALARS_MAX];
	} tuples[TUPLES_MAX];
	struct chosen values, of[OPERANDS_MAX];
	bool integer; /* `values = integer`, with scales chosen by case_make_exact */
};

/* The keys that say sizes. */
static const struct {
	const char *key;
	enum size size;
} size_keys[] = {
	{"m", SIZE_M}, {"n", SIZE_N}, {"k", SIZE_K}, {"batch", SIZE_BATCH}, {"group", SIZE_GROUP}};
#define SIZE_KEYS (sizeof size_keys / sizeof *size_keys)

/* Where a file does not say them. */
#define BATCH_DEFAULT 3
#define GROUP_DEFAULT 32

struct loader {
	FILE *stream;
	int line;
	int section_line;     /* of the last [section]; inih tells no handler of it */
	char text_error[512]; /* the first error; empty so far */
	int error_line;
	const struct problem *problem;
	uint64_t seed;
	int max_dim;
	bool in_group;
	struct group group;
	size_t capacity;
	struct suite *suite;
};

/* Records the first error. Returns 0: inih's word for failure. */
__attribute__((format(printf, 3, 4))) static int fail_at(struct loader *loader, int line,
														 const char *format, ...)
{
	if (loader->text_error[0] != '\0')
		return 0;
	va_list args;
	va_start(args, format);
	vsnprintf(loader->text_error, sizeof loader->text_error, format, args);
	va_end(args);
	/* The message may quote the file, and a terminal obeys control characters. */
	for (char *at = loader->text_error; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = '?';
	loader->error_line = line;
	return 0;
}

/* ---- values of one line -------------------------------------------------- */

static const char *skip_spaces(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Takes WORD when it stands at *at as a whole word. */
static bool take_word(const char **at, const char *word)
{
	const char *start = skip_spaces(*at);
	size_t length = strlen(word);
	if (strncmp(start, word, length) != 0 || isalnum((unsigned char)start[length]))
		return false;
	*at = start + length;
	return true;
}

/* The row whose limits a key has; that of M where the problem has no such size. */
static const struct problem_size *limits_of_key(const struct problem *problem, const char *key)
{
	const struct problem_size *found = NULL;
	for (size_t i = 0; i < SIZE_KEYS; i++)
		if (strcmp(key, size_keys[i].key) == 0)
			found = problem_size_of(problem, size_keys[i].size);
	return found != NULL ? found : problem_size_of(problem, SIZE_M);
}

/* A size: a number, or `min` or `max` of the problem's own. */
static bool take_size(struct loader *loader, const char **at, const char *key, int *out)
{
	char *end;
	const char *start = skip_spaces(*at);
	if (take_word(at, "min") || take_word(at, "max")) {
		const struct problem_size *size = limits_of_key(loader->problem, key);
		*out = start[1] == 'i' ? size->min : size->max;
		return true;
	}
	if (!isdigit((unsigned char)*start))
		return false;
	errno = 0;
	long value = strtol(start, &end, 10);
	*out = errno != 0 || value > 1000000 ? 1000000 : (int)value;
	*at = end;
	return true;
}

static int add_size(struct loader *loader, struct size_list *list, const char *key, int size)
{
	if (list->count == LIST_MAX)
		return fail_at(loader, loader->line, "%s has more than %d sizes", key, LIST_MAX);
	list->size[list->count++] = size;
	return 1;
}

/* "16", "16..80", "16..80 step 3" */
static int parse_item(struct loader *loader, struct size_list *list, const char *key,
					  const char **at)
{
	int first, last, step = 1;
	if (!take_size(loader, at, key, &first))
		return fail_at(loader, loader->line, "%s: expected a size at \"%.40s\"", key,
					   skip_spaces(*at));
	last = first;
	*at = skip_spaces(*at);
	if (strncmp(*at, "..", 2) == 0) {
		*at += 2;
		if (!take_size(loader, at, key, &last))
			return fail_at(loader, loader->line, "%s: expected a size after \"..\"", key);
		if (take_word(at, "step") && (!take_size(loader, at, key, &step) || step < 1))
			return fail_at(loader, loader->line, "%s: expected a number from 1 after \"step\"",
						   key);
	}
	if (last < first)
		return fail_at(loader, loader->line, "%s: the range %d..%d is empty", key, first, last);
	for (int size = first; size <= last; size += step)
		if (!add_size(loader, list, key, size))
			return 0;
	return 1;
}

/* A comma-separated list; more lines of the same key add to it. */
static int parse_sizes(struct loader *loader, struct size_list *list, const char *key,
					   const char *text)
{
	const char *at = text;
	if (take_word(&at, "w") && list != &loader->group.w && list->count == 0) {
		list->power_of_w = 1;
		at = skip_spaces(at);
		if (*at == '*') {
			at++;
			if (!take_word(&at, "w"))
				return fail_at(loader, loader->line, "%s: expected \"w*w\"", key);
			list->power_of_w = 2;
		}
	} else {
		do {
			if (!parse_item(loader, list, key, &at))
				return 0;
			at = skip_spaces(at);
		} while (*at == ',' && at++);
	}
	if (*skip_spaces(at) != '\0')
		return fail_at(loader, loader->line, "%s: cannot read \"%.40s\"", key, skip_spaces(at));
	return 1;
}

static bool take_float(const char **at, float *out)
{
	char *end;
	*out = strtof(*at, &end);
	if (end == *at || !(*out - *out == 0)) /* nothing there, or not finite */
		return false;
	*at = end;
	return true;
}

/* "1 0, 0.5 0.5": alpha and beta, or all scalars of the problem in their order. */
static int parse_scalars(struct loader *loader, const char *text)
{
	struct group *group = &loader->group;
	const char *at = text;
	do {
		if (group->tuple_count == TUPLES_MAX)
			return fail_at(loader, loader->line, "scalars has more than %d pairs", TUPLES_MAX);
		size_t count = 0;
		float *values = group->tuples[group->tuple_count].value;
		while (count < SCALARS_MAX && take_float(&at, &values[count])) {
			count++;
			at = skip_spaces(at);
		}
		if (count < 2)
			return fail_at(
				loader, loader->line,
				"scalars: expected pairs of finite numbers, alpha beta, ... at \"%.40s\"",
				skip_spaces(at));
		group->tuples[group->tuple_count++].count = count;
	} while (*at == ',' && at++);
	if (*at != '\0')
		return fail_at(loader, loader->line, "scalars: cannot read \"%.40s\"", at);
	return 1;
}

/* What is left on the line after a scale: the lowest value, or of graphs that and the share of
 * edges that there are. */
static bool take_rest(const char **at, struct value_spec *out)
{
	float *more[] = {&out->low, &out->share};
	for (size_t i = 0; i < 2 && *skip_spaces(*at) != '\0'; i++)
		if (!take_float(at, more[i]) || !(*more[i] >= 0))
			return false;
	return *skip_spaces(*at) == '\0';
}

static bool has_more(enum distribution distribution)
{
	return distribution == VALUES_POSITIVE || distribution == VALUES_GRAPH ||
		   distribution == VALUES_GRAPH_SIGNED || distribution == VALUES_GRAPH_INTEGER ||
		   distribution == VALUES_GRAPH_CHAIN;
}

/* "uniform 10", "zero", "positive 0.1 0.01"; the scale is 1 when left out. */
static int parse_values(struct loader *loader, const char *key, const char *text,
						struct chosen *out)
{
	char name[16];
	int length = 0;
	struct value_spec *spec = &out->spec;
	out->any = true;
	if (sscanf(text, " %15[a-z-]%n", name, &length) != 1 ||
		!distribution_parse(name, &spec->distribution))
		return fail_at(
			loader, loader->line,
			"%s: unknown values \"%.40s\"; known: uniform, normal, integer, wide, positive, "
			"zero, nan, special, large, codes, marker, unwritten, graph, graph-signed, "
			"graph-integer",
			key, text);
	spec->scale = 1;
	spec->low = 0;
	spec->share = 1;
	const char *at = skip_spaces(text + length);
	if (*at == '\0')
		return 1;
	if (!take_float(&at, &spec->scale) || !(spec->scale > 0) ||
		!(has_more(spec->distribution) ? take_rest(&at, spec) : *skip_spaces(at) == '\0'))
		return fail_at(loader, loader->line, "%s: the scale \"%.40s\" is no positive number", key,
					   skip_spaces(text + length));
	struct error err;
	return value_spec_holds(spec, &err) ||
		   fail_at(loader, loader->line, "%s: %s", key, err.message);
}

static int parse_all_values(struct loader *loader, const char *text)
{
	struct group *group = &loader->group;
	const char *at = text;
	if (take_word(&at, "integer") && *skip_spaces(at) == '\0') {
		group->integer = true;
		return 1;
	}
	return parse_values(loader, "values", text, &group->values);
}

/* Every operand is of this type. */
static bool is_all_of(const struct problem *problem, const struct type *type)
{
	bool all = true;
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++)
		all = all && type_of(operand->type) == type;
	return all;
}

/* A type or an algebra; each `only` of a group must hold. */
static int parse_only(struct loader *loader, const char *text)
{
	static const enum algebra algebras[] = {ALGEBRA_PLUS_TIMES, ALGEBRA_MIN_PLUS,
											ALGEBRA_SHORTEST_PATHS};
	bool *skipped = &loader->group.skipped;
	for (size_t i = 0; type_at(i) != NULL; i++) {
		if (strcmp(text, type_at(i)->name) == 0) {
			*skipped = *skipped || !is_all_of(loader->problem, type_at(i));
			return 1;
		}
	}
	for (size_t i = 0; i < sizeof algebras / sizeof algebras[0]; i++) {
		if (strcmp(text, algebra_name(algebras[i])) == 0) {
			*skipped = *skipped || algebras[i] != loader->problem->algebra;
			return 1;
		}
	}
	return fail_at(loader, loader->line,
				   "only: \"%.40s\" is no type and no algebra; known: f16, bf16, f32, s8, "
				   "plus-times, min-plus, shortest-paths",
				   text);
}

/* ---- groups into cases ---------------------------------------------------- */

/* Its own seed for each case, by its place among all that the file describes:
 * what max_dim leaves out does not move the others. */
static uint64_t case_seed(uint64_t seed, size_t place)
{
	struct values_words words =
		values_random(seed, VALUES_STREAM_CASE, 0x5175ull << 48 | (uint64_t)place);
	return (uint64_t)words.word[0] << 32 | words.word[1];
}

/* A batch or a group where the problem has none: it stays 1, whatever the file says. */
static bool is_ignored(const struct problem *problem, const char *key)
{
	return (strcmp(key, "batch") == 0 && problem_size_of(problem, SIZE_BATCH) == NULL) ||
		   (strcmp(key, "group") == 0 && problem_size_of(problem, SIZE_GROUP) == NULL);
}

static int check_size(struct loader *loader, const char *key, long long size)
{
	int low = limits_of_key(loader->problem, key)->min;
	if (is_ignored(loader->problem, key) || (size >= low && size <= DIM_MAX))
		return 1;
	return fail_at(loader, loader->group.line, "[%s] %s = %lld is outside %d..%d, the sizes of %s",
				   loader->group.name, key, size, low, DIM_MAX, loader->problem->name);
}

static struct test_case *append_case(struct loader *loader)
{
	struct suite *suite = loader->suite;
	if (suite->count == loader->capacity) {
		size_t capacity = loader->capacity == 0 ? 64 : 2 * loader->capacity;
		void *grown = realloc(suite->cases, capacity * sizeof *suite->cases);
		if (grown == NULL) {
			fail_at(loader, loader->line, "out of memory");
			return NULL;
		}
		suite->cases = grown;
		loader->capacity = capacity;
	}
	return &suite->cases[suite->count];
}

static void name_case(const struct problem *problem, const struct group *group,
					  struct test_case *test)
{
	char shape[SHAPE_TEXT];
	shape_print(problem, &test->shape, shape);
	int room = (int)(sizeof test->name - 2 - strlen(shape));
	snprintf(test->name, sizeof test->name, "%.*s/%.40s", room, group->name, shape);
}

/* The scalars of a tuple: alpha and beta, or all that the problem has. False: the problem has no
 * such case. A problem without alpha and beta takes 1 0, which is what it computes. */
static bool take_tuple(const struct loader *loader, size_t tuple, struct test_case *test)
{
	const struct problem *problem = loader->problem;
	const float *values = loader->group.tuples[tuple].value;
	size_t count = loader->group.tuples[tuple].count, own = problem_scalars(problem);
	bool factors = problem_takes(problem, SCALAR_ALPHA);
	bool plain = count == 2 && values[0] == 1 && values[1] == 0;
	if (count == 0) /* the file says none */
		return true;
	if (count == own && (factors || loader->suite->problem[0] != '\0')) {
		for (size_t i = 0; i < own; i++)
			test->scalar[problem->scalars[i].is] = values[i];
		return true;
	}
	return plain && !factors;
}

/* What the file says, where the operand is one that takes numbers of the file's choice. */
static void choose_values(const struct loader *loader, struct test_case *test)
{
	const struct problem *problem = loader->problem;
	const struct group *group = &loader->group;
	for (size_t i = 0; problem->operands[i].name != NULL; i++) {
		enum draw draw = problem->operands[i].draw;
		bool numbers = draw == DRAW_NUMBERS || draw == DRAW_LENGTHS;
		bool added = problem->operands[i].role == ROLE_BOTH;
		bool read = !added || test->scalar[SCALAR_BETA] != 0;
		bool free = numbers || draw == DRAW_NOTHING || loader->suite->problem[0] != '\0';
		if (group->of[i].any && free)
			test->values[i] = group->of[i].spec;
		else if (group->values.any && numbers && read)
			test->values[i] = group->values.spec;
		else
			test->values[i] = case_plain_values(problem, i, test);
	}
}

/* Integers, whatever c = says of what is only overwritten. */
static int make_exact(struct loader *loader, struct test_case *test)
{
	size_t result = problem_part_index(loader->problem, PART_RESULT);
	bool unread = test->scalar[SCALAR_BETA] == 0;
	struct value_spec kept = test->values[result];
	if (type_of(loader->problem->operands[result].type)->format.is_integer ||
		loader->problem->algebra == ALGEBRA_SHORTEST_PATHS)
		return 1;
	if (!case_make_exact(loader->problem, test))
		return fail_at(
			loader, loader->group.line,
			"[%s] values = integer needs alpha and beta among 0, 0.5, 1, 1.5, 2 or their "
			"negatives",
			loader->group.name);
	if (unread)
		test->values[result] = kept;
	return 1;
}

static bool is_too_large(const struct loader *loader, const struct shape *shape)
{
	static const enum size dimensions[] = {SIZE_M, SIZE_N, SIZE_K};
	bool large = false;
	for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++)
		large = large || (loader->max_dim > 0 && shape->size[dimensions[i]] > loader->max_dim);
	return large;
}

/* `place` counts every case of the file, kept or not. */
static int emit_case(struct loader *loader, const struct shape *shape, size_t tuple, size_t *place)
{
	const struct group *group = &loader->group;
	if (++*place > CASES_MAX)
		return fail_at(loader, group->line, "[%s] brings the suite to more than %d cases",
					   group->name, CASES_MAX);
	struct test_case test =
		case_of_shape(loader->problem, shape, NULL, case_seed(loader->seed, *place));
	struct error err, ignored;
	if (!take_tuple(loader, tuple, &test) || is_too_large(loader, shape) ||
		!shape_holds(loader->problem, shape, &ignored))
		return 1;
	struct test_case *kept = append_case(loader);
	if (kept == NULL)
		return 0;
	choose_values(loader, &test);
	name_case(loader->problem, group, &test);
	if (group->integer && !make_exact(loader, &test))
		return 0;
	if (!case_holds(loader->problem, &test, &err))
		return fail_at(loader, group->line, "[%s] %s", group->name, err.message);
	*kept = test;
	loader->suite->count++;
	return 1;
}

static long long size_at(const struct size_list *list, size_t i, int w)
{
	if (list->power_of_w == 0)
		return list->size[i];
	return list->power_of_w == 1 ? w : (long long)w * w;
}

static size_t list_length(const struct size_list *list)
{
	return list->power_of_w != 0 ? 1 : list->count;
}

/* A size that M stands for. */
static bool is_tied(const struct problem *problem, enum size size)
{
	const struct problem_size *row = problem_size_of(problem, size);
	return size != SIZE_M && row != NULL && row == problem_size_of(problem, SIZE_M);
}

/* Sets one size after the other; those that the problem has not, and a size that another one
 * stands for, to what they are without. */
static int emit_sizes(struct loader *loader, size_t key, struct shape *shape, int w, size_t *place)
{
	const struct group *group = &loader->group;
	const struct problem *problem = loader->problem;
	if (key == SIZE_KEYS) {
		for (size_t t = 0; t < group->tuple_count; t++)
			if (!emit_case(loader, shape, t, place))
				return 0;
		return 1;
	}
	enum size size = size_keys[key].size;
	const struct size_list *list = &group->sizes[size];
	const struct problem_size *row = problem_size_of(problem, size);
	bool tied = is_tied(problem, size);
	size_t count = row != NULL && !tied ? list_length(list) : 1;
	for (size_t i = 0; i < (count > 0 ? count : 1); i++) {
		long long value = size_at(list, i, w);
		if (list_length(list) == 0)
			value = size == SIZE_BATCH ? BATCH_DEFAULT : GROUP_DEFAULT;
		else if (!check_size(loader, size_keys[key].key, value))
			return 0;
		shape->size[size] = tied ? shape->size[SIZE_M] : row != NULL ? (int32_t)value : 1;
		if (!emit_sizes(loader, key + 1, shape, w, place))
			return 0;
	}
	return 1;
}

static int check_group(struct loader *loader)
{
	struct group *group = &loader->group;
	bool uses_w = false;
	for (size_t i = 0; i < SIZE_KEYS; i++) {
		enum size size = size_keys[i].size;
		const struct size_list *list = &group->sizes[size];
		bool optional = size == SIZE_BATCH || size == SIZE_GROUP ||
						problem_size_of(loader->problem, size) == NULL ||
						is_tied(loader->problem, size);
		if (list_length(list) == 0 && !optional)
			return fail_at(loader, group->line, "[%s] has no %s", group->name, size_keys[i].key);
		uses_w = uses_w || list->power_of_w != 0;
	}
	if (uses_w && group->w.count == 0)
		return fail_at(loader, group->line, "[%s] uses w and does not set it", group->name);
	if (!uses_w && group->w.count != 0)
		return fail_at(loader, group->line, "[%s] sets w and does not use it", group->name);
	return 1;
}

static bool is_special(const struct chosen *chosen)
{
	return chosen->any &&
		   (chosen->spec.distribution == VALUES_SPECIAL || chosen->spec.distribution == VALUES_NAN);
}

/* What a minimum makes of a NaN nobody agrees on, infinities add up to one, and integers have
 * neither. */
static int check_specials(struct loader *loader)
{
	const struct group *group = &loader->group;
	const struct problem *problem = loader->problem;
	bool defined = problem->algebra == ALGEBRA_PLUS_TIMES;
	for (size_t i = 0; problem->operands[i].name != NULL; i++) {
		const struct operand *operand = &problem->operands[i];
		if (!is_special(&group->of[i]) || operand->role != ROLE_INPUT)
			continue;
		if (!defined)
			return fail_at(loader, group->line,
						   "[%s] has special values in A or B, which %s does not define: say only "
						   "= plus-times",
						   group->name, problem->name);
		if (type_of(operand->type)->format.infinity != 0)
			continue;
		if (loader->suite->problem[0] != '\0')
			return fail_at(loader, group->line,
						   "[%s] has special values in %s, whose type has none", group->name,
						   operand->name);
		loader->group.skipped = true; /* a suite for all problems */
	}
	return 1;
}

/* The group that has been read becomes cases. */
static int finish_group(struct loader *loader, size_t *place)
{
	struct group *group = &loader->group;
	if (!loader->in_group)
		return 1;
	loader->in_group = false;
	if (!check_group(loader))
		return 0;
	if (!group->skipped && !check_specials(loader))
		return 0;
	if (group->skipped)
		return 1;
	if (group->tuple_count == 0)
		group->tuples[group->tuple_count++].count = 0;
	for (size_t i = 0; i < (group->w.count == 0 ? 1 : group->w.count); i++) {
		struct shape shape = {0};
		if (!emit_sizes(loader, 0, &shape, group->w.count == 0 ? 0 : group->w.size[i], place))
			return 0;
	}
	return 1;
}

static int start_group(struct loader *loader, const char *name)
{
	loader->group = (struct group){.line = loader->section_line};
	loader->in_group = true;
	for (const char *at = name; *at != '\0'; at++)
		if (!isalnum((unsigned char)*at) && strchr("-_.+", *at) == NULL)
			return fail_at(loader, loader->section_line,
						   "[%.40s]: a group's name has letters, digits and -_.+ only", name);
	if (name[0] == '\0' || strlen(name) >= sizeof loader->group.name)
		return fail_at(loader, loader->section_line,
					   "[%.40s]: a group's name has 1 to %zu characters", name,
					   sizeof loader->group.name - 1);
	snprintf(loader->group.name, sizeof loader->group.name, "%s", name);
	return 1;
}

/* ---- the file -------------------------------------------------------------- */

static int suite_key(struct loader *loader, const char *name, const char *value)
{
	struct suite *suite = loader->suite;
	if (strcmp(name, "summary") == 0) {
		if (strlen(value) >= sizeof suite->summary)
			return fail_at(loader, loader->line, "summary is longer than %zu characters",
						   sizeof suite->summary - 1);
		snprintf(suite->summary, sizeof suite->summary, "%s", value);
		return 1;
	}
	if (strcmp(name, "problem") != 0)
		return fail_at(loader, loader->line, "[suite] knows summary and problem, not \"%.40s\"",
					   name);
	if (problem_find(value) == NULL)
		return fail_at(loader, loader->line, "problem: \"%.40s\" is unknown", value);
	snprintf(suite->problem, sizeof suite->problem, "%s", value);
	if (strcmp(value, loader->problem->name) != 0)
		return fail_at(loader, loader->line, "this suite is for %s, not for %s", value,
					   loader->problem->name);
	return 1;
}

/* The operand that a key names: by its own name, or as a, b and c. -1: none of this problem's. */
static int operand_of_key(const struct problem *problem, const char *key)
{
	static const struct {
		const char *key;
		enum part part;
	} parts[] = {{"a", PART_LEFT}, {"b", PART_RIGHT}, {"c", PART_RESULT}};
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		if (strcasecmp(problem->operands[i].name, key) == 0)
			return (int)i;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strcmp(parts[i].key, key) == 0 && problem_part(problem, parts[i].part) != NULL)
			return (int)problem_part_index(problem, parts[i].part);
	return -1;
}

/* Some problem's. */
static bool is_operand_key(const char *key)
{
	size_t count;
	const struct problem *table = problem_table(&count);
	bool known = false;
	for (size_t i = 0; i < count; i++)
		known = known || operand_of_key(&table[i], key) >= 0;
	return known;
}

static int group_key(struct loader *loader, const char *name, const char *value)
{
	struct group *group = &loader->group;
	struct chosen elsewhere;
	if (strcmp(name, "w") == 0)
		return parse_sizes(loader, &group->w, name, value);
	for (size_t i = 0; i < SIZE_KEYS; i++)
		if (strcmp(name, size_keys[i].key) == 0)
			return parse_sizes(loader, &group->sizes[size_keys[i].size], name, value);
	if (strcmp(name, "scalars") == 0)
		return parse_scalars(loader, value);
	if (strcmp(name, "values") == 0)
		return parse_all_values(loader, value);
	if (strcmp(name, "only") == 0)
		return parse_only(loader, value);
	int operand = operand_of_key(loader->problem, name);
	if (operand >= 0 || is_operand_key(name))
		return parse_values(loader, name, value, operand >= 0 ? &group->of[operand] : &elsewhere);
	return fail_at(loader, loader->line,
				   "unknown key \"%.40s\"; known: m, n, k, batch, group, w, scalars, values, a, b, "
				   "c, an operand's name, only",
				   name);
}

struct reading {
	struct loader *loader;
	size_t place;
};

static int handle_line(void *user, const char *section, const char *name, const char *value)
{
	struct reading *reading = user;
	struct loader *loader = reading->loader;
	if (loader->text_error[0] != '\0')
		return 0;
	if (section[0] == '\0')
		return fail_at(loader, loader->line, "\"%.40s\" stands before any [section]", name);
	if (strcmp(section, "suite") == 0)
		return finish_group(loader, &reading->place) && suite_key(loader, name, value);
	if (!loader->in_group || strcmp(section, loader->group.name) != 0) {
		if (!finish_group(loader, &reading->place) || !start_group(loader, section))
			return 0;
	}
	return group_key(loader, name, value);
}

/* inih's line reader, counting lines; inih itself tells a handler nothing. */
static char *read_line(char *buffer, int capacity, void *stream)
{
	struct loader *loader = ((struct reading *)stream)->loader;
	if (loader->text_error[0] != '\0' || fgets(buffer, capacity, loader->stream) == NULL)
		return NULL;
	loader->line++;
	if (*skip_spaces(buffer) == '[')
		loader->section_line = loader->line;
	size_t length = strlen(buffer);
	if (length > LINE_MAX_BYTES ||
		(length > 0 && buffer[length - 1] != '\n' && !feof(loader->stream)))
		fail_at(loader, loader->line,
				"this line is longer than %d characters, or no text: "
				"write the key again on the next line to continue a list",
				LINE_MAX_BYTES);
	return buffer;
}

static bool is_file_name(const char *name)
{
	size_t length = strlen(name);
	return strchr(name, '/') != NULL || (length > 4 && strcmp(name + length - 4, ".ini") == 0);
}

static void name_suite(struct suite *suite, const char *path)
{
	const char *base = strrchr(path, '/');
	base = base != NULL ? base + 1 : path;
	size_t length = strlen(base);
	if (length > 4 && strcmp(base + length - 4, ".ini") == 0)
		length -= 4;
	if (length >= sizeof suite->name)
		length = sizeof suite->name - 1;
	memcpy(suite->name, base, length);
	suite->name[length] = '\0';
}

static bool open_suite(const char *name, const char *folder, char path[PATHS_MAX], FILE **stream,
					   struct error *err)
{
	if (is_file_name(name)) {
		if (snprintf(path, PATHS_MAX, "%s", name) >= PATHS_MAX)
			return error_set(err, "suite: path too long");
	} else if (snprintf(path, PATHS_MAX, "%s/%s.ini", folder, name) >= PATHS_MAX) {
		return error_set(err, "suite: path too long");
	}
	*stream = fopen(path, "re");
	if (*stream != NULL)
		return true;
	if (errno == ENOENT && !is_file_name(name))
		return error_set(err, "no suite \"%.80s\": there is no %s", name, path);
	return error_set(err, "suite %s: %s", path, strerror(errno));
}

static bool read_suite(struct loader *loader, const char *path, struct error *err)
{
	struct reading reading = {loader, 0};
	int rc = ini_parse_stream(read_line, &reading, handle_line, &reading);
	if (ferror(loader->stream))
		return error_set(err, "suite %s: %s", path, strerror(errno));
	if (loader->text_error[0] == '\0' && rc == 0) {
		loader->line++;
		finish_group(loader, &reading.place);
	}
	if (loader->text_error[0] != '\0')
		return error_set(err, "%s:%d: %s", path, loader->error_line, loader->text_error);
	if (rc != 0)
		return error_set(err, "%s:%d: expected [section] or key = value", path, rc);
	if (reading.place == 0)
		return error_set(err, "%s: the suite describes no case", path);
	return true;
}

bool suite_load(const char *name_or_file, const char *suites_folder, const struct problem *problem,
				uint64_t seed, int max_dim, struct suite *out, struct error *err)
{
	char path[PATHS_MAX];
	*out = (struct suite){0};
	struct loader *loader = calloc(1, sizeof *loader);
	if (loader == NULL)
		return error_set(err, "out of memory");
	loader->problem = problem;
	loader->seed = seed;
	loader->max_dim = max_dim;
	loader->suite = out;

	bool good = open_suite(name_or_file, suites_folder, path, &loader->stream, err);
	if (good) {
		name_suite(out, path);
		good = read_suite(loader, path, err);
		fclose(loader->stream);
	}
	free(loader);
	if (!good)
		suite_free(out);
	return good;
}

void suite_free(struct suite *suite)
{
	free(suite->cases);
	*suite = (struct suite){0};
}

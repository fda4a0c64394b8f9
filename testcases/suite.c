#include "testcases/suite.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "testcases/values.h"

#define LIST_MAX 512
#define PAIRS_MAX 16
#define CASES_MAX 20000
#define DIM_MAX 16384
#define LINE_MAX_BYTES 180 /* inih's own buffer holds 200 */

/* One of m, n, k: a list of sizes, or a power of the group's w. */
struct size_list {
	size_t count;
	int size[LIST_MAX];
	int power_of_w; /* 1: w, 2: w*w; 0: the list */
};

/* One [section]: its sizes are combined, every one with every pair of scalars. */
struct group {
	char name[32];
	int line;
	bool skipped; /* for problems of another type */
	struct size_list w, m, n, k;
	size_t pair_count;
	float pairs[PAIRS_MAX][2];
	struct value_spec a, b, c;
	bool integer; /* `values = integer`, with scales chosen by case_make_exact */
};

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

/* A size: a number, or `min` or `max` of the problem. */
static bool take_size(struct loader *loader, const char **at, int *out)
{
	char *end;
	const char *start = skip_spaces(*at);
	if (take_word(at, "min") || take_word(at, "max")) {
		*out = start[1] == 'i' ? loader->problem->min_dim : loader->problem->max_dim;
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
	if (!take_size(loader, at, &first))
		return fail_at(loader, loader->line, "%s: expected a size at \"%.40s\"", key,
					   skip_spaces(*at));
	last = first;
	*at = skip_spaces(*at);
	if (strncmp(*at, "..", 2) == 0) {
		*at += 2;
		if (!take_size(loader, at, &last))
			return fail_at(loader, loader->line, "%s: expected a size after \"..\"", key);
		if (take_word(at, "step") && (!take_size(loader, at, &step) || step < 1))
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

/* "1 0, 0.5 0.5": alpha and beta */
static int parse_scalars(struct loader *loader, const char *text)
{
	struct group *group = &loader->group;
	const char *at = text;
	do {
		if (group->pair_count == PAIRS_MAX)
			return fail_at(loader, loader->line, "scalars has more than %d pairs", PAIRS_MAX);
		float *pair = group->pairs[group->pair_count];
		if (!take_float(&at, &pair[0]) || !take_float(&at, &pair[1]))
			return fail_at(
				loader, loader->line,
				"scalars: expected pairs of finite numbers, alpha beta, ... at \"%.40s\"",
				skip_spaces(at));
		group->pair_count++;
		at = skip_spaces(at);
	} while (*at == ',' && at++);
	if (*at != '\0')
		return fail_at(loader, loader->line, "scalars: cannot read \"%.40s\"", at);
	return 1;
}

/* "uniform 10", "zero"; the scale is 1 when left out. */
static int parse_values(struct loader *loader, const char *key, const char *text,
						struct value_spec *out)
{
	char name[16];
	int length = 0;
	if (sscanf(text, " %15[a-z]%n", name, &length) != 1 ||
		!distribution_parse(name, &out->distribution))
		return fail_at(
			loader, loader->line,
			"%s: unknown values \"%.40s\"; known: uniform, normal, integer, wide, positive, "
			"zero, nan, special, large",
			key, text);
	out->scale = 1;
	const char *at = skip_spaces(text + length);
	if (*at == '\0')
		return 1;
	if (!take_float(&at, &out->scale) || *skip_spaces(at) != '\0' || !(out->scale > 0) ||
		out->scale > 1e30f)
		return fail_at(loader, loader->line, "%s: the scale \"%.40s\" is no positive number", key,
					   skip_spaces(text + length));
	float scale_max = out->distribution == VALUES_INTEGER ? 0x1p20f : 200.0f;
	if ((out->distribution == VALUES_INTEGER || out->distribution == VALUES_WIDE) &&
		out->scale > scale_max)
		return fail_at(loader, loader->line, "%s: the scale of %s is at most %g", key, name,
					   (double)scale_max);
	return 1;
}

static int parse_all_values(struct loader *loader, const char *text)
{
	struct group *group = &loader->group;
	const char *at = text;
	if (take_word(&at, "integer") && *skip_spaces(at) == '\0') {
		group->integer = true;
		return 1;
	}
	if (!parse_values(loader, "values", text, &group->a))
		return 0;
	group->b = group->c = group->a;
	return 1;
}

/* A type or an algebra; each `only` of a group must hold. */
static int parse_only(struct loader *loader, const char *text)
{
	static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};
	static const enum algebra algebras[] = {ALGEBRA_PLUS_TIMES, ALGEBRA_MIN_PLUS};
	bool *skipped = &loader->group.skipped;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		if (strcmp(text, dtype_name(types[i])) == 0) {
			*skipped = *skipped || types[i] != loader->problem->dtype;
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
				   "only: \"%.40s\" is no type and no algebra; known: f16, bf16, f32, plus-times, "
				   "min-plus",
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

static int check_size(struct loader *loader, const char *key, long long size)
{
	int low = loader->problem->min_dim;
	if (size >= low && size <= DIM_MAX)
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
	snprintf(test->name, sizeof test->name, "%.*s/%s", (int)(sizeof test->name - 2 - strlen(shape)),
			 group->name, shape);
}

/* `place` counts every case of the file, kept or not. */
static int emit_case(struct loader *loader, struct shape shape, const float pair[2], size_t *place)
{
	const struct group *group = &loader->group;
	if (!check_size(loader, "m", shape.m) || !check_size(loader, "n", shape.n) ||
		!check_size(loader, "k", shape.k))
		return 0;
	if (++*place > CASES_MAX)
		return fail_at(loader, group->line, "[%s] brings the suite to more than %d cases",
					   group->name, CASES_MAX);
	if (!problem_has_scalars(loader->problem) && !(pair[0] == 1 && pair[1] == 0))
		return 1;
	if (problem_has_vectors(loader->problem))
		shape.n = 1;
	int limit = loader->max_dim;
	if (limit > 0 && (shape.m > limit || shape.n > limit || shape.k > limit))
		return 1;

	struct test_case *test = append_case(loader);
	if (test == NULL)
		return 0;
	*test = (struct test_case){
		.shape = shape,
		.alpha = pair[0],
		.beta = pair[1],
		.a = group->a,
		.b = group->b,
		.c = group->c,
		.seed = case_seed(loader->seed, *place),
	};
	name_case(loader->problem, group, test);
	if (group->integer && !case_make_exact(test, loader->problem->dtype))
		return fail_at(
			loader, group->line,
			"[%s] values = integer needs alpha and beta among 0, 0.5, 1, 1.5, 2 or their "
			"negatives",
			group->name);
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

static int emit_sizes(struct loader *loader, int w, size_t *place)
{
	const struct group *group = &loader->group;
	size_t widths = problem_has_vectors(loader->problem) ? 1 : list_length(&group->n);
	for (size_t i = 0; i < list_length(&group->m); i++)
		for (size_t j = 0; j < widths; j++)
			for (size_t l = 0; l < list_length(&group->k); l++) {
				long long m = size_at(&group->m, i, w), n = size_at(&group->n, j, w),
						  k = size_at(&group->k, l, w);
				if (!check_size(loader, "m", m) || !check_size(loader, "n", n) ||
					!check_size(loader, "k", k))
					return 0;
				for (size_t p = 0; p < group->pair_count; p++)
					if (!emit_case(loader, (struct shape){(int)m, (int)n, (int)k}, group->pairs[p],
								   place))
						return 0;
			}
	return 1;
}

static int check_group(struct loader *loader)
{
	struct group *group = &loader->group;
	const struct size_list *lists[] = {&group->m, &group->n, &group->k};
	bool uses_w = false;
	for (int i = 0; i < 3; i++) {
		if (list_length(lists[i]) == 0)
			return fail_at(loader, group->line, "[%s] has no %c", group->name, "mnk"[i]);
		uses_w = uses_w || lists[i]->power_of_w != 0;
	}
	if (uses_w && group->w.count == 0)
		return fail_at(loader, group->line, "[%s] uses w and does not set it", group->name);
	if (!uses_w && group->w.count != 0)
		return fail_at(loader, group->line, "[%s] sets w and does not use it", group->name);
	return 1;
}

static bool is_special(const struct value_spec *spec)
{
	return spec->distribution == VALUES_SPECIAL || spec->distribution == VALUES_NAN;
}

/* What a minimum makes of a NaN nobody agrees on, and infinities add up to one. */
static int check_specials(struct loader *loader)
{
	const struct group *group = &loader->group;
	if (loader->problem->algebra != ALGEBRA_MIN_PLUS ||
		(!is_special(&group->a) && !is_special(&group->b)))
		return 1;
	return fail_at(loader, group->line,
				   "[%s] has special values in A or B, which %s does not define: say only = "
				   "plus-times",
				   group->name, loader->problem->name);
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
	if (group->skipped)
		return 1;
	if (!check_specials(loader))
		return 0;
	if (group->pair_count == 0)
		group->pairs[group->pair_count++][0] = 1;
	for (size_t i = 0; i < (group->w.count == 0 ? 1 : group->w.count); i++)
		if (!emit_sizes(loader, group->w.count == 0 ? 0 : group->w.size[i], place))
			return 0;
	return 1;
}

static int start_group(struct loader *loader, const char *name)
{
	struct value_spec uniform = {VALUES_UNIFORM, 1.0f};
	loader->group =
		(struct group){.line = loader->section_line, .a = uniform, .b = uniform, .c = uniform};
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

static int group_key(struct loader *loader, const char *name, const char *value)
{
	struct group *group = &loader->group;
	struct size_list *lists[] = {&group->w, &group->m, &group->n, &group->k};
	for (int i = 0; i < 4; i++)
		if (name[0] == "wmnk"[i] && name[1] == '\0')
			return parse_sizes(loader, lists[i], name, value);
	if (strcmp(name, "scalars") == 0)
		return parse_scalars(loader, value);
	if (strcmp(name, "values") == 0)
		return parse_all_values(loader, value);
	if (strcmp(name, "only") == 0)
		return parse_only(loader, value);
	struct value_spec *specs[] = {&group->a, &group->b, &group->c};
	for (int i = 0; i < 3; i++)
		if (name[0] == "abc"[i] && name[1] == '\0')
			return parse_values(loader, name, value, specs[i]);
	return fail_at(loader, loader->line,
				   "unknown key \"%.40s\"; known: m, n, k, w, scalars, values, a, b, c, only",
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

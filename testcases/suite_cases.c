/* A section of a suite becomes cases: its sizes are combined, every one with every tuple of
 * scalars. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "testcases/limits.h"
#include "testcases/rules.h"
#include "testcases/suite_inside.h"
#include "testcases/values.h"

#define CASES_MAX 20000
/* M, N and K of a suite, also where generated cases lie between closer limits. */
#define DIM_MIN 1
#define DIM_MAX 32768

/* Where a file does not say them. */
#define BATCH_DEFAULT 3
#define GROUP_DEFAULT 32

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

static int check_within(struct suite_loader *loader, const struct problem_size *row,
						const char *key, long long size)
{
	const struct problem *problem = loader->problem;
	bool free = problem->file == NULL && row != problem_size_of(problem, SIZE_BATCH) &&
				row != problem_size_of(problem, SIZE_GROUP);
	int low = free ? DIM_MIN : row->min, high = problem->file == NULL ? DIM_MAX : row->max;
	return (size >= low && size <= high) ||
		   suite_fail(loader, loader->group.line,
					  "[%s] %s = %lld is outside %d..%d, the sizes of %s", loader->group.name, key,
					  size, low, high, problem->name);
}

static int check_size(struct suite_loader *loader, const char *key, long long size)
{
	return is_ignored(loader->problem, key) ||
		   check_within(loader, suite_inside_limits(loader->problem, key), key, size);
}

static struct test_case *append_case(struct suite_loader *loader)
{
	struct suite *suite = loader->suite;
	if (suite->count == loader->capacity) {
		size_t capacity = loader->capacity == 0 ? 64 : 2 * loader->capacity;
		void *grown = realloc(suite->cases, capacity * sizeof *suite->cases);
		if (grown == NULL) {
			suite_fail(loader, loader->line, "out of memory");
			return NULL;
		}
		suite->cases = grown;
		loader->capacity = capacity;
	}
	return &suite->cases[suite->count];
}

static void name_case(const struct problem *problem, const struct suite_group *group,
					  struct test_case *test)
{
	char shape[SHAPE_TEXT];
	shape_print(problem, &test->shape, shape);
	int room = (int)(sizeof test->name - 2 - strlen(shape));
	snprintf(test->name, sizeof test->name, "%.*s/%.40s", room, group->name, shape);
}

/* The scalars of a tuple: alpha and beta, or all that the problem has. False: the problem has no
 * such case. A problem without alpha and beta takes 1 0, which is what it computes. */
static bool take_tuple(const struct suite_loader *loader, size_t tuple, struct test_case *test)
{
	const struct problem *problem = loader->problem;
	const float *values = loader->group.tuples[tuple].value;
	size_t count = loader->group.tuples[tuple].count, own = problem_scalars(problem);
	bool factors = problem_takes(problem, SCALAR_ALPHA);
	bool plain = count == 2 && values[0] == 1 && values[1] == 0;
	if (count == 0) /* the file says none */
		return true;
	bool own_too = factors || problem->file != NULL || loader->suite->problem[0] != '\0';
	if (count == own && own_too) {
		for (size_t i = 0; i < own; i++)
			test->scalar[problem->scalars[i].is] = values[i];
		return true;
	}
	return plain && !factors;
}

/* Takes the values that the file chooses, where the operand is one that takes numbers of the file's
 * choice. */
static void choose_values(const struct suite_loader *loader, struct test_case *test)
{
	const struct problem *problem = loader->problem;
	const struct suite_group *group = &loader->group;
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
		const struct operand_rules *rules = problem->operands[i].rules;
		if (rules != NULL && rules->zeros > 0 && test->values[i].distribution != VALUES_ZERO)
			test->values[i] = (struct value_spec){VALUES_SPARSE, test->values[i].scale, 0,
												  rules->zeros}; /* which nnz counts */
	}
}

/* Integers, whatever c = says of what is only overwritten. */
static int make_exact(struct suite_loader *loader, struct test_case *test)
{
	size_t result = problem_part_index(loader->problem, PART_RESULT);
	bool unread = test->scalar[SCALAR_BETA] == 0;
	struct value_spec kept = test->values[result];
	if (type_of(loader->problem->operands[result].type)->format.is_integer ||
		loader->problem->algebra == ALGEBRA_SHORTEST_PATHS)
		return 1;
	if (loader->problem->file != NULL)
		return suite_fail(loader, loader->group.line,
						  "[%s] values = integer is for products, which it makes exact; of %s say "
						  "it of a buffer, as in %s = integer 3",
						  loader->group.name, loader->problem->name,
						  loader->problem->operands[0].name);
	if (!case_make_exact(loader->problem, test))
		return suite_fail(
			loader, loader->group.line,
			"[%s] values = integer needs alpha and beta among 0, 0.5, 1, 1.5, 2 or their "
			"negatives",
			loader->group.name);
	if (unread)
		test->values[result] = kept;
	return 1;
}

static bool is_too_large(const struct suite_loader *loader, const struct shape *shape)
{
	struct draw_all_limits all = draw_limits_of(loader->problem, INT32_MAX);
	bool large = false;
	for (int i = 0; i < all.count; i++)
		large = large || (loader->max_dim > 0 &&
						  shape->size[all.size[i]] > limits_most(loader->problem, loader->max_dim));
	return large;
}

/* `place` counts every case of the file, kept or not. */
static int emit_case(struct suite_loader *loader, const struct shape *shape, size_t tuple,
					 size_t *place)
{
	const struct suite_group *group = &loader->group;
	if (++*place > CASES_MAX)
		return suite_fail(loader, group->line, "[%s] brings the suite to more than %d cases",
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
		return suite_fail(loader, group->line, "[%s] %s", group->name, err.message);
	*kept = test;
	loader->suite->count++;
	return 1;
}

static long long size_at(const struct suite_sizes *list, size_t i, int w)
{
	if (list->power_of_w == 0)
		return list->size[i];
	return list->power_of_w == 1 ? w : (long long)w * w;
}

static size_t list_length(const struct suite_sizes *list)
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
static int emit_sizes(struct suite_loader *loader, size_t key, struct shape *shape, int w,
					  size_t *place)
{
	const struct suite_group *group = &loader->group;
	const struct problem *problem = loader->problem;
	if (key == SUITE_SIZE_KEYS) {
		for (size_t t = 0; t < group->tuple_count; t++)
			if (!emit_case(loader, shape, t, place))
				return 0;
		return 1;
	}
	enum size size = suite_size_keys[key].size;
	const struct suite_sizes *list = &group->sizes[size];
	const struct problem_size *row = problem_size_of(problem, size);
	bool tied = is_tied(problem, size);
	size_t count = row != NULL && !tied ? list_length(list) : 1;
	for (size_t i = 0; i < (count > 0 ? count : 1); i++) {
		long long value = size_at(list, i, w);
		if (list_length(list) == 0)
			value = size == SIZE_BATCH ? BATCH_DEFAULT : GROUP_DEFAULT;
		else if (!check_size(loader, suite_size_keys[key].key, value))
			return 0;
		shape->size[size] = tied ? shape->size[SIZE_M] : row != NULL ? (int32_t)value : 1;
		if (!emit_sizes(loader, key + 1, shape, w, place))
			return 0;
	}
	return 1;
}

/* Whole shapes, each with every tuple of scalars. */
static int emit_shapes(struct suite_loader *loader, size_t *place)
{
	const struct suite_group *group = &loader->group;
	for (size_t i = 0; i < group->shape_count; i++) {
		struct shape shape;
		struct error err;
		if (!shape_fit(loader->problem, &group->shapes[i], &shape, &err))
			return suite_fail(loader, group->line, "[%s] %s", group->name, err.message);
		for (size_t k = 0; k < group->shapes[i].count; k++)
			if (!check_within(loader, &loader->problem->sizes[k], loader->problem->sizes[k].shown,
							  group->shapes[i].number[k]))
				return 0;
		for (size_t t = 0; t < group->tuple_count; t++)
			if (!emit_case(loader, &shape, t, place))
				return 0;
	}
	return 1;
}

static int check_group(struct suite_loader *loader)
{
	struct suite_group *group = &loader->group;
	bool uses_w = false;
	if (loader->problem->file != NULL && group->shape_count == 0) {
		char legend[SHAPE_TEXT];
		return suite_fail(
			loader, group->line,
			"[%s] has M, N and K, and %s has %s: it takes suites that say shape =", group->name,
			loader->problem->name, shape_legend(loader->problem, legend));
	}
	if (group->shape_count > 0)
		return 1;
	for (size_t i = 0; i < SUITE_SIZE_KEYS; i++) {
		enum size size = suite_size_keys[i].size;
		const struct suite_sizes *list = &group->sizes[size];
		bool optional = size == SIZE_BATCH || size == SIZE_GROUP ||
						problem_size_of(loader->problem, size) == NULL ||
						is_tied(loader->problem, size);
		if (list_length(list) == 0 && !optional)
			return suite_fail(loader, group->line, "[%s] has no %s", group->name,
							  suite_size_keys[i].key);
		uses_w = uses_w || list->power_of_w != 0;
	}
	if (uses_w && group->w.count == 0)
		return suite_fail(loader, group->line, "[%s] uses w and does not set it", group->name);
	if (!uses_w && group->w.count != 0)
		return suite_fail(loader, group->line, "[%s] sets w and does not use it", group->name);
	return 1;
}

static bool is_special(const struct suite_chosen *chosen)
{
	return chosen->any &&
		   (chosen->spec.distribution == VALUES_SPECIAL || chosen->spec.distribution == VALUES_NAN);
}

/* What a minimum makes of a NaN nobody agrees on, infinities add up to one, and integers have
 * neither. */
static int check_specials(struct suite_loader *loader)
{
	const struct suite_group *group = &loader->group;
	const struct problem *problem = loader->problem;
	bool defined = problem->algebra == ALGEBRA_PLUS_TIMES;
	for (size_t i = 0; problem->operands[i].name != NULL; i++) {
		const struct operand *operand = &problem->operands[i];
		if (!is_special(&group->of[i]) || operand->role != ROLE_INPUT)
			continue;
		if (problem->file != NULL)
			return suite_fail(loader, group->line,
							  "[%s] has special values in %s, and no reference bounds what comes "
							  "of them",
							  group->name, operand->name);
		if (!defined)
			return suite_fail(
				loader, group->line,
				"[%s] has special values in A or B, which %s does not define: say only "
				"= plus-times",
				group->name, problem->name);
		if (type_of(operand->type)->format.infinity != 0)
			continue;
		if (loader->suite->problem[0] != '\0')
			return suite_fail(loader, group->line,
							  "[%s] has special values in %s, whose type has none", group->name,
							  operand->name);
		loader->group.skipped = true; /* a suite for all problems */
	}
	return 1;
}

int suite_finish_group(struct suite_loader *loader, size_t *place)
{
	struct suite_group *group = &loader->group;
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
	if (group->shape_count > 0)
		return emit_shapes(loader, place);
	for (size_t i = 0; i < (group->w.count == 0 ? 1 : group->w.count); i++) {
		struct shape shape = {0};
		if (!emit_sizes(loader, 0, &shape, group->w.count == 0 ? 0 : group->w.size[i], place))
			return 0;
	}
	return 1;
}

int suite_start_group(struct suite_loader *loader, const char *name)
{
	loader->group = (struct suite_group){.line = loader->section_line};
	loader->in_group = true;
	for (const char *at = name; *at != '\0'; at++)
		if (!isalnum((unsigned char)*at) && strchr("-_.+", *at) == NULL)
			return suite_fail(loader, loader->section_line,
							  "[%.40s]: a group's name has letters, digits and -_.+ only", name);
	if (name[0] == '\0' || strlen(name) >= sizeof loader->group.name)
		return suite_fail(loader, loader->section_line,
						  "[%.40s]: a group's name has 1 to %zu characters", name,
						  sizeof loader->group.name - 1);
	snprintf(loader->group.name, sizeof loader->group.name, "%s", name);
	return 1;
}

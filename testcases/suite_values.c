/* What stands behind a key of a suite: sizes, scalars, values. */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "testcases/suite_inside.h"

const struct suite_size_key suite_size_keys[SUITE_SIZE_KEYS] = {
	{"m", SIZE_M}, {"n", SIZE_N}, {"k", SIZE_K}, {"batch", SIZE_BATCH}, {"group", SIZE_GROUP}};

const char *suite_skip_spaces(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Takes WORD when it stands at *at as a whole word. */
static bool take_word(const char **at, const char *word)
{
	const char *start = suite_skip_spaces(*at);
	size_t length = strlen(word);
	if (strncmp(start, word, length) != 0 || isalnum((unsigned char)start[length]))
		return false;
	*at = start + length;
	return true;
}

const struct problem_size *suite_inside_limits(const struct problem *problem, const char *key)
{
	const struct problem_size *found = NULL;
	for (size_t i = 0; i < SUITE_SIZE_KEYS; i++)
		if (strcmp(key, suite_size_keys[i].key) == 0)
			found = problem_size_of(problem, suite_size_keys[i].size);
	return found != NULL ? found : problem->sizes;
}

/* A size: a number, or `min` or `max` of the problem's own. */
static bool take_size(struct suite_loader *loader, const char **at, const char *key, int *out)
{
	char *end;
	const char *start = suite_skip_spaces(*at);
	if (take_word(at, "min") || take_word(at, "max")) {
		const struct problem_size *size = suite_inside_limits(loader->problem, key);
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

static int add_size(struct suite_loader *loader, struct suite_sizes *list, const char *key,
					int size)
{
	if (list->count == SUITE_LIST_MAX)
		return suite_fail(loader, loader->line, "%s has more than %d sizes", key, SUITE_LIST_MAX);
	list->size[list->count++] = size;
	return 1;
}

/* "16", "16..80", "16..80 step 3" */
static int parse_item(struct suite_loader *loader, struct suite_sizes *list, const char *key,
					  const char **at)
{
	int first, last, step = 1;
	if (!take_size(loader, at, key, &first))
		return suite_fail(loader, loader->line, "%s: expected a size at \"%.40s\"", key,
						  suite_skip_spaces(*at));
	last = first;
	*at = suite_skip_spaces(*at);
	if (strncmp(*at, "..", 2) == 0) {
		*at += 2;
		if (!take_size(loader, at, key, &last))
			return suite_fail(loader, loader->line, "%s: expected a size after \"..\"", key);
		if (take_word(at, "step") && (!take_size(loader, at, key, &step) || step < 1))
			return suite_fail(loader, loader->line, "%s: expected a number from 1 after \"step\"",
							  key);
	}
	if (last < first)
		return suite_fail(loader, loader->line, "%s: the range %d..%d is empty", key, first, last);
	/* Counted in 64 bits: `max` of a problem may be the largest int. */
	for (int64_t size = first; size <= last; size += step)
		if (!add_size(loader, list, key, (int)size))
			return 0;
	return 1;
}

int suite_parse_sizes(struct suite_loader *loader, struct suite_sizes *list, const char *key,
					  const char *text)
{
	const char *at = text;
	if (take_word(&at, "w") && list != &loader->group.w && list->count == 0) {
		list->power_of_w = 1;
		at = suite_skip_spaces(at);
		if (*at == '*') {
			at++;
			if (!take_word(&at, "w"))
				return suite_fail(loader, loader->line, "%s: expected \"w*w\"", key);
			list->power_of_w = 2;
		}
	} else {
		do {
			if (!parse_item(loader, list, key, &at))
				return 0;
			at = suite_skip_spaces(at);
		} while (*at == ',' && at++);
	}
	if (*suite_skip_spaces(at) != '\0')
		return suite_fail(loader, loader->line, "%s: cannot read \"%.40s\"", key,
						  suite_skip_spaces(at));
	return 1;
}

int suite_parse_shapes(struct suite_loader *loader, const char *text)
{
	struct suite_group *group = &loader->group;
	struct error err;
	for (const char *at = text;; at++) {
		const char *start = suite_skip_spaces(at);
		size_t length = strcspn(start, ", \t");
		char shape[SHAPE_TEXT];
		snprintf(shape, sizeof shape, "%.*s", (int)length, start);
		if (group->shape_count == SUITE_SHAPES_MAX)
			return suite_fail(loader, loader->line, "shape has more than %d", SUITE_SHAPES_MAX);
		if (!shape_parse(shape, INT32_MAX, &group->shapes[group->shape_count++], &err))
			return suite_fail(loader, loader->line, "%s", err.message);
		at = suite_skip_spaces(start + length);
		if (*at == '\0')
			return 1;
		if (*at != ',')
			return suite_fail(loader, loader->line, "shape: expected a comma at \"%.40s\"", at);
	}
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

int suite_parse_scalars(struct suite_loader *loader, const char *text)
{
	struct suite_group *group = &loader->group;
	const char *at = text;
	do {
		if (group->tuple_count == SUITE_TUPLES_MAX)
			return suite_fail(loader, loader->line, "scalars has more than %d pairs",
							  SUITE_TUPLES_MAX);
		size_t count = 0;
		float *values = group->tuples[group->tuple_count].value;
		while (count < SCALARS_MAX && take_float(&at, &values[count])) {
			count++;
			at = suite_skip_spaces(at);
		}
		if (count < (loader->problem->file != NULL ? 1 : 2))
			return suite_fail(
				loader, loader->line,
				"scalars: expected pairs of finite numbers, alpha beta, ... at \"%.40s\"",
				suite_skip_spaces(at));
		group->tuples[group->tuple_count++].count = count;
	} while (*at == ',' && at++);
	if (*at != '\0')
		return suite_fail(loader, loader->line, "scalars: cannot read \"%.40s\"", at);
	return 1;
}

/* What is left on the line after a scale: the lowest value, or of graphs that and the share of
 * edges that there are. */
static bool take_rest(const char **at, struct value_spec *out)
{
	float *more[] = {&out->low, &out->share};
	for (size_t i = 0; i < 2 && *suite_skip_spaces(*at) != '\0'; i++)
		if (!take_float(at, more[i]) || !(*more[i] >= 0))
			return false;
	return *suite_skip_spaces(*at) == '\0';
}

static bool is_graph(enum distribution distribution)
{
	return distribution == VALUES_GRAPH || distribution == VALUES_GRAPH_SIGNED ||
		   distribution == VALUES_GRAPH_INTEGER || distribution == VALUES_GRAPH_CHAIN;
}

static bool has_more(enum distribution distribution)
{
	return distribution == VALUES_POSITIVE || distribution == VALUES_SIGNED ||
		   distribution == VALUES_SPARSE || is_graph(distribution);
}

int suite_parse_values(struct suite_loader *loader, const char *key, const char *text,
					   struct suite_chosen *out)
{
	char name[16], known[256];
	int length = 0;
	struct value_spec *spec = &out->spec;
	out->any = true;
	if (sscanf(text, " %15[a-z-]%n", name, &length) != 1 ||
		!distribution_parse(name, &spec->distribution))
		return suite_fail(loader, loader->line, "%s: unknown values \"%.40s\"; known: %s", key,
						  text, distribution_list(known, sizeof known));
	spec->scale = 1;
	spec->low = 0;
	spec->share = is_graph(spec->distribution) ? 1 : 0;
	const char *at = suite_skip_spaces(text + length);
	if (*at == '\0')
		return 1;
	if (!take_float(&at, &spec->scale) || !(spec->scale > 0) ||
		!(has_more(spec->distribution) ? take_rest(&at, spec) : *suite_skip_spaces(at) == '\0'))
		return suite_fail(loader, loader->line, "%s: the scale \"%.40s\" is no positive number",
						  key, suite_skip_spaces(text + length));
	struct error err;
	return value_spec_holds(spec, &err) ||
		   suite_fail(loader, loader->line, "%s: %s", key, err.message);
}

int suite_parse_all_values(struct suite_loader *loader, const char *text)
{
	struct suite_group *group = &loader->group;
	const char *at = text;
	if (take_word(&at, "integer") && *suite_skip_spaces(at) == '\0') {
		group->integer = true;
		return 1;
	}
	return suite_parse_values(loader, "values", text, &group->values);
}

/* Every operand is of this type. */
static bool is_all_of(const struct problem *problem, const struct type *type)
{
	bool all = true;
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++)
		all = all && type_of(operand->type) == type;
	return all;
}

int suite_parse_only(struct suite_loader *loader, const char *text)
{
	static const enum algebra algebras[] = {ALGEBRA_PLUS_TIMES, ALGEBRA_MIN_PLUS,
											ALGEBRA_SHORTEST_PATHS};
	const size_t algebra_count = sizeof algebras / sizeof *algebras;
	const char *names[32];
	char known[256];
	size_t types = 0, count;
	for (; type_at(types) != NULL && types + algebra_count < sizeof names / sizeof *names; types++)
		names[types] = type_at(types)->name;
	for (count = types; count - types < algebra_count; count++)
		names[count] = algebra_name(algebras[count - types]);
	size_t which = text_index(text, names, count);
	if (which == count)
		return suite_fail(loader, loader->line,
						  "only: \"%.40s\" is no type and no algebra; known: %s", text,
						  text_names(known, sizeof known, names, count, ", "));
	if (which < types ? !is_all_of(loader->problem, type_at(which))
					  : algebras[which - types] != loader->problem->algebra)
		loader->group.skipped = true;
	return 1;
}

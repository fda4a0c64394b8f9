#include "schedules/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Partial combinations that are looked at before the search gives up: some seconds. */
#define LOOKED_AT_MAX ((uint64_t)1 << 26)

/* A search through the choices of a space, one after the other. */
struct enumeration {
	const struct space *space;
	struct schedule_list *list;
	struct error *err;
	size_t depth;
	const struct space_choice *choices[SPACE_CHOICES_MAX]; /* in the order of the search */
	size_t declared[SPACE_CHOICES_MAX];                    /* their numbers in the space */
	double below[SPACE_CHOICES_MAX + 1];                   /* combinations of those from here on */
	/* rules by the depth at which all of their names are known, the number of choices taken */
	size_t rule_count[SPACE_CHOICES_MAX + 1];
	uint8_t rules[SPACE_CHOICES_MAX + 1][SPACE_RULES_MAX];
	uint64_t looked_at;
	int64_t values[SPACE_NAMES_MAX];
	struct roles roles;
	uint16_t taken[SPACE_CHOICES_MAX]; /* candidates, by the space's numbers */
	size_t capacity;
	uint16_t *all_taken; /* of each schedule found; owned */
};

/* ---- in which order ------------------------------------------------------------------- */

/* For each rule, the choices that its value depends on, by lets also. */
static void rule_marks(const struct space *space, uint64_t out[SPACE_RULES_MAX])
{
	uint64_t marks[SPACE_NAMES_MAX] = {0};
	for (size_t i = 0; i < space->choice_count; i++)
		for (size_t j = 0; j < space->choices[i].columns; j++)
			marks[space->choices[i].places[j]] = (uint64_t)1 << i;
	for (size_t i = 0; i < space->rule_count; i++) {
		const struct space_rule *rule = &space->rules[i];
		out[i] = expression_marks(&rule->expression, marks);
		if (rule->kind == RULE_LET)
			marks[rule->place] = out[i];
	}
}

static void take_choices(struct enumeration *search, uint64_t wanted, uint64_t *taken)
{
	for (size_t i = 0; i < search->space->choice_count; i++)
		if ((wanted & ~*taken) >> i & 1) {
			search->choices[search->depth] = &search->space->choices[i];
			search->declared[search->depth++] = i;
		}
	*taken |= wanted;
}

/* Next come the choices of the constraint that can be tried with the fewest combinations more, so
 * that few are made in vain; what no constraint asks for comes last. */
static void search_order(struct enumeration *search, const uint64_t marks[SPACE_RULES_MAX])
{
	const struct space *space = search->space;
	uint64_t taken = 0;
	for (;;) {
		size_t best = space->rule_count;
		double best_count = 0;
		for (size_t i = 0; i < space->rule_count; i++) {
			double count = 1;
			if (space->rules[i].kind != RULE_WHERE || (marks[i] & ~taken) == 0)
				continue;
			for (size_t c = 0; c < space->choice_count; c++)
				if ((marks[i] & ~taken) >> c & 1)
					count *= (double)space->choices[c].count;
			if (best == space->rule_count || count < best_count) {
				best = i;
				best_count = count;
			}
		}
		if (best == space->rule_count)
			break;
		take_choices(search, marks[best], &taken);
	}
	take_choices(search, ((uint64_t)1 << space->choice_count) - 1, &taken);
}

static void search_begin(struct enumeration *search)
{
	uint64_t marks[SPACE_RULES_MAX], taken = 0;
	rule_marks(search->space, marks);
	search_order(search, marks);
	search->below[search->depth] = 1;
	for (size_t d = search->depth; d-- > 0;)
		search->below[d] = search->below[d + 1] * (double)search->choices[d]->count;
	for (size_t d = 0; d <= search->depth; d++) {
		uint64_t before = taken;
		if (d > 0)
			taken |= (uint64_t)1 << search->declared[d - 1];
		for (size_t i = 0; i < search->space->rule_count; i++)
			if ((marks[i] & ~taken) == 0 && (d == 0 || (marks[i] & ~before) != 0))
				search->rules[d][search->rule_count[d]++] = (uint8_t)i;
	}
}

/* ---- the search ----------------------------------------------------------------------- */

/* Evaluates a rule: gives a let its value, a role its own, and says whether a schedule may be so.
 */
static bool rule_holds(struct enumeration *search, size_t number, bool *undefined)
{
	const struct space_rule *rule = &search->space->rules[number];
	int64_t value = expression_value(&rule->expression, search->values);
	if (undefined != NULL)
		*undefined = value == EXPRESSION_UNDEFINED;
	if (rule->kind == RULE_LET) {
		search->values[rule->place] = value;
		return true;
	}
	if (rule->kind == RULE_WHERE)
		return value != 0 && value != EXPRESSION_UNDEFINED;
	search->roles.value[rule->place] = value;
	return tune_role_holds((enum tune_role)rule->place, value);
}

/* Those that became known at this depth; false where one of them refuses. */
static bool rules_hold(struct enumeration *search, size_t depth)
{
	for (size_t i = 0; i < search->rule_count[depth]; i++) {
		size_t number = search->rules[depth][i];
		bool undefined;
		if (rule_holds(search, number, &undefined))
			continue;
		search->list->refused[number] += search->below[depth];
		if (undefined)
			search->list->undefined[number] += search->below[depth];
		return false;
	}
	return true;
}

static bool search_grow(struct enumeration *search)
{
	struct schedule_list *list = search->list;
	size_t capacity = search->capacity == 0 ? 256 : 2 * search->capacity;
	void *items = realloc(list->items, capacity * sizeof *list->items);
	list->items = items != NULL ? items : list->items;
	void *storage = realloc(list->storage, capacity * list->constants * sizeof *list->storage);
	list->storage = storage != NULL ? storage : list->storage;
	void *taken = realloc(search->all_taken, capacity * search->depth * sizeof *search->all_taken);
	search->all_taken = taken != NULL ? taken : search->all_taken;
	if (items == NULL || storage == NULL || taken == NULL)
		return error_set(search->err, "out of memory");
	search->capacity = capacity;
	return true;
}

static bool search_found(struct enumeration *search)
{
	struct schedule_list *list = search->list;
	if (list->count == SCHEDULES_MAX)
		return error_set(search->err,
						 "%s: more than %u schedules meet the constraints: fewer candidates or "
						 "more constraints are needed",
						 search->space->file, SCHEDULES_MAX);
	if (list->count == search->capacity && !search_grow(search))
		return false;
	int64_t *values = list->storage + list->count * list->constants;
	for (size_t i = 0; i < list->constants; i++)
		values[i] = search->values[search->space->constants[i].place];
	memcpy(search->all_taken + list->count * search->depth, search->taken,
		   search->depth * sizeof *search->taken);
	list->items[list->count++].roles = search->roles;
	return true;
}

/* All candidates of the choice at this depth, with those above it as they are. */
static bool search_below(struct enumeration *search, size_t depth)
{
	if (depth == search->depth)
		return search_found(search);
	const struct space_choice *choice = search->choices[depth];
	for (size_t i = 0; i < choice->count; i++) {
		if (search->looked_at++ == LOOKED_AT_MAX)
			return error_set(search->err,
							 "%s: gave up after %" PRIu64 " tries: fewer candidates, or "
							 "constraints on fewer names, are needed",
							 search->space->file, LOOKED_AT_MAX);
		for (size_t j = 0; j < choice->columns; j++)
			search->values[choice->places[j]] = choice->values[i * choice->columns + j];
		search->taken[search->declared[depth]] = (uint16_t)i;
		if (rules_hold(search, depth + 1) && !search_below(search, depth + 1))
			return false;
	}
	return true;
}

/* ---- what was found --------------------------------------------------------------------- */

static int compare_taken(const void *a, const void *b, void *context)
{
	const struct enumeration *search = context;
	const uint16_t *x = search->all_taken + *(const uint32_t *)a * search->depth;
	const uint16_t *y = search->all_taken + *(const uint32_t *)b * search->depth;
	for (size_t i = 0; i < search->depth; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Into the order of the declaration, whatever that of the search was. */
static bool sort_found(struct enumeration *search)
{
	struct schedule_list *list = search->list;
	uint32_t *order = malloc(list->count * sizeof *order);
	struct schedule *items = malloc(list->count * sizeof *items);
	int64_t *storage = malloc(list->count * list->constants * sizeof *storage);
	bool ok = order != NULL && items != NULL && storage != NULL;
	if (ok) {
		for (size_t i = 0; i < list->count; i++)
			order[i] = (uint32_t)i;
		qsort_r(order, list->count, sizeof *order, compare_taken, search);
		for (size_t i = 0; i < list->count; i++) {
			int64_t *values = storage + i * list->constants;
			memcpy(values, list->storage + order[i] * list->constants,
				   list->constants * sizeof *values);
			items[i] = (struct schedule){.values = values, .roles = list->items[order[i]].roles};
		}
		free(list->items);
		free(list->storage);
		list->items = items;
		list->storage = storage;
	} else {
		free(items);
		free(storage);
		error_set(search->err, "out of memory");
	}
	free(order);
	return ok;
}

/* The candidate with the defaults of its constants; space.c has seen that there is one. */
static void choose_standard(const struct space *space, const struct space_choice *choice,
							int64_t *values)
{
	for (size_t row = 0; row < choice->count; row++) {
		bool all = true;
		for (size_t j = 0; j < choice->columns; j++) {
			values[choice->places[j]] = choice->values[row * choice->columns + j];
			for (size_t k = 0; k < space->constant_count; k++)
				all &= space->constants[k].place != choice->places[j] ||
					   space->constants[k].standard == values[choice->places[j]];
		}
		if (all)
			return;
	}
}

/* The first rule that the defaults do not meet, of the values of a search. */
static int line_refusing_standard(struct enumeration *search)
{
	const struct space *space = search->space;
	for (size_t i = 0; i < space->choice_count; i++)
		choose_standard(space, &space->choices[i], search->values);
	for (size_t i = 0; i < space->rule_count; i++)
		if (!rule_holds(search, i, NULL))
			return space->rules[i].line;
	return 0;
}

static void find_standard(struct enumeration *search)
{
	const struct space *space = search->space;
	struct schedule_list *list = search->list;
	list->standard = list->count;
	for (size_t i = 0; i < list->count && list->standard == list->count; i++) {
		size_t same = 0;
		while (same < list->constants &&
			   list->items[i].values[same] == space->constants[same].standard)
			same++;
		if (same == list->constants)
			list->standard = i;
	}
	if (list->standard == list->count)
		list->standard_line = line_refusing_standard(search);
}

static bool none_left(const struct space *space, const struct tune_gpu *gpu,
					  const struct test_case *test, const struct schedule_list *list,
					  struct error *err)
{
	static const char *const kinds[] = {
		[RULE_LET] = "let", [RULE_WHERE] = "where", [RULE_ROLE] = "role"};
	char shape[SHAPE_TEXT], name[SPACE_NAME_MAX + 8] = "";
	size_t most = 0;
	for (size_t i = 0; i < space->rule_count; i++)
		if (list->refused[i] > list->refused[most])
			most = i;
	const struct space_rule *rule = &space->rules[most];
	double share = list->refused[most] / list->combinations * 100;
	shape_print(space->problem, &test->shape, shape);
	if (rule->kind == RULE_ROLE)
		snprintf(name, sizeof name, "%s = ", tune_role_name((enum tune_role)rule->place));
	return error_set(
		err, "%s:%d: no schedule fits %s on %s: '%s %s%s' refuses %.3g%% of %.6g combinations%s",
		space->file, rule->line, shape, gpu->name, kinds[rule->kind], name, rule->text, share,
		list->combinations,
		list->undefined[most] > list->refused[most] / 2 ? ", having no value: it divides by zero, "
														  "or goes beyond 64 bits"
		: rule->kind == RULE_ROLE                       ? ", being out of the role's range"
														: "");
}

bool schedules_enumerate(const struct space *space, const struct tune_gpu *gpu,
						 const struct test_case *test, struct schedule_list *out, struct error *err)
{
	struct enumeration *search = calloc(1, sizeof *search);
	*out = (struct schedule_list){.constants = space->constant_count};
	if (search == NULL)
		return error_set(err, "out of memory");
	*search = (struct enumeration){.space = space, .list = out, .err = err};
	space_give(space, gpu, test, search->values);
	for (size_t i = 0; i < space->rule_count; i++)
		if (space->rules[i].kind == RULE_ROLE)
			search->roles.declared |= 1u << space->rules[i].place;
	search_begin(search);
	out->combinations = search->below[0];
	bool ok = !rules_hold(search, 0) || search_below(search, 0);
	if (ok)
		ok = out->count > 0 ? sort_found(search) : none_left(space, gpu, test, out, err);
	if (ok)
		find_standard(search);
	else
		schedules_free(out);
	free(search->all_taken);
	free(search);
	return ok;
}

void schedules_free(struct schedule_list *list)
{
	free(list->items);
	free(list->storage);
	*list = (struct schedule_list){0};
}

/* ---- text --------------------------------------------------------------------------------- */

void schedule_print(const struct space *space, const int64_t *values, char out[SCHEDULE_TEXT])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < space->constant_count && used < SCHEDULE_TEXT; i++)
		used +=
			(size_t)snprintf(out + used, SCHEDULE_TEXT - used, "%s%s=%" PRId64, i > 0 ? " " : "",
							 space->names[space->constants[i].place].name, values[i]);
}

void schedule_flags(const struct space *space, const int64_t *values, struct schedule_flags *out)
{
	out->count = space->constant_count;
	for (size_t i = 0; i < out->count; i++)
		snprintf(out->text[i], sizeof out->text[i], "-D%s=%" PRId64,
				 space->names[space->constants[i].place].name, values[i]);
}

#include "schedules/given.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t find_constant(const struct space *space, const char *name, size_t length)
{
	size_t i = 0;
	for (; i < space->constant_count; i++) {
		const char *own = space->names[space->constants[i].place].name;
		if (strlen(own) == length && strncmp(own, name, length) == 0)
			break;
	}
	return i;
}

bool given_parse(const struct space *space, const char *text, int64_t values[SPACE_CONSTANTS_MAX],
				 struct error *err)
{
	bool given[SPACE_CONSTANTS_MAX] = {false};
	const char *at = text + strspn(text, " ");
	while (*at != '\0') {
		size_t length = strcspn(at, "= "), constant = find_constant(space, at, length);
		char *end = NULL;
		if (at[length] != '=')
			return error_set(err, "'%.40s' is no NAME=VALUE", at);
		if (constant == space->constant_count)
			return error_set(err, "there is no constant %.*s", (int)length, at);
		values[constant] = strtoll(at + length + 1, &end, 10);
		if (end == at + length + 1 || (*end != ' ' && *end != '\0') || given[constant])
			return error_set(err, "'%.60s' does not give %.*s a whole number, once", at,
							 (int)length, at);
		given[constant] = true;
		at = end + strspn(end, " ");
	}
	for (size_t i = 0; i < space->constant_count; i++)
		if (!given[i])
			return error_set(err, "it says nothing of %s",
							 space->names[space->constants[i].place].name);
	return true;
}

/* The candidate of a choice, a value or a row, that has the constants' values in `known`; its other
 * columns are filled in. */
static bool find_candidate(const struct space *space, const struct space_choice *choice,
						   int64_t *known)
{
	for (size_t row = 0; row < choice->count; row++) {
		const int64_t *values = choice->values + row * choice->columns;
		size_t same = 0;
		while (same < choice->columns && (!space->names[choice->places[same]].constant ||
										  known[choice->places[same]] == values[same]))
			same++;
		for (size_t i = 0; i < choice->columns && same == choice->columns; i++)
			known[choice->places[i]] = values[i];
		if (same == choice->columns)
			return true;
	}
	return false;
}

bool given_holds(const struct space *space, const struct tune_gpu *gpu,
				 const struct test_case *test, const int64_t *values, struct error *err)
{
	int64_t known[SPACE_NAMES_MAX];
	space_give(space, gpu, test, known);
	for (size_t i = 0; i < space->constant_count; i++)
		known[space->constants[i].place] = values[i];
	for (size_t i = 0; i < space->choice_count; i++)
		if (!find_candidate(space, &space->choices[i], known))
			return error_set(err, "%s=%" PRId64 " is no candidate (line %d)",
							 space->names[space->choices[i].places[0]].name,
							 known[space->choices[i].places[0]], space->choices[i].line);
	for (size_t i = 0; i < space->rule_count; i++) {
		const struct space_rule *rule = &space->rules[i];
		const int64_t value = expression_value(&rule->expression, known);
		bool holds = rule->kind == RULE_WHERE ? value != 0 && value != EXPRESSION_UNDEFINED
					 : rule->kind == RULE_ROLE
						 ? value != EXPRESSION_UNDEFINED &&
							   tune_role_holds((enum tune_role)rule->place, value)
						 : true;
		if (rule->kind == RULE_LET)
			known[rule->place] = value;
		if (!holds)
			return error_set(err, "line %d refuses it: %s", rule->line, rule->text);
	}
	return true;
}

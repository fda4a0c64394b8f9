/* Where the wrong elements lie. Each row speaks of the cases that were looked at. */
#include "judge/hints/hints.h"

#include <stdio.h>

/* Counts the cases that were looked at of which `holds` is true. */
static size_t count(const struct hint_facts *facts, bool (*holds)(const struct wrong_facts *wrong))
{
	size_t held = 0;
	for (size_t i = 0; i < facts->judgement->count; i++) {
		const struct wrong_facts *wrong = facts->judgement->cases[i].wrong;
		held += wrong != NULL && holds(wrong);
	}
	return held;
}

/* Some elements may be right by chance, as those of small integers. */
static bool all_unwritten(const struct wrong_facts *wrong)
{
	return wrong->unwritten == wrong->wrong && wrong->wrong >= wrong->elements / 10 * 9;
}

static bool never_written(const struct hint_facts *facts, char out[HINT_TEXT])
{
	size_t explained = hint_explained_cases(facts), held = count(facts, all_unwritten);
	char cases[64];
	if (held == 0 || held < explained)
		return false;
	snprintf(out, HINT_TEXT,
			 "%s still holds what it held before the call, %s: is a kernel launched at all, with a "
			 "grid and a block that are not empty, and does it store to the pointer that solve() "
			 "was given?",
			 problem_part(facts->problem, PART_RESULT)->name,
			 hint_in_cases(held, explained, cases));
	return true;
}

const struct hint_row hints_of_places[] = {
	{"never-written", HINT_CAUSE, never_written},
	{0},
};

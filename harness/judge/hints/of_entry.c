/* What the judge took a file for that nobody had asked for: said of accepted files, too. */
#include "judge/hints/hints.h"

#include <stdio.h>
#include <string.h>

static bool is_cxx20(const struct hint_facts *facts, char out[HINT_TEXT])
{
	snprintf(out, HINT_TEXT,
			 "the file is C++20: it was compiled with -std=c++20, and does not compile as C++17%s",
			 facts->isolated ? "" : "; --nvcc-flags -std=c++20 spares the first try");
	return facts->judgement->cxx20;
}

static bool lacks_extern_c(const struct hint_facts *facts, char out[HINT_TEXT])
{
	snprintf(out, HINT_TEXT,
			 "solve() was taken without extern \"C\": LeetGPU looks for that name alone, and C++ "
			 "makes another of it, so write extern \"C\" before it");
	return facts->judgement->was_run && facts->judgement->entry == ENTRY_SOLVE_CXX;
}

/* "M, N, K" as the problem's solve() calls what comes. */
static void list_sizes(const struct problem *problem, enum entry_order order, char out[80])
{
	struct argument argument;
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; entry_argument(problem, order, i, &argument) && used < 80; i++)
		if (argument.kind == ARGUMENT_SIZE)
			used += (size_t)snprintf(out + used, 80 - used, "%s%s", used > 0 ? ", " : "",
									 problem->sizes[argument.index].name);
}

static bool is_solution(const struct hint_facts *facts, char out[HINT_TEXT])
{
	const struct judgement *judgement = facts->judgement;
	char prototype[PROTOTYPE_TEXT], called[80], other[80];
	if (!judgement->was_run || judgement->entry != ENTRY_SOLUTION)
		return false;
	problem_prototype(facts->problem, prototype);
	list_sizes(facts->problem, judgement->order, called);
	list_sizes(facts->problem, judgement->order == ENTRY_SITE ? ENTRY_TENSARA : ENTRY_SITE, other);
	int used = snprintf(out, HINT_TEXT,
						"the file's function is called solution(), as on Tensara, and solve() is "
						"wanted: %.200s",
						prototype);
	if (!entry_has_orders(facts->problem))
		return true;
	bool accepted = judgement->verdict == VERDICT_ACCEPTED;
	snprintf(out + used, HINT_TEXT - (size_t)used, "; it was called with %s (%s order)%s%s%s",
			 called, judgement->order == ENTRY_SITE ? "solve()'s" : "Tensara's",
			 accepted ? "" : ", and is not right with ", accepted ? "" : other,
			 accepted ? "" : ", either");
	return true;
}

const struct hint_row hints_of_entry[] = {
	{"solution", HINT_NOTE, is_solution},
	{"no-extern-c", HINT_NOTE, lacks_extern_c},
	{"cxx20", HINT_NOTE, is_cxx20},
	{0},
};

/* What the judge took a file for that nobody had asked for: said of accepted files, too. */
#include "judge/hints/hints.h"

#include <stdio.h>
#include <string.h>

static bool is_cxx20(const struct hint_context *facts, struct strbuf *out)
{
	strbuf_setf(
		out, "the file is C++20: it was compiled with -std=c++20, and does not compile as C++17%s",
		facts->isolated ? "" : "; --nvcc-flags -std=c++20 spares the first try");
	return facts->judgement->cxx20;
}

static bool lacks_extern_c(const struct hint_context *facts, struct strbuf *out)
{
	strbuf_setf(
		out, "solve() was taken without extern \"C\": LeetGPU looks for that name alone, and C++ "
			 "makes another of it, so write extern \"C\" before it");
	return facts->judgement->was_run && facts->judgement->entry == ENTRY_SOLVE_CXX;
}

/* "M, N, K" as the problem's solve() calls what comes. */
static void say_sizes(const struct problem *problem, enum entry_order order, struct strbuf *out)
{
	struct argument argument;
	const char *between = "";
	for (size_t i = 0; entry_argument(problem, order, i, &argument); i++)
		if (argument.kind == ARGUMENT_SIZE) {
			strbuf_addf(out, "%s%s", between, problem->sizes[argument.index].name);
			between = ", ";
		}
}

static bool is_solution(const struct hint_context *facts, struct strbuf *out)
{
	const struct judgement *judgement = facts->judgement;
	char prototype[PROTOTYPE_TEXT];
	if (!judgement->was_run || judgement->entry != ENTRY_SOLUTION)
		return false;
	problem_prototype(facts->problem, prototype);
	strbuf_setf(
		out, "the file's function is called solution(), as on Tensara, and solve() is wanted: %s",
		prototype);
	if (!entry_has_orders(facts->problem))
		return true;
	const bool as_site = judgement->order == ENTRY_SITE;
	strbuf_add(out, "; it was called with ");
	say_sizes(facts->problem, judgement->order, out);
	strbuf_addf(out, " (%s order)", as_site ? "solve()'s" : "Tensara's");
	if (judgement->verdict == VERDICT_ACCEPTED)
		return true;
	strbuf_add(out, ", and is not right with ");
	say_sizes(facts->problem, as_site ? ENTRY_TENSARA : ENTRY_SITE, out);
	strbuf_add(out, ", either");
	return true;
}

const struct hint_row hints_of_entry[] = {
	{"solution", HINT_NOTE, is_solution},
	{"no-extern-c", HINT_NOTE, lacks_extern_c},
	{"cxx20", HINT_NOTE, is_cxx20},
	{0},
};

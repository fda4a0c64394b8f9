/* Shortest paths that are not the shortest: which paths were not seen. */
#include "judge/hints/hints.h"

#include <stdio.h>

#define COMPARED_LEAST 16 /* fewer may be chance */

/* Wrong elements that were compared in all cases, where all of them are longer; 0: some are not. */
static uint64_t longer_ones(const struct hint_context *facts)
{
	const struct case_result *result;
	uint64_t compared = 0;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;) {
		if (result->wrong->longer < result->wrong->compared)
			return 0;
		compared += result->wrong->compared;
	}
	return compared;
}

/* The least number of edges that paths of all cases may have; 0: there is no such number. */
static int32_t edges_of(const struct hint_context *facts)
{
	const struct case_result *result;
	int32_t least = 0, most = INT32_MAX;
	for (size_t at = 0; (result = hint_next_explained(facts, &at)) != NULL;) {
		const struct wrong_pattern *wrong = result->wrong;
		if (wrong->path_edges == 0)
			return 0;
		least = wrong->path_edges > least ? wrong->path_edges : least;
		most = wrong->path_edges_most < most ? wrong->path_edges_most : most;
	}
	return least <= most ? least : 0;
}

static bool few_edges(const struct hint_context *facts, struct strbuf *out)
{
	static const char outermost[] =
		"with k in the innermost loop only paths over one stop are seen: k has to be the outermost "
		"loop, and all pairs of one k be done before the next (a launch for each k)";
	static const char squared[] =
		"a step that takes paths of paths doubles that number: it has to be made until the number "
		"is that of the nodes, or nothing changes any more";
	char cases[64];
	int32_t edges = edges_of(facts);
	if (edges == 0 || longer_ones(facts) < COMPARED_LEAST)
		return false;
	strbuf_setf(
		out, "%s the wrong elements of %s are the lengths of paths of at most %d edge%s: %s",
		hint_in_all(facts, cases), hint_operand(facts, PART_RESULT), edges, edges == 1 ? "" : "s",
		edges == 1   ? "the paths over other nodes are missing"
		: edges == 2 ? outermost
					 : squared);
	return true;
}

static bool longer(const struct hint_context *facts, struct strbuf *out)
{
	char cases[64];
	if (longer_ones(facts) < COMPARED_LEAST || edges_of(facts) > 0)
		return false;
	strbuf_setf(
		out,
		"%s every wrong element of %s that was looked at is longer than the shortest path: "
		"some paths were not seen, or not taken, as where k is not the outermost loop over all "
		"nodes, or not all pairs of one k are done before the next",
		hint_in_all(facts, cases), hint_operand(facts, PART_RESULT));
	return true;
}

const struct hint_row hints_of_paths[] = {
	{"few-edges", HINT_CAUSE, few_edges},
	{"longer", HINT_CAUSE, longer},
	{0},
};

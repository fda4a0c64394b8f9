/* A judgement that is made up, and whether its hints have some words: for tests of hints. */
#ifndef GEMMJUDGE_TESTS_HINTS_FIXTURE_H
#define GEMMJUDGE_TESTS_HINTS_FIXTURE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/hints/hints.h"

#define CASES 8

/* A judgement of gemm-f16 in which the first cases failed. */
struct made_up {
	struct judgement judgement;
	struct case_result cases[CASES];
	struct wrong_pattern wrong[CASES];
	const char *problem;
	const char *source; /* "": there is no file */
	enum device_kind device;
};

static inline struct made_up *made_up(size_t count, size_t failed)
{
	struct made_up *out = calloc(1, sizeof *out);
	out->problem = "gemm-f16";
	out->source = "";
	out->device = DEVICE_EMULATED;
	out->judgement.verdict = VERDICT_WRONG_ANSWER;
	out->judgement.count = count;
	out->judgement.cases = out->cases;
	for (size_t i = 0; i < count; i++) {
		struct case_result *result = &out->cases[i];
		result->test.shape = (struct shape){{1, 100, 90, 64, 1}};
		for (int s = 0; s < SCALAR_COUNT; s++)
			result->test.scalar[s] = scalar_neutral((enum scalar)s);
		snprintf(result->test.name, sizeof result->test.name, "random-%zu", i);
		result->checked = true;
		if (i >= failed)
			continue;
		result->verdict = VERDICT_WRONG_ANSWER;
		result->check.wrong = 50;
		result->check.worst_error = 3;
		result->wrong = &out->wrong[i];
		out->wrong[i] = (struct wrong_pattern){
			.elements = 9000,
			.wrong = 50,
			.compared = 50,
			.summed = 63,
			.places = {.top = 3,
					   .bottom = 77,
					   .left = 5,
					   .right = 70,
					   .rows = 40,
					   .columns = 41,
					   .row_residues = {~0ull, ~0ull},
					   .column_residues = {~0ull, ~0ull},
					   .batches = 1},
		};
	}
	return out;
}

/* All hints, with a newline after each. */
static inline const char *hints_of(struct made_up *made)
{
	static char all[HINTS_MAX * HINT_TEXT + 8];
	all[0] = '\0';
	hints_find(&(struct hint_context){.judgement = &made->judgement,
									  .source = made->source,
									  .problem = problem_find(made->problem),
									  .device = made->device},
			   &made->judgement);
	for (size_t i = 0; i < made->judgement.hint_count; i++) {
		strcat(all, made->judgement.hints[i]);
		strcat(all, "\n");
	}
	return all;
}

static inline void shows(struct made_up *made, const char *part)
{
	const char *all = hints_of(made);
	cr_expect(strstr(all, part) != NULL, "no \"%s\" in: %s", part, all);
}

static inline void hides(struct made_up *made, const char *part)
{
	const char *all = hints_of(made);
	cr_expect(strstr(all, part) == NULL, "\"%s\" in: %s", part, all);
}

static inline void each_fits(struct made_up *made, enum wrong_fault fault)
{
	for (size_t i = 0; i < CASES; i++)
		made->wrong[i].fits |= (uint64_t)1 << fault;
}

#endif

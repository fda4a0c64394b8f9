#include "judge/hints/claims.h"

#include <stdio.h>

#include "base/text.h"

static const struct hint_row *const families[] = {
	hints_of_entry,    hints_of_compiling, hints_of_signature, hints_of_calls,     hints_of_stages,
	hints_of_products, hints_of_paths,     hints_of_batches,   hints_of_unwritten, hints_of_repeats,
	hints_of_places,   hints_of_cases,     hints_of_sizes,
};
#define FAMILIES (sizeof families / sizeof *families)

/* Walks the rows of one rank. NULL behind the last. */
static const struct hint_row *row_at(enum hint_rank rank, size_t *family, size_t *index)
{
	for (; *family < FAMILIES; *index = 0, ++*family)
		for (const struct hint_row *row; (row = &families[*family][*index])->name != NULL;) {
			++*index;
			if (row->rank == rank)
				return row;
		}
	return NULL;
}

void hints_find(const struct hint_facts *facts, struct judgement *out)
{
	out->hint_count = 0;
	if (out->verdict == VERDICT_BAD_FILE || facts->problem == NULL)
		return;
	enum hint_rank last = out->verdict == VERDICT_ACCEPTED ? HINT_NOTE : HINT_KIND;
	for (enum hint_rank rank = HINT_NOTE; rank <= last; rank++) {
		const struct hint_row *row;
		size_t family = 0, index = 0;
		while (out->hint_count < HINTS_MAX && (row = row_at(rank, &family, &index)) != NULL) {
			struct strbuf text = {0};
			struct hint_claim claim = {0};
			struct hint_facts asked = *facts;
			asked.claim = &claim;
			if (row->says(&asked, &text) && text.length > 0 && hint_claim_is_true(facts, &claim))
				text_format(out->hints[out->hint_count++], HINT_TEXT, "%s", strbuf_text(&text));
			strbuf_release(&text);
		}
	}
}

const char *hint_operand(const struct hint_facts *facts, enum part part)
{
	const struct operand *operand = problem_part(facts->problem, part);
	return operand != NULL ? operand->name : "";
}

const char *hint_size(const struct hint_facts *facts, enum size size)
{
	const struct problem_size *row = problem_size_of(facts->problem, size);
	return row != NULL ? row->name : "1";
}

bool hint_case_wrong(const struct case_result *result)
{
	return result->checked && result->check.wrong > 0;
}

bool hint_case_right(const struct case_result *result)
{
	return result->verdict == VERDICT_ACCEPTED && result->checked &&
		   result->test.scalar[SCALAR_ALPHA] != 0;
}

bool hint_case_failed(const struct case_result *result)
{
	return result->verdict != VERDICT_ACCEPTED && result->verdict != VERDICT_NOT_RUN;
}

size_t hint_wrong_cases(const struct hint_facts *facts)
{
	size_t wrong = 0;
	for (size_t i = 0; i < facts->judgement->count; i++)
		wrong += hint_case_wrong(&facts->judgement->cases[i]);
	return wrong;
}

size_t hint_explained_cases(const struct hint_facts *facts)
{
	size_t explained = 0;
	for (size_t i = 0; i < facts->judgement->count; i++)
		explained += facts->judgement->cases[i].wrong != NULL;
	return explained;
}

const char *hint_in_cases(size_t held, size_t explained, char out[64])
{
	if (explained <= 1)
		return "in the failing case";
	if (held == explained && explained == 2)
		return "in both failing cases";
	if (held == explained)
		snprintf(out, 64, "in all of the first %zu failing cases", explained);
	else
		snprintf(out, 64, "in %zu of the first %zu failing cases", held, explained);
	return out;
}

int32_t hint_case_size(const struct case_result *result, enum size size)
{
	return result->test.shape.size[size];
}

const struct case_result *hint_next_explained(const struct hint_facts *facts, size_t *at)
{
	while (*at < facts->judgement->count) {
		const struct case_result *result = &facts->judgement->cases[(*at)++];
		if (result->wrong != NULL)
			return result;
	}
	return NULL;
}

bool hint_all_explained(const struct hint_facts *facts,
						bool (*holds)(const struct case_result *result))
{
	const struct case_result *result;
	size_t at = 0, held = 0;
	for (; (result = hint_next_explained(facts, &at)) != NULL; held++)
		if (!holds(result))
			return false;
	return held > 0;
}

const char *hint_in_all(const struct hint_facts *facts, char out[64])
{
	size_t explained = hint_explained_cases(facts);
	return hint_in_cases(explained, explained, out);
}

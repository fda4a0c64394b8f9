/* The families of hints, and the walk through their rows. */
#include "base/text.h"
#include "judge/hints/claims.h"

static const struct hint_row *const families[] = {
	hints_of_entry,    hints_of_compiling, hints_of_signature, hints_of_calls,     hints_of_stages,
	hints_of_products, hints_of_paths,     hints_of_batches,   hints_of_unwritten, hints_of_repeats,
	hints_of_places,   hints_of_cases,     hints_of_sizes,     hints_of_steps,
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

void hints_find(const struct hint_context *facts, struct judgement *out)
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
			struct hint_context asked = *facts;
			asked.claim = &claim;
			if (row->says(&asked, &text) && text.length > 0 && hint_claim_is_true(facts, &claim))
				text_format(out->hints[out->hint_count++], HINT_TEXT, "%s", strbuf_text(&text));
			strbuf_release(&text);
		}
	}
}

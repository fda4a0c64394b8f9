#include "judge/cases/orders.h"

#include <stdlib.h>

#include "judge/cases/check.h"

static bool check(struct run *run, struct submission *s, enum entry_order order,
				  struct judgement *out, struct error *err)
{
	out->cases = calloc(s->case_count, sizeof *out->cases);
	if (out->cases == NULL)
		return error_set(err, "out of memory for %zu results", s->case_count);
	out->count = s->case_count;
	for (size_t i = 0; i < out->count; i++)
		out->cases[i].test = s->cases[i];
	out->order = s->order = order;
	struct entrant entrant = submission_entrant(s, submission_name(s->file));
	return check_cases(run, s->problem, &entrant, out, err);
}

bool orders_check(struct run *run, struct submission *s, struct judgement *out, struct error *err)
{
	struct judgement *other = malloc(sizeof *other);
	if (other == NULL)
		return error_set(err, "out of memory for a judgement");
	*other = *out; /* before any case */
	other->compile_log = NULL;
	bool ok = check(run, s, s->order, out, err);
	if (ok && out->entry == ENTRY_SOLUTION && out->verdict != VERDICT_ACCEPTED &&
		entry_has_orders(s->problem) && !run_stopped(run)) {
		ok = check(run, s, ENTRY_SITE, other, err);
		bool right = ok && other->verdict == VERDICT_ACCEPTED;
		struct judgement worse = right ? *out : *other;
		if (right) {
			*out = *other;
			out->compile_log = worse.compile_log;
			worse.compile_log = NULL;
		}
		judgement_free(&worse);
		s->order = out->order;
	}
	free(other);
	return ok;
}

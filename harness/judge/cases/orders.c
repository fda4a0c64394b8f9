#include "judge/cases/orders.h"

#include <stdlib.h>

#include "judge/cases/check.h"
#include "judge/run/emulated.h"
#include "judge/submission/serialised.h"

void orders_begin(const struct judgement *before, const struct submission *s, struct judgement *out)
{
	*out = *before;
	out->compile_log = NULL;
	out->uses = NULL;
	out->use_count = 0;
	submission_to_judgement(s, out);
}

static bool check_once(struct run *run, struct submission *s, struct judgement *out,
					   struct error *err)
{
	out->cases = calloc(s->case_count, sizeof *out->cases);
	if (out->cases == NULL)
		return error_set(err, "out of memory for %zu results", s->case_count);
	out->count = s->case_count;
	for (size_t i = 0; i < out->count; i++)
		out->cases[i].test = s->cases[i];
	out->order = s->order;
	struct entrant entrant = submission_entrant(s, submission_name(s->file));
	entrant.submission = s->in_parts ? s : NULL;
	if (!s->ptxas_asked || s->ptxas_refused) /* then no block is launched that may be too large */
		entrant.registers = EMULATED_ASKS;
	const bool ok = check_cases(run, s->problem, &entrant, out, err);
	if (entrant.submission != NULL) /* bits may have needed more parts, or all */
		submission_to_judgement_again(s, out);
	return ok;
}

/* Whether a call failed for a wgmma for which ptxas may fence and wait. */
static bool is_at_wgmma(const struct run *run, const struct judgement *out)
{
	for (size_t i = 0; i < out->count && run->referee.device.kind == DEVICE_EMULATED; i++)
		if (out->cases[i].verdict == VERDICT_RUNTIME_ERROR &&
			emulated_finds_wgmma(out->cases[i].output))
			return true;
	return false;
}

/* Whether the registers of a kernel matter, which PTX does not tell. */
static bool asks_registers(const struct run *run, const struct judgement *out)
{
	for (size_t i = 0; i < out->count && run->referee.device.kind == DEVICE_EMULATED; i++)
		if (emulated_asks_registers(out->cases[i].output) ||
			emulated_asks_registers(out->cases[i].facts.failed))
			return true;
	return false;
}

/* Asks ptxas what the emulated GPU has to know of the kernels. True: it goes on in another way now,
 * be it without the registers, where ptxas does not tell them. */
static bool ask_ptxas(const struct run *run, struct submission *s, const struct judgement *out)
{
	if (s->ptxas_asked || run_stopped(run))
		return false;
	if (asks_registers(run, out)) {
		serialised_ask(run, s);
		return true;
	}
	if (!is_at_wgmma(run, out))
		return false;
	serialised_ask(run, s);
	return s->serialised != NULL;
}

static bool check(struct run *run, struct submission *s, const struct judgement *before,
				  enum entry_order order, struct judgement *out, struct error *err)
{
	s->order = order;
	orders_begin(before, s, out);
	bool ok = check_once(run, s, out, err);
	if (!ok || !ask_ptxas(run, s, out))
		return ok;
	judgement_free(out);
	orders_begin(before, s, out);
	return check_once(run, s, out, err);
}

bool orders_check(struct run *run, struct submission *s, struct judgement *out, struct error *err)
{
	struct judgement *parts = malloc(2 * sizeof *parts), *before = parts, *other = parts + 1;
	if (parts == NULL)
		return error_set(err, "out of memory for a judgement");
	*before = *out;
	bool ok = check(run, s, before, s->order, out, err);
	if (ok && out->entry == ENTRY_SOLUTION && out->verdict != VERDICT_ACCEPTED &&
		entry_has_orders(s->problem) && !run_stopped(run)) {
		ok = check(run, s, before, ENTRY_SITE, other, err);
		bool right = ok && other->verdict == VERDICT_ACCEPTED;
		struct judgement worse = right ? *out : *other;
		if (right)
			*out = *other;
		judgement_free(&worse);
		s->order = out->order;
	}
	free(before->compile_log);
	free(before->uses);
	free(parts);
	return ok;
}

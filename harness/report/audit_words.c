#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/audit.h"

/* Adds a part behind "; " or ", ". */
static void add(char out[AUDIT_TEXT], const char *between, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void add(char out[AUDIT_TEXT], const char *between, const char *format, ...)
{
	va_list values;
	size_t used = strlen(out);
	if (used > 0 && used + strlen(between) < AUDIT_TEXT)
		used += (size_t)snprintf(out + used, AUDIT_TEXT - used, "%s", between);
	va_start(values, format);
	text_vformat(out + used, AUDIT_TEXT - used, format, values);
	va_end(values);
}

void audit_words_case(const struct audit *audit, const struct audit_row *row, char out[AUDIT_TEXT])
{
	const struct audit_unit *unit = &audit->units[row->unit];
	const struct test_case *test = &unit->cases[row->test];
	char shape[SHAPE_TEXT];
	shape_print(unit->problem, &test->shape, shape);
	snprintf(out, AUDIT_TEXT, "%s %s", unit->problem->name, shape);
	if (problem_takes(unit->problem, SCALAR_ALPHA))
		add(out, ", ", "alpha %g", (double)test->scalar[SCALAR_ALPHA]);
	if (problem_takes(unit->problem, SCALAR_BETA))
		add(out, ", ", "beta %g", (double)test->scalar[SCALAR_BETA]);
}

void audit_words_who(const struct audit *audit, const struct audit_row *row, char out[AUDIT_TEXT])
{
	const struct audit_unit *unit = &audit->units[row->unit];
	char version[AUDIT_VERSION_TEXT];
	snprintf(out, AUDIT_TEXT, "%s%s%s", unit->label, unit->number > 0 ? " " : "",
			 unit->number > 0 ? audit_version_print(unit->number, version) : "");
	if (row->index == 0)
		add(out, ", ", "own choice");
	else
		add(out, ", ", "algorithm %d", row->index);
	if (row->mode == LIBRARY_ACCURATE)
		add(out, ", ", "accurate mode");
}

static const char *reduction_word(int32_t reduction)
{
	return reduction == 1   ? " (in place)"
		   : reduction == 2 ? " (in the type of the sums)"
		   : reduction == 4 ? " (in the type of the result)"
							: "";
}

void audit_words_how(const struct audit_row *row, char out[AUDIT_TEXT])
{
	const struct library_algorithm *facts = &row->algorithm;
	out[0] = '\0';
	if (facts->id >= 0)
		add(out, ", ", "id %d", facts->id);
	if (facts->tile > 0)
		add(out, ", ", "tile %d", facts->tile);
	if (facts->stages > 0)
		add(out, ", ", "stages %d", facts->stages);
	if (facts->split_k > 0)
		add(out, ", ", "split-K %d", facts->split_k);
	if (facts->reduction > 0)
		add(out, ", ", "reduction %d%s", facts->reduction, reduction_word(facts->reduction));
	if (row->kernel[0] != '\0')
		add(out, "; ", "kernel %s", row->kernel);
	if (row->kernels > 1)
		add(out, " ", "and %u more", row->kernels - 1);
	if (row->microseconds > 0.0)
		add(out, row->kernel[0] != '\0' ? ", " : "; ", "%.4g us", row->microseconds);
}

void audit_words_wrong(const struct audit_row *row, char out[AUDIT_TEXT])
{
	out[0] = '\0';
	if (row->refused)
		add(out, "", "the library does not run it");
	else if (row->verdict == VERDICT_ACCEPTED)
		add(out, "", "%.3g of the bound", row->worst_ratio);
	else if (row->verdict != VERDICT_WRONG_ANSWER)
		add(out, "", "%s: %s", verdict_name(row->verdict), row->detail);
	else if (row->wrong == 0)
		add(out, "", "%s", row->detail);
	else {
		add(out, "", "%.3g times the bound, %llu of %llu elements (%.3g%%)", row->worst_ratio,
			(unsigned long long)row->wrong, (unsigned long long)row->elements,
			100.0 * (double)row->wrong / (double)row->elements);
		if (row->places[0] != '\0')
			add(out, ", ", "%s", row->places);
	}
}

void audit_words_again(const struct audit_row *row, char out[AUDIT_TEXT])
{
	out[0] = '\0';
	if (row->calls < 2)
		return;
	if (audit_is_repeatable(row))
		add(out, "", "the same bits in %u calls", row->calls);
	else
		add(out, "", "not repeatable: %u of %u calls have the first one's bits", row->same,
			row->calls);
	if (row->wrong_call > 1)
		add(out, ", ", "call %u is the first wrong one", row->wrong_call);
}

void audit_words_cause(const struct audit_row *row, char out[AUDIT_TEXT])
{
	char cause[LIBRARY_CAUSE_TEXT];
	out[0] = '\0';
	if (row->verdict != VERDICT_WRONG_ANSWER)
		return;
	if (row->hint[0] != '\0' && (row->causes & ~(unsigned)LIBRARY_CAUSE_MENDED) == 0)
		add(out, "", "%s%s", row->hint, row->accurate_right ? "; the accurate mode is right" : "");
	else
		add(out, "", "%s", library_cause_print(row->causes, row->accurate_right, cause));
}

void audit_words_change(const struct audit *audit, const struct audit_change *change,
						char out[AUDIT_TEXT])
{
	char before[AUDIT_VERSION_TEXT], after[AUDIT_VERSION_TEXT];
	audit_version_print(audit->units[change->before->unit].number, before);
	audit_version_print(audit->units[change->after->unit].number, after);
	out[0] = '\0';
	if (change->verdict)
		add(out, "", "%s with %s and %s with %s",
			audit_is_right(change->before) ? "right" : "wrong", before,
			audit_is_right(change->after) ? "right" : "wrong", after);
	if (change->algorithm)
		add(out, "; ", "another algorithm");
	if (change->bits)
		add(out, "; ", "other bits");
}

bool audit_words_left(const struct audit_unit *unit, char out[AUDIT_TEXT])
{
	const size_t left = unit->case_count - unit->audited;
	out[0] = '\0';
	if (left == 0 && unit->too_large == 0)
		return false;
	snprintf(out, AUDIT_TEXT, "%s by %s", unit->problem->name, unit->label);
	if (left > 0)
		add(out, ": ", "%zu of %zu cases: %s", left, unit->case_count, unit->ended);
	if (unit->too_large > 0)
		add(out, left > 0 ? "; " : ": ", "%zu of %zu cases are too large for the emulated GPU",
			unit->too_large, unit->case_count);
	return true;
}

void audit_words_all(const struct audit *audit, char out[AUDIT_TEXT])
{
	struct audit_sum all = {0};
	for (size_t i = 0; i < audit->unit_count; i++) {
		const struct audit_sum sum = audit_sum_of(audit, i);
		all.own += sum.own;
		all.own_wrong += sum.own_wrong;
		all.algorithms += sum.algorithms - sum.own;
		all.wrong += sum.wrong - sum.own_wrong;
		all.accurate += sum.accurate;
		all.accurate_wrong += sum.accurate_wrong;
		all.unrepeatable += sum.unrepeatable;
	}
	out[0] = '\0';
	add(out, "", "%zu of %zu results that a library chooses by itself are wrong", all.own_wrong,
		all.own);
	if (all.algorithms > 0)
		add(out, ", ", "%zu of %zu of its other algorithms", all.wrong, all.algorithms);
	if (all.accurate > 0)
		add(out, ", ", "%zu of %zu in its accurate mode", all.accurate_wrong, all.accurate);
	if (all.unrepeatable > 0)
		add(out, "; ", "%zu give%s other bits from call to call", all.unrepeatable,
			all.unrepeatable == 1 ? "s" : "");
}

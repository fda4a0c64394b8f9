#include "report/facts.h"

#include <stdio.h>
#include <string.h>

void facts_case_sizes(char *out, size_t capacity, const struct test_case *test)
{
	snprintf(out, capacity, "M %d, N %d, K %d, alpha %g, beta %g", test->shape.m, test->shape.n,
			 test->shape.k, test->alpha, test->beta);
}

static void value_print(char out[64], char operand, const struct value_spec *spec)
{
	const char *name = distribution_name(spec->distribution);
	switch (spec->distribution) {
	case VALUES_ZERO:
	case VALUES_NAN: snprintf(out, 64, "%c %s", operand, name); break;
	case VALUES_UNIFORM:
	case VALUES_INTEGER: snprintf(out, 64, "%c %s +-%g", operand, name, spec->scale); break;
	default: snprintf(out, 64, "%c %s %g", operand, name, spec->scale);
	}
}

void facts_case_values(char *out, size_t capacity, const struct test_case *test)
{
	char a[64], b[64], c[64];
	value_print(a, 'A', &test->a);
	value_print(b, 'B', &test->b);
	value_print(c, 'C', &test->c);
	if (test->beta != 0.0f)
		snprintf(out, capacity, "%s, %s, %s", a, b, c);
	else
		snprintf(out, capacity, "%s, %s", a, b);
}

const struct case_result *facts_worst_case(const struct judgement *judgement)
{
	const struct case_result *worst = NULL;
	for (size_t i = 0; i < judgement->count; i++) {
		const struct case_result *result = &judgement->cases[i];
		if (!result->checked)
			continue;
		if (worst == NULL || result->check.worst_ratio > worst->check.worst_ratio)
			worst = result;
	}
	return worst;
}

size_t facts_failed_cases(const struct judgement *judgement)
{
	size_t failed = 0;
	for (size_t i = 0; i < judgement->count; i++) {
		enum verdict verdict = judgement->cases[i].verdict;
		failed += verdict != VERDICT_ACCEPTED && verdict != VERDICT_NOT_RUN;
	}
	return failed;
}

bool facts_use_span(const struct timing_result *timing)
{
	for (size_t i = 0; i < timing->count; i++)
		if (timing->entries[i].ran && timing->entries[i].span.samples == 0)
			return false;
	return true;
}

const struct timing_stats *facts_stats(const struct timing_entry *entry, bool span)
{
	return span ? &entry->span : &entry->event;
}

double facts_tflops(const struct shape *shape, double microseconds)
{
	if (!(microseconds > 0.0))
		return 0.0;
	return 2.0 * shape->m * shape->n * shape->k / microseconds * 1e-6;
}

double facts_percent_of(const struct timing_result *timing, const struct timing_entry *entry,
						const char *label, bool span)
{
	double own = facts_stats(entry, span)->median;
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *other = &timing->entries[i];
		if (strcmp(other->label, label) != 0 || !other->ran || !entry->ran)
			continue;
		double theirs = facts_stats(other, span)->median;
		return own > 0.0 ? 100.0 * theirs / own : 0.0;
	}
	return 0.0;
}

double facts_half_width_percent(const struct timing_stats *stats)
{
	return stats->median > 0.0 ? 50.0 * (stats->high - stats->low) / stats->median : 0.0;
}

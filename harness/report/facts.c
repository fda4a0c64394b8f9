#include "report/facts.h"

#include <stdio.h>
#include <string.h>

/* alpha and beta, where the problem has them. */
static void append_scalars(char *out, size_t capacity, const struct problem *problem,
						   const struct test_case *test)
{
	size_t used = strlen(out);
	if (problem == NULL || problem_has_scalars(problem))
		snprintf(out + used, capacity - used, ", alpha %g, beta %g", test->alpha, test->beta);
}

void facts_case_sizes(char *out, size_t capacity, const char *problem_name,
					  const struct test_case *test)
{
	const struct problem *problem = problem_find(problem_name);
	const struct shape *shape = &test->shape;
	if (problem != NULL && problem_has_vectors(problem)) /* its own N is the length of a row */
		snprintf(out, capacity, "M %d, N %d", shape->m, shape->k);
	else
		snprintf(out, capacity, "M %d, N %d, K %d", shape->m, shape->n, shape->k);
	append_scalars(out, capacity, problem, test);
}

void facts_timed_shape(char *out, size_t capacity, const struct timing_result *timing)
{
	const struct problem *problem = problem_find(timing->problem);
	char shape[SHAPE_TEXT];
	shape_print(problem, &timing->test.shape, shape);
	snprintf(out, capacity, "%s (%s)", shape, shape_legend(problem));
	append_scalars(out, capacity, problem, &timing->test);
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

void facts_case_values(char *out, size_t capacity, const char *problem_name,
					   const struct test_case *test)
{
	const struct problem *problem = problem_find(problem_name);
	const char *operands = problem != NULL ? problem->operands : "ABC";
	char a[64], b[64], c[64];
	value_print(a, operands[0], &test->a);
	value_print(b, operands[1], &test->b);
	value_print(c, operands[2], &test->c);
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

double facts_gbytes(const struct timing_result *timing, double microseconds)
{
	const struct problem *problem = problem_find(timing->problem);
	const struct shape *shape = &timing->test.shape;
	if (!(microseconds > 0.0) || problem == NULL)
		return 0.0;
	double results = (double)shape->m * shape->n;
	double elements = (double)shape->m * shape->k + (double)shape->k * shape->n + results;
	if (timing->test.beta != 0.0f)
		elements += results;
	return elements * (double)dtype_size(problem->dtype) / microseconds * 1e-3;
}

static bool counts_bytes(const struct timing_result *timing)
{
	const struct problem *problem = problem_find(timing->problem);
	return problem != NULL && problem->metric == METRIC_BYTES;
}

double facts_rate(const struct timing_result *timing, double microseconds)
{
	return counts_bytes(timing) ? facts_gbytes(timing, microseconds)
								: facts_tflops(&timing->test.shape, microseconds);
}

const char *facts_rate_unit(const struct timing_result *timing)
{
	return counts_bytes(timing) ? "GB/s" : "TFLOP/s";
}

/* "cuBLAS" also where it comes with a kernel for the epilogue. */
static bool is_library(const struct timing_entry *entry, const char *label)
{
	size_t length = strlen(label);
	return strncmp(entry->label, label, length) == 0 &&
		   (entry->label[length] == '\0' || strcmp(entry->label + length, "+kernel") == 0);
}

double facts_percent_of(const struct timing_result *timing, const struct timing_entry *entry,
						const char *label, bool span)
{
	double own = facts_stats(entry, span)->median;
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *other = &timing->entries[i];
		if (!is_library(other, label) || !other->ran || !entry->ran)
			continue;
		double theirs = facts_stats(other, span)->median;
		return own > 0.0 ? 100.0 * theirs / own : 0.0;
	}
	return 0.0;
}

void facts_yardsticks(const struct timing_result *timing,
					  struct facts_yardstick out[FACTS_YARDSTICKS])
{
	out[0] = (struct facts_yardstick){FACTS_CUBLAS, "cuBLAS", "/cuBLAS"};
	out[1] = (struct facts_yardstick){FACTS_CUBLASLT, "cuBLASLt", "/Lt"};
	for (size_t i = 0; i < timing->count; i++) {
		if (strcmp(timing->entries[i].label, FACTS_PLAIN) != 0)
			continue;
		out[0] = (struct facts_yardstick){FACTS_PLAIN, "the plain kernel", "/plain"};
		out[1] = (struct facts_yardstick){0};
		return;
	}
}

double facts_half_width_percent(const struct timing_stats *stats)
{
	return stats->median > 0.0 ? 50.0 * (stats->high - stats->low) / stats->median : 0.0;
}

bool facts_gpu_wrong(char *out, size_t capacity, const struct judgement_list *list)
{
	uint64_t misses = 0;
	const char *library = NULL;
	for (size_t b = 0; b < list->bench_count && list->facts.epilogue[0] == '\0'; b++) {
		const struct timing_result *timing = &list->bench[b];
		for (size_t i = 0; i < timing->count && timing->test.exact; i++) {
			const struct timing_entry *entry = &timing->entries[i];
			if (entry->role != TIMING_LIBRARY || entry->wrong == 0)
				continue;
			if (library == NULL) /* one will do */
				library = entry->label;
			if (strcmp(entry->label, library) == 0)
				misses += entry->wrong;
		}
	}
	if (misses == 0)
		return false;
	snprintf(out, capacity,
			 "this GPU computes wrongly: %s itself misses %llu element%s of exact cases; the "
			 "results of this run are not to be trusted",
			 library, (unsigned long long)misses, misses > 1 ? "s" : "");
	return true;
}

void facts_label(const struct timing_entry *entry, char out[FACTS_LABEL])
{
	static const char *const endings[] = {
		[TIMING_FILE] = " fused", [TIMING_FILE_PLAIN] = " alone", [TIMING_LIBRARY] = ""};
	snprintf(out, FACTS_LABEL, "%s%s", entry->label, endings[entry->role]);
	for (char *p = out; *p != '\0'; p++) /* a file's name must not steer a terminal */
		if ((unsigned char)*p < 0x20 || *p == 0x7F)
			*p = '?';
}

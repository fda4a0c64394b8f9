#include "report/facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Adds to a line, as long as there is room. */
__attribute__((format(printf, 3, 4))) static void append(char *out, size_t capacity,
														 const char *format, ...)
{
	size_t used = strlen(out);
	va_list args;
	va_start(args, format);
	vsnprintf(out + used, capacity - used, format, args);
	va_end(args);
}

static void append_scalars(char *out, size_t capacity, const struct problem *problem,
						   const struct test_case *test)
{
	for (const struct problem_scalar *row = problem->scalars; row->name != NULL; row++)
		append(out, capacity, ", %s %g", row->name, (double)test->scalar[row->is]);
}

/* The canonical size that a row stands for. */
static int size_of(const struct problem_size *row, const struct shape *shape)
{
	int size = 0;
	while ((row->is & 1u << size) == 0)
		size++;
	return shape->size[size];
}

void facts_case_sizes(char *out, size_t capacity, const struct problem *problem,
					  const struct test_case *test)
{
	out[0] = '\0';
	for (const struct problem_size *row = problem->sizes; row->name != NULL; row++)
		append(out, capacity, "%s%s %d", row > problem->sizes ? ", " : "", row->name,
			   size_of(row, &test->shape));
	append_scalars(out, capacity, problem, test);
}

void facts_timed_shape(char *out, size_t capacity, const struct timing_result *timing)
{
	const struct problem *problem = problem_find(timing->problem);
	char shape[SHAPE_TEXT], legend[SHAPE_TEXT];
	shape_print(problem, &timing->test.shape, shape);
	snprintf(out, capacity, "%s (%s)", shape, shape_legend(problem, legend));
	append_scalars(out, capacity, problem, &timing->test);
}

static void append_values(char *out, size_t capacity, const char *operand,
						  const struct value_spec *spec)
{
	append(out, capacity, "%s%s %s", out[0] != '\0' ? ", " : "", operand,
		   distribution_name(spec->distribution));
	switch (spec->distribution) {
	case VALUES_ZERO:
	case VALUES_NAN:
	case VALUES_MARKER:
	case VALUES_UNWRITTEN:
	case VALUES_CODES: break;
	case VALUES_UNIFORM:
	case VALUES_SPARSE:
	case VALUES_INTEGER: append(out, capacity, " +-%g", (double)spec->scale); break;
	default: append(out, capacity, " %g", (double)spec->scale);
	}
	if (spec->low != 0)
		append(out, capacity, " from %g", (double)spec->low);
	if (spec->share != 0 && spec->share != 1)
		append(out, capacity, ", %g of %s", (double)spec->share,
			   spec->distribution == VALUES_CODES || spec->distribution == VALUES_INTEGER
				   ? "them extreme"
			   : spec->distribution == VALUES_SPARSE ? "them 0"
													 : "the edges");
}

void facts_case_values(char *out, size_t capacity, const struct problem *problem,
					   const struct test_case *test)
{
	out[0] = '\0';
	for (size_t i = 0; problem->operands[i].name != NULL; i++) {
		enum role role = problem->operands[i].role;
		if (role == ROLE_INPUT || (role == ROLE_BOTH && test->scalar[SCALAR_BETA] != 0))
			append_values(out, capacity, problem->operands[i].name, &test->values[i]);
	}
}

void facts_place(char *out, size_t capacity, const struct problem *problem,
				 const struct shape *shape, int row, int column)
{
	int rows = shape->size[SIZE_M];
	out[0] = '\0';
	if (problem_size_of(problem, SIZE_BATCH) != NULL)
		append(out, capacity, "batch %d, ", row / rows);
	append(out, capacity, "row %d, column %d", row % rows, column);
}

/* The first line of a compiler's messages that tells of an error, from the file's own name on; ""
 * where there is none. */
static void first_error(const char *log, char *out, size_t capacity)
{
	size_t length;
	const char *found = log != NULL ? text_line_with(log, "error", &length) : NULL;
	out[0] = '\0';
	if (found == NULL)
		return;
	for (size_t i = strcspn(found, "(: "); i > 0; i--)
		if (found[i - 1] == '/') {
			found += i;
			length -= i;
			break;
		}
	snprintf(out, capacity, ": %.*s", (int)length, found);
}

bool facts_refused(const struct judgement *item)
{
	char error[2];
	first_error(item->compile_log, error, sizeof error);
	return item->verdict == VERDICT_COMPILE_ERROR ||
		   (item->verdict == VERDICT_NOT_RUN && error[0] != '\0');
}

const char *facts_reason(const struct judgement *item, char out[FACTS_REASON])
{
	char error[FACTS_REASON - sizeof item->detail] = "";
	if (facts_refused(item))
		first_error(item->compile_log, error, sizeof error);
	snprintf(out, FACTS_REASON, "%s%s", item->detail, error);
	return out;
}

const struct case_result *facts_worst_case(const struct judgement *judgement)
{
	const struct case_result *worst = NULL;
	for (size_t i = 0; i < judgement->count; i++) {
		const struct case_result *result = &judgement->cases[i];
		if (!result->checked || result->verdict == VERDICT_UNSUPPORTED)
			continue;
		if (worst == NULL || result->check.worst_ratio > worst->check.worst_ratio)
			worst = result;
	}
	return worst;
}

bool facts_never_run(const struct judgement *judgement)
{
	return judgement->verdict == VERDICT_NOT_RUN && judgement->count == 0;
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
	return timing_shown(entry, span);
}

struct facts_counted facts_counted(const struct timing_result *timing,
								   const struct timing_entry *entry)
{
	bool span = facts_use_span(timing), host_side = entry->seal.state == SEAL_HOST_SIDE;
	bool steady = entry->steady.time.samples > 0;
	return (struct facts_counted){.clock = timing_clock_name(steady      ? CLOCK_STEADY
															 : host_side ? CLOCK_HOST_SIDE
															 : span      ? CLOCK_SPAN
																		 : CLOCK_EVENT),
								  .stats = facts_stats(entry, span),
								  .passes =
									  steady || host_side || span == (entry->span.samples > 0)};
}

const char *facts_times_are(const struct timing_result *timing)
{
	if (timing_is_steady(timing))
		return "in a steady stream";
	return facts_use_span(timing) ? "of device span (bursts)" : "between events (bursts)";
}

const char *facts_times_title(const struct timing_result *timing)
{
	if (timing_is_steady(timing))
		return "Back-to-back calls in a steady stream";
	return facts_use_span(timing) ? "Device span of a call, in bursts"
								  : "Time between events around a call, in bursts";
}

double facts_tflops(const struct shape *shape, double microseconds)
{
	return microseconds > 0.0 ? 2.0 * shape_terms(shape) / microseconds * 1e-6 : 0.0;
}

double facts_gbytes(const struct timing_result *timing, double microseconds)
{
	const struct problem *problem = problem_find(timing->problem);
	double bytes = 0;
	if (!(microseconds > 0.0) || problem == NULL)
		return 0.0;
	for (const struct operand *operand = problem->operands; operand->name != NULL; operand++) {
		bool twice = operand->role == ROLE_BOTH && timing->test.scalar[SCALAR_BETA] != 0.0f;
		bytes += (twice ? 2.0 : 1.0) * (double)operand_bytes(operand, &timing->test.shape);
	}
	return bytes / microseconds * 1e-3;
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

void facts_references(const struct timing_result *timing,
					  struct facts_reference out[FACTS_REFERENCES])
{
	out[0] = (struct facts_reference){FACTS_CUBLAS, "cuBLAS", "/cuBLAS"};
	out[1] = (struct facts_reference){FACTS_CUBLASLT, "cuBLASLt", "/Lt"};
	for (size_t i = 0; i < timing->count; i++) {
		if (strcmp(timing->entries[i].label, FACTS_PLAIN) != 0)
			continue;
		out[0] = (struct facts_reference){FACTS_PLAIN, "the plain kernel", "/plain"};
		out[1] = (struct facts_reference){0};
		return;
	}
}

const char *facts_time(double microseconds, char out[FACTS_TIME])
{
	int decimals = microseconds < 100.0 ? 2 : microseconds < 10000.0 ? 1 : 0;
	snprintf(out, FACTS_TIME, "%.*f", decimals, microseconds);
	return out;
}

double facts_half_width_percent(const struct timing_stats *stats)
{
	return stats->median > 0.0 ? 50.0 * (stats->high - stats->low) / stats->median : 0.0;
}

void facts_label(const struct timing_entry *entry, char out[FACTS_LABEL])
{
	static const char *const endings[] = {[TIMING_FILE] = " fused",
										  [TIMING_FILE_PLAIN] = " alone",
										  [TIMING_LIBRARY] = "",
										  [TIMING_BASELINE] = "",
										  [TIMING_PROGRAM] = ""};
	snprintf(out, FACTS_LABEL, "%s%s", entry->label, endings[entry->role]);
	for (char *p = out; *p != '\0'; p++) /* a file's name must not steer a terminal */
		if ((unsigned char)*p < 0x20 || *p == 0x7F)
			*p = '?';
}

bool facts_is_comparison(const struct timing_result *timing)
{
	bool comparison = false;
	for (size_t i = 0; i < timing->count; i++)
		comparison = comparison || timing->entries[i].role == TIMING_FILE_PLAIN;
	return comparison;
}

void facts_label_of(const struct timing_result *timing, const struct timing_entry *entry,
					char out[FACTS_LABEL])
{
	if (facts_is_comparison(timing))
		facts_label(entry, out);
	else
		snprintf(out, FACTS_LABEL, "%s", entry->label);
}

char *facts_suites(const struct run_description *facts)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return NULL;
	for (size_t i = 0; facts->suites != NULL && facts->suites[i] != NULL; i++)
		fprintf(out, "%s%s", i > 0 ? "," : "", facts->suites[i]);
	return fclose(out) == 0 ? text : NULL;
}

char *facts_cases(const struct run_description *facts)
{
	const char *uniform = strcmp(facts->sizes, "uniform") == 0 ? "uniform " : "";
	char *text = NULL, *suites = facts_suites(facts);
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL || suites == NULL) {
		free(suites);
		return NULL;
	}
	if (suites[0] != '\0')
		fprintf(out, "suite %s", suites);
	else
		fprintf(out, "generated cases%s%s", facts->shapes[0] != '\0' ? " of " : "", facts->shapes);
	if (facts->max_dim > 0)
		fprintf(out, " with %ssizes up to %d", uniform, facts->max_dim);
	else if (uniform[0] != '\0')
		fputs(" with uniform sizes", out);
	if (facts->multiple > 1)
		fprintf(out, ", all multiples of %d", facts->multiple);
	free(suites);
	return fclose(out) == 0 ? text : NULL;
}

void facts_clocks(char *out, size_t capacity, const struct timing_result *timing)
{
	out[0] = '\0';
	if (timing->sm_clock_mhz_median > 0.0)
		append(out, capacity, "SM clock %.0f MHz, lowest %.0f, limit %.0f; %u input sets",
			   timing->sm_clock_mhz_median, timing->sm_clock_mhz_min, timing->sm_clock_mhz_limit,
			   timing->sets);
}

double facts_widest_percent(const struct timing_result *timing)
{
	double widest = 0.0;
	bool span = facts_use_span(timing);
	for (size_t i = 0; i < timing->count; i++)
		if (timing->entries[i].ran)
			widest = fmax(widest, facts_half_width_percent(facts_stats(&timing->entries[i], span)));
	return widest;
}

const char *facts_device(const struct run_description *facts, char out[FACTS_DEVICE])
{
	bool several = facts->devices > 1 && facts->device.name[0] != '\0';
	int used = several ? snprintf(out, FACTS_DEVICE, "%zu x ", facts->devices) : 0;
	snprintf(out + used, FACTS_DEVICE - (size_t)used, "%s", facts->device.name);
	if (facts->device.name[0] == '\0')
		return out;
	const struct device_properties *device = &facts->device;
	const bool gpu = facts->device_kind == DEVICE_CUDA;
	if (gpu)
		append(out, FACTS_DEVICE, " (%d SMs, driver %s, %s", device->multiprocessors,
			   device->driver, device->library);
	if (facts->nvcc[0] != '\0')
		append(out, FACTS_DEVICE, ", nvcc %s", facts->nvcc);
	append(out, FACTS_DEVICE, "%s", gpu ? ")" : "");
	return out;
}

const char *facts_shared(const struct run_description *facts, char out[FACTS_SHARED])
{
	out[0] = '\0';
	if (facts->devices > 1 && facts->device_kind == DEVICE_EMULATED)
		snprintf(out, FACTS_SHARED,
				 "files on %zu emulated GPUs at once, which share the host's cores",
				 facts->devices);
	else if (facts->devices > 1)
		snprintf(
			out, FACTS_SHARED,
			"files on %zu GPUs at once: each is timed alone on its GPU; the GPUs share the host's "
			"cores, PCIe and power",
			facts->devices);
	return out;
}

const char *facts_nvcc_flags(const struct run_description *facts, char *out, size_t capacity)
{
	size_t used = 0;
	out[0] = '\0';
	for (const char *const *flag = facts->nvcc_flags; flag != NULL && *flag != NULL; flag++)
		if (used < capacity)
			used +=
				(size_t)snprintf(out + used, capacity - used, "%s%s", used > 0 ? " " : "", *flag);
	return out;
}

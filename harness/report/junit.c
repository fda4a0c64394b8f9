#include "report/report.h"

#include "report/clean.h"
#include "report/facts.h"

/* JUnit's form as CI servers read it: a suite for each solution file, a test
 * for each case, and one test for what is not a case (the compilation). */

static void attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	clean_print_xml(out, value);
	fputc('"', out);
}

/* The verdicts that come from comparing results are failures; the others,
 * where no result could be had, are errors. */
static const char *element_of(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_WRONG_ANSWER:
	case VERDICT_RULE_VIOLATION: return "failure";
	case VERDICT_NOT_RUN: return "skipped";
	default: return "error";
	}
}

static void print_hints(FILE *out, const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->hint_count; i++) {
		fputs("\nhint: ", out);
		clean_print_xml(out, judgement->hints[i]);
	}
}

/* `hinted`: whose hints stand there too; NULL: of none. */
static void print_problem(FILE *out, const char *element, enum verdict verdict, const char *detail,
						  const char *content, const struct judgement *hinted)
{
	fprintf(out, "      <%s", element);
	attribute(out, "message", detail[0] != '\0' ? detail : verdict_name(verdict));
	attribute(out, "type", verdict_name(verdict));
	fputs(">", out);
	clean_print_xml(out, content);
	if (hinted != NULL)
		print_hints(out, hinted);
	fprintf(out, "</%s>\n", element);
}

/* `first`: of those that failed; the file's hints stand there. */
static void print_case(FILE *out, const struct judgement *judgement,
					   const struct case_result *result, bool first)
{
	fputs("    <testcase", out);
	attribute(out, "name", result->test.name);
	attribute(out, "classname", judgement->file);
	fprintf(out, " time=\"%.6f\">\n", result->seconds);
	if (result->verdict != VERDICT_ACCEPTED) {
		char sizes[256];
		facts_case_sizes(sizes, sizeof sizes, problem_find(judgement->problem), &result->test);
		print_problem(out, element_of(result->verdict), result->verdict, result->detail, sizes,
					  first ? judgement : NULL);
	}
	if (result->output != NULL && result->output[0] != '\0') {
		fputs("      <system-out>", out);
		clean_print_xml(out, result->output);
		fputs("</system-out>\n", out);
	}
	fputs("    </testcase>\n", out);
}

/* Whether the file failed by something that no case shows. */
static bool failed_outside_cases(const struct judgement *judgement)
{
	return judgement->verdict != VERDICT_ACCEPTED && facts_failed_cases(judgement) == 0;
}

static void print_suite(FILE *out, const struct judgement *judgement,
						const struct run_description *facts)
{
	size_t failures = 0, errors = 0, skipped = 0;
	double seconds = judgement->compile_seconds;
	for (size_t i = 0; i < judgement->count; i++) {
		const struct case_result *result = &judgement->cases[i];
		seconds += result->seconds;
		if (result->verdict == VERDICT_ACCEPTED)
			continue;
		char kind = element_of(result->verdict)[0];
		failures += kind == 'f';
		errors += kind == 'e';
		skipped += kind == 's';
	}
	bool outside = failed_outside_cases(judgement);

	fputs("  <testsuite", out);
	attribute(out, "name", judgement->file);
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
			judgement->count + 1, failures, errors + outside, skipped, seconds);
	/* CI servers want a time without a zone, or with none but 'Z' left out. */
	char started[20], flags[1024];
	snprintf(started, sizeof started, "%.19s", facts->started);
	attribute(out, "timestamp", started);
	fputs(">\n    <properties>\n      <property name=\"verdict\"", out);
	attribute(out, "value", verdict_name(judgement->verdict));
	fputs("/>\n      <property name=\"problem\"", out);
	attribute(out, "value", judgement->problem);
	if (facts_nvcc_flags(facts, flags, sizeof flags)[0] != '\0') {
		fputs("/>\n      <property name=\"nvcc_flags\"", out);
		attribute(out, "value", flags);
	}
	fputs("/>\n    </properties>\n", out);

	fputs("    <testcase", out);
	attribute(out, "name", "compile and load");
	attribute(out, "classname", judgement->file);
	fprintf(out, " time=\"%.3f\">\n", judgement->compile_seconds);
	if (outside)
		print_problem(out, "error", judgement->verdict, judgement->detail,
					  judgement->compile_log != NULL ? judgement->compile_log : "", judgement);
	fputs("    </testcase>\n", out);
	for (size_t i = 0, failed = 0; i < judgement->count; i++) {
		enum verdict verdict = judgement->cases[i].verdict;
		bool fails = verdict != VERDICT_ACCEPTED && verdict != VERDICT_NOT_RUN;
		print_case(out, judgement, &judgement->cases[i], fails && failed == 0);
		failed += fails;
	}
	fputs("  </testsuite>\n", out);
}

void report_junit(const struct judgement_list *list, FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gemmjudge\">\n", out);
	for (size_t i = 0; i < list->count; i++)
		print_suite(out, &list->items[i], &list->facts);
	fputs("</testsuites>\n", out);
}

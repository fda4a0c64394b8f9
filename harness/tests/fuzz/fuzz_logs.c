/* links: report judge compile; seeds: harness/tests/fuzz/seeds/logs */
/* words: harness/judge/run/tool.c harness/compile/nvcc.c harness/compile/source_needs.c */
/* What others print: nvcc, compute-sanitizer, the solution itself. */
#include "compile/source_needs.h"
#include "judge/run/tool.h"

#include "report_all.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), first[256];
	struct case_result result = {.test.name = "a",
								 .test.shape = {{1, 1, 1, 1, 1}},
								 .verdict = VERDICT_RUNTIME_ERROR,
								 .output = text};
	struct judgement item = {.problem = "gemm-f16",
							 .verdict = VERDICT_RUNTIME_ERROR,
							 .compile_log = text,
							 .tool_report = text,
							 .count = 1,
							 .cases = &result};
	struct source_needs_feature feature;
	struct judgement_list list = {.count = 1, .items = &item};
	if (text == NULL)
		return;
	source_needs_lambdas(text);
	source_needs_cxx20_text(text);
	source_needs_other_gpu(text, &feature);
	int errors = tool_report_errors(text, first);
	if (errors < -1 || memchr(first, '\0', sizeof first) == NULL || strchr(first, '\n') != NULL)
		fuzz_found("a report of compute-sanitizer misread");
	snprintf(item.file, sizeof item.file, "%.*s", (int)strcspn(text, "\n"), text);
	snprintf(item.detail, sizeof item.detail, "%s", text);
	snprintf(result.detail, sizeof result.detail, "%s", text);
	report_all(&list);
	free(text);
}

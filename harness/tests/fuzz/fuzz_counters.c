/* links: report judge; seeds: harness/tests/fuzz/seeds/counters */
/* words: harness/report/counters.c harness/judge/run/counters.c */
/* Texts with the counters of an emulated GPU, which the solution's process could have written. */
#include <stdlib.h>
#include <string.h>

#include "judge/run/counters.h"

#include "report_all.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	struct judgement item = {.file = "a.cu", .problem = "gemm-f16", .compile_log = ""};
	struct judgement_list list = {.count = 1, .items = &item};
	char *text = strndup((const char *)data, size);
	if (text == NULL)
		return;
	item.has_counters = counters_read(text, "a.cu", &item);
	counters_read(text, NULL, &item); /* another process of it has written the same */
	if (item.kernel_count > 0)
		report_all(&list);
	judgement_free_kernels(&item);
	free(text);
}

/* links: report judge; seeds: harness/tests/fuzz/seeds/counters */
/* words: harness/report/counters.c harness/judge/run/counters.c */
/* Files with the counters of an emulated GPU, which the solution's process could have written. */
#include "judge/run/counters.h"

#include "report_all.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	struct judgement item = {.file = "a.cu", .problem = "gemm-f16", .compile_log = ""};
	struct judgement_list list = {.count = 1, .items = &item};
	const char *path = fuzz_file("1.json", data, size);
	item.has_counters = counters_read(path, "a.cu", &item);
	counters_read(path, NULL, &item); /* another process of it has written the same */
	if (item.kernel_count > 0)
		report_all(&list);
	judgement_free_kernels(&item);
}

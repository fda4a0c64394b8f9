/* What a file takes of a GPU: its kernels, as ptxas says, and device memory. */
#include <math.h>

#include "report/html/page.h"
#include "report/html/run.h"
#include "report/html/table.h"

#define KERNELS_LISTED 100

static void kernel_row(struct html_table *table, const struct kernel_use *use)
{
	const long long bytes[] = {use->shared_bytes, use->stack_bytes,
							   use->spill_stores + use->spill_loads};
	html_table_row(table, 0);
	html_table_text(table, use->name);
	html_table_format(table, use->registers, "%d", use->registers);
	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
		html_table_format(table, (double)bytes[i], "%lld", bytes[i]);
}

static void kernels_table(FILE *out, const struct judgement *item)
{
	static const struct html_column columns[] = {{"Kernel", COLUMN_NAME},
												 {"Registers", COLUMN_NUMBER},
												 {"Shared", COLUMN_NUMBER},
												 {"Stack", COLUMN_NUMBER},
												 {"Spilled", COLUMN_NUMBER}};
	struct html_table table;
	char caption[200], first[48] = "";
	if (item->use_count > KERNELS_LISTED)
		snprintf(first, sizeof first, " The first %d of %zu.", KERNELS_LISTED, item->use_count);
	snprintf(caption, sizeof caption,
			 "As machine code of %s: registers a thread, bytes of static shared memory a block, "
			 "of stack and of spills a thread.%s",
			 item->uses_of, first);
	html_table_open(&table, out, caption, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < item->use_count && i < KERNELS_LISTED; i++)
		kernel_row(&table, &item->uses[i]);
	html_table_close(&table);
}

/* The case whose call took most device memory; NULL: none took any. */
static const struct case_result *largest_of(const struct judgement *item)
{
	const struct case_result *largest = NULL;
	for (size_t i = 0; i < item->count; i++) {
		const struct case_result *result = &item->cases[i];
		if (result->checked && result->facts.peak_bytes > 0 &&
			(largest == NULL || result->facts.peak_bytes > largest->facts.peak_bytes))
			largest = result;
	}
	return largest;
}

void html_kernels(FILE *out, const struct judgement *item, enum device_kind kind)
{
	const struct case_result *largest = largest_of(item);
	char line[160];
	if (item->use_count == 0 && largest == NULL)
		return;
	html_heading(out, 3, NULL, "Kernels");
	if (item->use_count > 0)
		kernels_table(out, item);
	if (largest == NULL)
		return;
	snprintf(line, sizeof line, "solve() allocated %lld bytes of device memory%s, in case %s.",
			 (long long)largest->facts.peak_bytes,
			 kind == DEVICE_CUDA ? " and did not free them" : " at once", largest->test.name);
	html_paragraph(out, NULL, line);
}

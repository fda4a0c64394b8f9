#include "report/kernels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/document.h"
#include "report/facts.h"

#define DIMENSIONS_TEXT 40

static bool any_has_kernels(const struct timing_result *timing)
{
	bool any = false;
	for (size_t i = 0; i < timing->count; i++)
		any = any || timing->entries[i].has_kernels;
	return any;
}

/* "132", "8x4", "8x1x2": without the ones at the end. */
static void dimensions_print(char out[DIMENSIONS_TEXT], const uint32_t size[3])
{
	if (size[2] != 1)
		snprintf(out, DIMENSIONS_TEXT, "%ux%ux%u", size[0], size[1], size[2]);
	else if (size[1] != 1)
		snprintf(out, DIMENSIONS_TEXT, "%ux%u", size[0], size[1]);
	else
		snprintf(out, DIMENSIONS_TEXT, "%u", size[0]);
}

struct launch_text {
	char grid[DIMENSIONS_TEXT], block[DIMENSIONS_TEXT], cluster[DIMENSIONS_TEXT];
};

static struct launch_text text_of(const struct kernel_launch *kernel)
{
	struct launch_text text;
	dimensions_print(text.grid, kernel->grid);
	dimensions_print(text.block, kernel->block);
	dimensions_print(text.cluster, kernel->cluster);
	if (strcmp(text.cluster, "1") == 0)
		strcpy(text.cluster, "-");
	return text;
}

/* ---- text ------------------------------------------------------------------------- */

/* One line at most; cut where a character begins, so that the text stays UTF-8. */
static void print_cut(FILE *out, const char *text, int columns)
{
	char *clean = clean_line(text);
	size_t room = columns > 2 ? (size_t)columns : 2;
	if (clean == NULL)
		return;
	size_t length = strlen(clean);
	if (length > room) {
		length = room - 2;
		while (length > 0 && (clean[length] & 0xC0) == 0x80)
			length--;
		strcpy(clean + length, "..");
	}
	fprintf(out, "%s\n", clean);
	free(clean);
}

static void kernel_print(FILE *out, int width, const struct kernel_launch *kernel)
{
	struct launch_text text = text_of(kernel);
	int column = fprintf(out, "    %7s %5s %7s %4u %6u  ", text.grid, text.block, text.cluster,
						 kernel->registers, kernel->shared_bytes);
	print_cut(out, kernel->name, width - column);
}

void kernels_print(FILE *out, int width, const struct timing_result *timing)
{
	if (!any_has_kernels(timing))
		return;
	fprintf(out, "  kernels of a call\n    %7s %5s %7s %4s %6s\n", "grid", "block", "cluster",
			"regs", "shared");
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		const struct kernel_list *kernels = &entry->kernels;
		if (!entry->has_kernels)
			continue;
		char label[FACTS_LABEL];
		facts_label_of(timing, entry, label);
		fputs("  ", out);
		print_cut(out, label, width - 2);
		for (uint32_t k = 0; k < kernels->shown; k++)
			kernel_print(out, width, &kernels->first[k]);
		if (kernels->run == 0)
			fputs("    none\n", out);
		if (kernels->run > kernels->shown)
			fprintf(out, "    and %u more\n", kernels->run - kernels->shown);
	}
}

void kernels_uses_print(FILE *out, int width, const struct judgement *item)
{
	if (item->use_count == 0)
		return;
	fprintf(out, "  what its kernels take as machine code of %s\n    %4s %7s %7s %8s\n",
			item->uses_of, "regs", "shared", "stack", "spilled");
	for (size_t i = 0; i < item->use_count; i++) {
		const struct kernel_use *use = &item->uses[i];
		int column = fprintf(out, "    %4d %7lld %7lld %8lld  ", use->registers,
							 (long long)use->shared_bytes, (long long)use->stack_bytes,
							 (long long)(use->spill_stores + use->spill_loads));
		print_cut(out, use->name, width - column);
	}
}

/* ---- markdown --------------------------------------------------------------------- */

static void row_markdown(FILE *out, const char *label, const struct kernel_launch *kernel)
{
	struct launch_text text = text_of(kernel);
	fputs("| ", out);
	clean_print_cell(out, label);
	fputs(" | ", out);
	clean_print_cell(out, kernel->name);
	fprintf(out, " | %s | %s | %s | %u | %u |\n", text.grid, text.block, text.cluster,
			kernel->registers, kernel->shared_bytes);
}

void kernels_markdown(FILE *out, const struct timing_result *timing)
{
	if (!any_has_kernels(timing))
		return;
	fputs("\n| | kernel | grid | block | cluster | registers | shared bytes |\n"
		  "|---|---|--:|--:|--:|--:|--:|\n",
		  out);
	for (size_t i = 0; i < timing->count; i++) {
		const struct timing_entry *entry = &timing->entries[i];
		const struct kernel_list *kernels = &entry->kernels;
		char label[FACTS_LABEL];
		facts_label_of(timing, entry, label);
		for (uint32_t k = 0; entry->has_kernels && k < kernels->shown; k++)
			row_markdown(out, label, &kernels->first[k]);
		if (entry->has_kernels && (kernels->run == 0 || kernels->run > kernels->shown)) {
			fputs("| ", out);
			clean_print_cell(out, label);
			fprintf(out, " | %u %s | | | | | |\n", kernels->run - kernels->shown,
					kernels->run == 0 ? "kernels" : "more");
		}
	}
}

#include "contestant/kernels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/kernel_name.h"

/* ---- names -------------------------------------------------------------- */

/* Of the Itanium C++ ABI, which has it in C too; libsupc++ defines it. NULL when the
 * symbol is not a mangled one; else the caller frees it. */
char *__cxa_demangle(const char *symbol, char *buffer, size_t *capacity, int *status);

void kernel_name(const char *symbol, char out[KERNEL_NAME_BYTES + 1])
{
	int status;
	if (symbol == NULL)
		symbol = "(unnamed)";
	bool mangled = strncmp(symbol, "_Z", 2) == 0; /* it would read "f" as the type float */
	char *demangled = mangled ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
	if (demangled != NULL)
		kernel_name_shorten(demangled, out, KERNEL_NAME_BYTES + 1);
	else
		snprintf(out, KERNEL_NAME_BYTES + 1, "%s", symbol);
	free(demangled);
}

/* ---- records ------------------------------------------------------------ */

#if __has_include(<cupti.h>)

static uint32_t positive(int64_t value)
{
	return value > 0 ? (uint32_t)value : 0;
}

/* All but the name. A kernel that is launched without clusters, or a device that has
 * none, may leave 0 there: it is a cluster of one block. */
static void launch_of_record(const CUpti_ActivityKernel10 *record, struct kernel_launch *out)
{
	out->grid[0] = positive(record->gridX);
	out->grid[1] = positive(record->gridY);
	out->grid[2] = positive(record->gridZ);
	out->block[0] = positive(record->blockX);
	out->block[1] = positive(record->blockY);
	out->block[2] = positive(record->blockZ);
	out->cluster[0] = record->clusterX > 0 ? record->clusterX : 1;
	out->cluster[1] = record->clusterY > 0 ? record->clusterY : 1;
	out->cluster[2] = record->clusterZ > 0 ? record->clusterZ : 1;
	out->registers = record->registersPerThread;
	out->shared_bytes =
		positive(record->staticSharedMemory) + positive(record->dynamicSharedMemory);
}

static bool same_launch(const struct kernel_launch *a, const struct kernel_launch *b)
{
	return memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
		   memcmp(a->block, b->block, sizeof a->block) == 0 &&
		   memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0 && a->registers == b->registers &&
		   a->shared_bytes == b->shared_bytes;
}

uint32_t kernel_table_place(struct kernel_table *table, const CUpti_ActivityKernel10 *record)
{
	struct kernel_launch launch = {0};
	launch_of_record(record, &launch);
	for (size_t i = 0; i < table->count; i++)
		if (table->symbols[i] == record->name && same_launch(&table->launches[i], &launch))
			return (uint32_t)i;
	if (table->count == KERNELS_DISTINCT)
		return KERNEL_UNLISTED;
	kernel_name(record->name, launch.name);
	table->launches[table->count] = launch;
	table->symbols[table->count] = record->name;
	return (uint32_t)table->count++;
}

#endif

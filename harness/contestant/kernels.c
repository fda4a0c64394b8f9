#include "contestant/kernels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names -------------------------------------------------------------- */

/* Of the Itanium C++ ABI, which has it in C too; libsupc++ defines it. NULL when the
 * symbol is not a mangled one; else the caller frees it. */
char *__cxa_demangle(const char *symbol, char *buffer, size_t *capacity, int *status);

#define ANONYMOUS "(anonymous namespace)::"
#define NESTING_MAX 8 /* of template lists that are shown whole */

static void remove_all(char *text, const char *part)
{
	size_t length = strlen(part);
	for (char *at = text; (at = strstr(at, part)) != NULL;)
		memmove(at, at + length, strlen(at + length) + 1);
}

/* The parenthesis that the last character of the text closes; NULL if it closes none. */
static char *opening_of(char *text)
{
	int depth = 0;
	for (char *at = text + strlen(text); at > text;) {
		at--;
		depth += (*at == ')') - (*at == '(');
		if (depth == 0)
			return *at == '(' ? at : NULL;
	}
	return NULL;
}

/* "void (anonymous namespace)::gemm<tile<64> >(float*)" becomes "gemm<tile<64>>". */
static void strip_signature(char *name)
{
	char *parameters = opening_of(name);
	if (parameters != NULL && parameters > name)
		*parameters = '\0';
	if (strncmp(name, "void ", 5) == 0) /* which kernels return; only of templates it is named */
		memmove(name, name + 5, strlen(name + 5) + 1);
	remove_all(name, ANONYMOUS);
	for (char *at = name; (at = strstr(at, "> >")) != NULL;) /* as C++ wrote it before 2011 */
		memmove(at + 1, at + 2, strlen(at + 2) + 1);
}

/* Copies the name with the template lists that lie deeper than `deepest` as "<...>".
 * False where it does not fit. */
static bool copy_to_depth(const char *name, int deepest, char out[KERNEL_NAME_BYTES + 1])
{
	size_t used = 0;
	int depth = 0;
	for (; *name != '\0' && used <= KERNEL_NAME_BYTES; name++) {
		bool was_hidden = depth > deepest;
		depth += (*name == '<') - (*name == '>' && depth > 0);
		bool hidden = depth > deepest;
		if (was_hidden && hidden)
			continue;
		if (hidden)
			used += (size_t)snprintf(out + used, KERNEL_NAME_BYTES + 1 - used, "<...");
		else
			out[used++] = *name;
	}
	if (used > KERNEL_NAME_BYTES)
		return false;
	out[used] = '\0';
	return true;
}

void kernel_name(const char *symbol, char out[KERNEL_NAME_BYTES + 1])
{
	int status;
	if (symbol == NULL)
		symbol = "(unnamed)";
	bool mangled = strncmp(symbol, "_Z", 2) == 0; /* it would read "f" as the type float */
	char *demangled = mangled ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
	if (demangled != NULL)
		strip_signature(demangled);
	const char *whole = demangled != NULL ? demangled : symbol;
	bool fits = strlen(whole) <= KERNEL_NAME_BYTES;
	if (fits)
		strcpy(out, whole);
	for (int deepest = NESTING_MAX; deepest >= 0 && !fits; deepest--)
		fits = copy_to_depth(whole, deepest, out);
	if (!fits)
		snprintf(out, KERNEL_NAME_BYTES + 1, "%s", whole);
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

void kernel_of_record(const CUpti_ActivityKernel10 *record, struct kernel_launch *out)
{
	*out = (struct kernel_launch){0};
	launch_of_record(record, out);
	kernel_name(record->name, out->name);
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

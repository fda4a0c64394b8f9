/* Which kernels ran, and how they were launched, from CUPTI's records of them. */
#ifndef GEMMJUDGE_CONTESTANT_KERNELS_H
#define GEMMJUDGE_CONTESTANT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "process/protocol.h"

/* The name to show for a kernel's symbol: demangled, without result, parameters and
 * anonymous namespaces, "gemm<128, 64>" for _Z4gemmILi128ELi64EEvPf; a symbol that is
 * not mangled as it is. Of a name that is too long, template lists become "<...>", the
 * innermost first; one that is too long even so is cut. NULL is "(unnamed)". */
void kernel_name(const char *symbol, char out[KERNEL_NAME_BYTES + 1]);

#if __has_include(<cupti.h>)
#include <cupti.h>

/* The distinct launches of a pass: calls mostly repeat the same few, so that a record
 * comes down to its place here and a name is demangled once. */
#define KERNELS_DISTINCT 64
struct kernel_table {
	size_t count;
	struct kernel_launch launches[KERNELS_DISTINCT];
	const char *symbols[KERNELS_DISTINCT]; /* CUPTI's, the same pointer for the same kernel:
											  compared, never read later */
};

#define KERNEL_UNLISTED UINT32_MAX /* the table is full */

/* The place of the record's launch, which is added where it is new, or
 * KERNEL_UNLISTED. */
uint32_t kernel_table_place(struct kernel_table *table, const CUpti_ActivityKernel10 *record);
#endif

#endif

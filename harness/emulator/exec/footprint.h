/* Counting: sectors of global memory, each once. */
#ifndef EMULATOR_EXEC_FOOTPRINT_H
#define EMULATOR_EXEC_FOOTPRINT_H

#include <stdint.h>

struct exec_footprint;
/* NULL: no memory. */
struct exec_footprint *exec_footprint_create(void);
void exec_footprint_free(struct exec_footprint *footprint);
void exec_footprint_clear(struct exec_footprint *footprint); /* a new cluster begins */
/* How many of these sectors are new in it. */
uint32_t exec_footprint_add(struct exec_footprint *footprint, uint64_t address, uint64_t bytes);

#endif

/* Who wrote and read each 4-byte word of device memory last, for the race check. */
#ifndef EMULATOR_EXEC_SHADOW_H
#define EMULATOR_EXEC_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHADOW_WORD 4u  /* bytes */
#define SHADOW_LINE 64u /* bytes under one lock, whose cells follow each other */
#define SHADOW_PCS (1u << 20)

/* An access: of a step of a warp, at an instruction. */
struct shadow_stamp {
	uint32_t block; /* its number (exec/operation.h); 0: none */
	uint32_t step;
	uint32_t pc : 20, warp : 5;
	uint32_t mask : 4;   /* bytes of the word */
	uint32_t strong : 1; /* atomic, volatile or ordered: two of these do not race */
	uint32_t valued : 1; /* a store whose value is kept */
};

/* Of readers two of different blocks are kept, of which one at least is none of the writer's. */
#define SHADOW_READERS 2
struct shadow_cell {
	struct shadow_stamp write;
	uint32_t value;
	struct shadow_stamp reads[SHADOW_READERS];
};

/* Of which addresses it is, all of device memory: before anything else. */
void shadow_cover(uint64_t start, uint64_t end);
/* The cell of the word at an address, which stays where it is until it is forgotten; NULL: no
 * device memory, or no memory for it. `make`: also where nothing was noted yet. */
struct shadow_cell *shadow_find(uint64_t address, bool make);
/* Around every look at a cell while kernels run. */
void shadow_lock(uint64_t address);
void shadow_unlock(uint64_t address);
/* Gives the memory of a freed range back. While no kernel runs. */
void shadow_forget(uint64_t base, uint64_t size);
void shadow_clear(void);

#endif

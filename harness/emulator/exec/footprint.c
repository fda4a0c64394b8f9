/* Which sectors of global memory a cluster's plain loads touch: what would leave L2 if L1 kept
 * everything. A hash table, emptied by making its stamp old. */
#include "emulator/exec/footprint.h"

#include <stdbool.h>
#include <stdlib.h>

#define SECTOR_SHIFT 5
#define SLOTS_FIRST ((size_t)1 << 14)
#define SLOTS_MAX ((size_t)1 << 26) /* then all count as new */

struct exec_footprint {
	size_t slots, used; /* slots: a power of two */
	uint32_t stamp;
	uint64_t *sectors;
	uint32_t *stamps; /* of each slot: in use when it is the table's */
};

static bool footprint_allocate(struct exec_footprint *table, size_t slots)
{
	table->sectors = calloc(slots, sizeof *table->sectors);
	table->stamps = calloc(slots, sizeof *table->stamps);
	table->slots = slots;
	table->used = 0;
	table->stamp = 1;
	return table->sectors != NULL && table->stamps != NULL;
}

struct exec_footprint *exec_footprint_create(void)
{
	struct exec_footprint *table = calloc(1, sizeof *table);
	if (table != NULL && footprint_allocate(table, SLOTS_FIRST))
		return table;
	exec_footprint_free(table);
	return NULL;
}

void exec_footprint_free(struct exec_footprint *table)
{
	if (table == NULL)
		return;
	free(table->sectors);
	free(table->stamps);
	free(table);
}

void exec_footprint_clear(struct exec_footprint *table)
{
	table->stamp++;
	table->used = 0;
}

static bool insert(struct exec_footprint *table, uint64_t sector)
{
	size_t at = (size_t)(sector * 0x9e3779b97f4a7c15u >> 20) & (table->slots - 1);
	for (; table->stamps[at] == table->stamp; at = (at + 1) & (table->slots - 1))
		if (table->sectors[at] == sector)
			return false;
	table->stamps[at] = table->stamp;
	table->sectors[at] = sector;
	table->used++;
	return true;
}

/* To twice the slots; where there is no memory, it stays as it is. */
static void grow(struct exec_footprint *table)
{
	struct exec_footprint more = {0}, old = *table;
	if (old.slots >= SLOTS_MAX || !footprint_allocate(&more, old.slots * 2)) {
		free(more.sectors);
		free(more.stamps);
		return;
	}
	for (size_t i = 0; i < old.slots; i++)
		if (old.stamps[i] == old.stamp)
			insert(&more, old.sectors[i]);
	free(old.sectors);
	free(old.stamps);
	*table = more;
}

uint32_t exec_footprint_add(struct exec_footprint *table, uint64_t address, uint64_t bytes)
{
	uint32_t added = 0;
	for (uint64_t s = address >> SECTOR_SHIFT; s <= (address + bytes - 1) >> SECTOR_SHIFT; s++) {
		if (table->used >= table->slots / 2)
			grow(table);
		if (table->used >= table->slots / 4 * 3)
			added++;
		else
			added += insert(table, s);
	}
	return added;
}

/* Races in shared memory between the warps of a block: two accesses to a byte, at
 * least one of them a write, that nothing orders.
 *
 * Each warp has a vector clock, one entry per warp of the block: the latest step
 * of that warp that is known to lie before its own. Barriers and mbarriers carry
 * clocks from those who arrive to those who wait. For every byte the last write
 * and each warp's last read are kept, as steps of their warps, and where they stand.
 *
 * Lanes of one warp are not checked against each other, nor are accesses from
 * other blocks of a cluster, atomics and volatile or ordered accesses. */
#include "emulator/exec/race.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/exec/fault.h"
#include "emulator/exec/worker.h"

#define WARPS 32

struct seen {
	uint32_t clock, pc; /* a clock not above `before`: not since the start of the block */
};

struct written {
	struct seen seen;
	uint8_t warp;
	bool read; /* since then: the byte's reads are looked at, and else never touched */
};

struct point { /* an mbarrier */
	uint64_t offset;
	uint32_t clock[WARPS];
};

struct exec_race {
	uint32_t clocks[WARPS][WARPS];
	uint32_t barriers[EXEC_BARRIERS][WARPS];
	uint32_t cluster[WARPS], exited[WARPS];
	struct point *points;
	uint32_t point_count, point_capacity;
	struct written *writes; /* of each byte */
	struct seen *reads;     /* of each byte, by each warp */
	size_t bytes;
	uint32_t warps;
	uint32_t before; /* no step of this block is below it, and none of earlier ones above: what they
						left in the two tables, of which most is never touched, may stay there */
};

#define BEFORE_MOST (UINT32_MAX / 2)

/* Moves `before` past the steps of the last block. */
static void forget(struct exec_race *race)
{
	for (uint32_t i = 0; i < race->warps; i++)
		if (race->clocks[i][i] > race->before)
			race->before = race->clocks[i][i];
	if (race->before < BEFORE_MOST)
		return;
	memset(race->writes, 0, race->bytes * sizeof *race->writes);
	memset(race->reads, 0, race->bytes * race->warps * sizeof *race->reads);
	race->before = 0;
}

bool exec_race_start(struct exec_block *block)
{
	struct exec_race *race = block->race;
	if (!race) {
		race = block->race = calloc(1, sizeof *race);
		if (!race)
			return false;
		race->bytes = block->shared_bytes;
		race->warps = block->warp_count;
		race->writes = calloc(race->bytes + 1, sizeof *race->writes);
		race->reads = calloc(race->bytes * race->warps + 1, sizeof *race->reads);
		if (!race->writes || !race->reads)
			return false;
	}
	forget(race);
	memset(race->barriers, 0, sizeof race->barriers);
	memset(race->cluster, 0, sizeof race->cluster);
	memset(race->exited, 0, sizeof race->exited);
	race->point_count = 0;
	for (uint32_t i = 0; i < WARPS; i++) {
		for (uint32_t k = 0; k < WARPS; k++)
			race->clocks[i][k] = race->before;
		race->clocks[i][i]++;
	}
	return true;
}

void exec_race_free(struct exec_block *block)
{
	if (block->race) {
		free(block->race->points);
		free(block->race->writes);
		free(block->race->reads);
	}
	free(block->race);
	block->race = NULL;
}

static void join(uint32_t *into, const uint32_t *from)
{
	for (int i = 0; i < WARPS; i++)
		into[i] = from[i] > into[i] ? from[i] : into[i];
}

static uint32_t *clock_of(struct exec_race *race, enum exec_race_point kind, uint64_t at)
{
	if (kind == EXEC_RACE_BARRIER)
		return race->barriers[at];
	if (kind == EXEC_RACE_CLUSTER)
		return race->cluster;
	if (kind == EXEC_RACE_EXIT)
		return race->exited;
	for (uint32_t i = 0; i < race->point_count; i++)
		if (race->points[i].offset == at)
			return race->points[i].clock;
	if (race->point_count == race->point_capacity) {
		uint32_t larger = race->point_capacity ? race->point_capacity * 2 : 16;
		struct point *grown = realloc(race->points, larger * sizeof *grown);
		if (!grown)
			return race->cluster; /* orders too much: finds less, claims nothing false */
		race->points = grown;
		race->point_capacity = larger;
	}
	race->points[race->point_count] = (struct point){.offset = at};
	return race->points[race->point_count++].clock;
}

void exec_race_release(struct exec_block *block, const struct warp *warp, enum exec_race_point kind,
					   uint64_t at)
{
	if (!block->race || warp->block != block)
		return;
	uint32_t *own = block->race->clocks[warp->index];
	join(clock_of(block->race, kind, at), own);
	own[warp->index]++;
}

void exec_race_acquire(struct exec_block *block, const struct warp *warp, enum exec_race_point kind,
					   uint64_t at)
{
	if (block->race && warp->block == block)
		join(block->race->clocks[warp->index], clock_of(block->race, kind, at));
}

void exec_race_reset(struct exec_block *block, uint32_t barrier)
{
	if (block->race)
		memset(block->race->barriers[barrier], 0, sizeof block->race->barriers[barrier]);
}

static enum exec_status report(struct warp *warp, const struct exec_instruction *in, int lane,
							   uint64_t offset, const char *verb, uint32_t other_warp,
							   const char *other_verb, const struct seen *other)
{
	const struct exec_instruction *there = &warp->worker->launch->program->code[other->pc];
	char place[EXEC_PLACE];
	return exec_fail(warp, in, lane, FAULT_RACE, offset,
					 "%s shared memory at offset %llu, which warp %u %s (%s) without a barrier "
					 "between",
					 verb, (unsigned long long)offset, other_warp, other_verb,
					 exec_place(warp, there, place));
}

enum exec_status exec_race_access(struct exec_block *block, struct warp *warp,
								  const struct exec_instruction *in, int lane, uint64_t offset,
								  size_t bytes, enum exec_race_kind kind)
{
	bool write = kind == EXEC_RACE_WRITE;
	struct exec_race *race = block->race;
	if (!race || in->flags & EXEC_FLAG_VOLATILE)
		return EXEC_NEXT;
	bool other_block = warp->block != block;
	const uint32_t *own = race->clocks[warp->index];
	const struct seen here = {own[warp->index], exec_pc(warp, in)};
	for (uint64_t at = offset; at < offset + bytes && at < race->bytes; at++) {
		struct written *last = &race->writes[at];
		struct seen *reads = race->reads + at * race->warps;
		if (other_block && !write)
			continue;
		if (other_block) { /* unknown order: forget what was known */
			if (last->read)
				memset(reads, 0, race->warps * sizeof *reads);
			last->seen.clock = 0;
			last->read = false;
			continue;
		}
		if (last->seen.clock && last->warp != warp->index && last->seen.clock > own[last->warp])
			return report(warp, in, lane, at, write ? "writes" : "reads", last->warp, "writes",
						  &last->seen);
		if (kind == EXEC_RACE_LOOK)
			continue;
		if (!write) {
			reads[warp->index] = here;
			last->read = true;
			continue;
		}
		for (uint32_t other = 0; last->read && other < race->warps; other++)
			if (other != warp->index && reads[other].clock > own[other])
				return report(warp, in, lane, at, "writes", other, "reads", &reads[other]);
		if (last->read)
			memset(reads, 0, race->warps * sizeof *reads);
		*last = (struct written){here, (uint8_t)warp->index, false};
	}
	return EXEC_NEXT;
}

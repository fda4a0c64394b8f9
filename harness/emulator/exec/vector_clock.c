#include "emulator/exec/vector_clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct vector_clock_block {
	uint32_t block, steps[VECTOR_CLOCK_WARPS];
};

struct vector_clock {
	_Atomic uint32_t users;
	uint32_t count;
	struct vector_clock_block blocks[]; /* by their numbers */
};

static _Atomic bool lost; /* a clock, for want of memory */

static struct vector_clock *create(uint32_t count)
{
	struct vector_clock *clock = malloc(sizeof *clock + count * sizeof clock->blocks[0]);
	if (clock == NULL) {
		lost = true;
		return NULL;
	}
	clock->users = 1;
	clock->count = count;
	return clock;
}

static void drop(struct vector_clock *clock)
{
	if (clock != NULL && atomic_fetch_sub(&clock->users, 1) == 1)
		free(clock);
}

/* *into becomes `made`, whose only user it is. */
static void replace(struct vector_clock **into, struct vector_clock *made)
{
	drop(*into);
	*into = made;
}

void vector_clock_set(struct vector_clock **into, struct vector_clock *value)
{
	if (value != NULL)
		atomic_fetch_add(&value->users, 1);
	replace(into, value);
}

static const struct vector_clock_block *find(const struct vector_clock *clock, uint32_t block)
{
	uint32_t low = 0, high = clock != NULL ? clock->count : 0;
	while (low < high) {
		const uint32_t middle = (low + high) / 2;
		if (clock->blocks[middle].block == block)
			return &clock->blocks[middle];
		if (clock->blocks[middle].block < block)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool vector_clock_has(const struct vector_clock *clock, uint32_t block, uint32_t warp,
					  uint32_t step)
{
	const struct vector_clock_block *found = find(clock, block);
	return (found != NULL && step <= found->steps[warp]) || lost;
}

static bool block_covers(const struct vector_clock_block *a, const struct vector_clock_block *b)
{
	bool covers = true;
	for (int i = 0; i < VECTOR_CLOCK_WARPS; i++)
		covers &= a->steps[i] >= b->steps[i];
	return covers;
}

static bool covers(const struct vector_clock *a, const struct vector_clock *b)
{
	if (a->count < b->count)
		return false;
	for (uint32_t i = 0; i < b->count; i++) {
		const struct vector_clock_block *found = find(a, b->blocks[i].block);
		if (found == NULL || !block_covers(found, &b->blocks[i]))
			return false;
	}
	return true;
}

static uint32_t merge(struct vector_clock_block *out, const struct vector_clock *a,
					  const struct vector_clock *b)
{
	uint32_t i = 0, k = 0, count = 0;
	while (i < a->count || k < b->count) {
		const bool left =
			k == b->count || (i < a->count && a->blocks[i].block <= b->blocks[k].block);
		struct vector_clock_block *block = &out[count++];
		*block = left ? a->blocks[i++] : b->blocks[k++];
		if (!left || k == b->count || b->blocks[k].block != block->block)
			continue;
		for (int w = 0; w < VECTOR_CLOCK_WARPS; w++)
			if (b->blocks[k].steps[w] > block->steps[w])
				block->steps[w] = b->blocks[k].steps[w];
		k++;
	}
	return count;
}

void vector_clock_join(struct vector_clock **into, struct vector_clock *more)
{
	const struct vector_clock *own = *into;
	if (own == more || more == NULL || (own != NULL && covers(own, more)))
		return;
	if (own == NULL || covers(more, own)) {
		vector_clock_set(into, more);
		return;
	}
	struct vector_clock *made = create(own->count + more->count);
	if (made != NULL)
		made->count = merge(made->blocks, own, more);
	replace(into, made);
}

void vector_clock_add(struct vector_clock **into, uint32_t block,
					  const uint32_t steps[VECTOR_CLOCK_WARPS])
{
	struct vector_clock *one = create(1);
	if (one == NULL)
		return;
	one->blocks[0].block = block;
	memcpy(one->blocks[0].steps, steps, sizeof one->blocks[0].steps);
	vector_clock_join(into, one);
	drop(one);
}

void vector_clock_orders_join(struct vector_clock_orders *into,
							  const struct vector_clock_orders *more)
{
	vector_clock_join(&into->known, more->known);
	vector_clock_join(&into->fenced, more->fenced);
	vector_clock_join(&into->found, more->found);
	into->waited |= more->waited;
}

void vector_clock_orders_clear(struct vector_clock_orders *orders)
{
	vector_clock_set(&orders->known, NULL);
	vector_clock_set(&orders->fenced, NULL);
	vector_clock_set(&orders->found, NULL);
	orders->waited = false;
}

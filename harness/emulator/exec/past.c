#include "emulator/exec/past.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct past_block {
	uint32_t block, steps[PAST_WARPS];
};

struct past {
	_Atomic uint32_t users;
	uint32_t count;
	struct past_block blocks[]; /* by their numbers */
};

static _Atomic bool lost; /* a past, for want of memory */

static struct past *create(uint32_t count)
{
	struct past *past = malloc(sizeof *past + count * sizeof past->blocks[0]);
	if (!past) {
		lost = true;
		return NULL;
	}
	past->users = 1;
	past->count = count;
	return past;
}

static void drop(struct past *past)
{
	if (past && atomic_fetch_sub(&past->users, 1) == 1)
		free(past);
}

/* *into becomes `made`, whose only user it is. */
static void replace(struct past **into, struct past *made)
{
	drop(*into);
	*into = made;
}

void past_set(struct past **into, struct past *value)
{
	if (value)
		atomic_fetch_add(&value->users, 1);
	replace(into, value);
}

static const struct past_block *find(const struct past *past, uint32_t block)
{
	uint32_t low = 0, high = past ? past->count : 0;
	while (low < high) {
		const uint32_t middle = (low + high) / 2;
		if (past->blocks[middle].block == block)
			return &past->blocks[middle];
		if (past->blocks[middle].block < block)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool past_has(const struct past *past, uint32_t block, uint32_t warp, uint32_t step)
{
	const struct past_block *found = find(past, block);
	return (found && step <= found->steps[warp]) || lost;
}

static bool block_covers(const struct past_block *a, const struct past_block *b)
{
	bool covers = true;
	for (int i = 0; i < PAST_WARPS; i++)
		covers &= a->steps[i] >= b->steps[i];
	return covers;
}

static bool covers(const struct past *a, const struct past *b)
{
	if (a->count < b->count)
		return false;
	for (uint32_t i = 0; i < b->count; i++) {
		const struct past_block *found = find(a, b->blocks[i].block);
		if (!found || !block_covers(found, &b->blocks[i]))
			return false;
	}
	return true;
}

static uint32_t merge(struct past_block *out, const struct past *a, const struct past *b)
{
	uint32_t i = 0, k = 0, count = 0;
	while (i < a->count || k < b->count) {
		const bool left =
			k == b->count || (i < a->count && a->blocks[i].block <= b->blocks[k].block);
		struct past_block *block = &out[count++];
		*block = left ? a->blocks[i++] : b->blocks[k++];
		if (!left || k == b->count || b->blocks[k].block != block->block)
			continue;
		for (int w = 0; w < PAST_WARPS; w++)
			if (b->blocks[k].steps[w] > block->steps[w])
				block->steps[w] = b->blocks[k].steps[w];
		k++;
	}
	return count;
}

void past_join(struct past **into, struct past *more)
{
	const struct past *own = *into;
	if (own == more || !more || (own && covers(own, more)))
		return;
	if (!own || covers(more, own)) {
		past_set(into, more);
		return;
	}
	struct past *made = create(own->count + more->count);
	if (made)
		made->count = merge(made->blocks, own, more);
	replace(into, made);
}

void past_add(struct past **into, uint32_t block, const uint32_t steps[PAST_WARPS])
{
	struct past *one = create(1);
	if (!one)
		return;
	one->blocks[0].block = block;
	memcpy(one->blocks[0].steps, steps, sizeof one->blocks[0].steps);
	past_join(into, one);
	drop(one);
}

void past_orders_join(struct past_orders *into, const struct past_orders *more)
{
	past_join(&into->known, more->known);
	past_join(&into->fenced, more->fenced);
	past_join(&into->found, more->found);
	into->waited |= more->waited;
}

void past_orders_clear(struct past_orders *orders)
{
	past_set(&orders->known, NULL);
	past_set(&orders->fenced, NULL);
	past_set(&orders->found, NULL);
	orders->waited = false;
}

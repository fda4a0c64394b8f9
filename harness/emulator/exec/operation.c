#include "emulator/exec/operation.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/exec/shadow.h"

#define MOST 4096u /* of those that are remembered: of a longer queue less is found */

/* Those that the host has not waited for, in the order in which they began. */
static struct {
	struct exec_operation *entries;
	uint32_t count, capacity;
	uint32_t last; /* block */
} operations;

static bool before(const struct machine_order *a, const struct machine_clock *clock)
{
	return a->number <= clock->seen[a->timeline];
}

/* Whether it is the kernel that `operation` waits for by griddepcontrol.wait alone. */
static bool is_primary(const struct machine_order *order, const struct machine_order *other)
{
	return order->early && other->timeline == order->timeline && other->number == order->early;
}

static bool add(const struct exec_operation *operation)
{
	if (operations.count == MOST) {
		operations.count = MOST / 2;
		memmove(operations.entries, operations.entries + MOST / 2,
				MOST / 2 * sizeof operations.entries[0]);
	}
	if (operations.count == operations.capacity) {
		uint32_t capacity = operations.capacity ? 2 * operations.capacity : 16;
		struct exec_operation *grown =
			realloc(operations.entries, capacity * sizeof operations.entries[0]);
		if (grown == NULL)
			return false;
		operations.entries = grown;
		operations.capacity = capacity;
	}
	operations.entries[operations.count++] = *operation;
	return true;
}

void exec_operation_begin(struct exec_operation *operation, const struct machine_order *order)
{
	const uint64_t blocks = (uint64_t)operation->grid[0] * operation->grid[1] * operation->grid[2];
	operation->count = blocks < UINT32_MAX / 2 ? (uint32_t)blocks : UINT32_MAX / 2;
	if (operation->count > UINT32_MAX - 1 - operations.last) { /* begin anew */
		shadow_clear();
		operations.last = operations.count = 0;
	}
	operation->first = operation->floor = operations.last + 1;
	operations.last += operation->count;
	if (order == NULL) {
		operations.count = 0;
		return;
	}
	operation->order = *order;
	for (uint32_t i = operations.count; i-- > 0;) {
		const struct exec_operation *other = &operations.entries[i];
		if (!before(&other->order, &order->before) || is_primary(order, &other->order))
			operation->floor = other->first;
	}
	if (!add(operation)) /* less is found */
		operations.count = 0;
}

const struct exec_operation *exec_operation_of(uint32_t block)
{
	uint32_t low = 0, high = operations.count;
	while (low < high) {
		const uint32_t middle = (low + high) / 2;
		const struct exec_operation *entry = &operations.entries[middle];
		if (block - entry->first < entry->count)
			return entry;
		if (entry->first < block)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool exec_operation_follows(const struct exec_operation *operation, uint32_t block, bool waited)
{
	if (block < operation->floor)
		return true;
	const struct exec_operation *other = exec_operation_of(block);
	return other == NULL || (before(&other->order, &operation->order.before) &&
							 (waited || !is_primary(&operation->order, &other->order)));
}

void exec_operation_retire(const struct machine_clock *host)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < operations.count; i++)
		if (!before(&operations.entries[i].order, host))
			operations.entries[kept++] = operations.entries[i];
	operations.count = kept;
}

bool exec_operation_any(void)
{
	return operations.count > 0;
}

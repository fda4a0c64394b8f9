#include "emulator/launch/order.h"

static uint64_t mixed(uint64_t order)
{
	order = (order >> 2) * 0x9e3779b97f4a7c15u;
	return order ^ order >> 32;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Steps of a length that has no divisor in common with their number come by every place. */
static uint64_t shuffled(uint64_t draw, uint64_t index, uint64_t count)
{
	uint64_t step = 1 + draw % count;
	while (common_divisor(step, count) != 1)
		step++;
	return (index * step + (draw >> 32)) % count;
}

static uint64_t delayed(uint64_t late, uint64_t index, uint64_t count)
{
	return index == count - 1 ? late : index + (index >= late);
}

uint64_t order_place(uint64_t order, uint64_t index, uint64_t total)
{
	const uint64_t first = index / ORDER_WINDOW * ORDER_WINDOW;
	const uint64_t count = total - first < ORDER_WINDOW ? total - first : ORDER_WINDOW;
	index -= first;
	switch (order % ORDER_KINDS) {
	case ORDER_REVERSED: return first + count - 1 - index;
	case ORDER_SHUFFLED: return first + shuffled(mixed(order), index, count);
	case ORDER_DELAYED: return first + delayed(mixed(order) % count, index, count);
	default: return first + index;
	}
}

static unsigned first_of(uint64_t set)
{
	return (unsigned)__builtin_ctzll(set);
}

unsigned order_next(uint64_t order, uint64_t ready, unsigned count)
{
	const uint64_t late = (uint64_t)1 << mixed(order) % count;
	switch (order % ORDER_KINDS) {
	case ORDER_REVERSED: return 63 - (unsigned)__builtin_clzll(ready);
	case ORDER_SHUFFLED:
		for (unsigned skip =
				 (unsigned)(mixed(order + ready * 4) % (unsigned)__builtin_popcountll(ready));
			 skip > 0; skip--)
			ready &= ready - 1;
		return first_of(ready);
	case ORDER_DELAYED: return first_of(ready & ~late ? ready & ~late : ready);
	default: return first_of(ready);
	}
}

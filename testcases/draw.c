#include "testcases/draw.h"

uint32_t draw_word(struct draws *draws)
{
	if (draws->used % 4 == 0)
		draws->words =
			values_random(draws->seed, VALUES_STREAM_CASE, draws->index << 16 | draws->used / 4);
	return draws->words.word[draws->used++ % 4];
}

int draw_below(struct draws *draws, int count)
{
	return (int)((uint64_t)draw_word(draws) * (uint64_t)count >> 32);
}

int draw_between(struct draws *draws, int low, int high)
{
	return low + draw_below(draws, high - low + 1);
}

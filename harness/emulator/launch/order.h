/* Orders that CUDA leaves open, of blocks and of kernels, as a number draws them: 0 is as they are
 * issued. The two lowest bits say the kind, the others which of that kind. */
#ifndef EMULATOR_LAUNCH_ORDER_H
#define EMULATOR_LAUNCH_ORDER_H

#include <stdint.h>

enum order_drawn {
	ORDER_ISSUED,   /* as they are */
	ORDER_REVERSED, /* the last one first */
	ORDER_SHUFFLED,
	ORDER_DELAYED, /* as they are, but for one, which comes last */
	ORDER_KINDS,
};

/* What of so many neighbours is the index-th to begin: all of a grid's clusters but for larger
 * grids, whose parts come one after another, as those that are resident together do. */
#define ORDER_WINDOW 32
uint64_t order_place(uint64_t order, uint64_t index, uint64_t total);

/* Which of those that are ready (bit i: number i of the queue is) runs next. ready is not 0. */
unsigned order_next(uint64_t order, uint64_t ready, unsigned count);

#endif

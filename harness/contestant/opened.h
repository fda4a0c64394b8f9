/* The buffers of the present case, as the arena of protocol.h gives them. */
#ifndef GEMMJUDGE_CONTESTANT_OPENED_H
#define GEMMJUDGE_CONTESTANT_OPENED_H

#include <stdbool.h>

#include "base/error.h"
#include "contestant/cudart.h"
#include "contestant/solution.h"
#include "process/protocol.h"

struct opened {
	struct arena arena;
	bool shared;         /* base is device memory of the referee; else a mapped memfd */
	bool copied;         /* operands are copies of what is there */
	unsigned char *base; /* NULL: none */
};

/* Whether all buffers lie within their set, and all sets within the arena. */
bool opened_sound(const struct arena *arena);

/* An arena as it comes. */
struct arena_given {
	enum device_kind device;
	const struct arena *arena;
	int fd;   /* its memfd, or -1 */
	bool own; /* operands are to be copies */
};

/* Lets the old arena go and opens the new one. False, with *code != 0 where CUDA refused. */
bool opened_open(struct opened *opened, const struct cudart *cudart,
				 const struct arena_given *given, cudaError_t *code, struct error *err);
void opened_close(struct opened *opened, const struct cudart *cudart);

/* The operands of one set for one call. On a GPU they are the arena's own, unless
 * opened_open() was asked for own ones; then, and on an emulated one, they are copies, in
 * allocations of exactly their size, which opened_put_back copies back (what == cudaSuccess) or
 * only frees. */
cudaError_t opened_take(const struct opened *opened, const struct cudart *cudart, uint32_t set,
						struct call_operands *out);
cudaError_t opened_put_back(const struct opened *opened, const struct cudart *cudart, uint32_t set,
							struct call_operands *operands, cudaError_t what);

#endif

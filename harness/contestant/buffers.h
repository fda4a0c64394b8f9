/* The buffers of the present case, as the arena of protocol.h gives them. */
#ifndef GEMMJUDGE_CONTESTANT_BUFFERS_H
#define GEMMJUDGE_CONTESTANT_BUFFERS_H

#include <stdbool.h>

#include "base/error.h"
#include "contestant/cudart.h"
#include "contestant/solution.h"
#include "process/protocol.h"

struct buffers {
	struct arena arena;
	bool shared;         /* base is device memory of the referee; else a mapped memfd */
	bool copied;         /* operands are copies of what is there */
	unsigned char *base; /* NULL: none */
};

/* Lets the old arena go and opens the new one; fd is the memfd, or -1. False, with
 * *code != 0 where CUDA refused. */
bool buffers_open(struct buffers *buffers, const struct cudart *cudart, enum device_kind device,
				  bool own, const struct arena *arena, int fd, cudaError_t *code,
				  struct error *err);
void buffers_close(struct buffers *buffers, const struct cudart *cudart);

/* The operands of one set for one call. On a GPU they are the arena's own, unless
 * buffers_open() was asked for own ones; then, and on an emulated one, they are copies, in
 * allocations of exactly their size, which buffers_put_back copies back (what == cudaSuccess) or
 * only frees. */
cudaError_t buffers_take(const struct buffers *buffers, const struct cudart *cudart, uint32_t set,
						 struct operands *out);
cudaError_t buffers_put_back(const struct buffers *buffers, const struct cudart *cudart,
							 uint32_t set, struct operands *operands, cudaError_t what);

#endif

/* Copies and fills as values, so that a graph can keep them. */
#ifndef EMULATOR_RUNTIME_COPY_H
#define EMULATOR_RUNTIME_COPY_H

#include "emulator/runtime/runtime.h"

/* `depth` slices of `height` rows of `width` bytes. A single row needs no pitch, a single slice no
 * slices' distance. */
struct copy_work {
	void *to;
	size_t to_pitch, to_slice;
	const void *from;
	size_t from_pitch, from_slice;
	size_t width, height, depth;
	enum cudaMemcpyKind kind;
};

/* `height` rows of `width` elements of 1, 2 or 4 bytes. */
struct fill {
	void *to;
	size_t pitch;
	unsigned value;
	size_t element, width, height;
};

/* Looks at the pointers and sizes of a copy or a fill, but not what lies there: what a GPU refuses
 * when the copy is asked for. With the lock held. */
cudaError_t copy_check(const char *call, const struct copy_work *copy);
cudaError_t fill_check(const char *call, const struct fill *fill);

/* Runs it. `order`: where it stands among others; `keep`: what is issued later may be unordered
 * with it. */
cudaError_t copy_run(const char *call, const struct copy_work *copy,
					 const struct machine_order *order, bool keep);
cudaError_t fill_run(const char *call, const struct fill *fill, const struct machine_order *order,
					 bool keep);

/* Runs it, or gives it to the graph that the stream is captured into. `waits`: the host does, for
 * its end. Takes the lock. */
cudaError_t copy_issue(const char *call, cudaStream_t stream, bool waits,
					   const struct copy_work *copy);
cudaError_t fill_issue(const char *call, cudaStream_t stream, const struct fill *fill);

/* A copy from or to arrays of CUDA's, which are not there, gives cudaErrorNotSupported and is said
 * as one of `call`. */
cudaError_t copy_from_3d(const char *call, const struct cudaMemcpy3DParms *parameters,
						 struct copy_work *out);
/* Where `size` bytes at `offset` of a variable lie; with the lock held. */
cudaError_t copy_symbol(const void *symbol, size_t size, size_t offset, void **out);

#endif

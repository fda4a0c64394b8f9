/* What the referee needs of a device: memory that it can share with the
 * contestant, filling and verifying it, and the product of a case in higher
 * precision. A backend is a struct of functions; the comparison itself is not
 * among them: it runs on the host for every backend (referee/check.h).
 *
 * Errors: a failing function leaves one line in err and returns false. */
#ifndef GEMMJUDGE_DEVICE_REFEREE_DEVICE_H
#define GEMMJUDGE_DEVICE_REFEREE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "process/protocol.h"
#include "testcases/case.h"
#include "testcases/values.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A region: equal bytes of each of `sets` sets: [offset, offset + bytes) of the arena,
 * the next set's `stride` bytes further. */
struct device_region {
	uint64_t offset, bytes;
	uint64_t stride;
	uint32_t sets;
};

/* An operand of a reference, as numbers: of element i, value(i) - zero, times the scale of its
 * group. Rows and columns are canonical; `transposed` says how they are stored. */
struct device_matrix {
	struct values values; /* of set 0; set i of a region draws with seed + i */
	bool transposed;
	int32_t zero;         /* taken off every code */
	uint32_t group;       /* of so many along K one scale is common; 0: there are no scales */
	struct values scales; /* N x K / group */
};

/* What is to be computed of one set. A closure has a left operand only. */
struct device_request {
	enum algebra algebra;
	struct shape shape;
	struct device_matrix left, right;
	bool wide; /* products and sums need f64 */
	/* Of these rows only, all of one batch, counted through all batches; NULL: of all. The result
	 * then has no other rows. No closure, and only where the device has `rows_alone`. */
	const uint64_t *rows;
	uint32_t row_count;
};

/* The result of one set over the problem's algebra, and the magnitude that its rounding errors
 * go by, in host memory that stays the backend's and lasts until its next product() or close().
 * Plus-times: |A|*|B|. Shortest paths: the most edges of any of them times the largest length that
 * a sum on the way may have: that of the path itself where no length is negative. */
struct device_product {
	const float *product_f32; /* all rows of all batches; NULL where product_f64 is there */
	const double *product_f64;
	const float *magnitude; /* NULL where unit_roundoff is 0 */
	/* A product of squares: the sum of a_k^2 b_k^2 over k. It may have overflowed, and where
	 * numbers are small underflowed. NULL where the operands are codes, or paths are asked for. */
	const float *squares;
	double unit_roundoff; /* of the products' accumulation: 2^-24 or 2^-53; 0: the product is
							 what every right solution gets, bit for bit */
	/* A * (B - B rounded to the type of its scales), where B has scales: what the result changes by
	 * in a solution that stores B so. NULL: it has none */
	const float *rest;
	/* Of a problem of a file: all of it, in place of the others. Not a backend's. */
	const struct reference_bound *bounds;
};

#define REFEREE_DEVICE_VERSION 9

struct referee_device {
	int version; /* REFEREE_DEVICE_VERSION */
	bool rows_alone;

	/* *state is what the other functions get. seconds[PART_CONTEXT] and seconds[PART_LIBRARY] are
	 * what the context and libraries' handles took. */
	bool (*open)(const struct device_choice *choice, void **state, struct device_properties *facts,
				 float seconds[PART_COUNT], struct error *err);
	void (*close)(void *state);

	/* Wipes the memory that earlier cases had, so that nothing of them is left in what other
	 * processes will get. False where it does not stay wiped, or the device is out of order. */
	bool (*wipe)(void *state, struct error *err);

	/* How many bytes may still be allocated. */
	uint64_t (*memory_free)(void *state);

	/* Makes the arena at least `bytes` long, contents undefined, and tells how it is
	 * shared: arena->ipc_handle, or *fd (the backend's own; -1 when there is none).
	 * Memory that it replaces may still be open in a contestant: it is given back at
	 * the next call, when the contestant has gone over to what replaced it. */
	bool (*arena)(void *state, uint64_t bytes, struct arena *arena, int *fd, struct error *err);

	/* Makes an arena of arena->sets sets of which `group` each are shared by
	 * themselves: memory of their own, which no other process has seen. All lie set_stride apart,
	 * which this rounds up; behind them lies one more that is not shared. What an earlier call made
	 * is given back. */
	bool (*sealed_arena)(void *state, struct arena *arena, uint32_t group, struct error *err);
	/* The descriptor that shares a group: the backend's own. */
	bool (*group_descriptor)(void *state, uint32_t group, int *fd, struct error *err);

	/* Every following function has finished its work on the device when it returns. */
	bool (*fill)(void *state, const struct device_region *region, const struct values *values,
				 struct error *err);
	bool (*set_bytes)(void *state, const struct device_region *region, uint8_t byte,
					  struct error *err);

	/* Reads through memory of its own, twice the L2 cache, so that nothing of the
	 * arena is left there, be it that a submission made its lines persisting. */
	bool (*sweep_cache)(void *state, struct error *err);

	/* Of one set: region->sets is 1. */
	bool (*count_changed)(void *state, const struct device_region *region,
						  const struct values *values, uint64_t *changed, struct error *err);
	bool (*read)(void *state, uint64_t offset, uint64_t bytes, void *out, struct error *err);
	bool (*write)(void *state, uint64_t offset, uint64_t bytes, const void *from,
				  struct error *err);
	bool (*copy)(void *state, uint64_t from, uint64_t to, uint64_t bytes, struct error *err);
	bool (*digest)(void *state, uint64_t offset, uint64_t bytes, struct digest *out,
				   struct error *err);

	/* Draws the operands anew, apart from the arena, and computes the result. */
	bool (*product)(void *state, const struct device_request *request, struct device_product *out,
					struct error *err);
};

/* Element `index` of a matrix, in its storage order. */
VALUES_FUNCTION double device_matrix_scale(const struct device_matrix *matrix, uint64_t index)
{
	uint64_t k = matrix->values.columns, group = index % k / matrix->group;
	return values_number_at(&matrix->scales, index / k * (k / matrix->group) + group);
}

VALUES_FUNCTION double device_matrix_number(const struct device_matrix *matrix, uint64_t index,
											uint32_t bits)
{
	double number = values_to_double(&matrix->values.format, bits) - matrix->zero;
	return matrix->group == 0 ? number : number * device_matrix_scale(matrix, index);
}

/* What rounding to the format takes off a number; 0 where the format does not reach so far. */
VALUES_FUNCTION double device_rest(const struct number_format *format, double number)
{
	double rest = number - values_to_double(format, values_from_double(format, number));
	return rest - rest == 0 ? rest : 0;
}

/* Host memory, values by the host, products by OpenBLAS in f64. */
const struct referee_device *referee_device_emulated(void);

/* What libexec/referee_cuda.so exports, as "referee_device_cuda". */
const struct referee_device *referee_device_cuda(void);

/* Loads that plug-in from `folder`, and the CUDA libraries that it needs (base/toolkit.h). NULL and
 * what is missing when it cannot. */
const struct referee_device *referee_device_cuda_load(const char *folder, struct error *err);

#ifdef __cplusplus
}
#endif

#endif

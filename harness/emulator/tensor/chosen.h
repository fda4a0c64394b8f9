/* Products of rows that have values at some places of k only. For tensor/kernels.c, which is
 * compiled once for each x86-64 level: plain loops over the columns, which the compiler
 * vectorises. */
#ifndef EMULATOR_TENSOR_CHOSEN_H
#define EMULATOR_TENSOR_CHOSEN_H

#include "emulator/tensor/exact.h"

static void chosen_integers(const struct tensor_chosen *op, unsigned row)
{
	int32_t *sums = &op->sums[row * op->columns].integer;
	for (unsigned j = 0; j < op->kept; j++) {
		const int32_t a = op->a[row * op->kept + j].integer;
		const int32_t *b = &op->b[op->places[row * op->kept + j] * op->columns].integer;
		for (unsigned n = 0; n < op->columns; n++)
			sums[n] += a * b[n];
	}
}

static void chosen_one(const struct tensor_chosen *op, unsigned row, unsigned column)
{
	float a[2 * TENSOR_K_MAX], b[2 * TENSOR_K_MAX],
		*sum = &op->sums[row * op->columns + column].number;
	for (unsigned j = 0; j < op->kept; j++) {
		a[j] = op->a[row * op->kept + j].number;
		b[j] = op->b[op->places[row * op->kept + j] * op->columns + column].number;
	}
	*sum = tensor_sum(
		&op->rule, &(struct tensor_terms){
					   .a = a, .b = b, .a_stride = 1, .b_stride = 1, .count = op->kept, .c = *sum});
}

#define NO_PRODUCT (LOWEST - 100) /* the exponent of 0, below those of all sums of two */

/* Exponents as numbers are stored with them. False where those of products, or their sums, do not
 * fit exact.h's range. */
static bool chosen_exponents(const struct tensor_chosen *op, int32_t *of_a, int32_t *of_b)
{
	static const int32_t none = 2 * NO_PRODUCT;
	int32_t most[2] = {none, none};
	for (unsigned side = 0; side < 2; side++) {
		const unsigned count = side == 0 ? op->rows * op->kept : op->k * op->columns;
		const union tensor_element *from = side == 0 ? op->a : op->b;
		const int32_t least = side == 0 ? op->rule.least_a : op->rule.least_b;
		int32_t *to = side == 0 ? of_a : of_b;
		for (unsigned i = 0; i < count; i++) {
			int32_t stored = (int32_t)(from[i].bits >> 23 & 255);
			stored = (stored > least ? stored : least) - F32_BIAS;
			to[i] = from[i].bits << 1 != 0 ? stored : none;
			most[side] = to[i] > most[side] ? to[i] : most[side];
		}
	}
	return most[0] <= F32_BIAS && most[1] <= F32_BIAS && most[0] + most[1] <= HIGHEST;
}

/* The sums of one row under way. */
struct chosen_row {
	const union tensor_element *a;
	const uint8_t *places;
	union tensor_element *sums, scale[TENSOR_WGMMA_COLUMNS]; /* scale: to units of the last bit */
	int32_t largest[TENSOR_WGMMA_COLUMNS], total[TENSOR_WGMMA_COLUMNS];
	uint8_t rare[TENSOR_WGMMA_COLUMNS]; /* must be done one by one */
};

static void chosen_scales(const struct tensor_chosen *op, const int32_t *of_a, const int32_t *of_b,
						  int kept, struct chosen_row *row)
{
	int32_t *largest = row->largest;
	for (unsigned n = 0; n < op->columns; n++)
		largest[n] = NO_PRODUCT;
	for (unsigned j = 0; j < op->kept; j++)
		for (unsigned n = 0; n < op->columns; n++) {
			int32_t exponent = of_a[j] + of_b[row->places[j] * op->columns + n];
			largest[n] = exponent > largest[n] ? exponent : largest[n];
		}
	for (unsigned n = 0; n < op->columns; n++) {
		int32_t of_c = (int32_t)(row->sums[n].bits >> 23 & 255) - F32_BIAS;
		bool zero = largest[n] == NO_PRODUCT && row->sums[n].bits << 1 == 0;
		largest[n] = of_c > largest[n] ? of_c : largest[n];
		row->rare[n] = !zero && (largest[n] < LOWEST || largest[n] > HIGHEST + 2);
		largest[n] = largest[n] < LOWEST ? LOWEST : largest[n];
		row->scale[n].integer = (F32_BIAS + kept - largest[n]) << 23;
	}
}

static void chosen_add(const struct tensor_chosen *op, struct chosen_row *row)
{
	memset(row->total, 0, sizeof row->total);
	for (unsigned j = 0; j < op->kept; j++)
		for (unsigned n = 0; n < op->columns; n++)
			row->total[n] +=
				(int32_t)(row->a[j].number * op->b[row->places[j] * op->columns + n].number *
						  row->scale[n].number);
	for (unsigned n = 0; n < op->columns; n++) {
		int32_t of_c = (int32_t)(row->sums[n].number * row->scale[n].number);
		int32_t sum = row->total[n] + of_c;
		row->rare[n] |= ((row->total[n] ^ sum) & (of_c ^ sum)) < 0;
		row->total[n] = sum;
	}
}

/* As sum_group(). */
static void chosen_exact(const struct tensor_chosen *op, unsigned row, const int32_t *of_a,
						 const int32_t *of_b)
{
	const int kept = op->rule.bytes ? TENSOR_KEPT_BYTES : TENSOR_KEPT;
	const uint32_t mask =
		op->rule.bytes && !op->rule.half ? ~0u << (24 - TENSOR_SUM_BITS_BYTES) : ~0u;
	union tensor_element result[TENSOR_WGMMA_COLUMNS], unit;
	struct chosen_row work; /* large: not all is needed */
	work.a = op->a + row * op->kept;
	work.places = op->places + row * op->kept;
	work.sums = op->sums + row * op->columns;
	chosen_scales(op, of_a + row * op->kept, of_b, kept, &work);
	chosen_add(op, &work);
	for (unsigned n = 0; n < op->columns; n += WIDTH)
		*(v_float *)&result[n] = to_floats_cut(*(const v_int *)&work.total[n]);
	for (unsigned n = 0; n < op->columns; n++) {
		result[n].integer |= op->rule.half && (int32_t)result[n].number != work.total[n];
		unit.integer = (work.largest[n] + F32_BIAS - kept) << 23;
		result[n].number *= unit.number;
		result[n].bits &= mask;
	}
	for (unsigned n = 0; n < op->columns; n++)
		if (work.rare[n])
			chosen_one(op, row, n);
		else
			work.sums[n] = result[n];
}

static void multiply_chosen(const struct tensor_chosen *op)
{
	int32_t of_a[16 * 2 * TENSOR_K_MAX], of_b[TENSOR_WGMMA_COLUMNS * 2 * TENSOR_K_MAX];
	bool fit = !op->integers && chosen_exponents(op, of_a, of_b);
	for (unsigned row = 0; row < op->rows; row++)
		if (op->integers)
			chosen_integers(op, row);
		else if (fit)
			chosen_exact(op, row, of_a, of_b);
		else
			for (unsigned n = 0; n < op->columns; n++)
				chosen_one(op, row, n);
}

#endif

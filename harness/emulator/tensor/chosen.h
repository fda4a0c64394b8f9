/* Products of rows that have values at some places of k only. For tensor/kernels.c, which is
 * compiled once for each x86-64 level: plain loops over the columns, which the compiler
 * vectorises. */
#ifndef EMULATOR_TENSOR_CHOSEN_H
#define EMULATOR_TENSOR_CHOSEN_H

static void chosen_floats(const struct tensor_chosen *op, unsigned row)
{
	float *sums = &op->sums[row * op->columns].number;
	for (unsigned j = 0; j < op->kept; j++) {
		const float a = op->a[row * op->kept + j].number;
		const float *b = &op->b[op->places[row * op->kept + j] * op->columns].number;
		for (unsigned n = 0; n < op->columns; n++)
			sums[n] += a * b[n];
	}
	for (unsigned n = 0; n < op->columns; n++)
		op->sums[row * op->columns + n].bits =
			sums[n] != sums[n] ? TENSOR_NAN : op->sums[row * op->columns + n].bits;
}

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

/* As cut_sum. `pa`, `pb`: powers() of a and b. */
static void chosen_cut(const struct tensor_chosen *op, unsigned row, const float *pa,
					   const float *pb)
{
	float *sums = &op->sums[row * op->columns].number, unit[TENSOR_WGMMA_COLUMNS];
	float inverse[TENSOR_WGMMA_COLUMNS], largest[TENSOR_WGMMA_COLUMNS];
	int32_t total[TENSOR_WGMMA_COLUMNS], bits[TENSOR_WGMMA_COLUMNS];
	const union tensor_element *a = op->a + row * op->kept;
	const uint8_t *places = op->places + row * op->kept;
	memcpy(bits, sums, op->columns * sizeof *bits);
	for (unsigned n = 0; n < op->columns; n++)
		bits[n] &= EXPONENT;
	memcpy(largest, bits, op->columns * sizeof *bits);
	for (unsigned j = 0; j < op->kept; j++)
		for (unsigned n = 0; n < op->columns; n++) {
			float power = pa[row * op->kept + j] * pb[places[j] * op->columns + n];
			largest[n] = power > largest[n] ? power : largest[n];
		}
	for (unsigned n = 0; n < op->columns; n++)
		largest[n] = largest[n] > 0x1p-100f ? largest[n] : 0x1p-100f;
	memcpy(bits, largest, op->columns * sizeof *bits);
	for (unsigned n = 0; n < op->columns; n++)
		bits[n] -= KEPT << 23;
	memcpy(unit, bits, op->columns * sizeof *bits);
	for (unsigned n = 0; n < op->columns; n++)
		bits[n] = (254 << 23) - bits[n];
	memcpy(inverse, bits, op->columns * sizeof *bits);
	for (unsigned n = 0; n < op->columns; n++)
		total[n] = (int32_t)(sums[n] * inverse[n]);
	for (unsigned j = 0; j < op->kept; j++)
		for (unsigned n = 0; n < op->columns; n++)
			total[n] +=
				(int32_t)(a[j].number * op->b[places[j] * op->columns + n].number * inverse[n]);
	for (unsigned n = 0; n < op->columns; n++)
		sums[n] = (float)total[n] * unit[n];
	memcpy(bits, sums, op->columns * sizeof *bits);
	for (unsigned n = 0; n < op->columns; n++)
		bits[n] &= ~((1 << (23 - KEPT)) - 1);
	memcpy(sums, bits, op->columns * sizeof *bits);
}

/* False where not all is finite: nothing is cut then. */
static bool chosen_powers(const struct tensor_chosen *op, float *pa, float *pb)
{
	bool finite = powers(&op->a->number, op->rows * op->kept, op->least_a, pa);
	finite = powers(&op->b->number, op->k * op->columns, op->least_b, pb) && finite;
	for (unsigned i = 0; i < op->rows * op->columns; i++)
		finite = finite && op->sums[i].number - op->sums[i].number == 0;
	return finite;
}

static void multiply_chosen(const struct tensor_chosen *op)
{
	float pa[16 * TENSOR_K_MAX], pb[TENSOR_WGMMA_COLUMNS * 2 * TENSOR_K_MAX];
	bool cut = op->least_a > 0 && chosen_powers(op, pa, pb);
	for (unsigned row = 0; row < op->rows; row++)
		if (op->integers)
			chosen_integers(op, row);
		else if (cut)
			chosen_cut(op, row, pa, pb);
		else
			chosen_floats(op, row);
}

#endif

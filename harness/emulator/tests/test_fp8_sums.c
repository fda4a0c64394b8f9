/* links: emulator_core */
/* Sums of fp8 products by wgmma, which keeps 14 bits of them, on each x86-64 level. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/tensor/tensor.h"

#define ROWS 64
#define COLUMNS 8
#define DEPTH 32

static uint32_t acc[4][4][32];
static uint8_t a[ROWS][DEPTH], b[COLUMNS][DEPTH];
static float c[ROWS][COLUMNS];

/* What an e4m3 stands for, and the exponent that it is stored with. */
static double e4m3_of(uint8_t bits, int *exponent)
{
	int field = bits >> 3 & 15;
	*exponent = (field > 0 ? field : 1) - 7;
	double value = ldexp((field > 0 ? 8 : 0) + bits % 8, *exponent - 3);
	return bits & 0x80 ? -value : value;
}

static double cut_to(double value, int exponent)
{
	return ldexp(trunc(ldexp(value, -exponent)), exponent);
}

/* As an H100, and an H200, gave it for each of 20000 random sums. */
static float expected(const uint8_t *left, const uint8_t *right, float added)
{
	double products[DEPTH + 1] = {0}, sum = 0;
	int largest = -200;
	for (int i = 0; i < DEPTH; i++) {
		int of_left, of_right;
		products[i] = e4m3_of(left[i], &of_left) * e4m3_of(right[i], &of_right);
		if (products[i] != 0 && of_left + of_right > largest)
			largest = of_left + of_right;
	}
	products[DEPTH] = added;
	if (added != 0 && ilogb(added) > largest)
		largest = ilogb(added);
	for (int i = 0; i <= DEPTH; i++)
		sum += cut_to(products[i], largest - 13);
	return sum == 0 ? 0 : (float)cut_to(sum, ilogb(sum) - 13);
}

/* d = a * b + c by wgmma, all 64 x 8 of it, operands k by k. */
static void run(void)
{
	uint8_t a_bytes[64 * 32], b_bytes[COLUMNS * 32];
	uint32_t *pointers[4][4];
	struct tensor_wgmma op = {.n = COLUMNS,
							  .a = TENSOR_E4M3,
							  .b = TENSOR_E4M3,
							  .d = TENSOR_F32,
							  .scale_d = true,
							  .a_bytes = a_bytes,
							  .b_bytes = b_bytes};
	memcpy(a_bytes, a, sizeof a);
	memcpy(b_bytes, b, sizeof b);
	for (unsigned warp = 0; warp < 4; warp++) {
		for (unsigned i = 0; i < 4; i++) {
			pointers[warp][i] = acc[warp][i];
			for (unsigned lane = 0; lane < 32; lane++)
				memcpy(&acc[warp][i][lane],
					   &c[16 * warp + lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2], 4);
		}
		op.registers[warp] = pointers[warp];
	}
	tensor_wgmma(&op);
}

static float result(unsigned row, unsigned column)
{
	float value;
	memcpy(&value, &acc[row / 16][row % 16 / 8 * 2 + column % 2][row % 8 * 4 + column / 2],
		   sizeof value);
	return value;
}

static void check_random(const char *level)
{
	setenv("EMULATED_GPU_SIMD", level, 1);
	for (int round = 0; round < 20; round++) {
		for (unsigned k = 0; k < DEPTH; k++) {
			for (unsigned i = 0; i < ROWS; i++)
				a[i][k] = (uint8_t)(rand() % 127 | (rand() & 0x80));
			for (unsigned j = 0; j < COLUMNS; j++)
				b[j][k] = rand() % 3 == 0 ? 0 : (uint8_t)(rand() % 127 | (rand() & 0x80));
		}
		for (unsigned i = 0; i < ROWS * COLUMNS; i++)
			c[i / COLUMNS][i % COLUMNS] =
				i % 3 == 0 ? 0 : ldexpf((float)(rand() % 65536 - 32768), rand() % 30 - 24);
		run();
		for (unsigned i = 0; i < ROWS; i++)
			for (unsigned j = 0; j < COLUMNS; j++)
				cr_assert_eq(result(i, j), expected(a[i], b[j], c[i][j]),
							 "row %u column %u: %a, not %a", i, j, (double)result(i, j),
							 (double)expected(a[i], b[j], c[i][j]));
	}
}

/* By hand: 1, and what is far below it. */
static void check_by_hand(const char *level)
{
	const struct {
		uint8_t first, a, b; /* first * 1 + a * b */
		float c, want;
	} rows[] = {
		{0x38, 0x01, 0x18, 0, 1 + 0x1p-13f},   /* 1 + 2^-9 * 2^-4 */
		{0x38, 0x01, 0x10, 0, 1},              /* 1 + 2^-14 */
		{0x38, 0x81, 0x10, 0, 1},              /* 1 - 2^-14: towards 0 */
		{0x38, 0x01, 0x18, 1, 2},              /* 2 + 2^-13 has 15 bits */
		{0x00, 0x00, 0x00, 1 + 0x1p-14f, 1},   /* c, too */
		{0x00, 0x01, 0x10, 0x1p-14f, 0x1p-13f} /* small ones among themselves */
	};
	setenv("EMULATED_GPU_SIMD", level, 1);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		memset(a, 0, sizeof a);
		memset(b, 0, sizeof b);
		a[5][3] = rows[i].first;
		b[1][3] = 0x38;
		a[5][17] = rows[i].a;
		b[1][17] = rows[i].b;
		c[5][1] = rows[i].c;
		run();
		cr_expect_eq(result(5, 1), rows[i].want, "%zu: %a", i, (double)result(5, 1));
	}
	a[5][3] = 0x7F; /* not a number */
	run();
	cr_expect(result(5, 1) != result(5, 1));
}

Test(fp8_sums, keep_14_bits_v2)
{
	check_random("2");
	check_by_hand("2");
}

Test(fp8_sums, keep_14_bits_v3)
{
	check_random("3");
	check_by_hand("3");
}

Test(fp8_sums, keep_14_bits_v4)
{
	check_random("4");
	check_by_hand("4");
}

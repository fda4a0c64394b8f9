/* What a variant makes of single elements. */
#include "referee/variant.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "referee/rule.h"

static double to_type(enum dtype type, double x)
{
	const struct number_format *format = &type_of(type)->format;
	return values_to_double(format, values_from_double(format, x));
}

double variant_to_f16(double x)
{
	return to_type(DTYPE_F16, x);
}

double variant_to_bf16(double x)
{
	return to_type(DTYPE_BF16, x);
}

double variant_to_e4m3(double x)
{
	return to_type(DTYPE_E4M3, x);
}

/* TF32 has 10 bits of an f32's 23. */
static double tf32_of_bits(double x, uint32_t added)
{
	float narrow = (float)x;
	uint32_t bits;
	memcpy(&bits, &narrow, sizeof bits);
	bits = (bits + added) & ~0x1FFFu;
	memcpy(&narrow, &bits, sizeof narrow);
	return (double)narrow;
}

double variant_cut_to_tf32(double x)
{
	return tf32_of_bits(x, 0);
}

double variant_to_tf32(double x) /* ties away from 0, as cvt.rna does */
{
	return tf32_of_bits(x, 0x1000);
}

/* What a tile that reaches past an operand is padded with. */
static double padding_of(const struct trial *trial)
{
	return trial->request.algebra == ALGEBRA_MIN_PLUS ? INFINITY : 0;
}

/* A code as another type has it. */
static double reread(const struct number_format *format, double code)
{
	static const int e5m2_in_f16 = 8; /* the upper byte of a half */
	if (format->bits == 4)            /* as two's complement; it is less 8 already */
		return code + (code < 0 ? 8 : -8);
	if (format->is_integer)
		return code + (code < 0 ? 256 : 0);
	uint32_t bits = values_from_double(format, code);
	return values_to_double(&type_of(DTYPE_F16)->format, bits << e5m2_in_f16);
}

/* What becomes of a number of an operand that has a zero point taken off. */
static double taken(const struct device_matrix *matrix, const struct variant *variant, double x)
{
	return variant->codes_read ? reread(&matrix->values.format, x + matrix->zero) - matrix->zero
							   : x;
}

static double left_at(const struct trial *trial, const struct variant *variant, uint64_t batch,
					  uint64_t row, uint64_t k)
{
	const struct strides *a = &variant->of_left;
	if (variant->quarters) {
		uint64_t exchanged = (row & ~(uint64_t)VARIANT_QUARTER) | (k & VARIANT_QUARTER);
		k = (k & ~(uint64_t)VARIANT_QUARTER) | (row & VARIANT_QUARTER);
		row = exchanged;
	}
	if ((k >= trial->k && !variant->rows_run_on) || row >= trial->m)
		return padding_of(trial);
	uint64_t at = batch * a->batch + row * a->outer + k * a->k;
	if (at >= trial->request.left.values.elements) /* rows of another length reach past the end */
		return padding_of(trial);
	double x = variant->left[at] + variant->zero_left;
	if (trial->scales == NULL) /* both operands are codes */
		x = taken(&trial->request.left, variant, x);
	return variant->narrow != NULL ? variant->narrow(x) : x;
}

/* Where the code of k is taken from, of a row whose blocks hold k and k + VARIANT_HALF in a byte.
 */
static uint64_t place_of_half(const struct trial *trial, uint64_t k)
{
	uint64_t block = k / (2 * VARIANT_HALF) * (2 * VARIANT_HALF), within = k - block;
	uint64_t rest = (trial->k - block) / 2, half = rest < VARIANT_HALF ? rest : VARIANT_HALF;
	return block + 2 * (within % half) + (within < half ? 1 : 0);
}

/* A code of the right operand and its scale, taken apart. */
static double regrouped_at(const struct trial *trial, const struct variant *variant, uint64_t at)
{
	uint64_t column = at / trial->k, k = at % trial->k, group = k / variant->group;
	uint64_t scale =
		variant->groups_outermost ? group * trial->n + column : column * variant->groups + group;
	uint64_t place = variant->halves ? column * trial->k + place_of_half(trial, k) : at;
	if (scale >= trial->request.right.scales.elements)
		return NAN;
	double code = trial->unscaled[place];
	if (variant->codes_read)
		code = reread(&trial->request.right.values.format, code);
	double factor = trial->scales[scale];
	return code * (variant->scales_unsigned ? fabs(factor) : factor);
}

static double right_at(const struct trial *trial, const struct variant *variant, uint64_t batch,
					   uint64_t column, uint64_t k)
{
	const struct strides *b = &variant->of_right;
	k ^= variant->k_flipped;
	if (variant->shift_tile > 0)
		k = k / variant->shift_tile * variant->shift_tile +
			(k + variant->shift) % variant->shift_tile;
	if (k >= trial->k && !variant->rows_run_on)
		return padding_of(trial);
	uint64_t at = batch * b->batch + column * b->outer + k * b->k;
	if (at >= trial->request.right.values.elements)
		return padding_of(trial);
	double y = variant->group > 0 ? regrouped_at(trial, variant, at)
								  : taken(&trial->request.right, variant,
										  variant->right[at ^ (variant->pairs ? 1 : 0)]);
	y += variant->zero_right;
	y = variant->narrow != NULL ? variant->narrow(y) : y;
	return variant->narrow_right != NULL ? variant->narrow_right(y) : y;
}

/* The end of the k that are summed: one that a fault exchanges may lie in the last tile, beyond K.
 */
static uint64_t end_of(const struct trial *trial, const struct variant *variant)
{
	bool moved = variant->quarters || variant->k_flipped > 0 || variant->shift_tile > 0;
	if (!moved || variant->to < trial->k)
		return variant->to;
	uint64_t tile = variant->shift_tile > 0 ? variant->shift_tile : 2 * (uint64_t)VARIANT_QUARTER;
	return (trial->k + tile - 1) / tile * tile;
}

/* ---- sums --------------------------------------------------------------------------------------
 */

struct place {
	uint64_t batch, row, column, k;
};

/* What a sum carries from one product to the next. */
struct running {
	double largest_left, largest_right; /* of the block of codes */
	double run;                         /* what is summed in 16 bits */
};

/* The largest magnitude of the codes' block that begins at k; fmax() passes over a NaN. */
static double largest_of(const struct trial *trial, const struct variant *variant, bool left,
						 uint64_t batch, uint64_t outer, uint64_t k)
{
	double largest = 0;
	uint64_t end = trial->k - k > variant->codes_block ? k + variant->codes_block : trial->k;
	if (variant->codes_whole)
		return left ? trial->largest_left : trial->largest_right;
	for (; k < end; k++)
		largest = fmax(largest, fabs(left ? left_at(trial, variant, batch, outer, k)
										  : right_at(trial, variant, batch, outer, k)));
	return largest;
}

/* As f32 arithmetic makes a code, and a number of it again; a NaN becomes 0. */
static double through_code(const struct variant *variant, double x, double largest)
{
	float scale = (float)largest / 127.0f, inverse = largest > 0 ? 127.0f / (float)largest : 0;
	double code = rint((double)((float)x * inverse));
	double factor = variant->codes_half ? variant_to_f16((double)scale) : (double)scale;
	return isnan(code) ? 0 : code * factor;
}

/* Both numbers of a product as codes have them. */
static void take_codes(const struct trial *trial, const struct variant *variant,
					   struct running *running, struct place at, double *x, double *y)
{
	bool begins = at.k % variant->codes_block == 0;
	if (begins && variant->codes_left)
		running->largest_left = largest_of(trial, variant, true, at.batch, at.row, at.k);
	if (begins && variant->codes_right)
		running->largest_right = largest_of(trial, variant, false, at.batch, at.column, at.k);
	if (variant->codes_left)
		*x = through_code(variant, *x, running->largest_left);
	if (variant->codes_right)
		*y = through_code(variant, *y, running->largest_right);
}

/* What 16 bits make of an integer. */
static double as_16_bits(const struct variant *variant, double x)
{
	return variant->short_saturates ? fmin(fmax(x, INT16_MIN), INT16_MAX)
									: x - 65536.0 * floor((x - INT16_MIN) / 65536.0);
}

/* How far 16 bits move the sum with this product. Zero points that are taken off of the whole sum
 * are in its codes. */
static double lost_in_16_bits(const struct trial *trial, const struct variant *variant,
							  struct running *running, uint64_t k, double x, double y)
{
	double zero_left = variant->short_of_codes ? trial->request.left.zero : 0;
	double zero_right = variant->short_of_codes ? trial->request.right.zero : 0;
	double total = running->run + (x + zero_left) * (y + zero_right);
	double kept = as_16_bits(variant, total);
	running->run = (k + 1) % variant->short_run == 0 ? 0 : kept;
	return kept - total;
}

static void add_product(const struct trial *trial, const struct variant *variant, double x,
						double y, struct check_element *out)
{
	double product = x * y;
	if (variant->round_product != NULL)
		product = variant->round_product(product);
	out->product += product;
	if (variant->round_step != NULL)
		out->product = variant->round_step(out->product);
	out->magnitude += fabs(product);
	if (trial->request.right.group != 0)
		out->rest += x * device_rest(&trial->request.right.scales.format, y);
}

/* The product, or the least sum, and its magnitude. */
static struct check_element element_of(const struct trial *trial, const struct variant *variant,
									   uint64_t batch, uint64_t row, uint64_t column)
{
	bool least = trial->request.algebra == ALGEBRA_MIN_PLUS;
	struct check_element out = {.product = !least            ? 0
										   : variant->padded ? variant->padding
															 : INFINITY};
	uint64_t end = end_of(trial, variant);
	struct running running = {0};
	for (uint64_t k = variant->from; k < end; k++) {
		double x = left_at(trial, variant, batch, row, k);
		double y = right_at(trial, variant, batch, column, k);
		if (least) {
			double sum = (double)((float)x + (float)y);
			out.product = sum < out.product ? sum : out.product;
			continue;
		}
		if (variant->codes_block > 0)
			take_codes(trial, variant, &running, (struct place){batch, row, column, k}, &x, &y);
		add_product(trial, variant, x, y, &out);
		if (variant->short_run > 0)
			out.product += lost_in_16_bits(trial, variant, &running, k, x, y);
	}
	if (!least) {
		out.product += variant->padding;
		out.magnitude += fabs(variant->padding);
	}
	return out;
}

/* Of an element that went through the variant's steps. */
static struct check_finding find_chained(const struct trial *trial, const struct variant *variant,
										 const struct check_element *element, uint64_t row,
										 uint64_t column)
{
	struct carried value = variant_carry(trial, variant, element, row, column, variant->step_count);
	struct check_finding finding = rule_finish(&variant->rule, element->out, &value);
	if (isinf(value.error)) /* anything would be right: it tells nothing */
		finding.ratio = INFINITY;
	return finding;
}

/* `row` and `column`: of the epilogue's members. */
static bool is_within(const struct trial *trial, const struct variant *variant,
					  const struct check_element *element, uint64_t row, uint64_t column)
{
	struct check_finding finding = trial->input->chain == NULL
									   ? check_one(&variant->rule, element)
									   : find_chained(trial, variant, element, row, column);
	return finding.ratio <= 1 && isfinite(finding.want);
}

/* A sum near the middle of two numbers may be rounded to either. */
static bool rounded_is_within(const struct trial *trial, const struct variant *variant,
							  struct check_element *element, uint64_t row, uint64_t column)
{
	double sum = element->product;
	double reach = (variant->rule.accumulation + variant->rule.reference) * element->magnitude +
				   variant->rule.truncation * fabs(sum);
	element->magnitude = 0;
	for (int side = -1; side <= 1; side += 2) {
		element->product = variant->round_sum(sum + side * reach);
		if (is_within(trial, variant, element, row, column))
			return true;
	}
	return false;
}

/* Of an integer result, before it is rounded and its zero point is added. */
static double scaled(const struct check_rule *rule, const struct check_element *element)
{
	return element->product * (double)rule->scales[0] * (double)rule->scales[1] /
		   (double)rule->scales[2];
}

static double clamped(const struct number_format *format, double x)
{
	return fmin(fmax(x, format->lowest), format->highest);
}

static double wrapped(const struct number_format *format, double x)
{
	double codes = format->highest - format->lowest + 1.0;
	return x - codes * floor((x - format->lowest) / codes);
}

static double stored_integer(const struct check_rule *rule, enum wrong_integer way, double value)
{
	const struct number_format *format = &rule->type->format;
	double zero = rule->zero;
	switch (way) {
	case INTEGER_TOWARD_ZERO: return clamped(format, trunc(value) + zero);
	case INTEGER_DOWN: return clamped(format, floor(value) + zero);
	case INTEGER_UP: return clamped(format, ceil(value) + zero);
	case INTEGER_CLAMPED_EARLY: return wrapped(format, clamped(format, rint(value)) + zero);
	case INTEGER_CLAMPED_TWICE: return clamped(format, clamped(format, rint(value)) + zero);
	case INTEGER_WRAPPED:
	case INTEGER_WAYS: break;
	}
	return wrapped(format, rint(value) + zero);
}

/* What f32 arithmetic may take to the other side of an integer, or of the middle of two, may become
 * either. */
static bool rounded_to_integer(const struct variant *variant, const struct check_element *element)
{
	const struct check_rule *rule = &variant->rule;
	double value = scaled(rule, element), reach = 2 * value == rint(2 * value) ? 0 : 0x1p-22;
	for (int side = -1; side <= 1; side++)
		if (element->out == stored_integer(rule, variant->to_integer, value * (1 + side * reach)))
			return true;
	return false;
}

/* Whether it is what the variant stores for (row, column). */
static bool fits_place(const struct trial *trial, const struct variant *variant, uint64_t at,
					   uint64_t row, uint64_t column)
{
	const struct number_format *format = &variant->rule.type->format;
	uint64_t batch = at / (trial->m * trial->n), line = batch * trial->m + row;
	struct check_element element = element_of(trial, variant, batch, row, column);
	element.out = values_to_double(format, values_load(format, trial->input->out, at));
	if (variant->rule.beta != 0)
		element.c = values_number_at(&trial->before, at);
	if (variant->round_sum != NULL)
		return rounded_is_within(trial, variant, &element, line, column);
	return variant->integer ? rounded_to_integer(variant, &element)
							: is_within(trial, variant, &element, line, column);
}

struct carried variant_before_stage(const struct trial *trial, const struct variant *variant,
									uint64_t row, uint64_t column, uint32_t stage)
{
	struct check_element element =
		element_of(trial, variant, row / trial->m, row % trial->m, column);
	if (variant->rule.beta != 0)
		element.c = values_number_at(&trial->before, row * trial->n + column);
	return variant_carry(trial, variant, &element, row, column, stage);
}

bool variant_fits(const struct trial *trial, const struct variant *variant, uint64_t at)
{
	uint64_t within = at % (trial->m * trial->n), length = variant->result_length;
	if (variant->stored_transposed)
		return fits_place(trial, variant, at, within % trial->m, within / trial->m);
	if (length == 0)
		return fits_place(trial, variant, at, within / trial->n, within % trial->n);
	/* rows that overlap: whichever was stored last */
	uint64_t row = within / length < trial->m ? within / length : trial->m - 1;
	for (; within - row * length < trial->n; row--) {
		if (fits_place(trial, variant, at, row, within - row * length))
			return true;
		if (row == 0)
			break;
	}
	return false;
}

bool variant_has_products(const struct trial *trial, const struct variant *variant, uint64_t at)
{
	uint64_t within = at % (trial->m * trial->n);
	struct check_element element = element_of(trial, variant, at / (trial->m * trial->n),
											  within / trial->n, within % trial->n);
	return element.magnitude > 0 || variant->stored_transposed || variant->result_length > 0;
}

bool variant_is_flushed(const struct trial *trial, const struct variant *right, uint64_t at)
{
	const struct number_format *format = &right->rule.type->format;
	uint64_t within = at % (trial->m * trial->n);
	struct check_element element =
		element_of(trial, right, at / (trial->m * trial->n), within / trial->n, within % trial->n);
	double out = values_to_double(format, values_load(format, trial->input->out, at));
	double want = right->rule.alpha * element.product;
	if (right->rule.beta != 0)
		want += right->rule.beta * values_number_at(&trial->before, at);
	return out == 0 && want != 0 && fabs(want) < (double)FLT_MIN;
}

bool variant_is_tie(const struct trial *trial, const struct variant *right, uint64_t at)
{
	const struct number_format *format = &right->rule.type->format;
	uint64_t within = at % (trial->m * trial->n);
	if (!format->is_integer)
		return false;
	struct check_element element =
		element_of(trial, right, at / (trial->m * trial->n), within / trial->n, within % trial->n);
	double value = scaled(&right->rule, &element);
	double out = values_to_double(format, values_load(format, trial->input->out, at));
	return fabs(out - right->rule.zero - value) == 0.5;
}

#include "referee/block.h"

#include "referee/rule_inside.h"

/* With all that it calls, so that its loops have no calls. */
#define INLINED __attribute__((flatten))
#define DRAWN_MOST (BLOCK_ELEMENTS + VALUES_BLOCK)

/* ---- bits and numbers ------------------------------------------------------------ */

/* values_to_double(), of types of numbers. */
static void numbers(const struct number_format *format, const uint32_t *restrict bits,
					uint32_t count, double *restrict out)
{
	struct number_format of = *format;
	uint64_t bias = (uint64_t)(of.smallest_exponent - 1 + 1023) << 52;
	double unit = power_of_two(of.smallest_exponent - of.precision + 1);
	uint32_t end = of.infinity != 0 ? of.infinity : of.nan_first, normal = 1u << (of.precision - 1);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t magnitude = bits[i] & (of.sign - 1);
		uint64_t sign = (uint64_t)(bits[i] & of.sign) << (64 - of.bits);
		double small = (double)(int32_t)magnitude * unit;
		uint64_t large = ((uint64_t)magnitude << (53 - of.precision)) + bias;
		uint64_t number = magnitude < normal ? bits_of(small) : large;
		uint64_t other = EXPONENT_BITS | (uint64_t)(magnitude >= of.nan_first) << 51;
		out[i] = double_of(sign | (magnitude < end ? number : other));
	}
}

/* ---- drawing --------------------------------------------------------------------- */

INLINED static void draw_words(const struct values *values, uint64_t block, uint32_t count,
							   uint32_t *restrict words)
{
	uint64_t seed = values->seed;
	uint32_t stream = values->stream;
	for (uint32_t i = 0; i < count; i++) {
		struct values_words drawn = values_random(seed, stream, block + i);
		words[VALUES_BLOCK * i] = drawn.word[0];
		words[VALUES_BLOCK * i + 1] = drawn.word[1];
		words[VALUES_BLOCK * i + 2] = drawn.word[2];
		words[VALUES_BLOCK * i + 3] = drawn.word[3];
	}
}

static inline double float_of_word(const struct values *values, enum distribution distribution,
								   uint32_t word)
{
	struct values of = *values;
	of.spec.distribution = distribution;
	of.format.is_integer = 0;
	of.format.bits = 32; /* a float's own */
	of.spec.low = 0;
	return (double)values_float_bits(values_of_word(&of, word));
}

/* Of distributions that take one word an element. */
INLINED static bool draw_alike(const struct values *values, double most, uint64_t first,
							   uint32_t count, double *restrict out)
{
	const struct values of = *values;
	uint32_t words[DRAWN_MOST];
	draw_words(values, first / VALUES_BLOCK, (count + VALUES_BLOCK - 1) / VALUES_BLOCK, words);
	switch (of.spec.distribution) {
	case VALUES_UNIFORM:
		for (uint32_t i = 0; i < count; i++)
			out[i] = rounded(&of.format, most, float_of_word(&of, VALUES_UNIFORM, words[i]));
		return true;
	case VALUES_WIDE:
		for (uint32_t i = 0; i < count; i++)
			out[i] = rounded(&of.format, most, float_of_word(&of, VALUES_WIDE, words[i]));
		return true;
	case VALUES_POSITIVE:
		for (uint32_t i = 0; i < count; i++)
			out[i] = rounded(&of.format, most, float_of_word(&of, VALUES_POSITIVE, words[i]));
		return of.spec.low == 0;
	case VALUES_INTEGER:
		for (uint32_t i = 0; i < count; i++)
			out[i] = rounded(&of.format, most, values_integer(words[i], of.spec.scale));
		return true;
	default: return false;
	}
}

INLINED static void draw_normal(const struct values *values, double most, uint64_t first,
								uint32_t count, double *restrict out)
{
	const struct values of = *values;
	float scale = of.spec.scale * VALUES_NORMAL_STEP;
	for (uint32_t i = 0; i < count; i++) {
		float unit = values_normal_unit(values_random(of.seed, of.stream, first + i));
		out[i] = rounded(&of.format, most, (double)(unit * scale));
	}
}

static void draw(const struct values *values, uint64_t first, uint32_t count, double *out)
{
	const struct number_format *format = &values->format;
	uint32_t end = format->infinity != 0 ? format->infinity - 1 : format->overflow;
	double most = values_to_double(format, end);
	bool numbers = !format->is_integer && values->flip == 0;
	if (numbers && values->spec.distribution == VALUES_NORMAL) {
		draw_normal(values, most, first, count, out);
		return;
	}
	if (numbers && draw_alike(values, most, first, count, out))
		return;
	for (uint32_t i = 0; i < count; i += VALUES_BLOCK) {
		uint32_t bits[VALUES_BLOCK];
		values_block(values, (first + i) / VALUES_BLOCK, bits);
		for (uint32_t k = 0; k < VALUES_BLOCK && i + k < count; k++)
			out[i + k] = values_to_double(format, bits[k]);
	}
}

/* ---- elements ---------------------------------------------------------------------- */

static void load(const struct number_format *format, const void *from, uint64_t first,
				 uint32_t count, double *out)
{
	uint32_t bits[BLOCK_ELEMENTS];
	for (uint32_t i = 0; i < count; i++)
		bits[i] = values_load(format, from, first + i);
	numbers(format, bits, count, out);
}

static void widen(const float *from, uint32_t count, double *restrict out)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = (double)from[i];
}

/* ---- findings ----------------------------------------------------------------------- */

typedef double lanes __attribute__((vector_size(BLOCK_LANES * sizeof(double))));
typedef int64_t lanes_mask __attribute__((vector_size(BLOCK_LANES * sizeof(int64_t))));

/* What all elements add to struct check_spread. */
struct spreads {
	_Alignas(lanes) double squares[BLOCK_ELEMENTS], expected[BLOCK_ELEMENTS],
		fourth[BLOCK_ELEMENTS];
};

__attribute__((always_inline)) static inline void find_each(const struct check_rule *rule,
															struct rule_kind kind, bool exact,
															struct block *restrict block,
															struct spreads *restrict spreads)
{
	struct check_rule of = *rule;
	const struct type type = *rule->type;
	of.type = &type;
	for (uint32_t i = 0; i < BLOCK_ELEMENTS; i++) {
		struct check_element element = {.out = block->out[i],
										.product = block->product[i],
										.magnitude = block->magnitude[i],
										.c = kind.reads_c ? block->c[i] : 0,
										.rest = block->rest[i],
										.squares = block->squares[i]};
		struct reach reach;
		double want = reach_of(&of, kind, &element, &reach);
		struct check_finding finding = bounded(&of, want, &reach, kind.flat, exact);
		bool ordinary =
			(fabs(want) + reach.certain < of.threshold) & (fabs(element.out) <= DBL_MAX);
		finding.error = fabs(element.out - want);
		finding.excess = excess_of(&type, &finding, &reach);
		struct check_spread spread = spread_of(&type, &finding);
		double ratio = ratio_to(finding.error, finding.bound);
		block->ratio[i] = ordinary ? ratio : NAN;
		block->want[i] = want;
		block->bound[i] = finding.bound;
		block->error[i] = finding.error;
		block->excess[i] = finding.excess;
		block->deviation[i] = finding.deviation;
		spreads->squares[i] = spread.squares;
		spreads->expected[i] = spread.expected;
		spreads->fourth[i] = spread.fourth;
	}
}

/* A loop of its own for each kind of rule, none of which looks at alpha 0. */
__attribute__((always_inline)) static inline void find_kind(const struct check_rule *rule,
															struct rule_kind kind,
															struct block *block,
															struct spreads *spreads)
{
	kind.multiplies = true;
	if (rule->tolerance.kind == TOLERANCE_FLAT) {
		kind.flat = true;
		find_each(rule, kind, false, block, spreads);
	} else if (rule->exact) {
		find_each(rule, kind, true, block, spreads);
	} else {
		find_each(rule, kind, false, block, spreads);
	}
}

static void add_lanes(const double *from, lanes *sum)
{
	for (uint32_t i = 0; i < BLOCK_ELEMENTS; i += BLOCK_LANES)
		*sum += *(const lanes *)&from[i];
}

/* The largest of the numbers, which are no NaN and not negative. */
static double largest(const double *from)
{
	lanes most = {0};
	for (uint32_t i = 0; i < BLOCK_ELEMENTS; i += BLOCK_LANES) {
		lanes next = *(const lanes *)&from[i];
		lanes_mask more = next > most;
		most = (lanes)(((lanes_mask)next & more) | ((lanes_mask)most & ~more));
	}
	double all = 0;
	for (uint32_t lane = 0; lane < BLOCK_LANES; lane++)
		all = most_of(most[lane], all);
	return all;
}

static bool all_right(const double *ratio)
{
	lanes_mask right = ~(lanes_mask){0};
	for (uint32_t i = 0; i < BLOCK_ELEMENTS; i += BLOCK_LANES)
		right &= *(const lanes *)&ratio[i] <= 1;
	int64_t all = -1;
	for (uint32_t lane = 0; lane < BLOCK_LANES; lane++)
		all &= right[lane];
	return all != 0;
}

static struct block_sums find(const struct check_rule *rule, struct block *block,
							  struct block_spread *spread)
{
	struct spreads spreads;
	if (rule->beta != 0)
		find_kind(rule, (struct rule_kind){.reads_c = true, .scales = true}, block, &spreads);
	else if (rule->alpha != 1)
		find_kind(rule, (struct rule_kind){.scales = true}, block, &spreads);
	else
		find_kind(rule, (struct rule_kind){.scales = false}, block, &spreads);
	if (!all_right(block->ratio))
		return (struct block_sums){.right = false};
	add_lanes(spreads.squares, (lanes *)spread->squares);
	add_lanes(spreads.expected, (lanes *)spread->expected);
	add_lanes(spreads.fourth, (lanes *)spread->fourth);
	return (struct block_sums){true, largest(block->ratio), largest(block->error)};
}

#define BLOCK_FUNCTIONS_OF(level) block_functions_##level
#define BLOCK_FUNCTIONS(level) BLOCK_FUNCTIONS_OF(level)

const struct block_functions BLOCK_FUNCTIONS(BLOCK_LEVEL) = {draw, load, widen, find};

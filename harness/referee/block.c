#ifndef __clang__                   /* only reads it */
#pragma GCC optimize("no-tree-pre") /* which moves comparisons to where they become no masks */
#endif

#include "referee/block.h"

#include "referee/stage_inside.h"

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

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* Notes the finding of element i, which is known to `reach` before its last rounding. */
ALWAYS_INLINE void conclude(const struct check_rule *rule, struct check_finding finding,
							const struct reach *reach, uint32_t i, struct block *restrict block,
							struct spreads *restrict spreads)
{
	double out = block->out[i];
	bool ordinary =
		(fabs(finding.want) + reach->certain < rule->threshold) & (fabs(out) <= DBL_MAX);
	finding.error = fabs(out - finding.want);
	finding.excess = excess_of(rule->type, &finding, reach);
	struct check_spread spread = spread_of(rule->type, &finding);
	double ratio = ratio_to(finding.error, finding.bound);
	block->ratio[i] = ordinary ? ratio : NAN;
	block->want[i] = finding.want;
	block->bound[i] = finding.bound;
	block->error[i] = finding.error;
	block->excess[i] = finding.excess;
	block->deviation[i] = finding.deviation;
	spreads->squares[i] = spread.squares;
	spreads->expected[i] = spread.expected;
	spreads->fourth[i] = spread.fourth;
}

ALWAYS_INLINE struct check_element element_at(const struct block *block, uint32_t i, bool reads_c)
{
	return (struct check_element){.out = block->out[i],
								  .product = block->product[i],
								  .magnitude = block->magnitude[i],
								  .c = reads_c ? block->c[i] : 0,
								  .rest = block->rest[i],
								  .squares = block->squares[i]};
}

ALWAYS_INLINE void find_each(const struct check_rule *rule, struct rule_kind kind, bool exact,
							 struct block *restrict block, struct spreads *restrict spreads)
{
	struct check_rule of = *rule;
	const struct type type = *rule->type;
	of.type = &type;
	for (uint32_t i = 0; i < BLOCK_ELEMENTS; i++) {
		struct check_element element = element_at(block, i, kind.reads_c);
		struct reach reach;
		double want = reach_of(&of, kind, &element, &reach);
		conclude(&of, bounded(&of, want, &reach, kind.flat, exact), &reach, i, block, spreads);
	}
}

/* A loop of its own for each kind of rule. Alpha 0 needs none: what it multiplies becomes 0, or a
 * NaN and no ordinary element. */
ALWAYS_INLINE void find_kind(const struct check_rule *rule, struct rule_kind kind,
							 struct block *block, struct spreads *spreads)
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

static struct block_sums sums_of(const struct block *block, const struct spreads *spreads,
								 struct block_spread *spread)
{
	if (!all_right(block->ratio))
		return (struct block_sums){.right = false};
	add_lanes(spreads->squares, (lanes *)spread->squares);
	add_lanes(spreads->expected, (lanes *)spread->expected);
	add_lanes(spreads->fourth, (lanes *)spread->fourth);
	return (struct block_sums){true, largest(block->ratio), largest(block->error)};
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
	return sums_of(block, &spreads, spread);
}

/* ---- through a chain ------------------------------------------------------------------ */

/* Values that f32 code has for certain as finite numbers; what is none is odd from there on. */
static inline double odd_of(double odd, const struct carried *value)
{
	return fabs(value->x) + (double)value->error < F32_THRESHOLD ? odd : NAN;
}

static inline void put(struct block_values *values, uint32_t i, const struct carried *value)
{
	values->x[i] = value->x;
	values->error[i] = value->error;
	values->known[i] = value->known;
	values->deviation[i] = value->deviation;
	values->exact[i] = value->exact;
}

static inline struct carried get(const struct block_values *values, uint32_t i)
{
	return (struct carried){.x = values->x[i],
							.error = values->error[i],
							.known = values->known[i],
							.deviation = values->deviation[i],
							.exact = values->exact[i] != 0};
}

ALWAYS_INLINE void begin_each(const struct check_rule *rule, bool exact,
							  const struct block *restrict block,
							  struct block_values *restrict values)
{
	struct check_rule of = *rule;
	const struct type type = *rule->type;
	of.type = &type;
	of.exact = exact;
	for (uint32_t i = 0; i < BLOCK_ELEMENTS; i++) {
		struct check_element element = element_at(block, i, false);
		struct carried value = begun(&of, &element);
		put(values, i, &value);
		values->odd[i] = odd_of(0, &value);
	}
}

static void begin(const struct check_rule *rule, const struct block *block,
				  struct block_values *values)
{
	if (rule->exact)
		begin_each(rule, true, block, values);
	else
		begin_each(rule, false, block, values);
}

/* What a stage makes of values as they are, and so many errors beside that. */
#define PLACES 5
static const double places[PLACES] = {0, -1, -0.5, 0.5, 1};
struct made {
	double y[PLACES][BLOCK_ELEMENTS];
};

ALWAYS_INLINE void carry_each(const struct stage_reference *reference, enum stage_accuracy accuracy,
							  const struct stage_coordinate *at, const struct made *restrict made,
							  struct block_values *restrict values)
{
	struct stage_reference of = *reference;
	const struct type type = *at->type;
	const struct stage_form form =
		reference->form != NULL ? *reference->form : (struct stage_form){.largest = 0};
	struct stage_coordinate place = *at;
	of.accuracy = accuracy;
	of.form = &form;
	place.type = &type;
	for (uint32_t i = 0; i < BLOCK_ELEMENTS; i++) {
		struct carried value = get(values, i);
		double y = made->y[0][i], spread = 0;
		place.c = accuracy == STAGE_SCALES ? at[i].c : 0;
		for (int p = 1; p < PLACES; p++) {
			double distance = fabs(y - made->y[p][i]);
			spread = most_of(distance <= DBL_MAX ? distance : INFINITY, spread);
		}
		spread = !value.exact & (value.error > 0) ? spread : 0;
		double own = own_error(&of, &value, y, &place);
		bool exact = stays_exact(&of, value.x, &place);
		value = staged(&value, y, spread, own, exact);
		put(values, i, &value);
		values->odd[i] = odd_of(values->odd[i], &value);
	}
}

static void carry(const struct stage_reference *reference, const struct stage_elements *elements,
				  struct block_values *values)
{
	struct made made;
	memset(&made, 0, sizeof made); /* behind the last element */
	reference->each(values->x, elements, made.y[0]);
	for (int p = 1; p < PLACES; p++) {
		double x[BLOCK_ELEMENTS];
		for (uint32_t i = 0; i < BLOCK_ELEMENTS; i++)
			x[i] = values->x[i] + places[p] * (double)values->error[i];
		reference->each(x, elements, made.y[p]);
	}
	const struct stage_coordinate *at = elements->places;
	switch (reference->accuracy) {
	case STAGE_MOVES: carry_each(reference, STAGE_MOVES, at, &made, values); break;
	case STAGE_ROUNDS: carry_each(reference, STAGE_ROUNDS, at, &made, values); break;
	case STAGE_SCALES: carry_each(reference, STAGE_SCALES, at, &made, values); break;
	case STAGE_FUNCTION: carry_each(reference, STAGE_FUNCTION, at, &made, values); break;
	}
}

ALWAYS_INLINE void finish_each(const struct check_rule *rule, bool flat,
							   const struct block_values *restrict values,
							   struct block *restrict block, struct spreads *restrict spreads)
{
	struct check_rule of = *rule;
	const struct type type = *rule->type;
	of.type = &type;
	for (uint32_t i = 0; i < BLOCK_ELEMENTS; i++) {
		struct carried value = get(values, i);
		struct reach reach = reach_behind(&of, &value);
		reach.certain += values->odd[i];
		conclude(&of, bounded(&of, value.x, &reach, flat, value.exact), &reach, i, block, spreads);
	}
}

static struct block_sums finish(const struct check_rule *rule, const struct block_values *values,
								struct block *block, struct block_spread *spread)
{
	struct spreads spreads;
	if (rule->tolerance.kind == TOLERANCE_FLAT)
		finish_each(rule, true, values, block, &spreads);
	else
		finish_each(rule, false, values, block, &spreads);
	return sums_of(block, &spreads, spread);
}

#define BLOCK_FUNCTIONS_OF(level) block_functions_##level
#define BLOCK_FUNCTIONS(level) BLOCK_FUNCTIONS_OF(level)

const struct block_functions BLOCK_FUNCTIONS(BLOCK_LEVEL) = {draw,  load,  widen, find,
															 begin, carry, finish};

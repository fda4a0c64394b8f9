#include "referee/check.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "process/buffers.h"
#include "testcases/values.h"

#define THREADS_MAX 16
#define ELEMENTS_PER_THREAD (1u << 17)

/* Where a result before its last rounding begins to round to infinity: half a
 * unit in the last place above the largest number. Infinite where there is no infinity. */
static double overflow_threshold(const struct type *type)
{
	double u = type->unit_roundoff;
	return type->format.infinity != 0 ? type->largest * (1 + u / (2 - 2 * u)) : INFINITY;
}

/* What sums of the case's K products may lose, relative to |A||B|: a path's sums are as many as its
 * edges, which its magnitude counts. */
static double accumulation_of(const struct problem *problem, double k)
{
	if (problem->algebra == ALGEBRA_SHORTEST_PATHS)
		return 0x1p-24;
	return CHECK_CONSTANT * sqrt(k) * 0x1p-24 +
		   type_of(problem_part(problem, PART_LEFT)->type)->cut / sqrt(k);
}

/* Below f32's normal numbers each step loses up to a unit of 2^-149, whatever its size. Two of
 * them: README.md says what they have room for. Sums of lengths lose nothing there. */
static double underflow_of(const struct problem *problem, double k)
{
	return problem->algebra == ALGEBRA_PLUS_TIMES ? 2 * k * 0x1p-149 : 0;
}

/* What the product may be off before its scales, beside the sum's rounding errors: steps that
 * underflow, and weights that are rounded first. What that moves is rounded with the result. */
static double apart_from_sums(const struct check_rule *rule, const struct check_element *element)
{
	return rule->underflow + (1 + rule->type->unit_roundoff) * fabs(element->rest);
}

struct check_rule check_rule_of(const struct check_input *input)
{
	const struct test_case *test = input->test;
	const struct problem *problem = input->problem;
	const struct type *type = type_of(problem_part(problem, PART_RESULT)->type);
	const struct type *inputs = type_of(problem_part(problem, PART_LEFT)->type);
	const float *scalar = test->scalar;
	double k = test->shape.size[SIZE_K];
	return (struct check_rule){
		.type = type,
		.alpha = (double)scalar[SCALAR_ALPHA] * (double)scalar[SCALAR_SCALE_LEFT] *
				 (double)scalar[SCALAR_SCALE_RIGHT],
		.beta = (double)scalar[SCALAR_BETA],
		.exact = test->exact || input->product.unit_roundoff == 0,
		.tolerance = input->tolerance,
		.accumulation = accumulation_of(problem, k),
		.truncation = inputs->truncation * k * 0x1p-24 + inputs->cut / 2,
		.reference = CHECK_CONSTANT * sqrt(k) * input->product.unit_roundoff,
		.underflow = underflow_of(problem, k),
		.threshold = overflow_threshold(type),
		.scales = {scalar[SCALAR_SCALE_LEFT], scalar[SCALAR_SCALE_RIGHT],
				   scalar[SCALAR_SCALE_RESULT]},
		.zero = (double)scalar[SCALAR_ZERO_RESULT],
	};
}

static bool representable(const struct type *type, double x)
{
	return values_to_double(&type->format, values_from_double(&type->format, x)) == x;
}

/* `certain` is how far the result before its last rounding may lie from `want`;
 * finding->bound has that rounding in it too. */
static double ratio_of(const struct check_rule *rule, double out, double certain,
					   struct check_finding *finding)
{
	double want = finding->want;
	if (isnan(want))
		return isnan(out) ? 0 : INFINITY;
	if (isinf(want))
		return out == want ? 0 : INFINITY;
	if (isinf(out)) {
		bool same_side = signbit(out) == signbit(want);
		return same_side && fabs(want) + certain >= rule->threshold ? 0 : INFINITY;
	}
	if (fabs(want) - certain >= rule->threshold) /* has to be infinite, and is not (or is NaN) */
		return INFINITY;
	finding->error = fabs(out - want);
	if (finding->error <= finding->bound) /* never so for NaN */
		return finding->bound > 0 ? finding->error / finding->bound : 0;
	double ratio = finding->error / finding->bound;
	return ratio > 1 ? ratio : INFINITY;
}

/* The one rounding that is left: of `want`, known to `certain`, to an output. */
static struct check_finding finish(const struct check_rule *rule, double out, double want,
								   double certain, bool exact)
{
	struct check_finding finding = {.error = NAN, .want = want};
	if (rule->tolerance.kind == TOLERANCE_FLAT) {
		finding.bound = rule->tolerance.atol + rule->tolerance.rtol * fabs(want);
	} else if (exact && representable(rule->type, want)) {
		certain = 0;
		finding.bound = 0;
	} else {
		finding.bound = rule->type->unit_roundoff * fabs(want) + certain + rule->type->smallest;
	}
	finding.ratio = ratio_of(rule, out, certain, &finding);
	return finding;
}

/* ---- results of integers ------------------------------------------------------- */

/* Operations in f32 between the sum and what is rounded to an integer, in any sensible order, and
 * one for a reciprocal. */
#define REQUANTISE_ROUNDINGS 6

/* Whether every sensible order of f32 operations gives exactly `value`. */
static bool f32_is_exact(const float scales[3], double sum, double value)
{
	float s = (float)sum, a = scales[0], b = scales[1], c = scales[2];
	const float orders[] = {s * a * b / c,   s * (a * b) / c, s * (a * b / c),
							s * a * (b / c), s * b * (a / c), s * (a * b) * (1.0f / c)};
	bool exact = (double)s == sum;
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		exact = exact && (double)orders[i] == value;
	return exact;
}

static double saturated(const struct check_rule *rule, double value)
{
	const struct number_format *format = &rule->type->format;
	return fmin(fmax(rint(value) + rule->zero, format->lowest), format->highest);
}

/* Any integer that f32 arithmetic may come to is right: one, but near a tie. */
static struct check_finding check_integer(const struct check_rule *rule,
										  const struct check_element *element)
{
	double value = element->product * (double)rule->scales[0] * (double)rule->scales[1] /
				   (double)rule->scales[2];
	double reach = REQUANTISE_ROUNDINGS * 0x1p-24 * fabs(value);
	double low = saturated(rule, value - reach), high = saturated(rule, value + reach);
	struct check_finding finding = {.want = saturated(rule, value)};
	if (low != high && f32_is_exact(rule->scales, element->product, value))
		low = high = finding.want;
	if (rule->tolerance.kind == TOLERANCE_FLAT)
		finding.bound = rule->tolerance.atol + rule->tolerance.rtol * fabs(finding.want);
	finding.error = fabs(element->out - finding.want);
	bool right = (element->out >= low && element->out <= high) || finding.error <= finding.bound;
	finding.ratio = right ? 0 : INFINITY;
	return finding;
}

struct check_finding check_one(const struct check_rule *rule, const struct check_element *element)
{
	if (rule->type->format.is_integer)
		return check_integer(rule, element);
	double alpha = rule->alpha, beta = rule->beta;
	double magnitude = alpha != 0 ? fabs(alpha) * element->magnitude : 0;
	double certain = (rule->accumulation + rule->reference) * magnitude;
	double want = alpha * element->product;
	if (alpha != 0)
		certain += fabs(alpha) * apart_from_sums(rule, element);

	if (isfinite(want))
		certain += rule->truncation * fabs(want);
	if (beta != 0) { /* BLAS: C is not read when beta is 0, whatever it holds */
		want += beta * element->c;
		certain += rule->accumulation * fabs(beta * element->c);
	}
	return finish(rule, element->out, want, certain, rule->exact);
}

/* ---- through a chain --------------------------------------------------------- */

/* The accumulator as the first stage gets it: the scales of its operands are in it. */
static struct carried carried_begin(const struct check_rule *rule, struct check_element element)
{
	double scale = (double)rule->scales[0] * (double)rule->scales[1];
	double error = (rule->accumulation + rule->reference) * element.magnitude;
	double product = element.product * scale;
	error = fabs(scale) * (error + apart_from_sums(rule, &element));
	error += rule->truncation * fabs(product);
	if (!isfinite(product)) /* what every order of summing comes to */
		error = 0;
	struct carried value = {.x = product,
							.error = (float)(error * (1 + 0x1p-20)) + FLT_TRUE_MIN,
							.exact = rule->exact && (double)(float)product == product};
	stage_settle(&value);
	return value;
}

static struct check_finding carried_finish(const struct check_rule *rule, double out,
										   const struct carried *value)
{
	if (isinf(value->error)) /* anything may be right */
		return (struct check_finding){.want = value->x, .bound = INFINITY, .error = NAN};
	return finish(rule, out, value->x, (double)value->error, value->exact);
}

/* ---- all of C -------------------------------------------------------------- */

/* A block of drawn values, kept while its neighbours are asked for. */
struct drawn {
	bool any;
	uint64_t block;
	uint32_t bits[VALUES_BLOCK];
};

/* One thread's share: elements [first, end), and what it found there. */
struct share {
	const struct check_input *input;
	struct check_rule rule;
	const struct buffers *buffers; /* of the case */
	uint32_t result;               /* which of them is the result */
	uint64_t first, end;
	uint64_t worst_index;
	bool any;
	struct drawn drawn[BUFFERS_MAX];
	struct check_facts found;
};

/* What a buffer held before the call, as bits. */
static uint32_t before(struct share *share, uint32_t buffer, uint64_t index)
{
	struct drawn *drawn = &share->drawn[buffer];
	uint64_t block = index / VALUES_BLOCK;
	if (!drawn->any || drawn->block != block) {
		struct values values = buffer_values(&share->buffers->at[buffer], share->input->seed);
		values_block(&values, block, drawn->bits);
	}
	drawn->any = true;
	drawn->block = block;
	return drawn->bits[index % VALUES_BLOCK];
}

static double number_before(struct share *share, uint32_t buffer, uint64_t index)
{
	return values_to_double(&share->buffers->at[buffer].type->format, before(share, buffer, index));
}

static double draw_c(struct share *share, uint64_t index)
{
	return share->rule.beta == 0 ? 0 : number_before(share, share->result, index);
}

static uint32_t extra_of(const struct share *share, const struct chain_member *member)
{
	return (uint32_t)problem_operands(share->input->problem) + member->buffer;
}

static struct wrong_element element_of(const struct share *share, uint64_t index, double out,
									   const struct check_finding *finding)
{
	uint64_t columns = shape_columns(&share->input->test->shape);
	return (struct wrong_element){.row = (int32_t)(index / columns),
								  .column = (int32_t)(index % columns),
								  .got = isnan(out) ? (double)NAN : out, /* of no sign */
								  .want = finding->want,
								  .bound = finding->bound};
}

/* What counts for C and for what stages write alike. */
static void note_worst(struct share *share, uint64_t index, const struct check_finding *finding)
{
	struct check_facts *found = &share->found;
	if (finding->error > found->worst_error)
		found->worst_error = finding->error;
	if (!share->any || finding->ratio > found->worst_ratio) {
		share->any = true;
		found->worst_ratio = finding->ratio;
		share->worst_index = index;
	}
}

uint32_t check_flip(const struct problem *problem, const struct test_case *test)
{
	const struct number_format *format = &type_of(problem_part(problem, PART_RESULT)->type)->format;
	bool read = test->scalar[SCALAR_BETA] != 0 && problem_takes(problem, SCALAR_BETA);
	return read ? format->sign : (uint32_t)((1ull << format->bits) - 1);
}

/* What made a wrong element. */
struct origin {
	bool unwritten, read, suspect;
};

/* Whether a number is what the result held, as no result comes near, or that and a little more. */
static bool is_carried(const struct share *share, double out, double was)
{
	if (share->rule.beta != 0)
		return false;
	if (isnan(was))
		return isnan(out);
	return share->buffers->at[share->result].spec.distribution == VALUES_MARKER &&
		   fabs(out - was) <= fabs(was) / 2;
}

/* From two calls, before which the element held different bits. */
static struct origin origin_of_two(struct share *share, uint64_t index, uint32_t bits,
								   const struct check_finding *finding)
{
	const struct check_input *input = share->input;
	const struct number_format *format = &share->rule.type->format;
	uint32_t flip = check_flip(input->problem, input->test);
	uint32_t was = before(share, share->result, index), other = was ^ flip;
	uint32_t second = values_load(format, input->second, index);
	bool held = bits == was && second == other;
	struct origin origin = {.unwritten = held};
	if (share->rule.beta != 0)
		return origin;
	double was_number = values_to_double(format, was), again = values_to_double(format, second);
	if (held)
		origin.read = input->adds && fabs(finding->want) <= finding->bound;
	else if (format->is_integer) /* both have the same added, whatever wraps around */
		origin.read = ((bits - was) & flip) == ((second - other) & flip);
	else
		origin.read = is_carried(share, values_to_double(format, bits), was_number) &&
					  second != other && !isnan(again) && !is_carried(share, again, was_number);
	origin.unwritten = held && !origin.read;
	return origin;
}

static struct origin origin_of(struct share *share, uint64_t index, uint32_t bits, double out,
							   const struct check_finding *finding)
{
	const struct number_format *format = &share->rule.type->format;
	if (share->input->second != NULL)
		return origin_of_two(share, index, bits, finding);
	uint32_t was = before(share, share->result, index);
	double number = values_to_double(format, was);
	bool takes_beta = problem_takes(share->input->problem, SCALAR_BETA);
	struct origin origin = {.unwritten = bits == was};
	origin.read =
		!origin.unwritten && isnan(number) && takes_beta && is_carried(share, out, number);
	origin.suspect = origin.unwritten || is_carried(share, out, number) ||
					 (format->is_integer != 0 && share->rule.beta == 0);
	return origin;
}

static void note(struct share *share, uint64_t index, uint32_t bits, double out,
				 const struct check_finding *finding)
{
	struct check_facts *found = &share->found;
	uint8_t *marks = share->input->marks;
	note_worst(share, index, finding);
	if (marks != NULL)
		marks[index] = 0;
	if (finding->ratio <= 1)
		return;
	struct origin origin = origin_of(share, index, bits, out, finding);
	if (marks != NULL)
		marks[index] = CHECK_WRONG | (origin.unwritten ? CHECK_UNWRITTEN : 0);
	found->wrong++;
	found->untouched += origin.unwritten;
	found->read += origin.read;
	found->suspect += origin.suspect;
	if (found->shown == CHECK_SHOWN)
		return;
	struct wrong_element *first = &found->first[found->shown++];
	*first = element_of(share, index, out, finding);
	first->unwritten = origin.unwritten;
}

/* An element that a stage has written. */
static void note_extra(struct share *share, const struct chain_member *member, uint64_t index,
					   const struct carried *value)
{
	struct check_facts *found = &share->found;
	const struct number_format *format = &share->rule.type->format;
	uint32_t bits = values_load(format, share->input->written[member->buffer], index);
	double out = values_to_double(format, bits);
	struct check_finding finding = carried_finish(&share->rule, out, value);
	note_worst(share, index, &finding);
	if (finding.ratio <= 1 || found->extra_wrong++ > 0)
		return;
	found->extra_buffer = extra_of(share, member);
	found->extra_first = element_of(share, index, out, &finding);
	found->extra_first.unwritten = bits == before(share, found->extra_buffer, index);
}

/* ---- one element through the stages ------------------------------------------- */

/* Arguments and elements of the stage at this place. */
static void load_members(struct share *share, const struct chain_stage *stage, uint64_t index,
						 double members[CHAIN_MEMBERS_MAX])
{
	uint64_t columns = shape_columns(&share->input->test->shape);
	for (uint32_t i = 0; i < stage->count; i++) {
		const struct chain_member *member = &stage->members[i];
		uint64_t at = member->extent == CHAIN_MATRIX ? index
					  : member->extent == CHAIN_ROWS ? index / columns
													 : index % columns;
		members[i] = member->kind == CHAIN_ARGUMENT ? (double)member->value : 0;
		if (member->kind == CHAIN_INPUT)
			members[i] = number_before(share, extra_of(share, member), at);
	}
}

static void run_stage(struct share *share, const struct chain_stage *stage, uint64_t index,
					  struct carried *value)
{
	double members[CHAIN_MEMBERS_MAX];
	struct stage_coordinate place = {.type = share->rule.type,
									 .alpha = (double)share->input->test->scalar[SCALAR_ALPHA],
									 .beta = share->rule.beta,
									 .c = draw_c(share, index),
									 .accumulation = share->rule.accumulation};
	load_members(share, stage, index, members);
	stage_carry(stage_find(stage), members, &place, value);
	for (uint32_t i = 0; i < stage->count; i++) /* `save` is the only one that writes */
		if (stage->members[i].kind == CHAIN_OUTPUT)
			note_extra(share, &stage->members[i], index, value);
}

/* A stage that was computed elsewhere: its value, and what it wrote. */
static void take_stage(struct share *share, const struct chain_stage *stage, uint64_t index,
					   struct carried *value)
{
	const struct check_stage *computed = share->input->computed;
	const struct type *type = share->rule.type;
	float y[STAGE_SETS];
	for (uint32_t i = 0; i < stage->count; i++) {
		if (stage->members[i].kind != CHAIN_OUTPUT)
			continue;
		struct carried written = *value;
		for (int set = 0; set < STAGE_SETS; set++)
			y[set] = (float)values_to_double(
				&type->format, values_load(&type->format, computed->written[set][i], index));
		stage_take(y, type, &written);
		note_extra(share, &stage->members[i], index, &written);
	}
	for (int set = 0; set < STAGE_SETS; set++)
		y[set] = computed->values[set][index];
	stage_take(y, type, value);
}

static double product_of(const struct device_product *product, uint64_t i)
{
	return product->product_f64 != NULL ? product->product_f64[i] : (double)product->product_f32[i];
}

/* What the reference says of the element, the `at`th of those that are looked at. */
static struct check_element element_at(const struct device_product *product, uint64_t at)
{
	return (struct check_element){
		.product = product_of(product, at),
		.magnitude = product->magnitude != NULL ? (double)product->magnitude[at] : 0,
		.rest = product->rest != NULL ? (double)product->rest[at] : 0,
	};
}

/* Element i, the `at`th that is looked at. */
static void check_chained(struct share *share, uint64_t i, uint64_t at)
{
	const struct check_input *input = share->input;
	const struct chain *chain = input->chain;
	struct carried value = input->from > 0 || input->computed != NULL
							   ? input->carried[i]
							   : carried_begin(&share->rule, element_at(&input->product, at));
	uint32_t next = input->from;
	if (input->computed != NULL)
		take_stage(share, &chain->stages[next++], i, &value);
	for (; next < input->to; next++)
		run_stage(share, &chain->stages[next], i, &value);
	if (input->to < chain->count) {
		input->carried[i] = value;
		return;
	}
	const struct number_format *format = &share->rule.type->format;
	uint32_t bits = values_load(format, input->out, i);
	double out = values_to_double(format, bits);
	struct check_finding finding = carried_finish(&share->rule, out, &value);
	note(share, i, bits, out, &finding);
}

static void check_plain(struct share *share, uint64_t i, uint64_t at)
{
	const struct check_input *input = share->input;
	const struct number_format *format = &share->rule.type->format;
	uint32_t bits = values_load(format, input->out, i);
	struct check_element element = element_at(&input->product, at);
	element.out = values_to_double(format, bits);
	element.c = draw_c(share, i);
	struct check_finding finding = check_one(&share->rule, &element);
	note(share, i, bits, element.out, &finding);
}

static void *check_share(void *argument)
{
	struct share *share = argument;
	const struct check_input *input = share->input;
	uint64_t columns = shape_columns(&input->test->shape);
	for (uint64_t at = share->first; at < share->end; at++) {
		uint64_t i = input->rows != NULL ? input->rows[at / columns] * columns + at % columns : at;
		if (input->chain != NULL)
			check_chained(share, i, at);
		else
			check_plain(share, i, at);
	}
	return NULL;
}

/* In order of the elements, so that first[] stays row-major. */
static void add_share(const struct share *share, struct check_facts *reply, bool *any)
{
	const struct check_facts *found = &share->found;
	uint64_t columns = shape_columns(&share->input->test->shape);
	if (found->worst_error > reply->worst_error)
		reply->worst_error = found->worst_error;
	if (share->any && (!*any || found->worst_ratio > reply->worst_ratio)) {
		*any = true;
		reply->worst_ratio = found->worst_ratio;
		reply->worst_row = (int32_t)(share->worst_index / columns);
		reply->worst_column = (int32_t)(share->worst_index % columns);
	}
	reply->wrong += found->wrong;
	reply->untouched += found->untouched;
	reply->read += found->read;
	reply->suspect += found->suspect;
	for (uint32_t i = 0; i < found->shown && reply->shown < CHECK_SHOWN; i++)
		reply->first[reply->shown++] = found->first[i];
	if (found->extra_wrong > 0 && reply->extra_wrong == 0) {
		reply->extra_first = found->extra_first;
		reply->extra_buffer = found->extra_buffer;
	}
	reply->extra_wrong += found->extra_wrong;
}

/* Runs the shares, in threads where there are several. */
static void check_shares(struct share *shares, uint64_t count)
{
	pthread_t threads[THREADS_MAX];
	bool started[THREADS_MAX] = {false};
	for (uint64_t i = 0; i < count; i++) {
		/* The last share, and any that gets no thread, is this thread's own. */
		started[i] =
			i + 1 < count && pthread_create(&threads[i], NULL, check_share, &shares[i]) == 0;
		if (!started[i])
			check_share(&shares[i]);
	}
	for (uint64_t i = 0; i < count; i++)
		if (started[i])
			pthread_join(threads[i], NULL);
}

static void clear(struct check_facts *reply)
{
	reply->wrong = reply->untouched = reply->read = reply->suspect = reply->extra_wrong = 0;
	reply->worst_ratio = reply->worst_error = 0;
	reply->worst_row = reply->worst_column = 0;
	reply->shown = 0;
}

void check_outputs(const struct check_input *input, struct check_facts *reply)
{
	struct share shares[THREADS_MAX];
	struct buffers buffers;
	const struct shape *shape = &input->test->shape;
	uint64_t rows = input->rows != NULL ? input->row_count : shape_rows(shape);
	uint64_t elements = rows * shape_columns(shape);
	uint64_t count = elements / ELEMENTS_PER_THREAD + 1;
	if (count > input->threads)
		count = input->threads > 0 ? input->threads : 1;
	if (count > THREADS_MAX)
		count = THREADS_MAX;

	bool first = input->chain == NULL || (input->from == 0 && input->computed == NULL);
	bool any = !first;
	if (first)
		clear(reply);
	reply->elements = elements;
	buffers_of_case(input->problem, input->test, input->chain, &buffers);
	for (uint64_t i = 0; i < count; i++)
		shares[i] =
			(struct share){.input = input,
						   .rule = check_rule_of(input),
						   .buffers = &buffers,
						   .result = (uint32_t)problem_part_index(input->problem, PART_RESULT),
						   .first = elements * i / count,
						   .end = elements * (i + 1) / count};
	check_shares(shares, count);
	for (uint64_t i = 0; i < count; i++)
		add_share(&shares[i], reply, &any);
}

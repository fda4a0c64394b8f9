#include "referee/check.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "testcases/values.h"

#define THREADS_MAX 16
#define ELEMENTS_PER_THREAD (1u << 17)

/* Where a result before its last rounding begins to round to infinity: half a
 * unit in the last place above the largest number. */
static double overflow_threshold(enum dtype type)
{
	double u = dtype_unit_roundoff(type);
	return dtype_largest(type) * (1 + u / (2 - 2 * u));
}

struct check_rule check_rule_of(const struct check_input *input)
{
	const struct test_case *test = input->test;
	double growth = CHECK_CONSTANT * sqrt((double)test->shape.k);
	return (struct check_rule){
		.type = input->type,
		.alpha = test->alpha,
		.beta = test->beta,
		.exact = test->exact || input->product.unit_roundoff == 0,
		.tolerance = input->tolerance,
		.accumulation = growth * 0x1p-24,
		.truncation = input->type == DTYPE_F32 ? 0 : CHECK_TRUNCATION * test->shape.k * 0x1p-24,
		.reference = growth * input->product.unit_roundoff,
		.unit = dtype_unit_roundoff(input->type),
		.smallest = dtype_smallest(input->type),
		.threshold = overflow_threshold(input->type),
	};
}

static bool representable(enum dtype type, double x)
{
	return values_to_double(type, values_from_double(type, x)) == x;
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
		finding.bound = rule->unit * fabs(want) + certain + rule->smallest;
	}
	finding.ratio = ratio_of(rule, out, certain, &finding);
	return finding;
}

struct check_finding check_one(const struct check_rule *rule, const struct check_element *element)
{
	double alpha = rule->alpha, beta = rule->beta;
	double magnitude = alpha != 0 ? fabs(alpha) * element->magnitude : 0;
	double certain = (rule->accumulation + rule->reference) * magnitude;
	double want = alpha * element->product;

	if (isfinite(want))
		certain += rule->truncation * fabs(want);
	if (beta != 0) { /* BLAS: C is not read when beta is 0, whatever it holds */
		want += beta * element->c;
		certain += rule->accumulation * fabs(beta * element->c);
	}
	return finish(rule, element->out, want, certain, rule->exact);
}

/* ---- through a chain --------------------------------------------------------- */

/* The accumulator as the first stage gets it. */
static struct carried carried_begin(const struct check_rule *rule, double product, double magnitude)
{
	double error = (rule->accumulation + rule->reference) * magnitude;
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

struct value_spec check_extra_values(const struct test_case *test)
{
	return test->exact ? (struct value_spec){VALUES_INTEGER, 2.0f}
					   : (struct value_spec){VALUES_UNIFORM, 1.0f};
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
	uint64_t first, end;
	uint64_t worst_index;
	bool any;
	struct drawn drawn_c, drawn_extra[CHAIN_BUFFERS_MAX];
	struct referee_check_reply found;
};

static double draw(struct drawn *drawn, enum dtype type, struct value_spec spec, uint64_t seed,
				   uint32_t stream, uint64_t index)
{
	uint64_t block = index / VALUES_BLOCK;
	if (!drawn->any || drawn->block != block)
		values_block(type, spec, seed, stream, block, drawn->bits);
	drawn->any = true;
	drawn->block = block;
	return values_to_double(type, drawn->bits[index % VALUES_BLOCK]);
}

static double draw_c(struct share *share, uint64_t index)
{
	const struct check_input *input = share->input;
	if (input->test->beta == 0)
		return 0;
	return draw(&share->drawn_c, input->type, input->test->c, input->seed, VALUES_STREAM_C, index);
}

static uint32_t load_bits(enum dtype type, const void *from, uint64_t index)
{
	uint32_t bits = 0; /* x86-64: the low bytes come first */
	size_t size = dtype_size(type);
	memcpy(&bits, (const uint8_t *)from + index * size, size);
	return bits;
}

static struct wrong_element element_of(const struct share *share, uint64_t index, double out,
									   const struct check_finding *finding)
{
	uint64_t columns = (uint64_t)share->input->test->shape.n;
	return (struct wrong_element){.row = (int32_t)(index / columns),
								  .column = (int32_t)(index % columns),
								  .got = out,
								  .want = finding->want,
								  .bound = finding->bound};
}

/* What counts for C and for what stages write alike. */
static void note_worst(struct share *share, uint64_t index, const struct check_finding *finding)
{
	struct referee_check_reply *found = &share->found;
	if (finding->error > found->worst_error)
		found->worst_error = finding->error;
	if (!share->any || finding->ratio > found->worst_ratio) {
		share->any = true;
		found->worst_ratio = finding->ratio;
		share->worst_index = index;
	}
}

static void note(struct share *share, uint64_t index, uint32_t bits, double out,
				 const struct check_finding *finding)
{
	struct referee_check_reply *found = &share->found;
	note_worst(share, index, finding);
	if (finding->ratio <= 1)
		return;
	uint32_t poison = share->input->type == DTYPE_F32 ? 0xFFFFFFFFu : 0xFFFFu;
	found->wrong++;
	if (share->input->poisoned && bits == poison)
		found->untouched++;
	if (found->shown < CHECK_SHOWN)
		found->first[found->shown++] = element_of(share, index, out, finding);
}

/* An element that a stage has written. */
static void note_extra(struct share *share, const struct chain_stage *stage,
					   const struct chain_member *member, uint64_t index,
					   const struct carried *value)
{
	struct referee_check_reply *found = &share->found;
	enum dtype type = share->input->type;
	double out =
		values_to_double(type, load_bits(type, share->input->written[member->buffer], index));
	struct check_finding finding = carried_finish(&share->rule, out, value);
	note_worst(share, index, &finding);
	if (finding.ratio <= 1 || found->extra_wrong++ > 0)
		return;
	found->extra_first = element_of(share, index, out, &finding);
	snprintf(found->extra_name, sizeof found->extra_name, "%s.%s", stage->name, member->name);
}

/* ---- one element through the stages ------------------------------------------- */

/* Arguments and elements of the stage at this place. */
static void load_members(struct share *share, const struct chain_stage *stage, uint64_t index,
						 double members[CHAIN_MEMBERS_MAX])
{
	const struct check_input *input = share->input;
	uint64_t columns = (uint64_t)input->test->shape.n;
	for (uint32_t i = 0; i < stage->count; i++) {
		const struct chain_member *member = &stage->members[i];
		uint64_t at = member->extent == CHAIN_MATRIX ? index
					  : member->extent == CHAIN_ROWS ? index / columns
													 : index % columns;
		members[i] = member->kind == CHAIN_ARGUMENT ? (double)member->value : 0;
		if (member->kind == CHAIN_INPUT)
			members[i] = draw(&share->drawn_extra[member->buffer], input->type,
							  check_extra_values(input->test), input->seed,
							  CHECK_EXTRA_STREAM + member->buffer, at);
	}
}

static void run_stage(struct share *share, const struct chain_stage *stage, uint64_t index,
					  struct carried *value)
{
	double members[CHAIN_MEMBERS_MAX];
	const struct check_input *input = share->input;
	if (stage_is_alpha_beta(stage)) {
		stage_alpha_beta(input->test->alpha, input->test->beta, draw_c(share, index),
						 share->rule.accumulation, value);
		return;
	}
	load_members(share, stage, index, members);
	stage_carry(stage_find(stage), members, input->type, value);
	for (uint32_t i = 0; i < stage->count; i++) /* `save` is the only one that writes */
		if (stage->members[i].kind == CHAIN_OUTPUT)
			note_extra(share, stage, &stage->members[i], index, value);
}

/* A stage that was computed elsewhere: its value, and what it wrote. */
static void take_stage(struct share *share, const struct chain_stage *stage, uint64_t index,
					   struct carried *value)
{
	const struct check_stage *computed = share->input->computed;
	enum dtype type = share->input->type;
	for (uint32_t i = 0; i < stage->count; i++) {
		if (stage->members[i].kind != CHAIN_OUTPUT)
			continue;
		float y[3];
		struct carried written = *value;
		for (int set = 0; set < 3; set++)
			y[set] =
				(float)values_to_double(type, load_bits(type, computed->written[set][i], index));
		stage_take(y, type, &written);
		note_extra(share, stage, &stage->members[i], index, &written);
	}
	float y[3];
	for (int set = 0; set < 3; set++)
		y[set] = computed->values[set][index];
	stage_take(y, type, value);
}

static double product_of(const struct device_product *product, uint64_t i)
{
	return product->product_f64 != NULL ? product->product_f64[i] : (double)product->product_f32[i];
}

static double magnitude_of(const struct device_product *product, uint64_t i)
{
	return product->magnitude != NULL ? (double)product->magnitude[i] : 0;
}

static void check_chained(struct share *share, uint64_t i)
{
	const struct check_input *input = share->input;
	const struct chain *chain = input->chain;
	struct carried value = input->from > 0 || input->computed != NULL
							   ? input->carried[i]
							   : carried_begin(&share->rule, product_of(&input->product, i),
											   magnitude_of(&input->product, i));
	uint32_t next = input->from;
	if (input->computed != NULL)
		take_stage(share, &chain->stages[next++], i, &value);
	for (; next < input->to; next++)
		run_stage(share, &chain->stages[next], i, &value);
	if (input->to < chain->count) {
		input->carried[i] = value;
		return;
	}
	uint32_t bits = load_bits(input->type, input->out, i);
	double out = values_to_double(input->type, bits);
	struct check_finding finding = carried_finish(&share->rule, out, &value);
	note(share, i, bits, out, &finding);
}

static void check_plain(struct share *share, uint64_t i)
{
	const struct check_input *input = share->input;
	uint32_t bits = load_bits(input->type, input->out, i);
	struct check_element element = {.out = values_to_double(input->type, bits),
									.product = product_of(&input->product, i),
									.magnitude = magnitude_of(&input->product, i),
									.c = draw_c(share, i)};
	struct check_finding finding = check_one(&share->rule, &element);
	note(share, i, bits, element.out, &finding);
}

static void *check_share(void *argument)
{
	struct share *share = argument;
	for (uint64_t i = share->first; i < share->end; i++)
		if (share->input->chain != NULL)
			check_chained(share, i);
		else
			check_plain(share, i);
	return NULL;
}

/* In order of the elements, so that first[] stays row-major. */
static void add_share(const struct share *share, struct referee_check_reply *reply, bool *any)
{
	const struct referee_check_reply *found = &share->found;
	uint64_t columns = (uint64_t)share->input->test->shape.n;
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
	for (uint32_t i = 0; i < found->shown && reply->shown < CHECK_SHOWN; i++)
		reply->first[reply->shown++] = found->first[i];
	if (found->extra_wrong > 0 && reply->extra_wrong == 0) {
		reply->extra_first = found->extra_first;
		memcpy(reply->extra_name, found->extra_name, sizeof reply->extra_name);
	}
	reply->extra_wrong += found->extra_wrong;
}

void check_outputs(const struct check_input *input, struct referee_check_reply *reply)
{
	struct share shares[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	bool started[THREADS_MAX] = {false};
	uint64_t elements = (uint64_t)input->test->shape.m * (uint64_t)input->test->shape.n;
	uint64_t count = elements / ELEMENTS_PER_THREAD + 1;
	if (count > input->threads)
		count = input->threads > 0 ? input->threads : 1;
	if (count > THREADS_MAX)
		count = THREADS_MAX;

	bool first = input->chain == NULL || (input->from == 0 && input->computed == NULL);
	bool any = !first;
	if (first) {
		reply->wrong = reply->untouched = reply->extra_wrong = 0;
		reply->worst_ratio = reply->worst_error = 0;
		reply->worst_row = reply->worst_column = 0;
		reply->shown = 0;
	}
	reply->elements = elements;
	for (uint64_t i = 0; i < count; i++) {
		shares[i] = (struct share){.input = input,
								   .rule = check_rule_of(input),
								   .first = elements * i / count,
								   .end = elements * (i + 1) / count};
		/* The last share, and any that gets no thread, is this thread's own. */
		started[i] =
			i + 1 < count && pthread_create(&threads[i], NULL, check_share, &shares[i]) == 0;
		if (!started[i])
			check_share(&shares[i]);
	}
	for (uint64_t i = 0; i < count; i++) {
		if (started[i])
			pthread_join(threads[i], NULL);
		add_share(&shares[i], reply, &any);
	}
}

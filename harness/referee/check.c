#include "referee/check.h"

#include <math.h>
#include <pthread.h>
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
		.exact = test->exact,
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

struct check_finding check_one(const struct check_rule *rule, const struct check_element *element)
{
	struct check_finding finding = {.error = NAN};
	double alpha = rule->alpha, beta = rule->beta;
	double magnitude = alpha != 0 ? fabs(alpha) * element->magnitude : 0;
	double certain = (rule->accumulation + rule->reference) * magnitude;

	finding.want = alpha * element->product;
	if (isfinite(finding.want))
		certain += rule->truncation * fabs(finding.want);
	if (beta != 0) { /* BLAS: C is not read when beta is 0, whatever it holds */
		finding.want += beta * element->c;
		certain += rule->accumulation * fabs(beta * element->c);
	}
	if (rule->tolerance.kind == TOLERANCE_FLAT) {
		finding.bound = rule->tolerance.atol + rule->tolerance.rtol * fabs(finding.want);
	} else if (rule->exact && representable(rule->type, finding.want)) {
		certain = 0;
		finding.bound = 0;
	} else {
		finding.bound = rule->unit * fabs(finding.want) + certain + rule->smallest;
	}
	finding.ratio = ratio_of(rule, element->out, certain, &finding);
	return finding;
}

/* ---- all of C -------------------------------------------------------------- */

/* One thread's share: elements [first, end), and what it found there. */
struct share {
	const struct check_input *input;
	struct check_rule rule;
	uint64_t first, end;
	uint64_t worst_index;
	bool any;
	struct referee_check_reply found;
};

static uint32_t load_bits(const struct check_input *input, uint64_t index)
{
	uint32_t bits = 0; /* x86-64: the low bytes come first */
	size_t size = dtype_size(input->type);
	memcpy(&bits, (const uint8_t *)input->out + index * size, size);
	return bits;
}

static void note(struct share *share, uint64_t index, uint32_t bits, double out,
				 const struct check_finding *finding)
{
	struct referee_check_reply *found = &share->found;
	if (finding->error > found->worst_error)
		found->worst_error = finding->error;
	if (!share->any || finding->ratio > found->worst_ratio) {
		share->any = true;
		found->worst_ratio = finding->ratio;
		share->worst_index = index;
	}
	if (finding->ratio <= 1)
		return;

	uint32_t poison = share->input->type == DTYPE_F32 ? 0xFFFFFFFFu : 0xFFFFu;
	found->wrong++;
	if (share->input->poisoned && bits == poison)
		found->untouched++;
	if (found->shown < CHECK_SHOWN)
		found->first[found->shown++] = (struct wrong_element){
			.row = (int32_t)(index / (uint64_t)share->input->test->shape.n),
			.column = (int32_t)(index % (uint64_t)share->input->test->shape.n),
			.got = out,
			.want = finding->want,
			.bound = finding->bound,
		};
}

static void *check_share(void *argument)
{
	struct share *share = argument;
	const struct check_input *input = share->input;
	const struct device_product *product = &input->product;
	struct check_element element = {0};
	uint32_t block[VALUES_BLOCK] = {0};

	for (uint64_t i = share->first; i < share->end; i++) {
		uint32_t bits = load_bits(input, i);
		if (input->test->beta != 0) {
			if (i % VALUES_BLOCK == 0 || i == share->first)
				values_block(input->type, input->test->c, input->seed, VALUES_STREAM_C,
							 i / VALUES_BLOCK, block);
			element.c = values_to_double(input->type, block[i % VALUES_BLOCK]);
		}
		element.out = values_to_double(input->type, bits);
		element.product = product->product_f64 != NULL ? product->product_f64[i]
													   : (double)product->product_f32[i];
		element.magnitude = (double)product->magnitude[i];
		struct check_finding finding = check_one(&share->rule, &element);
		note(share, i, bits, element.out, &finding);
	}
	return NULL;
}

/* In order of the elements, so that first[] stays row-major. */
static void add_share(const struct share *share, struct referee_check_reply *reply)
{
	const struct referee_check_reply *found = &share->found;
	uint64_t columns = (uint64_t)share->input->test->shape.n;
	if (found->worst_error > reply->worst_error)
		reply->worst_error = found->worst_error;
	if (share->first == 0 || found->worst_ratio > reply->worst_ratio) {
		reply->worst_ratio = found->worst_ratio;
		reply->worst_row = (int32_t)(share->worst_index / columns);
		reply->worst_column = (int32_t)(share->worst_index % columns);
	}
	reply->wrong += found->wrong;
	reply->untouched += found->untouched;
	for (uint32_t i = 0; i < found->shown && reply->shown < CHECK_SHOWN; i++)
		reply->first[reply->shown++] = found->first[i];
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

	reply->elements = elements;
	reply->wrong = reply->untouched = 0;
	reply->worst_ratio = reply->worst_error = 0;
	reply->worst_row = reply->worst_column = 0;
	reply->shown = 0;
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
		add_share(&shares[i], reply);
	}
}

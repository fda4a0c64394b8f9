#include "referee/share.h"

#include <math.h>

#include "referee/rule.h"
#include "testcases/values.h"

void share_begin(struct check_share *share, const struct check_input *input,
				 const struct buffers *buffers)
{
	share->input = input;
	share->rule = check_rule_of(input);
	share->functions = block_functions();
	share->buffers = buffers;
	share->result = (uint32_t)problem_part_index(input->problem, PART_RESULT);
	share->lane = 0;
	share->found = (struct share_found){0};
	for (uint32_t i = 0; i < BUFFERS_MAX; i++)
		share->bits[i].any = false, share->numbers[i].count = 0;
	for (uint32_t i = 0; input->chain != NULL && i < input->chain->count; i++)
		share->stages[i] = stage_find(&input->chain->stages[i]);
}

uint32_t share_before(struct check_share *share, uint32_t buffer, uint64_t index)
{
	struct values values = buffer_values(&share->buffers->at[buffer], share->input->seed);
	struct drawn_bits *drawn = &share->bits[buffer];
	if (!drawn->any || drawn->block != index / VALUES_BLOCK)
		values_block(&values, index / VALUES_BLOCK, drawn->bits);
	drawn->any = true;
	drawn->block = index / VALUES_BLOCK;
	return drawn->bits[index % VALUES_BLOCK];
}

double share_number_before(struct check_share *share, uint32_t buffer, uint64_t index)
{
	struct drawn_numbers *drawn = &share->numbers[buffer];
	if (index - drawn->first >= drawn->count) {
		struct values values = buffer_values(&share->buffers->at[buffer], share->input->seed);
		drawn->first = index / BLOCK_ELEMENTS * BLOCK_ELEMENTS;
		drawn->count = BLOCK_ELEMENTS;
		share->functions->draw(&values, drawn->first, drawn->count, drawn->numbers);
	}
	return drawn->numbers[index - drawn->first];
}

double share_c(struct check_share *share, uint64_t index)
{
	return share->rule.beta == 0 ? 0 : share_number_before(share, share->result, index);
}

uint32_t share_extra(const struct check_share *share, const struct chain_member *member)
{
	return (uint32_t)problem_operands(share->input->problem) + member->buffer;
}

uint64_t share_member_index(const struct check_share *share, const struct chain_member *member,
							uint64_t index)
{
	uint64_t columns = shape_columns(&share->input->test->shape);
	return chain_index(member, columns, index / columns, index % columns);
}

static struct wrong_element element_of(const struct check_share *share, uint64_t index, double out,
									   const struct check_finding *finding)
{
	uint64_t columns = shape_columns(&share->input->test->shape);
	return (struct wrong_element){.row = (int32_t)(index / columns),
								  .column = (int32_t)(index % columns),
								  .got = isnan(out) ? (double)NAN : out, /* of no sign */
								  .want = finding->want,
								  .bound = finding->bound};
}

/* Notes an element's error among all of them, and its ratio if it is the worst so far: of C and of
 * what stages write alike. */
static void note_error(struct check_share *share, const struct type *type, uint64_t index,
					   const struct check_finding *finding)
{
	struct check_summary *found = &share->found.summary;
	struct block_spread *spread = &share->found.spread;
	struct check_spread more = {0};
	check_spread_add(&more, type, finding);
	spread->squares[share->lane] += more.squares;
	spread->expected[share->lane] += more.expected;
	spread->fourth[share->lane] += more.fourth;
	if (finding->error > found->worst_error)
		found->worst_error = finding->error;
	if (!share->found.any || finding->ratio > found->worst_ratio) {
		share->found.any = true;
		found->worst_ratio = finding->ratio;
		share->found.worst_index = index;
	}
}

uint32_t check_flip(const struct problem *problem, const struct test_case *test)
{
	const struct number_format *format = &type_of(problem_part(problem, PART_RESULT)->type)->format;
	bool read = test->scalar[SCALAR_BETA] != 0 && problem_takes(problem, SCALAR_BETA);
	return read ? format->sign : (uint32_t)((1ull << format->bits) - 1);
}

/* The values that made a wrong element. */
struct origin {
	bool unwritten, read, mended, suspect;
};

/* Whether a number is what the result held, as no result comes near, or that and a little more. */
static bool is_carried(const struct check_share *share, double out, double was)
{
	if (share->rule.beta != 0)
		return false;
	if (isnan(was))
		return isnan(out);
	return share->buffers->at[share->result].spec.distribution == VALUES_MARKER &&
		   fabs(out - was) <= fabs(was) / 2;
}

/* From two calls, before which the element held different bits. */
static struct origin origin_of_two(struct check_share *share, uint64_t index, uint32_t bits,
								   const struct check_finding *finding)
{
	const struct check_input *input = share->input;
	const struct number_format *format = &share->rule.type->format;
	uint32_t flip = check_flip(input->problem, input->test);
	uint32_t was = share_before(share, share->result, index), other = was ^ flip;
	uint32_t second = values_load(format, input->second, index);
	bool held = bits == was && second == other && !input->few_hold;
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
	origin.mended = origin.read && (format->is_integer ||
									fabs(again - values_to_double(format, other) - finding->want) <=
										finding->bound);
	return origin;
}

static struct origin origin_of(struct check_share *share, uint64_t index, uint32_t bits, double out,
							   const struct check_finding *finding)
{
	const struct number_format *format = &share->rule.type->format;
	if (share->input->second != NULL)
		return origin_of_two(share, index, bits, finding);
	uint32_t was = share_before(share, share->result, index);
	double number = values_to_double(format, was);
	bool takes_beta = problem_takes(share->input->problem, SCALAR_BETA);
	struct origin origin = {.unwritten = bits == was};
	origin.read =
		!origin.unwritten && isnan(number) && takes_beta && is_carried(share, out, number);
	origin.suspect = origin.unwritten || is_carried(share, out, number) ||
					 (format->is_integer != 0 && share->rule.beta == 0);
	return origin;
}

void share_note(struct check_share *share, uint64_t index, uint32_t bits, double out,
				const struct check_finding *finding)
{
	struct check_summary *found = &share->found.summary;
	uint8_t *marks = share->input->marks;
	note_error(share, share->rule.type, index, finding);
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
	found->mended += origin.mended;
	found->suspect += origin.suspect;
	if (found->shown == CHECK_SHOWN)
		return;
	struct wrong_element *first = &found->first[found->shown++];
	*first = element_of(share, index, out, finding);
	first->unwritten = origin.unwritten;
}

void share_note_extra(struct check_share *share, const struct chain_member *member, uint64_t index,
					  const struct carried *value)
{
	struct check_summary *found = &share->found.summary;
	uint32_t buffer = share_extra(share, member);
	const struct type *type = share->buffers->at[buffer].type;
	uint64_t at = share_member_index(share, member, index);
	uint32_t bits = values_load(&type->format, share->input->written[member->buffer], at);
	double out = values_to_double(&type->format, bits);
	struct check_finding finding = rule_written(&share->rule, type, out, value);
	note_error(share, type, index, &finding);
	if (finding.ratio <= 1 || found->extra_wrong++ > 0)
		return;
	found->extra_buffer = buffer;
	found->extra_first = element_of(share, index, out, &finding);
	found->extra_first.unwritten = bits == share_before(share, buffer, at);
}

static double product_of(const struct device_product *product, uint64_t i)
{
	return product->product_f64 != NULL ? product->product_f64[i] : (double)product->product_f32[i];
}

struct check_element share_element(const struct device_product *product, uint64_t at)
{
	if (product->bounds != NULL)
		return (struct check_element){.bound = &product->bounds[at]};
	return (struct check_element){
		.product = product_of(product, at),
		.magnitude = product->magnitude != NULL ? (double)product->magnitude[at] : 0,
		.rest = product->rest != NULL ? (double)product->rest[at] : 0,
		.squares = product->squares != NULL ? (double)product->squares[at] : 0,
	};
}

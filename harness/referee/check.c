#include "referee/check.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "process/buffers.h"
#include "referee/reduced.h"
#include "referee/rule.h"
#include "testcases/values.h"

#define THREADS_MAX 16
#define ELEMENTS_PER_THREAD (1u << 17)

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
	struct check_summary found;
	struct check_spread spread;
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

/* Which of a member's elements belongs to C's element `index`. */
static uint64_t member_index(const struct share *share, const struct chain_member *member,
							 uint64_t index)
{
	uint64_t columns = shape_columns(&share->input->test->shape);
	return chain_index(member, columns, index / columns, index % columns);
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

/* Notes an element's error among all of them, and its ratio if it is the worst so far: of C and of
 * what stages write alike. */
static void note_error(struct share *share, const struct type *type, uint64_t index,
					   const struct check_finding *finding)
{
	struct check_summary *found = &share->found;
	check_spread_add(&share->spread, type, finding);
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

/* The values that made a wrong element. */
struct origin {
	bool unwritten, read, mended, suspect;
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
	struct check_summary *found = &share->found;
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

/* An element that a stage has written for C's element `index`. */
static void note_extra(struct share *share, const struct chain_member *member, uint64_t index,
					   const struct carried *value)
{
	struct check_summary *found = &share->found;
	uint32_t buffer = extra_of(share, member);
	const struct type *type = share->buffers->at[buffer].type;
	uint64_t at = member_index(share, member, index);
	uint32_t bits = values_load(&type->format, share->input->written[member->buffer], at);
	double out = values_to_double(&type->format, bits);
	struct check_finding finding = rule_written(&share->rule, type, out, value);
	note_error(share, type, index, &finding);
	if (finding.ratio <= 1 || found->extra_wrong++ > 0)
		return;
	found->extra_buffer = buffer;
	found->extra_first = element_of(share, index, out, &finding);
	found->extra_first.unwritten = bits == before(share, buffer, at);
}

/* ---- one element through the stages ------------------------------------------- */

/* Arguments and elements of the stage at this place. */
static void load_members(struct share *share, const struct chain_stage *stage, uint64_t index,
						 double members[CHAIN_MEMBERS_MAX])
{
	for (uint32_t i = 0; i < stage->count; i++) {
		const struct chain_member *member = &stage->members[i];
		members[i] = member->kind == CHAIN_ARGUMENT ? (double)member->value : 0;
		if (member->kind == CHAIN_INPUT)
			members[i] =
				number_before(share, extra_of(share, member), member_index(share, member, index));
	}
}

static struct stage_coordinate coordinate_of(struct share *share, uint64_t index)
{
	uint64_t columns = shape_columns(&share->input->test->shape);
	return (struct stage_coordinate){.type = share->rule.type,
									 .alpha = (double)share->input->test->scalar[SCALAR_ALPHA],
									 .beta = share->rule.beta,
									 .c = draw_c(share, index),
									 .accumulation = share->rule.accumulation,
									 .row = (uint32_t)(index / columns),
									 .column = (uint32_t)(index % columns)};
}

/* What a stage hands over for C's element `index`: it is compared now, or when all are known. */
static void take_written(struct share *share, const struct chain_member *member, uint64_t index,
						 const struct carried *value)
{
	struct reduced *reduced = share->input->reduced[member->buffer];
	if (!chain_is_reduction(member))
		note_extra(share, member, index, value);
	else if (reduced != NULL)
		reduced_add(&reduced[member_index(share, member, index)], value);
}

static void carry(struct share *share, const struct chain_stage *stage, uint64_t index,
				  struct carried *value)
{
	double members[CHAIN_MEMBERS_MAX];
	struct stage_coordinate place = coordinate_of(share, index);
	load_members(share, stage, index, members);
	stage_carry(stage_find(stage), members, &place, value);
}

/* `next`: what the stage gets of the next column; only where it takes two. */
static void run_stage(struct share *share, const struct chain_stage *stage, uint64_t index,
					  struct carried *value, const struct carried *next)
{
	double members[CHAIN_MEMBERS_MAX];
	struct stage_coordinate place = coordinate_of(share, index);
	const struct stage_reference *reference = stage_find(stage);
	struct carried before_stage = *value;
	load_members(share, stage, index, members);
	stage_carry(reference, members, &place, value);
	struct carried written = *value;
	stage_write(reference, members, &place, &written);
	if (reference->gate != NULL && place.column % 2 == 0)
		written = stage_pair(reference, &place, &before_stage, next);
	for (uint32_t i = 0; i < stage->count; i++)
		if (stage->members[i].kind > CHAIN_INPUT &&
			(reference->gate == NULL || place.column % 2 == 0))
			take_written(share, &stage->members[i], index, &written);
}

/* What the stage that was computed elsewhere made of the value. */
static void take_computed(const struct share *share, uint64_t index, struct carried *value)
{
	float y[STAGE_SETS];
	for (int set = 0; set < STAGE_SETS; set++)
		y[set] = share->input->computed->values[set][index];
	stage_take(y, share->rule.type, value);
}

/* And what it wrote. */
static void take_stage(struct share *share, const struct chain_stage *stage, uint64_t index,
					   struct carried *value)
{
	const struct check_stage *computed = share->input->computed;
	uint64_t columns = shape_columns(&share->input->test->shape);
	for (uint32_t i = 0; i < stage->count; i++) {
		const struct chain_member *member = &stage->members[i];
		if (member->kind <= CHAIN_INPUT || (member->columns > 1 && member->kind == CHAIN_OUTPUT &&
											index % columns % member->columns != 0))
			continue;
		struct carried written = *value;
		const struct type *type = share->buffers->at[extra_of(share, member)].type;
		uint64_t at = chain_is_reduction(member) ? index : member_index(share, member, index);
		float y[STAGE_SETS];
		for (int set = 0; set < STAGE_SETS; set++)
			y[set] = (float)values_to_double(
				&type->format, values_load(&type->format, computed->written[set][i], at));
		stage_take(y, type, &written);
		take_written(share, member, index, &written);
	}
	take_computed(share, index, value);
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
		.squares = product->squares != NULL ? (double)product->squares[at] : 0,
	};
}

static struct carried value_begin(const struct share *share, uint64_t i, uint64_t at)
{
	const struct check_input *input = share->input;
	return input->from > 0 || input->computed != NULL
			   ? input->carried[i]
			   : rule_begin(&share->rule, element_at(&input->product, at));
}

/* What stage `stage` gets at the column after element i; behind the row's end, 0. */
static struct carried value_next(struct share *share, uint64_t i, uint64_t at, uint32_t stage)
{
	const struct check_input *input = share->input;
	uint64_t columns = shape_columns(&input->test->shape);
	if (i % columns + 1 == columns)
		return (struct carried){.exact = true};
	struct carried value = value_begin(share, i + 1, at + 1);
	uint32_t next = input->from;
	if (input->computed != NULL) {
		take_computed(share, i + 1, &value);
		next++;
	}
	for (; next < stage; next++)
		carry(share, &input->chain->stages[next], i + 1, &value);
	return value;
}

/* Element i, the `at`th that is looked at. */
static void check_chained(struct share *share, uint64_t i, uint64_t at)
{
	const struct check_input *input = share->input;
	const struct chain *chain = input->chain;
	struct carried value = value_begin(share, i, at), after = {.exact = true};
	uint32_t next = input->from;
	if (input->computed != NULL)
		take_stage(share, &chain->stages[next++], i, &value);
	for (; next < input->to; next++) {
		if (chain_columns(&chain->stages[next]) > 1)
			after = value_next(share, i, at, next);
		run_stage(share, &chain->stages[next], i, &value, &after);
	}
	if (input->to < chain->count) {
		input->carried[i] = value;
		return;
	}
	const struct number_format *format = &share->rule.type->format;
	uint32_t bits = values_load(format, input->out, i);
	double out = values_to_double(format, bits);
	struct check_finding finding = rule_finish(&share->rule, out, &value);
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
static void add_share(const struct share *share, struct check_summary *reply, bool *any)
{
	const struct check_summary *found = &share->found;
	uint64_t columns = shape_columns(&share->input->test->shape);
	reply->spread.squares += share->spread.squares;
	reply->spread.expected += share->spread.expected;
	reply->spread.fourth += share->spread.fourth;
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
	reply->mended += found->mended;
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

/* Element `at` of a reduction. */
static void note_reduced(struct share *share, const struct chain_member *member, uint64_t at,
						 const struct carried *value)
{
	uint64_t columns = shape_columns(&share->input->test->shape);
	uint64_t width = chain_width(member, columns);
	uint64_t row = at / width * member->rows, column = at % width * member->columns;
	note_extra(share, member, row * columns + column, value);
}

/* When all elements have been gone through: the outputs that reduce them. */
static void check_reduced(struct share *share)
{
	const struct check_input *input = share->input;
	const struct shape *shape = &input->test->shape;
	uint32_t end = input->chain != NULL ? input->to : 0;
	for (uint32_t s = input->from; s < end; s++)
		for (uint32_t i = 0; i < input->chain->stages[s].count; i++) {
			const struct chain_member *member = &input->chain->stages[s].members[i];
			const struct stage_reference *reference = stage_find(&input->chain->stages[s]);
			bool elsewhere = member->finish && reference == NULL; /* check_finished() */
			if (!chain_is_reduction(member) || elsewhere || input->reduced[member->buffer] == NULL)
				continue;
			uint64_t count = chain_elements(member, shape_rows(shape), shape_columns(shape));
			for (uint64_t at = 0; at < count; at++) {
				struct carried value =
					reduced_value(&input->reduced[member->buffer][at], member->kind);
				if (member->finish)
					stage_finish(reference, &value);
				note_reduced(share, member, at, &value);
			}
		}
}

void check_finished(const struct check_input *input, uint32_t stage, struct check_summary *reply)
{
	const struct shape *shape = &input->test->shape;
	const struct chain_member *member = chain_finish(&input->chain->stages[stage]);
	struct buffers buffers;
	struct share share = {.input = input, .rule = check_rule_of(input), .buffers = &buffers};
	bool any = true;
	buffers_of_case(input->problem, input->test, input->chain, &buffers);
	uint64_t count = chain_elements(member, shape_rows(shape), shape_columns(shape));
	for (uint64_t at = 0; at < count; at++) {
		float y[STAGE_SETS];
		struct carried value = reduced_value(&input->reduced[member->buffer][at], member->kind);
		for (int set = 0; set < STAGE_SETS; set++)
			y[set] = input->computed->finished[set][at];
		stage_take(y, type_of(DTYPE_F32), &value);
		note_reduced(&share, member, at, &value);
	}
	add_share(&share, reply, &any);
	reply->rms_ratio = check_spread_ratio(&reply->spread);
}

static void clear(struct check_summary *reply)
{
	reply->wrong = reply->untouched = reply->suspect = reply->extra_wrong = 0;
	reply->read = reply->mended = 0;
	reply->worst_ratio = reply->worst_error = reply->rms_ratio = 0;
	reply->spread = (struct check_spread){0};
	reply->worst_row = reply->worst_column = 0;
	reply->shown = 0;
}

void check_outputs(const struct check_input *input, struct check_summary *reply)
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
	if (input->chain != NULL && chain_reduces(input->chain)) /* into one place */
		count = 1;

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
						   .first = rows * i / count * shape_columns(shape),
						   .end = rows * (i + 1) / count * shape_columns(shape)};
	check_shares(shares, count);
	check_reduced(&shares[0]);
	for (uint64_t i = 0; i < count; i++)
		add_share(&shares[i], reply, &any);
	reply->rms_ratio = check_spread_ratio(&reply->spread);
}

#include "referee/check.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "process/buffers.h"
#include "referee/block.h"
#include "referee/chained.h"
#include "referee/reduced.h"
#include "referee/share.h"

#define THREADS_MAX 16
#define SHARES_MAX 64
#define ELEMENTS_PER_SHARE (1u << 17)

/* A comparison in shares, which threads take one after the other. The shares follow from the number
 * of elements alone, and so what is found, as sums depend on their order. */
struct comparison {
	const struct check_input *input;
	struct buffers buffers; /* of the case */
	uint64_t rows;          /* that are looked at */
	uint32_t shares;
	atomic_uint next;
	struct share_found found[SHARES_MAX];
};

/* ---- elements without a chain ------------------------------------------------------- */

static void check_each(struct check_share *share, uint64_t i, uint64_t at)
{
	const struct check_input *input = share->input;
	const struct number_format *format = &share->rule.type->format;
	uint32_t bits = values_load(format, input->out, i);
	struct check_element element = share_element(&input->product, at);
	element.out = values_to_double(format, bits);
	element.c = share_c(share, i);
	struct check_finding finding = check_one(&share->rule, &element);
	share_note(share, i, bits, element.out, &finding);
}

static void check_alone(struct check_share *share, uint64_t i, uint64_t at)
{
	if (share->input->chain != NULL)
		chained_element(share, i, at);
	else
		check_each(share, i, at);
}

/* What the device has not remains 0. */
static void widen(const struct check_share *share, const float *from, uint64_t at, uint32_t count,
				  double *out)
{
	if (from != NULL)
		share->functions->widen(from + at, count, out);
}

/* C before the call. */
static void load_c(struct check_share *share, uint64_t i, uint32_t count, double *out)
{
	double drawn[BLOCK_ELEMENTS + VALUES_BLOCK];
	uint32_t skipped = (uint32_t)(i % VALUES_BLOCK);
	struct values values = buffer_values(&share->buffers->at[share->result], share->input->seed);
	share->functions->draw(&values, i - skipped, count + skipped, drawn);
	memcpy(out, drawn + skipped, count * sizeof *out);
}

/* Elements i and on, the `at`th and on of those that are looked at. */
static void load_block(struct check_share *share, uint64_t i, uint64_t at, uint32_t count,
					   struct block *block)
{
	const struct check_input *input = share->input;
	const struct device_product *product = &input->product;
	if (count < BLOCK_ELEMENTS)
		memset(block, 0, sizeof *block);
	share->functions->load(&share->rule.type->format, input->out, i, count, block->out);
	if (product->product_f64 != NULL)
		memcpy(block->product, product->product_f64 + at, count * sizeof *block->product);
	else
		widen(share, product->product_f32, at, count, block->product);
	widen(share, product->magnitude, at, count, block->magnitude);
	widen(share, product->squares, at, count, block->squares);
	widen(share, product->rest, at, count, block->rest);
	if (share->rule.beta != 0 && input->chain == NULL)
		load_c(share, i, count, block->c);
}

/* One by one, as some are wrong, or no ordinary ones. */
static void note_block(struct check_share *share, uint64_t i, uint64_t at, uint32_t count,
					   const struct block *block)
{
	for (uint32_t k = 0; k < count; k++) {
		struct check_finding finding = {.ratio = block->ratio[k],
										.want = block->want[k],
										.bound = block->bound[k],
										.error = block->error[k],
										.excess = block->excess[k],
										.deviation = block->deviation[k]};
		share->lane = k % BLOCK_LANES;
		if (isnan(finding.ratio))
			check_alone(share, i + k, at + k);
		else
			share_note(share, i + k,
					   values_load(&share->rule.type->format, share->input->out, i + k),
					   block->out[k], &finding);
	}
}

static void check_block(struct check_share *share, uint64_t i, uint64_t at, uint32_t count,
						struct block *block)
{
	struct share_found *found = &share->found;
	load_block(share, i, at, count, block);
	struct block_sums sums = share->input->chain != NULL
								 ? chained_block(share, i, count, block)
								 : share->functions->find(&share->rule, block, &found->spread);
	if (!sums.right) {
		note_block(share, i, at, count, block);
		return;
	}
	if (share->input->marks != NULL)
		memset(share->input->marks + i, 0, count);
	if (sums.worst_error > found->summary.worst_error)
		found->summary.worst_error = sums.worst_error;
	if (found->any && !(sums.worst_ratio > found->summary.worst_ratio))
		return;
	uint32_t worst = 0;
	while (block->ratio[worst] != sums.worst_ratio)
		worst++;
	found->any = true;
	found->summary.worst_ratio = sums.worst_ratio;
	found->worst_index = i + worst;
}

/* ---- all of C -------------------------------------------------------------- */

/* Elements [at, end) of those that are looked at, of which no block goes on in another row where
 * only some rows are. */
static void check_elements(struct check_share *share, uint64_t at, uint64_t end)
{
	const struct check_input *input = share->input;
	uint64_t columns = shape_columns(&input->test->shape);
	bool in_blocks = input->product.bounds == NULL && !share->rule.type->format.is_integer &&
					 (input->chain == NULL || chained_in_blocks(share));
	struct block block;
	memset(&block, 0, sizeof block);
	for (uint32_t count; at < end; at += count) {
		uint64_t i = at, left = end - at;
		if (input->rows != NULL) {
			i = input->rows[at / columns] * columns + at % columns;
			left = columns - at % columns;
		}
		count = left < BLOCK_ELEMENTS ? (uint32_t)left : BLOCK_ELEMENTS;
		for (uint32_t k = 0; k < count && !in_blocks; k++) {
			share->lane = k % BLOCK_LANES;
			check_alone(share, i + k, at + k);
		}
		if (in_blocks)
			check_block(share, i, at, count, &block);
	}
}

static void *check_shares(void *argument)
{
	struct comparison *comparison = argument;
	uint64_t columns = shape_columns(&comparison->input->test->shape), rows = comparison->rows;
	struct check_share share;
	share_begin(&share, comparison->input, &comparison->buffers);
	for (;;) {
		uint32_t number = atomic_fetch_add(&comparison->next, 1);
		if (number >= comparison->shares)
			return NULL;
		share.found = (struct share_found){0};
		check_elements(&share, rows * number / comparison->shares * columns,
					   rows * (number + 1) / comparison->shares * columns);
		comparison->found[number] = share.found;
	}
}

/* In order of the elements, so that first[] stays row-major. */
static void add_found(const struct share_found *share, uint64_t columns,
					  struct check_summary *reply, bool *any)
{
	const struct check_summary *found = &share->summary;
	for (uint32_t i = 0; i < BLOCK_LANES; i++) {
		reply->spread.squares += share->spread.squares[i];
		reply->spread.expected += share->spread.expected[i];
		reply->spread.fourth += share->spread.fourth[i];
	}
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

/* In so many threads at most, of which this one is the last. */
static void run_threads(struct comparison *comparison, uint32_t count)
{
	pthread_t threads[THREADS_MAX];
	uint32_t started = 0;
	while (started + 1 < count &&
		   pthread_create(&threads[started], NULL, check_shares, comparison) == 0)
		started++;
	check_shares(comparison);
	while (started > 0)
		pthread_join(threads[--started], NULL);
}

/* What stages have reduced, when all elements have been gone through. */
static void add_reduced(const struct comparison *comparison, struct check_summary *reply, bool *any)
{
	struct check_share share;
	share_begin(&share, comparison->input, &comparison->buffers);
	chained_reduced(&share);
	add_found(&share.found, shape_columns(&comparison->input->test->shape), reply, any);
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
	struct comparison comparison = {.input = input};
	const struct shape *shape = &input->test->shape;
	uint64_t columns = shape_columns(shape);
	comparison.rows = input->rows != NULL ? input->row_count : shape_rows(shape);
	reply->elements = comparison.rows * columns;
	uint64_t shares = reply->elements / ELEMENTS_PER_SHARE + 1;
	comparison.shares = shares < SHARES_MAX ? (uint32_t)shares : SHARES_MAX;
	uint32_t threads = comparison.shares < THREADS_MAX ? comparison.shares : THREADS_MAX;
	if (threads > input->threads)
		threads = input->threads;
	if (input->chain != NULL && chain_reduces(input->chain)) /* into one place */
		threads = 1;

	bool first = input->chain == NULL || (input->from == 0 && input->computed == NULL);
	bool any = !first;
	if (first)
		clear(reply);
	buffers_of_case(input->problem, input->test, input->chain, &comparison.buffers);
	run_threads(&comparison, threads);
	for (uint32_t i = 0; i < comparison.shares; i++)
		add_found(&comparison.found[i], columns, reply, &any);
	if (input->chain != NULL)
		add_reduced(&comparison, reply, &any);
	reply->rms_ratio = check_spread_ratio(&reply->spread);
}

void check_finished(const struct check_input *input, uint32_t stage, struct check_summary *reply)
{
	const struct shape *shape = &input->test->shape;
	const struct chain_member *member = chain_finish(&input->chain->stages[stage]);
	struct buffers buffers;
	struct check_share share;
	bool any = true;
	buffers_of_case(input->problem, input->test, input->chain, &buffers);
	share_begin(&share, input, &buffers);
	uint64_t count = chain_elements(member, shape_rows(shape), shape_columns(shape));
	for (uint64_t at = 0; at < count; at++) {
		float y[STAGE_SETS];
		struct carried value = reduced_value(&input->reduced[member->buffer][at], member->kind);
		for (int set = 0; set < STAGE_SETS; set++)
			y[set] = input->computed->finished[set][at];
		stage_take(y, type_of(DTYPE_F32), &value);
		chained_note_reduced(&share, member, at, &value);
	}
	add_found(&share.found, shape_columns(shape), reply, &any);
	reply->rms_ratio = check_spread_ratio(&reply->spread);
}

#include "referee/referee.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "referee/check.h"
#include "referee/diagnosis.h"
#include "referee/reduced.h"
#include "referee/reference.h"
#include "referee/spot.h"
#include "testcases/derive.h"
#include "testcases/problem_file.h"
#include "testcases/values.h"

#define SETS_MAX 65536u

/* ---- the arena ---------------------------------------------------------------- */

static struct device_region region_of(const struct arena *arena, uint64_t offset, uint64_t bytes,
									  uint32_t set, uint32_t sets)
{
	return (struct device_region){.offset = offset + set * arena->set_stride,
								  .bytes = bytes,
								  .stride = arena->set_stride,
								  .sets = sets};
}

static struct device_region buffer_region(const struct arena *arena, uint32_t buffer, uint32_t set,
										  uint32_t sets)
{
	const struct arena_buffer *at = &arena->buffers[buffer];
	return region_of(arena, at->offset, at->bytes, set, sets);
}

/* The band before (side 0) or behind (side 1) a buffer. */
static struct device_region guard_region(const struct arena *arena, uint32_t buffer, int side,
										 uint32_t set, uint32_t sets)
{
	const struct arena_buffer *at = &arena->buffers[buffer];
	if (side == 0)
		return region_of(arena, at->offset - GUARD_BYTES, GUARD_BYTES, set, sets);
	uint64_t end = at->offset + at->bytes;
	uint64_t aligned = (end + BUFFERS_ALIGNMENT - 1) / BUFFERS_ALIGNMENT * BUFFERS_ALIGNMENT;
	return region_of(arena, end, aligned - end + GUARD_BYTES, set, sets);
}

static bool is_output(const struct referee *referee, uint32_t buffer)
{
	return referee->buffers.at[buffer].role != ROLE_INPUT;
}

/* Of the sets; `inputs`: those that a call only reads, too; `flip`: of the result. */
static bool fill_buffers(struct referee *referee, bool inputs, uint32_t flip, struct error *err)
{
	size_t result = problem_part_index(referee->problem, PART_RESULT);
	for (uint32_t i = 0; i < referee->buffers.count; i++) {
		struct device_region region = buffer_region(&referee->arena, i, 0, referee->drawn);
		struct values values = buffer_values(&referee->buffers.at[i], referee->seed);
		values.flip = i == result ? flip : 0;
		if ((inputs || is_output(referee, i)) &&
			!referee->device->fill(referee->state, &region, &values, err))
			return false;
	}
	return true;
}

static bool fill_guards(struct referee *referee, struct error *err)
{
	for (uint32_t i = 0; i < 2 * referee->buffers.count; i++) {
		struct device_region region =
			guard_region(&referee->arena, i / 2, i % 2, 0, referee->arena.sets);
		if (!referee->device->set_bytes(referee->state, &region, GUARD_PATTERN, err))
			return false;
	}
	return true;
}

static bool test_is_sound(const struct problem *problem, const struct test_case *test,
						  struct error *err)
{
	struct shape derived = test->shape;
	shape_derive(problem, &derived);
	if (memcmp(&derived, &test->shape, sizeof derived) != 0)
		return error_set(err, "sizes that do not follow from those of %s", problem->name);
	for (int i = 0; i < SIZE_NAMED && problem->file == NULL; i++) {
		int32_t size = test->shape.size[i];
		if (size < 1 || size > SIZE_LARGEST)
			return error_set(err, "a size of %d: each must be from 1 to %d", (int)size,
							 SIZE_LARGEST);
		if (size != 1 && problem_size_of(problem, (enum size)i) == NULL)
			return error_set(err, "a size of %d that %s has not", (int)size, problem->name);
	}
	return shape_holds(problem, &test->shape, err) &&
		   shape_is_countable(problem, &test->shape, err) && case_holds(problem, test, err);
}

/* Its buffers are numbered as chain_parse() does. */
static bool chain_is_sound(const struct chain *chain, struct error *err)
{
	bool sound = chain->count <= CHAIN_STAGES_MAX && chain->buffers <= CHAIN_BUFFERS_MAX;
	for (uint32_t i = 0; sound && i < chain->count; i++)
		sound = chain->stages[i].count <= CHAIN_MEMBERS_MAX;
	for (uint32_t i = 0; sound && i < chain->buffers; i++) {
		const struct chain_stage *stage;
		sound = chain_buffer(chain, i, &stage) != NULL;
	}
	return sound || error_set(err, "an epilogue that cannot be");
}

static uint32_t custom_stages(const struct chain *chain)
{
	uint32_t custom = 0;
	for (uint32_t i = 0; i < chain->count; i++)
		if (stage_find(&chain->stages[i]) == NULL)
			custom |= 1u << i;
	return custom;
}

static bool group_is_sound(const struct referee_case *request)
{
	uint32_t group = request->group;
	return group == 0 || (group <= GROUP_MAX && request->sets % group == 0);
}

bool referee_case(struct referee *referee, const struct referee_case *request, int *fd,
				  struct error *err)
{
	char name[sizeof request->problem];
	*fd = -1;
	if (referee->device == NULL)
		return error_set(err, "a case before the device is open");
	memcpy(name, request->problem, sizeof name);
	name[sizeof name - 1] = '\0';
	referee->has_case = referee->has_product = referee->explainable = referee->arranged = false;
	stage_exchange_close(&referee->stage_exchange);
	exchange_close(&referee->reference);
	if (request->problem_file[0] != '\0') {
		if (!problem_add(request->problem_file, &referee->problem, err))
			return false;
	} else {
		referee->problem = problem_find(name);
	}
	if (referee->problem == NULL)
		return error_set(err, "unknown problem \"%s\"", name);
	if (!test_is_sound(referee->problem, &request->test, err) ||
		!chain_is_sound(&request->chain, err))
		return false;
	if (request->sets < 1 || request->sets > SETS_MAX)
		return error_set(err, "%u sets of buffers: 1 to %u may be", request->sets, SETS_MAX);
	if (!group_is_sound(request))
		return error_set(err, "%u sets in groups of %u", request->sets, request->group);

	struct arena arena = {.sets = request->sets};
	buffers_of_case(referee->problem, &request->test, &request->chain, &referee->buffers);
	buffers_lay_out(&referee->buffers, &arena);
	arena.bytes = arena.sets * arena.set_stride;
	referee->group = request->group;
	referee->drawn = request->first != 0 ? 1 : request->sets;
	if (referee->group > 0
			? !referee->device->sealed_arena(referee->state, &arena, referee->group, err)
			: !referee->device->arena(referee->state, arena.bytes, &arena, fd, err))
		return false;
	referee->test = request->test;
	referee->chain = request->chain;
	referee->custom = custom_stages(&referee->chain);
	referee->seed = request->test.seed;
	referee->arena = arena;
	if (!fill_guards(referee, err) || !fill_buffers(referee, true, 0, err) ||
		(referee->group > 0 && !referee->device->sweep_cache(referee->state, err)))
		return false;
	referee->has_case = true;
	return true;
}

bool referee_reset(struct referee *referee, uint64_t fresh, struct error *err)
{
	if (!referee->has_case)
		return error_set(err, "a reset before any case");
	if (fresh != 0) {
		referee->seed = fresh;
		referee->has_product = referee->explainable = false;
	}
	return fill_buffers(referee, fresh != 0, 0, err) && fill_guards(referee, err) &&
		   referee->device->sweep_cache(referee->state, err);
}

bool referee_descriptor(struct referee *referee, uint32_t group, int *fd, struct error *err)
{
	if (!referee->has_case || referee->group == 0)
		return error_set(err, "the case is not sealed");
	return referee->device->group_descriptor(referee->state, group, fd, err);
}

/* ---- checking ------------------------------------------------------------------ */

struct guard_finding {
	uint64_t changed;     /* bytes that are not GUARD_PATTERN */
	uint64_t first, last; /* index of the first and the last of them in the band */
};

static struct guard_finding scan_guard(const uint8_t *band, uint64_t bytes)
{
	struct guard_finding found = {0};
	for (uint64_t i = 0; i < bytes; i++) {
		if (band[i] == GUARD_PATTERN)
			continue;
		if (found.changed++ == 0)
			found.first = i;
		found.last = i;
	}
	return found;
}

/* Keeps the changed guard byte that lies nearest to its buffer. */
static void note_guard(struct check_summary *reply, uint32_t buffer, int side, uint64_t bytes,
					   const struct guard_finding *found)
{
	if (found->changed == 0)
		return;
	int64_t distance = side == 0 ? (int64_t)found->last - (int64_t)bytes : (int64_t)found->first;
	int64_t steps = distance < 0 ? -distance : distance + 1;
	int64_t known = reply->guard_nearest < 0 ? -reply->guard_nearest : reply->guard_nearest + 1;
	if (reply->guard_changed == 0 || steps < known) {
		reply->guard_nearest = distance;
		reply->guard_buffer = buffer;
	}
	reply->guard_changed += found->changed;
}

static bool check_guards(struct referee *referee, uint32_t set, struct check_summary *reply,
						 struct error *err)
{
	for (uint32_t i = 0; i < 2 * referee->buffers.count; i++) {
		uint8_t band[GUARD_BYTES + BUFFERS_ALIGNMENT];
		struct device_region region = guard_region(&referee->arena, i / 2, i % 2, set, 1);
		if (!referee->device->read(referee->state, region.offset, region.bytes, band, err))
			return false;
		struct guard_finding found = scan_guard(band, region.bytes);
		note_guard(reply, i / 2, (int)(i % 2), region.bytes, &found);
	}
	return true;
}

bool referee_guards_hold(struct referee *referee, struct error *err)
{
	struct check_summary found = {0};
	if (!referee->has_case || referee->group > 0)
		return true;
	return check_guards(referee, 0, &found, err) &&
		   (found.guard_changed == 0 ||
			error_set(err, "memory around the buffers of an earlier case was written to"));
}

static bool check_inputs(struct referee *referee, uint32_t set, struct check_summary *reply,
						 struct error *err)
{
	for (uint32_t i = 0; i < referee->buffers.count; i++) {
		struct device_region region = buffer_region(&referee->arena, i, set, 1);
		struct values values = buffer_values(&referee->buffers.at[i], referee->seed + set);
		if (!is_output(referee, i) &&
			!referee->device->count_changed(referee->state, &region, &values, &reply->changed[i],
											err))
			return false;
	}
	return true;
}

static bool reserve(void **memory, uint64_t *capacity, uint64_t bytes, struct error *err)
{
	if (bytes <= *capacity)
		return true;
	void *grown = realloc(*memory, bytes); /* pages that it has need not be made again */
	if (grown == NULL)
		return error_set(err, "no memory for results: %llu bytes", (unsigned long long)bytes);
	*memory = grown;
	*capacity = bytes;
	return true;
}

/* All of an output, or the rows that are compared, each to its place. */
static bool read_output(struct referee *referee, struct device_region region, uint8_t *to,
						struct error *err)
{
	uint64_t row_bytes = region.bytes / shape_rows(&referee->test.shape);
	if (referee->row_count == 0)
		return referee->device->read(referee->state, region.offset, region.bytes, to, err);
	for (uint32_t i = 0; i < referee->row_count; i++) {
		uint64_t at = referee->rows[i] * row_bytes;
		if (!referee->device->read(referee->state, region.offset + at, row_bytes, to + at, err))
			return false;
	}
	return true;
}

static bool read_outputs(struct referee *referee, uint32_t set, struct error *err)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < referee->buffers.count; i++)
		if (is_output(referee, i))
			bytes += referee->arena.buffers[i].bytes + BUFFERS_ALIGNMENT;
	if (!reserve(&referee->output, &referee->output_capacity, bytes, err))
		return false;
	uint8_t *to = referee->output;
	for (uint32_t i = 0; i < referee->buffers.count; i++) {
		struct device_region region = buffer_region(&referee->arena, i, set, 1);
		referee->outputs[i] = NULL;
		if (!is_output(referee, i))
			continue;
		if (!read_output(referee, region, to, err))
			return false;
		referee->outputs[i] = to;
		to += (region.bytes + BUFFERS_ALIGNMENT - 1) / BUFFERS_ALIGNMENT * BUFFERS_ALIGNMENT;
	}
	return true;
}

static bool find_product(struct referee *referee, uint32_t set, struct error *err)
{
	if (referee->has_product && referee->product_set == set && referee->row_count == 0)
		return true;
	if (referee->problem->file != NULL)
		return error_set(err, "a check before the reference of %s", referee->problem->name);
	struct device_request request =
		reference_request(referee->problem, &referee->test, referee->seed + set);
	request.rows = referee->row_count > 0 ? referee->rows : NULL;
	request.row_count = referee->row_count;
	referee->has_product = false;
	const double begun = clock_seconds();
	if (!referee->device->product(referee->state, &request, &referee->product, err))
		return false;
	referee->seconds[PART_REFERENCE] += (float)(clock_seconds() - begun);
	referee->spot_checks = referee->spot_disagreements = 0;
	if (referee->row_count > 0)
		return true;
	referee->spot_checks = SPOT_CHECKS;
	referee->spot_disagreements = spot_check(&request, &referee->product);
	referee->product_set = set;
	referee->has_product = true;
	return true;
}

static bool is_plain(const struct referee *referee)
{
	return referee->checked.plain || chain_is_plain(&referee->chain);
}

static struct check_input input_of(struct referee *referee)
{
	uint32_t operands = (uint32_t)problem_operands(referee->problem);
	struct check_input input = {
		.problem = referee->problem,
		.test = &referee->test,
		.seed = referee->seed + referee->checked.set,
		.out = referee->outputs[problem_part_index(referee->problem, PART_RESULT)],
		.product = referee->product,
		.tolerance = referee->checked.tolerance,
		.threads = referee->threads,
		.chain = is_plain(referee) ? NULL : &referee->chain,
		.rows = referee->row_count > 0 ? referee->rows : NULL,
		.row_count = referee->row_count,
		.carried = referee->carried,
	};
	input.second = referee->has_second ? referee->second : NULL;
	input.adds = referee->adds;
	input.few_hold = referee->few_hold;
	for (uint32_t i = 0; i < referee->chain.buffers; i++)
		input.written[i] = referee->outputs[operands + i];
	return input;
}

/* With what the chain's reductions should be. */
static struct check_input input_with_reduced(struct referee *referee)
{
	struct check_input input = input_of(referee);
	memcpy(input.reduced, referee->reduced_of, sizeof input.reduced);
	return input;
}

/* The chain from stage `from` on, up to the next custom stage or to its end. */
static bool check_part(struct referee *referee, uint32_t from, const struct check_stage *computed,
					   struct check_summary *reply, struct error *err)
{
	const struct shape *shape = &referee->test.shape;
	uint32_t to = computed != NULL ? from + 1 : from;
	while (to < referee->chain.count && (referee->custom & 1u << to) == 0)
		to++;
	referee->next = is_plain(referee) ? referee->chain.count : to;
	if (referee->next < referee->chain.count &&
		!reserve(&referee->carried, &referee->carried_capacity,
				 shape_rows(shape) * shape_columns(shape) * sizeof(struct carried), err))
		return false;
	const struct chain *chain = is_plain(referee) ? NULL : &referee->chain;
	if (!reduced_begin(chain, shape, &referee->reduced, &referee->reduced_capacity,
					   referee->reduced_of, err))
		return false;
	struct check_input input = input_with_reduced(referee);
	input.from = from;
	input.to = to;
	input.computed = computed;
	check_outputs(&input, &referee->reply);
	*reply = referee->reply;
	return true;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Different rows of one batch; all, where there are no more. */
static bool draw_rows(struct referee *referee, uint32_t wanted, struct error *err)
{
	const struct shape *shape = &referee->test.shape;
	uint64_t drawn, seed, height = (uint64_t)shape->size[SIZE_M];
	if (!random_draw(&drawn, err) || !random_draw(&seed, err))
		return false;
	uint64_t first = drawn % (uint64_t)shape->size[SIZE_BATCH] * height;
	if (wanted > CHECK_ROWS_MAX)
		wanted = CHECK_ROWS_MAX;
	if (wanted > height)
		wanted = (uint32_t)height;
	for (uint64_t i = 0; referee->row_count < wanted; i++) {
		struct values_words words = values_random(seed, VALUES_STREAM_SPOT, i);
		uint64_t row = first + ((uint64_t)words.word[0] << 32 | words.word[1]) % height;
		bool known = false;
		for (uint32_t j = 0; j < referee->row_count; j++)
			known = known || referee->rows[j] == row;
		if (!known)
			referee->rows[referee->row_count++] = row;
	}
	qsort(referee->rows, wanted, sizeof *referee->rows, ascending);
	return true;
}

static bool rows_alone(const struct referee *referee)
{
	return referee->device->rows_alone && referee->problem->algebra != ALGEBRA_SHORTEST_PATHS &&
		   referee->problem->file == NULL &&
		   (is_plain(referee) || (referee->custom == 0 && !chain_reduces(&referee->chain)));
}

/* Copies the outputs to where nobody else can reach them, and looks at their digests there. */
static bool copy_outputs(struct referee *referee, const struct referee_check *request,
						 struct error *err)
{
	_Static_assert(BUFFERS_MAX <= 64, "a bit for each buffer");
	for (uint32_t i = 0; i < referee->buffers.count; i++) {
		struct device_region from = buffer_region(&referee->arena, i, request->set, 1);
		struct device_region to = buffer_region(&referee->arena, i, referee->arena.sets, 1);
		struct digest now;
		if (!is_output(referee, i))
			continue;
		if (!referee->device->copy(referee->state, from.offset, to.offset, to.bytes, err) ||
			!referee->device->digest(referee->state, to.offset, to.bytes, &now, err))
			return false;
		if (memcmp(&now, &request->digests[i], sizeof now) != 0)
			referee->reply.altered |= (uint64_t)1 << i;
	}
	return true;
}

/* Outputs first: what the solution left when it said that it was done. */
static bool take_outputs(struct referee *referee, const struct referee_check *request,
						 struct error *err)
{
	const bool sealed = referee->group > 0;
	referee->row_count = 0;
	return (!sealed || copy_outputs(referee, request, err)) &&
		   (request->rows == 0 || !rows_alone(referee) || draw_rows(referee, request->rows, err)) &&
		   read_outputs(referee, sealed ? referee->arena.sets : request->set, err);
}

bool referee_check(struct referee *referee, const struct referee_check *request,
				   struct check_summary *reply, struct error *err)
{
	if (!referee->has_case || referee->arranged)
		return error_set(err, "a check before any case");
	if (request->set >= referee->arena.sets)
		return error_set(err, "there is no set %u: the case has %u", request->set,
						 referee->arena.sets);
	referee->reply = (struct check_summary){0};
	referee->checked = *request;
	referee->explainable = referee->has_second = referee->adds = referee->few_hold = false;
	referee->finishing = 0;
	stage_exchange_close(&referee->stage_exchange);
	if (!take_outputs(referee, request, err) ||
		!check_guards(referee, request->set, &referee->reply, err) ||
		!check_inputs(referee, request->set, &referee->reply, err) ||
		!find_product(referee, request->set, err) || !referee_note_digest(referee, err))
		return false;
	referee->reply.reference_spot_checks = referee->spot_checks;
	referee->reply.reference_disagreements = referee->spot_disagreements;
	if (!check_part(referee, 0, NULL, reply, err))
		return false;
	/* Values that went through custom stages are gone by then. */
	referee->explainable = referee->has_product && (is_plain(referee) || referee->custom == 0);
	return true;
}

bool referee_refill(struct referee *referee, struct error *err)
{
	if (!referee->has_case || !referee->explainable || referee->group > 0)
		return error_set(err, "another result before any check of the case");
	uint32_t flip = check_flip(referee->problem, &referee->test);
	return fill_buffers(referee, false, flip, err) && fill_guards(referee, err);
}

#define FEW_OF 64 /* a sum in half that is off may be 0 in one of some thousand elements */

bool referee_recheck(struct referee *referee, struct check_summary *reply, struct error *err)
{
	if (!referee->has_case || !referee->explainable || referee->group > 0)
		return error_set(err, "a second look before any check of the case");
	uint32_t result = (uint32_t)problem_part_index(referee->problem, PART_RESULT);
	struct device_region region = buffer_region(&referee->arena, result, referee->checked.set, 1);
	if (!reserve(&referee->second, &referee->second_capacity, region.bytes, err) ||
		!referee->device->read(referee->state, region.offset, region.bytes, referee->second, err))
		return false;
	referee->has_second = true;
	referee->adds = referee->few_hold = false;
	if (!check_part(referee, 0, NULL, reply, err))
		return false;
	referee->adds = reply->read > reply->untouched;
	referee->few_hold =
		referee->test.scalar[SCALAR_BETA] == 1.0f && reply->untouched * FEW_OF < reply->wrong;
	return (!referee->adds && !referee->few_hold) || check_part(referee, 0, NULL, reply, err);
}

bool referee_explain(struct referee *referee, struct wrong_pattern *facts, struct error *err)
{
	*facts = (struct wrong_pattern){0};
	if (!referee->has_case)
		return error_set(err, "nothing to explain before any case");
	if (!referee->explainable)
		return true;
	struct check_input input = input_of(referee);
	input.to = referee->chain.count;
	diagnosis_result(&input, facts);
	return true;
}

bool referee_stage_open(struct referee *referee, uint32_t stage, struct referee_stage_reply *reply,
						int *fd, struct error *err)
{
	*fd = -1;
	bool finishing = referee->finishing == stage + 1;
	if (!referee->has_case || stage >= referee->chain.count ||
		(!finishing && referee->next != stage))
		return error_set(err, "stage %u of the epilogue is not what comes next", stage);
	struct check_input input = input_with_reduced(referee);
	if (!stage_exchange_open(&referee->stage_exchange, &input, stage, finishing, err))
		return false;
	reply->arena = referee->stage_exchange.exchange.arena;
	*fd = referee->stage_exchange.exchange.fd;
	return true;
}

bool referee_stage_close(struct referee *referee, uint32_t stage, struct check_summary *reply,
						 struct error *err)
{
	struct stage_exchange *exchange = &referee->stage_exchange;
	if (!exchange->exchange.open || exchange->stage != stage)
		return error_set(err, "stage %u of the epilogue is not being run", stage);
	struct check_stage results = stage_exchange_results(exchange, &referee->chain.stages[stage]);
	bool good = true;
	referee->finishing = 0;
	if (exchange->finishing) {
		struct check_input input = input_with_reduced(referee);
		input.computed = &results;
		check_finished(&input, stage, &referee->reply);
		*reply = referee->reply;
	} else {
		good = check_part(referee, stage, &results, reply, err);
		referee->finishing = chain_finish(&referee->chain.stages[stage]) != NULL ? stage + 1 : 0;
	}
	stage_exchange_close(exchange);
	return good;
}

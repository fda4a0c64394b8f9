#include "referee/referee.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "referee/check.h"
#include "referee/layout.h"
#include "referee/spot.h"
#include "testcases/values.h"

#define SETS_MIN 4u
#define SETS_MAX 65536u

/* ---- opening ---------------------------------------------------------------- */

static const struct referee_device *find_device(const struct device_choice *choice,
												struct error *err)
{
	char build[PATHS_MAX], folder[PATHS_MAX], source[PATHS_MAX];
	struct error ignored;
	if (choice->kind == DEVICE_EMULATED)
		return referee_device_emulated();
	if (choice->kind != DEVICE_CUDA) {
		error_set(err, "unknown kind of device %d", (int)choice->kind);
		return NULL;
	}
	if (!paths_build(build, err) || !paths_join(folder, build, "libexec", err))
		return NULL;
	if (!paths_source(source, &ignored)) /* only where a fetched toolkit might be */
		source[0] = '\0';
	return referee_device_cuda_load(folder, source, err);
}

bool referee_open(struct referee *referee, const struct device_choice *choice, struct error *err)
{
	referee_close(referee);
	const struct referee_device *device = find_device(choice, err);
	if (device == NULL || !device->open(choice, &referee->state, &referee->facts, err))
		return false;
	referee->device = device;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	referee->threads = processors > 1 ? (unsigned)processors : 1;
	return true;
}

void referee_close(struct referee *referee)
{
	if (referee->device != NULL)
		referee->device->close(referee->state);
	elsewhere_close(&referee->elsewhere);
	free(referee->output);
	free(referee->carried);
	*referee = (struct referee){0};
}

/* ---- the arena ---------------------------------------------------------------- */

static struct arena lay_out(enum dtype type, struct shape shape, const struct chain *chain)
{
	uint64_t size = dtype_size(type);
	uint64_t m = (uint64_t)shape.m, n = (uint64_t)shape.n, k = (uint64_t)shape.k;
	struct arena arena = {.a_bytes = m * k * size,
						  .b_bytes = k * n * size,
						  .c_bytes = m * n * size,
						  .extras = chain->buffers};
	for (uint32_t i = 0; i < chain->buffers; i++) {
		const struct chain_stage *stage;
		arena.extra_bytes[i] = chain_elements(chain_buffer(chain, i, &stage)->extent, m, n) * size;
	}
	layout_offsets(&arena);
	return arena;
}

static uint32_t sets_for_timing(const struct referee *referee, uint64_t stride)
{
	uint64_t sets = 2 * referee->facts.l2_bytes / stride + 1;
	uint64_t most = referee->device->memory_free(referee->state) / 4 / stride;
	if (sets < SETS_MIN)
		sets = SETS_MIN;
	if (sets > SETS_MAX)
		sets = SETS_MAX;
	if (sets > most)
		sets = most > 0 ? most : 1;
	return (uint32_t)sets;
}

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
	uint64_t offset, bytes;
	layout_buffer(arena, buffer, &offset, &bytes);
	return region_of(arena, offset, bytes, set, sets);
}

/* The band before (side 0) or behind (side 1) a buffer. */
static struct device_region guard_region(const struct arena *arena, uint32_t buffer, int side,
										 uint32_t set, uint32_t sets)
{
	uint64_t offset, bytes;
	layout_buffer(arena, buffer, &offset, &bytes);
	if (side == 0)
		return region_of(arena, offset - GUARD_BYTES, GUARD_BYTES, set, sets);
	return region_of(arena, offset + bytes, layout_round_up(bytes) - bytes + GUARD_BYTES, set,
					 sets);
}

static struct device_values values_of(const struct referee *referee, uint32_t buffer, uint32_t set)
{
	const struct value_spec specs[] = {referee->test.a, referee->test.b, referee->test.c,
									   check_extra_values(&referee->test)};
	uint64_t offset, bytes;
	layout_buffer(&referee->arena, buffer, &offset, &bytes);
	return (struct device_values){
		.type = referee->problem->dtype,
		.spec = specs[buffer < 3 ? buffer : 3],
		.seed = referee->seed + set,
		.operand = buffer < 3 ? buffer : CHECK_EXTRA_STREAM + buffer - 3,
		.elements = bytes / dtype_size(referee->problem->dtype),
	};
}

static bool fill_buffer(struct referee *referee, uint32_t buffer, struct error *err)
{
	struct device_region region = buffer_region(&referee->arena, buffer, 0, referee->arena.sets);
	struct device_values values = values_of(referee, buffer, 0);
	return referee->device->fill(referee->state, &region, &values, err);
}

static bool poison_buffer(struct referee *referee, uint32_t buffer, struct error *err)
{
	struct device_region region = buffer_region(&referee->arena, buffer, 0, referee->arena.sets);
	return referee->device->set_bytes(referee->state, &region, POISON_PATTERN, err);
}

/* A, B and what else is only read: inputs of stages. */
static bool is_input(const struct referee *referee, uint32_t buffer)
{
	const struct chain_stage *stage;
	return buffer < 2 ||
		   (buffer > 2 && chain_buffer(&referee->chain, buffer - 3, &stage)->kind == CHAIN_INPUT);
}

static bool fill_inputs(struct referee *referee, struct error *err)
{
	for (uint32_t i = 0; i < layout_buffers(&referee->arena); i++)
		if (is_input(referee, i) && !fill_buffer(referee, i, err))
			return false;
	return true;
}

/* C of every set as solve() finds it: its values, or poison where beta is 0. What
 * stages write is poisoned always. */
static bool fill_outputs(struct referee *referee, struct error *err)
{
	if (!(referee->test.beta != 0 ? fill_buffer(referee, 2, err) : poison_buffer(referee, 2, err)))
		return false;
	for (uint32_t i = 3; i < layout_buffers(&referee->arena); i++)
		if (!is_input(referee, i) && !poison_buffer(referee, i, err))
			return false;
	return true;
}

static bool fill_guards(struct referee *referee, struct error *err)
{
	for (uint32_t i = 0; i < 2 * layout_buffers(&referee->arena); i++) {
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
	const struct shape *s = &test->shape;
	if (s->m < 1 || s->n < 1 || s->k < 1 || s->m > 65536 || s->n > 65536 || s->k > 65536)
		return error_set(err, "sizes %d, %d, %d: each must be from 1 to 65536", s->m, s->n, s->k);
	if (problem_has_vectors(problem) && s->n != 1)
		return error_set(err, "sizes %d, %d, %d: N is 1 in %s", s->m, s->n, s->k, problem->name);
	return true;
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

bool referee_case(struct referee *referee, const struct referee_case *request, int *fd,
				  struct error *err)
{
	char name[sizeof request->problem];
	*fd = -1;
	if (referee->device == NULL)
		return error_set(err, "a case before the device is open");
	memcpy(name, request->problem, sizeof name);
	name[sizeof name - 1] = '\0';
	referee->has_case = referee->has_product = false;
	elsewhere_close(&referee->elsewhere);
	referee->problem = problem_find(name);
	if (referee->problem == NULL)
		return error_set(err, "unknown problem \"%s\"", name);
	if (!test_is_sound(referee->problem, &request->test, err) ||
		!chain_is_sound(&request->chain, err))
		return false;

	struct arena arena = lay_out(referee->problem->dtype, request->test.shape, &request->chain);
	arena.sets = request->sets != 0 ? request->sets : sets_for_timing(referee, arena.set_stride);
	arena.bytes = arena.sets * arena.set_stride;
	if (!referee->device->arena(referee->state, arena.bytes, &arena, fd, err))
		return false;
	referee->test = request->test;
	referee->chain = request->chain;
	referee->seed = request->test.seed;
	referee->arena = arena;
	if (!fill_guards(referee, err) || !fill_inputs(referee, err) || !fill_outputs(referee, err))
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
		referee->has_product = false;
		if (!fill_inputs(referee, err))
			return false;
	}
	return fill_outputs(referee, err) && fill_guards(referee, err) &&
		   referee->device->sweep_cache(referee->state, err);
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

/* "bias.bias" for a buffer of the epilogue. */
static void name_extra(const struct referee *referee, uint32_t buffer,
					   struct referee_check_reply *reply)
{
	const struct chain_stage *stage;
	if (buffer < 3)
		return;
	const struct chain_member *member = chain_buffer(&referee->chain, buffer - 3, &stage);
	snprintf(reply->extra_name, sizeof reply->extra_name, "%s.%s", stage->name, member->name);
}

/* Keeps the changed guard byte that lies nearest to its buffer. */
static void note_guard(const struct problem *problem, struct referee_check_reply *reply, int buffer,
					   int side, uint64_t bytes, const struct guard_finding *found)
{
	if (found->changed == 0)
		return;
	int64_t distance = side == 0 ? (int64_t)found->last - (int64_t)bytes : (int64_t)found->first;
	int64_t steps = distance < 0 ? -distance : distance + 1;
	int64_t known = reply->guard_nearest < 0 ? -reply->guard_nearest : reply->guard_nearest + 1;
	if (reply->guard_changed == 0 || steps < known) {
		reply->guard_nearest = distance;
		reply->guard_buffer = problem->operands[buffer];
	}
	reply->guard_changed += found->changed;
}

static bool check_guards(struct referee *referee, uint32_t set, struct referee_check_reply *reply,
						 struct error *err)
{
	for (uint32_t i = 0; i < 2 * layout_buffers(&referee->arena); i++) {
		uint8_t band[GUARD_BYTES + LAYOUT_ALIGNMENT];
		struct device_region region = guard_region(&referee->arena, i / 2, i % 2, set, 1);
		if (!referee->device->read(referee->state, region.offset, region.bytes, band, err))
			return false;
		struct guard_finding found = scan_guard(band, region.bytes);
		note_guard(referee->problem, reply, i / 2, i % 2, region.bytes, &found);
	}
	return true;
}

static bool check_inputs(struct referee *referee, uint32_t set, struct referee_check_reply *reply,
						 struct error *err)
{
	uint64_t *changed[] = {&reply->a_changed, &reply->b_changed, NULL};
	for (uint32_t buffer = 0; buffer < layout_buffers(&referee->arena); buffer++) {
		uint64_t extra = 0;
		struct device_region region = buffer_region(&referee->arena, buffer, set, 1);
		struct device_values values = values_of(referee, buffer, set);
		if (is_input(referee, buffer) &&
			!referee->device->count_changed(referee->state, &region, &values,
											buffer < 2 ? changed[buffer] : &extra, err))
			return false;
		if (extra > 0 && reply->extra_changed == 0)
			name_extra(referee, buffer, reply);
		reply->extra_changed += extra;
	}
	return true;
}

static bool reserve(void **memory, uint64_t *capacity, uint64_t bytes, struct error *err)
{
	if (bytes <= *capacity)
		return true;
	free(*memory);
	*capacity = 0;
	*memory = malloc(bytes);
	if (*memory == NULL)
		return error_set(err, "no memory for results: %llu bytes", (unsigned long long)bytes);
	*capacity = bytes;
	return true;
}

/* C, and after it what stages wrote. */
static bool read_outputs(struct referee *referee, uint32_t set, struct error *err)
{
	uint64_t bytes = 0;
	for (uint32_t i = 2; i < layout_buffers(&referee->arena); i++)
		if (!is_input(referee, i))
			bytes += layout_round_up(buffer_region(&referee->arena, i, set, 1).bytes);
	if (!reserve(&referee->output, &referee->output_capacity, bytes, err))
		return false;
	uint8_t *to = referee->output;
	for (uint32_t i = 2; i < layout_buffers(&referee->arena); i++) {
		struct device_region region = buffer_region(&referee->arena, i, set, 1);
		if (is_input(referee, i))
			continue;
		if (!referee->device->read(referee->state, region.offset, region.bytes, to, err))
			return false;
		if (i > 2)
			referee->written[i - 3] = to;
		to += layout_round_up(region.bytes);
	}
	return true;
}

static bool find_product(struct referee *referee, uint32_t set, struct error *err)
{
	if (referee->has_product && referee->product_set == set)
		return true;
	struct device_values a = values_of(referee, 0, set), b = values_of(referee, 1, set);
	referee->has_product = false;
	enum algebra algebra = referee->problem->algebra;
	if (!referee->device->product(referee->state, algebra, referee->test.shape, &a, &b,
								  &referee->product, err))
		return false;
	referee->spot_checks = SPOT_CHECKS;
	referee->spot_disagreements =
		spot_check(algebra, referee->test.shape, &a, &b, &referee->product);
	referee->product_set = set;
	referee->has_product = true;
	return true;
}

/* The chain from stage `from` on, up to the next one that is computed elsewhere, or
 * to its end. */
static bool check_part(struct referee *referee, uint32_t from, const struct check_stage *computed,
					   struct referee_check_reply *reply, int *fd, struct error *err)
{
	const struct referee_check *request = &referee->checked;
	bool plain = request->plain || chain_is_plain(&referee->chain);
	struct check_input input = {
		.type = referee->problem->dtype,
		.test = &referee->test,
		.seed = referee->seed + request->set,
		.poisoned = referee->test.beta == 0,
		.out = referee->output,
		.product = referee->product,
		.tolerance = request->tolerance,
		.threads = referee->threads,
		.chain = plain ? NULL : &referee->chain,
		.from = from,
		.to = computed != NULL ? from + 1 : from,
		.computed = computed,
	};
	memcpy(input.written, referee->written, sizeof input.written);
	while (!plain && input.to < referee->chain.count &&
		   (stage_find(&referee->chain.stages[input.to]) != NULL ||
			stage_is_alpha_beta(&referee->chain.stages[input.to])))
		input.to++;
	bool last = plain || input.to == referee->chain.count;
	uint64_t elements = referee->arena.c_bytes / dtype_size(referee->problem->dtype);
	if (!last && !reserve(&referee->carried, &referee->carried_capacity,
						  elements * sizeof(struct carried), err))
		return false;
	input.carried = referee->carried;
	check_outputs(&input, &referee->reply);
	*reply = referee->reply;
	if (last) {
		elsewhere_close(&referee->elsewhere);
		return true;
	}
	uint32_t stage = input.to;
	if (!elsewhere_open(&referee->elsewhere, &input, stage, err))
		return false;
	reply->pending = 1 + stage;
	reply->stage = referee->elsewhere.arena;
	*fd = referee->elsewhere.fd;
	return true;
}

bool referee_check(struct referee *referee, const struct referee_check *request,
				   struct referee_check_reply *reply, int *fd, struct error *err)
{
	*fd = -1;
	if (!referee->has_case)
		return error_set(err, "a check before any case");
	if (request->set >= referee->arena.sets)
		return error_set(err, "there is no set %u: the case has %u", request->set,
						 referee->arena.sets);
	/* Outputs first: what the solution left when it said that it was done. */
	referee->reply = (struct referee_check_reply){0};
	referee->checked = *request;
	elsewhere_close(&referee->elsewhere);
	if (!read_outputs(referee, request->set, err) ||
		!check_guards(referee, request->set, &referee->reply, err) ||
		!check_inputs(referee, request->set, &referee->reply, err) ||
		!find_product(referee, request->set, err))
		return false;
	referee->reply.reference_spot_checks = referee->spot_checks;
	referee->reply.reference_disagreements = referee->spot_disagreements;
	return check_part(referee, 0, NULL, reply, fd, err);
}

bool referee_stage(struct referee *referee, struct referee_check_reply *reply, int *fd,
				   struct error *err)
{
	struct elsewhere *elsewhere = &referee->elsewhere;
	*fd = -1;
	if (!elsewhere->open)
		return error_set(err, "no stage is being waited for");
	struct check_stage results =
		elsewhere_results(elsewhere, &referee->chain.stages[elsewhere->stage]);
	return check_part(referee, elsewhere->stage, &results, reply, fd, err);
}

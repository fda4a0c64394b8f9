#include "referee/referee.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "referee/check.h"
#include "referee/spot.h"
#include "testcases/values.h"

#define ALIGNMENT 256u
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
	free(referee->output);
	*referee = (struct referee){0};
}

/* ---- the arena ---------------------------------------------------------------- */

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Guard, A, guard, guard, B, guard, guard, C, guard: each buffer has its own band
 * on either side, and the gap up to the next multiple of 256 belongs to the band
 * behind it. */
static struct arena lay_out(enum dtype type, struct shape shape)
{
	uint64_t size = dtype_size(type);
	uint64_t m = (uint64_t)shape.m, n = (uint64_t)shape.n, k = (uint64_t)shape.k;
	struct arena arena = {
		.a_bytes = m * k * size, .b_bytes = k * n * size, .c_bytes = m * n * size};
	arena.a_offset = GUARD_BYTES;
	arena.b_offset = arena.a_offset + round_up(arena.a_bytes) + 2 * GUARD_BYTES;
	arena.c_offset = arena.b_offset + round_up(arena.b_bytes) + 2 * GUARD_BYTES;
	arena.set_stride = arena.c_offset + round_up(arena.c_bytes) + GUARD_BYTES;
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

/* Buffer 0, 1, 2 is A, B, C. */
static void buffer_of(const struct arena *arena, int buffer, uint64_t *offset, uint64_t *bytes)
{
	const uint64_t offsets[] = {arena->a_offset, arena->b_offset, arena->c_offset};
	const uint64_t sizes[] = {arena->a_bytes, arena->b_bytes, arena->c_bytes};
	*offset = offsets[buffer];
	*bytes = sizes[buffer];
}

static struct device_region region_of(const struct arena *arena, uint64_t offset, uint64_t bytes,
									  uint32_t set, uint32_t sets)
{
	return (struct device_region){.offset = offset + set * arena->set_stride,
								  .bytes = bytes,
								  .stride = arena->set_stride,
								  .sets = sets};
}

static struct device_region buffer_region(const struct arena *arena, int buffer, uint32_t set,
										  uint32_t sets)
{
	uint64_t offset, bytes;
	buffer_of(arena, buffer, &offset, &bytes);
	return region_of(arena, offset, bytes, set, sets);
}

/* The band before (side 0) or behind (side 1) a buffer. */
static struct device_region guard_region(const struct arena *arena, int buffer, int side,
										 uint32_t set, uint32_t sets)
{
	uint64_t offset, bytes;
	buffer_of(arena, buffer, &offset, &bytes);
	if (side == 0)
		return region_of(arena, offset - GUARD_BYTES, GUARD_BYTES, set, sets);
	return region_of(arena, offset + bytes, round_up(bytes) - bytes + GUARD_BYTES, set, sets);
}

static struct device_values values_of(const struct referee *referee, int buffer, uint32_t set)
{
	const struct value_spec *specs[] = {&referee->test.a, &referee->test.b, &referee->test.c};
	uint64_t offset, bytes;
	buffer_of(&referee->arena, buffer, &offset, &bytes);
	return (struct device_values){
		.type = referee->problem->dtype,
		.spec = *specs[buffer],
		.seed = referee->seed + set,
		.operand = (uint32_t)buffer,
		.elements = bytes / dtype_size(referee->problem->dtype),
	};
}

static bool fill_buffer(struct referee *referee, int buffer, struct error *err)
{
	struct device_region region = buffer_region(&referee->arena, buffer, 0, referee->arena.sets);
	struct device_values values = values_of(referee, buffer, 0);
	return referee->device->fill(referee->state, &region, &values, err);
}

/* C of every set as solve() finds it: its values, or poison where beta is 0. */
static bool fill_c(struct referee *referee, struct error *err)
{
	if (referee->test.beta != 0)
		return fill_buffer(referee, 2, err);
	struct device_region region = buffer_region(&referee->arena, 2, 0, referee->arena.sets);
	return referee->device->set_bytes(referee->state, &region, POISON_PATTERN, err);
}

static bool fill_guards(struct referee *referee, struct error *err)
{
	for (int i = 0; i < 6; i++) {
		struct device_region region =
			guard_region(&referee->arena, i / 2, i % 2, 0, referee->arena.sets);
		if (!referee->device->set_bytes(referee->state, &region, GUARD_PATTERN, err))
			return false;
	}
	return true;
}

static bool test_is_sound(const struct test_case *test, struct error *err)
{
	const struct shape *s = &test->shape;
	if (s->m < 1 || s->n < 1 || s->k < 1 || s->m > 65536 || s->n > 65536 || s->k > 65536)
		return error_set(err, "sizes %d, %d, %d: each must be from 1 to 65536", s->m, s->n, s->k);
	return true;
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
	referee->problem = problem_find(name);
	if (referee->problem == NULL)
		return error_set(err, "unknown problem \"%s\"", name);
	if (!test_is_sound(&request->test, err))
		return false;

	struct arena arena = lay_out(referee->problem->dtype, request->test.shape);
	arena.sets = request->sets != 0 ? request->sets : sets_for_timing(referee, arena.set_stride);
	arena.bytes = arena.sets * arena.set_stride;
	if (!referee->device->arena(referee->state, arena.bytes, &arena, fd, err))
		return false;
	referee->test = request->test;
	referee->seed = request->test.seed;
	referee->arena = arena;
	if (!fill_guards(referee, err) || !fill_buffer(referee, 0, err) ||
		!fill_buffer(referee, 1, err) || !fill_c(referee, err))
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
		if (!fill_buffer(referee, 0, err) || !fill_buffer(referee, 1, err))
			return false;
	}
	return fill_c(referee, err) && fill_guards(referee, err) &&
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

/* Keeps the changed guard byte that lies nearest to its buffer. */
static void note_guard(struct referee_check_reply *reply, int buffer, int side, uint64_t bytes,
					   const struct guard_finding *found)
{
	if (found->changed == 0)
		return;
	int64_t distance = side == 0 ? (int64_t)found->last - (int64_t)bytes : (int64_t)found->first;
	int64_t steps = distance < 0 ? -distance : distance + 1;
	int64_t known = reply->guard_nearest < 0 ? -reply->guard_nearest : reply->guard_nearest + 1;
	if (reply->guard_changed == 0 || steps < known) {
		reply->guard_nearest = distance;
		reply->guard_buffer = "ABC"[buffer];
	}
	reply->guard_changed += found->changed;
}

static bool check_guards(struct referee *referee, uint32_t set, struct referee_check_reply *reply,
						 struct error *err)
{
	for (int i = 0; i < 6; i++) {
		uint8_t band[GUARD_BYTES + ALIGNMENT];
		struct device_region region = guard_region(&referee->arena, i / 2, i % 2, set, 1);
		if (!referee->device->read(referee->state, region.offset, region.bytes, band, err))
			return false;
		struct guard_finding found = scan_guard(band, region.bytes);
		note_guard(reply, i / 2, i % 2, region.bytes, &found);
	}
	return true;
}

static bool check_inputs(struct referee *referee, uint32_t set, struct referee_check_reply *reply,
						 struct error *err)
{
	uint64_t *changed[] = {&reply->a_changed, &reply->b_changed};
	for (int buffer = 0; buffer < 2; buffer++) {
		struct device_region region = buffer_region(&referee->arena, buffer, set, 1);
		struct device_values values = values_of(referee, buffer, set);
		if (!referee->device->count_changed(referee->state, &region, &values, changed[buffer], err))
			return false;
	}
	return true;
}

static bool read_output(struct referee *referee, uint32_t set, struct error *err)
{
	struct device_region region = buffer_region(&referee->arena, 2, set, 1);
	if (region.bytes > referee->output_capacity) {
		free(referee->output);
		referee->output_capacity = 0;
		referee->output = malloc(region.bytes);
		if (referee->output == NULL)
			return error_set(err, "no memory for C: %llu bytes", (unsigned long long)region.bytes);
		referee->output_capacity = region.bytes;
	}
	return referee->device->read(referee->state, region.offset, region.bytes, referee->output, err);
}

static bool find_product(struct referee *referee, uint32_t set, struct error *err)
{
	if (referee->has_product && referee->product_set == set)
		return true;
	struct device_values a = values_of(referee, 0, set), b = values_of(referee, 1, set);
	referee->has_product = false;
	if (!referee->device->product(referee->state, referee->test.shape, &a, &b, &referee->product,
								  err))
		return false;
	referee->spot_checks = SPOT_CHECKS;
	referee->spot_disagreements = spot_check(referee->test.shape, &a, &b, &referee->product);
	referee->product_set = set;
	referee->has_product = true;
	return true;
}

bool referee_check(struct referee *referee, const struct referee_check *request,
				   struct referee_check_reply *reply, struct error *err)
{
	if (!referee->has_case)
		return error_set(err, "a check before any case");
	if (request->set >= referee->arena.sets)
		return error_set(err, "there is no set %u: the case has %u", request->set,
						 referee->arena.sets);
	/* C first: what the solution left when it said that it was done. */
	if (!read_output(referee, request->set, err) ||
		!check_guards(referee, request->set, reply, err) ||
		!check_inputs(referee, request->set, reply, err) ||
		!find_product(referee, request->set, err))
		return false;

	struct check_input input = {
		.type = referee->problem->dtype,
		.test = &referee->test,
		.seed = referee->seed + request->set,
		.poisoned = referee->test.beta == 0,
		.out = referee->output,
		.product = referee->product,
		.tolerance = request->tolerance,
		.threads = referee->threads,
	};
	check_outputs(&input, reply);
	reply->reference_spot_checks = referee->spot_checks;
	reply->reference_disagreements = referee->spot_disagreements;
	return true;
}

/* The join of a branch is an instruction that every path from it to an exit passes. Among such
 * ones the first in the text is taken: any of them is right, and a later one only makes the
 * region larger. */
#include "emulator/exec/region.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/undefined.h"

#define CANDIDATES 64    /* joins that are tried */
#define REGION_MAX 20000 /* instructions of a region */

struct region_search {
	const struct exec_program *program;
	uint32_t branch;
	uint8_t *seen; /* of each instruction */
	uint32_t *stack, *found;
	uint32_t depth, count;
};

static const char *name_of(const struct exec_program *program, uint32_t pc)
{
	const char **parts = program->origins[pc].instruction->parts;
	return parts ? parts[0] : ""; /* the exit at the end is nobody's */
}

static bool is_exit(const struct exec_program *program, uint32_t pc)
{
	/* a program ends with an exit of its own */
	return program->code[pc].handler == program->code[program->count - 1].handler;
}

/* A branch, or a return from an inlined function. */
static bool is_branch(const struct exec_program *program, uint32_t pc)
{
	const char *name = name_of(program, pc);
	return strcmp(name, "bra") == 0 || (strcmp(name, "ret") == 0 && !is_exit(program, pc));
}

static void visit(struct region_search *search, uint32_t pc)
{
	if (search->seen[pc])
		return;
	search->seen[pc] = 1;
	search->stack[search->depth++] = pc;
	search->found[search->count++] = pc;
}

/* Finds all that both sides reach before `join`; false where they reach an exit, or too much. */
static bool reaches_only(struct region_search *search, uint32_t join)
{
	const struct exec_program *program = search->program;
	const struct exec_instruction *code = program->code;
	memset(search->seen, 0, program->count);
	search->depth = search->count = 0;
	search->seen[join] = 1;
	visit(search, code[search->branch].target);
	visit(search, search->branch + 1);
	while (search->depth > 0) {
		uint32_t pc = search->stack[--search->depth];
		bool always = code[pc].guard == 0 && code[pc].guard_xor == 0;
		const char *name = name_of(program, pc);
		if (is_exit(program, pc) || strcmp(name, "brx") == 0 || strcmp(name, "call") == 0 ||
			search->count > REGION_MAX)
			return false;
		if (is_branch(program, pc))
			visit(search, code[pc].target);
		if (!is_branch(program, pc) || !always)
			visit(search, pc + 1);
	}
	return true;
}

/* ------------------------------------------------------------------------
 * What an instruction of the region does */

static bool is_one_of(const char *name, const char *const names[])
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

static void look_at(struct exec_region *region, const struct exec_program *program, uint32_t pc)
{
	static const char *const quiet[] = {"bra",       "ret",       "prefetch",
										"prefetchu", "discard",   "applypriority",
										"pmevent",   "nanosleep", NULL};
	static const char *const exchanging[] = {"shfl", "movmatrix", NULL};
	const int32_t *effects = program->effects + program->origins[pc].effects;
	const char *name = name_of(program, pc);
	switch ((enum exec_effect_kind)effects[EFFECT_KIND]) {
	case EFFECT_NONE: region->harmless &= is_one_of(name, quiet); break;
	case EFFECT_STORE:
	case EFFECT_STORE_ROWS:
	case EFFECT_STORE_TILE:
	case EFFECT_MMA:
	case EFFECT_OPERANDS: region->harmless = false; break;
	case EFFECT_CROSS:
	case EFFECT_LOAD_ROWS:
	case EFFECT_LOAD_TILE: region->crosses = true; break;
	default: region->crosses |= is_one_of(name, exchanging); break;
	}
}

static bool add_results(struct exec_region *region, const int32_t *effects)
{
	const int32_t count = effects[EFFECT_RESULTS];
	const size_t all = (size_t)region->result_count + (size_t)count;
	int32_t *grown = count ? realloc(region->results, all * sizeof *grown) : region->results;
	if (count && !grown)
		return false;
	region->results = grown;
	for (int32_t i = 0; i < count; i++)
		region->results[region->result_count++] = effects[EFFECT_HEAD + i];
	return true;
}

static bool describe(struct exec_region *region, const struct region_search *search)
{
	const struct exec_program *program = search->program;
	for (uint32_t i = 0; i < search->count && region->harmless; i++) {
		look_at(region, program, search->found[i]);
		if (!add_results(region, program->effects + program->origins[search->found[i]].effects))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------------ */

/* Where paths meet: where branches lead, and behind them. */
static void mark_places(const struct exec_program *program, uint8_t *places)
{
	for (uint32_t pc = 0; pc < program->count; pc++)
		if (is_branch(program, pc)) {
			places[program->code[pc].target] = 1;
			if (pc + 1 < program->count)
				places[pc + 1] = 1;
		}
}

static bool find_join(struct region_search *search, struct exec_region *region,
					  const uint8_t *places)
{
	uint32_t tried = 0;
	for (uint32_t pc = search->branch + 1; pc < search->program->count && tried < CANDIDATES;
		 pc++) {
		if (!places[pc])
			continue;
		tried++;
		region->join = pc;
		if (reaches_only(search, pc))
			return true;
	}
	return false;
}

static struct exec_region *make(const struct exec_program *program, uint32_t branch)
{
	const size_t count = program->count;
	struct exec_region *region = calloc(1, sizeof *region);
	uint8_t *seen = malloc(count), *places = calloc(count, 1);
	uint32_t *room = malloc(2 * count * sizeof *room);
	bool ok = region && seen && places && room;
	if (ok) {
		struct region_search search = {program, branch, seen, room, room + count, 0, 0};
		mark_places(program, places);
		region->branch = branch;
		region->harmless = find_join(&search, region, places);
		ok = !region->harmless || describe(region, &search);
	}
	free(seen);
	free(places);
	free(room);
	if (ok)
		return region;
	free(region ? region->results : NULL);
	free(region);
	return NULL;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const struct exec_region *exec_region_find(struct exec_program *program, uint32_t branch)
{
	pthread_mutex_lock(&lock);
	struct exec_region *region = program->regions;
	while (region && region->branch != branch)
		region = region->next;
	if (!region && (region = make(program, branch))) {
		region->next = program->regions;
		program->regions = region;
	}
	pthread_mutex_unlock(&lock);
	return region;
}

void exec_regions_free(struct exec_program *program)
{
	while (program->regions) {
		struct exec_region *region = program->regions;
		program->regions = region->next;
		free(region->results);
		free(region);
	}
}

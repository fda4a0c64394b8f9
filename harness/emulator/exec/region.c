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
	uint8_t *places; /* where paths meet: of each instruction */
	uint8_t *seen;   /* of each instruction */
	uint32_t *stack, *found;
	uint32_t depth, count;
};

static enum ptx_opcode opcode_of(const struct exec_program *program, uint32_t pc)
{
	return program->origins[pc].instruction->op;
}

static bool is_exit(const struct exec_program *program, uint32_t pc)
{
	/* a program ends with an exit of its own */
	return program->code[pc].handler == program->code[program->count - 1].handler;
}

bool exec_region_branches(const struct exec_program *program, uint32_t pc)
{
	const enum ptx_opcode op = opcode_of(program, pc);
	return op == OPCODE_BRA || (op == OPCODE_RET && !is_exit(program, pc));
}

static void visit(struct region_search *search, uint32_t pc)
{
	if (search->seen[pc])
		return;
	search->seen[pc] = 1;
	search->stack[search->depth++] = pc;
	search->found[search->count++] = pc;
}

/* Finds all that both sides reach before `join`, going where `step` says; false where it says
 * REFUSED, or there is too much. */
static bool reaches_only(struct region_search *search, uint32_t join, exec_region_step step,
						 void *context)
{
	const struct exec_program *program = search->program;
	memset(search->seen, 0, program->count);
	search->depth = search->count = 0;
	search->seen[join] = 1;
	visit(search, program->code[search->branch].target);
	visit(search, search->branch + 1);
	while (search->depth > 0) {
		uint32_t pc = search->stack[--search->depth];
		enum exec_region_path path = step(program, pc, search->places[pc], context);
		if (path == EXEC_REGION_REFUSED || search->count > REGION_MAX)
			return false;
		if (path & EXEC_REGION_TARGET)
			visit(search, program->code[pc].target);
		if (path & EXEC_REGION_NEXT)
			visit(search, pc + 1);
	}
	return true;
}

/* Wherever some lane may go. */
static enum exec_region_path anywhere(const struct exec_program *program, uint32_t pc, bool place,
									  void *context)
{
	(void)place;
	(void)context;
	const struct exec_instruction *in = program->code + pc;
	const enum ptx_opcode op = opcode_of(program, pc);
	if (is_exit(program, pc) || op == OPCODE_BRX_IDX || op == OPCODE_CALL)
		return EXEC_REGION_REFUSED;
	if (!exec_region_branches(program, pc))
		return EXEC_REGION_NEXT;
	return in->guard == 0 && in->guard_xor == 0 ? EXEC_REGION_TARGET : EXEC_REGION_BOTH;
}

/* ------------------------------------------------------------------------
 * What an instruction of the region does */

enum exec_region_use exec_region_use(const struct exec_program *program, uint32_t pc)
{
	return (enum exec_region_use)program->effects[program->origins[pc].effects + EFFECT_USES];
}

static bool add_results(struct exec_region *region, const int32_t *effects)
{
	const int32_t count = effects[EFFECT_RESULTS];
	const size_t all = (size_t)region->result_count + (size_t)count;
	int32_t *grown = count ? realloc(region->results, all * sizeof *grown) : region->results;
	if (count && grown == NULL)
		return false;
	region->results = grown;
	for (int32_t i = 0; i < count; i++)
		region->results[region->result_count++] = effects[EFFECT_HEAD + i];
	return true;
}

static bool describe(struct exec_region *region, const struct region_search *search)
{
	const struct exec_program *program = search->program;
	for (uint32_t i = 0; i < search->count; i++) {
		region->uses |= exec_region_use(program, search->found[i]);
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
		if (exec_region_branches(program, pc)) {
			places[program->code[pc].target] = 1;
			if (pc + 1 < program->count)
				places[pc + 1] = 1;
		}
}

static bool find_join(struct region_search *search, struct exec_region *region)
{
	uint32_t tried = 0;
	for (uint32_t pc = search->branch + 1; pc < search->program->count && tried < CANDIDATES;
		 pc++) {
		if (!search->places[pc])
			continue;
		tried++;
		region->join = pc;
		if (reaches_only(search, pc, anywhere, NULL))
			return true;
	}
	return false;
}

/* False without host memory. */
static bool open_search(struct region_search *search, const struct exec_program *program,
						uint32_t branch)
{
	const size_t count = program->count;
	uint8_t *bytes = calloc(count, 2);
	uint32_t *words = malloc(2 * count * sizeof *words);
	*search =
		(struct region_search){program, branch, bytes, bytes + count, words, words + count, 0, 0};
	if (bytes == NULL || words == NULL) {
		free(bytes);
		free(words);
		return false;
	}
	mark_places(program, bytes);
	return true;
}

static void close_search(struct region_search *search)
{
	free(search->places);
	free(search->stack);
}

static struct exec_region *make(const struct exec_program *program, uint32_t branch)
{
	struct region_search search;
	struct exec_region *region = calloc(1, sizeof *region);
	if (region == NULL || !open_search(&search, program, branch)) {
		free(region);
		return NULL;
	}
	region->branch = branch;
	region->joins = find_join(&search, region);
	bool ok = !region->joins || describe(region, &search);
	close_search(&search);
	if (ok)
		return region;
	free(region->results);
	free(region);
	return NULL;
}

bool exec_region_walk(const struct exec_program *program, const struct exec_region *region,
					  exec_region_step step, void *context)
{
	struct region_search search;
	if (!region->joins || !open_search(&search, program, region->branch))
		return false;
	bool ok = reaches_only(&search, region->join, step, context);
	close_search(&search);
	return ok;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const struct exec_region *exec_region_find(struct exec_program *program, uint32_t branch)
{
	pthread_mutex_lock(&lock);
	struct exec_region *region = program->regions;
	while (region != NULL && region->branch != branch)
		region = region->next;
	if (region == NULL && (region = make(program, branch)) != NULL) {
		region->next = program->regions;
		program->regions = region;
	}
	pthread_mutex_unlock(&lock);
	return region;
}

void exec_regions_free(struct exec_program *program)
{
	while (program->regions != NULL) {
		struct exec_region *region = program->regions;
		program->regions = region->next;
		free(region->results);
		free(region);
	}
}

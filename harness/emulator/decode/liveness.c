/* How long registers live, so that their slots can be shared: a kernel's virtual
 * registers would not fit into a cache.
 *
 * A life is a range of statements in the order of the text. A register that is
 * written first and used within one basic block only lives from its first to its
 * last mention there. Any other one may carry a value around every loop that it is
 * mentioned in: its life is extended to all of these, and it gets a slot that
 * nobody had before. Lanes that stand elsewhere do not matter, as no instruction
 * changes lanes that do not execute it. */
#include "emulator/decode/decoder.h"

#include <stdlib.h>
#include <string.h>

#define NEVER UINT32_MAX
#define WORK_LIMIT ((uint64_t)200000000)

struct edge {
	uint32_t target, source;
};

struct lives {
	struct decode_frame *frame;
	uint32_t *first, *block; /* of each register */
	bool *local;             /* written first, and mentioned in one basic block only */
	uint32_t *blocks;        /* of each statement */
	struct edge *edges;
	uint32_t edge_count, edge_capacity;
	bool failed;
};

/* ------------------------------------------------------------------------
 * Basic blocks and loops */

static void add_edge(struct lives *lives, uint32_t source, uint32_t target)
{
	if (target > source)
		return;
	if (lives->edge_count == lives->edge_capacity) {
		uint32_t larger = lives->edge_capacity ? lives->edge_capacity * 2 : 32;
		struct edge *grown = realloc(lives->edges, larger * sizeof *grown);
		if (grown == NULL) {
			lives->failed = true;
			return;
		}
		lives->edges = grown;
		lives->edge_capacity = larger;
	}
	lives->edges[lives->edge_count++] = (struct edge){target, source};
}

static void mark_targets(struct lives *lives, const struct ptx_operand *operands, uint32_t count,
						 uint32_t source)
{
	for (uint32_t i = 0; i < count; i++) {
		if (operands[i].kind == PTX_OP_LABEL) {
			lives->blocks[operands[i].integer] = 1;
			add_edge(lives, source, (uint32_t)operands[i].integer);
		}
		mark_targets(lives, operands[i].items, operands[i].count, source);
	}
}

static void find_blocks(struct lives *lives)
{
	const struct ptx_function *function = lives->frame->function;
	uint32_t count = function->code_count;
	for (uint32_t i = 0; i < count; i++) {
		const struct ptx_instruction *in = &function->code[i];
		mark_targets(lives, in->operands, in->operand_count, i);
		if (ptx_opcode_facts[in->op] & PTX_ENDS_BLOCK)
			lives->blocks[i + 1] = 1;
	}
	for (uint32_t i = 0; i < function->table_count; i++) {
		const struct ptx_branch_table *table = &function->tables[i];
		/* any brx may use it */
		for (uint32_t k = 0; k < table->count; k++)
			if (table->targets[k].kind == PTX_OP_LABEL) {
				lives->blocks[table->targets[k].integer] = 1;
				add_edge(lives, count, (uint32_t)table->targets[k].integer);
			}
	}
	for (uint32_t i = 1; i <= count; i++)
		lives->blocks[i] += lives->blocks[i - 1];
}

/* ------------------------------------------------------------------------
 * Mentions */

static void mention(struct lives *lives, uint32_t reg, uint32_t at, bool whole_write)
{
	struct decode_frame *frame = lives->frame;
	if (lives->first[reg] == NEVER) {
		lives->first[reg] = at;
		lives->block[reg] = lives->blocks[at];
		lives->local[reg] = whole_write;
	} else if (lives->block[reg] != lives->blocks[at]) {
		lives->local[reg] = false;
	}
	frame->last[reg] = at;
}

static void mention_operands(struct lives *lives, const struct ptx_operand *operands,
							 uint32_t count, uint32_t at, bool write)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct ptx_operand *operand = &operands[i];
		if (operand->kind == PTX_OP_REGISTER)
			mention(lives, operand->reg, at, write);
		mention_operands(lives, operand->items, operand->count, at,
						 write && operand->kind != PTX_OP_ADDRESS);
	}
}

static void find_mentions(struct lives *lives)
{
	const struct ptx_function *function = lives->frame->function;
	for (uint32_t i = 0; i < function->code_count; i++) {
		const struct ptx_instruction *in = &function->code[i];
		uint32_t results = in->has_result;
		if (in->operand_count > results) /* what is read comes before what is written */
			mention_operands(lives, in->operands + results, in->operand_count - results, i, false);
		mention_operands(lives, in->operands, results, i, in->guard < 0);
		if (in->guard >= 0)
			mention(lives, (uint32_t)in->guard, i, false);
	}
}

/* Extends lives over the loops that they touch, until nothing changes. */
static bool extend(struct lives *lives)
{
	struct decode_frame *frame = lives->frame;
	uint32_t count = frame->function->register_count;
	uint64_t work = 0;
	for (bool changed = true; changed;) {
		changed = false;
		work += (uint64_t)lives->edge_count * count;
		if (work > WORK_LIMIT)
			return false;
		for (uint32_t e = 0; e < lives->edge_count; e++) {
			const struct edge edge = lives->edges[e];
			for (uint32_t reg = 0; reg < count; reg++) {
				if (lives->local[reg] || lives->first[reg] == NEVER ||
					lives->first[reg] > edge.source || frame->last[reg] < edge.target)
					continue;
				if (lives->first[reg] > edge.target || frame->last[reg] < edge.source) {
					changed = true;
					lives->first[reg] =
						lives->first[reg] < edge.target ? lives->first[reg] : edge.target;
					frame->last[reg] =
						frame->last[reg] > edge.source ? frame->last[reg] : edge.source;
				}
			}
		}
	}
	return true;
}

/* ------------------------------------------------------------------------ */

/* Lists, for each statement, the registers that end there. */
static void list_ends(struct lives *lives)
{
	struct decode_frame *frame = lives->frame;
	const struct ptx_function *function = frame->function;
	for (uint32_t reg = 0; reg < function->register_count; reg++) {
		frame->shares[reg] = lives->local[reg];
		bool pinned = frame->pending != NULL && frame->pending[reg];
		if (pinned || lives->first[reg] == NEVER || frame->last[reg] >= function->code_count ||
			function->register_types[reg] == PTX_PRED) {
			frame->shares[reg] = false;
			continue;
		}
		frame->next_end[reg] = frame->ends[frame->last[reg]];
		frame->ends[frame->last[reg]] = reg + 1;
	}
}

bool decode_liveness(struct decode_frame *frame)
{
	const struct ptx_function *function = frame->function;
	uint32_t registers = function->register_count + 1, statements = function->code_count + 2;
	struct lives lives = {.frame = frame};
	frame->last = calloc(registers, sizeof *frame->last);
	frame->shares = calloc(registers, sizeof *frame->shares);
	frame->ends = calloc(statements, sizeof *frame->ends);
	frame->next_end = calloc(registers, sizeof *frame->next_end);
	lives.first = malloc(registers * sizeof *lives.first);
	lives.block = calloc(registers, sizeof *lives.block);
	lives.local = calloc(registers, sizeof *lives.local);
	lives.blocks = calloc(statements, sizeof *lives.blocks);
	bool ok = frame->last != NULL && frame->shares != NULL && frame->ends != NULL &&
			  frame->next_end != NULL && lives.first != NULL && lives.block != NULL &&
			  lives.local != NULL && lives.blocks != NULL;
	if (ok) {
		memset(lives.first, 0xff, registers * sizeof *lives.first);
		find_blocks(&lives);
		find_mentions(&lives);
		/* when that takes too long, everything keeps a slot of its own */
		if (extend(&lives))
			list_ends(&lives);
	}
	free(lives.first);
	free(lives.block);
	free(lives.local);
	free(lives.blocks);
	free(lives.edges);
	return ok && !lives.failed;
}

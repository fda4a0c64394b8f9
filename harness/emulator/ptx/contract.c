/* ptxas makes one fma of a product and a sum that have no rounding modifier, and so the product is
 * not rounded. What is done here is what ptxas 13.0 does for sm_90a within one basic block:
 *
 *     mul{.ftz}.T x, a, b;   add{.ftz}{.sat}.T d, x, c;   or sub, of d = x - c or d = c - x,
 *
 * of one type, with .ftz on both or on neither, where the product is not under a predicate and
 * every use of it is such a sum, or a copy of it (mov, neg) whose uses all are. Of two products the
 * first is taken, and the second where the first has other uses. Not done: sums in other blocks.
 * Operands of an fma that are subtracted are marked as negated. */
#include "emulator/ptx/parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/opcode.h"

#define ROUNDS_MAX 16

struct value { /* of a register */
	uint32_t writes, uses, last_write;
	uint32_t product; /* the statement of the mul that writes it, from 1 */
	uint32_t copy;    /* that of the mov or neg */
	uint32_t sums;    /* uses that could take it, then those that do */
	bool taken;
};

/* What a register stands for: a product, under a sign. */
struct term {
	uint32_t product; /* 0: none */
	bool negated;
};

struct pass {
	struct ptx_parser *parser;
	struct ptx_function *function;
	struct value *values;
	uint32_t *blocks; /* of each statement */
	uint8_t *choices; /* of each sum: bit 0, 1: its first, second operand is a product */
};

static bool has(const struct ptx_instruction *in, const char *part)
{
	for (uint32_t i = 1; i < in->part_count; i++)
		if (strcmp(in->parts[i], part) == 0)
			return true;
	return false;
}

static const char *type_of(const struct ptx_instruction *in)
{
	return in->parts[in->part_count - 1];
}

static bool is_free(const struct ptx_instruction *in, enum ptx_opcode op)
{
	return in->op == op && !in->lacks_decoding && in->operand_count == 3 &&
		   in->operands[0].kind == PTX_OP_REGISTER &&
		   ptx_type_is_float(ptx_type_named(type_of(in))) && !has(in, "rn") && !has(in, "rz") &&
		   !has(in, "rm") && !has(in, "rp");
}

/* ptxas multiplies neither constants by each other nor anything by 1 or -1 in the kernel. */
static bool is_product(const struct ptx_instruction *in)
{
	if (!is_free(in, OPCODE_MUL) || in->guard >= 0 || has(in, "sat"))
		return false;
	for (uint32_t i = 1; i <= 2; i++) {
		const struct ptx_operand *factor = &in->operands[i], *other = &in->operands[3 - i];
		if (factor->kind != PTX_OP_REGISTER && other->kind != PTX_OP_REGISTER)
			return false;
		if (factor->kind == PTX_OP_FLOAT && fabs(factor->number) == 1)
			return false;
	}
	return true;
}

static bool is_sum(const struct ptx_instruction *in)
{
	return is_free(in, OPCODE_ADD) || is_free(in, OPCODE_SUB);
}

/* d = a or d = -a, of whole registers. ptxas makes a product of its own of a neg of bf16x2. */
static bool is_copy(const struct ptx_instruction *in)
{
	const bool may = (in->op == OPCODE_MOV || in->op == OPCODE_NEG) && !in->lacks_decoding &&
					 in->guard < 0 && in->operand_count == 2 &&
					 in->operands[0].kind == PTX_OP_REGISTER && !in->operands[0].has_selector &&
					 in->operands[1].kind == PTX_OP_REGISTER && !in->operands[1].has_selector;
	const enum ptx_type type = may ? ptx_type_named(type_of(in)) : PTX_NONE;
	return may && (in->op == OPCODE_MOV || (ptx_type_is_float(type) && type != PTX_BF16X2));
}

static bool has_both(const struct ptx_function *function)
{
	bool product = false, sum = false;
	for (uint32_t i = 0; i < function->code_count; i++) {
		product = product || is_product(&function->code[i]);
		sum = sum || is_sum(&function->code[i]);
	}
	return product && sum;
}

static void mark_targets(struct pass *pass, const struct ptx_operand *operands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (operands[i].kind == PTX_OP_LABEL)
			pass->blocks[operands[i].integer] = 1;
		mark_targets(pass, operands[i].items, operands[i].count);
	}
}

static void find_blocks(struct pass *pass)
{
	const struct ptx_function *function = pass->function;
	for (uint32_t i = 0; i < function->code_count; i++) {
		mark_targets(pass, function->code[i].operands, function->code[i].operand_count);
		if (ptx_opcode_facts[function->code[i].op] & PTX_ENDS_BLOCK)
			pass->blocks[i + 1] = 1;
	}
	for (uint32_t i = 0; i < function->table_count; i++)
		mark_targets(pass, function->tables[i].targets, function->tables[i].count);
	for (uint32_t i = 1; i <= function->code_count; i++)
		pass->blocks[i] += pass->blocks[i - 1];
}

/* Counts what operands mention, or, where `at` is given, notes only what is written there. */
static void mention(struct pass *pass, const struct ptx_operand *operands, uint32_t count,
					uint32_t at, bool write)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct ptx_operand *operand = &operands[i];
		struct value *value = &pass->values[operand->reg];
		if (operand->kind == PTX_OP_REGISTER && write && at)
			value->last_write = at;
		else if (operand->kind == PTX_OP_REGISTER && !at)
			*(write ? &value->writes : &value->uses) += 1;
		mention(pass, operand->items, operand->count, at, write && operand->kind != PTX_OP_ADDRESS);
	}
}

static void mention_all(struct pass *pass, const struct ptx_instruction *in, uint32_t at)
{
	const uint32_t results = in->has_result && in->operand_count;
	mention(pass, in->operands, results, at, true);
	mention(pass, in->operands + results, in->operand_count - results, at, false);
}

static bool is_written_since(const struct pass *pass, const struct ptx_operand *factor,
							 uint32_t statement)
{
	return factor->kind == PTX_OP_REGISTER && pass->values[factor->reg].last_write >= statement;
}

/* The product that a register holds before a statement of its block. Statements count from 1. */
static struct term term_of(const struct pass *pass, uint32_t reg, uint32_t at)
{
	const struct ptx_instruction *code = pass->function->code;
	struct term term = {0};
	bool flushes = false;
	for (;;) {
		const struct value *value = &pass->values[reg];
		const uint32_t written = value->product ? value->product : value->copy;
		if (value->writes != 1 || written == 0 || written >= at ||
			pass->blocks[written - 1] != pass->blocks[at - 1])
			return (struct term){0};
		const struct ptx_instruction *in = &code[written - 1];
		if (value->product) {
			term.product = flushes && !has(in, "ftz") ? 0 : written;
			return term;
		}
		term.negated ^= in->op == OPCODE_NEG;
		flushes = flushes || has(in, "ftz");
		reg = in->operands[1].reg;
		at = written;
	}
}

static struct term term_of_operand(const struct pass *pass, const struct ptx_operand *operand,
								   uint32_t at)
{
	return operand->kind == PTX_OP_REGISTER ? term_of(pass, operand->reg, at) : (struct term){0};
}

static bool can_take(const struct pass *pass, uint32_t at, uint32_t operand)
{
	const struct ptx_instruction *code = pass->function->code, *sum = &code[at - 1];
	const struct ptx_operand *x = &sum->operands[operand], *other = &sum->operands[3 - operand];
	const struct term term = term_of_operand(pass, x, at);
	if (term.product == 0 || term_of_operand(pass, other, at).product == term.product)
		return false;
	const struct ptx_instruction *product = &code[term.product - 1];
	return strcmp(type_of(product), type_of(sum)) == 0 && has(product, "ftz") == has(sum, "ftz") &&
		   !is_written_since(pass, &product->operands[1], term.product) &&
		   !is_written_since(pass, &product->operands[2], term.product);
}

static void find_sums(struct pass *pass)
{
	const struct ptx_function *function = pass->function;
	for (uint32_t at = 1; at <= function->code_count; at++) {
		const struct ptx_instruction *in = &function->code[at - 1];
		mention_all(pass, in, 0);
		if (is_product(in))
			pass->values[in->operands[0].reg].product = at;
		else if (is_copy(in))
			pass->values[in->operands[0].reg].copy = at;
	}
	for (uint32_t at = 1; at <= function->code_count; at++) {
		const struct ptx_instruction *in = &function->code[at - 1];
		for (uint32_t operand = 1; operand <= 2 && is_sum(in); operand++)
			if (can_take(pass, at, operand))
				pass->choices[at - 1] |= (uint8_t)operand;
		mention_all(pass, in, at);
	}
}

/* Whether a register and all that it is a copy of are taken. */
static bool is_taken(const struct pass *pass, uint32_t reg)
{
	const struct value *value = &pass->values[reg];
	while (value->taken && !value->product && value->copy)
		value = &pass->values[pass->function->code[value->copy - 1].operands[1].reg];
	return value->taken;
}

/* The product that a sum takes: its operand, or 0. */
static uint32_t chosen(const struct pass *pass, uint32_t i)
{
	const struct ptx_operand *operands = pass->function->code[i].operands;
	for (uint32_t operand = 1; operand <= 2; operand++)
		if (pass->choices[i] & operand && is_taken(pass, operands[operand].reg))
			return operand;
	return 0;
}

/* A use of a product counts where a sum takes it (or, at first, could), or a copy whose uses all
 * count. */
static void count_sums(struct pass *pass, bool at_first)
{
	const struct ptx_function *function = pass->function;
	for (uint32_t reg = 0; reg < function->register_count; reg++)
		pass->values[reg].sums = 0;
	for (uint32_t i = function->code_count; i-- > 0;) {
		const struct ptx_instruction *in = &function->code[i];
		const uint32_t counted = at_first ? pass->choices[i] : chosen(pass, i);
		for (uint32_t operand = 1; operand <= 2; operand++)
			if (counted & operand)
				pass->values[in->operands[operand].reg].sums++;
		if (!is_copy(in))
			continue;
		const struct value *copy = &pass->values[in->operands[0].reg];
		pass->values[in->operands[1].reg].sums += copy->copy == i + 1 && copy->uses == copy->sums;
	}
}

static void take_products(struct pass *pass)
{
	count_sums(pass, true);
	for (uint32_t reg = 0; reg < pass->function->register_count; reg++) {
		struct value *value = &pass->values[reg];
		value->taken = value->uses && value->uses == value->sums && (value->product || value->copy);
	}
}

/* One that a sum leaves for another product has to be rounded, and is so for all of them. */
static bool drop_products_that_stay(struct pass *pass)
{
	bool dropped = false;
	count_sums(pass, false);
	for (uint32_t reg = 0; reg < pass->function->register_count; reg++) {
		struct value *value = &pass->values[reg];
		if (value->taken && value->sums != value->uses) {
			value->taken = false;
			dropped = true;
		}
	}
	return dropped;
}

static void become_fma(struct pass *pass, uint32_t i, uint32_t operand)
{
	struct ptx_instruction *sum = &pass->function->code[i];
	const struct term term = term_of_operand(pass, &sum->operands[operand], i + 1);
	const struct ptx_operand *product = pass->function->code[term.product - 1].operands;
	const bool is_difference = sum->op == OPCODE_SUB;
	const char **parts = ptx_take(pass->parser, (sum->part_count + 1) * sizeof *parts);
	struct ptx_operand *operands = ptx_take(pass->parser, 4 * sizeof *operands);
	if (parts == NULL || operands == NULL)
		return;
	parts[0] = "fma";
	parts[1] = "rn";
	memcpy(parts + 2, sum->parts + 1, (sum->part_count - 1) * sizeof *parts);
	operands[0] = sum->operands[0];
	operands[1] = product[1];
	operands[2] = product[2];
	operands[3] = sum->operands[3 - operand];
	operands[1].negated = term.negated != (is_difference && operand == 2);
	operands[3].negated = is_difference && operand == 1;
	sum->op = OPCODE_FMA;
	sum->expects = "d,a,b,c";
	sum->parts = parts;
	sum->part_count++;
	sum->operands = operands;
	sum->operand_count = 4;
}

/* Nobody reads its result any more: a move counts no operation. */
static void become_move(struct pass *pass, struct ptx_instruction *product)
{
	const enum ptx_type type = ptx_type_named(type_of(product));
	const size_t size = ptx_type_size(type);
	const char **parts = ptx_take(pass->parser, 2 * sizeof *parts);
	if (parts == NULL)
		return;
	parts[0] = "mov";
	parts[1] = size == 2 ? "b16" : size == 8 ? "f64" : type == PTX_F32 ? "f32" : "b32";
	product->op = OPCODE_MOV;
	product->expects = "d/v,m/s/v";
	product->parts = parts;
	product->part_count = product->operand_count = 2;
}

static void fuse(struct pass *pass)
{
	struct ptx_function *function = pass->function;
	uint32_t rounds = 0;
	find_blocks(pass);
	find_sums(pass);
	take_products(pass);
	while (drop_products_that_stay(pass))
		if (++rounds == ROUNDS_MAX)
			return;
	for (uint32_t i = 0; i < function->code_count; i++) {
		const uint32_t operand = chosen(pass, i);
		if (operand)
			become_fma(pass, i, operand);
	}
	for (uint32_t reg = 0; reg < function->register_count; reg++)
		if (pass->values[reg].taken && pass->values[reg].product)
			become_move(pass, &function->code[pass->values[reg].product - 1]);
}

void ptx_contract(struct ptx_parser *parser)
{
	for (struct ptx_function *f = parser->module->functions; f != NULL; f = f->next) {
		if (parser->lexer.failed || !has_both(f))
			continue;
		struct pass pass = {
			.parser = parser,
			.function = f,
			.values = calloc(f->register_count + 1, sizeof *pass.values),
			.blocks = calloc(f->code_count + 1, sizeof *pass.blocks),
			.choices = calloc(f->code_count + 1, sizeof *pass.choices),
		};
		if (pass.values == NULL || pass.blocks == NULL || pass.choices == NULL)
			ptx_take(parser, SIZE_MAX); /* fails */
		else
			fuse(&pass);
		free(pass.values);
		free(pass.blocks);
		free(pass.choices);
	}
}

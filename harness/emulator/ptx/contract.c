/* ptxas makes one fma of a product and a sum that have no rounding modifier, and so the product is
 * not rounded. What is done here is what ptxas 13.0 does for sm_90a within one basic block:
 *
 *     mul{.ftz}.T x, a, b;   add{.ftz}{.sat}.T d, x, c;
 *
 * of one type, with .ftz on both or on neither, where the product is not under a predicate and
 * every use of it is such a sum. Of two products the first is taken, and the second where the first
 * has other uses. Not done: sub, sums in other blocks, through mov and neg. */
#include "emulator/ptx/parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/opcode.h"

#define ROUNDS_MAX 16

struct value { /* of a register */
	uint32_t writes, uses, last_write;
	uint32_t product; /* the statement of the mul that writes it, from 1 */
	uint32_t sums;    /* uses that could take it, then those that do */
	bool taken;
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

static bool has_both(const struct ptx_function *function)
{
	bool product = false, sum = false;
	for (uint32_t i = 0; i < function->code_count; i++) {
		product = product || is_product(&function->code[i]);
		sum = sum || is_free(&function->code[i], OPCODE_ADD);
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

/* Statements count from 1. */
static bool can_take(const struct pass *pass, uint32_t at, uint32_t operand)
{
	const struct ptx_instruction *code = pass->function->code, *sum = &code[at - 1];
	const struct ptx_operand *x = &sum->operands[operand], *other = &sum->operands[3 - operand];
	if (x->kind != PTX_OP_REGISTER || (other->kind == PTX_OP_REGISTER && other->reg == x->reg))
		return false;
	const struct value *value = &pass->values[x->reg];
	if (value->writes != 1 || value->product == 0 || value->product >= at ||
		pass->blocks[value->product - 1] != pass->blocks[at - 1])
		return false;
	const struct ptx_instruction *product = &code[value->product - 1];
	return strcmp(type_of(product), type_of(sum)) == 0 && has(product, "ftz") == has(sum, "ftz") &&
		   !is_written_since(pass, &product->operands[1], value->product) &&
		   !is_written_since(pass, &product->operands[2], value->product);
}

static void find_sums(struct pass *pass)
{
	const struct ptx_function *function = pass->function;
	for (uint32_t at = 1; at <= function->code_count; at++) {
		const struct ptx_instruction *in = &function->code[at - 1];
		mention_all(pass, in, 0);
		if (is_product(in))
			pass->values[in->operands[0].reg].product = at;
	}
	for (uint32_t at = 1; at <= function->code_count; at++) {
		const struct ptx_instruction *in = &function->code[at - 1];
		for (uint32_t operand = 1; operand <= 2 && is_free(in, OPCODE_ADD); operand++)
			if (can_take(pass, at, operand)) {
				pass->choices[at - 1] |= (uint8_t)operand;
				pass->values[in->operands[operand].reg].sums++;
			}
		mention_all(pass, in, at);
	}
	for (uint32_t reg = 0; reg < function->register_count; reg++)
		pass->values[reg].taken =
			pass->values[reg].uses && pass->values[reg].uses == pass->values[reg].sums;
}

/* The product that a sum takes: its operand, or 0. */
static uint32_t chosen(const struct pass *pass, uint32_t i)
{
	const struct ptx_operand *operands = pass->function->code[i].operands;
	for (uint32_t operand = 1; operand <= 2; operand++)
		if (pass->choices[i] & operand && pass->values[operands[operand].reg].taken)
			return operand;
	return 0;
}

/* One that a sum leaves for another product has to be rounded, and is so for all of them. */
static bool drop_products_that_stay(struct pass *pass)
{
	const struct ptx_function *function = pass->function;
	bool dropped = false;
	for (uint32_t reg = 0; reg < function->register_count; reg++)
		pass->values[reg].sums = 0;
	for (uint32_t i = 0; i < function->code_count; i++) {
		const uint32_t operand = chosen(pass, i);
		if (operand)
			pass->values[function->code[i].operands[operand].reg].sums++;
	}
	for (uint32_t reg = 0; reg < function->register_count; reg++) {
		struct value *value = &pass->values[reg];
		if (value->taken && value->sums != value->uses) {
			value->taken = false;
			dropped = true;
		}
	}
	return dropped;
}

static void become_fma(struct pass *pass, struct ptx_instruction *sum, uint32_t operand)
{
	const struct value *value = &pass->values[sum->operands[operand].reg];
	const struct ptx_operand *product = pass->function->code[value->product - 1].operands;
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
	while (drop_products_that_stay(pass))
		if (++rounds == ROUNDS_MAX)
			return;
	for (uint32_t i = 0; i < function->code_count; i++) {
		const uint32_t operand = chosen(pass, i);
		if (operand)
			become_fma(pass, &function->code[i], operand);
	}
	for (uint32_t reg = 0; reg < function->register_count; reg++)
		if (pass->values[reg].taken)
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

/* ptxas makes one fma of a product and a sum that have no rounding modifier, and so the product is
 * not rounded. What is done here is what ptxas 13.0 does for sm_90a within one basic block:
 *
 *     mul{.ftz}.T x, a, b;   add{.ftz}{.sat}.T d, x, c;   or sub, of d = x - c or d = c - x,
 *
 * of one type, with .ftz on both or on neither, where the product is not under a predicate and
 * every use of it is such a sum, or a copy of it (mov, neg) whose uses all are. In this order:
 *
 * 1. A sum takes a product that has no other use; of two the first. The other operand has then a
 *    use that is no sum.
 * 2. A sum that has none takes a product whose uses are sums alone; of two the first. The second is
 *    rounded for it, and other sums may still take it.
 *
 * Product and sum are in one basic block, unless a factor is a constant of the kernel.
 *
 * Operands of an fma that are subtracted are marked as negated. The product's own register keeps a
 * factor whose register is written before the sum. Not done: where both are. */
#include "emulator/ptx/parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/opcode.h"

struct value { /* of a register */
	uint32_t writes, uses, last_write;
	uint32_t product;  /* the statement of the mul that writes it, from 1 */
	uint32_t copy;     /* that of the mov or neg */
	uint32_t sums;     /* uses that could take it */
	uint8_t rewritten; /* bit 0, 1: the first, second factor has another value at some sum */
	bool is_constant;  /* a literal or a parameter of the kernel */
	bool is_addend;    /* of a sum that took another product for its only use */
	bool is_taken, stays;
};

/* What a register stands for: a product, under a sign. */
struct term {
	uint32_t product; /* 0: none */
	bool negated, is_far;
};

struct pass {
	struct ptx_parser *parser;
	struct ptx_function *function;
	struct value *values;
	uint32_t *blocks;    /* of each statement */
	uint8_t *candidates; /* of each sum: bit 0, 1: its first, second operand is a product */
	uint8_t *chosen;     /* the operand that it takes, or 0 */
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

static bool is_constant(const struct ptx_function *function, const struct ptx_instruction *in)
{
	if (in->guard >= 0 || in->operand_count != 2 || in->operands[0].kind != PTX_OP_REGISTER)
		return false;
	const enum ptx_operand_kind from = in->operands[1].kind;
	return in->op == OPCODE_MOV ? from == PTX_OP_FLOAT || from == PTX_OP_INTEGER
								: in->op == OPCODE_LD && function->is_entry && has(in, "param");
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

/* Quotients and roots that are rounded as IEEE 754 has it become code with branches. */
static bool has_branches(const struct ptx_instruction *in)
{
	const enum ptx_type type = ptx_type_named(type_of(in));
	switch (in->op) {
	case OPCODE_DIV:
	case OPCODE_REM:
		return ptx_type_is_float(type) ? !has(in, "approx") && !has(in, "full") : type != PTX_U32;
	case OPCODE_RCP:
	case OPCODE_SQRT: return !has(in, "approx");
	case OPCODE_RSQRT: return type == PTX_F64 && !has(in, "ftz");
	default: return false;
	}
}

/* Where ptxas's blocks end. A barrier does not end one; fences between threads do, and what is
 * under a predicate and does more than to compute, for which it has a branch. */
static bool ends_block(const struct ptx_instruction *in)
{
	const uint8_t acts = PTX_HARMS | PTX_CROSSES | PTX_ORDERS | PTX_UNSEEN;
	switch (in->op) {
	case OPCODE_BRA:
	case OPCODE_BRX_IDX:
	case OPCODE_RET:
	case OPCODE_EXIT:
	case OPCODE_CALL:
	case OPCODE_TRAP:
	case OPCODE_BRKPT:
	case OPCODE_PMEVENT:
	case OPCODE_MEMBAR:
	case OPCODE_SETMAXNREG_INC:
	case OPCODE_SETMAXNREG_DEC: return true;
	case OPCODE_FENCE: return !has(in, "mbarrier_init");
	case OPCODE_LD: return in->guard >= 0;
	default: return has_branches(in) || (in->guard >= 0 && ptx_opcode_facts[in->op] & acts);
	}
}

static void find_blocks(struct pass *pass)
{
	const struct ptx_function *function = pass->function;
	for (uint32_t i = 0; i < function->code_count; i++) {
		mark_targets(pass, function->code[i].operands, function->code[i].operand_count);
		if (ends_block(&function->code[i]))
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

static bool is_constant_factor(const struct pass *pass, const struct ptx_operand *factor)
{
	const struct value *value = &pass->values[factor->reg];
	return factor->kind != PTX_OP_REGISTER || (value->is_constant && value->writes == 1);
}

/* The product that a register holds at a statement behind it; copies of it are in its block.
 * Statements count from 1. */
static struct term term_of(const struct pass *pass, uint32_t reg, uint32_t at)
{
	const struct ptx_instruction *code = pass->function->code;
	struct term term = {0};
	bool flushes = false, is_copied = false;
	for (;;) {
		const struct value *value = &pass->values[reg];
		const uint32_t written = value->product ? value->product : value->copy;
		if (value->writes != 1 || written == 0 || written >= at)
			return (struct term){0};
		const struct ptx_instruction *in = &code[written - 1];
		const bool is_near = pass->blocks[written - 1] == pass->blocks[at - 1];
		if (!is_near && is_copied)
			return (struct term){0};
		term.is_far = term.is_far || !is_near;
		if (value->product) {
			const bool may = (!term.is_far || is_constant_factor(pass, &in->operands[1]) ||
							  is_constant_factor(pass, &in->operands[2])) &&
							 (!flushes || has(in, "ftz"));
			term.product = may ? written : 0;
			return term;
		}
		term.negated ^= in->op == OPCODE_NEG;
		flushes = flushes || has(in, "ftz");
		is_copied = true;
		reg = in->operands[1].reg;
		at = written;
	}
}

/* Bit 0, 1: the first, second factor of a product may have another value at a sum. */
static uint8_t rewritten_since(const struct pass *pass, struct term term)
{
	const struct ptx_operand *operands = pass->function->code[term.product - 1].operands;
	uint8_t factors = 0;
	for (uint32_t i = 1; i <= 2; i++)
		if (!is_constant_factor(pass, &operands[i]) &&
			(term.is_far || pass->values[operands[i].reg].last_write >= term.product))
			factors |= (uint8_t)i;
	return factors;
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
	return strcmp(type_of(product), type_of(sum)) == 0 && has(product, "ftz") == has(sum, "ftz");
}

/* The product that a sum's candidate is, or is a copy of. */
static struct value *product_of(const struct pass *pass, uint32_t i, uint32_t operand)
{
	const struct ptx_instruction *code = pass->function->code;
	const uint32_t product = term_of(pass, code[i].operands[operand].reg, i + 1).product;
	return &pass->values[code[product - 1].operands[0].reg];
}

static void note_sum(struct pass *pass, uint32_t i, uint32_t operand)
{
	struct value *product = product_of(pass, i, operand);
	pass->candidates[i] |= (uint8_t)operand;
	pass->values[pass->function->code[i].operands[operand].reg].sums++;
	product->rewritten |=
		rewritten_since(pass, term_of(pass, pass->function->code[i].operands[operand].reg, i + 1));
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
		else if (is_constant(function, in))
			pass->values[in->operands[0].reg].is_constant = true;
	}
	for (uint32_t at = 1; at <= function->code_count; at++) {
		const struct ptx_instruction *in = &function->code[at - 1];
		for (uint32_t operand = 1; operand <= 2 && is_sum(in); operand++)
			if (can_take(pass, at, operand))
				note_sum(pass, at - 1, operand);
		mention_all(pass, in, at);
	}
}

/* The uses of a copy are those of what is copied. */
static void count_through_copies(struct pass *pass)
{
	for (uint32_t i = pass->function->code_count; i-- > 0;) {
		const struct ptx_instruction *in = &pass->function->code[i];
		if (!is_copy(in))
			continue;
		const struct value *copy = &pass->values[in->operands[0].reg];
		struct value *from = &pass->values[in->operands[1].reg];
		if (copy->copy != i + 1 || copy->writes != 1 || copy == from)
			continue;
		from->uses += copy->uses - 1;
		from->sums += copy->sums;
	}
}

static bool is_of_sums_alone(const struct value *product)
{
	return product->uses == product->sums && !product->is_addend && product->rewritten != 3;
}

/* Only such a product as has no other use, or any. */
static void choose(struct pass *pass, bool single)
{
	for (uint32_t i = 0; i < pass->function->code_count; i++) {
		const uint8_t candidates = pass->candidates[i];
		for (uint32_t operand = 1; operand <= 2 && !pass->chosen[i]; operand++) {
			if (!(candidates & operand))
				continue;
			const struct value *product = product_of(pass, i, operand);
			if (is_of_sums_alone(product) && (!single || product->uses == 1))
				pass->chosen[i] = (uint8_t)operand;
		}
		if (single && pass->chosen[i] && candidates == 3)
			product_of(pass, i, 3u - pass->chosen[i])->is_addend = true;
	}
}

/* A product that stays has its own value in its register, and no factor's. */
static void choose_products(struct pass *pass)
{
	const uint32_t count = pass->function->code_count;
	choose(pass, true);
	choose(pass, false);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t operand = 1; operand <= 2; operand++)
			if (pass->candidates[i] & operand && pass->chosen[i] != operand)
				product_of(pass, i, operand)->stays = true;
	for (uint32_t i = 0; i < count; i++) {
		if (!pass->chosen[i])
			continue;
		struct value *product = product_of(pass, i, pass->chosen[i]);
		if (product->stays && product->rewritten)
			pass->chosen[i] = 0;
		else
			product->is_taken = true;
	}
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
	const uint8_t rewritten = pass->values[product->reg].rewritten;
	operands[1] = product[rewritten & 1 ? 0 : 1];
	operands[2] = product[rewritten & 2 ? 0 : 2];
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

/* Its result is a factor, where that is needed, and a move counts no operation. */
static void become_move(struct pass *pass, struct ptx_instruction *product)
{
	const enum ptx_type type = ptx_type_named(type_of(product));
	const size_t size = ptx_type_size(type);
	const char **parts = ptx_take(pass->parser, 2 * sizeof *parts);
	if (parts == NULL)
		return;
	parts[0] = "mov";
	parts[1] = size == 2 ? "b16" : size == 8 ? "f64" : type == PTX_F32 ? "f32" : "b32";
	if (pass->values[product->operands->reg].rewritten & 2)
		product->operands[1] = product->operands[2];
	product->op = OPCODE_MOV;
	product->expects = "d/v,m/s/v";
	product->parts = parts;
	product->part_count = product->operand_count = 2;
}

static void fuse(struct pass *pass)
{
	struct ptx_function *function = pass->function;
	find_blocks(pass);
	find_sums(pass);
	count_through_copies(pass);
	choose_products(pass);
	for (uint32_t i = 0; i < function->code_count; i++)
		if (pass->chosen[i])
			become_fma(pass, i, pass->chosen[i]);
	for (uint32_t reg = 0; reg < function->register_count; reg++)
		if (pass->values[reg].is_taken && !pass->values[reg].stays)
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
			.candidates = calloc(f->code_count + 1, sizeof *pass.candidates),
			.chosen = calloc(f->code_count + 1, sizeof *pass.chosen),
		};
		if (pass.values == NULL || pass.blocks == NULL || pass.candidates == NULL ||
			pass.chosen == NULL)
			ptx_take(parser, SIZE_MAX); /* fails */
		else
			fuse(&pass);
		free(pass.values);
		free(pass.blocks);
		free(pass.candidates);
		free(pass.chosen);
	}
}

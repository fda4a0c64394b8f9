/* Bodies of functions: declarations, labels, instructions and their operands. */
#include <stdio.h>
#include <string.h>

#include "emulator/ptx/parse.h"

#define SCOPE_LIMIT 64
#define OPERAND_LIMIT 2048
#define OPERAND_DEPTH 4

struct label {
	const char *name;
	uint32_t scope, statement;
	struct label *next;
};

struct fixup { /* a name that may be a label declared later */
	struct ptx_operand *operand;
	uint32_t scope;
	int line;
	struct fixup *next;
};

struct body {
	struct ptx_parser *parser;
	struct ptx_function *function;
	uint32_t code_capacity, type_capacity, table_capacity;
	uint32_t scopes[SCOPE_LIMIT], depth; /* ids of the open scopes */
	uint32_t *parents, scope_count, parent_capacity;
	struct label *labels[256];
	struct fixup *fixups;
	uint32_t file, outer_file;
	int file_line, outer_line;
	const char *opcode, *name; /* of the instruction whose operands come: "ld.global.u32", "ld" */
};

static void *grow(struct body *body, void *array, size_t element, uint32_t count,
				  uint32_t *capacity)
{
	if (count < *capacity)
		return array;
	/* most lists of operands are addresses, of one or two */
	uint32_t larger = *capacity ? *capacity * 2 : element < sizeof(struct ptx_operand) ? 32 : 2;
	void *result = ptx_take(body->parser, element * larger);
	if (result == NULL)
		return NULL;
	if (count)
		memcpy(result, array, element * count);
	*capacity = larger;
	return result;
}

/* ------------------------------------------------------------------------
 * Operands */

static bool parse_operand(struct body *body, struct ptx_operand *out, int depth);

static void parse_items(struct body *body, struct ptx_operand *out, char end, int depth)
{
	uint32_t capacity = 0;
	while (!body->parser->lexer.failed && !ptx_accept(body->parser, end)) {
		if (out->count >= OPERAND_LIMIT) {
			ptx_lex_fail(&body->parser->lexer, "too many operands");
			return;
		}
		out->items = grow(body, out->items, sizeof *out->items, out->count, &capacity);
		if (out->items == NULL || !parse_operand(body, &out->items[out->count], depth + 1))
			return;
		out->count++;
		if (!ptx_is_mark(body->parser, end))
			ptx_expect(body->parser, ',');
	}
}

static void add_fixup(struct body *body, struct ptx_operand *operand)
{
	struct fixup *fixup = ptx_take(body->parser, sizeof *fixup);
	if (fixup == NULL)
		return;
	fixup->operand = operand;
	fixup->scope = body->scopes[body->depth];
	fixup->line = body->parser->lexer.token.line;
	fixup->next = body->fixups;
	body->fixups = fixup;
}

static void parse_name(struct body *body, struct ptx_operand *out)
{
	struct ptx_parser *parser = body->parser;
	const struct ptx_token *token = &parser->lexer.token;
	if (token->length == 1 && token->text[0] == '_') {
		out->kind = PTX_OP_SINK;
	} else if (ptx_scope_register(&parser->scopes, token->text, token->length, &out->reg,
								  &out->type)) {
		out->kind = PTX_OP_REGISTER;
	} else {
		struct ptx_symbol *symbol = ptx_scope_find(&parser->scopes, token->text, token->length);
		out->name = ptx_token_copy(parser);
		if (symbol != NULL && symbol->kind == PTX_SYMBOL_VARIABLE) {
			out->kind = PTX_OP_VARIABLE;
			out->variable = symbol->variable;
		} else if (symbol != NULL && symbol->kind == PTX_SYMBOL_FUNCTION) {
			out->kind = PTX_OP_FUNCTION;
			out->function = symbol->function;
		} else if (token->text[0] == '%') {
			out->kind = PTX_OP_SPECIAL;
		} else {
			out->kind = PTX_OP_NAME;
		}
	}
	ptx_lex_next(&parser->lexer);
}

static void parse_constant(struct body *body, struct ptx_operand *out)
{
	const struct ptx_constant value = ptx_constant_parse(body->parser);
	out->kind = value.is_float ? PTX_OP_FLOAT : PTX_OP_INTEGER;
	out->integer = value.integer;
	out->number = value.number;
	out->is_binary = value.is_binary;
}

/* "+4", "+-4", "+2*4" after a register or a variable */
static void parse_offset(struct body *body, struct ptx_operand *out)
{
	if (ptx_accept(body->parser, '+'))
		out->integer = ptx_constant_integer(body->parser, PTX_CONSTANT_SUM);
}

/* "s[2]": the second element behind the first; ld and st read and write it, others take its
 * address. */
static void parse_index(struct body *body, struct ptx_operand *out)
{
	struct ptx_parser *parser = body->parser;
	const bool is_access = strcmp(body->name, "ld") == 0 || strcmp(body->name, "st") == 0;
	if (ptx_is_name(parser)) {
		char what[128];
		snprintf(what, sizeof what, "an index that is a register, of '%.60s',", body->opcode);
		ptx_unsupported(parser, what);
		return;
	}
	const uint64_t index = (uint64_t)ptx_constant_integer(parser, PTX_CONSTANT_ANY);
	out->integer = (int64_t)(index * ptx_type_size(out->variable->type));
	ptx_expect(parser, ']');
	if (!is_access)
		return;
	struct ptx_operand *item = ptx_take(parser, sizeof *item);
	if (item == NULL)
		return;
	*item = *out;
	*out = (struct ptx_operand){.kind = PTX_OP_ADDRESS, .items = item, .count = 1};
}

/* "%r1.b0", "%r1.h1": a part of an operand of a video instruction */
static void parse_selector(struct body *body, struct ptx_operand *out)
{
	static const char *const selectors[] = {"b0", "b1", "b2", "b3", "h0", "h1"};
	for (size_t i = 0; i < sizeof selectors / sizeof selectors[0]; i++)
		if (ptx_accept_directive(body->parser, selectors[i]))
			out->has_selector = true;
}

static void parse_address(struct body *body, struct ptx_operand *out, int depth)
{
	parse_items(body, out, ']', depth);
	out->kind = PTX_OP_ADDRESS;
	if (out->count == 0 && !body->parser->lexer.failed)
		ptx_lex_fail(&body->parser->lexer, "an empty address");
}

static bool parse_operand(struct body *body, struct ptx_operand *out, int depth)
{
	struct ptx_parser *parser = body->parser;
	if (depth > OPERAND_DEPTH) {
		ptx_lex_fail(&parser->lexer, "operands nested too deeply");
		return false;
	}
	out->negated = ptx_accept_not(parser);
	if (ptx_accept(parser, '{')) {
		parse_items(body, out, '}', depth);
		out->kind = PTX_OP_VECTOR;
	} else if (depth == 1 && strcmp(body->name, "call") == 0 && ptx_accept(parser, '(')) {
		parse_items(body, out, ')', depth);
		out->kind = PTX_OP_LIST;
	} else if (ptx_accept(parser, '[')) {
		parse_address(body, out, depth);
	} else if (ptx_is_name(parser)) {
		parse_name(body, out);
		if (out->kind == PTX_OP_REGISTER)
			parse_selector(body, out);
		if (out->kind == PTX_OP_VARIABLE && depth == 1 && ptx_accept(parser, '['))
			parse_index(body, out);
		else
			parse_offset(body, out);
	} else {
		parse_constant(body, out);
	}
	if (ptx_is_mark(parser, '|')) {
		ptx_lex_next(&parser->lexer);
		struct ptx_operand *items = ptx_take(parser, 2 * sizeof *items);
		if (items == NULL)
			return false;
		items[0] = *out;
		*out = (struct ptx_operand){.kind = PTX_OP_PAIR, .items = items, .count = 2};
		return parse_operand(body, &items[1], depth + 1);
	}
	return !parser->lexer.failed;
}

/* Operands are copied while their arrays grow; only now do they have a place. */
static void find_fixups(struct body *body, struct ptx_operand *operands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (operands[i].kind == PTX_OP_NAME)
			add_fixup(body, &operands[i]);
		find_fixups(body, operands[i].items, operands[i].count);
	}
}

/* ------------------------------------------------------------------------
 * Declarations */

static void declare_registers(struct body *body, enum ptx_type type)
{
	struct ptx_parser *parser = body->parser;
	struct ptx_function *function = body->function;
	do {
		if (parser->lexer.token.kind != PTX_TOKEN_NAME) {
			ptx_lex_fail(&parser->lexer, "the name of a register expected");
			return;
		}
		const char *name = ptx_token_copy(parser);
		int64_t count = 1;
		ptx_lex_next(&parser->lexer);
		bool range = ptx_accept(parser, '<');
		if (range && ptx_integer(parser, &count))
			ptx_expect(parser, '>');
		if (count < 0 || count > PTX_REGISTER_LIMIT - function->register_count) {
			ptx_lex_fail(&parser->lexer, "too many registers");
			return;
		}
		struct ptx_symbol *symbol =
			name != NULL ? ptx_scope_add(&parser->scopes,
										 range ? PTX_SYMBOL_RANGE : PTX_SYMBOL_REGISTER, name)
						 : NULL;
		if (symbol == NULL)
			return;
		symbol->type = type;
		symbol->base = function->register_count;
		symbol->count = (uint32_t)count;
		for (int64_t i = 0; i < count; i++) {
			function->register_types =
				grow(body, function->register_types, sizeof *function->register_types,
					 function->register_count, &body->type_capacity);
			if (function->register_types == NULL)
				return;
			function->register_types[function->register_count++] = type;
		}
	} while (ptx_accept(parser, ','));
}

static void declare_local(struct body *body, struct ptx_variable *variable)
{
	struct ptx_symbol *symbol =
		ptx_scope_add(&body->parser->scopes, PTX_SYMBOL_VARIABLE, variable->name);
	if (symbol == NULL) {
		ptx_take(body->parser, SIZE_MAX);
		return;
	}
	symbol->variable = variable;
}

static void declare_variables(struct body *body, enum ptx_space space)
{
	struct ptx_function *function = body->function;
	struct ptx_variable *variable = ptx_variable_parse(body->parser, space);
	uint64_t element = variable != NULL ? ptx_type_size(variable->type) : 0;
	while (variable != NULL) {
		struct ptx_variable **list = space == PTX_SHARED ? &function->shareds : &function->locals;
		variable->next = *list;
		*list = variable;
		declare_local(body, variable);
		if (!ptx_accept(body->parser, ','))
			return;
		variable = ptx_variable_again(body->parser, variable, element);
	}
}

static void parse_table(struct body *body, const char *name)
{
	struct ptx_function *function = body->function;
	function->tables = grow(body, function->tables, sizeof *function->tables, function->table_count,
							&body->table_capacity);
	if (function->tables == NULL)
		return;
	struct ptx_branch_table *table = &function->tables[function->table_count++];
	uint32_t capacity = 0;
	*table = (struct ptx_branch_table){.name = name, .scope = body->scopes[body->depth]};
	do {
		table->targets =
			grow(body, table->targets, sizeof *table->targets, table->count, &capacity);
		if (table->targets == NULL || !parse_operand(body, &table->targets[table->count], 1))
			return;
		table->count++;
	} while (ptx_accept(body->parser, ','));
	find_fixups(body, table->targets, table->count);
}

static void parse_location(struct body *body)
{
	struct ptx_parser *parser = body->parser;
	int64_t file = 0, line = 0, column;
	ptx_integer(parser, &file);
	ptx_integer(parser, &line);
	ptx_integer(parser, &column);
	body->file = (uint32_t)file;
	body->file_line = (int)line;
	body->outer_file = 0;
	while (ptx_accept(parser, ',')) {
		if (ptx_token_is(&parser->lexer.token, "inlined_at")) {
			ptx_lex_next(&parser->lexer);
			ptx_integer(parser, &file);
			ptx_integer(parser, &line);
			ptx_integer(parser, &column);
			body->outer_file = (uint32_t)file;
			body->outer_line = (int)line;
		} else { /* function_name LABEL [+ offset] */
			ptx_lex_next(&parser->lexer);
			ptx_lex_next(&parser->lexer);
			if (ptx_accept(parser, '+'))
				ptx_integer(parser, &column);
		}
	}
}

static void skip_to_semicolon(struct body *body)
{
	struct ptx_parser *parser = body->parser;
	while (!parser->lexer.failed && !ptx_is_mark(parser, ';')) {
		if (parser->lexer.token.kind == PTX_TOKEN_END)
			ptx_lex_fail(&parser->lexer, "';' expected before the end");
		ptx_lex_next(&parser->lexer);
	}
}

static void parse_directive(struct body *body)
{
	struct ptx_parser *parser = body->parser;
	if (ptx_accept_directive(parser, "loc")) {
		parse_location(body);
		return; /* has no semicolon */
	}
	if (ptx_accept_directive(parser, "reg")) {
		if (ptx_accept_directive(parser, "v2") || ptx_accept_directive(parser, "v4"))
			ptx_unsupported(parser, "a vector register (.reg .v2, .reg .v4)");
		enum ptx_type type = ptx_type(parser);
		declare_registers(body, type);
	} else if (ptx_accept_directive(parser, "global")) {
		ptx_module_variable_parse(parser, PTX_GLOBAL, false);
		return;
	} else if (ptx_accept_directive(parser, "const")) {
		ptx_module_variable_parse(parser, PTX_CONST, false);
		return;
	} else if (ptx_accept_directive(parser, "shared")) {
		declare_variables(body, PTX_SHARED);
	} else if (ptx_accept_directive(parser, "local")) {
		declare_variables(body, PTX_LOCAL);
	} else if (ptx_accept_directive(parser, "param")) {
		declare_variables(body, PTX_PARAM);
	} else if (ptx_accept_directive(parser, "pragma")) {
		skip_to_semicolon(body);
	} else {
		ptx_unknown_directive(parser, "in a function");
	}
	ptx_expect(parser, ';');
}

/* ------------------------------------------------------------------------
 * Statements */

static void parse_opcode(struct body *body, struct ptx_instruction *instruction)
{
	struct ptx_lexer *lexer = &body->parser->lexer;
	const char *start = lexer->token.text, *end = start + lexer->token.length;
	ptx_lex_next(lexer);
	while (lexer->token.kind == PTX_TOKEN_DIRECTIVE && lexer->token.glued) {
		end = lexer->token.text + lexer->token.length;
		ptx_lex_next(lexer);
	}
	instruction->opcode = ptx_arena_copy(body->parser->module->arena, start, (size_t)(end - start));
	if (instruction->opcode != NULL)
		ptx_split_opcode(body->parser, instruction);
	else
		ptx_take(body->parser, SIZE_MAX);
}

static void parse_guard(struct body *body, struct ptx_instruction *instruction)
{
	struct ptx_parser *parser = body->parser;
	enum ptx_type type;
	uint32_t reg;
	instruction->guard_negated = ptx_accept(parser, '!');
	if (!ptx_scope_register(&parser->scopes, parser->lexer.token.text, parser->lexer.token.length,
							&reg, &type) ||
		type != PTX_PRED) {
		ptx_lex_fail(&parser->lexer, "a guard must be a predicate register");
		return;
	}
	instruction->guard = (int32_t)reg;
	ptx_lex_next(&parser->lexer);
	if (parser->lexer.token.kind != PTX_TOKEN_NAME)
		ptx_lex_fail(&parser->lexer, "an instruction expected");
}

static void take_addresses(const struct ptx_operand *operands, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (operands[i].kind == PTX_OP_FUNCTION)
			operands[i].function->address_taken = true;
		take_addresses(operands[i].items, operands[i].count);
	}
}

static void parse_instruction(struct body *body)
{
	struct ptx_parser *parser = body->parser;
	struct ptx_function *function = body->function;
	function->code = grow(body, function->code, sizeof *function->code, function->code_count,
						  &body->code_capacity);
	if (function->code == NULL)
		return;
	struct ptx_instruction *instruction = &function->code[function->code_count];
	*instruction = (struct ptx_instruction){
		.guard = -1,
		.line = parser->lexer.token.line,
		.file = body->file,
		.file_line = body->file_line,
		.outer_file = body->outer_file,
		.outer_line = body->outer_line,
	};
	if (ptx_accept(parser, '@'))
		parse_guard(body, instruction);
	if (parser->lexer.failed)
		return;
	parse_opcode(body, instruction);
	if (parser->lexer.failed)
		return;
	body->opcode = instruction->opcode;
	body->name = instruction->parts[0];
	struct ptx_operand all = {0};
	if (!ptx_is_mark(parser, ';'))
		parse_items(body, &all, ';', 0);
	else
		ptx_lex_next(&parser->lexer);
	instruction->operands = all.items;
	instruction->operand_count = all.count;
	find_fixups(body, all.items, all.count);
	if (parser->lexer.failed)
		return;
	if (strcmp(instruction->parts[0], "call") != 0)
		take_addresses(all.items, all.count);
	function->code_count++;
}

static void add_label(struct body *body, const char *name)
{
	struct label *label = ptx_take(body->parser, sizeof *label);
	if (label == NULL || name == NULL)
		return;
	struct label **bucket = &body->labels[ptx_hash(name, strlen(name)) % 256];
	label->name = name;
	label->scope = body->scopes[body->depth];
	label->statement = body->function->code_count;
	label->next = *bucket;
	*bucket = label;
}

/* A name: the label of what follows, or an instruction. */
static void parse_named(struct body *body)
{
	struct ptx_parser *parser = body->parser;
	struct ptx_lexer saved = parser->lexer;
	const char *name = ptx_token_copy(parser);
	ptx_lex_next(&parser->lexer);
	if (!ptx_accept(parser, ':')) {
		if (parser->lexer.failed)
			return;
		parser->lexer = saved;
		parse_instruction(body);
		return;
	}
	if (ptx_accept_directive(parser, "branchtargets") ||
		ptx_accept_directive(parser, "calltargets")) {
		parse_table(body, name);
		ptx_expect(parser, ';');
	} else if (ptx_accept_directive(parser, "callprototype")) {
		add_label(body, name); /* calls name it, and nothing here asks what it says */
		skip_to_semicolon(body);
		ptx_expect(parser, ';');
	} else {
		add_label(body, name);
	}
}

static void open_scope(struct body *body)
{
	if (body->depth + 1 >= SCOPE_LIMIT) {
		ptx_lex_fail(&body->parser->lexer, "braces nested too deeply");
		return;
	}
	body->parents =
		grow(body, body->parents, sizeof *body->parents, body->scope_count, &body->parent_capacity);
	if (body->parents == NULL)
		return;
	ptx_scope_open(&body->parser->scopes);
	body->parents[body->scope_count] = body->scopes[body->depth];
	body->scopes[++body->depth] = body->scope_count++;
}

static void resolve_name(struct body *body, const struct fixup *fixup)
{
	struct ptx_operand *operand = fixup->operand;
	struct label *bucket = body->labels[ptx_hash(operand->name, strlen(operand->name)) % 256];
	for (uint32_t scope = fixup->scope;; scope = body->parents[scope]) {
		for (struct label *label = bucket; label != NULL; label = label->next) {
			if (label->scope == scope && strcmp(label->name, operand->name) == 0) {
				operand->kind = PTX_OP_LABEL;
				operand->integer = label->statement;
				return;
			}
		}
		if (scope == 0)
			break;
	}
	for (uint32_t i = 0; i < body->function->table_count; i++)
		if (strcmp(body->function->tables[i].name, operand->name) == 0)
			return; /* stays a name: brx.idx and calls look it up */
	body->parser->lexer.token.line = fixup->line;
	ptx_lex_fail(&body->parser->lexer, "nothing is called '%s'", operand->name);
}

static void declare_parameters(struct body *body, struct ptx_variable *variable)
{
	for (; variable != NULL; variable = variable->next) {
		if (variable->space == PTX_REG)
			ptx_unsupported(body->parser, "a parameter of a function in a register (.reg)");
		else
			declare_local(body, variable);
	}
}

void ptx_body_parse(struct ptx_parser *parser, struct ptx_function *function)
{
	struct body body = {.parser = parser, .function = function, .opcode = "", .name = ""};
	function->code_count = function->register_count = 0;
	if (!ptx_expect(parser, '{'))
		return;
	open_scope(&body);
	uint32_t outermost = body.depth;
	declare_parameters(&body, function->parameters);
	declare_parameters(&body, function->results);
	while (!parser->lexer.failed) {
		if (ptx_accept(parser, '}')) {
			ptx_scope_close(&parser->scopes);
			if (body.depth-- == outermost)
				break;
		} else if (ptx_accept(parser, '{')) {
			open_scope(&body);
		} else if (parser->lexer.token.kind == PTX_TOKEN_DIRECTIVE) {
			parse_directive(&body);
		} else if (parser->lexer.token.kind == PTX_TOKEN_NAME) {
			parse_named(&body);
		} else if (ptx_is_mark(parser, '@')) {
			parse_instruction(&body);
		} else if (!ptx_accept(parser, ';')) {
			ptx_lex_fail(&parser->lexer, "an instruction or '}' expected");
		}
	}
	for (struct fixup *fixup = body.fixups; fixup != NULL && !parser->lexer.failed;
		 fixup = fixup->next)
		resolve_name(&body, fixup);
	function->has_body = !parser->lexer.failed;
}

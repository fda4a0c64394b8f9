/* Recursive descent over PTX text (PTX ISA 9.0, chapters 4 to 7 and 11). Module
 * scope is here, bodies of functions are in ptx_body.c. */
#include "emulator/ptx_parse.h"

#include <stdio.h>
#include <string.h>

void *ptx_take(struct ptx_parser *parser, size_t bytes)
{
	void *result = ptx_arena_take(parser->module->arena, bytes);
	if (!result && !parser->lexer.failed) {
		ptx_lex_fail(&parser->lexer, "the module needs too much memory");
		parser->lexer.fault->kind = FAULT_MEMORY;
	}
	return result;
}

char *ptx_token_copy(struct ptx_parser *parser)
{
	const struct ptx_token *token = &parser->lexer.token;
	char *copy = ptx_take(parser, token->length + 1);
	if (copy && token->length)
		memcpy(copy, token->text, token->length);
	return copy;
}

bool ptx_is_mark(const struct ptx_parser *parser, char mark)
{
	return parser->lexer.token.kind == PTX_TOKEN_MARK && parser->lexer.token.mark == mark;
}

bool ptx_accept(struct ptx_parser *parser, char mark)
{
	if (!ptx_is_mark(parser, mark))
		return false;
	ptx_lex_next(&parser->lexer);
	return true;
}

bool ptx_expect(struct ptx_parser *parser, char mark)
{
	if (ptx_accept(parser, mark))
		return true;
	const struct ptx_token *token = &parser->lexer.token;
	int length = token->length < 40 ? (int)token->length : 40;
	ptx_lex_fail(&parser->lexer, "'%c' expected, found '%.*s'", mark, length, token->text);
	return false;
}

bool ptx_accept_directive(struct ptx_parser *parser, const char *name)
{
	if (parser->lexer.token.kind != PTX_TOKEN_DIRECTIVE ||
		!ptx_token_is(&parser->lexer.token, name))
		return false;
	ptx_lex_next(&parser->lexer);
	return true;
}

bool ptx_integer(struct ptx_parser *parser, int64_t *out)
{
	bool negative = ptx_accept(parser, '-');
	if (parser->lexer.token.kind != PTX_TOKEN_INTEGER) {
		ptx_lex_fail(&parser->lexer, "an integer expected");
		*out = 0;
		return false;
	}
	uint64_t value = (uint64_t)parser->lexer.token.integer;
	*out = (int64_t)(negative ? 0 - value : value);
	ptx_lex_next(&parser->lexer);
	return true;
}

enum ptx_type ptx_type(struct ptx_parser *parser)
{
	const struct ptx_token *token = &parser->lexer.token;
	char name[16] = "";
	if (token->kind == PTX_TOKEN_DIRECTIVE && token->length < sizeof name)
		memcpy(name, token->text, token->length);
	enum ptx_type type = name[0] ? ptx_type_named(name) : PTX_NONE;
	if (type == PTX_NONE)
		ptx_lex_fail(&parser->lexer, "a type expected, found '.%.*s'",
					 (int)(token->length < 40 ? token->length : 40), token->text);
	else
		ptx_lex_next(&parser->lexer);
	return type;
}

/* ------------------------------------------------------------------------
 * Initialisers */

static bool store_value(struct ptx_parser *parser, struct ptx_variable *variable, uint64_t at,
						size_t size)
{
	const struct ptx_token *token = &parser->lexer.token;
	bool negative = ptx_accept(parser, '-');
	uint64_t bits;
	if (token->kind == PTX_TOKEN_INTEGER) {
		bits = negative ? 0 - (uint64_t)token->integer : (uint64_t)token->integer;
		if (variable->type == PTX_F32 || variable->type == PTX_F64) {
			double value = negative ? -(double)token->integer : (double)token->integer;
			float single = (float)value;
			uint32_t word;
			memcpy(&bits, &value, sizeof bits);
			memcpy(&word, &single, sizeof word);
			bits = size == 4 ? word : bits;
		}
	} else {
		double value = negative ? -token->number : token->number;
		float single = (float)value;
		memcpy(&bits, &value, sizeof bits);
		if (size == 4) {
			uint32_t word;
			memcpy(&word, &single, sizeof word);
			bits = word;
		}
	}
	ptx_lex_next(&parser->lexer);
	memcpy(variable->init + at, &bits, size < 8 ? size : 8);
	return true;
}

static bool store_address(struct ptx_parser *parser, struct ptx_variable *variable, uint64_t at,
						  size_t size)
{
	bool wrapped = ptx_token_is(&parser->lexer.token, "generic");
	if (wrapped) {
		ptx_lex_next(&parser->lexer);
		ptx_expect(parser, '(');
	}
	struct ptx_symbol *symbol =
		ptx_scope_find(&parser->scopes, parser->lexer.token.text, parser->lexer.token.length);
	if (!symbol || size != 8 ||
		(symbol->kind != PTX_SYMBOL_VARIABLE && symbol->kind != PTX_SYMBOL_FUNCTION)) {
		ptx_lex_fail(&parser->lexer, "an initialiser names '%.*s', which has no address here",
					 (int)(parser->lexer.token.length < 100 ? parser->lexer.token.length : 100),
					 parser->lexer.token.text);
		return false;
	}
	struct ptx_relocation *relocation = ptx_take(parser, sizeof *relocation);
	if (!relocation)
		return false;
	relocation->variable = symbol->variable;
	relocation->function = symbol->function;
	relocation->offset = at;
	relocation->next = variable->relocations;
	variable->relocations = relocation;
	ptx_lex_next(&parser->lexer);
	if (wrapped)
		ptx_expect(parser, ')');
	if (ptx_accept(parser, '+'))
		ptx_integer(parser, &relocation->addend);
	return true;
}

static void parse_initialiser(struct ptx_parser *parser, struct ptx_variable *variable)
{
	size_t size = ptx_type_size(variable->type);
	bool sized = variable->size != 0;
	uint64_t capacity = sized ? variable->size : 0;
	uint64_t at = 0;
	int depth = 0;
	if (!sized) {
		ptx_lex_fail(&parser->lexer, "an initialised array needs a size");
		return;
	}
	variable->init = ptx_take(parser, capacity);
	while (!parser->lexer.failed && variable->init) {
		if (ptx_accept(parser, '{')) {
			depth++;
			continue;
		}
		if (ptx_accept(parser, '}')) {
			if (--depth <= 0)
				return;
			ptx_accept(parser, ',');
			continue;
		}
		if (at + size > capacity || size == 0) {
			ptx_lex_fail(&parser->lexer, "more initialisers than elements");
			return;
		}
		bool ok = parser->lexer.token.kind == PTX_TOKEN_NAME
					  ? store_address(parser, variable, at, size)
					  : (parser->lexer.token.kind == PTX_TOKEN_INTEGER ||
						 parser->lexer.token.kind == PTX_TOKEN_FLOAT || ptx_is_mark(parser, '-')) &&
							store_value(parser, variable, at, size);
		if (!ok)
			ptx_lex_fail(&parser->lexer, "a constant expected in an initialiser");
		at += size;
		if (depth == 0)
			return;
		ptx_accept(parser, ',');
	}
}

/* ------------------------------------------------------------------------
 * Variables */

static void parse_dimensions(struct ptx_parser *parser, struct ptx_variable *variable)
{
	while (ptx_accept(parser, '[')) {
		int64_t count = 0;
		if (!ptx_is_mark(parser, ']')) {
			ptx_integer(parser, &count);
			if (count < 0 || (count > 0 && variable->size > PTX_VARIABLE_LIMIT / (uint64_t)count)) {
				ptx_lex_fail(&parser->lexer, "array size out of range");
				return;
			}
		}
		variable->size *= (uint64_t)count;
		ptx_expect(parser, ']');
	}
}

static void parse_attributes(struct ptx_parser *parser, struct ptx_variable *variable,
							 uint32_t *vector)
{
	for (;;) {
		int64_t number = 0;
		if (ptx_accept_directive(parser, "align")) {
			ptx_integer(parser, &number);
			if (number < 1 || number > 65536 || (number & (number - 1)))
				ptx_lex_fail(&parser->lexer, "alignment is not a power of two up to 65536");
			variable->align = (uint32_t)number;
		} else if (ptx_accept_directive(parser, "ptr") || ptx_accept_directive(parser, "global") ||
				   ptx_accept_directive(parser, "shared") ||
				   ptx_accept_directive(parser, "const") || ptx_accept_directive(parser, "local")) {
			/* a hint about what a pointer parameter points to; the .align after
			 * .ptr is the pointee's, and harmless on the parameter */
		} else if (ptx_accept_directive(parser, "v2")) {
			*vector = 2;
		} else if (ptx_accept_directive(parser, "v4")) {
			*vector = 4;
		} else if (ptx_accept_directive(parser, "attribute")) {
			while (!parser->lexer.failed && !ptx_accept(parser, ')')) {
				if (parser->lexer.token.kind == PTX_TOKEN_END)
					ptx_lex_fail(&parser->lexer, "an attribute has no end");
				ptx_lex_next(&parser->lexer);
			}
		} else {
			return;
		}
	}
}

struct ptx_variable *ptx_variable_parse(struct ptx_parser *parser, enum ptx_space space)
{
	struct ptx_variable *variable = ptx_take(parser, sizeof *variable);
	if (!variable)
		return NULL;
	uint32_t vector = 1;
	parse_attributes(parser, variable, &vector);
	variable->space = space;
	variable->type = ptx_type(parser);
	uint32_t pointee_align = variable->align;
	parse_attributes(parser, variable, &vector);
	size_t size = ptx_type_size(variable->type);
	if (space == PTX_PARAM && pointee_align == 0)
		variable->align = 0; /* `.u64 .ptr .align 16`: of the pointee */
	if (variable->align < size)
		variable->align = (uint32_t)(variable->type == PTX_NONE ? 1 : size * vector);
	if (variable->align == 0)
		variable->align = 1;
	if (parser->lexer.token.kind != PTX_TOKEN_NAME) {
		ptx_lex_fail(&parser->lexer, "the name of a variable expected");
		return NULL;
	}
	variable->name = ptx_token_copy(parser);
	variable->size = size * vector;
	variable->index = parser->module->variable_count++;
	ptx_lex_next(&parser->lexer);
	parse_dimensions(parser, variable);
	return parser->lexer.failed ? NULL : variable;
}

/* ", b" after the first of several variables of one declaration */
struct ptx_variable *ptx_variable_again(struct ptx_parser *parser, const struct ptx_variable *first,
										uint64_t element)
{
	struct ptx_variable *variable = ptx_take(parser, sizeof *variable);
	if (!variable || parser->lexer.token.kind != PTX_TOKEN_NAME) {
		ptx_lex_fail(&parser->lexer, "the name of a variable expected");
		return NULL;
	}
	variable->space = first->space;
	variable->type = first->type;
	variable->align = first->align;
	variable->size = element;
	variable->name = ptx_token_copy(parser);
	variable->index = parser->module->variable_count++;
	ptx_lex_next(&parser->lexer);
	parse_dimensions(parser, variable);
	return parser->lexer.failed ? NULL : variable;
}

static void declare_variable(struct ptx_parser *parser, struct ptx_variable *variable)
{
	struct ptx_module *module = parser->module;
	struct ptx_symbol *known =
		ptx_scope_find(&parser->scopes, variable->name, strlen(variable->name));
	if (known && known->kind == PTX_SYMBOL_VARIABLE && known->variable->is_extern &&
		known->variable->size == variable->size && known->variable->space == variable->space) {
		bool is_extern = variable->is_extern;
		struct ptx_variable *next = known->variable->next;
		*known->variable = *variable; /* a definition after its declaration */
		known->variable->is_extern = is_extern;
		known->variable->next = next;
		return;
	}
	struct ptx_symbol *symbol = ptx_scope_add(&parser->scopes, PTX_SYMBOL_VARIABLE, variable->name);
	if (!symbol) {
		ptx_take(parser, SIZE_MAX);
		return;
	}
	symbol->variable = variable;
	if (module->last_variable)
		module->last_variable->next = variable;
	else
		module->variables = variable;
	module->last_variable = variable;
}

static void parse_module_variable(struct ptx_parser *parser, enum ptx_space space, bool is_extern)
{
	struct ptx_variable *variable = ptx_variable_parse(parser, space);
	uint64_t element = variable ? ptx_type_size(variable->type) : 0;
	while (variable) {
		variable->is_extern = is_extern;
		if (ptx_accept(parser, '='))
			parse_initialiser(parser, variable);
		if (parser->lexer.failed)
			return;
		declare_variable(parser, variable);
		if (!ptx_accept(parser, ','))
			break;
		variable = ptx_variable_again(parser, variable, element);
	}
	ptx_expect(parser, ';');
}

/* ------------------------------------------------------------------------
 * Functions */

static struct ptx_variable *parse_parameters(struct ptx_parser *parser, size_t *count,
											 size_t *bytes)
{
	struct ptx_variable *first = NULL, **link = &first;
	*count = *bytes = 0;
	if (!ptx_accept(parser, '('))
		return NULL;
	while (!parser->lexer.failed && !ptx_accept(parser, ')')) {
		bool in_register = ptx_accept_directive(parser, "reg");
		if (!in_register && !ptx_accept_directive(parser, "param")) {
			ptx_lex_fail(&parser->lexer, "a parameter expected");
			return NULL;
		}
		struct ptx_variable *variable =
			ptx_variable_parse(parser, in_register ? PTX_REG : PTX_PARAM);
		if (!variable)
			return NULL;
		*bytes = (*bytes + variable->align - 1) / variable->align * variable->align;
		variable->offset = *bytes;
		*bytes += variable->size;
		if (*bytes > PTX_PARAMETER_LIMIT) {
			ptx_lex_fail(&parser->lexer, "the parameters are larger than %d bytes",
						 PTX_PARAMETER_LIMIT);
			return NULL;
		}
		++*count;
		*link = variable;
		link = &variable->next;
		if (!ptx_is_mark(parser, ')'))
			ptx_expect(parser, ',');
	}
	return first;
}

static void parse_triple(struct ptx_parser *parser, uint32_t out[3])
{
	for (int i = 0; i < 3; i++) {
		int64_t value = 1;
		if (i == 0 || ptx_accept(parser, ','))
			ptx_integer(parser, &value);
		out[i] = value > 0 && value < 65536 ? (uint32_t)value : 1;
	}
}

static void skip_numbers(struct ptx_parser *parser)
{
	while (parser->lexer.token.kind == PTX_TOKEN_INTEGER || ptx_is_mark(parser, ',') ||
		   parser->lexer.token.kind == PTX_TOKEN_STRING)
		ptx_lex_next(&parser->lexer);
}

static void parse_tuning(struct ptx_parser *parser, struct ptx_function *function)
{
	while (parser->lexer.token.kind == PTX_TOKEN_DIRECTIVE) {
		uint32_t triple[3];
		if (ptx_accept_directive(parser, "maxntid")) {
			parse_triple(parser, triple);
			function->max_threads = triple[0] * triple[1] * triple[2];
		} else if (ptx_accept_directive(parser, "reqntid")) {
			parse_triple(parser, function->required_block);
		} else if (ptx_accept_directive(parser, "reqnctapercluster")) {
			parse_triple(parser, function->required_cluster);
		} else {
			/* .minnctapersm, .maxnreg, .noreturn, .pragma ...: hints */
			ptx_lex_next(&parser->lexer);
			skip_numbers(parser);
			ptx_accept(parser, ';');
		}
	}
}

static struct ptx_function *function_named(struct ptx_parser *parser)
{
	struct ptx_module *module = parser->module;
	const struct ptx_token *token = &parser->lexer.token;
	if (token->kind != PTX_TOKEN_NAME) {
		ptx_lex_fail(&parser->lexer, "the name of a function expected");
		return NULL;
	}
	struct ptx_symbol *symbol = ptx_scope_find(&parser->scopes, token->text, token->length);
	if (symbol && symbol->kind == PTX_SYMBOL_FUNCTION) {
		ptx_lex_next(&parser->lexer);
		return symbol->function;
	}
	struct ptx_function *function = ptx_take(parser, sizeof *function);
	const char *name = ptx_token_copy(parser);
	symbol = function && name ? ptx_scope_add(&parser->scopes, PTX_SYMBOL_FUNCTION, name) : NULL;
	if (!symbol)
		return NULL;
	symbol->function = function;
	function->name = name;
	function->module = module;
	function->line = token->line;
	if (module->last_function)
		module->last_function->next = function;
	else
		module->functions = function;
	module->last_function = function;
	ptx_lex_next(&parser->lexer);
	return function;
}

static void parse_function(struct ptx_parser *parser, bool is_entry)
{
	size_t count, bytes;
	struct ptx_variable *results = is_entry ? NULL : parse_parameters(parser, &count, &bytes);
	struct ptx_function *function = function_named(parser);
	if (!function)
		return;
	if (function->has_body) {
		ptx_lex_fail(&parser->lexer, "function '%s' is defined twice", function->name);
		return;
	}
	function->is_entry = is_entry;
	function->results = results;
	function->parameters =
		parse_parameters(parser, &function->parameter_count, &function->parameter_bytes);
	parse_tuning(parser, function);
	if (ptx_accept(parser, ';'))
		return;
	ptx_body_parse(parser, function);
}

/* ------------------------------------------------------------------------
 * Module */

static void parse_file(struct ptx_parser *parser)
{
	int64_t number = 0;
	ptx_integer(parser, &number);
	if (parser->lexer.token.kind == PTX_TOKEN_STRING) {
		struct ptx_file *file = ptx_take(parser, sizeof *file);
		if (!file)
			return;
		file->number = (uint32_t)number;
		file->name = ptx_token_copy(parser);
		file->next = parser->module->files;
		parser->module->files = file;
		ptx_lex_next(&parser->lexer);
	}
	skip_numbers(parser);
}

static void skip_section(struct ptx_parser *parser)
{
	while (!parser->lexer.failed && !ptx_accept(parser, '{')) {
		if (parser->lexer.token.kind == PTX_TOKEN_END)
			ptx_lex_fail(&parser->lexer, "a section without a body");
		ptx_lex_next(&parser->lexer);
	}
	while (!parser->lexer.failed && !ptx_accept(parser, '}')) {
		if (parser->lexer.token.kind == PTX_TOKEN_END)
			ptx_lex_fail(&parser->lexer, "a section has no end");
		ptx_lex_next(&parser->lexer);
	}
}

static void skip_statement(struct ptx_parser *parser)
{
	while (!parser->lexer.failed && !ptx_accept(parser, ';')) {
		if (parser->lexer.token.kind == PTX_TOKEN_END)
			ptx_lex_fail(&parser->lexer, "';' expected before the end");
		ptx_lex_next(&parser->lexer);
	}
}

static void parse_target(struct ptx_parser *parser)
{
	const struct ptx_token *token = &parser->lexer.token;
	if (token->kind == PTX_TOKEN_NAME && token->length < sizeof parser->module->target)
		memcpy(parser->module->target, token->text, token->length);
	ptx_lex_next(&parser->lexer);
	while (ptx_accept(parser, ','))
		ptx_lex_next(&parser->lexer);
}

static void parse_version(struct ptx_parser *parser)
{
	if (parser->lexer.token.kind != PTX_TOKEN_FLOAT)
		ptx_lex_fail(&parser->lexer, "a version number expected");
	ptx_lex_next(&parser->lexer);
}

static void parse_address_size(struct ptx_parser *parser)
{
	int64_t bits = 0;
	if (ptx_integer(parser, &bits) && bits != 64)
		ptx_lex_fail(&parser->lexer, "only 64-bit addresses are supported");
}

static void parse_top(struct ptx_parser *parser)
{
	bool is_extern = false;
	for (;;) {
		if (ptx_accept_directive(parser, "extern"))
			is_extern = true;
		else if (!ptx_accept_directive(parser, "visible") &&
				 !ptx_accept_directive(parser, "weak") && !ptx_accept_directive(parser, "common"))
			break;
	}
	if (ptx_accept_directive(parser, "global"))
		parse_module_variable(parser, PTX_GLOBAL, is_extern);
	else if (ptx_accept_directive(parser, "const"))
		parse_module_variable(parser, PTX_CONST, is_extern);
	else if (ptx_accept_directive(parser, "shared"))
		parse_module_variable(parser, PTX_SHARED, is_extern);
	else if (ptx_accept_directive(parser, "entry"))
		parse_function(parser, true);
	else if (ptx_accept_directive(parser, "func"))
		parse_function(parser, false);
	else if (ptx_accept_directive(parser, "version"))
		parse_version(parser);
	else if (ptx_accept_directive(parser, "target"))
		parse_target(parser);
	else if (ptx_accept_directive(parser, "address_size"))
		parse_address_size(parser);
	else if (ptx_accept_directive(parser, "file"))
		parse_file(parser);
	else if (ptx_accept_directive(parser, "section"))
		skip_section(parser);
	else if (ptx_accept_directive(parser, "pragma") || ptx_accept_directive(parser, "alias"))
		skip_statement(parser);
	else
		ptx_lex_fail(&parser->lexer, "a directive of module scope expected, found '%.*s'",
					 (int)(parser->lexer.token.length < 40 ? parser->lexer.token.length : 40),
					 parser->lexer.token.text);
}

struct ptx_module *ptx_parse(const char *text, size_t length, struct fault *fault)
{
	struct ptx_parser parser = {0};
	struct ptx_arena *arena = ptx_arena_create(length * 64 + ((size_t)16 << 20));
	parser.module = arena ? ptx_arena_take(arena, sizeof *parser.module) : NULL;
	if (!parser.module) {
		ptx_arena_free(arena);
		fault->kind = FAULT_MEMORY;
		snprintf(fault->text, sizeof fault->text, "no memory for the PTX module");
		return NULL;
	}
	parser.module->arena = parser.scopes.arena = arena;
	/* An embedded text ends with NULs. */
	while (length > 0 && text[length - 1] == '\0')
		length--;
	ptx_lex_start(&parser.lexer, text, length, fault);
	while (parser.lexer.token.kind != PTX_TOKEN_END)
		parse_top(&parser);
	if (parser.lexer.failed) {
		ptx_arena_free(arena);
		return NULL;
	}
	return parser.module;
}

void ptx_module_free(struct ptx_module *module)
{
	if (module)
		ptx_arena_free(module->arena);
}

/* Declarations of variables: type, dimensions, attributes, initialiser. */
#include <string.h>

#include "emulator/ptx/parse.h"

/* ------------------------------------------------------------------------
 * Initialisers */

static void store_value(struct ptx_parser *parser, struct ptx_variable *variable, uint64_t at,
						size_t size)
{
	const struct ptx_constant value = ptx_constant_parse(parser);
	const double number = value.is_float ? value.number : (double)value.integer;
	const float single = (float)number;
	if (ptx_is_mark(parser, '('))
		ptx_unsupported(parser, "a mask in an initialiser, as in 0xff(a),");
	if (value.is_float || variable->type == PTX_F32 || variable->type == PTX_F64)
		memcpy(variable->init + at, size == 4 ? (const void *)&single : &number,
			   size < 8 ? size : 8);
	else
		memcpy(variable->init + at, &value.integer, size < 8 ? size : 8);
}

static void store_address(struct ptx_parser *parser, struct ptx_variable *variable, uint64_t at,
						  size_t size)
{
	bool wrapped = ptx_token_is(&parser->lexer.token, "generic");
	if (wrapped) {
		ptx_lex_next(&parser->lexer);
		ptx_expect(parser, '(');
	}
	struct ptx_symbol *symbol =
		ptx_scope_find(&parser->scopes, parser->lexer.token.text, parser->lexer.token.length);
	if (symbol == NULL || size != 8 ||
		(symbol->kind != PTX_SYMBOL_VARIABLE && symbol->kind != PTX_SYMBOL_FUNCTION)) {
		ptx_lex_fail(&parser->lexer, "an initialiser names '%.*s', which has no address here",
					 (int)(parser->lexer.token.length < 100 ? parser->lexer.token.length : 100),
					 parser->lexer.token.text);
		return;
	}
	struct ptx_relocation *relocation = ptx_take(parser, sizeof *relocation);
	if (relocation == NULL)
		return;
	relocation->variable = symbol->variable;
	relocation->function = symbol->function;
	if (symbol->kind == PTX_SYMBOL_FUNCTION)
		symbol->function->address_taken = true;
	relocation->offset = at;
	relocation->next = variable->relocations;
	variable->relocations = relocation;
	ptx_lex_next(&parser->lexer);
	if (wrapped)
		ptx_expect(parser, ')');
	if (ptx_accept(parser, '+'))
		relocation->addend = ptx_constant_integer(parser, PTX_CONSTANT_SUM);
}

void ptx_initialiser_parse(struct ptx_parser *parser, struct ptx_variable *variable)
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
	while (!parser->lexer.failed && variable->init != NULL) {
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
		if (ptx_is_name(parser))
			store_address(parser, variable, at, size);
		else
			store_value(parser, variable, at, size);
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
	if (variable == NULL)
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
	if (variable == NULL || parser->lexer.token.kind != PTX_TOKEN_NAME) {
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

/* Recursive descent over PTX text (PTX ISA 9.0, chapters 4 to 7 and 11). Module
 * scope is here; variables are in variable.c, bodies of functions in
 * body.c. */
#include "emulator/ptx/parse.h"

#include <stdio.h>
#include <string.h>

#include "emulator/ptx/forms.h"

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
		if (variable == NULL)
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

/* Numbers of `least` and more; those that are not given are 1. */
static void parse_triple(struct ptx_parser *parser, int64_t least, uint32_t out[3])
{
	for (int i = 0; i < 3; i++) {
		int64_t value = 1;
		if (i == 0 || ptx_accept(parser, ','))
			ptx_integer(parser, &value);
		if (value < least || value > INT32_MAX)
			ptx_lex_fail(&parser->lexer, "the number of a directive is out of range");
		out[i] = (uint32_t)value;
	}
}

static uint32_t parse_count(struct ptx_parser *parser, int64_t least)
{
	int64_t value = 0;
	if (ptx_integer(parser, &value) && (value < least || value > INT32_MAX))
		ptx_lex_fail(&parser->lexer, "the number of a directive is out of range");
	return (uint32_t)value;
}

static void skip_numbers(struct ptx_parser *parser)
{
	while (parser->lexer.token.kind == PTX_TOKEN_INTEGER || ptx_is_mark(parser, ',') ||
		   parser->lexer.token.kind == PTX_TOKEN_STRING)
		ptx_lex_next(&parser->lexer);
}

/* Without effect here. */
static bool skip_hint(struct ptx_parser *parser)
{
	static const char *const hints[] = {"noreturn", "pragma", "abi_preserve",
										"abi_preserve_control"};
	for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
		if (ptx_accept_directive(parser, hints[i])) {
			skip_numbers(parser);
			ptx_accept(parser, ';');
			return true;
		}
	return false;
}

static bool parse_launch_bound(struct ptx_parser *parser, struct ptx_function *function)
{
	uint32_t block[3];
	if (ptx_accept_directive(parser, "maxntid")) {
		parse_triple(parser, 1, block);
		uint64_t threads = (uint64_t)block[0] * block[1];
		threads = threads < UINT32_MAX ? threads * block[2] : threads;
		function->max_threads = threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
	} else if (ptx_accept_directive(parser, "reqntid")) {
		parse_triple(parser, 1, function->required_block);
	} else if (ptx_accept_directive(parser, "reqnctapercluster")) {
		parse_triple(parser, 0, function->required_cluster);
	} else if (ptx_accept_directive(parser, "maxclusterrank")) {
		function->max_cluster = parse_count(parser, 0);
	} else if (ptx_accept_directive(parser, "explicitcluster")) {
		function->explicit_cluster = true;
	} else if (ptx_accept_directive(parser, "blocksareclusters")) {
		function->blocks_are_clusters = true;
	} else if (ptx_accept_directive(parser, "maxnreg")) {
		function->max_registers = parse_count(parser, 1);
	} else if (ptx_accept_directive(parser, "minnctapersm")) {
		function->min_blocks = parse_count(parser, 1);
	} else if (ptx_accept_directive(parser, "minperctamemory")) {
		ptx_unsupported(parser, "the directive .minperctamemory");
	} else {
		return false;
	}
	return true;
}

static void parse_tuning(struct ptx_parser *parser, struct ptx_function *function)
{
	while (parser->lexer.token.kind == PTX_TOKEN_DIRECTIVE)
		if (!(function->is_entry && parse_launch_bound(parser, function)) && !skip_hint(parser))
			ptx_unknown_directive(parser, function->is_entry ? "of a kernel" : "of a function");
	if (function->required_block[0] && function->max_threads)
		ptx_lex_fail(&parser->lexer, "a kernel has both .reqntid and .maxntid");
	if (function->required_cluster[0] && function->max_cluster)
		ptx_lex_fail(&parser->lexer, "a kernel has both .reqnctapercluster and .maxclusterrank");
	if (function->blocks_are_clusters &&
		!(function->required_block[0] && function->required_cluster[0]))
		ptx_lex_fail(&parser->lexer,
					 ".blocksareclusters needs .reqntid and .reqnctapercluster beside it");
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
	if (symbol != NULL && symbol->kind == PTX_SYMBOL_FUNCTION) {
		ptx_lex_next(&parser->lexer);
		return symbol->function;
	}
	struct ptx_function *function = ptx_take(parser, sizeof *function);
	const char *name = ptx_token_copy(parser);
	symbol = function != NULL && name != NULL
				 ? ptx_scope_add(&parser->scopes, PTX_SYMBOL_FUNCTION, name)
				 : NULL;
	if (symbol == NULL)
		return NULL;
	symbol->function = function;
	function->name = name;
	function->module = module;
	function->line = token->line;
	if (module->last_function != NULL)
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
	if (function == NULL)
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
		if (file == NULL)
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
	const struct ptx_token *token = &parser->lexer.token;
	parser->module->version = (int)(token->number * 10 + 0.5);
	if (token->kind != PTX_TOKEN_FLOAT)
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
		ptx_module_variable_parse(parser, PTX_GLOBAL, is_extern);
	else if (ptx_accept_directive(parser, "const"))
		ptx_module_variable_parse(parser, PTX_CONST, is_extern);
	else if (ptx_accept_directive(parser, "shared"))
		ptx_module_variable_parse(parser, PTX_SHARED, is_extern);
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
		ptx_unknown_directive(parser, "of module scope");
}

struct ptx_module *ptx_parse(const char *text, size_t length, struct fault *fault)
{
	struct ptx_parser parser = {0};
	struct ptx_arena *arena = ptx_arena_create(length * 64 + ((size_t)16 << 20));
	parser.module = arena != NULL ? ptx_arena_take(arena, sizeof *parser.module) : NULL;
	if (parser.module == NULL) {
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
	if (!parser.lexer.failed)
		ptx_check(&parser);
	if (!parser.lexer.failed)
		ptx_contract(&parser);
	if (parser.lexer.failed) {
		ptx_arena_free(arena);
		return NULL;
	}
	return parser.module;
}

void ptx_module_free(struct ptx_module *module)
{
	if (module != NULL)
		ptx_arena_free(module->arena);
}

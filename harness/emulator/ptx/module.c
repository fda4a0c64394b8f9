/* What module scope and bodies of functions share: variables of the module, and directives that
 * nobody knows. */
#include <string.h>

#include "emulator/ptx/forms.h"
#include "emulator/ptx/parse.h"

static void declare_variable(struct ptx_parser *parser, struct ptx_variable *variable)
{
	struct ptx_module *module = parser->module;
	struct ptx_symbol *known =
		ptx_scope_find(&parser->scopes, variable->name, strlen(variable->name));
	if (known != NULL && known->kind == PTX_SYMBOL_VARIABLE && known->variable->is_extern &&
		known->variable->size == variable->size && known->variable->space == variable->space) {
		bool is_extern = variable->is_extern;
		struct ptx_variable *next = known->variable->next;
		*known->variable = *variable; /* a definition after its declaration */
		known->variable->is_extern = is_extern;
		known->variable->next = next;
		return;
	}
	struct ptx_symbol *symbol = ptx_scope_add(&parser->scopes, PTX_SYMBOL_VARIABLE, variable->name);
	if (symbol == NULL) {
		ptx_take(parser, SIZE_MAX);
		return;
	}
	symbol->variable = variable;
	if (module->last_variable != NULL)
		module->last_variable->next = variable;
	else
		module->variables = variable;
	module->last_variable = variable;
}

void ptx_module_variable_parse(struct ptx_parser *parser, enum ptx_space space, bool is_extern)
{
	struct ptx_variable *variable = ptx_variable_parse(parser, space);
	uint64_t element = variable != NULL ? ptx_type_size(variable->type) : 0;
	while (variable != NULL) {
		variable->is_extern = is_extern;
		if (ptx_accept(parser, '='))
			ptx_initialiser_parse(parser, variable);
		if (parser->lexer.failed)
			return;
		declare_variable(parser, variable);
		if (!ptx_accept(parser, ','))
			break;
		variable = ptx_variable_again(parser, variable, element);
	}
	ptx_expect(parser, ';');
}

/* A module may be newer than what is known here. */
void ptx_unknown_directive(struct ptx_parser *parser, const char *where)
{
	const struct ptx_token *token = &parser->lexer.token;
	const bool newer = parser->module->version > PTX_FORMS_VERSION;
	ptx_lex_fail(&parser->lexer, "'%s%.*s' is no directive %s that is known here, up to PTX %.1f",
				 token->kind == PTX_TOKEN_DIRECTIVE ? "." : "",
				 (int)(token->length < 40 ? token->length : 40), token->text, where,
				 PTX_FORMS_VERSION / 10.0);
	if (newer)
		parser->lexer.fault->kind = FAULT_UNSUPPORTED;
}

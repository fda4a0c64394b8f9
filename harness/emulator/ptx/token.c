/* What every part of the parser does with tokens. */
#include <string.h>

#include "emulator/ptx/parse.h"

void *ptx_take(struct ptx_parser *parser, size_t bytes)
{
	void *result = ptx_arena_take(parser->module->arena, bytes);
	if (result == NULL && !parser->lexer.failed) {
		ptx_lex_fail(&parser->lexer, "the module needs too much memory");
		parser->lexer.fault->kind = FAULT_MEMORY;
	}
	return result;
}

char *ptx_token_copy(struct ptx_parser *parser)
{
	const struct ptx_token *token = &parser->lexer.token;
	char *copy = ptx_take(parser, token->length + 1);
	if (copy != NULL && token->length)
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

bool ptx_is_name(const struct ptx_parser *parser)
{
	const struct ptx_token *token = &parser->lexer.token;
	return token->kind == PTX_TOKEN_NAME && !ptx_token_is(token, "WARP_SZ");
}

bool ptx_accept_not(struct ptx_parser *parser)
{
	const struct ptx_lexer saved = parser->lexer;
	if (!ptx_accept(parser, '!'))
		return false;
	if (ptx_is_name(parser) || parser->lexer.failed)
		return true;
	parser->lexer = saved;
	return false;
}

void ptx_split_opcode(struct ptx_parser *parser, struct ptx_instruction *instruction)
{
	char *copy =
		ptx_arena_copy(parser->module->arena, instruction->opcode, strlen(instruction->opcode));
	uint32_t dots = 0;
	for (const char *c = instruction->opcode; *c; c++)
		dots += *c == '.';
	instruction->parts = ptx_take(parser, (dots + 1) * sizeof *instruction->parts);
	if (copy == NULL || instruction->parts == NULL)
		return;
	for (char *part = copy; part != NULL;) {
		char *dot = strchr(part, '.');
		instruction->parts[instruction->part_count++] = part;
		if (dot != NULL)
			*dot++ = '\0';
		part = dot;
	}
}

void ptx_unsupported(struct ptx_parser *parser, const char *what)
{
	if (parser->lexer.failed)
		return;
	ptx_lex_fail(&parser->lexer, "%s is not implemented", what);
	parser->lexer.fault->kind = FAULT_UNSUPPORTED;
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

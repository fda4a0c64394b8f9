#include "emulator/ptx/lex.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ptx_lex_fail(struct ptx_lexer *lexer, const char *format, ...)
{
	if (lexer->failed)
		return;
	char what[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	struct fault *fault = lexer->fault;
	fault->kind = FAULT_SYNTAX;
	fault->ptx_line = lexer->token.line;
	snprintf(fault->text, sizeof fault->text, "PTX line %d: %s", lexer->token.line, what);
	lexer->failed = true;
	lexer->at = lexer->end;
	lexer->token.kind = PTX_TOKEN_END;
	lexer->token.text = lexer->end;
	lexer->token.length = 0;
}

bool ptx_token_is(const struct ptx_token *token, const char *text)
{
	return (token->kind == PTX_TOKEN_NAME || token->kind == PTX_TOKEN_DIRECTIVE) &&
		   strlen(text) == token->length && memcmp(token->text, text, token->length) == 0;
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_part(char c)
{
	return is_name_start(c) || is_digit(c);
}

static char look(const struct ptx_lexer *lexer, size_t ahead)
{
	return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : '\0';
}

static void skip_block_comment(struct ptx_lexer *lexer)
{
	lexer->at += 2;
	while (lexer->at < lexer->end && !(look(lexer, 0) == '*' && look(lexer, 1) == '/'))
		lexer->line += *lexer->at++ == '\n';
	lexer->at += lexer->at < lexer->end ? 2 : 0;
}

static void skip_blanks(struct ptx_lexer *lexer)
{
	while (lexer->at < lexer->end) {
		char c = *lexer->at;
		if (c == '\n')
			lexer->line++;
		if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\0') {
			lexer->at++;
		} else if (c == '/' && look(lexer, 1) == '/') {
			while (lexer->at < lexer->end && *lexer->at != '\n')
				lexer->at++;
		} else if (c == '/' && look(lexer, 1) == '*') {
			skip_block_comment(lexer);
		} else {
			return;
		}
	}
}

static void lex_name(struct ptx_lexer *lexer)
{
	while (is_name_part(look(lexer, 0)))
		lexer->at++;
	/* %tid.x is one name */
	char axis = look(lexer, 1);
	if (*lexer->token.text == '%' && look(lexer, 0) == '.' && axis >= 'w' && axis <= 'z' &&
		!is_name_part(look(lexer, 2)))
		lexer->at += 2;
	lexer->token.kind = PTX_TOKEN_NAME;
}

static void lex_directive(struct ptx_lexer *lexer)
{
	lexer->token.kind = PTX_TOKEN_DIRECTIVE;
	lexer->token.text = ++lexer->at;
	for (;;) {
		if (is_name_part(look(lexer, 0)))
			lexer->at++;
		else if (look(lexer, 0) == ':' && look(lexer, 1) == ':' && is_name_part(look(lexer, 2)))
			lexer->at += 2;
		else
			return;
	}
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* 0f3F800000 and 0d3FF0000000000000 */
static void lex_float_bits(struct ptx_lexer *lexer, int digits)
{
	uint64_t bits = 0;
	lexer->at += 2;
	for (int i = 0; i < digits; i++) {
		int value = hex_value(look(lexer, 0));
		if (value < 0) {
			ptx_lex_fail(lexer, "a floating-point constant needs %d hexadecimal digits", digits);
			return;
		}
		bits = bits << 4 | (uint64_t)value;
		lexer->at++;
	}
	lexer->token.kind = PTX_TOKEN_FLOAT;
	lexer->token.integer = (int64_t)bits;
	if (digits == 8) {
		uint32_t word = (uint32_t)bits;
		float value;
		memcpy(&value, &word, sizeof value);
		lexer->token.number = value;
		lexer->token.mark = 'f';
	} else {
		memcpy(&lexer->token.number, &bits, sizeof bits);
		lexer->token.mark = 'd';
	}
}

static void lex_decimal_float(struct ptx_lexer *lexer)
{
	char text[64];
	size_t length = 0;
	while (length < sizeof text - 1) {
		char c = look(lexer, 0);
		bool exponent_sign = (c == '+' || c == '-') && length > 0 &&
							 (text[length - 1] == 'e' || text[length - 1] == 'E');
		if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !exponent_sign)
			break;
		text[length++] = c;
		lexer->at++;
	}
	text[length] = '\0';
	lexer->token.kind = PTX_TOKEN_FLOAT;
	lexer->token.number = strtod(text, NULL);
	memcpy(&lexer->token.integer, &lexer->token.number, sizeof(double));
	lexer->token.mark = 'd';
}

static void lex_integer(struct ptx_lexer *lexer, int base)
{
	uint64_t value = 0;
	bool any = base == 8;
	for (;;) {
		int digit = hex_value(look(lexer, 0));
		if (digit < 0 || digit >= base)
			break;
		value = value * (uint64_t)base + (uint64_t)digit;
		any = true;
		lexer->at++;
	}
	if (look(lexer, 0) == 'U')
		lexer->at++;
	if (!any || is_name_part(look(lexer, 0))) {
		ptx_lex_fail(lexer, "not a number");
		return;
	}
	lexer->token.kind = PTX_TOKEN_INTEGER;
	lexer->token.integer = (int64_t)value;
}

static void lex_number(struct ptx_lexer *lexer)
{
	char next = look(lexer, 1);
	if (look(lexer, 0) == '0') {
		if (next == 'f' || next == 'F') {
			lex_float_bits(lexer, 8);
			return;
		}
		if (next == 'd' || next == 'D') {
			lex_float_bits(lexer, 16);
			return;
		}
		if (next == 'x' || next == 'X' || next == 'b' || next == 'B') {
			lexer->at += 2;
			lex_integer(lexer, next == 'x' || next == 'X' ? 16 : 2);
			return;
		}
	}
	size_t digits = 0;
	while (is_digit(look(lexer, digits)))
		digits++;
	char after = look(lexer, digits);
	if (after == '.' || after == 'e' || after == 'E')
		lex_decimal_float(lexer);
	else
		lex_integer(lexer, look(lexer, 0) == '0' && digits > 1 ? 8 : 10);
}

void ptx_lex_fraction(struct ptx_lexer *lexer)
{
	struct ptx_token *token = &lexer->token;
	if (token->kind != PTX_TOKEN_DIRECTIVE || !is_digit(token->text[0]))
		return;
	lexer->at = --token->text;
	lex_decimal_float(lexer);
	token->length = (size_t)(lexer->at - token->text);
}

static void lex_string(struct ptx_lexer *lexer)
{
	lexer->token.text = ++lexer->at;
	while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
		lexer->at += *lexer->at == '\\' && lexer->end - lexer->at > 1 ? 2 : 1;
	lexer->token.kind = PTX_TOKEN_STRING;
	if (lexer->at >= lexer->end || *lexer->at != '"') {
		ptx_lex_fail(lexer, "a string has no end");
		return;
	}
	lexer->token.length = (size_t)(lexer->at - lexer->token.text);
	lexer->at++;
}

void ptx_lex_next(struct ptx_lexer *lexer)
{
	const char *before = lexer->at;
	skip_blanks(lexer);
	struct ptx_token *token = &lexer->token;
	*token =
		(struct ptx_token){.text = lexer->at, .line = lexer->line, .glued = before == lexer->at};
	if (lexer->at >= lexer->end)
		return;
	char c = *lexer->at;
	if (c == '"') {
		lex_string(lexer);
		return;
	}
	if (is_name_start(c) && (c != '%' || is_name_start(look(lexer, 1)))) {
		lex_name(lexer);
	} else if (c == '.' && is_name_part(look(lexer, 1))) {
		lex_directive(lexer);
	} else if (is_digit(c)) {
		lex_number(lexer);
	} else {
		token->kind = PTX_TOKEN_MARK;
		token->mark = c;
		lexer->at++;
	}
	if (!lexer->failed)
		token->length = (size_t)(lexer->at - token->text);
}

void ptx_lex_start(struct ptx_lexer *lexer, const char *text, size_t length, struct fault *fault)
{
	*lexer = (struct ptx_lexer){.at = text, .end = text + length, .line = 1, .fault = fault};
	ptx_lex_next(lexer);
}

/* Tokens of PTX text. After an error every token is the end, so that parsing
 * loops need no checks of their own. */
#ifndef EMULATOR_PTX_LEX_H
#define EMULATOR_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/machine.h"

enum ptx_token_kind {
	PTX_TOKEN_END,
	PTX_TOKEN_NAME,      /* foo, $L_1, %r1, %tid.x */
	PTX_TOKEN_DIRECTIVE, /* .reg; text without the dot, "::" included */
	PTX_TOKEN_INTEGER,
	PTX_TOKEN_FLOAT,
	PTX_TOKEN_STRING,
	PTX_TOKEN_MARK, /* one character: mark */
};

struct ptx_token {
	enum ptx_token_kind kind;
	const char *text;
	size_t length;
	int64_t integer;
	double number;
	char mark;
	bool glued; /* no blank between this token and the one before */
	int line;
};

struct ptx_lexer {
	const char *at, *end;
	int line;
	struct ptx_token token; /* the current one */
	struct fault *fault;
	bool failed;
};

void ptx_lex_start(struct ptx_lexer *lexer, const char *text, size_t length, struct fault *fault);
void ptx_lex_next(struct ptx_lexer *lexer);
/* The present token, which looks like a directive, is a number: ".5". */
void ptx_lex_fraction(struct ptx_lexer *lexer);
/* Only the first failure is kept. */
void ptx_lex_fail(struct ptx_lexer *lexer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool ptx_token_is(const struct ptx_token *token, const char *text);

#endif

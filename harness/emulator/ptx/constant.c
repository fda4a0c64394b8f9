/* Constant expressions: PTX ISA, "Constant Expressions". Where it leaves a choice, and where ptxas
 * does something else (`%` of unsigned numbers, `|` and `&` of signed ones), it is as ptxas does.
 */
#include <string.h>

#include "emulator/ptx/parse.h"

#define DEPTH_LIMIT 32

#define TWO(a, b) ((a) << 8 | (b))

struct binary_operator {
	int code;  /* a mark, or TWO of them */
	int level; /* what binds closer has a higher one */
};

static const struct binary_operator operators[] = {
	{TWO('|', '|'), 1}, {TWO('&', '&'), 2}, {TWO('=', '='), 6}, {TWO('!', '='), 6},
	{TWO('<', '='), 7}, {TWO('>', '='), 7}, {TWO('<', '<'), 8}, {TWO('>', '>'), 8},
	{'|', 3},           {'^', 4},           {'&', 5},           {'<', 7},
	{'>', 7},           {'+', 9},           {'-', 9},           {'*', 10},
	{'/', 10},          {'%', 10},
};

static const struct binary_operator *operator_here(const struct ptx_parser *parser)
{
	const struct ptx_lexer *lexer = &parser->lexer;
	if (lexer->token.kind != PTX_TOKEN_MARK)
		return NULL;
	const int one = (unsigned char)lexer->token.mark,
			  next = lexer->at < lexer->end ? (unsigned char)*lexer->at : 0;
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
		if (operators[i].code == TWO(one, next) || operators[i].code == one)
			/* %2 is no more than the beginning of a name */
			return one == '%' && next >= '0' && next <= '9' ? NULL : &operators[i];
	return NULL;
}

static void mismatch(struct ptx_parser *parser)
{
	ptx_lex_fail(&parser->lexer, "an operator of a constant expression does not take such numbers");
}

/* ------------------------------------------------------------------------
 * Values */

static struct ptx_constant of_integer(uint64_t value, bool is_unsigned)
{
	return (struct ptx_constant){.integer = (int64_t)value, .is_unsigned = is_unsigned};
}

static struct ptx_constant of_number(double number)
{
	struct ptx_constant out = {.is_float = true, .number = number};
	memcpy(&out.integer, &number, sizeof number);
	return out;
}

static struct ptx_constant of_numbers(struct ptx_parser *parser, int code, double a, double b)
{
	switch (code) {
	case '+': return of_number(a + b);
	case '-': return of_number(a - b);
	case '*': return of_number(a * b);
	case '/': return of_number(a / b);
	case '<': return of_integer(a < b, false);
	case '>': return of_integer(a > b, false);
	case TWO('<', '='): return of_integer(a <= b, false);
	case TWO('>', '='): return of_integer(a >= b, false);
	case TWO('=', '='): return of_integer(a == b, false);
	case TWO('!', '='): return of_integer(a != b, false);
	default: mismatch(parser); return of_number(0);
	}
}

static struct ptx_constant quotient(struct ptx_parser *parser, int code, uint64_t a, uint64_t b,
									bool is_unsigned)
{
	if (b == 0) {
		ptx_lex_fail(&parser->lexer, "a constant expression divides by zero");
		return of_integer(0, is_unsigned);
	}
	if (code == '%')
		return of_integer(a % b, false);
	if (is_unsigned)
		return of_integer(a / b, true);
	/* the least number by -1 is itself */
	return of_integer(b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b), false);
}

static struct ptx_constant of_integers(struct ptx_parser *parser, int code,
									   const struct ptx_constant *left,
									   const struct ptx_constant *right)
{
	const uint64_t a = (uint64_t)left->integer, b = (uint64_t)right->integer;
	const bool is_unsigned = left->is_unsigned || right->is_unsigned;
	/* the order of signed numbers is that of unsigned ones with the sign turned round */
	const uint64_t turn = is_unsigned ? 0 : (uint64_t)1 << 63;
	const bool less = (a ^ turn)<(b ^ turn), more = (a ^ turn)>(b ^ turn);
	switch (code) {
	case '+': return of_integer(a + b, is_unsigned);
	case '-': return of_integer(a - b, is_unsigned);
	case '*': return of_integer(a * b, is_unsigned);
	case '/':
	case '%': return quotient(parser, code, a, b, is_unsigned);
	case '&': return of_integer(a & b, is_unsigned);
	case '|': return of_integer(a | b, is_unsigned);
	case '^': return of_integer(a ^ b, is_unsigned);
	case TWO('<', '<'): return of_integer(a << (b & 63), left->is_unsigned);
	case TWO('>', '>'):
		return of_integer(left->is_unsigned ? a >> (b & 63) : (uint64_t)(left->integer >> (b & 63)),
						  left->is_unsigned);
	case '<': return of_integer(less, false);
	case '>': return of_integer(more, false);
	case TWO('<', '='): return of_integer(!more, false);
	case TWO('>', '='): return of_integer(!less, false);
	case TWO('=', '='): return of_integer(a == b, false);
	case TWO('!', '='): return of_integer(a != b, false);
	case TWO('&', '&'): return of_integer(a && b, false);
	default: return of_integer(a || b, false);
	}
}

static struct ptx_constant combine(struct ptx_parser *parser, int code,
								   const struct ptx_constant *left,
								   const struct ptx_constant *right)
{
	const bool is_bits = left->is_binary || right->is_binary; /* 0f3f800000 */
	if (left->is_float != right->is_float || is_bits)
		mismatch(parser);
	return left->is_float ? of_numbers(parser, code, left->number, right->number)
						  : of_integers(parser, code, left, right);
}

/* ------------------------------------------------------------------------
 * Expressions */

static struct ptx_constant parse_binary(struct ptx_parser *parser, int level, int depth);
static struct ptx_constant parse_choice(struct ptx_parser *parser, int depth);

/* A number, or what stands for one. */
static struct ptx_constant parse_literal(struct ptx_parser *parser)
{
	const struct ptx_token *token = &parser->lexer.token;
	struct ptx_constant out = {0};
	if (ptx_token_is(token, "WARP_SZ"))
		out.integer = 32;
	else if (token->kind == PTX_TOKEN_DIRECTIVE)
		ptx_lex_fraction(&parser->lexer);
	if (token->kind == PTX_TOKEN_INTEGER)
		out = of_integer((uint64_t)token->integer,
						 token->integer < 0 || token->text[token->length - 1] == 'U');
	else if (token->kind == PTX_TOKEN_FLOAT)
		out = (struct ptx_constant){.is_float = true,
									.number = token->number,
									.integer = token->integer,
									.is_binary = token->mark == 'f'};
	else if (out.integer == 0)
		ptx_lex_fail(&parser->lexer, "an operand expected, found '%.*s'",
					 (int)(token->length < 40 ? token->length : 40), token->text);
	ptx_lex_next(&parser->lexer);
	return out;
}

/* Behind "(": "(x)", "(.u64) x". */
static struct ptx_constant parse_parenthesis(struct ptx_parser *parser, int depth)
{
	struct ptx_constant out;
	const bool to_unsigned = ptx_accept_directive(parser, "u64");
	if (!to_unsigned && !ptx_accept_directive(parser, "s64")) {
		out = parse_choice(parser, depth);
		ptx_expect(parser, ')');
		return out;
	}
	ptx_expect(parser, ')');
	out = parse_binary(parser, PTX_CONSTANT_UNARY, depth);
	if (out.is_float)
		mismatch(parser);
	out.is_unsigned = to_unsigned;
	return out;
}

static struct ptx_constant parse_unary(struct ptx_parser *parser, int depth)
{
	struct ptx_constant out;
	if (depth > DEPTH_LIMIT) {
		ptx_lex_fail(&parser->lexer, "operands nested too deeply");
		return of_integer(0, false);
	}
	if (ptx_accept(parser, '('))
		return parse_parenthesis(parser, depth + 1);
	if (ptx_accept(parser, '+'))
		return parse_unary(parser, depth + 1);
	if (ptx_accept(parser, '-')) {
		out = parse_unary(parser, depth + 1);
		const bool is_binary = out.is_binary;
		out = out.is_float ? of_number(-out.number)
						   : of_integer(0 - (uint64_t)out.integer, out.is_unsigned);
		out.is_binary = is_binary;
		return out;
	}
	const bool inverts = ptx_is_mark(parser, '~');
	if (!inverts && !ptx_is_mark(parser, '!'))
		return parse_literal(parser);
	ptx_lex_next(&parser->lexer);
	out = parse_unary(parser, depth + 1);
	if (out.is_float)
		mismatch(parser);
	return inverts ? of_integer(~(uint64_t)out.integer, true) : of_integer(!out.integer, false);
}

/* Operators of `level` and higher. */
static struct ptx_constant parse_binary(struct ptx_parser *parser, int level, int depth)
{
	struct ptx_constant out = parse_unary(parser, depth);
	const struct binary_operator *here;
	while (!parser->lexer.failed && (here = operator_here(parser)) != NULL &&
		   here->level >= level) {
		ptx_lex_next(&parser->lexer);
		if (here->code > 0xff)
			ptx_lex_next(&parser->lexer);
		const struct ptx_constant right = parse_binary(parser, here->level + 1, depth);
		out = combine(parser, here->code, &out, &right);
	}
	return out;
}

static struct ptx_constant parse_choice(struct ptx_parser *parser, int depth)
{
	const struct ptx_constant out = parse_binary(parser, 1, depth);
	if (!ptx_accept(parser, '?'))
		return out;
	const struct ptx_constant yes = parse_choice(parser, depth + 1);
	ptx_expect(parser, ':');
	const struct ptx_constant no = parse_choice(parser, depth + 1);
	if (out.is_float || yes.is_float || no.is_float)
		mismatch(parser);
	return out.integer ? yes : no;
}

struct ptx_constant ptx_constant_parse(struct ptx_parser *parser)
{
	return parse_choice(parser, 0);
}

int64_t ptx_constant_integer(struct ptx_parser *parser, int level)
{
	const struct ptx_constant out = parse_binary(parser, level, 0);
	if (out.is_float)
		ptx_lex_fail(&parser->lexer, "an integer expected");
	return out.integer;
}

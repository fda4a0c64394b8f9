#include "base/expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/operation.h"
#include "base/suggest.h"
#include "base/text.h"

#define NAME_MAX_BYTES 63

/* Longer ones before those that they begin with. */
static const struct {
	const char *text;
	int precedence;
	enum operation operation;
} binaries[] = {
	{"||", 1, OP_OR},       {"&&", 2, OP_AND},        {"==", 3, OP_EQUAL},
	{"!=", 3, OP_UNEQUAL},  {"<=", 4, OP_LESS_EQUAL}, {">=", 4, OP_GREATER_EQUAL},
	{"<", 4, OP_LESS},      {">", 4, OP_GREATER},     {"+", 5, OP_ADD},
	{"-", 5, OP_SUBTRACT},  {"*", 6, OP_MULTIPLY},    {"/", 6, OP_DIVIDE},
	{"%", 6, OP_REMAINDER},
};
#define BINARIES (sizeof binaries / sizeof *binaries)

static const char *const function_names[] = {"min", "max", "ceil_div", "power_of_two"};
#define FUNCTIONS (sizeof function_names / sizeof *function_names)

/* ---- parsing ------------------------------------------------------------------ */

struct parser {
	const char *at;
	const struct expression_names *names;
	struct expression_node nodes[EXPRESSION_NODES_MAX];
	int count, depth;
	struct error *err;
};

static void skip_blanks(struct parser *parser)
{
	parser->at += strspn(parser->at, " \t\r");
}

static bool take(struct parser *parser, const char *text)
{
	skip_blanks(parser);
	size_t length = strlen(text);
	bool is_it = strncmp(parser->at, text, length) == 0;
	parser->at += is_it ? length : 0;
	return is_it;
}

/* The number of the new node, or -1. */
static int add_node(struct parser *parser, enum operation operation, int64_t value, int a, int b,
					int c)
{
	if (parser->count == EXPRESSION_NODES_MAX) {
		error_set(parser->err, "more than %d numbers, names and operators", EXPRESSION_NODES_MAX);
		return -1;
	}
	parser->nodes[parser->count] =
		(struct expression_node){.operation = (uint8_t)operation,
								 .operands = {(int16_t)a, (int16_t)b, (int16_t)c},
								 .value = value};
	return parser->count++;
}

static int parse_choice(struct parser *parser);
static int parse_one(struct parser *parser);

static int refuse(struct parser *parser, const char *wanted)
{
	skip_blanks(parser);
	if (*parser->at == '\0')
		error_set(parser->err, "it ends where %s is needed", wanted);
	else
		error_set(parser->err, "%s is needed at '%.24s'", wanted, parser->at);
	return -1;
}

static int parse_number(struct parser *parser)
{
	char *end;
	errno = 0;
	bool hexadecimal = parser->at[0] == '0' && (parser->at[1] == 'x' || parser->at[1] == 'X');
	long long value = strtoll(parser->at, &end, hexadecimal ? 16 : 10);
	int length = (int)(end - parser->at);
	if (isalnum((unsigned char)*end) || *end == '_' || *end == '.')
		error_set(parser->err, "'%.*s' is no whole number", length + 1, parser->at);
	else if (errno == ERANGE)
		error_set(parser->err, "%.*s takes more than 64 bits", length, parser->at);
	else {
		parser->at = end;
		return add_node(parser, OP_NUMBER, value, -1, -1, -1);
	}
	return -1;
}

static int parse_call(struct parser *parser, const char *name)
{
	char phrase[160], all[160];
	size_t i = text_index(name, function_names, FUNCTIONS);
	if (i == FUNCTIONS) {
		error_set(parser->err, "there is no function '%s'%s (%s)", name,
				  suggest_phrase(phrase, name, function_names, FUNCTIONS),
				  text_names(all, sizeof all, function_names, FUNCTIONS, ", "));
		return -1;
	}
	enum operation operation = OP_MIN + (enum operation)i;
	int a = parse_choice(parser), b = -1;
	if (a < 0)
		return -1;
	if (operation != OP_POWER_OF_TWO) {
		if (!take(parser, ","))
			return refuse(parser, "',' and a second operand");
		b = parse_choice(parser);
		if (b < 0)
			return -1;
	}
	return take(parser, ")") ? add_node(parser, operation, 0, a, b, -1) : refuse(parser, "')'");
}

static int parse_name(struct parser *parser)
{
	char name[NAME_MAX_BYTES + 1];
	size_t length = 0;
	while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_')
		length++;
	if (length > NAME_MAX_BYTES) {
		error_set(parser->err, "'%.24s...' is longer than names are (%d)", parser->at,
				  NAME_MAX_BYTES);
		return -1;
	}
	snprintf(name, sizeof name, "%.*s", (int)length, parser->at);
	parser->at += length;
	if (take(parser, "("))
		return parse_call(parser, name);
	if (parser->names == NULL) {
		error_set(parser->err, "'%s' is no number", name);
		return -1;
	}
	int place = parser->names->place(parser->names->context, name, parser->err);
	return place < 0 ? -1 : add_node(parser, OP_NAME, place, -1, -1, -1);
}

static int parse_sign(struct parser *parser, enum operation operation)
{
	int operand = parse_one(parser);
	return operand < 0 ? -1 : add_node(parser, operation, 0, operand, -1, -1);
}

static int parse_one_within(struct parser *parser)
{
	skip_blanks(parser);
	if (isdigit((unsigned char)*parser->at))
		return parse_number(parser);
	if (isalpha((unsigned char)*parser->at) || *parser->at == '_')
		return parse_name(parser);
	if (take(parser, "-"))
		return parse_sign(parser, OP_NEGATE);
	if (take(parser, "!"))
		return parse_sign(parser, OP_NOT);
	if (!take(parser, "("))
		return refuse(parser, "a number, a name or '('");
	int inside = parse_choice(parser);
	return inside < 0 || take(parser, ")") ? inside : refuse(parser, "')'");
}

/* Parses a term: an operand of the operators. */
static int parse_one(struct parser *parser)
{
	if (parser->depth == EXPRESSION_DEPTH_MAX) {
		error_set(parser->err, "it is nested more than %d deep", EXPRESSION_DEPTH_MAX);
		return -1;
	}
	parser->depth++;
	int node = parse_one_within(parser);
	parser->depth--;
	return node;
}

/* Operators of this precedence and above, the left ones first. */
static int parse_binary(struct parser *parser, int precedence)
{
	int left = parse_one(parser);
	while (left >= 0) {
		size_t i = 0;
		while (i < BINARIES && !take(parser, binaries[i].text))
			i++;
		if (i == BINARIES)
			break;
		if (binaries[i].precedence < precedence) {
			parser->at -= strlen(binaries[i].text);
			break;
		}
		int right = parse_binary(parser, binaries[i].precedence + 1);
		left = right < 0 ? -1 : add_node(parser, binaries[i].operation, 0, left, right, -1);
	}
	return left;
}

static int parse_choice(struct parser *parser)
{
	int condition = parse_binary(parser, 1);
	if (condition < 0 || !take(parser, "?"))
		return condition;
	if (parser->depth == EXPRESSION_DEPTH_MAX) {
		error_set(parser->err, "it is nested more than %d deep", EXPRESSION_DEPTH_MAX);
		return -1;
	}
	parser->depth++;
	int yes = parse_choice(parser);
	if (yes >= 0 && !take(parser, ":"))
		yes = refuse(parser, "':' of '?'");
	int no = yes < 0 ? -1 : parse_choice(parser);
	parser->depth--;
	return no < 0 ? -1 : add_node(parser, OP_CHOICE, 0, condition, yes, no);
}

bool expression_parse(const char *text, const struct expression_names *names,
					  struct expression *out, struct error *err)
{
	struct parser parser = {.at = text, .names = names, .err = err};
	*out = (struct expression){0};
	if (parse_choice(&parser) < 0)
		return false;
	skip_blanks(&parser);
	if (parser.at[0] == '=')
		return error_set(err, "'=' at '%.24s': '==' compares", parser.at);
	if (parser.at[0] != '\0')
		return error_set(err, "an operator is needed at '%.24s'", parser.at);
	out->nodes = malloc((size_t)parser.count * sizeof *out->nodes);
	if (out->nodes == NULL)
		return error_set(err, "out of memory");
	out->count = (size_t)parser.count;
	memcpy(out->nodes, parser.nodes, out->count * sizeof *out->nodes);
	return true;
}

void expression_free(struct expression *expression)
{
	free(expression->nodes);
	*expression = (struct expression){0};
}

/* ---- values ------------------------------------------------------------------- */

static int64_t ceil_div(int64_t a, int64_t b)
{
	return a < 0 || b <= 0 ? EXPRESSION_UNDEFINED : a / b + (a % b != 0);
}

/* Of two operands that are both needed. */
static int64_t combine(enum operation operation, int64_t a, int64_t b)
{
	int64_t out = 0;
	switch (operation) {
	case OP_EQUAL: return a == b;
	case OP_UNEQUAL: return a != b;
	case OP_LESS_EQUAL: return a <= b;
	case OP_GREATER_EQUAL: return a >= b;
	case OP_LESS: return a < b;
	case OP_GREATER: return a > b;
	case OP_ADD: return __builtin_add_overflow(a, b, &out) ? EXPRESSION_UNDEFINED : out;
	case OP_SUBTRACT: return __builtin_sub_overflow(a, b, &out) ? EXPRESSION_UNDEFINED : out;
	case OP_MULTIPLY: return __builtin_mul_overflow(a, b, &out) ? EXPRESSION_UNDEFINED : out;
	case OP_DIVIDE: return b == 0 ? EXPRESSION_UNDEFINED : a / b;
	case OP_REMAINDER: return b == 0 ? EXPRESSION_UNDEFINED : a % b;
	case OP_MIN: return a < b ? a : b;
	case OP_MAX: return a > b ? a : b;
	case OP_CEIL_DIV: return ceil_div(a, b);
	default: return EXPRESSION_UNDEFINED;
	}
}

static int64_t value_of(const struct expression_node *nodes, int i, const int64_t *values)
{
	const struct expression_node *node = &nodes[i];
	const enum operation operation = (enum operation)node->operation;
	if (operation == OP_NUMBER)
		return node->value;
	if (operation == OP_NAME)
		return values[node->value];
	int64_t a = value_of(nodes, node->operands[0], values);
	if (a == EXPRESSION_UNDEFINED)
		return a;
	switch (operation) {
	case OP_NEGATE: return -a;
	case OP_NOT: return a == 0;
	case OP_POWER_OF_TWO: return a > 0 && (a & (a - 1)) == 0;
	case OP_CHOICE: return value_of(nodes, node->operands[a != 0 ? 1 : 2], values);
	case OP_AND:
	case OP_OR:
		if ((a != 0) == (operation == OP_OR))
			return a != 0;
		break;
	default: break;
	}
	int64_t b = value_of(nodes, node->operands[1], values);
	if (b == EXPRESSION_UNDEFINED)
		return b;
	return operation == OP_AND || operation == OP_OR ? b != 0 : combine(operation, a, b);
}

int64_t expression_value(const struct expression *expression, const int64_t *values)
{
	return value_of(expression->nodes, (int)expression->count - 1, values);
}

uint64_t expression_marks(const struct expression *expression, const uint64_t *marks)
{
	uint64_t all = 0;
	for (size_t i = 0; i < expression->count; i++)
		if (expression->nodes[i].operation == OP_NAME)
			all |= marks[expression->nodes[i].value];
	return all;
}

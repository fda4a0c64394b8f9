/* Shared by the files of the parser. */
#ifndef EMULATOR_PTX_PARSE_H
#define EMULATOR_PTX_PARSE_H

#include "emulator/ptx/ir.h"
#include "emulator/ptx/lex.h"
#include "emulator/ptx/scope.h"

#define PTX_VARIABLE_LIMIT ((uint64_t)1 << 32)
#define PTX_PARAMETER_LIMIT 32764
#define PTX_REGISTER_LIMIT ((uint32_t)1 << 20)

struct ptx_parser {
	struct ptx_lexer lexer;
	struct ptx_module *module;
	struct ptx_scopes scopes;
};

void *ptx_take(struct ptx_parser *parser, size_t bytes);
char *ptx_token_copy(struct ptx_parser *parser);
bool ptx_is_mark(const struct ptx_parser *parser, char mark);
bool ptx_accept(struct ptx_parser *parser, char mark);
bool ptx_expect(struct ptx_parser *parser, char mark);
bool ptx_accept_directive(struct ptx_parser *parser, const char *name);
/* A name that is no constant. */
bool ptx_is_name(const struct ptx_parser *parser);
/* "!" of a predicate; that of a constant is an operator. */
bool ptx_accept_not(struct ptx_parser *parser);
/* Of the instruction's opcode. */
void ptx_split_opcode(struct ptx_parser *parser, struct ptx_instruction *instruction);
bool ptx_integer(struct ptx_parser *parser, int64_t *out);
enum ptx_type ptx_type(struct ptx_parser *parser);
struct ptx_variable *ptx_variable_parse(struct ptx_parser *parser, enum ptx_space space);
struct ptx_variable *ptx_variable_again(struct ptx_parser *parser, const struct ptx_variable *first,
										uint64_t element);
void ptx_initialiser_parse(struct ptx_parser *parser, struct ptx_variable *variable);

/* Behind ".global" and the like; such a variable of a function is one of the module's, too. */
void ptx_module_variable_parse(struct ptx_parser *parser, enum ptx_space space, bool is_extern);

/* The value of a constant expression. */
struct ptx_constant {
	bool is_float, is_unsigned;
	bool is_binary;  /* a float given as 0f */
	int64_t integer; /* or the bits of `number` */
	double number;
};
#define PTX_CONSTANT_ANY 1
#define PTX_CONSTANT_SUM 9 /* "4*2+4", and no operator that binds less */
#define PTX_CONSTANT_UNARY 11
struct ptx_constant ptx_constant_parse(struct ptx_parser *parser);
/* One that is an integer, with operators of this level and higher. */
int64_t ptx_constant_integer(struct ptx_parser *parser, int level);

/* Fails with "... is not implemented": it is PTX. */
void ptx_unsupported(struct ptx_parser *parser, const char *what);
/* Fails at the present token. */
void ptx_unknown_directive(struct ptx_parser *parser, const char *where);

/* At the '{' of a function; the result is in `function`. */
void ptx_body_parse(struct ptx_parser *parser, struct ptx_function *function);

/* Fails where an instruction is no form of PTX, or needs a later .target or .version. */
void ptx_check(struct ptx_parser *parser);

/* Makes one fma of products and sums where ptxas does. */
void ptx_contract(struct ptx_parser *parser);

#endif

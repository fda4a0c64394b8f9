/* Whether the instructions of a module are PTX: each is a form of the table, and the module's
 * .target and .version have it. ptxas refuses the whole module otherwise. */
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/forms.h"
#include "emulator/ptx/parse.h"

#define TARGET_UNKNOWN 100000 /* has everything */
#define OPCODES 1024          /* of the matches that are kept; a power of two */

/* A module has many instructions and few opcodes. */
struct kept {
	const struct ptx_instruction *in;
	struct ptx_match match;
	struct ptx_expectation expectation;
};

struct checker {
	struct ptx_parser *parser;
	struct ptx_need has;
	struct kept *kept; /* in the order of their first instructions */
	uint32_t kept_count;
	uint16_t slots[OPCODES]; /* by hash: 1 + which of `kept` */
};

/* As in struct ptx_need. */
static int target_of(const struct ptx_module *module)
{
	char *end;
	if (strncmp(module->target, "sm_", 3) != 0)
		return TARGET_UNKNOWN;
	const long sm = strtol(module->target + 3, &end, 10);
	return sm > 0 && sm < 1000 ? (int)sm * 10 + (*end == 'a'   ? 5
												 : *end == 'f' ? 3
															   : 0)
							   : TARGET_UNKNOWN;
}

static void fail_need(struct ptx_lexer *lexer, const struct ptx_module *module,
					  const struct ptx_instruction *in, const struct ptx_match *match,
					  struct ptx_need has)
{
	const struct ptx_need need = match->need;
	const int kind = need.target % 10;
	if (ptx_need_met((struct ptx_need){need.target, 0}, has))
		ptx_lex_fail(lexer, "'%s' requires PTX .version %d.%d or later, and the module's is %d.%d",
					 in->opcode, need.version / 10, need.version % 10, module->version / 10,
					 module->version % 10);
	else
		ptx_lex_fail(lexer, "'%s' (PTX %d.%d) requires .target sm_%d%s, and the module's is %s",
					 in->opcode, need.version / 10, need.version % 10, need.target / 10,
					 kind == 5   ? "a"
					 : kind == 3 ? "f or another of its family"
								 : " or higher",
					 module->target);
}

/* What a row asks for where `missing` points: the group, or the part. */
static int missing_length(const char *missing)
{
	return (int)strcspn(missing + 1, " .|(){}@+!") + 1;
}

static void fail(struct checker *checker, const struct ptx_instruction *in,
				 const struct ptx_match *match)
{
	struct ptx_lexer *lexer = &checker->parser->lexer;
	const struct ptx_module *module = checker->parser->module;
	const char *part = match->part < in->part_count ? in->parts[match->part] : "";
	lexer->token.line = in->line;
	switch (match->status) {
	case PTX_MATCH_OPCODE:
		ptx_lex_fail(lexer, "'%s': no instruction of PTX up to %.1f is called '%s'", in->opcode,
					 PTX_FORMS_VERSION / 10.0, in->parts[0]);
		break;
	case PTX_MATCH_PART:
		ptx_lex_fail(lexer, "'%s': PTX up to %.1f has no such form with '.%s'", in->opcode,
					 PTX_FORMS_VERSION / 10.0, part);
		break;
	case PTX_MATCH_MISSING:
		ptx_lex_fail(lexer, "'%s' is not complete: '%.*s' or the like is missing", in->opcode,
					 missing_length(match->missing), match->missing);
		break;
	case PTX_MATCH_OPERANDS:
		ptx_lex_fail(lexer, "'%s' does not take %u operands (%s)", in->opcode, in->operand_count,
					 match->form->operands);
		break;
	default: fail_need(lexer, module, in, match, checker->has); break;
	}
	/* it may be of a newer PTX than the table */
	if (match->status != PTX_MATCH_NEED && module->version > PTX_FORMS_VERSION)
		lexer->fault->kind = FAULT_UNSUPPORTED;
}

static const struct kept *find(struct checker *checker, const struct ptx_instruction *in)
{
	const uint32_t hash = ptx_hash(in->opcode, strlen(in->opcode)) + in->operand_count;
	uint16_t *slot = &checker->slots[hash % OPCODES];
	const bool is_new = *slot == 0;
	if (is_new)
		*slot = (uint16_t)++checker->kept_count;
	struct kept *kept = &checker->kept[*slot - 1];
	if (is_new || kept->in->operand_count != in->operand_count ||
		strcmp(kept->in->opcode, in->opcode) != 0) {
		kept->in = in;
		kept->match = ptx_match(in, checker->has);
		if (kept->match.status == PTX_MATCH_FOUND)
			ptx_expect_operands(&kept->expectation, in, &kept->match);
	}
	return kept;
}

static void fail_operand(struct checker *checker, const struct ptx_instruction *in,
						 const struct ptx_expectation *expectation, int misfit)
{
	char expected[256];
	ptx_describe(expectation, misfit, expected, sizeof expected);
	checker->parser->lexer.token.line = in->line;
	ptx_lex_fail(&checker->parser->lexer, "operand %d of '%s' is not as it must be: %s", misfit + 1,
				 in->opcode, expected);
}

/* Registers of the GPU are known by name; what newer modules have may be newer than the table. */
static void check_special(struct checker *checker, const struct ptx_instruction *in,
						  const struct ptx_operand *operand)
{
	struct ptx_lexer *lexer = &checker->parser->lexer;
	const struct ptx_special *special = ptx_special_named(operand->name);
	if (special != NULL && ptx_need_met(special->need, checker->has))
		return;
	lexer->token.line = in->line;
	if (special != NULL)
		ptx_lex_fail(lexer, "'%s' requires .target sm_%d and PTX .version %d.%d or later",
					 operand->name, special->need.target / 10, special->need.version / 10,
					 special->need.version % 10);
	else
		ptx_lex_fail(lexer, "no register of PTX up to %.1f is called '%s'",
					 PTX_FORMS_VERSION / 10.0, operand->name);
	if (special == NULL && checker->has.version > PTX_FORMS_VERSION)
		lexer->fault->kind = FAULT_UNSUPPORTED;
}

static void check(struct checker *checker, struct ptx_instruction *in)
{
	const struct kept *kept = find(checker, in);
	if (kept->match.status != PTX_MATCH_FOUND) {
		fail(checker, in, &kept->match);
		return;
	}
	const struct ptx_form *form = kept->match.form;
	in->op = form->opcode;
	in->has_result = form->operands[0] && strchr("dnpwDABC", form->operands[0]) != NULL;
	in->expects = form->operands;
	in->lacks_decoding = kept->match.lacks_decoding;
	const int misfit = ptx_misfit(&kept->expectation, in);
	for (uint32_t i = 0; i < in->operand_count && !checker->parser->lexer.failed; i++)
		if (in->operands[i].kind == PTX_OP_SPECIAL)
			check_special(checker, in, &in->operands[i]);
	if (misfit >= 0 && !checker->parser->lexer.failed)
		fail_operand(checker, in, &kept->expectation, misfit);
}

/* Directives of kernels that are about clusters. */
static void check_clusters(struct checker *checker, const struct ptx_function *function)
{
	struct ptx_lexer *lexer = &checker->parser->lexer;
	const bool counts = function->blocks_are_clusters;
	const struct ptx_need need = {900, counts ? 90 : 78};
	const bool has_any = counts || function->explicit_cluster || function->max_cluster ||
						 function->required_cluster[0];
	if (!has_any || ptx_need_met(need, checker->has))
		return;
	lexer->token.line = function->line;
	ptx_lex_fail(lexer, "%s of kernel '%s' requires .target sm_90 and PTX .version %d.%d or later",
				 counts ? ".blocksareclusters" : "a directive about clusters", function->name,
				 need.version / 10, need.version % 10);
}

void ptx_check(struct ptx_parser *parser)
{
	struct kept *kept = malloc(OPCODES * sizeof *kept);
	if (kept == NULL) {
		ptx_take(parser, SIZE_MAX);
		return;
	}
	struct checker checker = {
		.parser = parser,
		.has = {target_of(parser->module), parser->module->version},
		.kept = kept,
	};
	for (const struct ptx_function *f = parser->module->functions; f != NULL; f = f->next) {
		check_clusters(&checker, f);
		for (uint32_t i = 0; i < f->code_count && !parser->lexer.failed; i++)
			check(&checker, &f->code[i]);
	}
	free(kept);
}

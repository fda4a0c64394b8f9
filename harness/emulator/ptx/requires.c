/* What an instruction needs of the module's .target and .version: PTX ISA 9.0, "Target ISA Notes"
 * and "PTX ISA Notes" of each. ptxas refuses the whole module for one that needs more. */
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx/parse.h"

#define UNKNOWN 100000 /* a target that has everything */

/* An instruction is one of the first row that suits it: its first part, and another one of its
 * parts; NULL: any. `sm`: times ten, and 5 more for an "a". */
static const struct needs {
	const char *opcode, *part;
	int sm, version;
} needs[] = {
	{"cp", "reduce", 900, 80},
	{"cp", "bulk", 900, 80},
	{"cp", "async", 800, 70},
	{"mbarrier", "try_wait", 900, 78},
	{"mbarrier", "expect_tx", 900, 80},
	{"mbarrier", "complete_tx", 900, 80},
	{"mbarrier", NULL, 800, 70},
	{"wgmma", NULL, 905, 80},
	{"setmaxnreg", NULL, 905, 80},
	{"stmatrix", NULL, 900, 78},
	{"ldmatrix", NULL, 750, 65},
	{"barrier", "cluster", 900, 78},
	{"mapa", NULL, 900, 78},
	{"getctarank", NULL, 900, 78},
	{"elect", NULL, 900, 80},
	{"griddepcontrol", NULL, 900, 78},
	{"tensormap", NULL, 900, 83},
	{"multimem", NULL, 900, 81},
	{"st", "async", 900, 81},
	{"red", "async", 900, 81},
	{"fence", "async", 900, 80},
	{"fence", "tensormap", 900, 83},
	{"redux", NULL, 800, 70},
	{"mma", "e4m3", 890, 84},
	{"mma", "e5m2", 890, 84},
	{"mma", "sp", 800, 71},
	{"mma", "and", 800, 71},
	{"mma", "f64", 800, 70},
	{"mma", "bf16", 800, 70},
	{"mma", "tf32", 800, 70},
	{"mma", "m16n8k16", 800, 70},
	{"mma", "m16n8k32", 800, 70},
	{"mma", "m16n8k64", 800, 70},
	{"mma", "m16n8k128", 800, 70},
	{"mma", "m16n8k256", 800, 70},
	{"wmma", "bf16", 800, 70},
	{"wmma", "tf32", 800, 70},
	{"cvt", "e4m3x2", 890, 78},
	{"cvt", "e5m2x2", 890, 78},
	{"cvt", "bf16", 800, 70},
	{"cvt", "bf16x2", 800, 70},
	{"cvt", "tf32", 800, 70},
	{"add", "bf16", 900, 78},
	{"add", "bf16x2", 900, 78},
	{"sub", "bf16", 900, 78},
	{"sub", "bf16x2", 900, 78},
	{"mul", "bf16", 900, 78},
	{"mul", "bf16x2", 900, 78},
	{"fma", "bf16", 800, 70},
	{"fma", "bf16x2", 800, 70},
};

static bool has(const struct ptx_instruction *in, const char *part)
{
	for (uint32_t i = 1; i < in->part_count; i++) {
		const char *qualified = strstr(in->parts[i], "::"); /* fence.proxy.tensormap::generic */
		size_t length = qualified ? (size_t)(qualified - in->parts[i]) : strlen(in->parts[i]);
		if (strlen(part) == length && strncmp(in->parts[i], part, length) == 0)
			return true;
	}
	return false;
}

static const struct needs *needs_of(const struct ptx_instruction *in)
{
	for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
		if (strcmp(needs[i].opcode, in->parts[0]) == 0 &&
			(!needs[i].part || has(in, needs[i].part)))
			return &needs[i];
	return NULL;
}

/* As in the table; "sm_90f" is no less than "sm_90". */
static int target_of(const struct ptx_module *module)
{
	char *end;
	if (strncmp(module->target, "sm_", 3) != 0)
		return UNKNOWN;
	long sm = strtol(module->target + 3, &end, 10);
	return sm > 0 && sm < 1000 ? (int)sm * 10 + (*end == 'a' ? 5 : 0) : UNKNOWN;
}

static void refuse(struct ptx_lexer *lexer, const struct ptx_module *module,
				   const struct ptx_instruction *in, const struct needs *need, bool by_target)
{
	lexer->token.line = in->line;
	if (by_target)
		ptx_lex_fail(lexer, "'%s' requires .target sm_%d%s, and the module's is %s", in->opcode,
					 need->sm / 10, need->sm % 10 ? "a" : " or higher", module->target);
	else
		ptx_lex_fail(lexer, "'%s' requires PTX .version %.1f or later, and the module's is %.1f",
					 in->opcode, need->version / 10.0, module->version / 10.0);
}

void ptx_requires(struct ptx_parser *parser)
{
	const struct ptx_module *module = parser->module;
	const int target = target_of(module);
	if (target == 905 && module->version >= 84)
		return; /* which has all of the table */
	for (const struct ptx_function *f = module->functions; f; f = f->next)
		for (uint32_t i = 0; i < f->code_count && !parser->lexer.failed; i++) {
			const struct needs *need = needs_of(&f->code[i]);
			/* what only sm_90a has, sm_100 has not */
			bool lacks = need && (need->sm % 10 ? target != need->sm && target != UNKNOWN
												: target < need->sm);
			if (lacks || (need && module->version < need->version))
				refuse(&parser->lexer, module, &f->code[i], need, lacks);
		}
}

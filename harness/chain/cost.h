/* What the stages of a chain take of a GPU, from epilogues/costs.txt, which tools/stage-costs
 * writes. */
#ifndef GEMMJUDGE_CHAIN_COST_H
#define GEMMJUDGE_CHAIN_COST_H

#include "chain/chain.h"

/* An output, of all stages together but alpha_beta, which a product has in any case. */
struct chain_cost {
	double instructions, special;   /* all of them; those of the special function unit */
	bool branches;                  /* not all of the instructions run */
	char uncounted[CHAIN_NAME_MAX]; /* the first stage that the table has not, and that is not in
									   these numbers; "": none */
};

/* `table` is the file, `element` C's type as it names it: "f16". False with err where the file
 * cannot be read or a line of it is no row. */
bool chain_cost_read(const struct chain *chain, const char *table, const char *element,
					 struct chain_cost *out, struct error *err);

#endif

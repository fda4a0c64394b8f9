#include "judge/submission/arity.h"

#include "judge/hints/signature.h"

bool arity_fits(const struct problem *problem, const char *source, struct error *err)
{
	struct signature own, asked;
	char prototype[PROTOTYPE_TEXT];
	problem_prototype(problem, prototype);
	signature_find(prototype, "solve", &asked);
	if (!signature_read(source, "solve", &own) || !signature_counts_differ(&own, &asked))
		return true;
	return error_set(err, "solve() takes %zu argument%s, and %s calls it with %zu: %s", own.count,
					 own.count == 1 ? "" : "s", problem->name, asked.count, prototype);
}

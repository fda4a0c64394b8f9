#include "judge/submission/tensara.h"

#include "judge/hints/signature.h"

enum entry_order tensara_order(const struct problem *problem, const char *source)
{
	struct signature own, asked;
	char prototype[PROTOTYPE_TEXT];
	if (!entry_takes_solution(problem))
		return ENTRY_NOT_TAKEN;
	problem_prototype(problem, prototype);
	signature_find(prototype, "solve", &asked);
	bool other = signature_read(source, "solution", &own) && own.has_body && own.definitions == 1 &&
				 !signature_fits(&own, &asked);
	return other ? ENTRY_NOT_TAKEN : ENTRY_TENSARA;
}

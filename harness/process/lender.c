#include "process/lender.h"

#include <stddef.h>

#include "base/paths.h"
#include "process/child.h"

static struct child *start(const char *program)
{
	char build[PATHS_MAX], path[PATHS_MAX];
	struct error told_by_who_starts_its_own;
	if (!paths_build(build, &told_by_who_starts_its_own) ||
		!paths_join(path, build, program, &told_by_who_starts_its_own))
		return NULL;
	const char *argv[] = {path, NULL};
	return child_start(&(struct child_options){.argv = argv, .ours = true},
					   &told_by_who_starts_its_own);
}

int lender_lend(struct lender *lender, pid_t *program)
{
	*program = 0;
	if (lender->program == NULL)
		return -1;
	if (lender->child != NULL &&
		!(lender->shared ? child_runs(lender->child) : child_is_idle(lender->child)))
		lender_close(lender);
	if (lender->child == NULL)
		lender->child = start(lender->program);
	return lender->child != NULL ? child_lend(lender->child, program) : -1;
}

void lender_take_back(struct lender *lender, bool used_well)
{
	if (!used_well)
		lender_close(lender);
}

void lender_close(struct lender *lender)
{
	child_stop(lender->child);
	lender->child = NULL;
}

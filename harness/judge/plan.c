#include "judge/plan.h"

#include <stdlib.h>
#include <string.h>

#include "judge/submission/submission.h"

bool plan_make(const struct judge_options *options, const char *file, struct plan *out,
			   struct error *err)
{
	struct run run = {.options = options};
	struct submission submission;
	*out = (struct plan){0};
	if (!epilogue_open(options->epilogue, &run.epilogue, err))
		return false;
	submission_take(&run, file, &submission);
	bool ok = submission.refused[0] == '\0' || error_set(err, "%s: %s", file, submission.refused);
	if (ok) {
		*out = (struct plan){.problem = submission.problem,
							 .count = submission.case_count,
							 .cases = submission.cases};
		memcpy(out->content, submission.content, sizeof out->content);
		submission.cases = NULL;
	}
	submission_free(&submission);
	epilogue_close(run.epilogue);
	return ok;
}

void plan_free(struct plan *plan)
{
	free(plan->cases);
	*plan = (struct plan){0};
}

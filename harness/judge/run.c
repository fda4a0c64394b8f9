#include "judge/run.h"

const struct chain *run_chain(const struct run *run)
{
	return run->epilogue != NULL ? &run->epilogue->chain : NULL;
}

struct contestant_link run_contestant(const struct run *run, const struct problem *problem,
									  const struct entrant *entrant)
{
	return (struct contestant_link){.device = &run->referee.device,
									.library = entrant->library,
									.problem = problem->name,
									.chain = entrant->fused ? run_chain(run) : NULL,
									.libraries_allowed = entrant->libraries_allowed,
									.memory_limit = run->memory_limit,
									.timeout = run->timeout,
									.without = run->options->without,
									.required = entrant->is_yardstick ? 0 : run->options->required};
}

void run_progress(const struct run *run, const char *file, const char *what, size_t done,
				  size_t total)
{
	if (run->progress != NULL && run->progress->step != NULL)
		run->progress->step(run->progress->context, file, what, done, total);
}

bool run_stopped(const struct run *run)
{
	return run->progress != NULL && run->progress->stop != NULL &&
		   run->progress->stop(run->progress->context);
}

#include "judge/run.h"

const struct chain *run_chain(const struct run *run)
{
	return run->epilogue != NULL ? &run->epilogue->chain : NULL;
}

bool run_renew(struct run *run, struct error *err)
{
	epilogue_renew(run->epilogue);
	return referee_link_renew(&run->referee, err);
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

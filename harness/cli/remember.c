#include "cli/remember.h"

#include "cli/cli.h"
#include "store/place.h"

void remember_open(struct remember *remember, const struct options *options)
{
	*remember = (struct remember){.run.mode = options->command};
	if (options->no_store)
		return;
	struct error why;
	if (!store_place(options->store, remember->path, &why) ||
		(remember->path[0] != '\0' && !store_probe(remember->path, &why))) {
		error_prefix(&why, "this run is not remembered");
		cli_tell(why.message);
		remember->path[0] = '\0';
	}
	remember->run.path = remember->path;
}

bool remember_judged(struct remember *remember, const struct judgement_list *list, bool ended)
{
	struct error err;
	/* shapes of bench and compare belong to all files at once */
	bool whole = ended || list->bench_count == 0;
	if (remember->path[0] == '\0' || !whole || (remember->failed && !ended) ||
		store_append(&remember->run, list, &err))
		return false;
	bool told = remember->failed;
	remember->failed = true;
	if (!told)
		remember->why = err;
	return !told;
}

void remember_close(struct remember *remember)
{
	store_run_free(&remember->run);
}

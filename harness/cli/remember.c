#include "cli/remember.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/keep_sources.h"
#include "store/place.h"

void remember_open(struct remember *remember, const struct options *options)
{
	*remember = (struct remember){
		.run = {.mode = options->command, .as = options->store.as, .job = options->store.job}};
	if (options->store.none)
		return;
	struct error why;
	if (!store_place(options->store.file, remember->path, &why) ||
		(remember->path[0] != '\0' && !store_probe(remember->path, &why))) {
		error_prefix(&why, "this run is not remembered");
		cli_tell(why.message);
		remember->path[0] = '\0';
	}
	remember->run.path = remember->path;
	remember->input = options->judge.input;
	remember->sources = !options->store.no_sources;
}

/* Of what has its turn behind it, and was not looked at before. */
static bool keep_all(struct remember *remember, const struct judgement_list *list,
					 struct error *err)
{
	bool ok = true;
	if (!remember->sources)
		return true;
	if (remember->kept == NULL)
		remember->kept = calloc(list->count + 1, sizeof *remember->kept);
	for (size_t i = 0; i < list->count && remember->kept != NULL && ok; i++) {
		const struct judgement *item = &list->items[i];
		const bool is_input = remember->input != NULL && strcmp(item->file, JUDGE_STDIN_SHOWN) == 0;
		if (remember->kept[i] || item->verdict == VERDICT_NOT_RUN)
			continue;
		remember->kept[i] = true;
		ok = keep_sources(remember->path, item, is_input ? remember->input : item->file,
						  is_input ? JUDGE_STDIN_SHOWN ".cu" : NULL, err);
	}
	return ok;
}

bool remember_judged(struct remember *remember, const struct judgement_list *list, bool ended)
{
	struct error err;
	/* shapes of bench and compare belong to all files at once */
	bool whole = ended || list->bench_count == 0;
	if (remember->path[0] == '\0' || !whole || (remember->failed && !ended) ||
		(store_append(&remember->run, list, &err) && keep_all(remember, list, &err)))
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
	free(remember->kept);
	remember->kept = NULL;
}

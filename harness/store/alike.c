#include "store/alike.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was judged in one manner in a field. */
struct manner {
	const char *field, *key; /* borrowed */
	const struct measured *last;
	json_t *contents; /* an object; owned */
};

struct manners {
	size_t count;
	struct manner *items;
	char **fields, **keys; /* of each run; owned */
};

static void manners_free(struct manners *manners, size_t runs)
{
	for (size_t i = 0; i < manners->count; i++)
		json_decref(manners->items[i].contents);
	for (size_t i = 0; i < runs; i++) {
		if (manners->fields != NULL)
			free(manners->fields[i]);
		if (manners->keys != NULL)
			free(manners->keys[i]);
	}
	free(manners->items);
	free(manners->fields);
	free(manners->keys);
}

/* NULL where memory runs out. */
static char *field_of(const struct measured *run)
{
	char *text;
	const int length = asprintf(&text, "%s\n%s\n%s", run->problem, run->device, run->epilogue);
	return length >= 0 ? text : NULL;
}

static bool manners_begin(struct manners *out, const struct measured_list *runs)
{
	*out = (struct manners){.items = calloc(runs->count + 1, sizeof *out->items),
							.fields = calloc(runs->count + 1, sizeof *out->fields),
							.keys = calloc(runs->count + 1, sizeof *out->keys)};
	bool ok = out->items != NULL && out->fields != NULL && out->keys != NULL;
	for (size_t i = 0; i < runs->count && ok; i++)
		ok = (out->fields[i] = field_of(&runs->items[i])) != NULL &&
			 (out->keys[i] = measured_conditions_key(&runs->items[i])) != NULL;
	return ok;
}

static struct manner *manner_of(struct manners *all, const char *field, const char *key)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->items[i].field, field) == 0 && strcmp(all->items[i].key, key) == 0)
			return &all->items[i];
	all->items[all->count] = (struct manner){.field = field, .key = key, .contents = json_object()};
	return &all->items[all->count++];
}

static bool goes_before(const struct manner *a, const struct manner *b)
{
	const size_t x = json_object_size(a->contents), y = json_object_size(b->contents);
	const bool submitted = a->last->job[0] != '\0';
	if (submitted != (b->last->job[0] != '\0'))
		return submitted;
	if (submitted)
		return a->last->id > b->last->id;
	if (x != y)
		return x > y;
	if (a->last->cases != b->last->cases)
		return a->last->cases > b->last->cases;
	if (a->last->seed_given != b->last->seed_given)
		return !a->last->seed_given;
	return a->last->id > b->last->id;
}

static const struct measured *best_of(const struct manners *all, const char *field)
{
	const struct manner *best = NULL;
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->items[i].field, field) == 0 &&
			(best == NULL || goes_before(&all->items[i], best)))
			best = &all->items[i];
	return best != NULL ? best->last : NULL;
}

/* Of those of a field that have the most to say. What was submitted is a manner of its own. */
static void count_runs(struct manners *manners, const struct measured_list *runs, const int *worth)
{
	json_t *most = json_object();
	for (size_t i = 0; i < runs->count; i++)
		if (worth[i] > json_integer_value(json_object_get(most, manners->fields[i])))
			json_object_set_new(most, manners->fields[i], json_integer(worth[i]));
	for (size_t i = 0; i < runs->count; i++) {
		const struct measured *run = &runs->items[i];
		if (worth[i] == 0 ||
			worth[i] < json_integer_value(json_object_get(most, manners->fields[i])))
			continue;
		struct manner *manner = manner_of(manners, manners->fields[i], manners->keys[i]);
		json_object_set_new(manner->contents, run->content, json_true());
		if (manner->last == NULL || run->job[0] != '\0' || manner->last->job[0] == '\0')
			manner->last = run;
	}
	json_decref(most);
}

bool alike_choose(struct leaderboard *all, const int *worth)
{
	const struct measured_list *runs = &all->runs;
	struct manners manners;
	bool ok = manners_begin(&manners, runs) &&
			  (all->ranks = calloc(runs->count + 1, sizeof *all->ranks)) != NULL;
	if (ok)
		count_runs(&manners, runs, worth);
	for (size_t i = 0; i < runs->count && ok; i++) {
		const struct measured *best = best_of(&manners, manners.fields[i]);
		all->ranks[i] =
			best == NULL || strcmp(manners.keys[best - runs->items], manners.keys[i]) == 0;
	}
	manners_free(&manners, runs->count);
	return ok;
}

bool alike_ranks(const struct leaderboard *all, const struct measured *run)
{
	return all->ranks == NULL || all->ranks[run - all->runs.items];
}

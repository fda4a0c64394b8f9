/* What a viewer may see of the boards: of others' submissions a rank, a name and a time. What is
 * not named here stays with the teachers. */
#include <string.h>

#include "judgement/names.h"
#include "serve/server.h"

static const char *text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));
	return text != NULL ? text : "";
}

/* A copy with these members alone; NULL-ended. */
static json_t *only(const json_t *object, const char *const *members)
{
	json_t *out = json_object();
	for (; *members != NULL; members++) {
		const json_t *value = json_object_get(object, *members);
		if (value != NULL)
			json_object_set_new(out, *members, json_deep_copy(value));
	}
	return out;
}

static bool is_own(const json_t *judgement, const struct boards_viewer *viewer)
{
	return viewer->user_id[0] != '\0' &&
		   strcmp(text_of(judgement, "user_id"), viewer->user_id) == 0;
}

/* One of a board's leaders or of those by correctness; NULL where it is another's that was not
 * accepted. */
static json_t *item_view(const json_t *item, const struct boards_viewer *viewer)
{
	static const char *const own[] = {
		"problem",        "device",     "epilogue",        "user", "user_id",
		"name",           "submission", "verdict",         "when", "cases_total",
		"cases_accepted", "repeatable", "batch_invariant", NULL};
	static const char *const others[] = {"problem", "device", "epilogue", "user", NULL};
	static const char *const time[] = {"median_us", NULL};
	static const char *const rank[] = {"rank", "why", NULL};
	const json_t *judgement = json_object_get(item, "judgement");
	const bool whole = viewer->all || is_own(judgement, viewer);
	if (viewer->teacher)
		return json_deep_copy(item);
	if (!whole && !verdict_is(text_of(judgement, "verdict"), VERDICT_ACCEPTED))
		return NULL;
	json_t *out = only(item, rank);
	json_object_set_new(out, "judgement", only(judgement, whole ? own : others));
	const json_t *its_time = json_object_get(item, "time");
	if (its_time != NULL)
		json_object_set_new(out, "time", whole ? json_deep_copy(its_time) : only(its_time, time));
	return out;
}

static json_t *items_view(const json_t *list, const struct boards_viewer *viewer, bool own_only)
{
	size_t i;
	json_t *item, *out = json_array();
	json_array_foreach(list, i, item)
	{
		const json_t *judgement = json_object_get(item, "judgement");
		const bool of_it = viewer->problem == NULL || !json_is_object(judgement) ||
						   strcmp(text_of(judgement, "problem"), viewer->problem) == 0;
		json_t *view = of_it && (!own_only || viewer->teacher || is_own(judgement, viewer))
						   ? item_view(item, viewer)
						   : NULL;
		if (view != NULL)
			json_array_append_new(out, view);
	}
	return out;
}

static json_t *boards_view(const json_t *list, const struct boards_viewer *viewer)
{
	static const char *const head[] = {"problem", "device",  "epilogue", "judged_on",
									   "shape",   "scalars", NULL};
	size_t i;
	json_t *board, *out = json_array();
	json_array_foreach(list, i, board)
	{
		if (viewer->problem != NULL && strcmp(text_of(board, "problem"), viewer->problem) != 0)
			continue;
		json_t *view = viewer->teacher ? json_deep_copy(board) : only(board, head);
		json_object_set_new(view, "leaders",
							items_view(json_object_get(board, "leaders"), viewer, false));
		json_array_append_new(out, view);
	}
	return out;
}

json_t *board_view(const json_t *document, const struct boards_viewer *viewer)
{
	json_t *out = json_object();
	json_object_set_new(out, "boards", boards_view(json_object_get(document, "boards"), viewer));
	json_object_set_new(out, "by_correctness",
						items_view(json_object_get(document, "by_correctness"), viewer, false));
	json_object_set_new(out, "not_ranked",
						items_view(json_object_get(document, "not_ranked"), viewer, true));
	return out;
}

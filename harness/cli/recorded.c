#include "cli/recorded.h"

#include <string.h>

#include "base/number.h"
#include "report/document.h"
#include "testcases/problem.h"

static bool is_given(const struct batch_words *words, const char *name)
{
	for (size_t i = 0; i < words->count; i++)
		if (strncmp(words->at[i], "--", 2) == 0 && strcmp(words->at[i] + 2, name) == 0)
			return true;
	return false;
}

/* Unless it is "", or the user has said something else. */
static void put_text(json_t *out, const char *name, const char *value,
					 const struct batch_words *words)
{
	if (value[0] != '\0' && !is_given(words, name))
		json_object_set_new(out, name, document_text(value));
}

static void put_number(json_t *out, const char *name, int64_t value,
					   const struct batch_words *words)
{
	if (value > 0 && !is_given(words, name))
		json_object_set_new(out, name, json_integer(value));
}

/* A list in JSON; whether there is something in it. */
static bool put_list(json_t *out, const char *name, const char *value)
{
	json_t *list = json_loads(value, 0, NULL);
	const bool some = json_array_size(list) > 0;
	if (some)
		json_object_set(out, name, list);
	json_decref(list);
	return some;
}

/* Only these cases: they were chosen by --case, or nobody knows that they were not. */
static void put_names(json_t *out, const struct measured *item)
{
	json_t *names = json_array();
	bool fits = item->case_count <= OPTIONS_ONLY_MAX;
	for (size_t i = 0; i < item->case_count && fits; i++) {
		json_array_append_new(names, document_text(item->case_list[i].name));
		fits = strchr(item->case_list[i].name, ',') == NULL;
	}
	if (fits)
		json_object_set(out, "case", names);
	json_decref(names);
}

/* How many generated cases there were, from "random-17" or "16x16x16-3"; 0: they are no such. */
static uint64_t drawn(const struct measured *item)
{
	uint64_t most = 0, index;
	for (size_t i = 0; i < item->case_count; i++) {
		const char *dash = strrchr(item->case_list[i].name, '-');
		if (dash == NULL || !number_whole(dash + 1, 1000000, &index))
			return 0;
		if (index + 1 > most)
			most = index + 1;
	}
	return most;
}

/* How many shapes there are, in the order of the cases; they become --shape. */
static size_t put_shapes(json_t *out, const struct measured *item)
{
	const struct problem *problem = problem_find(item->problem);
	json_t *shapes = json_array();
	char text[SHAPE_TEXT];
	for (size_t i = 0; i < item->case_count && problem != NULL; i++) {
		const struct shape *shape = &item->case_list[i].shape;
		bool known = false;
		for (size_t k = 0; k < i && !known; k++)
			known = memcmp(&item->case_list[k].shape, shape, sizeof *shape) == 0;
		if (known)
			continue;
		shape_print(problem, shape, text);
		json_array_append_new(shapes, json_string(text));
	}
	const size_t count = json_array_size(shapes);
	json_object_set_new(out, "shape", shapes);
	json_object_set_new(out, "large-sizes", json_true());
	return count;
}

static void put_cases(json_t *out, const struct measured *item, const struct batch_words *words)
{
	const uint64_t count = drawn(item);
	const bool own = is_given(words, "cases");
	if (strcmp(item->sizes, "given") == 0 && !is_given(words, "max-dim")) {
		const size_t shapes = put_shapes(out, item);
		put_number(out, "cases", shapes > 0 ? (int64_t)(count / shapes) : 0, words);
	} else {
		put_number(out, "max-dim", item->max_dim, words);
		put_number(out, "multiple-of", item->multiple > 1 ? item->multiple : 0, words);
		if (!own && put_list(out, "suite", item->suites)) {
			put_names(out, item);
			return;
		}
		if (strcmp(item->sizes, "given") != 0)
			put_text(out, "sizes", item->sizes, words);
		put_number(out, "cases", (int64_t)count, words);
	}
	if (!own && count != item->case_count)
		put_names(out, item);
}

json_t *recorded_options(const struct measured *item, const struct batch_words *words)
{
	json_t *out = json_object();
	put_text(out, "epilogue", item->epilogue, words);
	put_text(out, "tolerance", item->tolerance, words);
	put_text(out, "seed", item->seed, words);
	if (item->seed[0] != '\0' && !item->seed_given && !is_given(words, "seed"))
		json_object_set_new(out, "seed-drawn", json_true());
	put_text(out, "stored-as", item->path, words);
	put_list(out, "nvcc-flag", item->nvcc_flags);
	if (item->tuned)
		json_object_set_new(out, "tuned", json_true());
	put_cases(out, item, words);
	return out;
}

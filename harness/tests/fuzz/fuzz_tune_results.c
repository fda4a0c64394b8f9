/* links: cli; seeds: harness/tests/fuzz/seeds/tune_results */
/* words: harness/cli/tune_files.c */
/* Results in the T4 format, which other programs write: each is refused in a line, or one that is
 * written and read again as the same. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/tune_files.h"
#include "fuzz.h"

static const char declaration[] = "// tune A = 1 : 1..8\n// tune B = -2 : -2 3\n";

static void look_at_trial(const struct space *space, const struct tuned_trial *trial)
{
	struct tuned_trial copy = *trial, again;
	struct tuned_trials one = {.count = 1, .items = &copy};
	struct error err;
	if (!(trial->median >= 0) || !isfinite(trial->median))
		fuzz_found("a time that is none");
	json_t *json = tune_results_json(space, &one);
	const json_t *first = json_array_get(json_object_get(json, "results"), 0);
	if (!tune_result_read(first, space, &again, &err) ||
		strcmp(again.constants, trial->constants) != 0 ||
		strcmp(again.outcome, trial->outcome) != 0)
		fuzz_found("a result that is another one when it is read again");
	json_decref(json);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct space space;
	struct error err;
	if (!space_parse("x.cu", declaration, problem_find("sgemm"), &space, &err))
		fuzz_found("the declaration is refused");
	json_t *json = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	const json_t *results = json_object_get(json, "results");
	for (size_t i = 0; i < json_array_size(results); i++) {
		struct tuned_trial trial;
		err.message[0] = '\0';
		if (tune_result_read(json_array_get(results, i), &space, &trial, &err))
			look_at_trial(&space, &trial);
		else if (err.message[0] == '\0' || strchr(err.message, '\n') != NULL)
			fuzz_found("an error that is no line");
	}
	json_decref(json);
	space_free(&space);
}

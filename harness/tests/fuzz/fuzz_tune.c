/* links: schedules compile testcases base; seeds: harness/tests/fuzz/seeds/tune */
/* words: harness/schedules/space.c harness/base/expression.c */
/* Declarations of what can be tuned: any text gives an error in a line, or a space whose schedules
 * keep to it. What lies behind the first NUL is a table beside the solution, table.txt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "schedules/given.h"
#include "schedules/rank.h"

#define COMBINATIONS_MAX 20000 /* of an input: more take long */

static void look_at_error(const struct error *err)
{
	if (err->message[0] == '\0' || strchr(err->message, '\n') != NULL)
		fuzz_found("an error that is no line");
}

static double combinations(const struct space *space)
{
	double all = 1;
	for (size_t i = 0; i < space->choice_count; i++)
		all *= (double)space->choices[i].count;
	return all;
}

static void look_at_schedule(const struct space *space, const struct schedule *schedule)
{
	char text[SCHEDULE_TEXT];
	struct schedule_flags flags;
	schedule_print(space, schedule->values, text);
	schedule_flags(space, schedule->values, &flags);
	for (int role = 0; role < TUNE_ROLES; role++)
		if (roles_have(&schedule->roles, (enum tune_role)role) &&
			!tune_role_holds((enum tune_role)role, schedule->roles.value[role]))
			fuzz_found("a role out of its range");
	for (size_t i = 0; i < flags.count; i++)
		if (strncmp(flags.text[i], "-D", 2) != 0 || strchr(flags.text[i], '=') == NULL)
			fuzz_found("a flag that defines nothing");
}

/* As text, and back: it holds like any that was enumerated. */
static void look_at_text(const struct space *space, const struct tune_gpu *gpu,
						 const struct test_case *test, const struct schedule *schedule)
{
	char text[SCHEDULE_TEXT];
	int64_t values[SPACE_CONSTANTS_MAX];
	struct error err;
	schedule_print(space, schedule->values, text);
	if (strlen(text) + 1 < sizeof text &&
		(!given_parse(space, text, values, &err) ||
		 memcmp(values, schedule->values, space->constant_count * sizeof *values) != 0))
		fuzz_found("a schedule that is another one as text");
	if (!given_holds(space, gpu, test, schedule->values, &err))
		fuzz_found("a schedule that was enumerated and does not hold");
}

static void look_at_space(const struct space *space)
{
	struct error err = {{0}};
	struct tune_gpu gpu;
	struct ranked ranked;
	const struct shape shape = {{1, 1000, 513, 2048, 1}};
	const struct test_case test = case_of_shape(space->problem, &shape, NULL, 1);
	if (!gpu_find("a100", &gpu, &err) || combinations(space) > COMBINATIONS_MAX)
		return;
	if (!ranked_make(space, &gpu, &test, &ranked, &err)) {
		look_at_error(&err);
		return;
	}
	double all = (double)ranked.list.count;
	for (size_t i = 0; i < space->rule_count; i++)
		all += ranked.list.refused[i];
	if (all != ranked.list.combinations)
		fuzz_found("combinations that are neither refused nor schedules");
	for (size_t i = 0; i < ranked.list.count; i++)
		look_at_schedule(space, &ranked.list.items[ranked_at(&ranked, i)]);
	for (size_t i = 0; i < ranked.list.count; i += 17)
		look_at_text(space, &gpu, &test, &ranked.list.items[i]);
	ranked_free(&ranked);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	char path[PATHS_MAX];
	struct error err = {{0}};
	struct space *space = calloc(1, sizeof *space);
	size_t length = strnlen((const char *)data, size), table = length + (length < size);
	fuzz_file("table.txt", data + table, size - table);
	snprintf(path, sizeof path, "%s", fuzz_file("input.cu", data, length));
	const struct problem *problem = problem_find("sgemm");
	/* both: the source is looked at only where the declaration is right */
	if (space != NULL && space_read(path, problem, space, &err))
		space_free(space);
	else
		look_at_error(&err);
	char *text = strndup((const char *)data, length);
	if (space != NULL && text != NULL && space_parse(path, text, problem, space, &err)) {
		look_at_space(space);
		space_free(space);
	}
	free(text);
	free(space);
}

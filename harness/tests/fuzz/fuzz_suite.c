/* links: referee_core testcases buffers base; seeds: testcases/suites */
/* words: testcases/suite.c testcases/problem.c testcases/case.c */
/* Suites: any file gives an error in a line, or cases that a referee takes. */
#include <string.h>

#include "fuzz.h"
#include "process/buffers.h"
#include "referee/reference.h"
#include "testcases/suite.h"
#include "testcases/values.h"

static void look_at_case(const struct problem *problem, const struct test_case *test)
{
	struct error err;
	struct buffers buffers;
	struct arena arena = {.sets = 1};
	if (memchr(test->name, '\0', sizeof test->name) == NULL || test->name[0] == '\0')
		fuzz_found("a case without a name");
	if (strpbrk(test->name, " \t\n") != NULL)
		fuzz_found("a case with a blank in its name");
	for (int i = 0; i < SIZE_NAMED && problem->file == NULL; i++)
		if (test->shape.size[i] < 1 || test->shape.size[i] > SIZE_LARGEST)
			fuzz_found("a size that no referee takes");
	if (!shape_holds(problem, &test->shape, &err))
		fuzz_found("a shape that does not hold");
	buffers_of_case(problem, test, NULL, &buffers);
	buffers_lay_out(&buffers, &arena);
	for (uint32_t i = 0; i < buffers.count; i++) {
		uint32_t drawn[VALUES_BLOCK];
		struct values values = buffer_values(&buffers.at[i], test->seed);
		values_block(&values, 0, drawn);
		values_block(&values, (buffers.at[i].elements - 1) / VALUES_BLOCK, drawn);
	}
	reference_request(problem, test, test->seed);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct suite suite;
	struct error err = {{0}};
	size_t problems;
	const struct problem *problem = problem_table(&problems);
	problem += size % problems;
	const char *path = fuzz_file("input.ini", data, size);
	if (!suite_load(path, "", problem, 1, 0, &suite, &err)) {
		if (err.message[0] == '\0' || strchr(err.message, '\n') != NULL)
			fuzz_found("an error that is no line");
		return;
	}
	for (size_t i = 0; i < suite.count; i++)
		look_at_case(problem, &suite.cases[i]);
	suite_free(&suite);
}

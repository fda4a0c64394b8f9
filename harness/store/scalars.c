#include "store/scalars.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/clean.h"

/* Nine digits tell any two floats apart. */
#define DUMP (JSON_COMPACT | JSON_REAL_PRECISION(9))

char *scalars_of_case(const struct problem *problem, const struct test_case *test)
{
	json_t *object = json_object();
	for (size_t i = 0; problem->file != NULL && problem->sizes[i].name != NULL; i++)
		json_object_set_new(object, problem->sizes[i].name,
							json_integer(test->shape.size[SIZE_NAMED + i]));
	for (const struct problem_scalar *row = problem->scalars; row->name != NULL; row++)
		json_object_set_new(object, row->name, json_real((double)test->scalar[row->is]));
	char *text = json_dumps(object, DUMP);
	json_decref(object);
	return text;
}

void scalars_sizes(const struct problem *problem, const char *scalars, struct shape *shape)
{
	json_t *object = json_loads(scalars != NULL ? scalars : "", 0, NULL);
	for (size_t i = 0; problem->file != NULL && problem->sizes[i].name != NULL; i++)
		shape->size[SIZE_NAMED + i] =
			(int32_t)json_integer_value(json_object_get(object, problem->sizes[i].name));
	json_decref(object);
}

void scalars_print(const char *scalars, char *out, size_t capacity)
{
	json_t *object = json_loads(scalars, 0, NULL), *value;
	const char *name;
	size_t used = 0;
	out[0] = '\0';
	json_object_foreach(object, name, value)
	{
		if (json_is_integer(value))
			continue;
		char *clean = clean_line(name); /* of a store, which may be anybody's */
		if (used < capacity)
			used += (size_t)snprintf(out + used, capacity - used, "%s%s %g", used > 0 ? ", " : "",
									 clean != NULL ? clean : "", json_number_value(value));
		free(clean);
	}
	json_decref(object);
}

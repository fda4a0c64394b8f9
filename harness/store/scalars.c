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
	for (const struct problem_scalar *row = problem->scalars; row->name != NULL; row++)
		json_object_set_new(object, row->name, json_real((double)test->scalar[row->is]));
	char *text = json_dumps(object, DUMP);
	json_decref(object);
	return text;
}

void scalars_print(const char *scalars, char *out, size_t capacity)
{
	json_t *object = json_loads(scalars, 0, NULL), *value;
	const char *name;
	size_t used = 0;
	out[0] = '\0';
	json_object_foreach(object, name, value)
	{
		char *clean = clean_line(name); /* of a store, which may be anybody's */
		if (used < capacity)
			used += (size_t)snprintf(out + used, capacity - used, "%s%s %g", used > 0 ? ", " : "",
									 clean != NULL ? clean : "", json_number_value(value));
		free(clean);
	}
	json_decref(object);
}

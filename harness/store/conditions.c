/* How the cases of a run were chosen. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "store/measured.h"

#define NAMES_SHOWN 60 /* bytes */

static void add(char out[MEASURED_CONDITIONS], const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add(char out[MEASURED_CONDITIONS], const char *format, ...)
{
	const size_t used = strlen(out);
	va_list values;
	va_start(values, format);
	text_vformat(out + used, MEASURED_CONDITIONS - used, format, values);
	va_end(values);
}

/* Whether some of the cases that were drawn are not there: "random-10" without the ten before. */
static bool is_selection(const char *names)
{
	uint64_t count = 0, most = 0, index;
	for (const char *at = names; *at != '\0'; count++) {
		char name[64];
		const size_t length = strcspn(at, ",");
		snprintf(name, sizeof name, "%.*s", (int)length, at);
		const char *dash = strrchr(name, '-');
		if (dash == NULL || !number_whole(dash + 1, 1000000, &index))
			return false;
		most = index + 1 > most ? index + 1 : most;
		at += length + (at[length] == ',');
	}
	return count != most;
}

static void add_suites(char out[MEASURED_CONDITIONS], const json_t *suites)
{
	size_t i;
	const json_t *name;
	json_array_foreach((json_t *)suites, i, name)
		add(out, "%s%.64s", i > 0 ? " and " : "suite ", json_string_value(name));
	add(out, ", ");
}

void measured_conditions(const struct measured *run, char out[MEASURED_CONDITIONS])
{
	json_t *suites = json_loads(run->suites, 0, NULL);
	const bool generated = json_array_size(suites) == 0;
	const bool given = strcmp(run->sizes, "given") == 0;
	out[0] = '\0';
	if (!generated)
		add_suites(out, suites);
	json_decref(suites);
	add(out, "%lld %scase%s%s", (long long)run->cases, generated && !given ? "generated " : "",
		text_plural((size_t)run->cases), given ? " of given shapes" : "");
	if (strcmp(run->sizes, "uniform") == 0)
		add(out, ", uniform sizes");
	if (generated && !given && run->max_dim > 0)
		add(out, ", sizes up to %d", run->max_dim);
	if (generated && run->multiple > 1)
		add(out, ", multiples of %d", run->multiple);
	if (strcmp(run->tolerance, "bound") != 0)
		add(out, ", tolerance %s", run->tolerance);
	if (run->seed_given && generated)
		add(out, ", seed %s", run->seed);
	if (run->case_names[0] != '\0' && generated && is_selection(run->case_names))
		add(out, ", only %.*s%s", NAMES_SHOWN, run->case_names,
			strlen(run->case_names) > NAMES_SHOWN ? "..." : "");
}

char *measured_conditions_key(const struct measured *run)
{
	char *key;
	if (asprintf(&key, "%s\n%s\n%d\n%d\n%s\n%s\n%lld\n%s", run->suites, run->sizes, run->max_dim,
				 run->multiple, run->tolerance, run->seed_given ? run->seed : "",
				 (long long)run->cases, run->case_names) < 0)
		return NULL;
	return key;
}

#include "serve/standard.h"

#include <string.h>

#include "serve/intake.h"
#include "testcases/problem.h"

/* It ends a judgement sooner, and accepts nothing that is refused without it. */
#define NEUTRAL "fail-fast"

bool standard_suits(const struct serve_config *config, struct error *err)
{
	const char *problem;
	json_t *options;
	if (config->standard == NULL)
		return true;
	if (!json_is_object(config->standard))
		return error_set(err, "no JSON object of problems' names");
	json_object_foreach((json_t *)config->standard, problem, options)
	{
		if (problem_find(problem) == NULL)
			return error_set(err, "unknown problem '%.64s'", problem);
		if (!json_is_object(options))
			return error_set(err, "%s: its options are no object", problem);
		if (!intake_options_suit(config, problem, options, err))
			return error_prefix(err, "%s", problem);
	}
	return true;
}

const json_t *standard_of(const struct serve_config *config, const char *problem)
{
	return json_object_get(config->standard, problem);
}

/* Those that choose what is judged. */
static json_t *choices(const json_t *options)
{
	const char *name;
	json_t *value, *out = json_object();
	json_object_foreach((json_t *)options, name,
						value) if (!json_is_null(value) && !json_is_false(value) &&
								   strcmp(name, NEUTRAL) != 0) json_object_set(out, name, value);
	return out;
}

bool standard_is_left(const struct serve_config *config, const char *problem, const json_t *options)
{
	json_t *own = choices(options), *standard = choices(standard_of(config, problem));
	const bool left = json_object_size(own) > 0 && !json_equal(own, standard);
	json_decref(own);
	json_decref(standard);
	return left;
}

json_t *standard_options(const struct serve_config *config, const char *problem,
						 const json_t *options)
{
	if (standard_is_left(config, problem, options))
		return json_copy((json_t *)options);
	json_t *out = choices(standard_of(config, problem));
	if (json_is_true(json_object_get(options, NEUTRAL)))
		json_object_set_new(out, NEUTRAL, json_true());
	return out;
}

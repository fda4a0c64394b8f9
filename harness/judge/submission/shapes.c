#include "judge/submission/shapes.h"

#include <stdlib.h>
#include <string.h>

/* What a comparison shows of a problem of three sizes where no shape is asked for: two large ones,
 * one of them with a short K, and then COMPARISON over K. A sweep without a shape is of that, too.
 */
static const struct shape_text large[] = {{3, {8192, 8192, 8192}}, {3, {8192, 8192, 1024}}};
static const struct shape_text comparison = {3, {4096, 4096, 1024}};
#define LARGE (sizeof large / sizeof *large)

bool shapes_fit(const struct judge_options *options, const struct problem *problem,
				const struct shape_text *text, struct shape *out, struct error *err)
{
	const char *file = options->shapes.file;
	if (shape_fit(problem, text, out, err) && shape_is_countable(problem, out, err))
		return true;
	if (file != NULL && text >= options->shapes.items &&
		text < options->shapes.items + options->shapes.count)
		error_prefix(err, "%s:%u", strcmp(file, JUDGE_STDIN) == 0 ? JUDGE_STDIN_SHOWN : file,
					 options->shapes.lines[text - options->shapes.items]);
	return false;
}

bool shapes_case(const struct judge_options *options, const struct problem *problem,
				 const struct shape_text *text, struct test_case *out, struct error *err)
{
	struct shape shape = problem->large;
	float scalars[SCALARS_MAX];
	if (text != NULL && !shapes_fit(options, problem, text, &shape, err))
		return false;
	bool given = options->timing.alpha.given || options->timing.beta.given;
	for (size_t i = 0; problem->scalars[i].name != NULL; i++) {
		enum scalar scalar = problem->scalars[i].is;
		bool factor = scalar == SCALAR_ALPHA || scalar == SCALAR_BETA;
		const struct judge_scalar *asked =
			scalar == SCALAR_BETA ? &options->timing.beta : &options->timing.alpha;
		scalars[i] =
			factor && (text != NULL || given) ? scalar_neutral(scalar) : problem->large_scalars[i];
		if (factor && asked->given)
			scalars[i] = (float)asked->value;
	}
	*out = case_of_shape(problem, &shape, scalars, options->cases.seed);
	return true;
}

/* Which number of a shape's text has the size. False: the problem has no such size. */
static bool place_of(const struct problem *problem, enum size size, size_t *place)
{
	*place = 0;
	while (problem->sizes[*place].name != NULL && (problem->sizes[*place].is & 1u << size) == 0)
		++*place;
	return problem->sizes[*place].name != NULL;
}

/* As it would be written, without a group, which then fits every K. */
static struct shape_text text_of(const struct problem *problem, const struct shape *shape)
{
	struct shape_text text = {.count = 0};
	for (; problem->sizes[text.count].name != NULL; text.count++)
		for (int i = 0; i < SIZE_COUNT; i++)
			if ((problem->sizes[text.count].is & 1u << i) != 0)
				text.number[text.count] = shape->size[i];
	text.count -= problem_size_of(problem, SIZE_GROUP) != NULL;
	return text;
}

/* Cases of shapes. */
struct case_list {
	const struct judge_options *options;
	const struct problem *problem;
	struct test_case *cases; /* with room for all */
	size_t count;
};

static bool append_case(struct case_list *list, const struct shape_text *text, struct error *err)
{
	return shapes_case(list->options, list->problem, text, &list->cases[list->count++], err);
}

/* A shape at each value of the sweep, appended. */
static bool append_sweep(struct case_list *list, const struct sweep *sweep, struct shape_text text,
						 struct error *err)
{
	const struct problem *problem = list->problem;
	size_t place;
	char written[SWEEP_TEXT], legend[SHAPE_TEXT];
	sweep_print(sweep, written);
	if (!place_of(problem, sweep->over, &place))
		return error_set(err, "--over %s: %s has no such size, but %s", written, problem->name,
						 shape_legend(problem, legend));
	for (size_t i = 0; i < sweep->count; i++) {
		text.number[place] = sweep->values[i];
		if (!append_case(list, &text, err))
			return error_prefix(err, "--over %s", written);
	}
	return true;
}

static bool append(struct case_list *list, const struct shape_text *texts, size_t count,
				   struct error *err)
{
	const struct sweep *over = &list->options->timing.over;
	for (size_t i = 0; i < count; i++)
		if (over->count > 0 ? !append_sweep(list, over, texts[i], err)
							: !append_case(list, &texts[i], err))
			return false;
	return true;
}

static bool fill(struct case_list *list, struct error *err)
{
	const struct judge_options *options = list->options;
	const struct problem *problem = list->problem;
	bool three = problem_sizes(problem) == 3, compares = options->mode == JUDGE_COMPARES;
	struct shape_text own = three ? comparison : text_of(problem, &problem->large);
	struct sweep usual = sweep_of(SIZE_K);
	if (options->shapes.count > 0)
		return append(list, options->shapes.items, options->shapes.count, err);
	if (options->timing.over.count > 0)
		return append(list, &own, 1, err);
	if (!three || !compares)
		return append_case(list, NULL, err);
	return append(list, large, LARGE, err) && append_sweep(list, &usual, comparison, err);
}

struct test_case *shapes_cases(const struct judge_options *options, const struct problem *problem,
							   size_t *count, struct error *err)
{
	size_t values = options->timing.over.count > 0 ? options->timing.over.count : 1;
	size_t room = options->shapes.count * values + LARGE + SWEEP_VALUES_MAX;
	struct case_list list = {options, problem, calloc(room, sizeof *list.cases), 0};
	*count = 0;
	if (list.cases == NULL) {
		error_set(err, "out of memory for %zu cases", room);
	} else if (fill(&list, err)) {
		*count = list.count;
		return list.cases;
	}
	free(list.cases);
	return NULL;
}

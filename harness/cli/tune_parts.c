/* Parts that several outputs of gemmjudge tune have. */
#include <jansson.h>
#include <math.h>

#include "base/text.h"
#include "cli/tune.h"
#include "report/wrap.h"

#define WIDTH 80
#define LINE_TEXT (SCHEDULE_TEXT + 256)

const char *tune_short_number(double number, char out[16])
{
	static const char suffixes[] = " kMGTPE";
	size_t i = 0;
	while (fabs(number) >= 9999.5 && i + 2 < sizeof suffixes) {
		number /= 1000;
		i++;
	}
	snprintf(out, 16, i == 0 ? "%.0f" : "%.4g%c", number, suffixes[i]);
	return out;
}

void tune_show_head(const struct tuned *tuned, const struct tuned_shape *shape, FILE *out)
{
	const struct schedule_list *list = &shape->ranking.list;
	char line[LINE_TEXT], sizes[SHAPE_TEXT], number[16];
	shape_print(tuned->plan.problem, &shape->test->shape, sizes);
	int used = snprintf(line, sizeof line, "%s %s on %s: ", tuned->plan.problem->name, sizes,
						tuned->gpu.name);
	if (!shape->fits)
		snprintf(line + used, sizeof line - (size_t)used, "%s", shape->why);
	else
		snprintf(line + used, sizeof line - (size_t)used,
				 "%zu schedule%s meet the constraints, of %s combinations", list->count,
				 text_plural(list->count), tune_short_number(list->combinations, number));
	wrap_print(out, WIDTH, 0, 0, line);
}

bool tune_gain(const struct tuned_found *found, double *gain, double *low, double *high)
{
	const struct timing_stats *winner = &found->winner, *standard = &found->standard;
	if (!found->compared || standard->samples == 0 || winner->samples == 0)
		return false;
	*gain = standard->median / winner->median;
	*low = standard->low / winner->high;
	*high = standard->high / winner->low;
	return true;
}

json_t *tune_constants_json(const struct space *space, const int64_t *values)
{
	json_t *json = json_object();
	for (size_t i = 0; i < space->constant_count; i++)
		json_object_set_new(json, space->names[space->constants[i].place].name,
							json_integer(values[i]));
	return json;
}

/* What both what is ranked and what was found are shown with. */
#include <inttypes.h>
#include <math.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "report/wrap.h"
#include "tuning/tuning.h"

#define WIDTH 80

/* "17.83M" */
const char *tuning_short_number(double number, char out[16])
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

void tuning_show_head(const struct tuning *tuning, const struct tuning_shape *shape, FILE *out)
{
	const struct schedule_list *list = &shape->ranking.list;
	char sizes[SHAPE_TEXT], number[16];
	struct strbuf line = {0};
	shape_print(tuning->plan.problem, &shape->test->shape, sizes);
	strbuf_addf(&line, "%s %s on %s: ", tuning->plan.problem->name, sizes, tuning->gpu.name);
	if (!shape->fits)
		strbuf_addf(&line, "%s", shape->why);
	else
		strbuf_addf(&line, "%zu schedule%s meet the constraints, of %s combinations", list->count,
					text_plural(list->count), tuning_short_number(list->combinations, number));
	wrap_print(out, WIDTH, 0, 0, strbuf_text(&line));
	strbuf_release(&line);
}

json_t *tuning_constants_json(const struct space *space, const int64_t *values)
{
	json_t *json = json_object();
	for (size_t i = 0; i < space->constant_count; i++)
		json_object_set_new(json, space->names[space->constants[i].place].name,
							json_integer(values[i]));
	return json;
}

/* The measured schedules, as text and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "report/document.h"
#include "report/wrap.h"
#include "schedules/queue.h"
#include "store/show/show.h"
#include "tuning/tuning.h"

#define WIDTH 80
#define LINE_TEXT (SCHEDULE_TEXT + 512)

/* The list's number of the candidate. */
static size_t schedule_of(const struct tuning_found *found, size_t candidate)
{
	return found->candidates[candidate];
}

static void print_line(FILE *out, const char *line)
{
	wrap_print(out, WIDTH, 0, 2, line);
}

/* ---- text: a shape ----------------------------------------------------------------- */

static void show_tried(const struct tuning_shape *shape, FILE *out)
{
	static const char *const ends[] = {
		[SEARCH_ALL] = "", [SEARCH_TIME] = ", the time was up", [SEARCH_STOPPED] = ", interrupted"};
	const struct search *search = &shape->found.search;
	struct strbuf line = {0};
	strbuf_addf(&line, "tried %zu in %.0f s%s", search->tried, shape->found.seconds,
				ends[search->end]);
	if (search->end == SEARCH_ALL && search->count < shape->ranking.list.count)
		strbuf_addf(&line, ": those that are first in line, no more are tried in a run");
	if (search->known > 0)
		strbuf_addf(&line, "; times of %zu are of an earlier run", search->known);
	if (search->stale)
		strbuf_addf(&line, "; times of an earlier run differ: not used");
	for (size_t i = SEARCH_NOT_COMPILED; i < SEARCH_OUTCOMES; i++)
		if (search->failed[i] > 0)
			strbuf_addf(&line, "; %zu: %s", search->failed[i], search_outcome_names[i]);
	print_line(out, strbuf_text(&line));
	strbuf_release(&line);
}

/* "number 3 by the model, 41 by the thesis" */
static void say_places(const struct ranked *ranking, size_t schedule, struct strbuf *out)
{
	strbuf_add(out, "number ");
	if (ranking->has_model)
		strbuf_addf(out, "%zu by the model%s", ranking->model_place[schedule] + 1,
					ranking->has_thesis ? ", " : "");
	if (ranking->has_thesis)
		strbuf_addf(out, "%zu by the thesis' order", ranking->thesis_place[schedule] + 1);
	if (!ranking->has_model && !ranking->has_thesis)
		strbuf_addf(out, "%zu of the file's order", schedule + 1);
	strbuf_addf(out, ", of %zu", ranking->list.count);
}

static void show_judged(const struct tuning_found *found, FILE *out)
{
	const struct search *search = &found->search;
	if (search->judged == 0)
		fprintf(out, "  its results were not judged: it ended before\n");
	else if (!search->right)
		fprintf(out,
				"  its results were not judged: there was no time left after %zu wrong one%s\n",
				search->judged, text_plural(search->judged));
	else if (found->accepted < found->cases)
		fprintf(out, "  judged on %zu of %zu cases, until the time was up: accepted\n",
				found->accepted, found->cases);
	else
		fprintf(out, "  judged on %zu cases: accepted\n", found->cases);
}

static void show_gain(const struct tuning_shape *shape, FILE *out)
{
	const struct tuning_found *found = &shape->found;
	struct strbuf line = {0};
	double gain, low, high;
	if (found->compared && found->search.best == 0 &&
		shape->ranking.list.standard < shape->ranking.list.count)
		strbuf_addf(&line, "these are the file's defaults");
	else if (tuning_gain(found, &gain, &low, &high))
		strbuf_addf(&line, "%.3f times as fast as the file's defaults (%.3f to %.3f)", gain, low,
					high);
	else
		strbuf_addf(&line, "%s",
					shape->ranking.list.standard == shape->ranking.list.count
						? "the file's defaults do not meet the constraints at this shape"
						: "not compared with the file's defaults: there was no time left");
	if (found->compared && found->library[0] != '\0')
		strbuf_addf(&line, ", %.3f of the speed of %s",
					found->library_median / found->winner.median, found->library);
	wrap_print(out, WIDTH, fprintf(out, "  "), 2, strbuf_text(&line));
	strbuf_release(&line);
}

static void show_table(const struct tuning *tuning, const struct tuning_shape *shape, FILE *out)
{
	const struct tuning_found *found = &shape->found;
	const struct ranked *ranking = &shape->ranking;
	size_t *order = calloc(found->search.count + 1, sizeof *order);
	size_t count = order != NULL ? search_order(&found->search, order) : 0;
	char text[SCHEDULE_TEXT], number[SHOW_NUMBER];
	if (count > 1)
		fprintf(out, "%9s %15s%s%s  schedule\n", "us", "95% interval",
				ranking->has_model ? "  model" : "", ranking->has_thesis ? " thesis" : "");
	for (size_t i = 0; i < count && i < shape->shown && count > 1; i++) {
		const struct search_result *result = &found->search.results[order[i]];
		const size_t schedule = schedule_of(found, order[i]);
		char low[SHOW_NUMBER], interval[2 * SHOW_NUMBER];
		snprintf(interval, sizeof interval, "%s-%s", show_microseconds(result->low, low),
				 show_microseconds(result->high, number));
		int column = fprintf(out, "%9s %15s", show_microseconds(result->median, number), interval);
		if (ranking->has_model)
			column += fprintf(out, " %6zu", ranking->model_place[schedule] + 1);
		if (ranking->has_thesis)
			column += fprintf(out, " %6zu", ranking->thesis_place[schedule] + 1);
		column += fprintf(out, "  ");
		schedule_print(&tuning->space, ranking->list.items[schedule].values, text);
		wrap_print(out, WIDTH, column, column, text);
	}
	free(order);
}

/* Prints why schedules could not be measured, where everything is asked for. */
static void show_failures(const struct tuning *tuning, const struct tuning_shape *shape, FILE *out)
{
	char text[SCHEDULE_TEXT], line[LINE_TEXT];
	for (size_t i = 0; i < shape->found.search.count; i++) {
		const struct search_result *result = &shape->found.search.results[i];
		if (result->outcome == SEARCH_NOT_TRIED || result->outcome == SEARCH_MEASURED)
			continue;
		schedule_print(&tuning->space,
					   shape->ranking.list.items[schedule_of(&shape->found, i)].values, text);
		snprintf(line, sizeof line, "%s: %s: %s", search_outcome_names[result->outcome], text,
				 result->detail);
		print_line(out, line);
	}
}

void tuning_show_found(const struct tuning *tuning, const struct tuning_shape *shape, FILE *out)
{
	const struct tuning_found *found = &shape->found;
	char text[SCHEDULE_TEXT], number[SHOW_NUMBER];
	struct strbuf line = {0};
	tuning_show_head(tuning, shape, out);
	if (!shape->fits || !found->begun)
		return;
	show_tried(shape, out);
	if (tuning->request.verbose)
		show_failures(tuning, shape, out);
	const size_t best = found->search.best;
	if (best == SEARCH_NONE) {
		print_line(out, found->search.tried == 0
							? "nothing was compiled in this time: --time-limit S gives it more"
							: "no schedule could be measured and is right");
		return;
	}
	const size_t schedule = schedule_of(found, best);
	schedule_print(&tuning->space, shape->ranking.list.items[schedule].values, text);
	strbuf_addf(&line, "best: %s us with %s", show_microseconds(tuning_best_time(found), number),
				text);
	print_line(out, strbuf_text(&line));
	strbuf_setf(&line, "  ");
	say_places(&shape->ranking, schedule, &line);
	fprintf(out, "%s\n", strbuf_text(&line));
	strbuf_release(&line);
	show_judged(found, out);
	if (found->search.right)
		show_gain(shape, out);
	show_table(tuning, shape, out);
}

/* ---- the worth of the orders ---------------------------------------------------------- */

struct worth {
	size_t shapes, model_has, thesis_has;
	double model_share, thesis_share; /* sums */
	bool has_model, has_thesis;
};

/* Times by the list; owned by the caller. */
static double *times_of(const struct tuning_shape *shape)
{
	double *times = calloc(shape->ranking.list.count + 1, sizeof *times);
	for (size_t i = 0; i < shape->found.search.count && times != NULL; i++)
		if (shape->found.search.results[i].outcome == SEARCH_MEASURED)
			times[schedule_of(&shape->found, i)] = shape->found.search.results[i].median;
	return times;
}

/* Over the shapes at which every schedule was tried. */
static struct worth find_worth(const struct tuning *tuning)
{
	struct worth worth = {0};
	for (size_t i = 0; i < tuning->shape_count; i++) {
		const struct tuning_shape *shape = &tuning->shapes[i];
		const struct ranked *ranking = &shape->ranking;
		if (!shape->found.begun || shape->found.search.end != SEARCH_ALL ||
			shape->found.count < ranking->list.count)
			continue;
		double *times = times_of(shape), share = 0;
		bool has = false, counts = false;
		if (times != NULL && ranking->has_model &&
			queue_worth(ranking, ranking->by_model, times, &has, &share)) {
			worth.model_has += has;
			worth.model_share += share;
			worth.has_model = counts = true;
		}
		if (times != NULL && ranking->has_thesis &&
			queue_worth(ranking, ranking->by_thesis, times, &has, &share)) {
			worth.thesis_has += has;
			worth.thesis_share += share;
			worth.has_thesis = counts = true;
		}
		worth.shapes += counts;
		free(times);
	}
	return worth;
}

static void show_order(const char *name, size_t has, double share, size_t shapes, FILE *out)
{
	fprintf(out, "  %-8s has the best in its first %d at %zu of %zu; they reach %.1f%% of it\n",
			name, QUEUE_FIRST, has, shapes, share / (double)shapes * 100);
}

void tuning_show_worth(const struct tuning *tuning, FILE *out)
{
	struct worth worth = find_worth(tuning);
	const struct tuning_common *common = &tuning->common;
	char text[SCHEDULE_TEXT], line[LINE_TEXT];
	if (common->values != NULL) {
		schedule_print(&tuning->space, common->values, text);
		snprintf(line, sizeof line, "one for all %zu shapes: %s", tuning->shape_count, text);
		fputc('\n', out);
		print_line(out, line);
		fprintf(out, "  %.3f times as long as the best of each, by geometric mean", common->loss);
		if (common->gain > 0)
			fprintf(out, "; the file's\n  defaults take %.3f times as long as it", common->gain);
		fputc('\n', out);
	}
	if (worth.shapes == 0)
		return;
	fprintf(out, "\nover %zu shape%s where every schedule was tried:\n", worth.shapes,
			text_plural(worth.shapes));
	if (worth.has_model)
		show_order("model", worth.model_has, worth.model_share, worth.shapes, out);
	if (worth.has_thesis)
		show_order("thesis", worth.thesis_has, worth.thesis_share, worth.shapes, out);
	print_line(out,
			   "(of nvMatmulHeuristics its makers say: 16 schedules reach 96% of an exhaustive "
			   "search on an H100, 8 reach 99% on a B200)");
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *places_json(const struct ranked *ranking, size_t schedule)
{
	json_t *json = json_object();
	if (ranking->has_model)
		json_object_set_new(json, "model",
							json_integer((json_int_t)ranking->model_place[schedule] + 1));
	if (ranking->has_thesis)
		json_object_set_new(json, "thesis",
							json_integer((json_int_t)ranking->thesis_place[schedule] + 1));
	return json;
}

static json_t *trial_json(const struct tuning *tuning, const struct tuning_shape *shape,
						  size_t candidate)
{
	const struct search_result *result = &shape->found.search.results[candidate];
	const size_t schedule = schedule_of(&shape->found, candidate);
	json_t *json =
		json_pack("{s:o, s:s, s:o, s:b}", "constants",
				  tuning_constants_json(&tuning->space, shape->ranking.list.items[schedule].values),
				  "outcome", search_outcome_names[result->outcome], "rank",
				  places_json(&shape->ranking, schedule), "of_an_earlier_run", result->known);
	if (result->outcome == SEARCH_MEASURED) {
		json_object_set_new(json, "median_us", json_real(result->median));
		json_object_set_new(json, "low_us", json_real(result->low));
		json_object_set_new(json, "high_us", json_real(result->high));
		json_object_set_new(json, "rung", json_integer((json_int_t)result->rung));
	} else {
		json_object_set_new(json, "detail", document_text(result->detail));
	}
	return json;
}

static void set_gain(json_t *json, const struct tuning_found *found)
{
	double gain, low, high;
	if (!found->compared)
		return;
	json_object_set_new(json, "median_us", json_real(found->winner.median));
	if (tuning_gain(found, &gain, &low, &high))
		json_object_set_new(
			json, "gain",
			json_pack("{s:f, s:f, s:f}", "over_defaults", gain, "low", low, "high", high));
	if (found->library[0] != '\0')
		json_object_set_new(json, "library",
							json_pack("{s:o, s:f, s:f}", "name", document_text(found->library),
									  "median_us", found->library_median, "ratio",
									  found->library_median / found->winner.median));
}

json_t *tuning_found_json(const struct tuning *tuning, const struct tuning_shape *shape)
{
	static const char *const ends[] = {
		[SEARCH_ALL] = "all", [SEARCH_TIME] = "time", [SEARCH_STOPPED] = "interrupted"};
	const struct tuning_found *found = &shape->found;
	const struct search *search = &found->search;
	json_t *json = json_object(), *trials = json_array(), *best;
	json_object_set_new(json, "ended", json_string(ends[search->end]));
	json_object_set_new(json, "seconds", json_real(found->seconds));
	json_object_set_new(json, "tried", json_integer((json_int_t)search->tried));
	json_object_set_new(json, "of_an_earlier_run", json_integer((json_int_t)search->known));
	json_object_set_new(json, "earlier_run_disagrees", json_boolean(search->stale));
	best = search->best == SEARCH_NONE ? json_null() : trial_json(tuning, shape, search->best);
	if (search->best != SEARCH_NONE) {
		json_object_set_new(best, "right", json_boolean(search->right));
		json_object_set_new(best, "cases", json_integer((json_int_t)found->cases));
		json_object_set_new(best, "accepted", json_integer((json_int_t)found->accepted));
		set_gain(best, found);
	}
	json_object_set_new(json, "best", best);
	for (size_t i = 0; i < search->count; i++)
		if (search->results[i].outcome != SEARCH_NOT_TRIED)
			json_array_append_new(trials, trial_json(tuning, shape, i));
	json_object_set_new(json, "trials", trials);
	return json;
}

static json_t *order_json(size_t has, double share, size_t shapes)
{
	return json_pack("{s:I, s:f}", "best_in_first_ten", (json_int_t)has, "first_ten_reach",
					 share / (double)shapes);
}

json_t *tuning_worth_json(const struct tuning *tuning)
{
	struct worth worth = find_worth(tuning);
	if (worth.shapes == 0)
		return NULL;
	json_t *json = json_pack("{s:I}", "shapes", (json_int_t)worth.shapes);
	if (worth.has_model)
		json_object_set_new(json, "model",
							order_json(worth.model_has, worth.model_share, worth.shapes));
	if (worth.has_thesis)
		json_object_set_new(json, "thesis",
							order_json(worth.thesis_has, worth.thesis_share, worth.shapes));
	return json;
}

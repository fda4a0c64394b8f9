/* Two judgements beside each other. */
#include <stdlib.h>
#include <string.h>

#include "judgement/names.h"
#include "report/clean.h"
#include "report/document.h"
#include "report/wrap.h"
#include "store/show/show.h"

#define WIDTH 80
#define COUNTERS_SHOWN 40

/* ---- text ------------------------------------------------------------------------------- */

static void print_side(char letter, const struct measured *run, FILE *out)
{
	char name[SHOW_NAME], date[SHOW_DATE], id[24] = "";
	if (run->id > 0)
		snprintf(id, sizeof id, "#%lld", (long long)run->id);
	fprintf(out, "%c  %-6s %s  %-8.8s  %-16s  %s\n", letter, id, show_cell(run, 22, name),
			run->content, show_date(run, date), run->verdict);
}

static const char *kind_word(enum difference_kind kind)
{
	return kind == DIFFERENCE_SLOWER ? "slower" : kind == DIFFERENCE_FASTER ? "faster" : "-";
}

static void print_shape(const struct pair_shape *shape, FILE *out)
{
	const struct difference *difference = &shape->difference;
	char sizes[SHAPE_TEXT + 16], a[SHOW_NUMBER], b[SHOW_NUMBER], p[16] = "-";
	measured_sizes(shape->a, sizes);
	if (shape->a->without_epilogue)
		strcat(sizes, " (plain)");
	if (difference->ranked && difference->p < 0.0001)
		strcpy(p, "<0.0001");
	else if (difference->ranked)
		snprintf(p, sizeof p, "%.4f", difference->p);
	int digits = difference->high < 10.0 ? 3 : difference->high < 100.0 ? 2 : 0;
	fprintf(out, "%-22s %9s %9s  %6.*f  %.*f-%.*f  %8s  %s\n", sizes,
			show_microseconds(shape->a->median, a), show_microseconds(shape->b->median, b), digits,
			difference->ratio, digits, difference->low, digits, difference->high, p,
			kind_word(difference->kind));
}

/* How the numbers came about. */
static void print_method(const struct pair *pair, FILE *out)
{
	const struct pair_shape *first = &pair->shapes[0];
	size_t ranked = 0;
	char line[512];
	for (size_t i = 0; i < pair->shape_count; i++)
		ranked += pair->shapes[i].difference.ranked;
	if (ranked > 0 && pair->shape_count == 1)
		snprintf(
			line, sizeof line,
			"p and interval of %zu and %zu passes (rank test of Mann and Whitney; a pass is the "
			"median of its calls)",
			first->difference.a_passes, first->difference.b_passes);
	else if (ranked > 0)
		snprintf(line, sizeof line,
				 "p and interval of passes (rank test of Mann and Whitney; a pass is the median of "
				 "its calls); with %zu shapes, a p of %.2g counts",
				 pair->shape_count, DIFFERENCE_LEVEL / (double)pair->shape_count);
	if (ranked > 0)
		wrap_print(out, WIDTH, 0, 0, line);
	if (ranked < pair->shape_count)
		wrap_print(out, WIDTH, 0, 0,
				   "without p: too few passes, or not measured alike; by whether the 95% intervals "
				   "of the medians meet");
}

static void print_times(const struct pair *pair, FILE *out)
{
	char shape[MEASURED_SHAPE];
	fputc('\n', out);
	if (pair->shape_count == 1) {
		measured_shape(pair->shapes[0].a, shape);
		fprintf(out, "%s\n", shape);
	}
	fprintf(out, "%-22s %9s %9s  %6s  %-11s  %8s\n", "shape", "A us", "B us", "B/A", "95%", "p");
	for (size_t i = 0; i < pair->shape_count; i++)
		print_shape(&pair->shapes[i], out);
	print_method(pair, out);
}

static void print_counters(const struct pair *pair, FILE *out)
{
	const char *kernel = "";
	for (size_t i = 0; i < pair->counter_count && i < COUNTERS_SHOWN; i++) {
		const struct measured_counter *a = pair->counters[i].a, *b = pair->counters[i].b;
		if (strcmp(kernel, a->kernel) != 0) {
			kernel = a->kernel;
			fputc('\n', out);
			wrap_print(out, WIDTH, 0, 0, kernel);
			fprintf(out, "  %-50s %13s %13s\n", "", "A", "B");
		}
		char *name = clean_line(a->name);
		fprintf(out, "  %-50.50s %13lld %13lld\n", name != NULL ? name : "", (long long)a->value,
				(long long)b->value);
		free(name);
	}
	if (pair->counter_count > COUNTERS_SHOWN)
		fprintf(out, "  ... and %zu more\n", pair->counter_count - COUNTERS_SHOWN);
}

static void print_without_times(const struct pair *pair, FILE *out)
{
	bool timed = pair->a->time_count > 0 && pair->b->time_count > 0;
	bool emulated = device_kind_is(pair->a->device_kind, DEVICE_EMULATED) ||
					device_kind_is(pair->b->device_kind, DEVICE_EMULATED);
	fprintf(out, "\n%s: verdicts and counters are compared\n",
			timed      ? "no shape was timed in both"
			: emulated ? "the emulated GPU has no times"
					   : "there are no times of both");
	fprintf(out, "A: %lld of %lld cases accepted; B: %lld of %lld\n", (long long)pair->a->accepted,
			(long long)pair->a->cases, (long long)pair->b->accepted, (long long)pair->b->cases);
	print_counters(pair, out);
	if (pair->counted && pair->counter_count == 0)
		fputs("all counters are the same\n", out);
}

static void print_conclusion(const struct pair *pair, FILE *out)
{
	char line[256];
	if (pair->worse || pair->better)
		fprintf(out, "\nB is %s: %s, where A is %s\n", pair->worse ? "worse" : "better",
				pair->b->verdict, pair->a->verdict);
	if (pair->shape_count == 0)
		return;
	if (pair->shape_count > 1)
		snprintf(line, sizeof line,
				 "B is slower at %zu of %zu shapes, faster at %zu; it takes %.3f times as long "
				 "(geometric mean)",
				 pair->slower, pair->shape_count, pair->faster, pair->mean);
	else if (pair->slower + pair->faster > 0)
		snprintf(line, sizeof line, "B is %s: it takes %.3f times as long as A",
				 pair->slower > 0 ? "slower" : "faster", pair->mean);
	else
		snprintf(line, sizeof line, "no difference beyond noise (chance, or %.0f%%)",
				 100.0 * DIFFERENCE_MARGIN);
	fputc('\n', out);
	wrap_print(out, WIDTH, 0, 0, line);
}

static void print_pair(const struct pair *pair, FILE *out)
{
	print_side('A', pair->a, out);
	print_side('B', pair->b, out);
	for (size_t i = 0; i < pair->note_count; i++)
		wrap_print(out, WIDTH, 0, 3, pair->notes[i]);
	if (pair->shape_count > 0)
		print_times(pair, out);
	else
		print_without_times(pair, out);
	print_conclusion(pair, out);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *shape_json(const struct pair_shape *shape)
{
	const struct difference *difference = &shape->difference;
	json_t *json = json_object();
	json_object_set_new(json, "a", show_time_json(shape->a));
	json_object_set_new(json, "b", show_time_json(shape->b));
	json_object_set_new(json, "b_over_a", json_real(difference->ratio));
	json_object_set_new(json, "low", json_real(difference->low));
	json_object_set_new(json, "high", json_real(difference->high));
	json_object_set_new(json, "p", difference->ranked ? json_real(difference->p) : json_null());
	json_object_set_new(json, "difference",
						difference->kind == DIFFERENCE_NONE
							? json_null()
							: json_string(kind_word(difference->kind)));
	return json;
}

static json_t *pair_json(const struct pair *pair)
{
	json_t *json = json_object(), *shapes = json_array(), *notes = json_array();
	json_t *counters = json_array();
	json_object_set_new(json, "a", show_run_json(pair->a));
	json_object_set_new(json, "b", show_run_json(pair->b));
	for (size_t i = 0; i < pair->shape_count; i++)
		json_array_append_new(shapes, shape_json(&pair->shapes[i]));
	for (size_t i = 0; i < pair->note_count; i++)
		json_array_append_new(notes, document_text(pair->notes[i]));
	for (size_t i = 0; i < pair->counter_count; i++) {
		const struct pair_counter *counter = &pair->counters[i];
		json_t *item = json_object();
		json_object_set_new(item, "kernel", document_text(counter->a->kernel));
		json_object_set_new(item, "name", document_text(counter->a->name));
		json_object_set_new(item, "a", json_integer(counter->a->value));
		json_object_set_new(item, "b", json_integer(counter->b->value));
		json_array_append_new(counters, item);
	}
	json_object_set_new(json, "shapes", shapes);
	json_object_set_new(json, "geometric_mean",
						pair->shape_count > 0 ? json_real(pair->mean) : json_null());
	json_object_set_new(json, "slower", json_integer((json_int_t)pair->slower));
	json_object_set_new(json, "faster", json_integer((json_int_t)pair->faster));
	json_object_set_new(json, "counters", counters);
	json_object_set_new(json, "notes", notes);
	return json;
}

static void print_pairs(const void *what, FILE *out)
{
	const struct shown_pairs *pairs = what;
	for (size_t i = 0; i < pairs->count; i++) {
		if (i > 0)
			fputc('\n', out);
		print_pair(&pairs->items[i], out);
	}
}

void show_pairs(const void *what, FILE *out)
{
	clean_print_page(out, print_pairs, what);
}

void show_pairs_json(const void *what, FILE *out)
{
	const struct shown_pairs *pairs = what;
	json_t *json = document_make("diff", SHOW_JSON_SCHEMA_VERSION), *list = json_array();
	for (size_t i = 0; i < pairs->count; i++)
		json_array_append_new(list, pair_json(&pairs->items[i]));
	json_object_set_new(json, "pairs", list);
	document_print(json, out);
}

/* gemmjudge diff: is B slower than A? */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "cli/stored.h"
#include "compile/content.h"
#include "judgement/names.h"
#include "report/clean.h"
#include "report/wrap.h"
#include "store/pairs.h"

#define WIDTH 80
#define COUNTERS_SHOWN 40

/* ---- what is compared ----------------------------------------------------------------- */

/* One of the two arguments. */
struct side {
	const char *argument;
	bool is_source, is_report;
	struct measured_list found;
};

/* 17 or #17 */
static bool side_id(struct side *side, const struct options *options, int64_t id, struct error *err)
{
	const struct store_filter filter = {.id = id, .counters = true};
	return stored_find(options, &filter, &side->found, err) &&
		   (side->found.count > 0 ||
			error_set(err, "no judgement #%lld is remembered", (long long)id));
}

/* Why there is nothing of the file as it is now. */
static bool side_unknown(const struct side *side, const struct options *options, struct error *err)
{
	char path[PATHS_MAX];
	struct measured_list before;
	paths_absolute(side->argument, path);
	const struct store_filter filter = {.path = path, .newest = true};
	if (!stored_find(options, &filter, &before, err))
		return false;
	if (before.count > 0)
		error_set(err,
				  "%s has changed since it was judged as #%lld: judge it again, or compare #%lld",
				  side->argument, (long long)before.items[0].id, (long long)before.items[0].id);
	else
		error_set(err, "%s as it is now was never judged: 'gemmjudge judge' remembers it",
				  side->argument);
	measured_list_free(&before);
	return false;
}

static bool side_source(struct side *side, const struct options *options, struct error *err)
{
	char content[CONTENT_TEXT];
	const struct store_filter filter = {.content = content, .counters = true};
	side->is_source = true;
	return content_hash(side->argument, content, err) &&
		   stored_find(options, &filter, &side->found, err) &&
		   (side->found.count > 0 || side_unknown(side, options, err));
}

/* Reports are told by what they begin with; what can be read only once is one. */
static bool looks_like_json(const char *path)
{
	struct stat facts;
	if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
		return !S_ISDIR(facts.st_mode);
	FILE *file = fopen(path, "re");
	int c = EOF;
	while (file != NULL && (c = getc(file)) != EOF && isspace(c))
		;
	if (file != NULL)
		fclose(file);
	size_t length = strlen(path);
	return c == '{' || (length > 5 && strcmp(path + length - 5, ".json") == 0);
}

static bool side_find(struct side *side, const struct options *options, struct error *err)
{
	uint64_t id;
	const char *text = side->argument[0] == '#' ? side->argument + 1 : side->argument;
	if (number_whole(text, INT64_MAX, &id) && id > 0 && isdigit((unsigned char)text[0]))
		return side_id(side, options, (int64_t)id, err);
	side->is_report = looks_like_json(side->argument);
	return side->is_report ? measured_read_report(side->argument, &side->found, err)
						   : side_source(side, options, err);
}

static const char *file_name(const struct measured *run)
{
	const char *slash = strrchr(run->file, '/');
	return slash != NULL ? slash + 1 : run->file;
}

/* Two reports of several files: files of one name. *count is how many pairs there are. */
static bool pairs_by_name(const struct side sides[2], struct pair *out, size_t *count,
						  struct error *err)
{
	for (size_t i = 0; i < sides[0].found.count; i++)
		for (size_t j = 0; j < sides[1].found.count; j++) {
			const struct measured *a = &sides[0].found.items[i], *b = &sides[1].found.items[j];
			if (strcmp(file_name(a), file_name(b)) != 0 || strcmp(a->problem, b->problem) != 0)
				continue;
			if (!pair_make(a, b, &out[*count], err))
				return false;
			++*count;
			break;
		}
	return *count > 0 || error_set(err, "%s and %s have no file of one name and problem",
								   sides[0].argument, sides[1].argument);
}

static bool pairs_find(const struct side sides[2], struct pair *out, size_t *count,
					   struct error *err)
{
	const struct measured *a, *b;
	bool reports = sides[0].is_report && sides[1].is_report;
	bool sources = sides[0].is_source && sides[1].is_source;
	if (reports && (sides[0].found.count > 1 || sides[1].found.count > 1))
		return pairs_by_name(sides, out, count, err);
	if (!pair_choose(&sides[0].found, &sides[1].found, sources, &a, &b))
		return error_set(err,
						 "no two judgements of %s and %s can be compared: of one problem%s, and "
						 "not one of them twice",
						 sides[0].argument, sides[1].argument,
						 sources ? ", on one kind of device" : "");
	if (a->id > b->id && strcmp(a->content, b->content) == 0 && sources) {
		const struct measured *later = a; /* one content measured twice */
		a = b;
		b = later;
	}
	*count = 1;
	return pair_make(a, b, &out[0], err) || (*count = 0, false);
}

/* ---- text ------------------------------------------------------------------------------- */

static void print_side(char letter, const struct measured *run, FILE *out)
{
	char name[STORED_NAME], date[STORED_DATE], id[24] = "";
	if (run->id > 0)
		snprintf(id, sizeof id, "#%lld", (long long)run->id);
	fprintf(out, "%c  %-6s %s  %-8.8s  %-16s  %s\n", letter, id, stored_cell(run, 22, name),
			run->content, stored_date(run, date), run->verdict);
}

static const char *kind_word(enum difference_kind kind)
{
	return kind == DIFFERENCE_SLOWER ? "slower" : kind == DIFFERENCE_FASTER ? "faster" : "-";
}

static void print_shape(const struct pair_shape *shape, FILE *out)
{
	const struct difference *difference = &shape->difference;
	char sizes[SHAPE_TEXT + 16], a[STORED_NUMBER], b[STORED_NUMBER], p[16] = "-";
	measured_sizes(shape->a, sizes);
	if (shape->a->without_epilogue)
		strcat(sizes, " (plain)");
	if (difference->ranked && difference->p < 0.0001)
		strcpy(p, "<0.0001");
	else if (difference->ranked)
		snprintf(p, sizeof p, "%.4f", difference->p);
	int digits = difference->high < 10.0 ? 3 : difference->high < 100.0 ? 2 : 0;
	fprintf(out, "%-22s %9s %9s  %6.*f  %.*f-%.*f  %8s  %s\n", sizes,
			stored_microseconds(shape->a->median, a), stored_microseconds(shape->b->median, b),
			digits, difference->ratio, digits, difference->low, digits, difference->high, p,
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
		fprintf(out, "  %-50.50s %13lld %13lld\n", a->name, (long long)a->value,
				(long long)b->value);
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
	json_object_set_new(json, "a", stored_time(shape->a));
	json_object_set_new(json, "b", stored_time(shape->b));
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
	json_object_set_new(json, "a", stored_run(pair->a));
	json_object_set_new(json, "b", stored_run(pair->b));
	for (size_t i = 0; i < pair->shape_count; i++)
		json_array_append_new(shapes, shape_json(&pair->shapes[i]));
	for (size_t i = 0; i < pair->note_count; i++)
		json_array_append_new(notes, stored_text(pair->notes[i]));
	for (size_t i = 0; i < pair->counter_count; i++) {
		const struct pair_counter *counter = &pair->counters[i];
		json_t *item = json_object();
		json_object_set_new(item, "kernel", stored_text(counter->a->kernel));
		json_object_set_new(item, "name", stored_text(counter->a->name));
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

/* ---- the command ---------------------------------------------------------------------------- */

struct pairs {
	struct pair *items;
	size_t count;
};

static void write_text(const void *what, FILE *out)
{
	const struct pairs *pairs = what;
	for (size_t i = 0; i < pairs->count; i++) {
		if (i > 0)
			fputc('\n', out);
		print_pair(&pairs->items[i], out);
	}
}

static void write_json(const void *what, FILE *out)
{
	const struct pairs *pairs = what;
	json_t *json = stored_document("diff", STORED_JSON_SCHEMA_VERSION), *list = json_array();
	for (size_t i = 0; i < pairs->count; i++)
		json_array_append_new(list, pair_json(&pairs->items[i]));
	json_object_set_new(json, "pairs", list);
	stored_print(json, out);
}

static int compare(const struct options *options, struct side sides[2], struct error *err)
{
	int status = EXIT_ACCEPTED;
	struct pairs pairs = {0};
	if (!side_find(&sides[0], options, err) || !side_find(&sides[1], options, err))
		return EXIT_BAD_INPUT;
	pairs.items = calloc(sides[0].found.count + 1, sizeof *pairs.items);
	if (pairs.items == NULL)
		error_set(err, "out of memory");
	if (pairs.items == NULL || !pairs_find(sides, pairs.items, &pairs.count, err))
		status = EXIT_BAD_INPUT;
	else
		status = stored_show(options, write_text, write_json, &pairs);
	for (size_t i = 0; i < pairs.count; i++) {
		if (status == EXIT_ACCEPTED && (pairs.items[i].slower > 0 || pairs.items[i].worse))
			status = EXIT_NOT_ACCEPTED;
		pair_free(&pairs.items[i]);
	}
	free(pairs.items);
	return status;
}

static int diff(const char *program, struct options *options)
{
	(void)program;
	struct error err = {{0}};
	if (options->argument_count != 2) {
		error_set(&err, "name two: numbers of judgements (gemmjudge history shows them), JSON "
						"reports, or solution files");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	struct side sides[2] = {{.argument = options->arguments[0]},
							{.argument = options->arguments[1]}};
	int status = compare(options, sides, &err);
	for (size_t i = 0; i < 2; i++)
		measured_list_free(&sides[i].found);
	return status == EXIT_BAD_INPUT ? cli_fail(status, &err) : status;
}

const struct subcommand subcommand_diff = {
	.name = "diff",
	.takes = "A B",
	.summary = "whether B is slower than A by more than noise",
	.usage = "usage: gemmjudge diff A B [OPTION...]\n"
			 "\n"
			 "Compares two judgements: numbers that history shows, JSON reports, or solution\n"
			 "files, of which the last judgements on one kind of device are taken. What counts\n"
			 "is a difference of more than 1% that chance makes in less than one case in a\n"
			 "hundred. Exit status 1: B is slower at some shape, or is accepted no longer.\n"
			 "\n"
			 "  gemmjudge diff before.cu after.cu\n"
			 "  gemmjudge diff 17 result.json\n",
	.run = diff,
};

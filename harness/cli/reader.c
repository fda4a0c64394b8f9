#include "cli/reader.h"
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "chain/chain.h"
#include "judge/audit.h"
#include "judge/program.h"
#include "process/jail.h"
#include "testcases/problem_file.h"
#include "testcases/shape_file.h"

#define SECONDS_MAX 86400

/* The member of the options that the row fills. */
static void *filled(const struct row *row, struct options *options)
{
	return (char *)options + row->at;
}

static const void *held(const struct row *row, const struct options *options)
{
	return (const char *)options + row->at;
}

static bool refuse(const struct row *row, const char *text, struct error *err)
{
	return error_set(err, "--%s '%s': %s", row->name, text, row->needs);
}

/* ---- flags, texts and words ------------------------------------------------- */

static bool read_flag(const struct row *row, const char *text, struct options *options,
					  struct error *err)
{
	(void)text, (void)err;
	return *(bool *)filled(row, options) = true;
}

static void write_flag(const struct row *row, const struct options *options,
					   struct command_line *line)
{
	if (*(const bool *)held(row, options))
		line_add_option(line, row->name, NULL);
}

static bool read_text(const struct row *row, const char *text, struct options *options,
					  struct error *err)
{
	*(const char **)filled(row, options) = text;
	return text[strspn(text, " \t")] != '\0' ||
		   error_set(err, "--%s needs %s", row->name, row->needs);
}

static void write_text(const struct row *row, const struct options *options,
					   struct command_line *line)
{
	const char *text = *(const char *const *)held(row, options);
	if (text != NULL)
		line_add_option(line, row->name, text);
}

static const char *file_text(const struct row *row, const struct options *options, size_t i,
							 char scratch[PATHS_MAX])
{
	(void)scratch;
	return i == 0 ? *(const char *const *)held(row, options) : NULL;
}

static const char *file_stage(const struct row *row, const struct options *options, size_t i,
							  char scratch[PATHS_MAX])
{
	const char *chain = *(const char *const *)held(row, options);
	return chain != NULL && chain_stage_file(chain, i, scratch) ? scratch : NULL;
}

/* Which of row->names it is: "a, b or c is needed" when it is none. */
static bool find_word(const struct row *row, const char *text, size_t *index, struct error *err)
{
	char names[160], phrase[SUGGEST_TEXT];
	size_t count = 0;
	while (row->names[count] != NULL)
		count++;
	*index = text_index(text, row->names, count);
	if (*index < count)
		return true;
	if (row->suggest != NULL)
		row->suggest(phrase, text);
	else
		suggest_phrase(phrase, text, row->names, count);
	return error_set(err, "--%s '%s': %s%s%s", row->name, text,
					 row->needs != NULL
						 ? row->needs
						 : text_names(names, sizeof names, row->names, count, " or "),
					 row->needs != NULL ? "" : " is needed", phrase);
}

static bool read_word(const struct row *row, const char *text, struct options *options,
					  struct error *err)
{
	size_t index;
	if (!find_word(row, text, &index, err))
		return false;
	*(const char **)filled(row, options) = row->names[index];
	return true;
}

static bool read_sizes(const struct row *row, const char *text, struct options *options,
					   struct error *err)
{
	size_t index;
	if (!find_word(row, text, &index, err))
		return false;
	options->judge.cases.sizes = (enum case_sizes)index;
	return true;
}

static bool read_color(const struct row *row, const char *text, struct options *options,
					   struct error *err)
{
	size_t index;
	if (!find_word(row, text, &index, err))
		return false;
	options->output.color = (enum color_when)index;
	return true;
}

static void write_nothing(const struct row *row, const struct options *options,
						  struct command_line *line)
{
	(void)row, (void)options, (void)line;
}

static void write_sizes(const struct row *row, const struct options *options,
						struct command_line *line)
{
	if (options->judge.cases.sizes != 0)
		line_add_option(line, row->name, row->names[options->judge.cases.sizes]);
}

const struct kind kind_flag = {.read = read_flag, .write = write_flag};
const struct kind kind_text = {.read = read_text, .write = write_text};
const struct kind kind_output = {read_text, write_text, VALUE_WRITTEN, file_text};
const struct kind kind_input = {read_text, write_text, VALUE_READ, file_text};
const struct kind kind_output_folder = {read_text, write_text, VALUE_FOLDER, file_text};
const struct kind kind_chain = {read_text, write_text, VALUE_READ, file_stage};
const struct kind kind_store = {read_text, write_text, VALUE_STORE, file_text};
const struct kind kind_word = {.read = read_word, .write = write_text};
const struct kind kind_sizes = {.read = read_sizes, .write = write_sizes};
const struct kind kind_color = {.read = read_color, .write = write_nothing};

/* ---- numbers ------------------------------------------------------------------ */

static bool read_whole(const struct row *row, const char *text, struct options *options,
					   struct error *err)
{
	uint64_t value;
	if (!number_whole(text, row->to, &value) || value < row->from) {
		if (row->needs != NULL)
			return refuse(row, text, err);
		return error_set(err, "--%s '%s': a whole number from %" PRIu64 " to %" PRIu64 " is needed",
						 row->name, text, row->from, row->to);
	}
	if (row->size == sizeof(int))
		*(int *)filled(row, options) = (int)value;
	else
		*(uint64_t *)filled(row, options) = value;
	return true;
}

static void write_whole(const struct row *row, const struct options *options,
						struct command_line *line)
{
	uint64_t value = row->size == sizeof(int) ? (uint64_t) * (const int *)held(row, options)
											  : *(const uint64_t *)held(row, options);
	char number[32];
	snprintf(number, sizeof number, "%" PRIu64, value);
	if (value != 0)
		line_add_option(line, row->name, number);
}

static bool read_seed(const struct row *row, const char *text, struct options *options,
					  struct error *err)
{
	return options->has_seed = read_whole(row, text, options, err);
}

static void write_seed(const struct row *row, const struct options *options,
					   struct command_line *line)
{
	char number[32];
	snprintf(number, sizeof number, "0x%" PRIx64, options->judge.cases.seed);
	line_add_option(line, row->name, number);
}

static bool read_scalar(const struct row *row, const char *text, struct options *options,
						struct error *err)
{
	struct judge_scalar *scalar = filled(row, options);
	scalar->given = number_real(text, &scalar->value);
	return scalar->given || refuse(row, text, err);
}

static void write_real(const struct row *row, double value, struct command_line *line)
{
	char number[32];
	snprintf(number, sizeof number, "%.9g", value);
	line_add_option(line, row->name, number);
}

static void write_scalar(const struct row *row, const struct options *options,
						 struct command_line *line)
{
	const struct judge_scalar *scalar = held(row, options);
	if (scalar->given)
		write_real(row, scalar->value, line);
}

static bool read_seconds(const struct row *row, const char *text, struct options *options,
						 struct error *err)
{
	double *value = filled(row, options);
	if (number_real(text, value) && *value > 0.0 && *value <= SECONDS_MAX)
		return true;
	return error_set(err, "--%s '%s': seconds above 0, at most %d, are needed", row->name, text,
					 SECONDS_MAX);
}

static void write_seconds(const struct row *row, const struct options *options,
						  struct command_line *line)
{
	double value = *(const double *)held(row, options);
	if (value > 0.0)
		write_real(row, value, line);
}

const struct kind kind_whole = {.read = read_whole, .write = write_whole};
const struct kind kind_seed = {.read = read_seed, .write = write_seed};
const struct kind kind_scalar = {.read = read_scalar, .write = write_scalar};
const struct kind kind_seconds = {.read = read_seconds, .write = write_seconds};

/* ---- what the judge has words for --------------------------------------------- */

#define UNKNOWN "; 'gemmjudge list problems' shows them, and --problem-file takes one of your own"
static bool read_problem(const struct row *row, const char *text, struct options *options,
						 struct error *err)
{
	char phrase[SUGGEST_TEXT];
	(void)row;
	options->judge.problem = problem_find(text);
	return options->judge.problem != NULL ||
		   error_set(err, "unknown problem '%s'%s", text,
					 problem_suggest(phrase, text)[0] != '\0' ? phrase : UNKNOWN);
}

static bool read_problem_file(const struct row *row, const char *text, struct options *options,
							  struct error *err)
{
	*(const char **)filled(row, options) = text;
	return problem_add(text, &options->judge.problem, err);
}

static void write_problem(const struct row *row, const struct options *options,
						  struct command_line *line)
{
	if (options->judge.problem != NULL && options->judge.problem_file == NULL)
		line_add_option(line, row->name, options->judge.problem->name);
}

static bool read_device(const struct row *row, const char *text, struct options *options,
						struct error *err)
{
	(void)row;
	return device_list_parse(text, &options->judge.device, err);
}

static bool read_tolerance(const struct row *row, const char *text, struct options *options,
						   struct error *err)
{
	(void)row;
	return tolerance_parse(text, &options->judge.tolerance, err);
}

static bool read_layers(const struct row *row, const char *text, struct options *options,
						struct error *err)
{
	unsigned layers;
	if (!layers_parse(text, &layers, err))
		return error_prefix(err, "--%s", row->name);
	*(unsigned *)filled(row, options) |= layers;
	return true;
}

/* "jail,sealed": all layers of the jail are one word. */
static void write_layers(const struct row *row, const struct options *options,
						 struct command_line *line)
{
	unsigned layers = *(const unsigned *)held(row, options), one;
	bool all = (layers & LAYER_ALL) == LAYER_ALL;
	char text[LAYERS_TEXT];
	const char *name;
	size_t used = (size_t)snprintf(text, sizeof text, "%s", all ? "jail" : "");
	if (all)
		layers &= ~LAYER_ALL;
	for (size_t i = 0; (name = layers_name(i, &one)) != NULL; i++)
		if ((layers & one) != 0)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "," : "",
									 name);
	if (used > 0)
		line_add_option(line, row->name, text);
}

const struct kind kind_layers = {.read = read_layers, .write = write_layers};
const struct kind kind_problem = {.read = read_problem, .write = write_problem};
const struct kind kind_problem_file = {.read = read_problem_file, .write = write_text};
const struct kind kind_device = {.read = read_device, .write = write_text};
const struct kind kind_tolerance = {.read = read_tolerance, .write = write_text};

/* ---- what may be repeated ------------------------------------------------------ */

static bool read_suite(const struct row *row, const char *text, struct options *options,
					   struct error *err)
{
	struct judge_options *judge = &options->judge;
	if (judge->cases.suite_count == OPTIONS_SUITES_MAX)
		return error_set(err, "more than %d suites", OPTIONS_SUITES_MAX);
	if (text[0] == '\0')
		return error_set(err, "--%s needs a name or a file", row->name);
	options->lists.suites[judge->cases.suite_count++] = text;
	return true;
}

static void write_suites(const struct row *row, const struct options *options,
						 struct command_line *line)
{
	for (size_t i = 0; i < options->judge.cases.suite_count; i++)
		line_add_option(line, row->name, options->judge.cases.suites[i]);
}

/* A suite of the source tree is one by its name; its file is no user's. */
static const char *file_suite(const struct row *row, const struct options *options, size_t i,
							  char scratch[PATHS_MAX])
{
	(void)row, (void)scratch;
	return i < options->judge.cases.suite_count ? options->judge.cases.suites[i] : NULL;
}

static bool read_nvcc_flag(const struct row *row, const char *text, struct options *options,
						   struct error *err)
{
	struct judge_options *judge = &options->judge;
	if (judge->compile.nvcc_flag_count == JUDGE_FLAGS_MAX)
		return error_set(err, "more than %d flags for nvcc", JUDGE_FLAGS_MAX);
	options->lists.nvcc_flags[judge->compile.nvcc_flag_count++] = text;
	return text[strspn(text, " \t")] != '\0' ||
		   error_set(err, "--%s needs %s", row->name, row->needs);
}

/* In place: "-a  -b" becomes "-a" and "-b". */
static bool read_nvcc_flags(const struct row *row, const char *text, struct options *options,
							struct error *err)
{
	char *rest = (char *)text; /* of argv, which is ours */
	size_t before = options->judge.compile.nvcc_flag_count;
	for (char *word; (word = strtok_r(rest, " \t\n", &rest)) != NULL;)
		if (!read_nvcc_flag(row, word, options, err))
			return false;
	return options->judge.compile.nvcc_flag_count > before ||
		   error_set(err, "--%s needs %s", row->name, row->needs);
}

static void write_nvcc_flags(const struct row *row, const struct options *options,
							 struct command_line *line)
{
	for (size_t i = 0; i < options->judge.compile.nvcc_flag_count; i++)
		line_add_option(line, row->name, options->judge.compile.nvcc_flags[i]);
}

static bool read_shape(const struct row *row, const char *text, struct options *options,
					   struct error *err)
{
	struct judge_options *judge = &options->judge;
	if (judge->shapes.count == OPTIONS_SHAPES_MAX)
		return error_set(err, "more than %d shapes", OPTIONS_SHAPES_MAX);
	struct shape_text *shape = &options->lists.shapes[judge->shapes.count++];
	struct error large;
	if (shape_parse(text, (int)row->from, shape, err))
		return true;
	snprintf(options->sizes.oversized, sizeof options->sizes.oversized, "--%s %s", row->name, text);
	return shape_parse(text, (int)row->to, shape, &large);
}

static void write_shapes(const struct row *row, const struct options *options,
						 struct command_line *line)
{
	char text[SHAPE_TEXT];
	for (size_t i = 0; options->judge.shapes.file == NULL && i < options->judge.shapes.count; i++) {
		shape_text_print(&options->judge.shapes.items[i], text);
		line_add_option(line, row->name, text);
	}
}

static bool read_shapes(const struct row *row, const char *text, struct options *options,
						struct error *err)
{
	struct judge_options *judge = &options->judge;
	if (text[strspn(text, " \t")] == '\0')
		return error_set(err, "--%s needs %s", row->name, row->needs);
	if (judge->shapes.file != NULL)
		return error_set(err, "--%s names one file: put all shapes into it", row->name);
	struct shape_file file = {.name = text,
							  .most = (int)row->to,
							  .usual = (int)row->from,
							  .capacity = OPTIONS_SHAPES_MAX,
							  .shapes = options->lists.shapes,
							  .lines = options->lists.shape_lines};
	judge->shapes.file = text;
	if (strcmp(text, "-") == 0 && isatty(STDIN_FILENO))
		fputs("gemmjudge: reads shapes from the terminal; ctrl-D ends them\n", stderr);
	if (!shape_file_read(&file, err))
		return false;
	judge->shapes.count = file.count;
	if (file.header > 0) {
		struct error note;
		error_set(&note, "%s:%u: taken for a header, as it has no sizes", shape_file_name(text),
				  file.header);
		cli_tell(note.message);
	}
	if (file.large > 0)
		snprintf(options->sizes.oversized, sizeof options->sizes.oversized, "%.80s:%u",
				 shape_file_name(text), file.large);
	return true;
}

static void write_shapes_file(const struct row *row, const struct options *options,
							  struct command_line *line)
{
	if (options->judge.shapes.file != NULL)
		line_add_option(line, row->name, options->judge.shapes.file);
}

static const char *file_shapes(const struct row *row, const struct options *options, size_t i,
							   char scratch[PATHS_MAX])
{
	(void)row, (void)scratch;
	return i == 0 ? options->judge.shapes.file : NULL;
}

static bool read_baseline(const struct row *row, const char *text, struct options *options,
						  struct error *err)
{
	struct judge_options *judge = &options->judge;
	if (judge->timing.baseline_count == JUDGE_BASELINES_MAX)
		return error_set(err, "more than %d baselines", JUDGE_BASELINES_MAX);
	options->lists.baselines[judge->timing.baseline_count++] = text;
	return text[strspn(text, " \t")] != '\0' ||
		   error_set(err, "--%s needs %s", row->name, row->needs);
}

static void write_baselines(const struct row *row, const struct options *options,
							struct command_line *line)
{
	for (size_t i = 0; i < options->judge.timing.baseline_count; i++)
		line_add_option(line, row->name, options->judge.timing.baselines[i]);
}

static const char *file_baseline(const struct row *row, const struct options *options, size_t i,
								 char scratch[PATHS_MAX])
{
	(void)row, (void)scratch;
	if (i >= options->judge.timing.baseline_count)
		return NULL;
	return program_is(options->judge.timing.baselines[i]) ? "" : options->judge.timing.baselines[i];
}

static bool read_over(const struct row *row, const char *text, struct options *options,
					  struct error *err)
{
	struct sweep *over = &options->judge.timing.over;
	if (!sweep_parse(text, over, err))
		return false;
	for (size_t i = 0; i < over->count; i++)
		if (over->values[i] > (int32_t)row->from)
			snprintf(options->sizes.oversized, sizeof options->sizes.oversized, "--%s %.64s",
					 row->name, text);
	return true;
}

static void write_over(const struct row *row, const struct options *options,
					   struct command_line *line)
{
	char text[SWEEP_TEXT];
	sweep_print(&options->judge.timing.over, text);
	if (text[0] != '\0')
		line_add_option(line, row->name, text);
}

/* The last one counts. */
static bool read_time(const struct row *row, const char *text, struct options *options,
					  struct error *err)
{
	struct judge_options *judge = &options->judge;
	judge->timing.shape.count = 0;
	judge->timing.untimed = strcmp(text, "none") == 0;
	return judge->timing.untimed || shape_parse(text, (int)row->to, &judge->timing.shape, err);
}

static void write_time(const struct row *row, const struct options *options,
					   struct command_line *line)
{
	char text[SHAPE_TEXT];
	shape_text_print(&options->judge.timing.shape, text);
	if (options->judge.timing.untimed)
		line_add_option(line, row->name, "none");
	else if (options->judge.timing.shape.count > 0)
		line_add_option(line, row->name, text);
}

static bool read_case(const struct row *row, const char *text, struct options *options,
					  struct error *err)
{
	struct judge_options *judge = &options->judge;
	char *rest = (char *)text;
	size_t before = judge->cases.only_count;
	for (char *name; (name = strtok_r(rest, ",", &rest)) != NULL;) {
		if (judge->cases.only_count == OPTIONS_ONLY_MAX)
			return error_set(err, "--%s: more than %d names", row->name, OPTIONS_ONLY_MAX);
		options->lists.only[judge->cases.only_count++] = name;
	}
	return judge->cases.only_count > before ||
		   error_set(err, "--%s needs %s", row->name, row->needs);
}

static void write_cases(const struct row *row, const struct options *options,
						struct command_line *line)
{
	for (size_t i = 0; i < options->judge.cases.only_count; i++)
		line_add_option(line, row->name, options->judge.cases.only[i]);
}

static bool read_library(const struct row *row, const char *text, struct options *options,
						 struct error *err)
{
	options->audit.library = text;
	return text[0] != '\0' || error_set(err, "--%s needs %s", row->name, row->needs);
}

static void write_library(const struct row *row, const struct options *options,
						  struct command_line *line)
{
	if (options->audit.library != NULL)
		line_add_option(line, row->name, options->audit.library);
}

static const char *file_library(const struct row *row, const struct options *options, size_t i,
								char scratch[PATHS_MAX])
{
	(void)row, (void)scratch;
	const char *library = options->audit.library;
	if (i > 0 || library == NULL)
		return NULL;
	return audit_is_word(library) ? "" : library;
}

static bool read_cublas(const struct row *row, const char *text, struct options *options,
						struct error *err)
{
	struct audit_options *audit = &options->audit;
	const size_t most = sizeof audit->cublas / sizeof *audit->cublas;
	if (audit->cublas_count == most)
		return error_set(err, "--%s: two folders can be compared, and no more", row->name);
	audit->cublas[audit->cublas_count++] = text;
	return text[0] != '\0' || error_set(err, "--%s needs %s", row->name, row->needs);
}

static void write_cublas(const struct row *row, const struct options *options,
						 struct command_line *line)
{
	for (size_t i = 0; i < options->audit.cublas_count; i++)
		line_add_option(line, row->name, options->audit.cublas[i]);
}

const struct kind kind_library = {read_library, write_library, VALUE_READ, file_library};
const struct kind kind_cublas = {.read = read_cublas, .write = write_cublas};
const struct kind kind_case = {.read = read_case, .write = write_cases};
const struct kind kind_nvcc_flags = {.read = read_nvcc_flags,
									 .write = write_nothing}; /* kind_nvcc_flag does */
const struct kind kind_nvcc_flag = {.read = read_nvcc_flag, .write = write_nvcc_flags};
const struct kind kind_suite = {read_suite, write_suites, VALUE_READ, file_suite};
const struct kind kind_shape = {.read = read_shape, .write = write_shapes};
const struct kind kind_shapes = {read_shapes, write_shapes_file, VALUE_READ, file_shapes};
const struct kind kind_baseline = {read_baseline, write_baselines, VALUE_READ, file_baseline};
const struct kind kind_over = {.read = read_over, .write = write_over};
const struct kind kind_time = {.read = read_time, .write = write_time};

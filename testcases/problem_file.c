#include "testcases/problem_file.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "testcases/problem_file_inside.h"

/* ---- errors and pieces of text ---------------------------------------------------------- */

/* The first error, of the line that is being read, or of `line`. Returns 0, as inih wants it. */
__attribute__((format(printf, 2, 3))) static int fail(struct problem_loader *loader,
													  const char *format, ...)
{
	va_list values;
	if (loader->wrong[0] != '\0')
		return 0;
	va_start(values, format);
	text_vformat(loader->wrong, sizeof loader->wrong, format, values);
	va_end(values);
	/* The message may quote the file, and a terminal obeys control characters. */
	for (char *at = loader->wrong; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = '?';
	loader->wrong_line = loader->line;
	return 0;
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* Up to one of the characters; without blanks at both ends. The caller's to free. */
static char *piece(const char **at, const char *ends)
{
	const char *start = skip_blanks(*at);
	size_t length = strcspn(start, ends);
	*at = start + length;
	while (length > 0 && isspace((unsigned char)start[length - 1]))
		length--;
	return strndup(start, length);
}

char *problem_file_keep(struct problem_made *made, char *text)
{
	char **more = realloc(made->texts, (made->text_count + 1) * sizeof *more);
	if (more == NULL)
		free(text);
	if (more == NULL)
		return NULL;
	made->texts = more;
	return made->texts[made->text_count++] = text;
}

typedef int taker(struct problem_loader *loader, void *of, const char *text);

/* What stands between commas, one after the other; one may end the line. */
static int each_piece(struct problem_loader *loader, const char *text, void *of, taker *take)
{
	int good = 1;
	for (const char *at = text; good; at++) {
		const char *start = at;
		char *one = piece(&at, ",");
		const bool ends = *at == '\0';
		good = (one[0] == '\0' && ends && start != text) || take(loader, of, one);
		free(one);
		if (ends)
			break;
	}
	return good;
}

static bool take_word(const char **at, const char *word)
{
	const char *start = skip_blanks(*at);
	size_t length = strlen(word);
	if (strncmp(start, word, length) != 0 || isalnum((unsigned char)start[length]) ||
		start[length] == '_')
		return false;
	*at = skip_blanks(start + length);
	return true;
}

/* ---- names ----------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
	bool name = isalpha((unsigned char)*text) || *text == '_';
	for (const char *at = text; name && *at != '\0'; at++)
		name = isalnum((unsigned char)*at) || *at == '_';
	return name;
}

/* Which row of a table has this name, its first member; NULL ends the table. -1: none. */
static int row_of(const void *rows, size_t bytes, const char *name)
{
	const char *row = rows;
	for (int i = 0; *(char *const *)(const void *)row != NULL; i++, row += bytes)
		if (strcmp(*(char *const *)(const void *)row, name) == 0)
			return i;
	return -1;
}
#define ROW_OF(rows, name) row_of(rows, sizeof *(rows), name)

static const struct type *type_called(const char *name, bool in_cpp)
{
	for (size_t i = 0; type_at(i) != NULL; i++)
		if (strcmp(in_cpp ? type_at(i)->element : type_at(i)->name, name) == 0 &&
			!type_at(i)->format.is_integer && type_at(i)->format.bits >= 16)
			return type_at(i);
	return NULL;
}

/* ---- the prototype --------------------------------------------------------------------- */

#define LIMIT_MOST 1e9 /* an octave more is an int still */
#define NO_ARGUMENT                                                                                \
	"prototype: '%.60s' is no argument; one is 'int M', 'float alpha' or 'const half *A'"

static int add_pointer(struct problem_loader *loader, const char *element, char *name, bool input)
{
	struct problem *problem = &loader->made->problem;
	const struct type *type = type_called(element, true);
	size_t count = problem_operands(problem);
	if (type == NULL)
		return fail(loader,
					"prototype: a pointer to '%.32s'; the judge has float, half and "
					"__nv_bfloat16",
					element);
	if (count == OPERANDS_MAX)
		return fail(loader, "prototype: more than %d pointers", OPERANDS_MAX);
	enum dtype dtype = DTYPE_F16;
	while (type_of(dtype) != type)
		dtype++;
	problem->operands[count] = (struct operand){
		.name = name,
		.role = input ? ROLE_INPUT : ROLE_OUTPUT,
		.type = dtype,
		.part = input ? PART_NAMED : PART_RESULT,
		.draw = input ? DRAW_NUMBERS : DRAW_NOTHING,
		.rules = &loader->made->rules.operands[count],
	};
	return 1;
}

static int add_number(struct problem_loader *loader, const char *type, char *name)
{
	struct problem *problem = &loader->made->problem;
	const size_t sizes = problem_sizes(problem), scalars = problem_scalars(problem);
	const bool is_scalar = strcmp(type, "float") == 0;
	const int most = is_scalar ? SCALAR_COUNT - SCALAR_NAMED : SIZES_MAX;
	if (!is_scalar && strcmp(type, "int") != 0)
		return fail(loader, NO_ARGUMENT, loader->argument);
	if ((int)(is_scalar ? scalars : sizes) == most)
		return fail(loader, "prototype: more than %d %ss", most, type);
	if (is_scalar) {
		problem->scalars[scalars] = (struct problem_scalar){
			name, (enum scalar)(SCALAR_NAMED + scalars), SCALAR_DRAW_FACTOR, false};
		problem->large_scalars[scalars] = 1;
		return 1;
	}
	problem->sizes[sizes] = (struct problem_size){name, name, 1u << (SIZE_NAMED + sizes), 0, 0, 0};
	loader->made->rules.sizes[sizes] =
		(struct size_rules){.at_most = {-1, -1}, .multiple_of = -1, .nonzeros_of = -1};
	return 1;
}

/* One of "const float *A", "int M". */
static int add_argument(struct problem_loader *loader, void *of, const char *text)
{
	const struct problem *problem = &loader->made->problem;
	const char *at = text;
	const bool input = take_word(&at, "const");
	char *type = piece(&at, " \t*");
	at = skip_blanks(at);
	const bool pointer = *at == '*';
	at += pointer;
	char *name = problem_file_keep(loader->made, piece(&at, " \t"));
	int good = is_name(name) && *skip_blanks(at) == '\0' && (pointer || !input);
	(void)of;
	loader->argument = text;
	if (!good)
		fail(loader, NO_ARGUMENT, text);
	else if (ROW_OF(problem->sizes, name) >= 0 || ROW_OF(problem->operands, name) >= 0 ||
			 ROW_OF(problem->scalars, name) >= 0)
		good = fail(loader, "prototype: '%.40s' stands in it twice: rename one", name);
	else
		good = pointer ? add_pointer(loader, type, name, input) : add_number(loader, type, name);
	free(type);
	return good && text_append(&loader->call, name) && text_append(&loader->call, " ");
}

/* ---- expressions and shapes --------------------------------------------------------------- */

static int place_of_size(void *context, const char *name, struct error *err)
{
	const struct problem_loader *loader = context;
	int row = ROW_OF(loader->made->problem.sizes, name);
	if (row < 0)
		error_set(err, "'%s' is no size: [sizes] has none of this name", name);
	else if (loader->made->rules.sizes[row].nonzeros_of >= 0)
		row = error_set(err, "'%s' is counted, and so no extent", name) - 1;
	return row;
}

static int take_expression(struct problem_loader *loader, const char *text, struct expression *out)
{
	struct error err;
	const struct expression_names names = {place_of_size, loader};
	for (const char *at = text; *at != '\0'; at += *at != '\0') { /* C++ takes the text, too */
		bool inside = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
		if (!inside && *at == '0' && isdigit((unsigned char)at[1]))
			return fail(loader, "'%.60s': a number does not begin with 0", text);
	}
	return expression_parse(text, &names, out, &err) ||
		   fail(loader, "'%.60s': %.200s", text, err.message);
}

/* "M x N - 1": extents between crosses that stand alone. */
static int take_extents(struct problem_loader *loader, const char *text, struct operand_rules *out)
{
	for (const char *at = text; at != NULL; out->rank++) {
		const char *cross = strstr(at, " x "), *next = cross != NULL ? cross + 3 : NULL;
		char *extent = strndup(at, cross != NULL ? (size_t)(cross - at) : strlen(at));
		if (out->rank == EXTENTS_MAX) {
			free(extent);
			return fail(loader, "'%.60s': a shape has at most %d extents", text, EXTENTS_MAX);
		}
		at = extent;
		out->text[out->rank] = problem_file_keep(loader->made, piece(&at, ""));
		free(extent);
		if (!take_expression(loader, out->text[out->rank], &out->extent[out->rank]))
			return 0;
		at = next;
	}
	return 1;
}

/* ---- sections ------------------------------------------------------------------------------ */

/* A size's limits, and the words behind them. */
static int take_size_word(struct problem_loader *loader, void *of, const char *text)
{
	struct problem_size *row = of;
	const struct problem_size *sizes = loader->made->problem.sizes;
	struct size_rules *rules = &loader->made->rules.sizes[row - sizes];
	int *at_most = &rules->at_most[rules->at_most[0] >= 0], used = 0, other;
	char name[64];
	if (row->max == 0) {
		char lowest[12], highest[12];
		bool good = sscanf(text, "%11[0-9] .. %11[0-9]%n", lowest, highest, &used) == 2 &&
					text[used] == '\0';
		const double low = good ? strtod(lowest, NULL) : 0, high = good ? strtod(highest, NULL) : 0;
		good = low >= 1 && high >= low && high <= LIMIT_MOST;
		row->min = good ? (int)low : 1;
		row->max = good ? (int)high : 1;
		return good ||
			   fail(loader,
					"%s: expected its limits, as in 1..4096, to 1000000000 at most, not '%.40s'",
					row->name, text);
	}
	if (strcmp(text, "uniform") == 0)
		return rules->uniform = true;
	if (sscanf(text, "common %d%n", &rules->common, &used) == 1 && text[used] == '\0' &&
		rules->common > 0)
		return 1;
	if (sscanf(text, "multiple of %d%n", &row->multiple, &used) == 1 && text[used] == '\0' &&
		row->multiple > 0)
		return 1;
	if (sscanf(text, "at most %63[^\n]", name) == 1 && (other = ROW_OF(sizes, name)) >= 0 &&
		*at_most < 0)
		*at_most = other;
	else if (sscanf(text, "multiple of %63[^\n]", name) == 1 && (other = ROW_OF(sizes, name)) >= 0)
		rules->multiple_of = other;
	else
		return fail(loader,
					"%s: '%.40s' is none of: common NUMBER, uniform, at most SIZE, multiple of "
					"NUMBER or SIZE",
					row->name, text);
	return 1;
}

static int take_size(struct problem_loader *loader, const char *name, const char *value)
{
	struct problem *problem = &loader->made->problem;
	int index = ROW_OF(problem->sizes, name);
	if (index < 0)
		return fail(loader, "[sizes] has '%.40s', and the prototype has no such int", name);
	if (loader->made->rules.sizes[index].nonzeros_of >= 0)
		return fail(loader, "%s stands in [scalars], too: leave one out", name);
	return each_piece(loader, value, &problem->sizes[index], take_size_word);
}

static int take_scalar(struct problem_loader *loader, const char *name, const char *value)
{
	struct problem *problem = &loader->made->problem;
	int counted = ROW_OF(problem->sizes, name), scalar = ROW_OF(problem->scalars, name);
	const char *at = value;
	char *end;
	if (scalar >= 0 && strcmp(value, "factor") == 0)
		return 1;
	if (scalar >= 0) {
		problem->scalars[scalar].draw = SCALAR_DRAW_FIXED;
		problem->large_scalars[scalar] = strtof(value, &end);
		return (end != value && *end == '\0' && isfinite(problem->large_scalars[scalar])) ||
			   fail(loader, "%s: a float is a 'factor' or a number, not '%.40s'", name, value);
	}
	if (counted < 0)
		return fail(loader, "[scalars] has '%.40s', and the prototype has it not", name);
	if (problem->sizes[counted].max != 0)
		return fail(loader, "%s stands in [sizes], too: leave one out", name);
	if (!take_word(&at, "nonzeros") || !take_word(&at, "of") || ROW_OF(problem->operands, at) < 0 ||
		problem->operands[ROW_OF(problem->operands, at)].role != ROLE_INPUT)
		return fail(loader,
					"%s: an int in [scalars] is 'nonzeros of BUFFER', an input, not '%.40s'", name,
					value);
	loader->made->rules.sizes[counted].nonzeros_of = ROW_OF(problem->operands, at);
	problem->sizes[counted].max = INT32_MAX;
	return 1;
}

/* A buffer's shape, then how it is drawn: "numbers", "numbers scaled N", "zeros 0.65". */
static int take_buffer_words(struct problem_loader *loader, void *of, const char *text)
{
	struct operand_rules *rules = of;
	const struct problem *problem = &loader->made->problem;
	const char *at = text;
	char *end;
	if (rules->rank == 0)
		return take_extents(loader, text, rules);
	bool known = take_word(&at, "numbers");
	rules->drawn = true;
	if (take_word(&at, "scaled")) {
		int size = ROW_OF(problem->sizes, at);
		known = size >= 0;
		rules->scaled = (enum size)(SIZE_NAMED + (known ? size : 0));
		at += strlen(at);
	} else if (take_word(&at, "zeros")) {
		rules->zeros = strtof(at, &end);
		known = end != at && rules->zeros > 0 && rules->zeros < 1;
		at = end;
	}
	return (known && *skip_blanks(at) == '\0') ||
		   fail(loader, "%s: '%.40s' is none of: numbers, numbers scaled SIZE, zeros SHARE",
				problem->operands[rules - loader->made->rules.operands].name, text);
}

static int take_buffer(struct problem_loader *loader, const char *name, const char *value)
{
	int index = ROW_OF(loader->made->problem.operands, name);
	if (index < 0)
		return fail(loader, "[buffers] has '%.40s', and the prototype has no such pointer", name);
	struct operand_rules *rules = &loader->made->rules.operands[index];
	bool input = loader->made->problem.operands[index].role == ROLE_INPUT;
	if (!each_piece(loader, value, rules, take_buffer_words))
		return 0;
	return rules->drawn == input ||
		   fail(loader,
				input ? "%s is an input: behind its shape stands how it is drawn, as in "
						"'M x N, numbers'"
					  : "%s is an output: it says its shape alone",
				name);
}

static int take_step_words(struct problem_loader *loader, void *of, const char *text)
{
	struct step_rules *step = of;
	const struct type *type = type_called(text, false);
	if (step->shape.rank == 0)
		return take_extents(loader, text, &step->shape);
	if (strcmp(text, "in order") == 0)
		step->in_order = true;
	else if (type != NULL)
		step->element = type->element;
	else
		return fail(loader, "%s: '%.40s' is none of: f32, f16, bf16, in order", step->name, text);
	return 1;
}

static int take_step(struct problem_loader *loader, const char *name, const char *value)
{
	struct problem_rules *rules = &loader->made->rules;
	if (strcmp(name, "blocks") == 0)
		return (loader->blocks = strdup(value)) != NULL;
	if (!is_name(name))
		return fail(loader, "'%.40s' is no name of a step: letters, digits and _", name);
	if (rules->step_count == STEPS_MAX - 1)
		return fail(loader, "[steps] has more than %d", STEPS_MAX - 1);
	struct step_rules *step = &rules->steps[rules->step_count++];
	step->name = problem_file_keep(loader->made, strdup(name));
	step->element = "float";
	return each_piece(loader, value, step, take_step_words);
}

/* A size or a scalar by its name: "M 512". */
static int take_large(struct problem_loader *loader, void *of, const char *text)
{
	struct problem *problem = &loader->made->problem;
	const char *number = text;
	char *name = piece(&number, " \t"), *end;
	int size = ROW_OF(problem->sizes, name), scalar = ROW_OF(problem->scalars, name);
	double x = strtod(number, &end);
	bool good = (size >= 0 || scalar >= 0) && end != number && *skip_blanks(end) == '\0' &&
				(size < 0 || (x >= 1 && x <= INT32_MAX && x == floor(x)));
	(void)of;
	if (good && size >= 0)
		problem->large.size[SIZE_NAMED + size] = (int32_t)x;
	else if (good)
		problem->large_scalars[scalar] = (float)x;
	free(name);
	return good ||
		   fail(loader, "large: '%.40s' is no size or scalar with its number, as in M 512", text);
}

static int take_key(struct problem_loader *loader, const char *key, const char *value)
{
	struct problem *problem = &loader->made->problem;
	const struct {
		const char *key, **text;
	} texts[] = {
		{"title", &problem->summary}, {"also", &problem->also}, {"formula", &problem->formula}};
	int used = 0;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (strcmp(key, texts[i].key) == 0)
			return (*texts[i].text = problem_file_keep(loader->made, strdup(value))) != NULL;
	if (strcmp(key, "prototype") == 0) { /* a long one goes on behind another "prototype =" */
		int good = each_piece(loader, value, NULL, add_argument);
		problem->call = loader->call;
		return good;
	}
	if (problem->call == NULL)
		return fail(loader, "'%.40s' stands before the prototype, whose names it may use", key);
	if (strcmp(key, "work") == 0)
		return take_expression(loader, value, &loader->made->rules.work);
	if (strcmp(key, "large") == 0)
		return each_piece(loader, value, NULL, take_large);
	if (strcmp(key, "tolerance") == 0)
		return (sscanf(value, "leetgpu %lf %lf%n", &problem->leetgpu_atol, &problem->leetgpu_rtol,
					   &used) == 2 &&
				value[used] == '\0') ||
			   fail(loader, "tolerance: expected 'leetgpu ATOL RTOL', not '%.40s'", value);
	if (strcmp(key, "metric") == 0) {
		problem->metric = METRIC_BYTES;
		return strcmp(value, "bytes") == 0 || fail(loader, "metric: 'bytes', or leave it out");
	}
	return fail(loader,
				"'%.40s' is no key of [problem]: title, also, formula, prototype, "
				"tolerance, work, metric, large",
				key);
}

/* A prototype may go on in the next line; nothing else stands twice. */
static int note_key(struct problem_loader *loader, const char *section, const char *key)
{
	char note[160];
	if (!text_format(note, sizeof note, "\n%s %s\n", section, key))
		return fail(loader, "'%.40s' is too long a name", key);
	if (strcmp(key, "prototype") != 0 && loader->seen != NULL && strstr(loader->seen, note) != NULL)
		return fail(loader, "[%.40s] has '%.40s' twice: leave one out", section, key);
	return text_append(&loader->seen, note);
}

/* inih's. */
static int handle(void *user, const char *section, const char *key, const char *value)
{
	static const struct {
		const char *name;
		int (*take)(struct problem_loader *loader, const char *key, const char *value);
	} sections[] = {{"problem", take_key},
					{"sizes", take_size},
					{"scalars", take_scalar},
					{"buffers", take_buffer},
					{"steps", take_step}};
	struct problem_loader *loader = user;
	if (loader->wrong[0] != '\0')
		return 0;
	if (strcmp(section, "problem") != 0 && loader->made->problem.call == NULL)
		return fail(loader, "[problem] with its prototype comes first");
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (strcmp(section, sections[i].name) == 0)
			return note_key(loader, section, key) && sections[i].take(loader, key, value);
	return fail(loader, "[%.40s] is no section: problem, sizes, scalars, buffers, steps", section);
}

static char *read_line(char *buffer, int size, void *stream)
{
	struct problem_loader *loader = stream;
	if (loader->wrong[0] != '\0' || fgets(buffer, size, loader->stream) == NULL)
		return NULL;
	loader->line++;
	size_t length = strlen(buffer), blanks = strspn(buffer, " \t");
	if (length > 0 && buffer[length - 1] != '\n' && !feof(loader->stream))
		fail(loader,
			 "this line is longer than %d characters, or no text: a prototype goes on "
			 "behind another 'prototype ='",
			 size - 2);
	memmove(buffer, buffer + blanks, length - blanks + 1); /* inih reads on behind a blank */
	return buffer;
}

int problem_file_read(struct problem_loader *loader)
{
	int rc = ini_parse_stream(read_line, loader, handle, loader);
	bool before = rc > 0 && loader->wrong[0] != '\0' && rc < loader->wrong_line;
	if (rc != 0 && (before || loader->wrong[0] == '\0')) { /* no section and no key: inih's */
		loader->line = rc > 0 ? rc : loader->line;
		loader->wrong[0] = '\0';
		fail(loader, "expected [SECTION] or KEY = VALUE");
	}
	return loader->wrong[0] == '\0';
}

int problem_file_wrong(struct problem_loader *loader, const char *name, const char *what)
{
	loader->line = 0;
	return fail(loader, "%s: %s", name, what);
}

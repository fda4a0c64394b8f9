#include "testcases/problem_file.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
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

static bool is_name(const char *text)
{
	bool name = isalpha((unsigned char)*text) || *text == '_';
	for (const char *at = text; name && *at != '\0'; at++)
		name = isalnum((unsigned char)*at) || *at == '_';
	return name;
}

/* ---- what stands in the prototype ------------------------------------------------------------ */

static int size_row(const struct problem *problem, const char *name)
{
	for (int i = 0; i < SIZES_MAX && problem->sizes[i].name != NULL; i++)
		if (strcmp(problem->sizes[i].name, name) == 0)
			return i;
	return -1;
}

static int operand_row(const struct problem *problem, const char *name)
{
	for (int i = 0; i < OPERANDS_MAX && problem->operands[i].name != NULL; i++)
		if (strcmp(problem->operands[i].name, name) == 0)
			return i;
	return -1;
}

static int scalar_row(const struct problem *problem, const char *name)
{
	for (int i = 0; i < SCALARS_MAX && problem->scalars[i].name != NULL; i++)
		if (strcmp(problem->scalars[i].name, name) == 0)
			return i;
	return -1;
}

static const struct type *type_of_element(const char *element)
{
	for (size_t i = 0; type_at(i) != NULL; i++)
		if (strcmp(type_at(i)->element, element) == 0 && !type_at(i)->format.is_integer &&
			type_at(i)->format.bits >= 16)
			return type_at(i);
	return NULL;
}

static int add_pointer(struct problem_loader *loader, const char *element, char *name, bool input)
{
	struct problem *problem = &loader->made->problem;
	const struct type *type = type_of_element(element);
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
	size_t sizes = problem_sizes(problem), scalars = problem_scalars(problem);
	if (strcmp(type, "float") == 0) {
		if (scalars == SCALAR_COUNT - SCALAR_NAMED)
			return fail(loader, "prototype: more than %d floats", SCALAR_COUNT - SCALAR_NAMED);
		problem->scalars[scalars] = (struct problem_scalar){
			name, (enum scalar)(SCALAR_NAMED + scalars), SCALAR_DRAW_FACTOR, false};
		return 1;
	}
	if (strcmp(type, "int") != 0)
		return fail(loader,
					"prototype: '%.32s %.32s' is no argument; one is 'int M', 'float "
					"alpha' or 'const half *A'",
					type, name);
	if (sizes == SIZES_MAX)
		return fail(loader, "prototype: more than %d ints", SIZES_MAX);
	problem->sizes[sizes] = (struct problem_size){name, name, 1u << (SIZE_NAMED + sizes), 0, 0, 0};
	loader->made->rules.sizes[sizes] =
		(struct size_rules){.at_most = {-1, -1}, .multiple_of = -1, .nonzeros_of = -1};
	return 1;
}

/* One of "const float *A", "int M". */
static int add_argument(struct problem_loader *loader, const char *text)
{
	const struct problem *problem = &loader->made->problem;
	const char *at = text;
	bool input = take_word(&at, "const");
	char *type = piece(&at, " \t*"), *name = NULL;
	at = skip_blanks(at);
	bool pointer = *at == '*';
	at += pointer;
	name = piece(&at, " \t");
	int good = is_name(name) && *skip_blanks(at) == '\0' && (pointer || !input);
	if (!good)
		fail(loader,
			 "prototype: '%.60s' is no argument; one is 'int M', 'float alpha' or 'const "
			 "half *A'",
			 text);
	else if (size_row(problem, name) >= 0 || operand_row(problem, name) >= 0 ||
			 scalar_row(problem, name) >= 0)
		good = fail(loader, "prototype: '%.40s' stands in it twice: rename one", name);
	else
		good = pointer ? add_pointer(loader, type, name, input) : add_number(loader, type, name);
	free(type);
	if (good)
		good = text_append(&loader->call, name) && text_append(&loader->call, " ");
	return good;
}

/* A long prototype goes on behind another "prototype =": a line has no room for all arguments. */
static int take_prototype(struct problem_loader *loader, const char *value)
{
	int good = 1;
	for (const char *at = value; good; at++) {
		char *argument = piece(&at, ",");
		bool ends = *at == '\0';
		if (argument[0] != '\0' || !ends || at == value) /* a comma may end a line */
			good = add_argument(loader, argument);
		free(argument);
		if (ends)
			break;
	}
	loader->made->problem.call = loader->call;
	return good;
}

/* ---- expressions and shapes --------------------------------------------------------------- */

static int place_of_size(void *context, const char *name, struct error *err)
{
	const struct problem_loader *loader = context;
	int row = size_row(&loader->made->problem, name);
	if (row < 0)
		error_set(err, "'%s' is no size: [sizes] has none of this name", name);
	return row;
}

static int take_expression(struct problem_loader *loader, const char *text, struct expression *out)
{
	struct error err;
	const struct expression_names names = {place_of_size, loader};
	return expression_parse(text, &names, out, &err) ||
		   fail(loader, "'%.60s': %.200s", text, err.message);
}

/* "M x N - 1": extents between crosses that stand alone. */
static int take_extents(struct problem_loader *loader, const char *text, char *out[EXTENTS_MAX],
						size_t *rank)
{
	const char *at = text;
	*rank = 0;
	for (;;) {
		const char *cross = strstr(at, " x ");
		if (*rank == EXTENTS_MAX)
			return fail(loader, "'%.60s': a shape has at most %d extents", text, EXTENTS_MAX);
		size_t length = cross != NULL ? (size_t)(cross - at) : strlen(at);
		while (length > 0 && at[length - 1] == ' ')
			length--;
		out[(*rank)++] = strndup(at, length);
		if (cross == NULL)
			return 1;
		at = skip_blanks(cross + 3);
	}
}

/* ---- sections ------------------------------------------------------------------------------ */

/* A size's words behind its limits. */
static int take_size_word(struct problem_loader *loader, struct problem_size *row,
						  struct size_rules *rules, const char *text)
{
	struct problem *problem = &loader->made->problem;
	const char *at = text;
	char *end;
	if (take_word(&at, "uniform") && *at == '\0') {
		rules->uniform = true;
		return 1;
	}
	if (take_word(&at, "common")) {
		rules->common = (int)strtol(at, &end, 10);
		if (end != at && *end == '\0' && rules->common > 0)
			return 1;
	} else if (take_word(&at, "at") && take_word(&at, "most")) {
		int other = size_row(problem, at), i = 0;
		while (i < SIZE_LIMITS_MAX && rules->at_most[i] >= 0)
			i++;
		if (other >= 0 && i < SIZE_LIMITS_MAX) {
			rules->at_most[i] = other;
			return 1;
		}
	} else if (take_word(&at, "multiple") && take_word(&at, "of")) {
		rules->multiple_of = size_row(problem, at);
		if (rules->multiple_of >= 0)
			return 1;
		row->multiple = (int)strtol(at, &end, 10);
		if (end != at && *end == '\0' && row->multiple > 0)
			return 1;
	}
	return fail(loader,
				"%s: '%.40s' is none of: common NUMBER, uniform, at most SIZE, multiple of "
				"NUMBER or SIZE",
				row->name, text);
}

static int take_size(struct problem_loader *loader, const char *name, const char *value)
{
	struct problem *problem = &loader->made->problem;
	int index = size_row(problem, name), used = 0;
	if (index < 0)
		return fail(loader, "[sizes] has '%.40s', and the prototype has no such int", name);
	if (loader->made->rules.sizes[index].nonzeros_of >= 0)
		return fail(loader, "%s stands in [scalars], too: leave one out", name);
	struct problem_size *row = &problem->sizes[index];
	if (sscanf(value, " %d .. %d%n", &row->min, &row->max, &used) != 2 || row->min < 1 ||
		row->max < row->min)
		return fail(loader, "%s: expected its limits, as in 1..4096, not '%.40s'", name, value);
	int good = 1;
	const char *at = skip_blanks(value + used);
	while (good && *at == ',') {
		at++;
		char *word = piece(&at, ",");
		good = take_size_word(loader, row, &loader->made->rules.sizes[index], word);
		free(word);
	}
	return good && *at != '\0' ? fail(loader, "%s: cannot read '%.40s'", name, at) : good;
}

static int take_scalar(struct problem_loader *loader, const char *name, const char *value)
{
	struct problem *problem = &loader->made->problem;
	int counted = size_row(problem, name);
	const char *at = value;
	if (scalar_row(problem, name) >= 0)
		return strcmp(value, "factor") == 0 ||
			   fail(loader, "%s: a float is a 'factor', not '%.40s'", name, value);
	if (counted < 0)
		return fail(loader, "[scalars] has '%.40s', and the prototype has it not", name);
	if (problem->sizes[counted].max != 0)
		return fail(loader, "%s stands in [sizes], too: leave one out", name);
	if (!take_word(&at, "nonzeros") || !take_word(&at, "of") || operand_row(problem, at) < 0)
		return fail(loader, "%s: an int in [scalars] is 'nonzeros of BUFFER', not '%.40s'", name,
					value);
	loader->made->rules.sizes[counted].nonzeros_of = operand_row(problem, at);
	problem->sizes[counted].min = 0;
	problem->sizes[counted].max = INT32_MAX;
	return 1;
}

/* How an input is drawn: "numbers", "numbers scaled N", "zeros 0.65". */
static int take_values(struct problem_loader *loader, const struct operand *operand,
					   struct operand_rules *rules, const char *text)
{
	const char *at = text;
	char *end;
	bool known = false;
	if (take_word(&at, "numbers"))
		known = true;
	if (take_word(&at, "scaled")) {
		int size = size_row(&loader->made->problem, at);
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
				operand->name, text);
}

static int take_buffer(struct problem_loader *loader, const char *name, const char *value)
{
	struct problem *problem = &loader->made->problem;
	int index = operand_row(problem, name), good = 1;
	if (index < 0)
		return fail(loader, "[buffers] has '%.40s', and the prototype has no such pointer", name);
	struct operand_rules *rules = &loader->made->rules.operands[index];
	const struct operand *operand = &problem->operands[index];
	const char *at = value;
	char *shape = piece(&at, ",");
	good = take_extents(loader, shape, rules->text, &rules->rank);
	for (size_t i = 0; good && i < rules->rank; i++)
		good = take_expression(loader, rules->text[i], &rules->extent[i]);
	free(shape);
	bool drawn = false;
	while (good && *at == ',') {
		at++;
		char *words = piece(&at, ",");
		good = take_values(loader, operand, rules, words);
		drawn = true;
		free(words);
	}
	if (good && drawn != (operand->role == ROLE_INPUT))
		return fail(loader,
					drawn ? "%s is an output: it says its shape alone"
						  : "%s is an input: behind its shape stands how it is drawn, as "
							"in 'M x N, numbers'",
					name);
	return good;
}

static int take_step(struct problem_loader *loader, const char *name, const char *value)
{
	struct problem_rules *rules = &loader->made->rules;
	if (strcmp(name, "blocks") == 0) {
		free(loader->blocks);
		loader->blocks = strdup(value);
		return 1;
	}
	if (rules->step_count == STEPS_MAX)
		return fail(loader, "[steps] has more than %d", STEPS_MAX);
	struct step_rules *step = &rules->steps[rules->step_count++];
	const char *at = value;
	char *shape = piece(&at, ",");
	int good = take_extents(loader, shape, step->text, &step->rank);
	for (size_t i = 0; good && i < step->rank; i++) { /* C++ takes their text */
		struct expression extent = {0};
		good = take_expression(loader, step->text[i], &extent);
		expression_free(&extent);
	}
	free(shape);
	step->name = strdup(name);
	step->element = strdup("float");
	while (good && *at == ',') {
		at++;
		char *word = piece(&at, ",");
		const struct type *type = NULL;
		for (size_t i = 0; type_at(i) != NULL; i++)
			if (strcmp(type_at(i)->name, word) == 0 && type_of_element(type_at(i)->element) != NULL)
				type = type_at(i);
		if (strcmp(word, "in order") == 0) {
			step->in_order = true;
		} else if (type != NULL) {
			free(step->element);
			step->element = strdup(type->element);
		} else {
			good = fail(loader, "%s: '%.40s' is none of: f32, f16, bf16, in order", name, word);
		}
		free(word);
	}
	return good;
}

/* Sizes and scalars by their names, "M 512, alpha 0.5". */
static int take_large(struct problem_loader *loader, const char *value)
{
	struct problem *problem = &loader->made->problem;
	for (const char *at = value;; at++) {
		char *item = piece(&at, ","), *end;
		const char *number = item;
		char *name = piece(&number, " \t");
		int size = size_row(problem, name), scalar = scalar_row(problem, name);
		double x = strtod(number, &end);
		int good = (size >= 0 || scalar >= 0) && end != number && *skip_blanks(end) == '\0';
		if (size >= 0 && (!(x >= 1 && x <= INT32_MAX) || x != (double)(int32_t)x))
			good = 0;
		if (size >= 0 && good)
			problem->large.size[SIZE_NAMED + size] = (int32_t)x;
		else if (scalar >= 0)
			problem->large_scalars[scalar] = (float)x;
		if (!good)
			fail(loader, "large: '%.40s' is no size or scalar with its number, as in M 512", item);
		free(name);
		free(item);
		if (!good || *at == '\0')
			return good;
	}
}

static int take_tolerance(struct problem_loader *loader, const char *value)
{
	struct problem *problem = &loader->made->problem;
	int used = 0;
	return (sscanf(value, "leetgpu %lf %lf%n", &problem->leetgpu_atol, &problem->leetgpu_rtol,
				   &used) == 2 &&
			value[used] == '\0') ||
		   fail(loader, "tolerance: expected 'leetgpu ATOL RTOL', not '%.40s'", value);
}

static int take_key(struct problem_loader *loader, const char *key, const char *value)
{
	struct problem *problem = &loader->made->problem;
	if (strcmp(key, "title") == 0)
		return (problem->summary = strdup(value)) != NULL;
	if (strcmp(key, "also") == 0)
		return (problem->also = strdup(value)) != NULL;
	if (strcmp(key, "formula") == 0)
		return (problem->formula = strdup(value)) != NULL;
	if (strcmp(key, "prototype") == 0)
		return take_prototype(loader, value);
	if (problem->call == NULL)
		return fail(loader, "'%.40s' stands before the prototype, whose names it may use", key);
	if (strcmp(key, "tolerance") == 0)
		return take_tolerance(loader, value);
	if (strcmp(key, "work") == 0)
		return take_expression(loader, value, &loader->made->rules.work);
	if (strcmp(key, "large") == 0)
		return take_large(loader, value);
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

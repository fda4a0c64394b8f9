#include "tune/exchange.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune/operation.h"

/* An expression on its way out. */
struct printer {
	const struct space *space;
	const int64_t *given;
	FILE *out;
	size_t left; /* nodes: lets of lets grow without bounds */
};
#define NODES_MAX 4096

static void print_node(struct printer *printer, const struct expression *expression, int number,
					   bool truth);

static const struct space_rule *find_let(const struct space *space, int place)
{
	for (size_t i = 0; i < space->rule_count; i++)
		if (space->rules[i].kind == RULE_LET && space->rules[i].place == place)
			return &space->rules[i];
	return NULL;
}

static void print_name(struct printer *printer, int place, bool truth)
{
	const struct space_rule *let = find_let(printer->space, place);
	if (let != NULL)
		print_node(printer, &let->expression, (int)let->expression.count - 1, truth);
	else if ((size_t)place < printer->space->given_count)
		fprintf(printer->out, "%" PRId64, printer->given[place]);
	else
		fputs(printer->space->names[place].name, printer->out);
}

/* Operands with texts before, between and behind them. */
static void print_all(struct printer *printer, const struct expression *expression,
					  const struct expression_node *node, const char *const texts[4], bool truth)
{
	for (int i = 0; i < 3 && node->operands[i] >= 0; i++) {
		fputs(texts[i], printer->out);
		print_node(printer, expression, node->operands[i], truth);
	}
	int count = node->operands[2] >= 0 ? 3 : node->operands[1] >= 0 ? 2 : 1;
	fputs(texts[count], printer->out);
}

/* `truth`: only whether it is 0 counts. Sizes are not below 0, so that // is C's division. */
static void print_node(struct printer *printer, const struct expression *expression, int number,
					   bool truth)
{
	static const char *const texts[][4] = {
		[OP_NEGATE] = {"(-", ")"},
		[OP_NOT] = {"(not ", ")"},
		[OP_OR] = {"(", " or ", ")"},
		[OP_AND] = {"(", " and ", ")"},
		[OP_EQUAL] = {"(", " == ", ")"},
		[OP_UNEQUAL] = {"(", " != ", ")"},
		[OP_LESS_EQUAL] = {"(", " <= ", ")"},
		[OP_GREATER_EQUAL] = {"(", " >= ", ")"},
		[OP_LESS] = {"(", " < ", ")"},
		[OP_GREATER] = {"(", " > ", ")"},
		[OP_ADD] = {"(", " + ", ")"},
		[OP_SUBTRACT] = {"(", " - ", ")"},
		[OP_MULTIPLY] = {"(", " * ", ")"},
		[OP_DIVIDE] = {"(", " // ", ")"},
		[OP_REMAINDER] = {"(", " % ", ")"},
		[OP_MIN] = {"min(", ", ", ")"},
		[OP_MAX] = {"max(", ", ", ")"},
		[OP_CEIL_DIV] = {"(-(-", " // ", "))"},
	};
	const struct expression_node *node = &expression->nodes[number];
	bool logical = node->operation == OP_OR || node->operation == OP_AND;
	if (printer->left == 0)
		return;
	printer->left--;
	switch (node->operation) {
	case OP_NUMBER: fprintf(printer->out, "%" PRId64, node->value); return;
	case OP_NAME: print_name(printer, (int)node->value, truth); return;
	case OP_POWER_OF_TWO: /* its operand twice: it has no side effects */
		fputs("(", printer->out);
		print_node(printer, expression, node->operands[0], false);
		fputs(" > 0 and (", printer->out);
		print_node(printer, expression, node->operands[0], false);
		fputs(" & (", printer->out);
		print_node(printer, expression, node->operands[0], false);
		fputs(" - 1)) == 0)", printer->out);
		return;
	case OP_CHOICE:
		fputs("(", printer->out);
		print_node(printer, expression, node->operands[1], truth);
		fputs(" if ", printer->out);
		print_node(printer, expression, node->operands[0], true);
		fputs(" else ", printer->out);
		print_node(printer, expression, node->operands[2], truth);
		fputs(")", printer->out);
		return;
	default: break;
	}
	if (logical && !truth) /* Python's `and` gives an operand, C's gives 1 */
		fputs("bool", printer->out);
	print_all(printer, expression, node, texts[node->operation],
			  logical || node->operation == OP_NOT);
}

char *exchange_python(const struct space *space, const struct expression *expression,
					  const int64_t *given)
{
	char *text = NULL;
	size_t length;
	struct printer printer = {
		.space = space, .given = given, .out = open_memstream(&text, &length), .left = NODES_MAX};
	if (printer.out == NULL)
		return NULL;
	print_node(&printer, expression, (int)expression->count - 1, true);
	fclose(printer.out);
	if (printer.left > 0)
		return text;
	free(text);
	return NULL;
}

/* ---- T1 ------------------------------------------------------------------------------ */

static json_t *text_json(char *text)
{
	json_t *json = json_string(text != NULL ? text : "");
	free(text);
	return json;
}

/* One column of a choice: each value once. */
static json_t *parameter(const struct space *space, const struct space_choice *choice,
						 size_t column)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	if (out == NULL)
		return NULL;
	fputc('[', out);
	for (size_t i = 0; i < choice->count; i++) {
		const int64_t value = choice->values[i * choice->columns + column];
		size_t before = 0;
		while (before < i && choice->values[before * choice->columns + column] != value)
			before++;
		if (before == i)
			fprintf(out, "%s%" PRId64, i > 0 ? ", " : "", value);
	}
	fputc(']', out);
	fclose(out);
	json_t *json = json_pack("{s:s, s:s, s:o}", "Name", space->names[choice->places[column]].name,
							 "Type", "int", "Values", text_json(text));
	for (size_t i = 0; i < space->constant_count; i++)
		if (space->constants[i].place == choice->places[column])
			json_object_set_new(json, "Default", json_integer(space->constants[i].standard));
	return json;
}

static json_t *condition(const struct space *space, const uint64_t marks[2], char *text)
{
	json_t *names = json_array();
	for (size_t i = space->given_count; i < space->name_count; i++)
		if ((marks[i / 64] >> i % 64 & 1) != 0 && find_let(space, (int)i) == NULL)
			json_array_append_new(names, json_string(space->names[i].name));
	return json_pack("{s:o, s:o}", "Expression", text_json(text), "Parameters", names);
}

/* Marks the names that an expression needs, those of its lets too. */
static void mark_names(const struct space *space, const struct expression *expression,
					   uint64_t marks[2])
{
	for (size_t i = 0; i < expression->count; i++) {
		const struct expression_node *node = &expression->nodes[i];
		if (node->operation != OP_NAME)
			continue;
		const struct space_rule *let = find_let(space, (int)node->value);
		if ((marks[node->value / 64] >> node->value % 64 & 1) != 0)
			continue;
		marks[node->value / 64] |= (uint64_t)1 << node->value % 64;
		if (let != NULL)
			mark_names(space, &let->expression, marks);
	}
}

/* "(CUT, TILE_M) in [(0, 128), (3, 64)]" */
static json_t *rows_condition(const struct space *space, const struct space_choice *choice)
{
	char *text = NULL;
	size_t length;
	uint64_t marks[2] = {0, 0};
	FILE *out = open_memstream(&text, &length);
	if (out == NULL)
		return NULL;
	for (size_t j = 0; j < choice->columns; j++) {
		marks[choice->places[j] / 64] |= (uint64_t)1 << choice->places[j] % 64;
		fprintf(out, "%s%s", j == 0 ? "(" : ", ", space->names[choice->places[j]].name);
	}
	fputs(") in [", out);
	for (size_t i = 0; i < choice->count; i++) {
		fputs(i == 0 ? "(" : ", (", out);
		for (size_t j = 0; j < choice->columns; j++)
			fprintf(out, "%s%" PRId64, j == 0 ? "" : ", ", choice->values[i * choice->columns + j]);
		fputc(')', out);
	}
	fputc(']', out);
	fclose(out);
	return condition(space, marks, text);
}

/* The file's line that refuses what cannot be written. */
static bool too_long(const struct space *space, const struct space_rule *rule, struct error *err)
{
	return error_set(err, "%s:%d: with its lets in their places it is too long for a T1 file",
					 space->file, rule->line);
}

static json_t *configuration_space(const struct space *space, const int64_t *given,
								   struct error *err)
{
	json_t *parameters = json_array(), *conditions = json_array();
	for (size_t i = 0; i < space->choice_count; i++) {
		const struct space_choice *choice = &space->choices[i];
		for (size_t j = 0; j < choice->columns; j++)
			json_array_append_new(parameters, parameter(space, choice, j));
		if (choice->columns > 1)
			json_array_append_new(conditions, rows_condition(space, choice));
	}
	for (size_t i = 0; i < space->rule_count; i++) {
		const struct space_rule *rule = &space->rules[i];
		uint64_t marks[2] = {0, 0};
		if (rule->kind != RULE_WHERE)
			continue;
		char *text = exchange_python(space, &rule->expression, given);
		if (text == NULL) {
			too_long(space, rule, err);
			continue;
		}
		mark_names(space, &rule->expression, marks);
		json_array_append_new(conditions, condition(space, marks, text));
	}
	return json_pack("{s:o, s:o}", "TuningParameters", parameters, "Conditions", conditions);
}

/* What the role says in Python's words; NULL where the file does not say it, or it is too long. */
static char *role_text(const struct space *space, const int64_t *given, enum tune_role role,
					   struct error *err)
{
	for (size_t i = 0; i < space->rule_count; i++) {
		const struct space_rule *rule = &space->rules[i];
		if (rule->kind != RULE_ROLE || rule->place != (int)role)
			continue;
		char *text = exchange_python(space, &rule->expression, given);
		if (text == NULL)
			too_long(space, rule, err);
		return text;
	}
	return NULL;
}

/* {"X": threads of a block}, or 1 where the file does not say it. */
static json_t *local_size(const struct space *space, const int64_t *given, struct error *err)
{
	char *text = role_text(space, given, TUNE_THREADS, err);
	return json_pack("{s:o}", "X", text != NULL ? text_json(text) : json_string("1"));
}

/* {"X": blocks of the grid}: as declared, or the tiles of C times split_k times the batch. */
static json_t *global_size(const struct space *space, const int64_t *given,
						   const struct test_case *test, struct error *err)
{
	static const struct {
		enum tune_role role;
		enum size size;
	} tiles[] = {{TUNE_BLOCK_M, SIZE_M}, {TUNE_BLOCK_N, SIZE_N}};
	char *declared = role_text(space, given, TUNE_BLOCKS, err), *text = NULL;
	size_t length;
	FILE *out = declared == NULL ? open_memstream(&text, &length) : NULL;
	if (out == NULL)
		return json_pack("{s:o}", "X", text_json(declared));
	fprintf(out, "%d", test->shape.size[SIZE_BATCH]);
	for (size_t i = 0; i < 2; i++) {
		char *tile = role_text(space, given, tiles[i].role, err);
		if (tile != NULL)
			fprintf(out, " * -(-%d // %s)", test->shape.size[tiles[i].size], tile);
		free(tile);
	}
	char *split = role_text(space, given, TUNE_SPLIT_K, err);
	if (split != NULL)
		fprintf(out, " * %s", split);
	free(split);
	fclose(out);
	return json_pack("{s:o}", "X", text_json(text));
}

json_t *exchange_space(const struct space *space, const struct tune_gpu *gpu,
					   const struct test_case *test, const char *const *flags, struct error *err)
{
	int64_t given[SPACE_NAMES_MAX];
	json_t *options = json_array();
	const char *slash = strrchr(space->file, '/');
	err->message[0] = '\0';
	space_give(space, gpu, test, given);
	for (; flags != NULL && *flags != NULL; flags++)
		json_array_append_new(options, json_string(*flags));
	json_t *json =
		json_pack("{s:{s:i, s:s}, s:o, s:{s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:{s:s}}}", "General",
				  "FormatVersion", 1, "TimeUnit", "Milliseconds", "ConfigurationSpace",
				  configuration_space(space, given, err), "KernelSpecification", "Language", "CUDA",
				  "KernelName", "solve", "KernelFile", slash != NULL ? slash + 1 : space->file,
				  "CompilerOptions", options, "GlobalSizeType", "CUDA", "GlobalSize",
				  global_size(space, given, test, err), "LocalSize", local_size(space, given, err),
				  "Device", "Name", gpu->name);
	if (json == NULL && err->message[0] == '\0')
		error_set(err,
				  "the space of %s cannot be written: its file has no UTF-8 name, or memory "
				  "is short",
				  space->file);
	if (err->message[0] == '\0')
		return json;
	json_decref(json);
	return NULL;
}

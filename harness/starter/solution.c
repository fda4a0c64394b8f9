#include "starter/starter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "starter/starter_inside.h"

/* What the generator writes about: a problem, and its operands by their parts. */
struct starter {
	const struct problem *problem;
	const struct operand *left, *right, *scales, *result; /* scales: NULL where there are none */
	bool batched;
	FILE *out;
};

static struct starter starter_of(const struct problem *problem, FILE *out)
{
	return (struct starter){.problem = problem,
							.left = problem_part(problem, PART_LEFT),
							.right = problem_part(problem, PART_RIGHT),
							.scales = problem_part(problem, PART_RIGHT_SCALES),
							.result = problem_part(problem, PART_RESULT),
							.batched = problem_size_of(problem, SIZE_BATCH) != NULL,
							.out = out};
}

/* ---- names ------------------------------------------------------------------- */

/* As solve() calls it. */
static const char *size_name(const struct problem *problem, enum size size)
{
	const struct problem_size *row = problem_size_of(problem, size);
	return row != NULL ? row->name : "1";
}

/* NULL: the problem has it not. */
static const char *scalar_name(const struct problem *problem, enum scalar scalar)
{
	for (const struct problem_scalar *row = problem->scalars; row->name != NULL; row++)
		if (row->is == scalar)
			return row->name;
	return NULL;
}

static const char *element_of(const struct operand *operand)
{
	return type_of(operand->type)->element;
}

static bool is_integer(const struct operand *operand)
{
	return type_of(operand->type)->format.is_integer != 0;
}

static bool is_packed(const struct operand *operand)
{
	return type_of(operand->type)->format.bits < 8;
}

/* ---- the head ---------------------------------------------------------------- */

/* A comment in lines of about 80 columns. */
static void write_comment(FILE *out, const char *text)
{
	int column = 0;
	for (const char *word = text; *word != '\0';) {
		int length = (int)strcspn(word, " ");
		if (column > 0 && column + 1 + length > 80) {
			fputc('\n', out);
			column = 0;
		}
		column += column == 0 ? fprintf(out, "// %.*s", length, word)
							  : fprintf(out, " %.*s", length, word);
		word += length;
		word += strspn(word, " ");
	}
	fputc('\n', out);
}

/* "A, B and C" */
static void list_operands(const struct problem *problem, char *out, size_t capacity)
{
	const char *names[OPERANDS_MAX];
	size_t count = problem_operands(problem);
	for (size_t i = 0; i < count; i++)
		names[i] = problem->operands[i].name;
	text_names(out, capacity, names, count, " and ");
}

/* Puts a name into its place among those that are there, once. */
static size_t add_sorted(const char **names, size_t count, const char *name)
{
	size_t at = 0;
	while (at < count && strcmp(names[at], name) < 0)
		at++;
	if (at < count && strcmp(names[at], name) == 0)
		return count;
	memmove(&names[at + 1], &names[at], (count - at) * sizeof *names);
	names[at] = name;
	return count + 1;
}

/* The header of each type and the runtime's, in the formatter's order. */
static void write_includes(const struct problem *problem, FILE *out)
{
	const char *names[OPERANDS_MAX + 1] = {"cuda_runtime.h"};
	size_t count = 1;
	for (size_t i = 0; problem->operands[i].name != NULL; i++) {
		const char *include = type_of(problem->operands[i].type)->include;
		if (include[0] != '\0')
			count = add_sorted(names, count, include);
	}
	for (size_t i = 0; i < count; i++)
		fprintf(out, "#include <%s>\n", names[i]);
	fputc('\n', out);
}

static void write_head(const struct problem *problem, const char *judge, FILE *out)
{
	char line[256], names[128], intro[512], explanation[EXPLANATION_TEXT];
	snprintf(line, sizeof line, "A solution of %s: %s.", problem->name, problem->summary);
	list_operands(problem, names, sizeof names);
	snprintf(intro, sizeof intro,
			 "New to CUDA? A kernel (__global__) is a function that many threads run at once. The "
			 "threads come in blocks, the blocks form a grid; blockIdx and threadIdx tell a thread "
			 "which one it is. solve() runs on the host and launches the kernel; %s are "
			 "already in the GPU's memory.",
			 names);
	problem_explain(problem, explanation);
	write_comment(out, line);
	fputs("//\n", out);
	write_comment(out, explanation);
	fprintf(out,
			"//\n"
			"// %s\n"
			"//\n"
			"//     %s\n"
			"//\n",
			problem->file == NULL
				? "This starter is correct and slow. Judge it, then make it faster:"
				: "This starter lacks one line, what an element is. Write it, and judge it:",
			judge);
	write_comment(out, intro);
	write_includes(problem, out);
}

static void write_prototype(const struct starter *starter)
{
	char prototype[PROTOTYPE_TEXT];
	problem_prototype(starter->problem, prototype);
	starter_code(starter->out, prototype);
	fputs("{\n", starter->out);
}

/* ---- the sum, or what takes its place ------------------------------------------- */

/* Where an operand's element lies, "row * inner + k"; of packed ones its number. */
static const char *index_of(const struct operand *operand, bool is_vector)
{
	if (operand->part == PART_RIGHT_SCALES)
		return "(size_t)column * (inner / group_size) + k / group_size";
	if (operand->part == PART_LEFT)
		return "(size_t)row * inner + k";
	if (is_vector)
		return "k";
	return operand->transposed ? "(size_t)column * inner + k" : "(size_t)k * columns + column";
}

#define TERM_TEXT 160
/* An element as a number to calculate with: a float, or an int less its zero point. */
static void term_of(const struct starter *starter, const struct operand *operand, bool is_vector,
					char out[TERM_TEXT])
{
	const struct type *type = type_of(operand->type);
	const char *zero = scalar_name(
		starter->problem, operand->part == PART_LEFT ? SCALAR_ZERO_LEFT : SCALAR_ZERO_RIGHT);
	const char *index = index_of(operand, is_vector);
	if (is_packed(operand))
		snprintf(out, TERM_TEXT, "weight");
	else if (is_integer(operand) && zero != NULL)
		snprintf(out, TERM_TEXT, "(%s[%s] - %s)", operand->name, index, zero);
	else if (type->widen[0] == '\0' || type->widen[0] == '(')
		snprintf(out, TERM_TEXT, "%s%s[%s]", type->widen, operand->name, index);
	else
		snprintf(out, TERM_TEXT, "%s(%s[%s])", type->widen, operand->name, index);
}

/* Weights of four bits, two a byte, as `weight`. */
static void write_unpacking(const struct starter *starter)
{
	char scale[TERM_TEXT];
	term_of(starter, starter->scales, false, scale);
	fprintf(starter->out,
			"        // a byte holds two weights: that of an even k in its high half\n"
			"        uint8_t pair = %s[(%s) / 2];\n"
			"        int code = k %% 2 == 0 ? pair >> 4 : pair & 15;\n"
			"        float scale = %s;\n"
			"        float weight = (code - %d) * scale;\n",
			starter->right->name, index_of(starter->right, false), scale,
			(int)type_of(starter->right->type)->format.zero);
}

/* Adds a product: on one line, else behind `+=`, else behind `*`, as the formatter does. */
static void write_product(FILE *out, const char *left, const char *right)
{
	size_t length = strlen(left) + strlen(" * ;") + strlen(right);
	bool whole = strlen("        sum += ") + length <= CODE_COLUMNS;
	bool below = !whole && strlen("            ") + length <= CODE_COLUMNS;
	fprintf(out, "        sum +=%s%s *%s%s;\n", below ? "\n            " : " ", left,
			whole || below ? " " : "\n               ", right);
}

/* Declares `sum` (`least`) and walks over k. */
static void write_fold(const struct starter *starter, bool is_vector, const char *inner)
{
	FILE *out = starter->out;
	char left[TERM_TEXT], right[TERM_TEXT];
	bool packed = is_packed(starter->right);
	bool integer = is_integer(starter->left);
	term_of(starter, starter->left, is_vector, left);
	term_of(starter, starter->right, is_vector, right);
	if (starter->problem->algebra == ALGEBRA_MIN_PLUS)
		fputs("    // The least of the sums is kept in float.\n"
			  "    float least = INFINITY;\n",
			  out);
	else if (integer)
		fputs("    // The sum is kept in int, which makes it exact.\n"
			  "    int sum = 0;\n",
			  out);
	else
		fprintf(out,
				"    // The sum is kept in float%s.\n"
				"    float sum = 0.0f;\n",
				starter->left->type == DTYPE_F32 ? "" : ": the element type is too coarse for it");
	fprintf(out, "    for (int k = 0; k < %s; k++)%s\n", inner, packed ? " {" : "");
	if (packed)
		write_unpacking(starter);
	if (starter->problem->algebra == ALGEBRA_MIN_PLUS)
		fprintf(out, "        least = fminf(least, %s + %s);\n", left, right);
	else
		write_product(out, left, right);
	fputs(packed ? "    }\n" : "", out);
}

/* ---- what is stored ------------------------------------------------------------- */

/* alpha, beta and scales of floating-point operands; the name of what came out. */
static const char *write_scaling(const struct starter *starter)
{
	const struct problem *problem = starter->problem;
	const struct type *type = type_of(starter->result->type);
	bool call = type->widen[0] != '\0';
	if (problem->algebra == ALGEBRA_MIN_PLUS)
		return "least";
	if (problem_takes(problem, SCALAR_ALPHA)) {
		fprintf(starter->out,
				"    float result = alpha * sum;\n"
				"    if (beta != 0.0f) // when beta is 0, %s holds anything: do not read it\n"
				"        result += beta * %s%s%s[place]%s;\n",
				starter->result->name, type->widen, call ? "(" : "", starter->result->name,
				call ? ")" : "");
		return "result";
	}
	if (problem_takes(problem, SCALAR_SCALE_LEFT)) {
		fprintf(starter->out, "    float result = %s * %s * sum;\n",
				scalar_name(problem, SCALAR_SCALE_LEFT), scalar_name(problem, SCALAR_SCALE_RIGHT));
		return "result";
	}
	return "sum";
}

/* A sum of integers becomes an integer of few bits again. */
static const char *write_quantising(const struct starter *starter)
{
	const struct problem *problem = starter->problem;
	const struct number_format *format = &type_of(starter->result->type)->format;
	fprintf(starter->out,
			"    // To the nearest integer, halves to the even one; then into the type's range.\n"
			"    float result = rintf((float)sum * %s * %s / %s) + %s;\n"
			"    result = fminf(fmaxf(result, %d.0f), %d.0f);\n",
			scalar_name(problem, SCALAR_SCALE_LEFT), scalar_name(problem, SCALAR_SCALE_RIGHT),
			scalar_name(problem, SCALAR_SCALE_RESULT), scalar_name(problem, SCALAR_ZERO_RESULT),
			(int)format->lowest, (int)format->highest);
	return "result";
}

static void write_store(const struct starter *starter, const char *place)
{
	const struct type *type = type_of(starter->result->type);
	const char *name =
		is_integer(starter->result) ? write_quantising(starter) : write_scaling(starter);
	bool call = type->narrow[0] != '\0' && type->narrow[0] != '(';
	fprintf(starter->out, "    %s[%s] = %s%s%s%s;\n}\n\n", starter->result->name, place,
			type->narrow, call ? "(" : "", name, call ? ")" : "");
}

/* ---- a product of matrices -------------------------------------------------------- */

/* The kernel's parameters: operands, sizes by what they mean here, scalars. */
static void write_signature(const struct starter *starter)
{
	const struct problem *problem = starter->problem;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return;
	fputs("__global__ void multiply(", out);
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		fprintf(out, "%s%s *%s, ", problem->operands[i].role == ROLE_INPUT ? "const " : "",
				element_of(&problem->operands[i]), problem->operands[i].name);
	fputs("int rows, int columns, int inner", out);
	if (problem_size_of(problem, SIZE_GROUP) != NULL)
		fputs(", int group_size", out);
	for (size_t i = 0; problem->scalars[i].name != NULL; i++)
		fprintf(out, ", %s %s", problem->scalars[i].is_integer ? "int" : "float",
				problem->scalars[i].name);
	fputs(")", out);
	fclose(out);
	starter_code(starter->out, text);
	fputs("{\n", starter->out);
	free(text);
}

/* The operands of this block's product, among those that lie one after the other. */
static void write_batch(const struct starter *starter)
{
	fprintf(
		starter->out,
		"    // The grid's third dimension counts the matrices, which lie one after the other.\n"
		"    %s += (size_t)blockIdx.z * rows * inner;\n"
		"    %s += (size_t)blockIdx.z * inner * columns;\n"
		"    %s += (size_t)blockIdx.z * rows * columns;\n"
		"\n",
		starter->left->name, starter->right->name, starter->result->name);
}

static void write_matrix_kernel(const struct starter *starter)
{
	const char *result = starter->result->name;
	fprintf(starter->out,
			"// A block of 32 x 8 threads computes 32 columns and 8 rows of %s.\n"
			"constexpr int BLOCK_COLUMNS = 32;\n"
			"constexpr int BLOCK_ROWS = 8;\n"
			"\n"
			"// Each thread computes one element of %s: a row of %s times a %s of %s.\n",
			result, result, starter->left->name, starter->right->transposed ? "row" : "column",
			starter->right->name);
	write_signature(starter);
	fprintf(starter->out,
			"    int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;\n"
			"    int column = blockIdx.x * BLOCK_COLUMNS + threadIdx.x;\n"
			"    if (row >= rows || column >= columns)\n"
			"        return; // the last blocks stick out of %s\n"
			"\n",
			result);
	if (starter->batched)
		write_batch(starter);
	write_fold(starter, false, "inner");
	fputs("\n    size_t place = (size_t)row * columns + column; // row-major\n", starter->out);
	write_store(starter, "place");
}

static void write_launch(const struct starter *starter)
{
	const struct problem *problem = starter->problem;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return;
	fputs("    multiply<<<grid, block>>>(", out);
	for (size_t i = 0; problem->operands[i].name != NULL; i++)
		fprintf(out, "%s, ", problem->operands[i].name);
	fprintf(out, "%s, %s, %s", size_name(problem, SIZE_M), size_name(problem, SIZE_N),
			size_name(problem, SIZE_K));
	if (problem_size_of(problem, SIZE_GROUP) != NULL)
		fprintf(out, ", %s", size_name(problem, SIZE_GROUP));
	for (size_t i = 0; problem->scalars[i].name != NULL; i++)
		fprintf(out, ", %s", problem->scalars[i].name);
	fputs(");", out);
	fclose(out);
	starter_code(starter->out, text);
	free(text);
}

static void write_matrix_solve(const struct starter *starter)
{
	const struct problem *problem = starter->problem;
	char grid[256];
	write_prototype(starter);
	fprintf(starter->out,
			"    // enough blocks to cover %s, rounded up\n"
			"    dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);\n",
			starter->result->name);
	snprintf(grid, sizeof grid,
			 "    dim3 grid((%s + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, "
			 "(%s + BLOCK_ROWS - 1) / BLOCK_ROWS%s%s);",
			 size_name(problem, SIZE_N), size_name(problem, SIZE_M), starter->batched ? ", " : "",
			 starter->batched ? size_name(problem, SIZE_BATCH) : "");
	starter_code(starter->out, grid);
	write_launch(starter);
	fputs("}\n", starter->out);
}

/* ---- a matrix times a vector: one dimension less ---------------------------------- */

static void write_vector(const struct starter *starter)
{
	const struct problem *problem = starter->problem;
	FILE *out = starter->out;
	const char *a = starter->left->name, *x = starter->right->name, *y = starter->result->name;
	const char *rows = size_name(problem, SIZE_M);
	fprintf(out,
			"constexpr int BLOCK_ROWS = 128; // threads of a block\n"
			"\n"
			"// Each thread computes one element of %s: a row of %s times %s.\n"
			"__global__ void multiply(const %s *%s, const %s *%s, %s *%s, int rows, int inner)\n"
			"{\n"
			"    int row = blockIdx.x * BLOCK_ROWS + threadIdx.x;\n"
			"    if (row >= rows)\n"
			"        return; // the last block sticks out of %s\n"
			"\n",
			y, a, x, element_of(starter->left), a, element_of(starter->right), x,
			element_of(starter->result), y, y);
	write_fold(starter, true, "inner");
	write_store(starter, "row");
	write_prototype(starter);
	fprintf(out,
			"    int blocks = (%s + BLOCK_ROWS - 1) / BLOCK_ROWS; // enough for %s, rounded up\n"
			"    multiply<<<blocks, BLOCK_ROWS>>>(%s, %s, %s, %s, %s);\n"
			"}\n",
			rows, y, a, x, y, rows, size_name(problem, SIZE_K));
}

/* ---- shortest paths ---------------------------------------------------------------- */

static void write_paths(const struct starter *starter)
{
	FILE *out = starter->out;
	const char *edges = starter->left->name, *paths = starter->result->name;
	const char *element = element_of(starter->result), *nodes = size_name(starter->problem, SIZE_N);
	fprintf(
		out,
		"// A block of 32 x 8 threads looks at 32 columns and 8 rows of %s.\n"
		"constexpr int BLOCK_COLUMNS = 32;\n"
		"constexpr int BLOCK_ROWS = 8;\n"
		"\n"
		"// One step of Floyd and Warshall: from here on paths may pass through one node more.\n"
		"// Each thread looks at one pair of nodes. No thread changes a row or a column that\n"
		"// others read: a way from or to `through` gets no shorter through it.\n"
		"__global__ void allow(%s *%s, int nodes, int through)\n"
		"{\n"
		"    int from = blockIdx.y * BLOCK_ROWS + threadIdx.y;\n"
		"    int to = blockIdx.x * BLOCK_COLUMNS + threadIdx.x;\n"
		"    if (from >= nodes || to >= nodes)\n"
		"        return; // the last blocks stick out of %s\n"
		"\n",
		paths, element, paths, paths);
	fprintf(out,
			"    size_t place = (size_t)from * nodes + to; // row-major\n"
			"    %s length = %s[(size_t)from * nodes + through] + "
			"%s[(size_t)through * nodes + to];\n"
			"    if (length < %s[place])\n"
			"        %s[place] = length;\n"
			"}\n\n",
			element, paths, paths, paths, paths);
	write_prototype(starter);
	fprintf(out,
			"    cudaMemcpyAsync(%s, %s, (size_t)%s * %s * sizeof(%s), cudaMemcpyDeviceToDevice);\n"
			"\n"
			"    // enough blocks to cover %s, rounded up; each launch waits for the one before\n"
			"    dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);\n"
			"    dim3 grid((%s + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, "
			"(%s + BLOCK_ROWS - 1) / BLOCK_ROWS);\n"
			"    for (int through = 0; through < %s; through++)\n"
			"        allow<<<grid, block>>>(%s, %s, through);\n"
			"}\n",
			paths, edges, nodes, nodes, element, paths, nodes, nodes, nodes, paths, nodes);
}

static void write_all(const struct problem *problem, const char *judge, FILE *out)
{
	if (problem->file != NULL) {
		write_head(problem, judge, out);
		starter_elements(problem, out);
		return;
	}
	struct starter starter = starter_of(problem, out);
	write_head(problem, judge, out);
	if (problem->algebra == ALGEBRA_SHORTEST_PATHS) {
		write_paths(&starter);
	} else if (problem_size_of(problem, SIZE_N) == NULL) {
		write_vector(&starter);
	} else {
		write_matrix_kernel(&starter);
		write_matrix_solve(&starter);
	}
}

/* With a tab for each four blanks that a line begins with, as .clang-format has it. */
static void copy_with_tabs(const char *text, FILE *out)
{
	bool begins = true;
	while (*text != '\0') {
		bool tab = begins && strncmp(text, "    ", 4) == 0;
		begins = tab || *text == '\n';
		fputc(tab ? '\t' : *text, out);
		text += tab ? 4 : 1;
	}
}

void starter_solution(FILE *out, const struct problem *problem, const char *judge)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	if (memory == NULL)
		return;
	write_all(problem, judge, memory);
	fclose(memory);
	copy_with_tabs(text, out);
	free(text);
}

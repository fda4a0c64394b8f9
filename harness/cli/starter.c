#include "cli/starter.h"

#include <string.h>

/* What the starter needs of an element type: how to widen it to float and back. */
static const struct {
	const char *widen, *widen_end, *narrow, *narrow_end;
} conversions[] = {
	[DTYPE_F16] = {"__half2float(", ")", "__float2half(", ")"},
	[DTYPE_BF16] = {"__bfloat162float(", ")", "__float2bfloat16(", ")"},
	[DTYPE_F32] = {"", "", "", ""},
};

/* How an element of C comes from the terms of its sum, or of what takes its place. */
static const struct {
	const char *name, *what, *start, *step[3]; /* name = ... A ... B ...; */
} folds[] = {
	[ALGEBRA_PLUS_TIMES] = {"sum", "The sum is kept in float", "0.0f", {"sum += ", " * ", ""}},
	[ALGEBRA_MIN_PLUS] = {"least",
						  "The least of the sums is kept in float",
						  "INFINITY",
						  {"least = fminf(least, ", " + ", ")"}},
};

/* solve() calls its sizes M, N, K in this order whatever they mean; which of
 * them is C's height 'M', C's width 'N', the summed size 'K'? */
static char size_argument(const struct problem *problem, char canonical)
{
	const char *place = strchr(problem->size_order, canonical);
	return place != NULL ? "MNK"[place - problem->size_order] : '1';
}

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

static void write_head(const struct problem *problem, const char *judge, FILE *out)
{
	char line[256];
	snprintf(line, sizeof line, "A solution of %s: %s.", problem->name, problem->summary);
	write_comment(out, line);
	char intro[512];
	const char *operands = problem->operands;
	snprintf(intro, sizeof intro,
			 "New to CUDA? A kernel (__global__) is a function that many threads run at once. The "
			 "threads come in blocks, the blocks form a grid; blockIdx and threadIdx tell a thread "
			 "which one it is. solve() runs on the host and launches the kernel; %c, %c and %c are "
			 "already in the GPU's memory.",
			 operands[0], operands[1], operands[2]);
	fputs("//\n", out);
	write_comment(out, problem->arguments);
	fprintf(out,
			"//\n"
			"// This starter is correct and slow. Judge it, then make it faster:\n"
			"//\n"
			"//     %s\n"
			"//\n",
			judge);
	write_comment(out, intro);
	if (problem->include[0] != '\0')
		fprintf(out, "#include <%s>\n", problem->include);
	fputs("#include <cuda_runtime.h>\n\n", out);
}

/* A and B multiplied to C. */
static void write_matrix_kernel(const struct problem *problem, FILE *out)
{
	const char *element = problem->element;
	bool scalars = problem_has_scalars(problem);
	const char *widen = conversions[problem->dtype].widen;
	const char *widen_end = conversions[problem->dtype].widen_end;
	const char *name = folds[problem->algebra].name;
	const char *const *step = folds[problem->algebra].step;

	fprintf(out,
			"// A block of 32 x 8 threads computes 32 columns and 8 rows of C.\n"
			"constexpr int BLOCK_COLUMNS = 32;\n"
			"constexpr int BLOCK_ROWS = 8;\n"
			"\n"
			"// Each thread computes one element of C: a row of A times a column of B.\n"
			"__global__ void multiply(const %s *A, const %s *B, %s *C, int rows, int columns,\n"
			"                         int inner%s)\n"
			"{\n"
			"    int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;\n"
			"    int column = blockIdx.x * BLOCK_COLUMNS + threadIdx.x;\n"
			"    if (row >= rows || column >= columns)\n"
			"        return; // the last blocks stick out of C\n"
			"\n",
			element, element, element, scalars ? ", float alpha, float beta" : "");
	fprintf(out,
			"    // %s%s.\n"
			"    float %s = %s;\n"
			"    for (int k = 0; k < inner; k++)\n"
			"        %s%sA[(size_t)row * inner + k]%s%s%sB[(size_t)k * columns + column]%s%s;\n"
			"\n"
			"    size_t place = (size_t)row * columns + column; // row-major\n",
			folds[problem->algebra].what,
			problem->dtype == DTYPE_F32 ? "" : ": the element type is too coarse for it", name,
			folds[problem->algebra].start, step[0], widen, widen_end, step[1], widen, widen_end,
			step[2]);
	if (scalars)
		fprintf(
			out,
			"    float result = alpha * sum;\n"
			"    if (beta != 0.0f) // when beta is 0, C holds anything, NaN too: do not read it\n"
			"        result += beta * %sC[place]%s;\n",
			widen, widen_end);
	fprintf(out, "    C[place] = %s%s%s;\n}\n\n", conversions[problem->dtype].narrow,
			scalars ? "result" : name, conversions[problem->dtype].narrow_end);
}

static void write_matrix_solve(const struct problem *problem, FILE *out)
{
	char rows = size_argument(problem, 'M'), columns = size_argument(problem, 'N');
	char inner = size_argument(problem, 'K');
	fprintf(out,
			"%s\n"
			"{\n"
			"    // enough blocks to cover C, rounded up\n"
			"    dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);\n"
			"    dim3 grid((%c + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS,\n"
			"              (%c + BLOCK_ROWS - 1) / BLOCK_ROWS);\n"
			"    multiply<<<grid, block>>>(A, B, C, %c, %c, %c%s);\n"
			"}\n",
			problem->solve, columns, rows, rows, columns, inner,
			problem_has_scalars(problem) ? ", alpha, beta" : "");
}

/* A matrix and a vector: one dimension less. */
static void write_vector(const struct problem *problem, FILE *out)
{
	char a = problem->operands[0], x = problem->operands[1], y = problem->operands[2];
	char rows = size_argument(problem, 'M'), columns = size_argument(problem, 'K');
	const char *element = problem->element;
	const char *widen = conversions[problem->dtype].widen;
	const char *widen_end = conversions[problem->dtype].widen_end;
	const char *name = folds[problem->algebra].name;
	const char *const *step = folds[problem->algebra].step;

	fprintf(out,
			"constexpr int BLOCK_ROWS = 128; // threads of a block\n"
			"\n"
			"// Each thread computes one element of %c: a row of %c times %c.\n"
			"__global__ void multiply(const %s *%c, const %s *%c, %s *%c, int rows, int columns)\n"
			"{\n"
			"    int row = blockIdx.x * BLOCK_ROWS + threadIdx.x;\n"
			"    if (row >= rows)\n"
			"        return; // the last block sticks out of %c\n"
			"\n",
			y, a, x, element, a, element, x, element, y, y);
	fprintf(out,
			"    // %s%s.\n"
			"    float %s = %s;\n"
			"    for (int k = 0; k < columns; k++)\n"
			"        %s%s%c[(size_t)row * columns + k]%s%s%s%c[k]%s%s;\n"
			"    %c[row] = %s%s%s;\n"
			"}\n"
			"\n",
			folds[problem->algebra].what,
			problem->dtype == DTYPE_F32 ? "" : ": the element type is too coarse for it", name,
			folds[problem->algebra].start, step[0], widen, a, widen_end, step[1], widen, x,
			widen_end, step[2], y, conversions[problem->dtype].narrow, name,
			conversions[problem->dtype].narrow_end);
	fprintf(out,
			"%s\n"
			"{\n"
			"    int blocks = (%c + BLOCK_ROWS - 1) / BLOCK_ROWS; // enough for %c, rounded up\n"
			"    multiply<<<blocks, BLOCK_ROWS>>>(%c, %c, %c, %c, %c);\n"
			"}\n",
			problem->solve, rows, y, a, x, y, rows, columns);
}

void starter_write(const struct problem *problem, const char *judge, FILE *out)
{
	write_head(problem, judge, out);
	if (problem_has_vectors(problem)) {
		write_vector(problem, out);
		return;
	}
	write_matrix_kernel(problem, out);
	write_matrix_solve(problem, out);
}

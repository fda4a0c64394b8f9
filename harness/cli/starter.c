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

/* solve() calls its sizes M, N, K in this order whatever they mean; which of
 * them is C's height 'M', C's width 'N', the summed size 'K'? */
static char size_argument(const struct problem *problem, char canonical)
{
	const char *place = strchr(problem->size_order, canonical);
	return place != NULL ? "MNK"[place - problem->size_order] : canonical;
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
	fputs("//\n", out);
	write_comment(out, problem->arguments);
	fprintf(out,
			"//\n"
			"// This starter is correct and slow. Judge it, then make it faster:\n"
			"//\n"
			"//     %s\n"
			"//\n",
			judge);
	write_comment(out, "New to CUDA? A kernel (__global__) is a function that many threads run at "
					   "once. The threads come in blocks, the blocks form a grid; blockIdx and "
					   "threadIdx tell a thread which one it is. solve() runs on the host and "
					   "launches the kernel; A, B and C are already in the GPU's memory.");
	if (problem->include[0] != '\0')
		fprintf(out, "#include <%s>\n", problem->include);
	fputs("#include <cuda_runtime.h>\n\n", out);
}

static void write_kernel(const struct problem *problem, FILE *out)
{
	const char *element = problem->element;
	bool scalars = problem_has_scalars(problem);
	const char *widen = conversions[problem->dtype].widen;
	const char *widen_end = conversions[problem->dtype].widen_end;

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
			"    // The sum is kept in float%s.\n"
			"    float sum = 0.0f;\n"
			"    for (int k = 0; k < inner; k++)\n"
			"        sum += %sA[(size_t)row * inner + k]%s * %sB[(size_t)k * columns + column]%s;\n"
			"\n"
			"    size_t place = (size_t)row * columns + column; // row-major\n",
			problem->dtype == DTYPE_F32 ? "" : ": the element type is too coarse for it", widen,
			widen_end, widen, widen_end);
	if (scalars)
		fprintf(
			out,
			"    float result = alpha * sum;\n"
			"    if (beta != 0.0f) // when beta is 0, C holds anything, NaN too: do not read it\n"
			"        result += beta * %sC[place]%s;\n",
			widen, widen_end);
	fprintf(out, "    C[place] = %s%s%s;\n}\n\n", conversions[problem->dtype].narrow,
			scalars ? "result" : "sum", conversions[problem->dtype].narrow_end);
}

void starter_write(const struct problem *problem, const char *judge, FILE *out)
{
	char rows = size_argument(problem, 'M'), columns = size_argument(problem, 'N');
	char inner = size_argument(problem, 'K');
	write_head(problem, judge, out);
	write_kernel(problem, out);
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

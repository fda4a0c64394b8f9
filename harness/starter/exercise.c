#include "starter/exercise.h"

#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "base/strbuf.h"
#include "starter/flatten.h"

const struct exercise exercises[] = {
	{.name = "barrier",
	 .problem = "sgemm",
	 .file = "solutions/sgemm/03_blocked.cu",
	 .idea = "tiles in shared memory are read before they are written anew",
	 .task = "A block's threads load a tile together, multiply, and load the next one over it.\n"
			 "Nothing keeps a fast warp from doing so while a slow one still reads. On many\n"
			 "runs that goes well: ask for races with --check race. Which call ends that, and\n"
			 "why does the loop need it twice?",
	 .gone = "\t\t\tsum += tile_a[ty][k] * tile_b[k][tx];\n\t\t__syncthreads();\n",
	 .options = " --cases 4 --max-dim 160"},
	{.name = "shuffle",
	 .problem = "gemv-f32",
	 .file = "solutions/gemv/03_warp_a_row.cu",
	 .idea = "32 lanes make one sum out of theirs without shared memory",
	 .task = "Each lane of a warp has the sum of a 32nd of a row. The loop halves the distance\n"
			 "between lanes that give each other what they have. What has to be added in each\n"
			 "of its five steps, so that all lanes, and with them lane 0, have all of it?",
	 .gone = "\t\tsum += __shfl_xor_sync(0xffffffffu, sum, distance);\n",
	 .options = " --cases 4 --max-dim 160"},
	{.name = "copies",
	 .problem = "sgemm",
	 .file = "solutions/sgemm/07_async_double_buffer.cu",
	 .idea = "an asynchronous copy is waited for, and then everybody's is",
	 .task = "Copies into the next buffer run while this one is multiplied. A barrier for\n"
			 "threads does not know of them. What must every thread do at the end of the loop,\n"
			 "and why in this order?",
	 .gone = "\t\t * present tiles any more, so that the next copies may overwrite them. */\n"
			 "\t\t__pipeline_wait_prior(0);\n",
	 .options = " --cases 4 --max-dim 160"},
	{.name = "fragment",
	 .problem = "gemm-bf16",
	 .file = "solutions/gemm_bf16/07_mma.cu",
	 .idea = "which elements of C a lane holds after mma.m16n8k16",
	 .task = "mma leaves four sums of a 16x8 product in each of 32 lanes: two neighbours in a\n"
			 "row, and two eight rows below. Their column is here; which row is it? The PTX ISA\n"
			 "shows it under mma.m16n8k16, and so does solutions/pictures/mma.svg.",
	 .gone = "\trow += threadIdx.x % 32 / 4;\n",
	 .options = " --cases 4 --max-dim 160"},
	{.name = "phase",
	 .problem = "gemm-f16",
	 .file = "solutions/gemm_f16/17_warp_specialised.cu",
	 .idea = "the phase of an mbarrier tells one round from the next",
	 .task = "Producer and consumers go round a ring of stages. An mbarrier has one bit that\n"
			 "says which round it is in, and whoever waits names the round it waits for. What\n"
			 "happens to that bit where the ring begins anew?",
	 .gone = "\t\t\tphase ^= 1;\n",
	 .options = " --shape 128x256x640"},
};

const size_t exercise_count = sizeof exercises / sizeof *exercises;
const char *const exercise_names[] = {"barrier", "shuffle", "copies", "fragment", "phase", NULL};

const struct exercise *exercise_find(const char *name)
{
	for (size_t i = 0; i < exercise_count; i++)
		if (strcmp(exercises[i].name, name) == 0)
			return &exercises[i];
	return NULL;
}

/* Where the line that goes begins: behind those that only say which one it is. NULL: the text has
 * it not once. */
static char *find_gone(char *text, const struct exercise *exercise, size_t *length)
{
	char *at = strstr(text, exercise->gone);
	if (at == NULL || strstr(at + 1, exercise->gone) != NULL)
		return NULL;
	char *end = at + strlen(exercise->gone), *line = end - 1;
	while (line > at && line[-1] != '\n')
		line--;
	*length = (size_t)(end - line);
	return line;
}

/* What the first comment says of the line, whose number follows once the text is there. */
#define LOOK_FOR "Look for YOUR LINE"

static int line_number(const char *text, const char *at)
{
	int number = 1;
	for (; text < at; text++)
		number += *text == '\n';
	return number;
}

/* The text with a comment in the place of the line. */
static bool write_without(FILE *out, char *text, const struct exercise *exercise, struct error *err)
{
	size_t length = 0;
	char *line = find_gone(text, exercise, &length);
	if (line == NULL)
		return error_set(err, "%s: has not the line of the exercise '%s'", exercise->file,
						 exercise->name);
	/* The text begins with exercise_write()'s comment. */
	const char *told = strstr(text, LOOK_FOR) + strlen(LOOK_FOR);
	fwrite(text, 1, (size_t)(told - text), out);
	fprintf(out, ", line %d of this file", line_number(text, line));
	fwrite(told, 1, (size_t)(line - told), out);
	fprintf(out, "%.*s// YOUR LINE\n%s", (int)strspn(line, "\t"), line, line + length);
	return true;
}

bool exercise_write(FILE *out, const struct exercise *exercise, const char *judge,
					struct error *err)
{
	char tree[PATHS_MAX], file[PATHS_MAX], *text = NULL;
	struct strbuf first = {0};
	size_t size = 0;
	if (!paths_source(tree, err) || !paths_join(file, tree, exercise->file, err))
		return false;
	strbuf_addf(&first, "Exercise: %s.\n *\n * ", exercise->idea);
	for (const char *p = exercise->task; *p != '\0'; p++)
		strbuf_addf(&first, *p == '\n' ? "\n * " : "%c", *p);
	strbuf_addf(&first,
				"\n *\n * " LOOK_FOR ". Then:\n *\n *     %s\n *\n * From %s (Apache "
				"License, Version 2.0), whose first comment follows.",
				judge, exercise->file);
	const struct flatten what = {.file = file, .first = strbuf_text(&first)};
	FILE *memory = open_memstream(&text, &size);
	bool ok = memory != NULL ? flatten_write(memory, &what, err) : error_set(err, "out of memory");
	ok = (memory == NULL || fclose(memory) == 0 || error_set(err, "out of memory")) && ok;
	strbuf_release(&first);
	ok = ok && write_without(out, text, exercise, err);
	free(text);
	return ok;
}

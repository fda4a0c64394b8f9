#include "cli/new_stage.h"

#include <stdio.h>
#include <string.h>

#include "chain/chain.h"
#include "cli/cli.h"
#include "cli/new_file.h"

static void write_stage(FILE *out, const void *what)
{
	const char *name = what;
	fprintf(out,
			"/* slope * x: say here what the stage does, in one sentence. What it takes is\n"
			" * declared below, a line each, in the order of its members:\n"
			" *\n"
			" * argument slope = 1\n"
			" *\n"
			" * An argument is a number with its default, given as %s:0.5. A stage may also\n"
			" * declare pointers: \"input bias N\" (one value a column of C), \"input bias M\"\n"
			" * (one a row), \"input other M N\" and \"output kept M N\" (matrices like C).\n"
			" * epilogue.cuh is the whole contract, bias.cuh and save.cuh are examples. */\n",
			name);
	fprintf(out,
			"#ifndef STAGE_%s\n"
			"#define STAGE_%s\n"
			"\n"
			"// Element is the type of C: half, __nv_bfloat16 or float. Values are float.\n"
			"template <class Element> struct stage_%s {\n"
			"\tfloat slope;\n"
			"\n"
			"\t__device__ __forceinline__ float operator()(float x) const\n"
			"\t{\n"
			"\t\treturn slope * x;\n"
			"\t}\n"
			"};\n"
			"\n"
			"#endif\n",
			name, name, name);
}

/* NAME.cuh, in the reader's own folder unless NAME says another. */
static bool target_find(const char *name, char path[PATHS_MAX], struct error *err)
{
	if (name[strlen(name) - 1] == '/')
		return error_set(err, "'%s' is no name for a file", name);
	if (snprintf(path, PATHS_MAX, "%s", name) >= PATHS_MAX)
		return error_set(err, "path too long: %.80s...", name);
	return new_file_ending(path, ".cuh", err);
}

int new_stage(const char *program, const struct options *options)
{
	struct error err = {{0}};
	char path[PATHS_MAX], name[CHAIN_NAME_MAX];
	if (options->argument_count > 0) {
		error_set(&err, "--stage has the name of the new file: new --stage NAME, and no more");
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	if (!target_find(options->stage, path, &err) || !chain_stage_name(path, name, &err) ||
		!new_file_save(path, write_stage, name, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	printf("wrote %s\njudge it: %s judge FILE.cu --epilogue %s%s:0.5\n", path, program,
		   strchr(path, '/') != NULL ? "" : "./", path);
	return EXIT_ACCEPTED;
}

#include "starter/starter.h"

void starter_stage(FILE *out, const char *name)
{
	fprintf(out,
			"/* slope * x: say here what the stage does, in one sentence. What it takes is\n"
			" * declared below, a line each, in the order of its members:\n"
			" *\n"
			" * argument slope = 1\n"
			" *\n"
			" * An argument is a number with its default, given as %s:0.5. A stage may also\n"
			" * declare pointers: \"input bias N\" (one value a column of C), \"input bias M\"\n"
			" * (one a row), \"input other M N\" and \"output kept M N\" (matrices like C).\n"
			" * epilogue_stage.cuh is the whole contract, bias.cuh and save.cuh are examples. */\n",
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

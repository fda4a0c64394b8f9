#include "cli/starter.h"

void starter_write(const struct problem *problem, const char *judge, FILE *out)
{
	char prototype[PROTOTYPE_TEXT];
	problem_prototype(problem, prototype);
	fprintf(out, "// %s\n%s\n{\n}\n", judge, prototype);
}

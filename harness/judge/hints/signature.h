/* solve() as a source file defines it, read from its text: what a compiler says of it is gone where
 * hints are made. Macros and templates are beyond it, so that it says too little at times. */
#ifndef GEMMJUDGE_JUDGE_HINTS_SIGNATURE_H
#define GEMMJUDGE_JUDGE_HINTS_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#define SIGNATURE_PARAMETERS 32
#define SIGNATURE_WORD 48

struct signature {
	size_t definitions; /* of which the preprocessor takes one */
	bool found;         /* a function of the name at namespace scope, defined or declared */
	bool has_body;
	bool extern_c;  /* by itself, or in a block */
	bool is_static; /* or in a namespace without a name */
	bool is_kernel; /* __global__ */
	bool is_template;
	size_t count;
	struct signature_parameter {
		/* without const, *, & and __restrict__: "half", "unsigned int" */
		char type[SIGNATURE_WORD];
		char name[SIGNATURE_WORD]; /* "" where it has none */
		bool pointer;
	} parameters[SIGNATURE_PARAMETERS]; /* the first of them */
};

/* The first definition of `function` in the text, else its first declaration. */
void signature_find(const char *text, const char *function, struct signature *out);

#endif

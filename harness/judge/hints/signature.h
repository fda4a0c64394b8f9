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
	/* Nothing but the text decides how many parameters it has: no macro that the text defines, no
	 * directive in the list, no #if around it, and each parameter is a type and a name. */
	bool is_certain;
	size_t count;
	size_t defaults; /* of them have a default argument */
	struct signature_parameter {
		/* without const, *, & and __restrict__: "half", "unsigned int" */
		char type[SIGNATURE_WORD];
		char name[SIGNATURE_WORD]; /* "" where it has none */
		bool pointer;
	} parameters[SIGNATURE_PARAMETERS]; /* the first of them */
};

/* The first definition of `function` in the text, else its first declaration. */
void signature_find(const char *text, const char *function, struct signature *out);

/* As signature_find() in a file's text, of its first MiB. False: it cannot be read. */
bool signature_read(const char *path, const char *function, struct signature *out);

/* The name of a host function with a body that may be meant by `function`, returning nothing: one
 * that is a letter or two away from it, else one that is extern "C" and takes what `asked` does.
 * False: there is none.
 */
bool signature_find_nearest(const char *text, const char *function, const struct signature *asked,
							char name[SIGNATURE_WORD]);
bool signature_read_nearest(const char *path, const char *function, const struct signature *asked,
							char name[SIGNATURE_WORD]);

/* Whether these words stand anywhere in it. */
bool signature_has(const char *path, const char *words);

/* Whether a line of it begins with these words, or is a directive with them in it. */
bool signature_has_line(const char *path, const char *words);

/* Whether a value for the one cannot be passed as the other: a pointer and a number, or numbers of
 * different kinds. Of types that are not known nobody can say. */
bool signature_differs(const struct signature_parameter *own,
					   const struct signature_parameter *asked);

/* Whether the file's function, beyond doubt, cannot be called with as many arguments as asked: no
 * default argument makes up for what it takes more. */
bool signature_counts_differ(const struct signature *own, const struct signature *asked);

/* Whether the functions take the same: no parameter differs, and there are as many. */
bool signature_fits(const struct signature *own, const struct signature *asked);

#endif

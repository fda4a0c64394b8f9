/* What a file needs of its compilation: read from its text, and from what nvcc said of it. */
#ifndef GEMMJUDGE_COMPILE_SOURCE_NEEDS_H
#define GEMMJUDGE_COMPILE_SOURCE_NEEDS_H

#include <stdbool.h>

/* LeetGPU's starters had this header until 2025: it declares solve(). */
#define SOURCE_NEEDS_HEADER "solve.h"

/* Whether the file, or a file that it includes and that lies beside it (content.h), names that
 * header. */
bool source_needs_solve_header(const char *file);

/* A part of a header that every CUDA file would parse four times and few files need: those that
 * have one of `words` in their text. What is defined for nvcc keeps it out. */
struct source_part {
	const char *defines[4]; /* NULL-ended, as are the words */
	const char *words[16];
};
#define SOURCE_PARTS 6
extern const struct source_part source_parts[SOURCE_PARTS];

/* The parts (1 << index) that the file, or one of these, names. One that is named in another way is
 * missing, and nvcc refuses the file: no part has an overload of what stays without it. */
unsigned source_needs_parts(const char *file);

/* Whether nvcc refused a file for the want of --extended-lambda. */
bool source_needs_lambdas(const char *log);

/* Whether a file that nvcc refused as C++17 is likely C++20: its text, or that of a file which it
 * includes, has a word or a header of C++20, or nvcc said so. Comments and strings do not count. */
bool source_needs_cxx20(const char *file, const char *log);

/* Whether a text has a word or a header of C++20. */
bool source_needs_cxx20_text(const char *text);

/* What a GPU of another architecture has and this one has not. */
struct source_needs_feature {
	char name[64];  /* "tcgen05.alloc" */
	char needs[48]; /* "sm_100a (Blackwell)"; "" where nobody knows */
};

/* Whether ptxas refused a file because the architecture lacks something; the first such thing. */
bool source_needs_other_gpu(const char *log, struct source_needs_feature *out);

#endif

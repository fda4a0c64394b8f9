/* Lines of a solution's own source behind its compiled host code. */
#ifndef GEMMJUDGE_COMPILE_SOURCE_LINE_H
#define GEMMJUDGE_COMPILE_SOURCE_LINE_H

/* How the emulated GPU says which call made an allocation, "(cudaMalloc at solution.so+0x1f39)",
 * and what a reader wants in its place: "(cudaMalloc at mine.cu:7)", or "(cudaMalloc)" where that
 * is not known (without binutils' addr2line or Landlock, say). From " at" to the bracket; all zero:
 * nothing was found yet. */
struct source_line {
	char said[48], line[100];
};

/* binutils' program that reads it. */
extern const char source_line_program[];

/* Looks for the first such place in `text`; where there is none, *line stays as it was. `library`
 * is the path of that solution.so. One place is not looked up twice in a row.
 *
 * The library may hold what a stranger wrote into it, so that addr2line reads it under rules of
 * Landlock, with a limit of time and memory, and what it prints is taken for a name and a number
 * at most. */
void source_line_find(struct source_line *line, const char *text, const char *library);

/* The text with the line wherever it has been said otherwise; the caller frees it. NULL when memory
 * is short. */
char *source_line_in(const struct source_line *line, const char *text);

#endif

/* A solution in parts: one whose kernels come in many configurations may be compiled as an object
 * for each of them, so that only those are compiled that the shapes at hand need, side by side.
 *
 * Such a file defines, besides solve(),
 *
 *     extern "C" int solution_part(<the parameters of solve()>)
 *
 * which says the number of the part (0 to PARTS_MAX - 1) that such a call would run, or -1: it
 * needs none. It launches nothing and reads no matrix; pointers are aligned as the judge's buffers
 * are, and point nowhere. SOLUTION_PART is defined as -1 for the object that has solve() and
 * solution_part(), and as its number for that of a part; not at all where the file is compiled as a
 * whole. How the first one finds the launches of the others is the file's affair: objects of one
 * library. */
#ifndef GEMMJUDGE_COMPILE_IN_PARTS_H
#define GEMMJUDGE_COMPILE_IN_PARTS_H

#include "compile/compile.h"

#define PARTS_MAX 256

/* Numbers of parts. */
struct parts {
	bool has[PARTS_MAX];
};
int parts_count(const struct parts *parts);

/* Whether the file's text defines solution_part(). */
bool in_parts_is(const char *file);

/* As compile_solution(), from these parts and the object that has solve(), up to `threads` of them
 * at once. Each object is kept in the cache by itself. Where one does not compile, *out tells of
 * that one, and no other one is begun; nor is one after `seconds` of the options. `options` has
 * neither `object` nor `objects`, nor anything appended. */
enum compile_status in_parts_compile(const struct compile_options *options,
									 const struct parts *parts, size_t threads,
									 struct compiled *out, struct error *err);

#endif

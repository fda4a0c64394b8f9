/* Which files a compiler may reach, as rules of Landlock: what compiling takes, and what belongs to
 * the file. So a file cannot make a part of itself out of what lies elsewhere on the machine, be it
 * by #include, #embed, .incbin or a linker script, and nothing is written but the compiler's own
 * folder. */
#ifndef GEMMJUDGE_COMPILE_JAIL_RULES_H
#define GEMMJUDGE_COMPILE_JAIL_RULES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/paths.h"

/* Absolute paths; lists are NULL-ended, or NULL. */
struct jail_rules {
	const char *nvcc;
	const char *source, *source_folder;
	const char *epilogue;      /* the generated header, or NULL */
	const char *exports;       /* the linker's list, or NULL */
	const char *headers;       /* a folder of generated headers, or NULL */
	const char *repository;    /* jail_rules_repository(), or NULL */
	const char *const *stages; /* files that it includes */
	const char *const *flags;  /* of nvcc, by the user: what they name may be reached */
	const char *folder;        /* the compiler's, to write in */
	bool libraries;            /* of the toolkit all are reached, as by a baseline */
	bool isolated;             /* the source and the stages, and nothing that lies beside them */
	bool copied;               /* the source is a copy in `folder`: wherever the cache lies, it is
								  no file of the judge's tree */
};

/* The rules (landlock.h), which the caller closes; -1 and err where there is no Landlock, or a
 * path is not there.
 *
 * Programs, headers and libraries of the toolkit, the host compiler and the system, but for
 * libraries that do GEMMs (base/gemm_library.h), and of the toolkit's no others than a solution is
 * linked with: cudart, cudadevrt, the stub of the driver (or our own). What the user named in flags
 * or in $CPATH and its like. The source and, unless it is isolated, what lies in its folder and
 * below. Of a folder that is somebody's home, that everybody may write to, or that is the judge's
 * source tree, only the source files in it. What belongs to the judge and lies below the folder is
 * left out. A source within the judge's tree may read solutions/, another one nothing of the tree
 * but epilogues/. Of the source's repository, unless it is isolated, what lies below its root and
 * the source files in the root, but for names that begin with a dot. */
int jail_rules_open(const struct jail_rules *what, struct error *err);

/* The root of the repository that a folder (absolute, without links) lies in: the nearest one, the
 * folder itself or one above it, with a `.git`. False: there is none, or it is one in which all
 * sorts of things lie, as a home, /tmp or the judge's own tree. */
bool jail_rules_repository(const char *folder, char root[PATHS_MAX]);

#endif

/* Turns a solution file into a shared library, through nvcc, with a cache.
 *
 * The library is built with -cudart shared and holds SASS for the device's
 * architecture (when it has one) and uncompressed PTX, so that the same file
 * runs on a GPU and on the emulated one. */
#ifndef GEMMJUDGE_COMPILE_COMPILE_H
#define GEMMJUDGE_COMPILE_COMPILE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/paths.h"

struct child_control; /* process/child.h */

struct compile_options {
	const char *source;         /* the solution file */
	const char *stands_for;     /* the path by which messages call it, and in whose folder its
								   headers lie; NULL: its own */
	const char *architecture;   /* "90a": SASS and PTX for it; "compute_80": only PTX; ""
								   means PTX for EMULATED_ARCHITECTURE only */
	const char *const *flags;   /* more nvcc flags, NULL-ended, or NULL */
	const char *epilogue;       /* text of the header that EPILOGUE_CHAIN names, or NULL */
	const char *const *stages;  /* the files that it includes, NULL-ended, or NULL */
	const char *solve_header;   /* text of the "solve.h" of a file that includes one and brings none
								   along, or NULL */
	const char *appended;       /* text that is compiled behind the source, or NULL */
	bool object;                /* not linked: what comes of it is an object for `objects` */
	const char *const *objects; /* paths of these, of this source: they are linked, and the source
								   is not compiled again. NULL-ended, or NULL */
	bool libraries;             /* link cuBLAS and cuBLASLt (baselines only) */
	bool isolated;              /* nvcc reads nothing that lies beside the source or the stages */
	bool unjailed;              /* for tests: nvcc reads and writes what it likes */
	bool in_place;              /* under its own name: for a reader of the library who is not told
								   of `source` below, as a profiler */
	double seconds;             /* time limit of nvcc, also where it runs twice */
	/* of nvcc, by another thread; where that cancels it, the file is COMPILE_STOPPED. Or NULL */
	const struct child_control *control;
};

/* What a file may take; hopper.cu, the largest here, takes 35 s. */
#define COMPILE_SECONDS 300.0 /* a machine with other work */
#define COMPILE_SOURCE_BYTES ((off_t)64 << 20)

/* The virtual architecture that the emulated GPU takes. */
#define EMULATED_ARCHITECTURE "90a"

/* Every end of the compiler is the file's, whatever the compiler says about it. The last two are
 * the machine's: found out by looking at it, never in nvcc's messages. */
enum compile_status {
	COMPILE_OK,
	COMPILE_ERROR,       /* nvcc refused the file: `log` has its messages, unchanged */
	COMPILE_FORBIDDEN,   /* it calls what only a library has that does GEMMs: err names it */
	COMPILE_STOPPED,     /* the file or nvcc went over a limit, or a signal ended nvcc: err */
	COMPILE_NO_COMPILER, /* no nvcc or host compiler: err says where it was looked for */
	COMPILE_FAILED,      /* the file cannot be read, the cache not written, the disk is full: err */
};

struct compiled {
	enum compile_status status;
	char library[PATHS_MAX]; /* path of the .so, inside the cache; do not delete */
	char *log;               /* nvcc's stdout and stderr; owned, may be "" */
	char source[PATHS_MAX];  /* the user's path, where the library has STAND_IN_PATH (stand_in.h) in
								its place, in lines and in __FILE__; "": it has its own */
	int lease;               /* keeps the library in the cache until compiled_free(); 0: none */
	bool cached;
	bool cxx20;  /* the file was refused as C++17, and taken as C++20 */
	bool jailed; /* the compiler reached only what jail_rules.h says, also when it was another run's
				  */
	double seconds;
};

/* Always fills *out; returns out->status. Threads may compile side by side. */
enum compile_status compile_solution(const struct compile_options *options, struct compiled *out,
									 struct error *err);
void compiled_free(struct compiled *compiled);

/* The nvcc that will be used, the first of CUDA 13 in the places of base/toolkit.h, and its
 * version ("13.0.88"); for `doctor` and the cache key. */
bool compile_find_nvcc(char out[PATHS_MAX], char version[64], struct error *err);

#endif

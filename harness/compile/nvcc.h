/* The compiler as a program: its arguments, and one run of it. */
#ifndef GEMMJUDGE_COMPILE_NVCC_H
#define GEMMJUDGE_COMPILE_NVCC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/paths.h"
#include "compile/compile.h"
#include "compile/version.h"

/* compile_find_nvcc(), with a cache for versions (version.h), or NULL. */
bool nvcc_find(const char *cache, char out[PATHS_MAX], char version[VERSION_TEXT],
			   struct error *err);

/* A list of words, NULL-ended; owns them. */
struct words {
	char **at;
	size_t count;
	bool failed; /* out of memory, or a word did not fit: the list is not to be used */
};

void words_add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_free(struct words *words);

/* What costs time and most files do not need: nvcc gets it where it refuses a file without. */
struct nvcc_ways {
	bool in_place;      /* under its own name: else a movable file (movable.h) has STAND_IN_PATH */
	bool lambdas;       /* for the device: half a second of every compilation */
	bool cxx20;         /* where the flags name no standard */
	bool whole_headers; /* with all of the parts (source_needs.h) that a small file spends half of
						   its time on, and with the names of macros in what is preprocessed */
};

/* What a compilation is made of besides its options; absolute paths. */
struct nvcc_parts {
	const char *source;
	const char *epilogue;   /* the header that EPILOGUE_CHAIN names, or NULL */
	const char *exports;    /* the linker's list of exported symbols; NULL: all */
	const char *headers;    /* a folder of headers that the user's own go before, or NULL */
	const char *repository; /* whose root and include/ have headers after all others; or NULL */
	unsigned named;         /* the parts of headers that the file names (source_needs.h) */
	struct nvcc_ways ways;
};

#define NVCC_OBJECT "%s/%zu.o"           /* the folder, and the object's number */
#define NVCC_EXPORTS "--version-script=" /* and the path of the list, among the words */

/* Everything on nvcc's command line that decides what comes out of it, beginning
 * with nvcc itself. */
void nvcc_arguments(struct words *words, const char *nvcc, const struct compile_options *options,
					const struct nvcc_parts *parts);

/* -std=... by the user takes the place of ours. */
bool nvcc_has_standard(const char *const *flags);

/* nvcc runs a host C++ compiler, which it does not bring along. */
bool nvcc_has_host_compiler(const struct words *arguments, struct error *err);

/* One compilation. */
struct nvcc_start {
	const char *source;   /* as in the arguments */
	const char *stand_in; /* its copy (stand_in.h), which is compiled instead; or NULL */
	bool quoted;          /* what the copy includes is looked for where nvcc runs */
	bool object;          /* solution.so is to be the object: nothing is linked */
	size_t objects; /* > 0: nothing is compiled; NVCC_OBJECT of `folder`, from 0 on, are linked */
	const char *folder;         /* gets solution.so and dependencies; also for temporary files */
	const char *working_folder; /* where it runs */
	int rules;                  /* of landlock.h, that it runs under; 0: none */
	bool hides_denied;          /* what these deny is missing to all that nvcc starts */
	double limit, deadline;     /* in seconds; the second by the monotonic clock */
	const struct child_control *control; /* or NULL */
};

/* Runs it once with these words, which are freed. What it printed goes behind *log. `links`: what
 * it prints may name what a library has that is forbidden. */
enum compile_status nvcc_once(struct words *words, bool links, const struct nvcc_start *start,
							  char **log, uint64_t *written, struct error *err);

/* Runs nvcc twice, to compile and to link (or once, for one of these), so that what the linker says
 * is told from what anybody can have the compilers say. How it went: as enum compile_status,
 * without COMPILE_FAILED; err says why nvcc did not end by itself. Nothing that nvcc prints is
 * believed to be about the machine. *log is always set (owned by the caller), but NULL when memory
 * is short. *written: bytes that it wrote to files, as child_result has them. */
enum compile_status nvcc_run(const struct words *arguments, const struct nvcc_start *start,
							 char **log, uint64_t *written, struct error *err);

#endif

/* The compiler as a program: its arguments, and one run of it. */
#ifndef GEMMJUDGE_COMPILE_NVCC_H
#define GEMMJUDGE_COMPILE_NVCC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/paths.h"
#include "compile/compile.h"

/* A list of words, NULL-ended; owns them. */
struct words {
	char **at;
	size_t count;
	bool failed; /* out of memory, or a word did not fit: the list is not to be used */
};

void words_add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_free(struct words *words);

/* Everything on nvcc's command line that decides what comes out of it, beginning
 * with nvcc itself; `source` is the absolute path of the solution, `epilogue` that
 * of the header that EPILOGUE_CHAIN names, or NULL. */
void nvcc_arguments(struct words *words, const char *nvcc, const struct compile_options *options,
					const char *source, const char *epilogue);

/* nvcc runs a host C++ compiler, which it does not bring along. */
bool nvcc_has_host_compiler(const struct words *arguments, struct error *err);

/* How a run went: as enum compile_status, without COMPILE_NO_COMPILER unless
 * nvcc could not be started. Writes FOLDER/solution.so and FOLDER/dependencies;
 * FOLDER holds the temporary files, too. *log is always set (owned by the
 * caller), but NULL when memory is short. */
enum compile_status nvcc_run(const struct words *arguments, const char *folder,
							 const char *working_folder, double seconds, char **log,
							 struct error *err);

#endif

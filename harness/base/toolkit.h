/* Where a CUDA toolkit lies. All of the program looks in these places, in this order:
 *
 *   1. $GEMMJUDGE_NVCC      names an nvcc: its toolkit
 *   2. $CUDA_HOME
 *   3. $CUDA_PATH
 *   4. the PATH             the toolkit of the nvcc that stands there, links followed
 *   5. /usr/local/cuda
 *   6. /usr/local/cuda-13
 *   7. /opt/cuda
 *   8. .toolchain/cuda      of the source tree, where tools/setup puts NVIDIA's wheels
 *   9. BUILD/toolkit        names the toolkit that the program was built with; `cmake --install`
 *                           copies that file, so that an installed program finds what tools/setup
 *                           fetched for its source tree
 *
 * Programs: $GEMMJUDGE_NVCC, where it is set, is the only toolkit. Tools other than nvcc are taken
 * from the PATH first: people put wrappers there.
 * Libraries: folders of $LD_LIBRARY_PATH come before all toolkits, and where the loader looks by
 * itself comes after them.
 * What is built needs a toolkit before there is a program to ask: cuda_places of tools/common.sh
 * names places 2 to 8, and test_toolkit compares the two. */
#ifndef GEMMJUDGE_BASE_TOOLKIT_H
#define GEMMJUDGE_BASE_TOOLKIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/paths.h"

/* Toolkits of this major version are taken: it decides which libcudart a solution asks for. Those
 * of which tools/cuda-requirements-VERSION.txt is there are tried by tools/test wheels;
 * test_toolkit compares the oldest and the newest. */
#define TOOLKIT_MAJOR "13"
#define TOOLKIT_OLDEST_TRIED "13.0"
#define TOOLKIT_NEWEST_TRIED "13.5"

#define TOOLKIT_PLACES 9

/* What this architecture is called in Debian's folders of libraries; where a toolkit has those for
 * it; and what people call it. */
#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
#define TOOLKIT_LIBRARIES "targets/x86_64-linux/lib"
#define ARCHITECTURE "x86-64"
#elif defined(__aarch64__)
#define MULTIARCH "aarch64-linux-gnu"
#define TOOLKIT_LIBRARIES "targets/sbsa-linux/lib"
#define ARCHITECTURE "aarch64"
#else
#error "gemmjudge is for Linux on x86-64 and aarch64"
#endif

struct toolkit {
	const char *place; /* "$CUDA_HOME", "the PATH", "/usr/local/cuda" */
	char nvcc[PATHS_MAX];
	char root[PATHS_MAX];
};

/* What the index-th place names, whether it is there or not, and its `place` in any case. False:
 * nothing, as the variable is not set, or no nvcc stands on the PATH. */
bool toolkit_at(size_t index, struct toolkit *out);

/* All places as in an error line: "$GEMMJUDGE_NVCC, $CUDA_HOME, ... and ...". Returns `out`. */
#define TOOLKIT_TEXT 256
const char *toolkit_places(char out[TOOLKIT_TEXT]);

/* The last place's folder, as BUILD/toolkit has it. False: the program came without that file. */
bool toolkit_built_with(char out[PATHS_MAX]);

/* Whether the toolkit of this version ("13.9.12") is newer than all that were tried. */
bool toolkit_is_untried(const char *version);

/* The toolkit that has this nvcc: off with bin/nvcc, links followed. */
void toolkit_root(const char *nvcc, char out[PATHS_MAX]);

/* Where libraries lie below a toolkit's root; NULL behind the last. */
extern const char *const toolkit_library_folders[];

/* A program of a toolkit other than nvcc ("ncu", "compute-sanitizer"). */
bool toolkit_find_program(const char *name, char out[PATHS_MAX]);

/* The file of a library ("libcublas.so.13") that toolkit_open_library() would load first. */
bool toolkit_find_library(const char *file, char out[PATHS_MAX]);

/* dlopen() of it: the one that the process has under this name, else the first one that loads. NULL
 * with err, which says what the loader said. */
void *toolkit_open_library(const char *file, int flags, struct error *err);

#endif

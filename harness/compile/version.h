/* The version of an nvcc, without running it again: by what the file is, in the cache. */
#ifndef GEMMJUDGE_COMPILE_VERSION_H
#define GEMMJUDGE_COMPILE_VERSION_H

#include <stdbool.h>

#include "base/error.h"

#define VERSION_TEXT 64

/* The version ("13.0.88") that the program tells. `cache`, unless it is NULL, is asked first, and
 * told: an nvcc is known by its path, its place on the disk, its size and its times. A script,
 * which may run another nvcc tomorrow, is always asked. False with err where it tells none. */
bool version_of_nvcc(const char *nvcc, const char *cache, char version[VERSION_TEXT],
					 struct error *err);

#endif

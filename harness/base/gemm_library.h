/* Which files are libraries that multiply matrices, by name. */
#ifndef GEMMJUDGE_BASE_GEMM_LIBRARY_H
#define GEMMJUDGE_BASE_GEMM_LIBRARY_H

#include <stdbool.h>

/* `file` without its folder: "libcublas.so.13", "libcublas_static.a". */
bool gemm_library(const char *file);

#endif

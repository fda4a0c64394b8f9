#include "base/gemm_library.h"

#include <stddef.h>
#include <string.h>

bool gemm_library(const char *file)
{
	static const char *const names[] = {
		"libcublas",   "libcudnn",    "libcutlass",    "libcusparse",  "libcusolver",
		"libnvblas",   "libcutensor", "libnvinfer",    "libtorch",     "libmkl",
		"libopenblas", "libblas",     "libtensorflow", "libnvpl_blas", "libdnnl"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(file, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

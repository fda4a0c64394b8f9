/* links: compile base */
/* Shortest paths along a chain through all nodes, the longest that there can be: no graph that
 * a case draws has such paths. On the emulated GPU, or $GEMMJUDGE_TEST_DEVICE. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "compile/compile.h"

enum { TO_DEVICE = 1, TO_HOST = 2 }; /* cudaMemcpyKind */

/* Of CUDA's runtime what the test needs, and the solution. */
struct driver {
	int (*malloc)(void **, size_t);
	int (*copy)(void *, const void *, size_t, int);
	void (*solve)(const float *, float *, int);
};

static void *symbol(void *library, const char *name)
{
	void *address = dlsym(library, name);
	cr_assert_not_null(address, "no %s", name);
	return address;
}

static struct driver driver_load(const char *solution)
{
	char build[PATHS_MAX], source[PATHS_MAX], runtime[PATHS_MAX], file[PATHS_MAX];
	struct error err = {{0}};
	cr_assert(paths_build(build, &err) && paths_source(source, &err), "%s", err.message);
	cr_assert(paths_join(runtime, build, "emulator/libcudart.so.13", &err));
	cr_assert(paths_join(file, source, solution, &err));
	struct compile_options options = {.source = file, .architecture = "", .seconds = 300};
	struct compiled compiled;
	cr_assert(compile_solution(&options, &compiled, &err) == COMPILE_OK, "%s%s", err.message,
			  compiled.log);
	const char *device = getenv("GEMMJUDGE_TEST_DEVICE");
	if (device != NULL && strncmp(device, "cuda", 4) == 0) /* the loader has to find it */
		strcpy(runtime, "libcudart.so.13");
	void *cudart = dlopen(runtime, RTLD_NOW | RTLD_GLOBAL);
	cr_assert_not_null(cudart, "%s", dlerror());
	void *library = dlopen(compiled.library, RTLD_NOW | RTLD_LOCAL);
	cr_assert_not_null(library, "%s", dlerror());
	compiled_free(&compiled);
	struct driver driver;
	*(void **)&driver.malloc = symbol(cudart, "cudaMalloc");
	*(void **)&driver.copy = symbol(cudart, "cudaMemcpy");
	*(void **)&driver.solve = symbol(library, "solve");
	return driver;
}

static void follow_chain(const char *solution)
{
	enum { NODES = 66 };
	struct driver driver = driver_load(solution);
	static float edges[NODES * NODES], got[NODES * NODES];
	for (int i = 0; i < NODES * NODES; i++)
		edges[i] = i / NODES == i % NODES ? 0 : i / NODES + 1 == i % NODES ? 1 : INFINITY;
	void *w, *d;
	cr_assert(driver.malloc(&w, sizeof edges) == 0 && driver.malloc(&d, sizeof edges) == 0);
	cr_assert(driver.copy(w, edges, sizeof edges, TO_DEVICE) == 0);
	driver.solve(w, d, NODES);
	cr_assert(driver.copy(got, d, sizeof got, TO_HOST) == 0);
	cr_assert(got[NODES - 1] == NODES - 1 && got[(NODES - 1) * NODES] == INFINITY, "%s: %g, %g",
			  solution, (double)got[NODES - 1], (double)got[(NODES - 1) * NODES]);
}

Test(apsp, naive_follows_a_chain)
{
	follow_chain("solutions/apsp/01_naive.cu");
}

Test(apsp, repeated_squaring_follows_a_chain)
{
	follow_chain("solutions/apsp/02_repeated_squaring.cu");
}

Test(apsp, blocked_follows_a_chain)
{
	follow_chain("solutions/apsp/03_blocked.cu");
}

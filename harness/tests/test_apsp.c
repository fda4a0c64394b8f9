/* links: compile base */
/* The driver of all-pairs shortest paths, which no problem of the table judges: run
 * on the emulated GPU (or $GEMMJUDGE_TEST_DEVICE), and compared with Floyd and Warshall's
 * algorithm. Lengths are integers, so that sums are exact in every order. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "compile/compile.h"

enum { TO_DEVICE = 1, TO_HOST = 2 }; /* cudaMemcpyKind */

/* Of CUDA's runtime what the test needs, and the solution. */
struct driver {
	int (*malloc)(void **, size_t);
	int (*copy)(void *, const void *, size_t, int);
	int (*free)(void *);
	void (*solve)(const float *, float *, int);
};

static void *symbol(void *library, const char *name)
{
	void *address = dlsym(library, name);
	cr_assert_not_null(address, "no %s", name);
	return address;
}

static struct driver driver_load(void)
{
	char build[PATHS_MAX], source[PATHS_MAX], runtime[PATHS_MAX], file[PATHS_MAX];
	struct error err = {{0}};
	cr_assert(paths_build(build, &err) && paths_source(source, &err), "%s", err.message);
	cr_assert(paths_join(runtime, build, "emulator/libcudart.so.13", &err));
	cr_assert(paths_join(file, source, "solutions/apsp/02_repeated_squaring.cu", &err));
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
	*(void **)&driver.free = symbol(cudart, "cudaFree");
	*(void **)&driver.solve = symbol(library, "solve");
	return driver;
}

/* A few edges a node. Lengths of every sign, and yet no cycle is negative: each is
 * one from 0 on plus a height gained, and a cycle gains none. */
static void draw_edges(float *w, int n, unsigned *state)
{
	int height[128];
	for (int i = 0; i < n; i++)
		height[i] = rand_r(state) % 50;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			int length = rand_r(state) % 30 + height[j] - height[i];
			bool there = i != j && rand_r(state) % n < 3;
			w[i * n + j] = there ? (float)length : INFINITY;
		}
}

static void floyd_warshall(float *d, int n)
{
	for (int i = 0; i < n; i++)
		d[i * n + i] = fminf(d[i * n + i], 0);
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

static void compare(const struct driver *driver, int n, unsigned *state)
{
	size_t bytes = (size_t)n * (size_t)n * sizeof(float);
	float *edges = malloc(bytes), *want = malloc(bytes), *got = malloc(bytes);
	void *w, *d;
	cr_assert(edges != NULL && want != NULL && got != NULL);
	draw_edges(edges, n, state);
	memcpy(want, edges, bytes);
	floyd_warshall(want, n);
	cr_assert(driver->malloc(&w, bytes) == 0 && driver->malloc(&d, bytes) == 0);
	cr_assert(driver->copy(w, edges, bytes, TO_DEVICE) == 0);
	driver->solve(w, d, n);
	cr_assert(driver->copy(got, d, bytes, TO_HOST) == 0);
	for (int i = 0; i < n * n; i++)
		cr_assert(got[i] == want[i], "%d nodes, from %d to %d: %g is not %g", n, i / n, i % n,
				  (double)got[i], (double)want[i]);
	driver->free(w);
	driver->free(d);
	free(edges);
	free(want);
	free(got);
}

Test(apsp, finds_the_shortest_paths)
{
	static const int nodes[] = {1, 2, 3, 4, 5, 17, 33, 64, 65, 100};
	struct driver driver = driver_load();
	unsigned state = 20;
	for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
		compare(&driver, nodes[i], &state);
}

/* The longest path that there can be: a chain through all nodes. */
Test(apsp, follows_a_chain_to_its_end)
{
	enum { NODES = 66 };
	struct driver driver = driver_load();
	static float edges[NODES * NODES], got[NODES * NODES];
	for (int i = 0; i < NODES * NODES; i++)
		edges[i] = i / NODES + 1 == i % NODES ? 1 : INFINITY;
	void *w, *d;
	cr_assert(driver.malloc(&w, sizeof edges) == 0 && driver.malloc(&d, sizeof edges) == 0);
	cr_assert(driver.copy(w, edges, sizeof edges, TO_DEVICE) == 0);
	driver.solve(w, d, NODES);
	cr_assert(driver.copy(got, d, sizeof got, TO_HOST) == 0);
	cr_assert(got[NODES - 1] == NODES - 1 && got[(NODES - 1) * NODES] == INFINITY);
}

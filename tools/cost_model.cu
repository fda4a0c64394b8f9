/* What the heuristic of solutions/gemm_f16/hopper takes each configuration of configs.def to cost,
 * asked of its own code, so that tools/cost-model fits what the host computes.
 *
 * usage: model     reads lines of a device's numbers (multiprocessors, bytes of memory a
 *                  microsecond, clusters of 1 to 8 blocks that run at once) and M N K layout
 * reads_c, where layout is that of B, n_major or k_major, and prints a line for each: for every
 * configuration in order whether it may be chosen for the problem (1 or 0), its time with the times
 * of configs.def, its bound, its fixed part, and the count of each of the seven times. All are
 * microseconds or counts. No GPU is needed.
 *
 * Without the bound the time is linear in the seven times: a count is what it becomes more when one
 * of them is 1 and the others are 0. The time is the root of its square and the bound's. */
#include <algorithm>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hopper/heuristic.cuh"

using namespace hopper;

static constexpr int TIMES = sizeof(config_times) / sizeof(float);

/* The time that the seven times give, without the bound. */
static float time_of(const device_table &device, config_line line, const problem &q,
					 config_times us)
{
	line.us = us;
	return config_time_unbounded(device, line, q);
}

static void print_terms(const device_table &device, const config_line &line, const problem &q)
{
	float time = config_time(device, line, q), bound = config_bound(device, line, q);
	float fixed = time_of(device, line, q, {});
	bool may = config_fits(device, line, q) && time < INFINITY;
	printf(" %d %.7g %.7g %.7g", may, time, bound, fixed);
	for (int i = 0; i < TIMES; i++) {
		float one[TIMES] = {};
		config_times us;
		one[i] = 1.0f;
		memcpy(&us, one, sizeof us);
		printf(" %.7g", time_of(device, line, q, us) - fixed);
	}
}

struct asked {
	device_table device;
	int m, n, k, k_major, reads_c;
};

/* What a line holds must be all of it: else a file of another version would be taken for numbers.
 */
static bool read_line(const char *line, asked &out)
{
	device_table &device = out.device;
	int *clusters = device.clusters, end = 0;
	char layout[9];
	int read = sscanf(line, "%d %f %d %d %d %d %d %d %d %d %d %d %d %8s %d %n",
					  &device.multiprocessors, &device.dram_bytes, clusters + 1, clusters + 2,
					  clusters + 3, clusters + 4, clusters + 5, clusters + 6, clusters + 7,
					  clusters + 8, &out.m, &out.n, &out.k, layout, &out.reads_c, &end);
	static_assert(MAX_CLUSTER == 8, "the clusters of a line");
	if (read != 15 || line[end] != '\0')
		return false;
	out.k_major = strcmp(layout, "k_major") == 0;
	return (out.k_major || strcmp(layout, "n_major") == 0) && device.dram_bytes > 0.0f &&
		   *std::min_element(clusters + 1, clusters + 9) > 0;
}

static void print_line(const asked &from)
{
	void *aligned = (void *)256; /* as the measured buffers are; never read */
	int ldb = from.k_major ? from.k : from.n;
	problem q({from.m, from.n, from.k, aligned, aligned, aligned, from.k, ldb, from.n, 1.0f,
			   (float)from.reads_c, from.k_major},
			  true);
	for (const config_line &c : CONFIG_LINES)
		print_terms(from.device, c, q);
	putchar('\n');
}

int main(void)
{
	asked from = {};
	char line[256];
	while (fgets(line, sizeof line, stdin)) {
		if (!read_line(line, from)) {
			fprintf(stderr,
					"device should be 10 numbers (multiprocessors, bytes of memory a microsecond, "
					"clusters of 1 to 8 blocks), then a shape and B's layout; not: %s",
					line);
			return 1;
		}
		print_line(from);
	}
	return 0;
}

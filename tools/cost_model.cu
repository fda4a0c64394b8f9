/* What the heuristic of solutions/gemm_f16/hopper takes each configuration of configs.def to cost,
 * asked of its own code, so that tools/cost-model fits what the host computes.
 *
 * usage: model device     what the heuristic knows of this GPU: its multiprocessors, bytes of
 *                         memory a microsecond, then the clusters of 1 to 8 blocks that run at once
 *        model            reads lines of a device's numbers and M N K reads_c (no GPU is needed),
 *                         and prints a line for each: for every configuration in order whether it
 *                         can do the problem (1 or 0), its time with the times of configs.def, the
 *                         lower bound of that, its fixed part, and the count of each of the seven
 *                         times. All are microseconds or counts.
 *
 * The time is linear in the seven times, unless the lower bound is more: a count is what the time
 * becomes more when one of them is 1 and the others are 0. */
#include <algorithm>
#include <stdio.h>
#include <string.h>

#include "hopper/heuristic.cuh"

using namespace hopper;

static constexpr int TIMES = sizeof(config_times) / sizeof(float);

/* The time that the seven times give, without the lower bound. */
static float time_of(const device_table &device, config_line line, const problem &q,
					 config_times us)
{
	line.us = us;
	return config_time_unbounded(device, line, q);
}

static void print_terms(const device_table &device, const config_line &line, const problem &q)
{
	float bound = config_bound(device, line, q);
	float fixed = time_of(device, line, q, {});
	printf(" %d %.7g %.7g %.7g", config_fits(device, line, q), config_time(device, line, q), bound,
		   fixed);
	for (int i = 0; i < TIMES; i++) {
		float one[TIMES] = {};
		config_times us;
		one[i] = 1.0f;
		memcpy(&us, one, sizeof us);
		printf(" %.7g", time_of(device, line, q, us) - fixed);
	}
}

static int print_device(void)
{
	int ordinal;
	const device_table &device = device_get(ordinal);
	if (device.status != HOPPER_OK) {
		fprintf(stderr, "the current device is no Hopper GPU (sm_90)\n");
		return 1;
	}
	printf("%d %.0f", device.multiprocessors, device.dram_bytes);
	for (int blocks = 1; blocks <= MAX_CLUSTER; blocks++)
		printf(" %d", device.clusters[blocks]);
	putchar('\n');
	return 0;
}

/* What a line holds must be all of it: else a file of another version would be taken for numbers.
 */
static bool read_line(const char *line, device_table &device, int size[3], int &reads_c)
{
	int *clusters = device.clusters, end = 0;
	int read = sscanf(line, "%d %f %d %d %d %d %d %d %d %d %d %d %d %d %n", &device.multiprocessors,
					  &device.dram_bytes, clusters + 1, clusters + 2, clusters + 3, clusters + 4,
					  clusters + 5, clusters + 6, clusters + 7, clusters + 8, size, size + 1,
					  size + 2, &reads_c, &end);
	static_assert(MAX_CLUSTER == 8, "the clusters of a line");
	return read == 14 && line[end] == '\0' && device.dram_bytes > 0.0f &&
		   *std::min_element(clusters + 1, clusters + 9) > 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "device") == 0)
		return print_device();
	void *aligned = (void *)256; /* as the judge's buffers are; never read */
	device_table device = {};
	char line[256];
	int size[3], reads_c;
	while (fgets(line, sizeof line, stdin)) {
		if (!read_line(line, device, size, reads_c)) {
			fprintf(stderr,
					"device should be 10 numbers (multiprocessors, bytes of memory a microsecond, "
					"clusters of 1 to 8 blocks), then a shape; not: %s",
					line);
			return 1;
		}
		int m = size[0], n = size[1], k = size[2];
		problem q({m, n, k, aligned, aligned, aligned, k, n, n, 1.0f, (float)reads_c}, true);
		for (const config_line &c : CONFIG_LINES)
			print_terms(device, c, q);
		putchar('\n');
	}
	return 0;
}

/* What cut_time() of solutions/gemm_f16/hopper/model.cuh multiplies each time of a cut by,
 * asked of the code itself, so that tools/cost_model.py fits what the host computes.
 *
 * With the argument `gpu`: prints what the choice knows of the GPU, as JSON. Without one:
 * reads lines of those numbers in the same order, then M N K beta (no GPU is needed), and
 * prints for each a line of numbers, for every cut in order: whether it fits (1 or 0), its
 * time with the numbers that the table has, the counts of the members of cut_times, and
 * that of COPY_MEGABYTE. What least_time() says besides is no matter of these numbers.
 *
 * cut_time() is linear in these times: a count is what it gives when one of them is 1 and
 * the others are 0. */
#define HOPPER_CUT 0 // so that a table has those cuts too that stand behind #ifdef HOPPER_CUT
#define HOPPER_TABLE_ONLY
#include "hopper/solve.cuh"

static constexpr int TIMES = sizeof(cut_times) / sizeof(float);
static_assert(COPY_MEGABYTE > 0.0f, "without it, megabytes cannot be told");

static void print_counts(const hopper_device &device, cut<half> c, const problem<half> &p)
{
	printf(" %d %.7g", cut_fits(device, c, p), cut_time(device, c, p));
	c.us = {};
	float copy = cut_time(device, c, p);
	for (int i = 0; i < TIMES; i++) {
		float us[TIMES] = {};
		us[i] = 1.0f;
		memcpy(&c.us, us, sizeof us);
		printf(" %.7g", cut_time(device, c, p) - copy);
	}
	printf(" %.7g", copy / COPY_MEGABYTE);
}

static void print_gpu(const hopper_device &device)
{
	printf("{\"multiprocessors\": %d, \"clusters\": [", device.multiprocessors);
	for (int blocks = 1; blocks <= MOST_BLOCKS; blocks++)
		printf("%s%d", blocks > 1 ? ", " : "", device.clusters[blocks]);
	printf("]}\n");
}

static bool read_gpu(hopper_device &device)
{
	bool read = scanf("%d", &device.multiprocessors) == 1;
	for (int blocks = 1; blocks <= MOST_BLOCKS; blocks++)
		read = read && scanf("%d", &device.clusters[blocks]) == 1;
	return read;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "gpu") == 0)
		return print_gpu(hopper_get()), 0;

	const half *aligned = (const half *)256; /* as the judge's buffers are; never read */
	hopper_device device = {};
	int m, n, k;
	float beta;
	while (read_gpu(device) && scanf("%d %d %d %f", &m, &n, &k, &beta) == 4) {
		epilogue<half> out = epilogue_make((half *)aligned, m, n, 1.0f, beta);
		problem<half> p(aligned, aligned, m, n, k, beta != 0.0f, out);
		for (const cut<half> &c : hopper_cuts<half>())
			print_counts(device, c, p);
		putchar('\n');
	}
	return 0;
}

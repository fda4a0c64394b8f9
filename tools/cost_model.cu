/* What the heuristic of solutions/gemm_f16/hopper.cu takes each configuration of configs.def to
 * cost, asked of its own code, so that tools/cost-model fits what the host computes.
 *
 * usage: model device     what the heuristic knows of this GPU: its multiprocessors, then the
 *                         clusters of 1 to 8 blocks that run at once
 *        model numbers    the number of each configuration for HOPPER_CUT
 *        model            reads lines of a device's numbers and M N K reads_c (no GPU is
 *                         needed), and prints a line for each: for every configuration in order
 *                         whether it can do the problem (1 or 0), its time with the times of
 *                         configs.def, the lower bound of that, its fixed part, and the count of
 *                         each of the seven times. All are microseconds or counts.
 *
 * The time is linear in the seven times, unless the lower bound is more: a count is what the time
 * becomes more when one of them is 1 and the others are 0. */
#define HOPPER_TABLE_ONLY
#include <algorithm>

#include "hopper/solve.cuh"

static constexpr int TIMES = sizeof(cut_times) / sizeof(float);

struct variant {
	enum family family;
	bool classes, deferred;
};
static constexpr variant TMA = {FAMILY_TMA}, TMA_OVERLAP = {FAMILY_TMA, false, true};
static constexpr variant SWAP_AB = {FAMILY_TMA}, RESIDUE = {FAMILY_TMA, true};
static constexpr variant PAD_COPY = {FAMILY_COPIED}, PAD_COPY_B = {FAMILY_COPIED, true};
static constexpr variant REGISTER_STAGED = {FAMILY_MIXED, true}, SMALL = {FAMILY_TINY};

struct configuration {
	struct variant variant;
	int rows, columns, k_block, split_k, cluster;
	cut_times us;
};

#define CONFIG(variant, tile_m, tile_n, k_block, consumers, cluster_m, cluster_n, split_k,         \
			   max_split_k, max_stages, producers, ...)                                            \
	{variant,                                                                                      \
	 tile_m * cluster_m,                                                                           \
	 tile_n * cluster_n,                                                                           \
	 k_block,                                                                                      \
	 split_k,                                                                                      \
	 cluster_m * cluster_n * split_k,                                                              \
	 {__VA_ARGS__}},
static constexpr configuration configurations[] = {
#include "hopper/configs.def"
};

/* The number of a configuration in the table that is compiled; ends the program without one. */
static int cut_number(const configuration &c)
{
	const auto &cuts = hopper_cuts<half>();
	for (int i = 0; i < (int)(sizeof cuts / sizeof *cuts); i++) {
		const cut<half> &cut = cuts[i];
		if (cut.family == c.variant.family && cut.classes == c.variant.classes &&
			cut.deferred == c.variant.deferred && cut.rows == c.rows && cut.columns == c.columns &&
			cut.depth == c.k_block && cut.splits == c.split_k && cut.cluster == c.cluster)
			return i;
	}
	fprintf(stderr, "hopper.cu has no tile of %dx%dx%d, split by %d, in clusters of %d\n", c.rows,
			c.columns, c.k_block, c.split_k, c.cluster);
	exit(1);
}

static void print_terms(const hopper_device &device, const configuration &configuration,
						const problem<half> &p)
{
	cut<half> c = hopper_cuts<half>()[cut_number(configuration)];
	c.us = configuration.us;
	float least = cut_least(c, p, plain_problem(p));
	printf(" %d %.7g %.7g", cut_fits(device, c, p), max(cut_time(device, c, p), least), least);
	c.us = {};
	float fixed = cut_time(device, c, p);
	printf(" %.7g", fixed);
	for (int i = 0; i < TIMES; i++) {
		float us[TIMES] = {};
		us[i] = 1.0f;
		memcpy(&c.us, us, sizeof us);
		printf(" %.7g", cut_time(device, c, p) - fixed);
	}
}

static void print_device(const hopper_device &device)
{
	printf("%d", device.multiprocessors);
	for (int blocks = 1; blocks <= MOST_BLOCKS; blocks++)
		printf(" %d", device.clusters[blocks]);
	putchar('\n');
}

/* What a line holds must be all of it: else a file of another version would be taken for numbers.
 */
static bool read_line(const char *line, hopper_device &device, int size[3], int &reads_c)
{
	int *clusters = device.clusters, end = 0;
	int read =
		sscanf(line, "%d %d %d %d %d %d %d %d %d %d %d %d %d %n", &device.multiprocessors,
			   clusters + 1, clusters + 2, clusters + 3, clusters + 4, clusters + 5, clusters + 6,
			   clusters + 7, clusters + 8, size, size + 1, size + 2, &reads_c, &end);
	static_assert(MOST_BLOCKS == 8, "the clusters of a line");
	return read == 13 && line[end] == '\0' && *std::min_element(clusters + 1, clusters + 9) > 0;
}

static void print_problem(const hopper_device &device, const int size[3], int reads_c)
{
	const half *aligned = (const half *)256; /* as the judge's buffers are; never read */
	float beta = (float)reads_c;
	epilogue<half> out = epilogue_make((half *)aligned, size[0], size[1], 1.0f, beta);
	problem<half> p(aligned, aligned, size[0], size[1], size[2], reads_c, out);
	for (const configuration &c : configurations)
		print_terms(device, c, p);
	putchar('\n');
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "device") == 0)
		return print_device(hopper_get()), 0;
	if (argc == 2 && strcmp(argv[1], "numbers") == 0) {
		for (const configuration &c : configurations)
			printf("%d\n", cut_number(c));
		return 0;
	}
	hopper_device device = {};
	char line[256];
	int size[3], reads_c;
	while (fgets(line, sizeof line, stdin)) {
		if (!read_line(line, device, size, reads_c)) {
			fprintf(stderr,
					"device should be 9 numbers (multiprocessors, clusters of 1 to 8 blocks), "
					"then a shape; not: %s",
					line);
			return 1;
		}
		print_problem(device, size, reads_c);
	}
	return 0;
}

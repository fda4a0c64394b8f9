/* emulator_bench [PTX] [--size N] [--threads N] [--kernel NAME] [--random]: how fast the
 * emulated GPU runs the kernels of kernels.cu, in lane instructions a
 * second of one core, and that they compute the right thing. Seconds are those
 * of the processor, so that other programs on the machine do not count. Operands are small
 * integers, whose sums are exact; with --random they have all of f16's digits, and tensor cores
 * must cut them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "emulator/exec/memory.h"
#include "emulator/machine.h"
#include "emulator/tensor/tensor.h"

struct bench {
	const char *path, *only;
	int size, threads;
	bool random;
	struct module *module;
	uint64_t a, b, c;
};

static const struct variant {
	const char *name;
	uint32_t tile_rows, tile_columns, block[2];
} variants[] = {
	{"naive", 16, 16, {16, 16}},       {"tiled", 16, 16, {16, 16}},
	{"wmma_tiles", 32, 64, {128, 1}},  {"mma_strips", 16, 64, {32, 1}},
	{"wgmma_tiles", 64, 64, {128, 1}}, {"wmma_wide", 128, 128, {128, 1}},
	{"mma_wide", 128, 128, {128, 1}},  {"wgmma_wide", 64, 256, {128, 1}},
};

#define SECONDS_MIN 0.25 /* launches are repeated for as long */

/* Of all threads of this process. */
static double processor_seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static char *read_file(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	if (file == NULL)
		return NULL;
	if (fseek(file, 0, SEEK_END) == 0 && (text = malloc((size_t)ftell(file) + 1)) != NULL) {
		*length = (size_t)ftell(file);
		rewind(file);
		if (fread(text, 1, *length, file) != *length) {
			free(text);
			text = NULL;
		}
	}
	fclose(file);
	return text;
}

/* Small integers, so that sums are exact in any order, or numbers of 11 bits below 1. */
static float value_at(const struct bench *bench, int row, int column, int salt)
{
	unsigned mixed = (unsigned)(row * 7919 + column * 104729 + salt) * 2654435761u;
	if (bench->random)
		return (float)(1024 + (mixed >> 21) % 1024) * (mixed >> 20 & 1 ? -1 : 1) *
			   ldexpf(1, -11 - (int)(mixed >> 17 & 7));
	return (float)((row * 7 + column * 3 + salt + row * column) % 5 - 2);
}

static uint64_t make_matrix(const struct bench *bench, int salt)
{
	const int size = bench->size;
	size_t bytes = (size_t)size * (size_t)size * 2;
	uint64_t address = memory_allocate(bytes, "matrix");
	uint16_t *values = (uint16_t *)(uintptr_t)address;
	for (int i = 0; values != NULL && i < size * size; i++)
		values[i] = tensor_float_to_f16(value_at(bench, i / size, i % size, salt));
	if (values != NULL)
		memory_mark_written(memory_find(address), address, bytes);
	return address;
}

/* Every 61st element against the sum: equal, or as near as f16 is. */
static int count_wrong(const struct bench *bench)
{
	const uint16_t *values = (const uint16_t *)(uintptr_t)bench->c;
	int wrong = 0;
	for (int i = 0; i < bench->size * bench->size; i += 61) {
		int row = i / bench->size, column = i % bench->size;
		double sum = 0, magnitudes = 0;
		for (int k = 0; k < bench->size; k++) {
			double product = (double)value_at(bench, row, k, 1) * value_at(bench, k, column, 2);
			sum += product;
			magnitudes += fabs(product);
		}
		double bound = bench->random ? fabs(sum) * 0x1p-11 + magnitudes * 0x1p-18 : 0;
		wrong += !(fabs(tensor_f16_to_float(values[i]) - sum) <= bound);
	}
	return wrong;
}

static bool run(const struct bench *bench, const struct variant *variant)
{
	struct {
		uint64_t a, b, c;
		int32_t m, n, k;
	} parameters = {bench->a, bench->b, bench->c, bench->size, bench->size, bench->size};
	uint32_t size = (uint32_t)bench->size;
	struct launch launch = {
		.kernel = module_kernel(bench->module, variant->name),
		.grid = {size / variant->tile_columns, size / variant->tile_rows, 1},
		.block = {variant->block[0], variant->block[1], 1},
		.cluster = {1, 1, 1},
		.parameters = &parameters,
	};
	struct machine_options options = {.threads = bench->threads};
	struct counters counters = {0};
	struct fault fault = {0};
	if (launch.kernel == NULL) {
		printf("%-12s not in the PTX\n", variant->name);
		return false;
	}
	memset((void *)(uintptr_t)bench->c, 0xFF, (size_t)size * size * 2);
	double start = processor_seconds(), seconds = 0;
	int launches = 0;
	for (; seconds < SECONDS_MIN; launches++, seconds = processor_seconds() - start) {
		if (!machine_launch(&launch, &options, &counters, &fault)) {
			printf("%-12s %s\n", variant->name, fault.text);
			return false;
		}
	}
	int wrong = count_wrong(bench);
	printf("%-12s %9.3f ms %8.1f M lane instructions/s/core %7.2f tensor GFLOP/s/core  %s\n",
		   variant->name, seconds / launches * 1e3,
		   (double)counters.lane_instructions / seconds * 1e-6,
		   (double)counters.tensor_flops / seconds * 1e-9, wrong ? "WRONG" : "right");
	return wrong == 0;
}

static bool prepare(struct bench *bench)
{
	size_t length = 0;
	struct fault fault = {0};
	char *text = read_file(bench->path, &length);
	if (text == NULL) {
		fprintf(stderr, "emulator_bench: cannot read %s\n", bench->path);
		return false;
	}
	if (!memory_init((size_t)1 << 34))
		return false;
	bench->module = module_parse(text, length, &fault);
	free(text);
	if (bench->module == NULL) {
		fprintf(stderr, "emulator_bench: %s\n", fault.text);
		return false;
	}
	bench->a = make_matrix(bench, 1);
	bench->b = make_matrix(bench, 2);
	bench->c = make_matrix(bench, 3);
	return bench->a && bench->b && bench->c;
}

/* build/emulator/bench_kernels.ptx, beside the executable. */
static const char *default_path(char *buffer, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", buffer, size - 64);
	if (length <= 0)
		return "bench_kernels.ptx";
	buffer[length] = 0;
	strcpy(strrchr(buffer, '/'), "/emulator/bench_kernels.ptx");
	return buffer;
}

int main(int count, char **arguments)
{
	char buffer[4096];
	struct bench bench = {default_path(buffer, sizeof buffer), NULL, 256, 1, false, NULL, 0, 0, 0};
	for (int i = 1; i < count; i++) {
		bool more = i + 1 < count;
		if (strcmp(arguments[i], "--size") == 0 && more)
			bench.size = atoi(arguments[++i]) / 256 * 256;
		else if (strcmp(arguments[i], "--threads") == 0 && more)
			bench.threads = atoi(arguments[++i]);
		else if (strcmp(arguments[i], "--kernel") == 0 && more)
			bench.only = arguments[++i];
		else if (strcmp(arguments[i], "--random") == 0)
			bench.random = true;
		else if (arguments[i][0] != '-')
			bench.path = arguments[i];
		else {
			fprintf(stderr, "usage: emulator_bench [PTX] [--size N] [--threads N] [--kernel NAME] "
							"[--random]\n");
			return 2;
		}
	}
	if (bench.size < 256 || bench.threads < 1 || !prepare(&bench))
		return 2;
	bool right = true;
	for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
		if (bench.only == NULL || strcmp(bench.only, variants[i].name) == 0)
			right = run(&bench, &variants[i]) && right;
	module_free(bench.module);
	return right ? 0 : 1;
}

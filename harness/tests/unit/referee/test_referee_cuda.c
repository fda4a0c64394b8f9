/* links: referee_core testcases base; label: gpu; timeout: 300 */
/* On a GPU: the plug-in draws the very bits that the host draws, finds what was
 * changed, and multiplies as OpenBLAS does. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "device/referee_device.h"
#include "referee/reference.h"
#include "testcases/values.h"

static struct error err;

struct gpu {
	const struct referee_device *device;
	void *state;
	struct device_properties facts;
};

static struct gpu gpu_open(void)
{
	struct gpu gpu = {0};
	char build[PATHS_MAX], folder[PATHS_MAX];
	struct device_choice choice = {.kind = DEVICE_CUDA};
	cr_assert(paths_build(build, &err) && paths_join(folder, build, "libexec", &err), "%s",
			  err.message);
	gpu.device = referee_device_cuda_load(folder, &err);
	cr_assert(gpu.device != NULL, "%s", err.message);
	cr_assert(gpu.device->open(&choice, &gpu.state, &gpu.facts, (float[PART_COUNT]){0}, &err), "%s",
			  err.message);
	return gpu;
}

static const struct value_spec specs[] = {{VALUES_UNIFORM, 1, 0, 0},
										  {VALUES_UNIFORM, 10, 0, 0},
										  {VALUES_UNIFORM, 0.001f, 0, 0},
										  {VALUES_NORMAL, 1, 0, 0},
										  {VALUES_INTEGER, 8, 0, 0},
										  {VALUES_WIDE, 24, 0, 0},
										  {VALUES_INTEGER, 0.0625f, 0, 0},
										  {VALUES_POSITIVE, 3, 0, 0},
										  {VALUES_POSITIVE, 3, 0.1f, 0},
										  {VALUES_SPECIAL, 1, 0, 0},
										  {VALUES_LARGE, 200, 0, 0},
										  {VALUES_ZERO, 1, 0, 0},
										  {VALUES_NAN, 1, 0, 0},
										  {VALUES_UNIFORM, 1e-5f, 0, 0},
										  {VALUES_CODES, 1, 0, 0},
										  {VALUES_MARKER, 0, 0, 0},
										  {VALUES_UNWRITTEN, 0, 0, 0},
										  {VALUES_GRAPH, 10, 0.1f, 0.3f},
										  {VALUES_GRAPH_SIGNED, 10, 0.1f, 0.3f},
										  {VALUES_GRAPH_INTEGER, 10, 0, 0.3f}};

Test(referee_cuda, tells_what_it_is)
{
	struct gpu gpu = gpu_open();
	cr_assert(gpu.facts.name[0] != '\0' && gpu.facts.architecture[0] != '\0');
	cr_assert(gpu.facts.multiprocessors > 0 && gpu.facts.memory_bytes > 0);
	cr_assert(gpu.facts.l2_bytes > 0 && gpu.facts.driver[0] != '\0');
	cr_assert(strstr(gpu.facts.library, "cuBLAS") != NULL);
	gpu.device->close(gpu.state);
}

Test(referee_cuda, draws_the_same_bits_as_the_host)
{
	enum { ELEMENTS = 10007, COLUMNS = 101, STRIDE = 65536, SETS = 3 };
	struct gpu gpu = gpu_open();
	struct arena arena;
	int fd;
	static uint8_t bytes[ELEMENTS * 4];
	cr_assert(gpu.device->arena(gpu.state, SETS * STRIDE, &arena, &fd, &err), "%s", err.message);
	for (size_t t = 0; type_at(t) != NULL; t++)
		for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
			const struct type *type = type_at(t);
			uint64_t size = type_bytes(type, ELEMENTS);
			struct device_region region = {256, size, STRIDE, SETS};
			struct values values = {type->format, specs[s], 77, 1, COLUMNS, ELEMENTS, 0};
			cr_assert(gpu.device->fill(gpu.state, &region, &values, &err), "%s", err.message);
			for (uint32_t set = 0; set < SETS; set++, values.seed++) {
				cr_assert(gpu.device->read(gpu.state, 256 + set * STRIDE, size, bytes, &err));
				for (uint64_t i = 0; i < ELEMENTS; i++)
					cr_assert(values_load(&type->format, bytes, i) == values_at(&values, i),
							  "%s %s %llu", type->name, distribution_name(specs[s].distribution),
							  (unsigned long long)i);
			}
		}
	gpu.device->close(gpu.state);
}

Test(referee_cuda, counts_what_was_changed)
{
	enum { ELEMENTS = 5000, STRIDE = 32768 };
	struct gpu gpu = gpu_open();
	struct arena arena;
	int fd;
	uint64_t changed = 99;
	cr_assert(gpu.device->arena(gpu.state, 2 * STRIDE, &arena, &fd, &err), "%s", err.message);
	struct device_region both = {512, ELEMENTS * 4, STRIDE, 2};
	struct device_region second = {512 + STRIDE, ELEMENTS * 4, STRIDE, 1};
	struct values values = {
		type_of(DTYPE_F32)->format, {VALUES_UNIFORM, 1, 0, 0}, 5, 0, ELEMENTS, ELEMENTS, 0};
	cr_assert(gpu.device->fill(gpu.state, &both, &values, &err), "%s", err.message);
	values.seed++; /* that of the second set */
	cr_assert(gpu.device->count_changed(gpu.state, &second, &values, &changed, &err));
	cr_assert(changed == 0);
	struct device_region few = {512 + STRIDE + 400, 12, STRIDE, 1};
	cr_assert(gpu.device->set_bytes(gpu.state, &few, 0xFF, &err), "%s", err.message);
	cr_assert(gpu.device->count_changed(gpu.state, &second, &values, &changed, &err));
	cr_assert(changed == 3);

	/* both sets at once, and nothing beside the region */
	uint8_t bytes[64];
	struct device_region bands = {100, 17, STRIDE, 2};
	struct device_region around = {64, 64, STRIDE, 2};
	cr_assert(gpu.device->set_bytes(gpu.state, &around, 0, &err));
	cr_assert(gpu.device->set_bytes(gpu.state, &bands, GUARD_PATTERN, &err));
	for (uint64_t set = 0; set < 2; set++) {
		cr_assert(gpu.device->read(gpu.state, 64 + set * STRIDE, sizeof bytes, bytes, &err));
		for (int i = 0; i < 64; i++)
			cr_assert(bytes[i] == (i >= 36 && i < 53 ? GUARD_PATTERN : 0));
	}
	gpu.device->close(gpu.state);
}

/* Three weights of four bits, two of them in one byte. */
Test(referee_cuda, counts_elements_narrower_than_a_byte)
{
	enum { ELEMENTS = 4001 };
	struct gpu gpu = gpu_open();
	const struct type *u4 = type_of(DTYPE_U4);
	struct arena arena;
	int fd;
	uint64_t bytes = type_bytes(u4, ELEMENTS), changed = 99;
	uint8_t last;
	cr_assert(gpu.device->arena(gpu.state, 8192, &arena, &fd, &err), "%s", err.message);
	struct device_region region = {256, bytes, 8192, 1}, first = {256, 1, 8192, 1};
	struct device_region end = {256 + bytes - 1, 1, 8192, 1};
	struct values values = {u4->format, {VALUES_CODES, 7, 0, 0}, 5, 1, ELEMENTS, ELEMENTS, 0};
	cr_assert(gpu.device->fill(gpu.state, &region, &values, &err), "%s", err.message);
	cr_assert(gpu.device->count_changed(gpu.state, &region, &values, &changed, &err));
	cr_assert(changed == 0);
	uint8_t other = (uint8_t)((values_at(&values, 0) << 4 | values_at(&values, 1)) ^ 0x11);
	cr_assert(gpu.device->set_bytes(gpu.state, &first, other, &err));
	cr_assert(gpu.device->read(gpu.state, end.offset, 1, &last, &err));
	cr_assert(gpu.device->set_bytes(gpu.state, &end, last ^ 0x10, &err));
	cr_assert(gpu.device->count_changed(gpu.state, &region, &values, &changed, &err));
	cr_assert(changed == 3);
	gpu.device->close(gpu.state);
}

/* Both devices on the same case; what they come to lives until the next one. */
struct pair {
	struct gpu gpu;
	const struct referee_device *host;
	void *state;
	struct device_product on_gpu, on_host;
};

static struct pair pair_open(void)
{
	struct pair pair = {.gpu = gpu_open(), .host = referee_device_emulated()};
	struct device_choice choice = {.kind = DEVICE_EMULATED};
	struct device_properties facts;
	cr_assert(pair.host->open(&choice, &pair.state, &facts, (float[PART_COUNT]){0}, &err));
	return pair;
}

static void pair_multiply(struct pair *pair, const struct problem *problem,
						  const struct test_case *test)
{
	struct device_request request = reference_request(problem, test, test->seed);
	cr_assert(pair->gpu.device->product(pair->gpu.state, &request, &pair->on_gpu, &err), "%s",
			  err.message);
	cr_assert(pair->host->product(pair->state, &request, &pair->on_host, &err), "%s", err.message);
}

static void pair_close(struct pair *pair)
{
	pair->host->close(pair->state);
	pair->gpu.device->close(pair->gpu.state);
}

static bool same(double got, double want, double bound)
{
	return isnan(want) ? isnan(got) : isinf(want) ? got == want : fabs(got - want) <= bound;
}

/* The sums of every element, their magnitudes, and what rounding weights would change. */
static void agree(const struct pair *pair, const struct problem *problem,
				  const struct test_case *test)
{
	const struct device_product *gpu = &pair->on_gpu, *host = &pair->on_host;
	uint64_t count = shape_rows(&test->shape) * shape_columns(&test->shape);
	double growth = 4 * sqrt(test->shape.size[SIZE_K]);
	cr_assert((gpu->rest != NULL) == (host->rest != NULL));
	for (uint64_t i = 0; i < count; i++) {
		double magnitude = (double)host->magnitude[i];
		double got = gpu->product_f64 != NULL ? gpu->product_f64[i] : (double)gpu->product_f32[i];
		cr_assert(same(got, host->product_f64[i], growth * gpu->unit_roundoff * magnitude),
				  "%s %llu: %g is not %g", problem->name, (unsigned long long)i, got,
				  host->product_f64[i]);
		cr_assert(!isfinite(magnitude) ||
				  fabs((double)gpu->magnitude[i] - magnitude) <= 1e-4 * magnitude);
		cr_assert(gpu->rest == NULL || !isfinite(magnitude) ||
				  fabs((double)gpu->rest[i] - (double)host->rest[i]) <= 1e-6 * magnitude);
	}
}

/* Every problem that sums products: transposed, batched and grouped operands, zero points. With
 * special values too: both libraries must carry them alike. */
Test(referee_cuda, multiplies_as_openblas_does)
{
	static const struct shape shapes[] = {
		{{1, 1, 1, 2, 2}}, {{3, 17, 33, 66, 2}}, {{2, 128, 200, 1000, 8}}, {{1, 64, 64, 64, 64}}};
	size_t count;
	const struct problem *table = problem_table(&count);
	struct pair pair = pair_open();
	for (size_t p = 0; p < count; p++)
		for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
			for (int special = 0; special < 2; special++) {
				const struct problem *problem = &table[p];
				struct shape shape = shapes[s];
				for (int i = 0; i < SIZE_COUNT; i++)
					shape.size[i] = problem_size_of(problem, (enum size)i) ? shape.size[i] : 1;
				struct test_case test = case_of_shape(problem, &shape, NULL, 3);
				for (size_t o = 0; o < problem_operands(problem); o++)
					if (special && problem->operands[o].draw == DRAW_NUMBERS)
						test.values[o].distribution = VALUES_SPECIAL;
				if (problem_takes(problem, SCALAR_ZERO_LEFT)) {
					test.scalar[SCALAR_ZERO_LEFT] = 5;
					test.scalar[SCALAR_ZERO_RIGHT] = -7;
				}
				if (problem->algebra != ALGEBRA_PLUS_TIMES)
					continue;
				pair_multiply(&pair, problem, &test);
				agree(&pair, problem, &test);
			}
	pair_close(&pair);
}

Test(referee_cuda, takes_minima_as_the_host_does)
{
	static const struct shape shapes[] = {
		{{1, 1, 1, 1, 1}}, {{1, 17, 33, 65, 1}}, {{1, 128, 200, 1000, 1}}, {{1, 64, 64, 64, 1}}};
	static const enum distribution kinds[] = {VALUES_UNIFORM, VALUES_POSITIVE, VALUES_WIDE,
											  VALUES_LARGE};
	const struct problem *problem = problem_find("minplus-f32");
	struct pair pair = pair_open();
	for (size_t i = 0; i < 16; i++) {
		struct test_case test = case_of_shape(problem, &shapes[i % 4], NULL, 3);
		float scale = kinds[i / 4] == VALUES_LARGE ? 3e38f : 20;
		test.values[0] = test.values[1] =
			(struct value_spec){.distribution = kinds[i / 4], .scale = scale};
		pair_multiply(&pair, problem, &test);
		cr_assert(pair.on_gpu.unit_roundoff == 0 && pair.on_host.unit_roundoff == 0);
		for (uint64_t e = 0; e < shape_rows(&test.shape) * shape_columns(&test.shape); e++)
			cr_assert(pair.on_gpu.product_f32[e] == pair.on_host.product_f32[e],
					  "%llu: %g is not %g", (unsigned long long)e,
					  (double)pair.on_gpu.product_f32[e], (double)pair.on_host.product_f32[e]);
	}
	pair_close(&pair);
}

Test(referee_cuda, finds_the_paths_that_the_host_finds)
{
	static const int32_t nodes[] = {1, 2, 31, 64, 200, 333};
	static const struct value_spec graphs[] = {{VALUES_GRAPH, 10, 0.1f, 0.3f},
											   {VALUES_GRAPH, 10, 0.1f, 0.01f},
											   {VALUES_GRAPH_SIGNED, 10, 0.1f, 0.3f},
											   {VALUES_GRAPH_INTEGER, 10, 0, 1}};
	const struct problem *problem = problem_find("apsp-f32");
	struct pair pair = pair_open();
	for (size_t i = 0; i < 24; i++) {
		int32_t n = nodes[i % 6];
		struct shape shape = {{1, n, n, n, 1}};
		struct test_case test = case_of_shape(problem, &shape, NULL, 3);
		test.values[0] = graphs[i / 6];
		pair_multiply(&pair, problem, &test);
		const struct device_product *gpu = &pair.on_gpu;
		for (uint64_t e = 0; e < (uint64_t)n * (uint64_t)n; e++) {
			double want = pair.on_host.product_f64[e];
			double got =
				gpu->product_f64 != NULL ? gpu->product_f64[e] : (double)gpu->product_f32[e];
			double bound = 2 * gpu->unit_roundoff * (double)pair.on_host.magnitude[e];
			cr_assert(same(got, want, bound), "%d nodes, %llu: %g is not %g", n,
					  (unsigned long long)e, got, want);
		}
	}
	pair_close(&pair);
}

/* ---- sealed cases ----------------------------------------------------------- */

Test(referee_cuda, groups_are_memory_of_their_own_and_digests_are_those_of_the_host)
{
	enum { ELEMENTS = 20011, GROUPS = 2, GROUP = 4 };
	struct gpu gpu = gpu_open();
	struct arena arena = {.sets = GROUPS * GROUP, .set_stride = 100 * 1024};
	static uint8_t bytes[ELEMENTS * 4];
	int fds[GROUPS] = {-1, -1}, none;
	cr_assert(gpu.device->sealed_arena(gpu.state, &arena, GROUP, &err), "%s", err.message);
	cr_assert(arena.set_stride >= 100 * 1024 && arena.set_stride % 256 == 0);
	for (uint32_t i = 0; i < GROUPS; i++)
		cr_assert(gpu.device->group_descriptor(gpu.state, i, &fds[i], &err), "%s", err.message);
	cr_assert(fds[0] >= 0 && fds[1] >= 0 && fds[0] != fds[1]);
	cr_assert_not(gpu.device->group_descriptor(gpu.state, GROUPS, &none, &err));

	struct device_region all = {256, ELEMENTS * 4, arena.set_stride, GROUPS * GROUP};
	struct values values = {
		type_of(DTYPE_F32)->format, {VALUES_UNIFORM, 1, 0, 0}, 5, 0, ELEMENTS, ELEMENTS, 0};
	cr_assert(gpu.device->fill(gpu.state, &all, &values, &err), "%s", err.message);
	for (uint32_t set = 0; set < GROUPS * GROUP; set++) {
		uint64_t from = 256 + set * arena.set_stride;
		uint64_t behind = 256 + GROUPS * GROUP * arena.set_stride;
		struct digest there, here;
		cr_assert(gpu.device->copy(gpu.state, from, behind, sizeof bytes, &err), "%s", err.message);
		cr_assert(gpu.device->digest(gpu.state, behind, sizeof bytes, &there, &err));
		cr_assert(gpu.device->read(gpu.state, from, sizeof bytes, bytes, &err));
		cr_assert(digest_of(bytes, sizeof bytes, &here));
		cr_assert(memcmp(&there, &here, sizeof here) == 0, "set %u", set);
	}
	gpu.device->close(gpu.state);
}

Test(referee_cuda, digests_of_many_lengths_are_those_of_the_host)
{
	static const uint64_t lengths[] = {1, 15, 16, 17, 4096, DIGEST_TILE, DIGEST_TILE + 1, 3000001};
	struct gpu gpu = gpu_open();
	struct arena arena;
	int fd;
	uint8_t *bytes = malloc(3000001);
	cr_assert(bytes != NULL);
	cr_assert(gpu.device->arena(gpu.state, 1 << 22, &arena, &fd, &err), "%s", err.message);
	struct device_region all = {0, 1 << 22, 1 << 22, 1};
	struct values values = {
		type_of(DTYPE_F32)->format, {VALUES_CODES, 1, 0, 0}, 9, 0, 1 << 20, 1 << 20, 0};
	cr_assert(gpu.device->fill(gpu.state, &all, &values, &err), "%s", err.message);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct digest there, here;
		cr_assert(gpu.device->digest(gpu.state, 256, lengths[i], &there, &err), "%s", err.message);
		cr_assert(gpu.device->read(gpu.state, 256, lengths[i], bytes, &err));
		cr_assert(digest_of(bytes, lengths[i], &here));
		cr_assert(memcmp(&there, &here, sizeof here) == 0, "%llu bytes",
				  (unsigned long long)lengths[i]);
	}
	free(bytes);
	gpu.device->close(gpu.state);
}

/* A contestant maps all of the 2 MiB that its case begins with, and may write to what lies behind
 * the case: the next file's case, larger or smaller, shows nothing of it. */
Test(referee_cuda, what_lies_behind_a_case_is_wiped)
{
	enum { LARGE = 1 << 20, SMALL = 4096, SHARED = 2 << 20, MARK = 0x77 };
	struct gpu gpu = gpu_open();
	struct device_region all = {0, SHARED, SHARED, 1};
	static uint8_t bytes[SHARED];
	struct arena arena;
	int fd;
	const uint64_t sizes[] = {LARGE, SMALL, LARGE};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		cr_assert(gpu.device->arena(gpu.state, sizes[i], &arena, &fd, &err), "%s", err.message);
		cr_assert(gpu.device->read(gpu.state, 0, SHARED, bytes, &err), "%s", err.message);
		for (size_t at = 0; i > 0 && at < SHARED; at++)
			cr_assert_neq(bytes[at], MARK, "byte %zu of a case of %llu", at,
						  (unsigned long long)sizes[i]);
		cr_assert(gpu.device->set_bytes(gpu.state, &all, MARK, &err), "%s", err.message);
		cr_assert(gpu.device->wipe(gpu.state, &err), "%s", err.message);
	}
	gpu.device->close(gpu.state);
}

Test(referee_cuda, nobody_gets_a_group_of_a_wiped_case)
{
	struct gpu gpu = gpu_open();
	struct arena arena = {.sets = 4, .set_stride = 100 * 1024};
	int fd = -1;
	cr_assert(gpu.device->sealed_arena(gpu.state, &arena, 2, &err), "%s", err.message);
	cr_assert(gpu.device->group_descriptor(gpu.state, 1, &fd, &err), "%s", err.message);
	cr_assert(gpu.device->wipe(gpu.state, &err), "%s", err.message);
	for (uint32_t group = 0; group < 2; group++)
		cr_assert_not(gpu.device->group_descriptor(gpu.state, group, &fd, &err));
	gpu.device->close(gpu.state);
}

/* Rows by themselves are those of the whole result, to the rounding of another order. */
static void check_rows(struct gpu *gpu, const char *problem_name, struct shape shape,
					   const uint64_t *rows, uint32_t count)
{
	const struct problem *problem = problem_find(problem_name);
	struct test_case test = {.shape = shape};
	struct device_product whole, alone;
	uint64_t columns = shape_columns(&shape), total = shape_rows(&shape) * columns;
	double *kept = malloc(total * sizeof *kept);
	cr_assert(kept != NULL);
	for (int i = 0; i < SCALAR_COUNT; i++)
		test.scalar[i] = scalar_neutral((enum scalar)i);
	for (size_t i = 0; i < OPERANDS_MAX; i++)
		test.values[i] = (struct value_spec){VALUES_UNIFORM, 1, 0, 0};
	struct device_request request = reference_request(problem, &test, 11);
	cr_assert(gpu->device->product(gpu->state, &request, &whole, &err), "%s", err.message);
	for (uint64_t i = 0; i < total; i++)
		kept[i] = whole.product_f64 != NULL ? whole.product_f64[i] : (double)whole.product_f32[i];
	request.rows = rows;
	request.row_count = count;
	cr_assert(gpu->device->product(gpu->state, &request, &alone, &err), "%s", err.message);
	for (uint64_t i = 0; i < count * columns; i++) {
		double row =
			alone.product_f64 != NULL ? alone.product_f64[i] : (double)alone.product_f32[i];
		double want = kept[rows[i / columns] * columns + i % columns];
		cr_assert(fabs(row - want) <= 1e-4 * (1 + fabs(want)), "%s: %g, %g", problem_name, row,
				  want);
	}
	free(kept);
}

Test(referee_cuda, rows_alone_are_rows_of_the_result)
{
	struct gpu gpu = gpu_open();
	static const uint64_t few[] = {0, 7, 99}, batch[] = {70, 71, 99}; /* of the third of 34 rows */
	cr_assert(gpu.device->rows_alone);
	check_rows(&gpu, "gemm-f16", (struct shape){{1, 100, 77, 130, 1}}, few, 3);
	check_rows(&gpu, "linear-f16", (struct shape){{1, 100, 77, 130, 1}}, few, 3);
	check_rows(&gpu, "minplus-f32", (struct shape){{1, 100, 77, 130, 1}}, few, 3);
	check_rows(&gpu, "batched-f32", (struct shape){{4, 34, 20, 31, 1}}, batch, 3);
	gpu.device->close(gpu.state);
}

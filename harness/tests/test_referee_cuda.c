/* links: referee_core testcases base; label: gpu; timeout: 300 */
/* On a GPU: the plug-in draws the very bits that the host draws, finds what was
 * changed, and multiplies as OpenBLAS does. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "device/referee_device.h"
#include "testcases/values.h"

static struct error err;

struct gpu {
	const struct referee_device *device;
	void *state;
	struct device_facts facts;
};

static struct gpu gpu_open(void)
{
	struct gpu gpu = {0};
	char build[PATHS_MAX], folder[PATHS_MAX], source[PATHS_MAX];
	struct device_choice choice = {.kind = DEVICE_CUDA};
	cr_assert(paths_build(build, &err) && paths_join(folder, build, "libexec", &err), "%s",
			  err.message);
	if (!paths_source(source, &err))
		source[0] = '\0';
	gpu.device = referee_device_cuda_load(folder, source, &err);
	cr_assert(gpu.device != NULL, "%s", err.message);
	cr_assert(gpu.device->open(&choice, &gpu.state, &gpu.facts, &err), "%s", err.message);
	return gpu;
}

static const struct value_spec specs[] = {
	{VALUES_UNIFORM, 1},    {VALUES_UNIFORM, 10}, {VALUES_UNIFORM, 0.001f},  {VALUES_NORMAL, 1},
	{VALUES_INTEGER, 8},    {VALUES_WIDE, 24},    {VALUES_INTEGER, 0.0625f}, {VALUES_POSITIVE, 3},
	{VALUES_SPECIAL, 1},    {VALUES_LARGE, 200},  {VALUES_ZERO, 1},          {VALUES_NAN, 1},
	{VALUES_UNIFORM, 1e-5f}};
static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};

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
	enum { ELEMENTS = 10007, STRIDE = 65536, SETS = 3 };
	struct gpu gpu = gpu_open();
	struct arena arena;
	int fd;
	static uint8_t bytes[ELEMENTS * 4];
	cr_assert(gpu.device->arena(gpu.state, SETS * STRIDE, &arena, &fd, &err), "%s", err.message);
	for (size_t t = 0; t < 3; t++)
		for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
			size_t size = dtype_size(types[t]);
			struct device_region region = {256, ELEMENTS * size, STRIDE, SETS};
			struct device_values values = {types[t], specs[s], 77, VALUES_STREAM_B, ELEMENTS};
			cr_assert(gpu.device->fill(gpu.state, &region, &values, &err), "%s", err.message);
			for (uint32_t set = 0; set < SETS; set++) {
				cr_assert(
					gpu.device->read(gpu.state, 256 + set * STRIDE, ELEMENTS * size, bytes, &err));
				for (uint64_t i = 0; i < ELEMENTS; i++) {
					uint32_t bits = 0;
					memcpy(&bits, bytes + i * size, size);
					cr_assert(bits == values_at(types[t], specs[s], 77 + set, VALUES_STREAM_B, i),
							  "%s %s %llu", dtype_name(types[t]),
							  distribution_name(specs[s].distribution), (unsigned long long)i);
				}
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
	struct device_values values = {DTYPE_F32, {VALUES_UNIFORM, 1}, 5, VALUES_STREAM_A, ELEMENTS};
	cr_assert(gpu.device->fill(gpu.state, &both, &values, &err), "%s", err.message);
	values.seed++; /* that of the second set */
	cr_assert(gpu.device->count_changed(gpu.state, &second, &values, &changed, &err));
	cr_assert(changed == 0);
	struct device_region few = {512 + STRIDE + 400, 12, STRIDE, 1};
	cr_assert(gpu.device->set_bytes(gpu.state, &few, POISON_PATTERN, &err), "%s", err.message);
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

/* With special values too: both libraries must carry them alike. */
Test(referee_cuda, multiplies_as_openblas_does)
{
	struct gpu gpu = gpu_open();
	const struct referee_device *host = referee_device_emulated();
	struct device_choice choice = {.kind = DEVICE_EMULATED};
	struct device_facts facts;
	void *state;
	cr_assert(host->open(&choice, &state, &facts, &err));
	const struct shape shapes[] = {{1, 1, 1}, {17, 33, 65}, {128, 200, 1000}, {64, 64, 64}};
	for (size_t t = 0; t < 3; t++)
		for (size_t s = 0; s < 4; s++)
			for (int special = 0; special < 2; special++) {
				struct shape shape = shapes[s];
				struct value_spec spec = {special ? VALUES_SPECIAL : VALUES_UNIFORM, 1};
				struct device_values a = {types[t], spec, 3, VALUES_STREAM_A,
										  (uint64_t)shape.m * (uint64_t)shape.k};
				struct device_values b = {types[t], spec, 3, VALUES_STREAM_B,
										  (uint64_t)shape.k * (uint64_t)shape.n};
				struct device_product on_gpu, on_host;
				cr_assert(gpu.device->product(gpu.state, ALGEBRA_PLUS_TIMES, shape, &a, &b, &on_gpu,
											  &err),
						  "%s", err.message);
				cr_assert(host->product(state, ALGEBRA_PLUS_TIMES, shape, &a, &b, &on_host, &err));
				for (int i = 0; i < shape.m * shape.n; i++) {
					double want = on_host.product_f64[i], magnitude = on_host.magnitude[i];
					double got =
						on_gpu.product_f64 != NULL ? on_gpu.product_f64[i] : on_gpu.product_f32[i];
					double bound = 4 * sqrt(shape.k) * on_gpu.unit_roundoff * magnitude;
					bool same = isnan(want)   ? isnan(got)
								: isinf(want) ? got == want
											  : fabs(got - want) <= bound;
					cr_assert(same, "%s %d: %g is not %g", dtype_name(types[t]), i, got, want);
					cr_assert(!isfinite(magnitude) ||
							  fabs(on_gpu.magnitude[i] - magnitude) <= 1e-4 * magnitude);
				}
			}
	host->close(state);
	gpu.device->close(gpu.state);
}

Test(referee_cuda, takes_minima_as_the_host_does)
{
	struct gpu gpu = gpu_open();
	const struct referee_device *host = referee_device_emulated();
	struct device_choice choice = {.kind = DEVICE_EMULATED};
	struct device_facts facts;
	void *state;
	cr_assert(host->open(&choice, &state, &facts, &err));
	const struct shape shapes[] = {{1, 1, 1}, {17, 33, 65}, {128, 200, 1000}, {64, 64, 64}};
	const enum distribution kinds[] = {VALUES_UNIFORM, VALUES_POSITIVE, VALUES_WIDE, VALUES_LARGE};
	for (size_t i = 0; i < 16; i++) {
		struct shape shape = shapes[i % 4];
		struct value_spec spec = {kinds[i / 4], kinds[i / 4] == VALUES_LARGE ? 3e38f : 20};
		struct device_values a = {DTYPE_F32, spec, 3, VALUES_STREAM_A,
								  (uint64_t)shape.m * (uint64_t)shape.k};
		struct device_values b = {DTYPE_F32, spec, 3, VALUES_STREAM_B,
								  (uint64_t)shape.k * (uint64_t)shape.n};
		struct device_product on_gpu, on_host;
		cr_assert(gpu.device->product(gpu.state, ALGEBRA_MIN_PLUS, shape, &a, &b, &on_gpu, &err),
				  "%s", err.message);
		cr_assert(host->product(state, ALGEBRA_MIN_PLUS, shape, &a, &b, &on_host, &err));
		cr_assert(on_gpu.unit_roundoff == 0 && on_host.unit_roundoff == 0);
		for (int e = 0; e < shape.m * shape.n; e++)
			cr_assert(on_gpu.product_f32[e] == on_host.product_f32[e], "%d: %g is not %g", e,
					  (double)on_gpu.product_f32[e], (double)on_host.product_f32[e]);
	}
	host->close(state);
	gpu.device->close(gpu.state);
}

/* The referee's device where there is none: the arena is a memfd, values are
 * drawn by the CPU and the product is OpenBLAS's in f64, or a plain loop. */
#define _GNU_SOURCE /* memfd_create, file seals */

#include <cblas.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/referee_device.h"
#include "testcases/values.h"

struct emulated {
	int fd;
	uint8_t *memory;
	uint64_t bytes;
	size_t capacity_a, capacity_b, capacity_c;
	double *a, *b, *product, *magnitude_f64;
	float *magnitude;
	size_t capacity_f32;
	float *f32; /* A, B and the product of an algebra that is exact in f32 */
};

static void arena_drop(struct emulated *device)
{
	if (device->memory != NULL)
		munmap(device->memory, device->bytes);
	if (device->fd >= 0)
		close(device->fd);
	device->memory = NULL;
	device->fd = -1;
}

static uint64_t memory_free(void *state)
{
	(void)state;
	return (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool emulated_open(const struct device_choice *choice, void **state,
						  struct device_facts *facts, struct error *err)
{
	(void)choice;
	struct emulated *device = calloc(1, sizeof *device);
	if (device == NULL)
		return error_set(err, "out of memory");
	device->fd = -1;
	*state = device;

	*facts = (struct device_facts){.name = "emulated GPU"};
	facts->multiprocessors = (int)sysconf(_SC_NPROCESSORS_ONLN);
	facts->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	/* openblas_get_config() goes on with build options; name and version do. */
	const char *config = openblas_get_config();
	size_t length = strcspn(config, " ");
	if (config[length] == ' ')
		length += 1 + strcspn(config + length + 1, " ");
	if (length >= sizeof facts->library)
		length = sizeof facts->library - 1;
	memcpy(facts->library, config, length);
	return true;
}

static void emulated_close(void *state)
{
	struct emulated *device = state;
	if (device == NULL)
		return;
	arena_drop(device);
	free(device->a);
	free(device->b);
	free(device->product);
	free(device->magnitude_f64);
	free(device->magnitude);
	free(device->f32);
	free(device);
}

/* A fresh memfd a case; sealed in size, so that a contestant that shrinks it
 * cannot make the referee's own reads fault. */
static bool emulated_arena(void *state, uint64_t bytes, struct arena *arena, int *fd,
						   struct error *err)
{
	struct emulated *device = state;
	(void)arena;
	arena_drop(device);
	device->fd = memfd_create("gemmjudge-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (device->fd < 0 || ftruncate(device->fd, (off_t)bytes) != 0 ||
		fcntl(device->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
		error_set(err, "no shared memory of %llu bytes: %s", (unsigned long long)bytes,
				  strerror(errno));
		arena_drop(device);
		return false;
	}
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device->fd, 0);
	if (memory == MAP_FAILED) {
		error_set(err, "no shared memory of %llu bytes: %s", (unsigned long long)bytes,
				  strerror(errno));
		arena_drop(device);
		return false;
	}
	device->memory = memory;
	device->bytes = bytes;
	*fd = device->fd;
	return true;
}

static void store(uint8_t *at, enum dtype type, uint32_t bits)
{
	uint16_t half = (uint16_t)bits;
	if (type == DTYPE_F32)
		memcpy(at, &bits, 4);
	else
		memcpy(at, &half, 2);
}

static bool emulated_fill(void *state, const struct device_region *region,
						  const struct device_values *values, struct error *err)
{
	struct emulated *device = state;
	size_t size = dtype_size(values->type);
	(void)err;
	for (uint32_t set = 0; set < region->sets; set++) {
		uint8_t *start = device->memory + region->offset + set * region->stride;
		for (uint64_t i = 0; i < values->elements; i += VALUES_BLOCK) {
			uint32_t block[VALUES_BLOCK];
			values_block(values->type, values->spec, values->seed + set, values->operand,
						 i / VALUES_BLOCK, block);
			for (uint64_t j = i; j < i + VALUES_BLOCK && j < values->elements; j++)
				store(start + j * size, values->type, block[j - i]);
		}
	}
	return true;
}

static bool emulated_set_bytes(void *state, const struct device_region *region, uint8_t byte,
							   struct error *err)
{
	struct emulated *device = state;
	(void)err;
	for (uint32_t set = 0; set < region->sets; set++)
		memset(device->memory + region->offset + set * region->stride, byte, region->bytes);
	return true;
}

/* There is no cache whose state could be measured. */
static bool emulated_sweep_cache(void *opaque, struct error *err)
{
	(void)opaque;
	(void)err;
	return true;
}

static bool emulated_count_changed(void *state, const struct device_region *region,
								   const struct device_values *values, uint64_t *changed,
								   struct error *err)
{
	struct emulated *device = state;
	const uint8_t *start = device->memory + region->offset;
	size_t size = dtype_size(values->type);
	(void)err;
	*changed = 0;
	for (uint64_t i = 0; i < values->elements; i += VALUES_BLOCK) {
		uint32_t block[VALUES_BLOCK];
		values_block(values->type, values->spec, values->seed, values->operand, i / VALUES_BLOCK,
					 block);
		for (uint64_t j = i; j < i + VALUES_BLOCK && j < values->elements; j++) {
			uint32_t bits = 0; /* x86-64: the low bytes come first */
			memcpy(&bits, start + j * size, size);
			*changed += bits != block[j - i];
		}
	}
	return true;
}

static bool emulated_read(void *state, uint64_t offset, uint64_t bytes, void *out,
						  struct error *err)
{
	struct emulated *device = state;
	(void)err;
	memcpy(out, device->memory + offset, bytes);
	return true;
}

static void draw_doubles(const struct device_values *values, double *out)
{
	for (uint64_t i = 0; i < values->elements; i += VALUES_BLOCK) {
		uint32_t block[VALUES_BLOCK];
		values_block(values->type, values->spec, values->seed, values->operand, i / VALUES_BLOCK,
					 block);
		for (uint64_t j = i; j < i + VALUES_BLOCK && j < values->elements; j++)
			out[j] = values_to_double(values->type, block[j - i]);
	}
}

static void make_absolute(double *x, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		x[i] = fabs(x[i]);
}

static bool grow(double **buffer, size_t *capacity, size_t count, struct error *err)
{
	if (count <= *capacity)
		return true;
	free(*buffer);
	*capacity = 0;
	*buffer = malloc(count * sizeof **buffer);
	if (*buffer == NULL)
		return error_set(err, "no memory for a reference of %zu elements", count);
	*capacity = count;
	return true;
}

static bool grow_results(struct emulated *device, size_t count, struct error *err)
{
	if (count <= device->capacity_c)
		return true;
	device->capacity_c = 0;
	free(device->product);
	free(device->magnitude_f64);
	free(device->magnitude);
	device->product = malloc(count * sizeof *device->product);
	device->magnitude_f64 = malloc(count * sizeof *device->magnitude_f64);
	device->magnitude = malloc(count * sizeof *device->magnitude);
	if (device->product == NULL || device->magnitude_f64 == NULL || device->magnitude == NULL)
		return error_set(err, "no memory for a reference of %zu elements", count);
	device->capacity_c = count;
	return true;
}

static void multiply(struct shape s, const double *a, const double *b, double *c)
{
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s.m, s.n, s.k, 1.0, a, s.k, b, s.n, 0.0,
				c, s.n);
}

static void draw_floats(const struct device_values *values, float *out)
{
	for (uint64_t i = 0; i < values->elements; i += VALUES_BLOCK) {
		uint32_t block[VALUES_BLOCK];
		values_block(values->type, values->spec, values->seed, values->operand, i / VALUES_BLOCK,
					 block);
		for (uint64_t j = i; j < i + VALUES_BLOCK && j < values->elements; j++)
			out[j] = (float)values_to_double(values->type, block[j - i]);
	}
}

/* C_ij = min over k of A_ik + B_kj: a row of C at a time, so that the compiler can
 * take several columns at once. A sum that is NaN never is the least. */
static void multiply_min_plus(struct shape s, const float *a, const float *b, float *c)
{
	size_t n = (size_t)s.n, k = (size_t)s.k;
	for (size_t i = 0; i < (size_t)s.m; i++) {
		float *row = c + i * n;
		for (size_t j = 0; j < n; j++)
			row[j] = INFINITY;
		for (size_t l = 0; l < k; l++) {
			float edge = a[i * k + l];
			for (size_t j = 0; j < n; j++) {
				float sum = edge + b[l * n + j];
				row[j] = sum < row[j] ? sum : row[j];
			}
		}
	}
}

static bool min_plus_product(struct emulated *device, struct shape shape,
							 const struct device_values *a, const struct device_values *b,
							 struct device_product *out, struct error *err)
{
	size_t count = a->elements + b->elements + (size_t)shape.m * (size_t)shape.n;
	if (count > device->capacity_f32) {
		free(device->f32);
		device->capacity_f32 = 0;
		device->f32 = calloc(count, sizeof *device->f32);
		if (device->f32 == NULL)
			return error_set(err, "no memory for a reference of %zu elements", count);
		device->capacity_f32 = count;
	}
	float *b_f32 = device->f32 + a->elements, *c_f32 = b_f32 + b->elements;
	draw_floats(a, device->f32);
	draw_floats(b, b_f32);
	multiply_min_plus(shape, device->f32, b_f32, c_f32);
	*out = (struct device_product){.product_f32 = c_f32};
	return true;
}

static bool emulated_product(void *state, enum algebra algebra, struct shape shape,
							 const struct device_values *a, const struct device_values *b,
							 struct device_product *out, struct error *err)
{
	struct emulated *device = state;
	if (algebra == ALGEBRA_MIN_PLUS)
		return min_plus_product(device, shape, a, b, out, err);
	size_t count = (size_t)shape.m * (size_t)shape.n;
	if (!grow(&device->a, &device->capacity_a, a->elements, err) ||
		!grow(&device->b, &device->capacity_b, b->elements, err) ||
		!grow_results(device, count, err))
		return false;

	draw_doubles(a, device->a);
	draw_doubles(b, device->b);
	multiply(shape, device->a, device->b, device->product);
	make_absolute(device->a, a->elements);
	make_absolute(device->b, b->elements);
	multiply(shape, device->a, device->b, device->magnitude_f64);
	for (size_t i = 0; i < count; i++)
		device->magnitude[i] = (float)device->magnitude_f64[i];
	*out = (struct device_product){
		.product_f64 = device->product,
		.magnitude = device->magnitude,
		.unit_roundoff = 0x1p-53,
	};
	return true;
}

static const struct referee_device emulated_device = {
	.version = REFEREE_DEVICE_VERSION,
	.open = emulated_open,
	.close = emulated_close,
	.memory_free = memory_free,
	.arena = emulated_arena,
	.fill = emulated_fill,
	.set_bytes = emulated_set_bytes,
	.sweep_cache = emulated_sweep_cache,
	.count_changed = emulated_count_changed,
	.read = emulated_read,
	.product = emulated_product,
};

const struct referee_device *referee_device_emulated(void)
{
	return &emulated_device;
}

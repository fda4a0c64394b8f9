/* The referee's device where there is none: the arena is a memfd, values are
 * drawn by the CPU and products are OpenBLAS's in f64, or plain loops. */
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
#include "testcases/values_run.h"

struct emulated {
	int *fds; /* of the arena, or of each of its sets */
	uint32_t count;
	uint8_t *memory;
	uint8_t *filled; /* what fill() put there, where nobody else reaches it */
	uint64_t bytes;
	size_t capacity_a, capacity_b, capacity_rest, capacity_c;
	double *a, *b, *b_rest, *product, *magnitude_f64;
	float *magnitude, *squares, *rest;
};

static void arena_drop(struct emulated *device)
{
	if (device->memory != NULL)
		munmap(device->memory, device->bytes);
	for (uint32_t i = 0; i < device->count; i++)
		close(device->fds[i]);
	free(device->fds);
	free(device->filled);
	device->fds = NULL;
	device->count = 0;
	device->filled = NULL;
	device->memory = NULL;
}

static uint64_t memory_free(void *state)
{
	(void)state;
	return (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool emulated_open(const struct device_choice *choice, void **state,
						  struct device_properties *facts, float seconds[PART_COUNT],
						  struct error *err)
{
	(void)choice;
	(void)seconds;
	struct emulated *device = calloc(1, sizeof *device);
	if (device == NULL)
		return error_set(err, "out of memory");
	*state = device;

	*facts = (struct device_properties){.name = "emulated GPU"};
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

/* Each case has memory of its own. */
static bool emulated_wipe(void *state, struct error *err)
{
	(void)err;
	arena_drop(state);
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
	free(device->b_rest);
	free(device->product);
	free(device->magnitude_f64);
	free(device->magnitude);
	free(device->squares);
	free(device->rest);
	free(device);
}

/* Sealed in size, so that a contestant that shrinks it cannot make the referee's own reads fault.
 */
static int memory_file(uint64_t bytes)
{
	int fd = memfd_create("gemmjudge-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && (ftruncate(fd, (off_t)bytes) != 0 ||
					fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* `count` memfds of so many bytes, one behind the other, and behind them memory that is not
 * shared. On failure errno says why. */
static bool map_files(struct emulated *device, uint32_t count, uint64_t bytes, uint64_t behind)
{
	void *memory = mmap(NULL, count * bytes + behind, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	device->fds = calloc(count, sizeof *device->fds);
	if (memory == MAP_FAILED || device->fds == NULL)
		return false;
	device->memory = memory;
	device->bytes = count * bytes + behind;
	while (device->count < count) {
		int fd = memory_file(bytes);
		if (fd < 0)
			return false;
		device->fds[device->count] = fd;
		if (mmap(device->memory + device->count++ * bytes, bytes, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			return false;
	}
	device->filled = malloc(device->bytes);
	return device->filled != NULL;
}

/* Fresh memory a case. */
static bool arena_make(struct emulated *device, uint32_t count, uint64_t bytes, uint64_t behind,
					   struct error *err)
{
	arena_drop(device);
	if (map_files(device, count, bytes, behind))
		return true;
	error_set(err, "no shared memory of %llu bytes: %s",
			  (unsigned long long)(count * bytes + behind), strerror(errno));
	arena_drop(device);
	return false;
}

static bool emulated_arena(void *state, uint64_t bytes, struct arena *arena, int *fd,
						   struct error *err)
{
	struct emulated *device = state;
	(void)arena;
	if (!arena_make(device, 1, bytes, 0, err))
		return false;
	*fd = device->fds[0];
	return true;
}

static bool emulated_sealed_arena(void *state, struct arena *arena, uint32_t group,
								  struct error *err)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	arena->set_stride = (arena->set_stride + page - 1) / page * page;
	arena->bytes = arena->sets * arena->set_stride;
	return arena_make(state, arena->sets / group, group * arena->set_stride, arena->set_stride,
					  err);
}

static bool emulated_group_descriptor(void *state, uint32_t group, int *fd, struct error *err)
{
	struct emulated *device = state;
	if (group >= device->count)
		return error_set(err, "there is no group %u", group);
	*fd = device->fds[group];
	return true;
}

/* Elements that are drawn together. */
#define DRAWN ((uint64_t)1024)

/* So many elements from `first` on, a multiple of DRAWN: DRAWN, or what there is behind it. */
static uint64_t draw(const struct values *values, uint64_t first, uint32_t bits[DRAWN])
{
	const uint64_t left = values->elements - first, count = left < DRAWN ? left : DRAWN;
	values_run(values, first / VALUES_BLOCK, (count + VALUES_BLOCK - 1) / VALUES_BLOCK, bits);
	return count;
}

static bool emulated_fill(void *state, const struct device_region *region,
						  const struct values *values, struct error *err)
{
	struct emulated *device = state;
	(void)err;
	for (uint32_t set = 0; set < region->sets; set++) {
		uint64_t at = region->offset + set * region->stride;
		uint8_t *start = device->filled + at;
		struct values own = *values;
		own.seed += set;
		for (uint64_t i = 0; i < own.elements; i += DRAWN) {
			uint32_t bits[DRAWN];
			const uint64_t count = draw(&own, i, bits);
			for (uint64_t j = 0; j < count; j++)
				values_store(&own.format, start, i + j, bits[j]);
		}
		memcpy(device->memory + at, start, region->bytes);
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
								   const struct values *values, uint64_t *changed,
								   struct error *err)
{
	struct emulated *device = state;
	const uint8_t *start = device->memory + region->offset;
	(void)err;
	*changed = 0;
	if (memcmp(start, device->filled + region->offset, region->bytes) == 0)
		return true;
	for (uint64_t i = 0; i < values->elements; i += DRAWN) {
		uint32_t bits[DRAWN];
		const uint64_t count = draw(values, i, bits);
		for (uint64_t j = 0; j < count; j++)
			*changed += values_load(&values->format, start, i + j) != bits[j];
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

static bool emulated_write(void *state, uint64_t offset, uint64_t bytes, const void *from,
						   struct error *err)
{
	struct emulated *device = state;
	(void)err;
	memcpy(device->memory + offset, from, bytes);
	return true;
}

static bool emulated_copy(void *state, uint64_t from, uint64_t to, uint64_t bytes,
						  struct error *err)
{
	struct emulated *device = state;
	(void)err;
	memcpy(device->memory + to, device->memory + from, bytes);
	return true;
}

static bool emulated_digest(void *state, uint64_t offset, uint64_t bytes, struct digest *out,
							struct error *err)
{
	struct emulated *device = state;
	return digest_of(device->memory + offset, bytes, out) || error_set(err, "out of memory");
}

static void draw_doubles(const struct device_matrix *matrix, double *out)
{
	const struct values *values = &matrix->values;
	for (uint64_t i = 0; i < values->elements; i += DRAWN) {
		uint32_t bits[DRAWN];
		const uint64_t count = draw(values, i, bits);
		for (uint64_t j = 0; j < count; j++)
			out[i + j] = device_matrix_number(matrix, i + j, bits[j]);
	}
}

static void make_absolute(double *x, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		x[i] = fabs(x[i]);
}

static void square(double *x, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		x[i] *= x[i];
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
	free(device->squares);
	free(device->rest);
	device->product = malloc(count * sizeof *device->product);
	device->magnitude_f64 = malloc(count * sizeof *device->magnitude_f64);
	device->magnitude = malloc(count * sizeof *device->magnitude);
	device->squares = malloc(count * sizeof *device->squares);
	device->rest = malloc(count * sizeof *device->rest);
	if (device->product == NULL || device->magnitude_f64 == NULL || device->magnitude == NULL ||
		device->squares == NULL || device->rest == NULL)
		return error_set(err, "no memory for a reference of %zu elements", count);
	device->capacity_c = count;
	return true;
}

/* A matrix of each batch after the other. */
static void multiply(const struct device_request *request, const double *a, const double *b,
					 double *c)
{
	const int32_t *size = request->shape.size;
	int m = size[SIZE_M], n = size[SIZE_N], k = size[SIZE_K];
	bool ta = request->left.transposed, tb = request->right.transposed;
	for (int32_t batch = 0; batch < size[SIZE_BATCH]; batch++) {
		cblas_dgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
					m, n, k, 1.0, a, ta ? m : k, b, tb ? k : n, 0.0, c, n);
		a += (size_t)m * (size_t)k;
		b += (size_t)k * (size_t)n;
		c += (size_t)m * (size_t)n;
	}
}

static void to_floats(const double *from, float *to, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (float)from[i];
}

/* device_product.rest, by way of the memory of magnitudes. */
static bool multiply_rest(struct emulated *device, const struct device_request *request,
						  size_t count, struct error *err)
{
	uint64_t elements = request->right.values.elements;
	if (!grow(&device->b_rest, &device->capacity_rest, elements, err))
		return false;
	for (uint64_t i = 0; i < elements; i++)
		device->b_rest[i] = device_rest(&request->right.scales.format, device->b[i]);
	multiply(request, device->a, device->b_rest, device->magnitude_f64);
	to_floats(device->magnitude_f64, device->rest, count);
	return true;
}

static bool plus_times(struct emulated *device, const struct device_request *request, size_t count,
					   struct device_product *out, struct error *err)
{
	bool scaled = request->right.group != 0;
	multiply(request, device->a, device->b, device->product);
	if (scaled && !multiply_rest(device, request, count, err))
		return false;
	make_absolute(device->a, request->left.values.elements);
	make_absolute(device->b, request->right.values.elements);
	multiply(request, device->a, device->b, device->magnitude_f64);
	to_floats(device->magnitude_f64, device->magnitude, count);
	bool codes = request->left.values.format.is_integer;
	if (!codes) {
		square(device->a, request->left.values.elements);
		square(device->b, request->right.values.elements);
		multiply(request, device->a, device->b, device->magnitude_f64);
		to_floats(device->magnitude_f64, device->squares, count);
	}
	*out = (struct device_product){.product_f64 = device->product,
								   .magnitude = device->magnitude,
								   .squares = codes ? NULL : device->squares,
								   .unit_roundoff = 0x1p-53,
								   .rest = scaled ? device->rest : NULL};
	return true;
}

/* C_ij = min over k of A_ik + B_kj, each sum rounded to f32: a row of C at a time, so that the
 * compiler can take several columns at once. A sum that is NaN never is the least. */
static bool min_plus(struct emulated *device, const struct device_request *request,
					 struct device_product *out)
{
	size_t m = (size_t)request->shape.size[SIZE_M], n = (size_t)request->shape.size[SIZE_N];
	size_t k = (size_t)request->shape.size[SIZE_K];
	for (size_t i = 0; i < m; i++) {
		float *row = device->magnitude + i * n;
		for (size_t j = 0; j < n; j++)
			row[j] = INFINITY;
		for (size_t l = 0; l < k; l++) {
			float edge = (float)device->a[i * k + l];
			for (size_t j = 0; j < n; j++) {
				float sum = edge + (float)device->b[l * n + j];
				row[j] = sum < row[j] ? sum : row[j];
			}
		}
	}
	*out = (struct device_product){.product_f32 = device->magnitude};
	return true;
}

/* Floyd and Warshall's sweeps; hops[] counts the edges of the path that was found. */
static void sweep(size_t n, double *d, double *hops)
{
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n; i++) {
			double first = d[i * n + k], first_hops = hops[i * n + k];
			for (size_t j = 0; j < n; j++) {
				double length = first + d[k * n + j];
				if (!(length < d[i * n + j]))
					continue;
				d[i * n + j] = length;
				hops[i * n + j] = first_hops + hops[k * n + j];
			}
		}
}

static bool shortest_paths(struct emulated *device, const struct device_request *request,
						   size_t count, struct device_product *out)
{
	double *d = device->product, *hops = device->magnitude_f64, most = 1, longest = 0;
	bool negative = false;
	size_t n = (size_t)request->shape.size[SIZE_M];
	for (size_t i = 0; i < count; i++) {
		d[i] = device->a[i];
		hops[i] = i / n == i % n ? 0 : 1;
		negative = negative || d[i] < 0;
	}
	sweep(n, d, hops);
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(d[i]))
			continue;
		most = hops[i] > most ? hops[i] : most;
		longest = fabs(d[i]) > longest ? fabs(d[i]) : longest;
	}
	for (size_t i = 0; i < count; i++)
		device->magnitude[i] =
			isfinite(d[i]) ? (float)(most * (negative ? longest : fabs(d[i]))) : 0;
	*out = (struct device_product){
		.product_f64 = d, .magnitude = device->magnitude, .unit_roundoff = 0x1p-53};
	return true;
}

static bool emulated_product(void *state, const struct device_request *request,
							 struct device_product *out, struct error *err)
{
	struct emulated *device = state;
	size_t count = shape_rows(&request->shape) * shape_columns(&request->shape);
	if (!grow(&device->a, &device->capacity_a, request->left.values.elements, err) ||
		!grow_results(device, count, err))
		return false;
	draw_doubles(&request->left, device->a);
	if (request->algebra == ALGEBRA_SHORTEST_PATHS)
		return shortest_paths(device, request, count, out);
	if (!grow(&device->b, &device->capacity_b, request->right.values.elements, err))
		return false;
	draw_doubles(&request->right, device->b);
	return request->algebra == ALGEBRA_MIN_PLUS ? min_plus(device, request, out)
												: plus_times(device, request, count, out, err);
}

static const struct referee_device emulated_device = {
	.version = REFEREE_DEVICE_VERSION,
	.open = emulated_open,
	.wipe = emulated_wipe,
	.close = emulated_close,
	.memory_free = memory_free,
	.arena = emulated_arena,
	.sealed_arena = emulated_sealed_arena,
	.group_descriptor = emulated_group_descriptor,
	.fill = emulated_fill,
	.set_bytes = emulated_set_bytes,
	.sweep_cache = emulated_sweep_cache,
	.count_changed = emulated_count_changed,
	.read = emulated_read,
	.write = emulated_write,
	.copy = emulated_copy,
	.digest = emulated_digest,
	.product = emulated_product,
};

const struct referee_device *referee_device_emulated(void)
{
	return &emulated_device;
}

// Bulk tensor copies against copies that the host makes by the CUDA driver API's text:
// one to five dimensions, both ways, every swizzle, boxes that stick out on all sides,
// element strides, fills, additions, multicast. Of stores that text does not say what an
// H200 does: it writes all of the 16 bytes that a row's last element lies in, and takes no
// negative coordinate; loads of tf32 round, to the nearest, and have one NaN; the NaNs of a fill
// are 0x7ff7 in each 16 bits. Prints what differs; the exit status is 1 when something did.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

constexpr int RANKS = 5;
constexpr int BOX_BYTES = 16384;
constexpr int TENSOR_BYTES = 1 << 18;

struct form {
	CUtensorMapDataType type;
	unsigned bytes, rank;
	CUtensorMapSwizzle swizzle;
	unsigned size[RANKS], box[RANKS], step[RANKS];
	int start[RANKS];
	bool fill_nan;
};

static int failures;

static bool ok(cudaError_t status, const char *what)
{
	if (status == cudaSuccess)
		return true;
	printf("%s: %s\n", what, cudaGetErrorString(status));
	failures++;
	return false;
}

static void print_form(const struct form *form)
{
	printf("%u dimensions, type %d of %u bytes, swizzle %d, start", form->rank, form->type,
		   form->bytes, form->swizzle);
	for (unsigned i = 0; i < form->rank; i++)
		printf(" %d", form->start[i]);
	printf(", step %u: ", form->step[form->rank - 1]);
}

static bool form_ok(const struct form *form, cudaError_t status, const char *what)
{
	if (status != cudaSuccess)
		print_form(form);
	return ok(status, what);
}

/* ------------------------------------------------------------------------
 * The device's side */

struct coordinates {
	int at[RANKS];
};

enum direction { LOAD, STORE, ADD };

static __device__ uint32_t address_of(const void *shared)
{
	return (uint32_t)__cvta_generic_to_shared(shared);
}

template <int RANK>
static __device__ void load(uint32_t to, const CUtensorMap *map, uint32_t barrier,
							const struct coordinates &c)
{
#define LOAD_FORM(rank, list, ...)                                                                 \
	asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global.tile"                       \
				 ".mbarrier::complete_tx::bytes [%0], [%1, {" list "}], [%2];" ::"r"(to),          \
				 "l"(map), "r"(barrier), __VA_ARGS__                                               \
				 : "memory")
	if (RANK == 1)
		LOAD_FORM("1d", "%3", "r"(c.at[0]));
	else if (RANK == 2)
		LOAD_FORM("2d", "%3, %4", "r"(c.at[0]), "r"(c.at[1]));
	else if (RANK == 3)
		LOAD_FORM("3d", "%3, %4, %5", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]));
	else if (RANK == 4)
		LOAD_FORM("4d", "%3, %4, %5, %6", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]));
	else
		LOAD_FORM("5d", "%3, %4, %5, %6, %7", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]),
				  "r"(c.at[3]), "r"(c.at[4]));
}

template <int RANK, bool REDUCE>
static __device__ void store(const CUtensorMap *map, uint32_t from, const struct coordinates &c)
{
#define STORE_FORM(rank, list, ...)                                                                \
	if (REDUCE)                                                                                    \
		asm volatile("cp.reduce.async.bulk.tensor." rank ".global.shared::cta.add.tile.bulk_group" \
					 " [%0, {" list "}], [%1];" ::"l"(map),                                        \
					 "r"(from), __VA_ARGS__                                                        \
					 : "memory");                                                                  \
	else                                                                                           \
		asm volatile("cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group"            \
					 " [%0, {" list "}], [%1];" ::"l"(map),                                        \
					 "r"(from), __VA_ARGS__                                                        \
					 : "memory")
	if (RANK == 1) {
		STORE_FORM("1d", "%2", "r"(c.at[0]));
	} else if (RANK == 2) {
		STORE_FORM("2d", "%2, %3", "r"(c.at[0]), "r"(c.at[1]));
	} else if (RANK == 3) {
		STORE_FORM("3d", "%2, %3, %4", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]));
	} else if (RANK == 4) {
		STORE_FORM("4d", "%2, %3, %4, %5", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]));
	} else {
		STORE_FORM("5d", "%2, %3, %4, %5, %6", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]),
				   "r"(c.at[3]), "r"(c.at[4]));
	}
	asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

static __device__ void wait(uint32_t barrier, uint32_t parity)
{
	uint32_t done = 0;
	while (!done)
		asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
					 "selp.u32 %0, 1, 0, p;}"
					 : "=r"(done)
					 : "r"(barrier), "r"(parity)
					 : "memory");
}

/* Loads the box and copies it out as it lies, or stores the box that `data` holds. */
template <int RANK>
static __global__ void copy_box(const __grid_constant__ CUtensorMap map,
								const __grid_constant__ struct coordinates c, uint32_t bytes,
								enum direction direction, uint32_t *data)
{
	__shared__ __align__(1024) uint32_t box[BOX_BYTES / 4];
	__shared__ __align__(8) uint64_t full;
	for (uint32_t i = threadIdx.x; direction != LOAD && i < bytes / 4; i += blockDim.x)
		box[i] = data[i];
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0 && direction == LOAD) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" ::"r"(address_of(&full))
					 : "memory");
		asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address_of(&full)),
					 "r"(bytes)
					 : "memory");
		load<RANK>(address_of(box), &map, address_of(&full), c);
	} else if (threadIdx.x == 0 && direction == STORE) {
		store<RANK, false>(&map, address_of(box), c);
	} else if (threadIdx.x == 0) {
		store<RANK, true>(&map, address_of(box), c);
	}
	__syncthreads();
	if (direction == LOAD)
		wait(address_of(&full), 0);
	for (uint32_t i = threadIdx.x; direction == LOAD && i < bytes / 4; i += blockDim.x)
		data[i] = box[i];
}

/* Block 1 of four sends one box to itself and blocks 0 and 3; block 2 gets none. */
constexpr uint16_t RECEIVERS = 0xb;

static __global__ void __cluster_dims__(4)
	multicast_box(const __grid_constant__ CUtensorMap map, uint32_t bytes, uint32_t *data)
{
	__shared__ __align__(1024) uint32_t box[BOX_BYTES / 4];
	__shared__ __align__(8) uint64_t full;
	uint32_t rank, barrier = address_of(&full);
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	bool receives = RECEIVERS >> rank & 1;
	for (uint32_t i = threadIdx.x; i < bytes / 4; i += blockDim.x)
		box[i] = 0x11111111;
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(
			barrier));
		if (receives)
			asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier),
						 "r"(bytes));
	}
	asm volatile("fence.proxy.async; barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
	if (threadIdx.x == 0 && rank == 1)
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
					 ".mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2],"
					 "%5;" ::"r"(address_of(box)),
					 "l"(&map), "r"(barrier), "r"(0), "r"(0), "h"(RECEIVERS)
					 : "memory");
	if (receives)
		wait(barrier, 0);
	for (uint32_t i = threadIdx.x; i < bytes / 4; i += blockDim.x)
		data[rank * (bytes / 4) + i] = box[i];
	asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

/* ------------------------------------------------------------------------
 * The host's side */

typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
									const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
									const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
									CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static encode_function encode;
static uint8_t tensor[TENSOR_BYTES], wanted[TENSOR_BYTES], box[4 * BOX_BYTES];
static uint8_t expected[BOX_BYTES];

static unsigned copied(const struct form *form, unsigned i)
{
	return i < form->rank ? (form->box[i] + form->step[i] - 1) / form->step[i] : 1;
}

/* Strides are wider than rows, so that reading into the next row would show. */
static uint64_t stride_of(const struct form *form, unsigned dimension)
{
	uint64_t stride = (form->size[0] * form->bytes + 15) / 16 * 16 + 16;
	for (unsigned i = 1; i < dimension; i++)
		stride = stride * form->size[i] + 32;
	return dimension ? stride : form->bytes;
}

static bool encode_map(const struct form *form, void *address, CUtensorMap *map)
{
	cuuint64_t sizes[RANKS], strides[RANKS];
	for (unsigned i = 0; i < form->rank; i++) {
		sizes[i] = form->size[i];
		if (i)
			strides[i - 1] = stride_of(form, i);
	}
	CUresult status =
		encode(map, form->type, form->rank, address, sizes, strides, form->box, form->step,
			   CU_TENSOR_MAP_INTERLEAVE_NONE, form->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
			   form->fill_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
							  : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	if (status == CUDA_SUCCESS)
		return true;
	print_form(form);
	printf("cuTensorMapEncodeTiled: %d\n", status);
	failures++;
	return false;
}

/* Where byte `offset` of a box lies: its 16 bytes change places with others of the
 * same 128, 64 or 32 bytes, by the number of its line of 128. */
static unsigned swizzled(CUtensorMapSwizzle mode, unsigned offset)
{
	unsigned mask = mode == CU_TENSOR_MAP_SWIZZLE_128B  ? 7
					: mode == CU_TENSOR_MAP_SWIZZLE_64B ? 3
					: mode == CU_TENSOR_MAP_SWIZZLE_32B ? 1
														: 0;
	return offset ^ (offset / 128 & mask) * 16;
}

/* Elements up to the end of the 16 bytes that a row's last one lies in. */
static unsigned stored_row(const struct form *form)
{
	unsigned unit = 16 / form->bytes;
	return (form->size[0] + unit - 1) / unit * unit;
}

/* Calls visit(offset in the box, offset in the tensor or -1) for every element; rows of
 * the tensor have `row` elements. */
template <class Visit> static unsigned walk(const struct form *form, unsigned row, Visit visit)
{
	unsigned index[RANKS] = {0}, count = 1, bytes = form->bytes;
	for (unsigned i = 0; i < RANKS; i++)
		count *= copied(form, i);
	for (unsigned element = 0; element < count; element++) {
		int64_t at = 0;
		bool inside = true;
		for (unsigned i = 0, rest = element; i < form->rank; rest /= copied(form, i++)) {
			index[i] = rest % copied(form, i);
			int64_t place = form->start[i] + (int64_t)index[i] * form->step[i];
			inside = inside && place >= 0 && place < (int64_t)(i ? form->size[i] : row);
			at += place * (int64_t)stride_of(form, i);
		}
		visit(swizzled(form->swizzle, element * bytes), inside ? at : -1);
	}
	return count * bytes;
}

static void launch(const struct form *form, const CUtensorMap &map, uint32_t bytes,
				   enum direction direction, uint32_t *data)
{
	struct coordinates c;
	memcpy(c.at, form->start, sizeof c.at);
	switch (form->rank) {
	case 1: copy_box<1><<<1, 64>>>(map, c, bytes, direction, data); return;
	case 2: copy_box<2><<<1, 64>>>(map, c, bytes, direction, data); return;
	case 3: copy_box<3><<<1, 64>>>(map, c, bytes, direction, data); return;
	case 4: copy_box<4><<<1, 64>>>(map, c, bytes, direction, data); return;
	default: copy_box<5><<<1, 64>>>(map, c, bytes, direction, data); return;
	}
}

static void differ(const struct form *form, const char *what, const uint8_t *got,
				   const uint8_t *right, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (got[i] != right[i]) {
			print_form(form);
			printf("%s: byte %zu is %02x, not %02x\n", what, i, got[i], right[i]);
			failures++;
			return;
		}
}

/* To the nearest, ties to even; every NaN is the same one. */
static uint32_t rounded_to_tf32(uint32_t word)
{
	if ((word & 0x7fffffff) > 0x7f800000)
		return 0x7fffe000;
	return (word + 0xfff + (word >> 13 & 1)) >> 13 << 13;
}

/* What a load makes of the tensor's element at `from`. */
static void expect_loaded(const struct form *form, uint8_t *out, const uint8_t *from)
{
	uint32_t word;
	memcpy(out, from, form->bytes);
	if (form->type != CU_TENSOR_MAP_DATA_TYPE_TFLOAT32)
		return;
	memcpy(&word, from, sizeof word);
	word = rounded_to_tf32(word);
	memcpy(out, &word, sizeof word);
}

static void check_load(const struct form *form, uint8_t *device, uint32_t *data)
{
	CUtensorMap map;
	unsigned bytes = walk(form, form->size[0], [](unsigned, int64_t) {});
	if (!encode_map(form, device, &map) ||
		!form_ok(form, cudaMemcpy(device, tensor, TENSOR_BYTES, cudaMemcpyHostToDevice), "tensor"))
		return;
	launch(form, map, bytes, LOAD, data);
	if (!form_ok(form, cudaMemcpy(box, data, bytes, cudaMemcpyDeviceToHost), "load"))
		return;
	for (unsigned i = 0; i < sizeof expected; i++)
		expected[i] = !form->fill_nan ? 0 : i % 2 ? 0x7f : 0xf7;
	walk(form, form->size[0], [&](unsigned offset, int64_t at) {
		if (at >= 0)
			expect_loaded(form, expected + offset, tensor + at);
	});
	differ(form, "load", box, expected, bytes);
}

static void check_store(const struct form *form, uint8_t *device, uint32_t *data, bool add)
{
	CUtensorMap map;
	static uint8_t back[TENSOR_BYTES];
	memcpy(wanted, tensor, TENSOR_BYTES);
	for (unsigned i = 0; i < BOX_BYTES; i++)
		box[i] = (uint8_t)(i * 7 + 1);
	unsigned bytes = walk(form, stored_row(form), [&](unsigned offset, int64_t at) {
		uint32_t value, more;
		if (at >= 0 && !add)
			memcpy(wanted + at, box + offset, form->bytes);
		if (at < 0 || !add)
			return;
		memcpy(&value, wanted + at, 4);
		memcpy(&more, box + offset, 4);
		value += more;
		memcpy(wanted + at, &value, 4);
	});
	if (!encode_map(form, device, &map) ||
		!form_ok(form, cudaMemcpy(device, tensor, TENSOR_BYTES, cudaMemcpyHostToDevice),
				 "tensor") ||
		!form_ok(form, cudaMemcpy(data, box, bytes, cudaMemcpyHostToDevice), "box"))
		return;
	launch(form, map, bytes, add ? ADD : STORE, data);
	if (form_ok(form, cudaMemcpy(back, device, TENSOR_BYTES, cudaMemcpyDeviceToHost), "store"))
		differ(form, add ? "addition" : "store", back, wanted, TENSOR_BYTES);
}

static void check_multicast(uint8_t *device, uint32_t *data)
{
	struct form form = {
		CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, 2, CU_TENSOR_MAP_SWIZZLE_128B, {64, 9}, {64, 8}, {1, 1}};
	CUtensorMap map;
	unsigned bytes = walk(&form, form.size[0], [&](unsigned offset, int64_t at) {
		memcpy(expected + offset, tensor + at, form.bytes);
	});
	if (!encode_map(&form, device, &map) ||
		!form_ok(&form, cudaMemcpy(device, tensor, TENSOR_BYTES, cudaMemcpyHostToDevice), "tensor"))
		return;
	multicast_box<<<4, 64>>>(map, bytes, data);
	if (!form_ok(&form, cudaMemcpy(box, data, 4 * bytes, cudaMemcpyDeviceToHost), "multicast"))
		return;
	uint8_t untouched[BOX_BYTES];
	memset(untouched, 0x11, sizeof untouched);
	for (unsigned rank = 0; rank < 4; rank++)
		differ(&form, "multicast", box + rank * bytes, RECEIVERS >> rank & 1 ? expected : untouched,
			   bytes);
}

/* To be the last check: no call works after such an error. */
static void check_negative_store(uint8_t *device, uint32_t *data)
{
	struct form form = {
		CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, 1, CU_TENSOR_MAP_SWIZZLE_NONE, {21}, {8}, {1}, {-4}};
	CUtensorMap map;
	if (!encode_map(&form, device, &map))
		return;
	launch(&form, map, 32, STORE, data);
	cudaError_t status = cudaDeviceSynchronize();
	if (status == cudaErrorIllegalInstruction)
		return;
	print_form(&form);
	printf("store: %s, not an illegal instruction\n", cudaGetErrorString(status));
	failures++;
}

/* ------------------------------------------------------------------------ */

static const struct {
	CUtensorMapDataType type;
	unsigned bytes;
	bool is_float;
} types[] = {
	{CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, false},  {CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, false},
	{CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, true}, {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, true},
	{CU_TENSOR_MAP_DATA_TYPE_INT32, 4, false},  {CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, false},
	{CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, true}, {CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, true},
	{CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, true}, {CU_TENSOR_MAP_DATA_TYPE_INT64, 8, false},
	{CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, false},
};

/* A box of 32 bytes in its first dimension, or of all that the swizzle spans. */
static struct form make_form(unsigned type, unsigned rank, CUtensorMapSwizzle swizzle)
{
	static const unsigned sizes[] = {0, 7, 5, 4, 3}, boxes[] = {0, 4, 3, 3, 2};
	unsigned span = swizzle == CU_TENSOR_MAP_SWIZZLE_128B  ? 128
					: swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 64
														   : 32;
	struct form form = {types[type].type, types[type].bytes, rank, swizzle};
	form.size[0] = 2 * span / form.bytes + 5;
	form.box[0] = span / form.bytes;
	form.step[0] = 1;
	for (unsigned i = 1; i < rank; i++) {
		form.size[i] = sizes[i];
		form.box[i] = boxes[i];
		form.step[i] = 1;
	}
	return form;
}

/* Places: inside, out on the low side (loads alone), out on the high side; in later
 * dimensions by one element, in the first by 16 bytes or more. */
static void check_places(struct form form, uint8_t *device, uint32_t *data)
{
	for (int place = 0; place < 3; place++) {
		int sixteen = 16 / (int)form.bytes;
		form.start[0] = place == 0 ? sixteen
						: place == 1
							? -sixteen
							: ((int)form.size[0] - (int)form.box[0] / 2) / sixteen * sixteen;
		for (unsigned i = 1; i < form.rank; i++)
			form.start[i] = place == 0 ? 1 : place == 1 ? -1 : (int)form.size[i] - 1;
		check_load(&form, device, data);
		if (place == 1)
			continue;
		check_store(&form, device, data, false);
		if (form.type == CU_TENSOR_MAP_DATA_TYPE_UINT32)
			check_store(&form, device, data, true);
	}
}

int main()
{
	static const CUtensorMapSwizzle swizzles[] = {
		CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
		CU_TENSOR_MAP_SWIZZLE_128B};
	uint8_t *device;
	uint32_t *data;
	cudaDriverEntryPointQueryResult found;
	if (!ok(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
											 cudaEnableDefault, &found),
			"entry point") ||
		!ok(cudaMalloc(&device, TENSOR_BYTES), "cudaMalloc") ||
		!ok(cudaMalloc(&data, 4 * BOX_BYTES), "cudaMalloc"))
		return 1;
	for (unsigned i = 0; i < TENSOR_BYTES; i++)
		tensor[i] = (uint8_t)(i * 2654435761u >> 13);
	for (unsigned type = 0; type < sizeof types / sizeof types[0]; type++)
		for (CUtensorMapSwizzle swizzle : swizzles)
			for (unsigned rank = 1; rank <= RANKS; rank++) {
				struct form form = make_form(type, rank, swizzle);
				form.fill_nan = types[type].is_float && rank % 2;
				check_places(form, device, data);
				for (unsigned i = 1; i < rank; i++)
					form.step[i] = 2;
				check_places(form, device, data);
			}
	check_multicast(device, data);
	check_negative_store(device, data);
	if (failures)
		printf("%d failures\n", failures);
	return failures ? 1 : 0;
}

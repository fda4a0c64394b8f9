/* The tensor map of a bulk copy, and what a copy may do with it. */
#include "emulator/exec/access.h"
#include "emulator/exec/copies.h"
#include "emulator/ops/bulk.h"
#include "emulator/simd/lanes.h"
#include "emulator/tensor/map.h"

/* As an H200 has it, for loads and stores; what it says of a reduction is not
 * known. */
static bool row_aligned(struct warp *w, const struct exec_instruction *in, int lane,
						const struct bulk *bulk)
{
	int64_t bytes = (int64_t)bulk->coordinates[0] * bulk->map.element_bytes;
	if (bytes % 16 == 0 || bulk->kind == BULK_REDUCE)
		return true;
	exec_fail(w, in, lane, FAULT_INSTRUCTION, 0,
			  "the innermost coordinate %d of a bulk tensor copy is %lld bytes into its row: not "
			  "a multiple of 16",
			  bulk->coordinates[0], (long long)bytes);
	return false;
}

/* As an H200 has it: a box to store must not start below 0, one to load may. Measured
 * with stores whose coordinates are all negative; one of several is taken to be no
 * better, and a reduction to be like a store. */
static bool starts_inside(struct warp *w, const struct exec_instruction *in, int lane,
						  const struct bulk *bulk)
{
	for (uint32_t k = 0; bulk->kind != BULK_LOAD && k < bulk->map.rank; k++) {
		if (bulk->coordinates[k] >= 0)
			continue;
		exec_fail(w, in, lane, FAULT_INSTRUCTION, 0,
				  "coordinate %d of dimension %u of a bulk tensor store is negative",
				  bulk->coordinates[k], k);
		return false;
	}
	return true;
}

/* Stores and reductions end with the 16 bytes that a row's last element lies in, not with
 * that element, and so write behind the row: measured on an H200. */
static void round_row_up(struct tensor_map *map)
{
	uint64_t unit = 16 / map->element_bytes;
	map->size[0] = (map->size[0] + unit - 1) / unit * unit;
}

/* Tensor maps are read through a proxy of their own. What was written to global memory before, by
 * the host, too, a block sees there once one of its threads has fenced (CUDA Programming Guide,
 * "Tensor maps"); parameters and constants need no fence. */
static bool map_acquired(struct warp *w, const struct exec_instruction *in, int lane,
						 struct exec_address at)
{
	if (w->block->maps_acquired || (at.space != PTX_GENERIC && at.space != PTX_GLOBAL) ||
		at.address >> EXEC_WINDOW_SHIFT != 0)
		return true;
	const struct allocation *in_global = memory_find(at.address);
	if (in_global == NULL || in_global->read_only ||
		exec_fail_undefined(w, in, lane, FAULT_ASYNC, at.address,
							"its tensor map lies in global memory, and no "
							"fence.proxy.tensormap::generic.acquire of its block came before it") ==
			EXEC_NEXT)
		return true;
	w->worker->fault.advice =
		"a kernel takes a tensor map as `const __grid_constant__ CUtensorMap`, "
		"or fences before it uses one in global memory";
	return false;
}

bool bulk_read_map(struct warp *w, const struct exec_instruction *in, int lane, struct bulk *out)
{
	struct exec_address at = exec_listed_address(w, in->list + 3, lane);
	if (at.space == PTX_LOCAL ||
		at.address >> EXEC_WINDOW_SHIFT == EXEC_WINDOW_LOCAL >> EXEC_WINDOW_SHIFT) {
		exec_fail(w, in, lane, FAULT_ADDRESS, at.address,
				  "the tensor map lies in a thread's own memory, where its copy of a parameter is");
		w->worker->fault.advice =
			"a kernel takes a tensor map as `const __grid_constant__ CUtensorMap`";
		return false;
	}
	const void *bytes = exec_access(w, in, lane, at.space, at.address, TENSOR_MAP_BYTES, 64, false);
	if (bytes == NULL || !map_acquired(w, in, lane, at))
		return false;
	if (!tensor_map_decode(bytes, &out->map)) {
		exec_fail(w, in, lane, FAULT_ADDRESS, at.address, "there is no tensor map at 0x%llx",
				  (unsigned long long)at.address);
		w->worker->fault.advice =
			"look at what cuTensorMapEncodeTiled returns, and at what becomes "
			"of its map on the way to the kernel";
		return false;
	}
	const char *wrong = tensor_map_check(&out->map);
	if (wrong != NULL) {
		exec_fail(w, in, lane, FAULT_INSTRUCTION, at.address,
				  "the tensor map, which tensormap.replace has changed, is not valid: %s", wrong);
		return false;
	}
	if ((int32_t)out->map.rank != in->list[11]) {
		exec_fail(w, in, lane, FAULT_ADDRESS, at.address,
				  "a tensor map of %u dimensions used with %d", out->map.rank, in->list[11]);
		return false;
	}
	if (out->kind == BULK_REDUCE && out->map.element_bytes < 2) {
		exec_fail(w, in, lane, FAULT_INSTRUCTION, at.address,
				  "reduces a tensor of elements of %u byte", out->map.element_bytes);
		return false;
	}
	for (int32_t k = 0; k < in->list[11]; k++)
		out->coordinates[k] = SOURCE(int32_t, in->list[12 + k])[lane];
	if (!row_aligned(w, in, lane, out) || !starts_inside(w, in, lane, out))
		return false;
	if (out->kind != BULK_LOAD)
		round_row_up(&out->map);
	out->tensor = true;
	out->bytes = tensor_map_box_bytes(&out->map);
	return true;
}

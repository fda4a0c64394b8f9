/* Tensor maps that a kernel changes and publishes (PTX ISA, tensormap.replace and
 * tensormap.cp_fenceproxy). */
#include "emulator/exec/access.h"
#include "emulator/exec/schedule.h"
#include "emulator/simd/lanes.h"
#include "emulator/tensor/map.h"

/* in->list: the map's address (three entries), the new value; in->sub: enum tensor_map_field;
 * in->imm: the dimension; in->reg_size: bytes of the value. */
HANDLER(tensormap_replace)
{
	for (uint32_t left = mask; left; left &= left - 1) {
		int i = first_lane(left);
		struct exec_address at = exec_listed_address(w, in->list, i);
		uint64_t value =
			in->reg_size == 8 ? SOURCE(uint64_t, in->list[3])[i] : SOURCE(uint32_t, in->list[3])[i];
		if (exec_access(w, in, i, at.space, at.address, TENSOR_MAP_BYTES, 64, false) == NULL)
			return EXEC_FAULT;
		void *map = exec_access(w, in, i, at.space, at.address, TENSOR_MAP_BYTES, 64, true);
		if (map == NULL)
			return EXEC_FAULT;
		const char *wrong =
			tensor_map_replace(map, (enum tensor_map_field)in->sub, (unsigned)in->imm, value);
		if (wrong != NULL)
			return exec_fail(w, in, i, FAULT_INSTRUCTION, at.address, "%s", wrong);
	}
	return EXEC_NEXT;
}

/* in->list: where to, where from (three entries each). One copy of the whole warp. */
HANDLER(tensormap_copy)
{
	enum exec_status status = exec_whole_warp(w, in, mask);
	if (status != EXEC_NEXT)
		return status;
	int i = first_lane(mask);
	struct exec_address to = exec_listed_address(w, in->list, i);
	struct exec_address from = exec_listed_address(w, in->list + 3, i);
	const void *source =
		exec_access(w, in, i, from.space, from.address, TENSOR_MAP_BYTES, TENSOR_MAP_BYTES, false);
	void *target = source != NULL ? exec_access(w, in, i, to.space, to.address, TENSOR_MAP_BYTES,
												TENSOR_MAP_BYTES, true)
								  : NULL;
	if (target == NULL)
		return EXEC_FAULT;
	memcpy(target, source, TENSOR_MAP_BYTES);
	return EXEC_NEXT;
}

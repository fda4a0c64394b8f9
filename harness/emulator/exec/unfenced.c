/* Which bytes of shared memory an ordinary store wrote since the last
 * fence.proxy.async. */
#include "emulator/exec/unfenced.h"

#include <string.h>

#include "emulator/exec/fault.h"
#include "emulator/exec/worker.h"

void exec_unfenced_add(struct exec_block *block, const struct exec_instruction *in, uint64_t offset,
					   size_t bytes)
{
	uint32_t pc = exec_pc(&block->warps[0], in);
	for (uint64_t at = offset / EXEC_UNFENCED_UNIT; at * EXEC_UNFENCED_UNIT < offset + bytes; at++)
		block->unfenced_by[at] = pc;
	memset(block->unfenced + offset, 1, bytes);
	block->unfenced_low = offset < block->unfenced_low ? offset : block->unfenced_low;
	if (offset + bytes > block->unfenced_high)
		block->unfenced_high = offset + bytes;
}

void exec_unfenced_clear(struct exec_block *block, uint64_t offset, size_t bytes)
{
	if (block->unfenced != NULL)
		memset(block->unfenced + offset, 0, bytes);
}

bool exec_unfenced_any(const struct exec_block *block, uint64_t offset, size_t bytes)
{
	uint8_t any = 0;
	if (block->unfenced == NULL || offset >= block->unfenced_high ||
		offset + bytes <= block->unfenced_low)
		return false;
	for (size_t i = 0; i < bytes; i++)
		any |= block->unfenced[offset + i];
	return any != 0;
}

/* PTX ISA 9.7.9.25.2 and 9.7.15.4: between the generic proxy and the async proxy, a
 * fence.proxy.async must synchronise. */
enum exec_status exec_unfenced_read(struct warp *warp, const struct exec_instruction *in, int lane,
									const struct exec_block *block, uint64_t offset, size_t bytes,
									const char *verb)
{
	if (!exec_unfenced_any(block, offset, bytes))
		return EXEC_NEXT;
	while (!exec_unfenced_any(block, offset, 1))
		offset++;
	const struct exec_program *program = warp->worker->launch->program;
	char place[EXEC_PLACE];
	exec_place(warp, &program->code[block->unfenced_by[offset / EXEC_UNFENCED_UNIT]], place);
	return exec_fail_undefined(warp, in, lane, FAULT_ASYNC, offset,
							   "%s shared memory at offset %llu that the generic proxy wrote (%s), "
							   "with no fence.proxy.async between",
							   verb, (unsigned long long)offset, place);
}

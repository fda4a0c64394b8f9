/* Which bytes of shared memory an ordinary store wrote since the last
 * fence.proxy.async. */
#include <string.h>

#include "emulator/exec/exec.h"

void exec_unfenced_add(struct exec_block *block, uint64_t offset, size_t bytes)
{
	memset(block->unfenced + offset, 1, bytes);
	block->unfenced_low = offset < block->unfenced_low ? offset : block->unfenced_low;
	if (offset + bytes > block->unfenced_high)
		block->unfenced_high = offset + bytes;
}

void exec_unfenced_clear(struct exec_block *block, uint64_t offset, size_t bytes)
{
	if (block->unfenced)
		memset(block->unfenced + offset, 0, bytes);
}

bool exec_unfenced_any(const struct exec_block *block, uint64_t offset, size_t bytes)
{
	uint8_t any = 0;
	if (!block->unfenced || offset >= block->unfenced_high || offset + bytes <= block->unfenced_low)
		return false;
	for (size_t i = 0; i < bytes; i++)
		any |= block->unfenced[offset + i];
	return any != 0;
}

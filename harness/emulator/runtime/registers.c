/* Registers of kernels. PTX does not say how many a kernel takes: ptxas does, and whoever ran it
 * gives its numbers in EMULATED_GPU_REGISTERS ("_Z1kv=40,_Z1lv=128"). Where that is "?", a line
 * names the kernels for which they matter. */
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/kernel_name.h"
#include "emulator/runtime/runtime.h"

#define REGISTERS 65536u /* of a multiprocessor, and of a block: all that are emulated */
/* CUDA's occupancy calculator: a warp takes multiples of 256 registers, a multiprocessor shares
 * them out among four parts. */
#define UNIT 256u
#define PARTS 4u

int registers_known(const struct function *function)
{
	const char *at = runtime.registers;
	const size_t length = strlen(function->name);
	for (; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, function->name, length) == 0 && at[length] == '=')
			return (int)strtol(at + length + 1, NULL, 10);
	}
	return 0;
}

bool registers_wanted(void)
{
	return runtime.registers != NULL && strcmp(runtime.registers, "?") == 0;
}

void registers_ask(struct function *function, const char *why)
{
	char kernel[KERNEL_NAME_SHOWN];
	if (!registers_wanted() || function->registers_asked)
		return;
	function->registers_asked = true;
	kernel_name_show(function->name, kernel, sizeof kernel);
	runtime_say("kernel %s: only ptxas knows how many registers it takes, and %s", kernel, why);
}

static size_t warps_at_once(int registers)
{
	size_t bytes = ((size_t)registers * 32 + UNIT - 1) / UNIT * UNIT;
	return registers > 0 ? REGISTERS / bytes / PARTS * PARTS : REGISTERS;
}

size_t registers_blocks(int registers, size_t threads)
{
	size_t warps = ((threads + 31) / 32 + PARTS - 1) / PARTS * PARTS;
	return warps ? warps_at_once(registers) / warps : 0;
}

size_t registers_threads(int registers)
{
	return warps_at_once(registers) * 32;
}

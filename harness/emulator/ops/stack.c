/* alloca, stacksave and stackrestore: a thread's stack lies at the end of its local memory. */
#include "emulator/exec/fault.h"
#include "emulator/exec/worker.h"
#include "emulator/simd/lanes.h"

static void write_back(const struct exec_instruction *in, struct warp *w, int lane, uint64_t value)
{
	if (in->reg_size == 8)
		DEST(uint64_t, in->d)[lane] = value;
	else
		DEST(uint32_t, in->d)[lane] = (uint32_t)value;
}

/* in->sub: enum sub_stack; in->b: the bytes in use, a register of its own; in->a: size, or what was
 * saved; in->imm: alignment; in->reg_size: bytes of a and d. */
HANDLER(alloca)
{
	const size_t most = w->worker->launch->stack_bytes < EXEC_STACK_BYTES
							? w->worker->launch->stack_bytes
							: EXEC_STACK_BYTES;
	const uint64_t base = EXEC_LOCAL_BASE + w->worker->launch->program->stack;
	for (uint32_t left = mask; left; left &= left - 1) {
		int i = first_lane(left);
		uint64_t *used = &DEST(uint64_t, in->b)[i];
		if (in->sub == STACK_SAVE) {
			write_back(in, w, i, *used);
			continue;
		}
		uint64_t value =
			in->reg_size == 8 ? SOURCE(uint64_t, in->a)[i] : SOURCE(uint32_t, in->a)[i];
		if (in->sub == STACK_RESTORE) {
			*used = value < *used ? value : *used;
			continue;
		}
		const uint64_t align = (uint64_t)in->imm, at = (base + *used + align - 1) / align * align;
		if (value > most || at - base > most - value) {
			exec_fail(w, in, i, FAULT_ADDRESS, 0,
					  "takes %llu bytes of stack, and a thread has %zu, of which %llu are in use",
					  (unsigned long long)value, most, (unsigned long long)*used);
			w->worker->fault.advice = "cudaDeviceSetLimit(cudaLimitStackSize, ...) gives it more";
			return EXEC_FAULT;
		}
		*used = at - base + value;
		write_back(in, w, i, at);
	}
	return EXEC_NEXT;
}

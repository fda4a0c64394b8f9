#define _DEFAULT_SOURCE /* mincore */
#include "emulator/exec/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator/exec/kernel_name.h"
#include "emulator/exec/worker.h"

void exec_source(const struct exec_origin *origin, char *out, size_t size)
{
	const struct ptx_instruction *instruction = origin->instruction;
	const char *inner = NULL, *outer = NULL;
	for (struct ptx_file *file = origin->function->module->files; file != NULL; file = file->next) {
		if (file->number == instruction->file)
			inner = file->name;
		if (instruction->outer_file && file->number == instruction->outer_file)
			outer = file->name;
	}
	/* what was inlined from a header is found where the header's function was called */
	bool use_outer = outer != NULL && (inner == NULL || strstr(inner, "/include/") != NULL);
	const char *path = use_outer ? outer : inner;
	out[0] = '\0';
	if (path == NULL)
		return;
	const char *slash = strrchr(path, '/');
	snprintf(out, size, "%s:%d", slash != NULL ? slash + 1 : path,
			 use_outer ? instruction->outer_line : instruction->file_line);
}

const char *exec_program_place(const struct exec_program *program, uint32_t pc,
							   char text[EXEC_PLACE])
{
	const struct exec_origin *origin = &program->origins[pc];
	char source[100] = "";
	exec_source(origin, source, sizeof source);
	if (!source[0])
		snprintf(source, sizeof source, "PTX line %d", origin->instruction->line);
	snprintf(text, EXEC_PLACE, "%.80s at %s", origin->instruction->opcode, source);
	return text;
}

const char *exec_place(const struct warp *warp, const struct exec_instruction *in,
					   char text[EXEC_PLACE])
{
	return exec_program_place(warp->worker->launch->program, exec_pc(warp, in), text);
}

static void name_thread(struct fault *fault, const struct warp *warp, int lane)
{
	const uint32_t *size = warp->worker->launch->launch->block;
	uint32_t linear = warp->index * EXEC_LANES + (uint32_t)lane;
	memcpy(fault->block, warp->block->id, sizeof fault->block);
	fault->thread[0] = linear % size[0];
	fault->thread[1] = linear / size[0] % size[1];
	fault->thread[2] = linear / size[0] / size[1];
}

static void fail(struct warp *warp, const struct exec_instruction *in, int lane,
				 enum fault_kind kind, uint64_t address, const char *format, va_list arguments)
{
	const struct exec_program *program = warp->worker->launch->program;
	struct fault *fault = &warp->worker->fault;
	if (fault->kind != FAULT_NONE)
		return;
	char what[512];
	vsnprintf(what, sizeof what, format, arguments);
	*fault = (struct fault){.kind = kind, .address = address};
	if (lane < 0)
		lane = warp->active ? __builtin_ctz(warp->active) : 0;
	snprintf(fault->kernel, sizeof fault->kernel, "%s", program->function->name);
	name_thread(fault, warp, lane);
	char place[EXEC_PLACE], kernel[KERNEL_NAME_SHOWN];
	kernel_name_show(program->function->name, kernel, sizeof kernel);
	if (in != NULL) {
		const struct exec_origin *origin = &program->origins[exec_pc(warp, in)];
		snprintf(fault->instruction, sizeof fault->instruction, "%s", origin->instruction->opcode);
		fault->ptx_line = origin->instruction->line;
		exec_source(origin, fault->source, sizeof fault->source);
	}
	snprintf(fault->text, sizeof fault->text,
			 "kernel %s, block (%u,%u,%u), thread (%u,%u,%u)%s%s: %s", kernel, fault->block[0],
			 fault->block[1], fault->block[2], fault->thread[0], fault->thread[1], fault->thread[2],
			 in != NULL ? ": " : "", in != NULL ? exec_place(warp, in, place) : "", what);
}

enum exec_status exec_fail(struct warp *warp, const struct exec_instruction *in, int lane,
						   enum fault_kind kind, uint64_t address, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fail(warp, in, lane, kind, address, format, arguments);
	va_end(arguments);
	return EXEC_FAULT;
}

enum exec_status exec_fail_undefined(struct warp *warp, const struct exec_instruction *in, int lane,
									 enum fault_kind kind, uint64_t address, const char *format,
									 ...)
{
	if (warp->worker->launch->check_none)
		return EXEC_NEXT;
	va_list arguments;
	va_start(arguments, format);
	fail(warp, in, lane, kind, address, format, arguments);
	va_end(arguments);
	return EXEC_FAULT;
}

void exec_suspect(const struct warp *warp, const char *format, ...)
{
	struct exec_launch *launch = warp->worker->launch;
	va_list arguments;
	va_start(arguments, format);
	pthread_mutex_lock(&launch->lock);
	if (!launch->suspect[0])
		vsnprintf(launch->suspect, sizeof launch->suspect, format, arguments);
	pthread_mutex_unlock(&launch->lock);
	va_end(arguments);
}

/* Farther before an allocation an address has nothing to do with it. */
#define BEFORE ((uint64_t)1 << 20)

static const char advice_bounds[] =
	"let only those threads access it whose row and column exist (sizes need not be multiples of "
	"the tile), and look at how its index is computed";
static const char advice_wmma[] =
	"wmma loads and stores whole tiles, beyond the matrix too: where sizes are no multiples of 16, "
	"bring a tile through shared memory, with zeroes beyond the matrix";
#define ADVICE_ALLOCATION                                                                          \
	"compare the bytes that were asked for there with the largest index: both have to follow "     \
	"from "                                                                                        \
	"the same sizes and the same grid, and what is kept between calls (static) has to grow with "  \
	"them"
#define ADVICE_HOST                                                                                \
	"kernels reach only memory of the device: allocate with cudaMalloc and copy with "             \
	"cudaMemcpy, "                                                                                 \
	"or use cudaMallocManaged"

#define ADVICE_DIVISOR                                                                             \
	"an integer division by 0 came before, whose quotient is no number to index by: its divisor "  \
	"must not be 0 for any size (N / 128 is 0 below 128, (N + 127) / 128 is not)"

/* Whether the address is the host's own memory. */
static bool mapped(uint64_t address)
{
	unsigned char resident;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	return mincore((void *)(uintptr_t)(address / page * page), 1, &resident) == 0;
}

struct place {
	char text[MEMORY_TEXT + 96];
	const char *advice;
};

#define PLACE(out, what, ...)                                                                      \
	((out)->advice = (what), (void)snprintf((out)->text, sizeof(out)->text, __VA_ARGS__))

/* Of an address that is nowhere near device memory. */
static void describe_elsewhere(uint64_t address, bool global, struct place *out)
{
	if (address < 65536)
		PLACE(out, "look at what cudaMalloc returned, and at the order of the arguments",
			  "which is in no allocation (a null pointer?)");
	else if (global && mapped(address))
		PLACE(out, ADVICE_HOST, "which is memory of the host");
	else
		PLACE(out, NULL, "which is in no allocation");
}

/* Of an address past the end of an allocation: an operand has the size that it should have, and
 * what solve() allocates may be too small. */
static const char *advice_past(const struct allocation *allocation)
{
	bool own = allocation->number > 0 && !allocation->name[0];
	return own ? ADVICE_ALLOCATION : advice_bounds;
}

static const char *advice_freed(const struct allocation *allocation)
{
	if (allocation->reset)
		return "cudaDeviceReset() gives up all memory of the device, the operands, too: leave it "
			   "out";
	return allocation->name[0] ? "the pointers that solve() gets are others in each call: keep "
								 "none of them (a static variable, a captured graph)"
							   : "free it after the kernels that use it";
}

/* Where an address lies that is in no allocation, or whose `size` bytes reach past the end of one.
 */
static void describe_address(uint64_t address, size_t size, struct place *out)
{
	bool freed = false;
	char what[MEMORY_TEXT];
	const struct allocation *near = memory_nearest(address, &freed);
	const struct allocation *next = memory_following(address);
	bool global = address >> EXEC_WINDOW_SHIFT == 0 && address >= 65536;
	uint64_t end = near != NULL ? near->base + near->size : 0;
	uint64_t behind = near != NULL && address >= end ? address - end : 0;
	uint64_t before = next != NULL ? next->base - address : UINT64_MAX;
	if (global && before < BEFORE && (near == NULL || behind > before))
		PLACE(out, advice_bounds, "%" PRIu64 " bytes before the start of a %s", before,
			  memory_describe(next, what));
	else if (!global || near == NULL || (!memory_reserved(address) && mapped(address)))
		describe_elsewhere(address, global, out);
	else if (freed && address < end)
		PLACE(out, advice_freed(near), "%" PRIu64 " bytes into a %s that was freed",
			  address - near->base, memory_describe(near, what));
	else if (address < end)
		PLACE(out, advice_past(near), "the last %" PRIu64 " past the end of a %s",
			  address + size - end, memory_describe(near, what));
	else
		PLACE(out, advice_past(near), "%" PRIu64 " bytes past the end of a %s", behind,
			  memory_describe(near, what));
}

enum exec_status exec_fail_address(struct warp *warp, const struct exec_instruction *in, int lane,
								   uint64_t address, size_t size, bool write)
{
	struct place place;
	describe_address(address, size, &place);
	bool first = warp->worker->fault.kind == FAULT_NONE;
	char divided[EXEC_PLACE + 64] = "", at[EXEC_PLACE];
	if (warp->divided) {
		snprintf(divided, sizeof divided, "; an integer was divided by 0 before (%s)",
				 exec_program_place(warp->worker->launch->program, warp->divided - 1, at));
		place.advice = ADVICE_DIVISOR;
	}
	enum exec_status status =
		exec_fail(warp, in, lane, FAULT_ADDRESS, address, "%s %zu bytes at 0x%" PRIx64 ", %s%s",
				  write ? "writes" : "reads", size, address, place.text, divided);
	if (first && place.advice == advice_bounds &&
		strncmp(warp->worker->fault.instruction, "wmma.", strlen("wmma.")) == 0)
		place.advice = advice_wmma;
	if (first)
		warp->worker->fault.advice = place.advice;
	return status;
}

enum exec_status exec_unsupported(struct warp *warp, const struct exec_instruction *in,
								  uint32_t mask)
{
	const struct ptx_instruction *from =
		warp->worker->launch->program->origins[exec_pc(warp, in)].instruction;
	const char *what = "", *name = "";
	for (uint32_t i = 0; i < from->operand_count && !name[0]; i++) {
		const struct ptx_operand *operand = &from->operands[i];
		if (operand->kind == PTX_OP_SPECIAL) {
			what = " with the register ";
			name = operand->name;
		} else if (operand->kind == PTX_OP_FUNCTION) {
			what = " of ";
			name = operand->function->name;
		}
	}
	return exec_fail(warp, in, __builtin_ctz(mask), FAULT_UNSUPPORTED, 0,
					 "the emulated GPU does not implement this instruction%s%.100s", what, name);
}

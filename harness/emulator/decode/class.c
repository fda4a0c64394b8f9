/* The class that an instruction counts for. Nsight Compute sorts SASS
 * instructions into the same classes; here the PTX instruction is sorted. */
#include <string.h>

#include "emulator/exec/exec.h"

/* By the first part of the opcode; arithmetic is sorted by its type below. */
static const struct {
	const char *opcode;
	enum instruction_class class;
} opcodes[] = {
	{"ld", CLASS_MEMORY},
	{"ldu", CLASS_MEMORY},
	{"st", CLASS_MEMORY},
	{"atom", CLASS_MEMORY},
	{"red", CLASS_MEMORY},
	{"prefetch", CLASS_MEMORY},
	{"prefetchu", CLASS_MEMORY},
	{"ldmatrix", CLASS_MEMORY},
	{"stmatrix", CLASS_MEMORY},
	{"multimem", CLASS_MEMORY},
	{"mma", CLASS_TENSOR},
	{"bra", CLASS_CONTROL},
	{"brx", CLASS_CONTROL},
	{"call", CLASS_CONTROL},
	{"ret", CLASS_CONTROL},
	{"exit", CLASS_CONTROL},
	{"trap", CLASS_CONTROL},
	{"brkpt", CLASS_CONTROL},
	{"(end of the kernel)", CLASS_CONTROL},
	{"bar", CLASS_BARRIER},
	{"barrier", CLASS_BARRIER},
	{"mbarrier", CLASS_BARRIER},
	{"membar", CLASS_BARRIER},
	{"fence", CLASS_BARRIER},
	{"griddepcontrol", CLASS_BARRIER},
	{"shfl", CLASS_COMMUNICATION},
	{"vote", CLASS_COMMUNICATION},
	{"match", CLASS_COMMUNICATION},
	{"redux", CLASS_COMMUNICATION},
	{"elect", CLASS_COMMUNICATION},
	{"cvt", CLASS_CONVERSION},
	{"mov", CLASS_OTHER},
	{"cvta", CLASS_OTHER},
	{"isspacep", CLASS_OTHER},
	{"mapa", CLASS_OTHER},
	{"getctarank", CLASS_OTHER},
	{"activemask", CLASS_OTHER},
	{"setmaxnreg", CLASS_OTHER},
	{"nanosleep", CLASS_OTHER},
	{"discard", CLASS_OTHER},
	{"applypriority", CLASS_OTHER},
	{"createpolicy", CLASS_OTHER},
	{"tensormap", CLASS_OTHER},
};

static enum instruction_class class_of_type(const char *type)
{
	if (strncmp(type, "f16", 3) == 0 || strncmp(type, "bf16", 4) == 0)
		return CLASS_FP16;
	if (strcmp(type, "f32") == 0 || strcmp(type, "f32x2") == 0)
		return CLASS_FP32;
	return strcmp(type, "f64") == 0 ? CLASS_FP64 : CLASS_INTEGER;
}

static bool has_part(const struct ptx_instruction *in, const char *part)
{
	for (uint32_t i = 1; i < in->part_count; i++)
		if (strcmp(in->parts[i], part) == 0)
			return true;
	return false;
}

/* wgmma and wmma compute, load and wait under one first part. */
static enum instruction_class class_of_family(const struct ptx_instruction *in)
{
	if (has_part(in, "mma_async") || has_part(in, "mma"))
		return CLASS_TENSOR;
	if (has_part(in, "load") || has_part(in, "store"))
		return CLASS_MEMORY;
	return CLASS_BARRIER;
}

static enum instruction_class class_of(const struct ptx_instruction *in)
{
	const char *first = in->part_count > 0 ? in->parts[0] : in->opcode;
	if (strcmp(first, "wgmma") == 0 || strcmp(first, "wmma") == 0)
		return class_of_family(in);
	if (strcmp(first, "cp") == 0) /* copies; waits and commits keep order */
		return has_part(in, "wait_group") || has_part(in, "wait_all") ||
					   has_part(in, "commit_group") || has_part(in, "mbarrier")
				   ? CLASS_BARRIER
				   : CLASS_MEMORY;
	for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++)
		if (strcmp(first, opcodes[i].opcode) == 0)
			return opcodes[i].class;
	return in->part_count > 1 ? class_of_type(in->parts[in->part_count - 1]) : CLASS_OTHER;
}

void exec_classify(struct exec_program *program)
{
	for (uint32_t i = 0; i < program->count; i++) {
		struct exec_instruction *in = &program->code[i];
		in->class = (uint8_t)class_of(program->origins[in - program->code].instruction);
	}
}

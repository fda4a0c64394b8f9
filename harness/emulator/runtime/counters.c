/* Counters of what kernels did, as JSON, for whoever started the process. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "emulator/exec/kernel_name.h"
#include "emulator/runtime/runtime.h"

#define PATH_BYTES 4096
#define WRITE_EVERY 0.05 /* seconds */

static void write_string(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			fprintf(file, "\\u%04x", *text);
		else
			fputc(*text, file);
	}
	fputc('"', file);
}

/* Members of struct counters under Nsight Compute's names. Those that it does not
 * have, or has only as sums of others, begin with "emulator__". */
#define COUNTER(member, name)                                                                      \
	{                                                                                              \
		offsetof(struct counters, member), name                                                    \
	}
#define BY_CLASS(class, name)                                                                      \
	{                                                                                              \
		offsetof(struct counters, classes[class].lanes), name                                      \
	}
#define WARPS_BY_CLASS(class, name)                                                                \
	{                                                                                              \
		offsetof(struct counters, classes[class].instructions), name                               \
	}

static const struct {
	size_t offset;
	const char *name;
} metrics[] = {
	COUNTER(warp_instructions, "smsp__inst_executed"),
	COUNTER(lane_instructions, "smsp__thread_inst_executed"),
	BY_CLASS(CLASS_FP32, "smsp__sass_thread_inst_executed_op_fp32_pred_on"),
	BY_CLASS(CLASS_FP16, "smsp__sass_thread_inst_executed_op_fp16_pred_on"),
	BY_CLASS(CLASS_FP64, "smsp__sass_thread_inst_executed_op_fp64_pred_on"),
	BY_CLASS(CLASS_INTEGER, "smsp__sass_thread_inst_executed_op_integer_pred_on"),
	BY_CLASS(CLASS_CONVERSION, "smsp__sass_thread_inst_executed_op_conversion_pred_on"),
	BY_CLASS(CLASS_CONTROL, "smsp__sass_thread_inst_executed_op_control_pred_on"),
	BY_CLASS(CLASS_MEMORY, "smsp__sass_thread_inst_executed_op_memory_pred_on"),
	BY_CLASS(CLASS_COMMUNICATION,
			 "smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on"),
	WARPS_BY_CLASS(CLASS_TENSOR, "emulator__inst_executed_tensor"),
	WARPS_BY_CLASS(CLASS_BARRIER, "emulator__inst_executed_barrier"),
	WARPS_BY_CLASS(CLASS_OTHER, "emulator__inst_executed_other"),
	COUNTER(flops, "emulator__flops"),
	COUNTER(tensor_flops, "emulator__flops_tensor"),
	COUNTER(tensor_flops_8, "emulator__flops_tensor_8"),
	COUNTER(tensor_flops_tf32, "emulator__flops_tensor_tf32"),
	COUNTER(global_load_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld"),
	COUNTER(global_load_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"),
	COUNTER(global_store_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_st"),
	COUNTER(global_store_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_st"),
	COUNTER(global_atomic_requests, "emulator__global_atomic_requests"),
	COUNTER(global_atomic_sectors, "emulator__global_atomic_sectors"),
	COUNTER(async_load_requests, "smsp__inst_executed_op_ldgsts"),
	COUNTER(async_load_sectors, "emulator__ldgsts_sectors"),
	COUNTER(bulk_load_requests, "emulator__bulk_load_requests"),
	COUNTER(bulk_load_bytes, "emulator__bulk_load_bytes"),
	COUNTER(bulk_store_requests, "emulator__bulk_store_requests"),
	COUNTER(bulk_store_bytes, "emulator__bulk_store_bytes"),
	COUNTER(shared_load_requests, "smsp__inst_executed_op_shared_ld"),
	COUNTER(shared_load_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld"),
	COUNTER(shared_load_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld"),
	COUNTER(shared_store_requests, "smsp__inst_executed_op_shared_st"),
	COUNTER(shared_store_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st"),
	COUNTER(shared_store_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st"),
	COUNTER(global_lines, "emulator__global_lines"),
	COUNTER(global_footprint, "emulator__global_footprint_sectors"),
	COUNTER(wgmma_shared_bytes, "emulator__wgmma_shared_bytes"),
	COUNTER(blocks, "emulator__blocks"),
	COUNTER(block_threads, "emulator__block_threads"),
	COUNTER(block_shared_bytes, "emulator__block_shared_bytes"),
};

/* Costs of instructions, and then of lines. */
struct counter_line {
	char source[128];
	struct line_cost cost;
};

static int by_source(const void *a, const void *b)
{
	return strcmp(((const struct counter_line *)a)->source,
				  ((const struct counter_line *)b)->source);
}

static void add_cost(struct line_cost *sum, const struct line_cost *more)
{
	sum->instructions += more->instructions;
	sum->shared_wavefronts += more->shared_wavefronts;
	sum->shared_conflicts += more->shared_conflicts;
	sum->global_sectors += more->global_sectors;
	sum->global_lines += more->global_lines;
}

/* The costs of a kernel, those of a line together: how many lines. */
static size_t lines_of(const struct kernel *kernel, struct counter_line *lines, size_t count)
{
	size_t used = 0;
	for (size_t i = 0; i < count; i++)
		kernel_cost(kernel, i, &lines[i].cost, lines[i].source, sizeof lines[i].source);
	qsort(lines, count, sizeof *lines, by_source);
	for (size_t i = 0; i < count; i++) {
		if (used > 0 && strcmp(lines[used - 1].source, lines[i].source) == 0)
			add_cost(&lines[used - 1].cost, &lines[i].cost);
		else
			lines[used++] = lines[i];
	}
	return used;
}

static void write_lines(FILE *file, const struct kernel *kernel)
{
	struct counter_line *lines, first;
	size_t count = 0;
	if (!runtime.options.by_line || kernel == NULL)
		return;
	while (kernel_cost(kernel, count, &first.cost, first.source, sizeof first.source))
		count++;
	if ((lines = calloc(count + 1, sizeof *lines)) == NULL)
		return;
	count = lines_of(kernel, lines, count);
	fputs(",\n     \"lines\": [", file);
	const char *separator = "";
	for (size_t i = 0; i < count; i++) {
		const struct line_cost *cost = &lines[i].cost;
		if (!cost->instructions || !lines[i].source[0])
			continue;
		fprintf(file, "%s\n      {\"source\": ", separator);
		write_string(file, lines[i].source);
		fprintf(file,
				", \"instructions\": %llu, \"shared_wavefronts\": %llu, "
				"\"shared_conflicts\": %llu, \"global_sectors\": %llu, \"global_lines\": %llu}",
				(unsigned long long)cost->instructions, (unsigned long long)cost->shared_wavefronts,
				(unsigned long long)cost->shared_conflicts,
				(unsigned long long)cost->global_sectors, (unsigned long long)cost->global_lines);
		separator = ",";
	}
	fputc(']', file);
	free(lines);
}

static void write_kernel(FILE *file, const struct function *function, bool loaded)
{
	const char *counters = (const char *)&function->counters;
	char shown[KERNEL_NAME_SHOWN];
	kernel_name_show(function->name, shown, sizeof shown);
	fputs("    {\"name\": ", file);
	write_string(file, function->name);
	fputs(",\n     \"demangled\": ", file);
	write_string(file, shown);
	fprintf(file, ",\n     \"launches\": %llu", (unsigned long long)function->launches);
	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
		uint64_t value;
		memcpy(&value, counters + metrics[i].offset, sizeof value);
		fprintf(file, ",\n     \"%s\": %llu", metrics[i].name, (unsigned long long)value);
	}
	write_lines(file, loaded ? function->kernel : NULL);
	fputc('}', file);
}

static void write_kernels(FILE *file, const struct function *list, bool loaded,
						  const char **separator)
{
	for (const struct function *at = list; at != NULL; at = at->next) {
		if (!at->launches)
			continue;
		fputs(*separator, file);
		write_kernel(file, at, loaded);
		*separator = ",\n";
	}
}

/* The whole of it; the caller's to free, NULL where memory runs out. */
static char *text_make(size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);
	if (file == NULL)
		return NULL;
	fprintf(file, "{\n  \"schema_version\": 1,\n  \"gpu\": \"%s\",\n  \"kernels\": [",
			runtime.gpu != NULL ? runtime.gpu->id : "");
	const char *separator = "\n";
	write_kernels(file, runtime.functions, true, &separator);
	write_kernels(file, runtime.retired, false, &separator);
	fputs("\n  ]\n}\n", file);
	if (fclose(file) == 0)
		return text;
	free(text);
	return NULL;
}

/* Not CUDA's: from now on the counters are written into this memory and to no file: the text of
 * such a file with a 0 at its end. at[0] is 0 while it is written. Whoever has called first is
 * asked. */
EXPORT cudaError_t cudaEmulatedCounters(char *at, size_t size)
{
	runtime_enter_early();
	if (runtime.counters_at == NULL) {
		runtime.counters_at = at;
		runtime.counters_room = size;
	}
	return runtime_leave_quietly(cudaSuccess);
}

static bool write_to_memory(const char *text, size_t size)
{
	volatile char *first = runtime.counters_at;
	if (size == 0 || size >= runtime.counters_room)
		return false;
	first[0] = '\0';
	atomic_thread_fence(memory_order_seq_cst);
	memcpy(runtime.counters_at + 1, text + 1, size); /* and the 0 */
	atomic_thread_fence(memory_order_seq_cst);
	first[0] = text[0];
	return true;
}

/* The path, with "%p" in it replaced by the process's id: programs start others. */
static bool counters_path(char *out, size_t capacity)
{
	const char *from = runtime.counters;
	size_t used = 0;
	for (; *from && used + 1 < capacity; from++) {
		if (from[0] == '%' && from[1] == 'p') {
			used += (size_t)snprintf(out + used, capacity - used, "%ld", (long)getpid());
			from++;
		} else {
			out[used++] = *from;
		}
	}
	if (*from || used >= capacity) {
		runtime_say("EMULATED_GPU_COUNTERS is too long");
		return false;
	}
	out[used] = '\0';
	return true;
}

/* Beside the file and renamed, so that a reader never sees half of it. */
static bool write_file(const char *text, size_t size)
{
	char path[PATH_BYTES], beside[PATH_BYTES + 32];
	if (!counters_path(path, sizeof path))
		return false;
	snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
	FILE *file = fopen(beside, "we");
	bool written = file != NULL && fwrite(text, 1, size, file) == size;
	written = file != NULL && fclose(file) == 0 && written;
	if (written && rename(beside, path) == 0)
		return true;
	if (file != NULL)
		unlink(beside);
	return false;
}

static bool wanted(void)
{
	return runtime.counters_at != NULL || runtime.counters != NULL;
}

void counters_write(void)
{
	size_t size;
	if (!runtime.ready || !wanted())
		return;
	char *text = text_make(&size);
	if (text == NULL ||
		!(runtime.counters_at != NULL ? write_to_memory(text, size) : write_file(text, size)))
		runtime_say("cannot write counters to %s",
					runtime.counters_at != NULL ? "the memory that is for them" : runtime.counters);
	free(text);
}

/* After every launch, as a process may end in ways that run no destructor; but
 * not so often that many small launches pay for it. */
void counters_write_sometimes(bool now)
{
	static double next;
	static bool due;
	struct timespec t;
	if (!wanted() || (now && !due))
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	double at = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	due = !now && at < next;
	if (due)
		return;
	counters_write();
	next = at + WRITE_EVERY;
}

/* Frees what a program forgot? No: CUDA drops everything with the context, and
 * so does the end of the process. Only the counters need an end. */
__attribute__((destructor)) static void finish(void)
{
	counters_write();
}

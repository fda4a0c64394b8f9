/* Runs PTX on the emulated machine, for the tests of its instructions. */
#ifndef EMULATOR_TESTS_EXEC_FIXTURE_H
#define EMULATOR_TESTS_EXEC_FIXTURE_H

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/exec/memory.h"
#include "emulator/machine.h"

#define FIXTURE_HEADER ".version 9.5\n.target sm_90a\n.address_size 64\n"

/* A kernel `k` with pointers %in and %out, the thread's number in %t, and some
 * registers of each kind; `body` does the rest. */
#define FIXTURE_KERNEL(body)                                                                       \
	FIXTURE_HEADER                                                                                 \
	".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"                                  \
	".reg .pred %p<16>; .reg .b16 %h<32>; .reg .b32 %r<64>; .reg .b64 %d<32>; .reg .f32 %f<32>;\n" \
	".reg .b64 %in, %out; .reg .b32 %t;\n"                                                         \
	"ld.param.u64 %in, [p_in]; ld.param.u64 %out, [p_out]; mov.u32 %t, %tid.x;\n" body             \
	"\nret;\n}\n"

/* FIXTURE_KERNEL around a body made at run time. */
static inline const char *fixture_kernel(char *ptx, size_t size, const char *body)
{
	static const char shell[] = FIXTURE_KERNEL("@@");
	const char *mark = strstr(shell, "@@");
	int length = snprintf(ptx, size, "%.*s%s%s", (int)(mark - shell), shell, body, mark + 2);
	cr_assert((size_t)length < size);
	return ptx;
}

static inline uint64_t fixture_buffer(size_t bytes)
{
	cr_assert(memory_init((size_t)1 << 30));
	uint64_t buffer = memory_allocate(bytes, "test");
	cr_assert(buffer);
	memory_name(buffer, "test"); /* a result of the program's: undefined values are not for it */
	return buffer;
}

static inline uint64_t fixture_copy(const void *data, size_t bytes)
{
	uint64_t buffer = fixture_buffer(bytes);
	memcpy((void *)(uintptr_t)buffer, data, bytes);
	memory_mark_written(memory_find(buffer), buffer, bytes);
	return buffer;
}

static inline struct module *fixture_parse(const char *ptx)
{
	struct fault fault;
	cr_assert(memory_init((size_t)1 << 30));
	struct module *module = module_parse(ptx, strlen(ptx), &fault);
	cr_assert(module, "%s", fault.text);
	return module;
}

struct fixture_launch {
	uint32_t blocks, threads, cluster, resident;
	size_t dynamic_shared;
	uint64_t step_budget;
	int host_threads;
	bool check_race, check_none;
	const char *serialised;
	uint64_t seed;
	uint32_t sample;
	struct counters counters;
};

/* Launches kernel k(in, out). */
static inline bool fixture_run(const char *ptx, struct fixture_launch *how, uint64_t in,
							   uint64_t out, struct fault *fault)
{
	struct module *module = fixture_parse(ptx);
	uint64_t parameters[2] = {in, out};
	struct launch launch = {
		.kernel = module_kernel(module, "k"),
		.grid = {how->blocks ? how->blocks : 1, 1, 1},
		.block = {how->threads ? how->threads : 32, 1, 1},
		.cluster = {how->cluster, how->cluster > 0, how->cluster > 0},
		.dynamic_shared_bytes = how->dynamic_shared,
		.parameters = parameters,
		.resident_blocks = how->resident,
	};
	struct machine_options options = {
		.threads = how->host_threads ? how->host_threads : 1,
		.step_budget = how->step_budget,
		.check_race = how->check_race,
		.check_none = how->check_none,
		.serialised = how->serialised,
		.seed = how->seed,
		.sample = how->sample,
	};
	cr_assert(launch.kernel);
	bool ok = machine_launch(&launch, &options, &how->counters, fault);
	module_free(module);
	return ok;
}

/* Expects success and copies `bytes` of output. */
static inline void fixture_expect(const char *ptx, struct fixture_launch how, const void *in,
								  size_t in_bytes, void *out, size_t out_bytes)
{
	struct fault fault;
	uint64_t from = in_bytes ? fixture_copy(in, in_bytes) : 0, to = fixture_buffer(out_bytes);
	cr_assert(fixture_run(ptx, &how, from, to, &fault), "%s", fault.text);
	memcpy(out, (void *)(uintptr_t)to, out_bytes);
}

/* Expects a fault of this kind whose text holds `needle`. */
static inline void fixture_expect_fault(const char *ptx, struct fixture_launch how,
										enum fault_kind kind, const char *needle)
{
	struct fault fault = {0};
	uint32_t zeros[256] = {0};
	uint64_t from = fixture_copy(zeros, sizeof zeros), to = fixture_buffer(1024);
	cr_assert_not(fixture_run(ptx, &how, from, to, &fault), "no fault was found");
	cr_assert_eq(fault.kind, kind, "kind %d, expected %d: %s", fault.kind, kind, fault.text);
	cr_assert(strstr(fault.text, needle), "'%s' is not in: %s", needle, fault.text);
}

/* ------------------------------------------------------------------------
 * One instruction over many operands */

#define FIXTURE_LANES 95 /* the last warp is not full */

/* The operand classes of an instruction, destination first: h 16, r 32, d 64
 * bits, p a predicate. Operands are given as 64-bit values. */
static inline void fixture_instruction(const char *opcode, const char *classes,
									   uint64_t values[4][FIXTURE_LANES],
									   uint64_t out[FIXTURE_LANES])
{
	char ptx[8192], body[4096], operands[128] = "", loads[1024] = "";
	int count = (int)strlen(classes) - 1;
	for (int i = 1; i <= count; i++) {
		char c = classes[i], one[256];
		int at = (i - 1) * FIXTURE_LANES * 8, bits = c == 'd' ? 64 : c == 'h' ? 16 : 32;
		snprintf(operands + strlen(operands), sizeof operands - strlen(operands), ", %%%c%d", c, i);
		if (c == 'p')
			snprintf(one, sizeof one,
					 "ld.global.b32 %%r60, [%%in+%d]; setp.ne.b32 %%p%d, %%r60, 0;\n", at, i);
		else
			snprintf(one, sizeof one, "ld.global.b%d %%%c%d, [%%in+%d];\n", bits, c, i, at);
		strcat(loads, one);
	}
	const char *store = classes[0] == 'd'   ? "st.global.b64 [%out], %d0;"
						: classes[0] == 'r' ? "st.global.b32 [%out], %r0;"
						: classes[0] == 'h' ? "st.global.b16 [%out], %h0;"
											: "selp.b32 %r0, 1, 0, %p0; st.global.b32 [%out], %r0;";
	snprintf(body, sizeof body,
			 "mul.wide.u32 %%d31, %%t, 8; add.s64 %%in, %%in, %%d31; add.s64 %%out, %%out, %%d31;\n"
			 "mov.b64 %%d30, 0; st.global.b64 [%%out], %%d30;\n%s%s %%%c0%s;\n%s",
			 loads, opcode, classes[0], operands, store);
	fixture_kernel(ptx, sizeof ptx, body);
	struct fixture_launch how = {.threads = FIXTURE_LANES};
	fixture_expect(ptx, how, values, 4 * FIXTURE_LANES * 8, out, FIXTURE_LANES * 8);
}

static inline uint64_t fixture_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	uint64_t x = *state ^ *state >> 29;
	return x * 0x9e3779b97f4a7c15u ^ x >> 32;
}

#endif

/* links: emulator_core */
/* Launches of which a sample is run, and what is counted by line. */
#include "exec_fixture.h"

#define STORE_BLOCK                                                                                \
	"mov.u32 %r1, %ctaid.x; mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %out, %d1;\n"                   \
	"ld.global.u32 %r2, [%in]; ld.global.u32 %r3, [%in+4]; ld.global.u32 %r4, [%in+128];\n"        \
	"st.global.u32 [%d2], %r1;"

static struct counters counted(uint32_t blocks, uint32_t sample, uint32_t *ran)
{
	struct fixture_launch how = {.blocks = blocks, .threads = 64, .sample = sample};
	struct fault fault;
	const uint32_t in[64] = {0};
	uint64_t from = fixture_copy(in, sizeof in), to = fixture_buffer(blocks * 4);
	const uint32_t *out = (const uint32_t *)(uintptr_t)to;
	*ran = 0;
	cr_assert(fixture_run(FIXTURE_KERNEL(STORE_BLOCK), &how, from, to, &fault), "%s", fault.text);
	for (uint32_t i = 0; i < blocks; i++)
		*ran += out[i] == i;
	return how.counters;
}

Test(exec_sample, counts_as_if_all_blocks_had_run)
{
	uint32_t ran;
	struct counters all = counted(64, 0, &ran);
	cr_expect_eq(ran, 64);
	struct counters some = counted(64, 4, &ran);
	cr_expect_eq(ran, 4, "%u", ran);
	cr_expect_eq(some.warp_instructions, all.warp_instructions);
	cr_expect_eq(some.global_load_sectors, all.global_load_sectors);
	cr_expect_eq(some.blocks, 64);
	cr_expect_eq(some.block_threads, 64 * 64);
	cr_expect_eq(all.blocks, 64);
	counted(3, 8, &ran);
	cr_expect_eq(ran, 3, "a launch of fewer blocks is run whole");
}

/* As where a grid is padded to a multiple of four rows of tiles. */
#define EVERY_FOURTH                                                                               \
	"mov.u32 %r1, %ctaid.x; and.b32 %r2, %r1, 3; setp.ne.u32 %p1, %r2, 0; @%p1 ret;\n"             \
	"mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %out, %d1; st.global.u32 [%d2], %r1;"

Test(exec_sample, follows_no_period)
{
	struct fixture_launch how = {.blocks = 256, .threads = 32, .sample = 16};
	struct fault fault;
	uint64_t to = fixture_buffer(1024);
	cr_assert(fixture_run(FIXTURE_KERNEL(EVERY_FOURTH), &how, to, to, &fault), "%s", fault.text);
	cr_expect(how.counters.global_store_requests >= 48 && how.counters.global_store_requests <= 80,
			  "64 blocks store, %u are estimated", (unsigned)how.counters.global_store_requests);
}

Test(exec_sample, keeps_each_sector_of_a_block_once)
{
	uint32_t ran;
	struct counters c = counted(16, 2, &ran);
	/* two warps a block; three loads, of which two are of one sector, and of one line each */
	cr_expect_eq(c.global_load_sectors, 16 * 2 * 3);
	cr_expect_eq(c.global_footprint, 16 * 2);
	cr_expect_eq(c.global_lines, 16 * 2 * 4);
	cr_expect_eq(counted(16, 0, &ran).global_footprint, 0, "nobody asked");
}

#define WITH_LINES                                                                                 \
	FIXTURE_HEADER ".file 1 \"folder/x.cu\"\n"                                                     \
				   ".visible .entry k(.param .u64 p_in, .param .u64 p_out)\n{\n"                   \
				   ".reg .b64 %in, %out; .reg .b32 %r<4>;\n"                                       \
				   ".loc 1 10 1\nld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\n"         \
				   ".loc 1 11 1\nld.global.u32 %r1, [%in];\n"                                      \
				   ".loc 1 12 1\nst.global.u32 [%out], %r1;\nret;\n}\n"

Test(exec_sample, costs_belong_to_lines)
{
	struct module *module = fixture_parse(WITH_LINES);
	const uint32_t in[32] = {0};
	uint64_t parameters[2] = {fixture_copy(in, sizeof in), fixture_buffer(4)};
	const struct kernel *kernel = module_kernel(module, "k");
	struct launch launch = {.kernel = kernel,
							.grid = {2, 1, 1},
							.block = {32, 1, 1},
							.cluster = {1, 1, 1},
							.parameters = parameters};
	struct machine_options options = {.threads = 1, .by_line = true};
	struct counters counters = {0};
	struct fault fault;
	struct line_cost cost;
	char source[64];
	uint64_t instructions = 0, sectors = 0;
	cr_expect_not(kernel_cost(kernel, 0, &cost, source, sizeof source), "nothing was run yet");
	cr_assert(machine_launch(&launch, &options, &counters, &fault), "%s", fault.text);
	cr_assert(machine_launch(&launch, &options, &counters, &fault), "%s", fault.text);
	for (size_t i = 0; kernel_cost(kernel, i, &cost, source, sizeof source); i++) {
		instructions += cost.instructions;
		if (strcmp(source, "x.cu:11") == 0)
			sectors += cost.global_sectors;
	}
	cr_expect_eq(instructions, counters.warp_instructions);
	cr_expect_eq(sectors, 4, "two launches of two warps: %u", (unsigned)sectors);
	module_free(module);
}

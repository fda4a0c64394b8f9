/* links: emulator_core; label: threads */
#include "emulator/exec/operation.h"
#include "exec_fixture.h"

/* For ThreadSanitizer: kernels here race, and what they race on is the host's memory. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race_top:^op_ld_\nrace_top:^op_st_\n";
}

#define BLOCKS(count) ((struct fixture_launch){.blocks = (count), .check_race = true})
#define ACROSS(count)                                                                              \
	((struct fixture_launch){.blocks = (count), .check_race = true, .host_threads = 2})

static const uint32_t zeros[64];

static void expect_none(const char *ptx, struct fixture_launch how)
{
	uint32_t out[256];
	fixture_expect(ptx, how, zeros, sizeof zeros, out, sizeof out);
}

/* Lane 0 of each block does the first part where it is block 0, the other part elsewhere. */
#define TWO_BLOCKS(first, second)                                                                  \
	FIXTURE_KERNEL("mov.u32 %r20, %ctaid.x; setp.ne.u32 %p1, %r20, 0; setp.ne.u32 %p2, %t, 0;\n"   \
				   "@%p2 ret;\n@%p1 bra SECOND;\n" first "\nret;\nSECOND:\n" second "\n")

/* Block 0 stores a word and sets a flag; block 1 spins on the flag, and reads the word. */
#define FLAG(before, set, look, after)                                                             \
	TWO_BLOCKS("st.global.u32 [%out], 7;\n" before "\n" set " [%in], 1;\n",                        \
			   "LOOP: " look " %r1, [%in]; setp.eq.u32 %p3, %r1, 0; @%p3 bra LOOP;\n" after        \
			   "\nld.global.u32 %r2, [%out]; st.global.u32 [%out+64], %r2;\n")

Test(race_global, a_flag_needs_fences)
{
	expect_none(
		FLAG("membar.gl;", "st.volatile.global.u32", "ld.volatile.global.u32", "membar.gl;"),
		BLOCKS(2));
	expect_none(FLAG("fence.acq_rel.gpu;", "st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32",
					 "fence.acq_rel.gpu;"),
				ACROSS(2));
	expect_none(FLAG("", "st.release.gpu.global.u32", "ld.acquire.gpu.global.u32", ""), ACROSS(2));
	expect_none(FLAG("membar.gl;", "red.global.add.u32", "ld.acquire.gpu.global.u32", ""),
				ACROSS(2));
	fixture_expect_fault(FLAG("", "st.volatile.global.u32", "ld.volatile.global.u32", "membar.gl;"),
						 BLOCKS(2), FAULT_RACE,
						 "which block (0,0,0) writes (st.global.u32 at PTX line");
	fixture_expect_fault(FLAG("membar.gl;", "st.volatile.global.u32", "ld.volatile.global.u32", ""),
						 ACROSS(2), FAULT_RACE, "reads offset 0");
	fixture_expect_fault(FLAG("", "red.global.add.u32", "ld.acquire.gpu.global.u32", ""), ACROSS(2),
						 FAULT_RACE, "nothing orders the two");
	fixture_expect_fault(
		FLAG("membar.cta;", "st.volatile.global.u32", "ld.volatile.global.u32", "membar.gl;"),
		BLOCKS(2), FAULT_RACE, "nothing orders the two");
}

/* Warp 1 stores; thread 0 fences and sets the flag, behind a barrier or not. */
#define OTHER_WARP(meet)                                                                           \
	FIXTURE_KERNEL(                                                                                \
		"mov.u32 %r20, %ctaid.x; setp.ne.u32 %p1, %r20, 0; setp.eq.u32 %p2, %t, 0;\n"              \
		"setp.eq.u32 %p4, %t, 32;\n@%p1 bra SECOND;\n@%p4 st.global.u32 [%out], 7;\n" meet         \
		"\n@%p2 membar.gl;\n@%p2 st.volatile.global.u32 [%in], 1;\nret;\nSECOND:\n@!%p2 ret;\n"    \
		"LOOP: ld.volatile.global.u32 %r1, [%in]; setp.eq.u32 %p3, %r1, 0; @%p3 bra LOOP;\n"       \
		"membar.gl;\nld.global.u32 %r2, [%out];\n")

Test(race_global, a_fence_is_for_what_barriers_brought)
{
	struct fixture_launch how = {.blocks = 2, .threads = 64, .check_race = true};
	expect_none(OTHER_WARP("bar.sync 0;"), how);
	/* each fences for itself, then one sets the flag */
	expect_none(OTHER_WARP("membar.gl; bar.sync 0;"), how);
	fixture_expect_fault(OTHER_WARP(""), how, FAULT_RACE, "which block (0,0,0) writes");
}

Test(race_global, atomics_race_with_others_only)
{
	expect_none(TWO_BLOCKS("red.global.add.u32 [%in], 1;", "atom.global.add.u32 %r1, [%in], 1;"),
				ACROSS(8));
	fixture_expect_fault(TWO_BLOCKS("st.global.u32 [%in], 1;", "red.global.add.u32 [%in], 1;"),
						 BLOCKS(8), FAULT_RACE, "which block (0,0,0) writes");
	fixture_expect_fault(TWO_BLOCKS("ld.global.u32 %r1, [%in];", "red.global.add.u32 [%in], 1;"),
						 BLOCKS(8), FAULT_RACE, "which block (0,0,0) reads (ld.global.u32");
	fixture_expect_fault(
		TWO_BLOCKS("red.cta.global.add.u32 [%in], 1;", "red.cta.global.add.u32 [%in], 1;"),
		BLOCKS(8), FAULT_RACE, "red.cta.global.add.u32");
}

Test(race_global, the_same_value_is_none)
{
	expect_none(TWO_BLOCKS("st.global.u32 [%out], 9;", "st.global.u32 [%out], 9;"), ACROSS(8));
	fixture_expect_fault(TWO_BLOCKS("st.global.u32 [%out], 8;", "st.global.u32 [%out], 9;"),
						 ACROSS(8), FAULT_RACE, "writes offset 0 of a 1024-byte allocation (test)");
	/* of a vector the words that differ */
	fixture_expect_fault(
		TWO_BLOCKS("mov.u32 %r1, 1; mov.u32 %r2, 2; st.global.v2.u32 [%out], {%r1, %r2};",
				   "mov.u32 %r1, 1; mov.u32 %r2, 3; st.global.v2.u32 [%out], {%r1, %r2};"),
		BLOCKS(2), FAULT_RACE, "writes offset 4");
}

/* Halves and bytes of a word are apart: block b writes the b-th. */
Test(race_global, neighbours_are_apart)
{
	expect_none(FIXTURE_KERNEL("mov.u32 %r20, %ctaid.x; mul.wide.u32 %d1, %r20, 2;\n"
							   "add.s64 %out, %out, %d1; cvt.u16.u32 %h1, %r20;\n"
							   "setp.eq.u32 %p1, %t, 0; @%p1 st.global.u16 [%out], %h1;"),
				ACROSS(16));
	expect_none(FIXTURE_KERNEL("mov.u32 %r20, %ctaid.x; cvt.u64.u32 %d1, %r20;\n"
							   "add.s64 %out, %out, %d1;\n"
							   "setp.eq.u32 %p1, %t, 0; @%p1 st.global.u8 [%out], %r20;"),
				ACROSS(16));
	fixture_expect_fault(
		TWO_BLOCKS("mov.u16 %h1, 1; st.global.u16 [%out+2], %h1;", "st.global.u32 [%out], 9;"),
		BLOCKS(2), FAULT_RACE, "writes offset 0");
}

/* Each block of a cluster writes a word; the other one reads it. */
#define CLUSTER(meet)                                                                              \
	FIXTURE_KERNEL("mov.u32 %r20, %ctaid.x; mul.wide.u32 %d1, %r20, 4; xor.b32 %r21, %r20, 1;\n"   \
				   "mul.wide.u32 %d2, %r21, 4; add.s64 %d1, %d1, %out; add.s64 %d2, %d2, %out;\n"  \
				   "setp.eq.u32 %p1, %t, 0;\n@%p1 st.global.u32 [%d1], %r20;\n" meet               \
				   "\n@%p1 ld.global.u32 %r1, [%d2];")

Test(race_global, the_barrier_of_a_cluster_orders_its_blocks)
{
	struct fixture_launch how = {.blocks = 2, .cluster = 2, .check_race = true};
	expect_none(CLUSTER("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"), how);
	fixture_expect_fault(CLUSTER("bar.sync 0;"), how, FAULT_RACE, "nothing orders the two");
}

/* ------------------------------------------------------------------------
 * Launches and copies */

static struct exec_operation begin(uint32_t timeline, uint32_t number, uint32_t early,
								   const struct machine_clock *before)
{
	struct exec_operation operation = {.name = "k", .grid = {4, 1, 1}};
	struct machine_order order = {timeline, number, *before, early};
	exec_operation_begin(&operation, &order);
	return operation;
}

Test(race_global, launches_are_ordered_by_their_clocks)
{
	struct machine_clock none = {{0}}, first = {{0}};
	first.seen[3] = 1;
	const struct exec_operation a = begin(3, 1, 0, &none), b = begin(4, 1, 0, &none),
								c = begin(4, 2, 0, &first), d = begin(3, 2, 1, &first);
	cr_assert(!exec_operation_follows(&b, a.first, false));    /* two streams */
	cr_assert(exec_operation_follows(&c, a.first + 3, false)); /* behind an event */
	cr_assert(!exec_operation_follows(&c, b.first, false));
	cr_assert(!exec_operation_follows(&d, a.first, false)); /* a dependent launch */
	cr_assert(exec_operation_follows(&d, a.first, true));   /* that has waited */
	struct machine_clock host = first;
	host.seen[4] = 2;
	exec_operation_retire(&host);
	const struct exec_operation e = begin(5, 1, 0, &none);
	cr_assert(exec_operation_follows(&e, a.first, false) &&
			  exec_operation_follows(&e, c.first, false) &&
			  !exec_operation_follows(&e, d.first, false));
}

Test(race_global, copies_race_with_launches)
{
	struct machine_clock none = {{0}}, first = {{0}};
	struct machine_order launched = {2, 1, none, 0}, other = {3, 1, none, 0};
	uint64_t buffer = fixture_buffer(1024);
	struct module *module = fixture_parse(FIXTURE_KERNEL("st.global.u32 [%out+8], 1;"));
	uint64_t parameters[2] = {0, buffer};
	struct launch launch = {.kernel = module_kernel(module, "k"),
							.grid = {1, 1, 1},
							.block = {1, 1, 1},
							.parameters = parameters,
							.order = &launched};
	struct machine_options options = {.threads = 1, .check_race = true};
	const struct machine_copy beside = {"cudaMemcpyAsync", buffer + 12, 100, false, true};
	const struct machine_copy racing = {"cudaMemcpyAsync", buffer, 100, false, true};
	const struct machine_copy waiting = {"cudaMemcpy", buffer, 100, false, false};
	struct fault fault;
	cr_assert(machine_launch(&launch, &options, NULL, &fault), "%s", fault.text);
	cr_assert(machine_copied(&other, &beside, &fault));
	cr_assert(!machine_copied(&other, &racing, &fault));
	cr_assert_str_eq(fault.text, "cudaMemcpyAsync: reads offset 8 of a 1024-byte allocation "
								 "(test), which kernel k, block (0,0,0), writes (st.global.u32 at "
								 "PTX line 9): nothing orders the two");
	first.seen[2] = 1;
	machine_waited(&first);
	cr_assert(machine_copied(&other, &waiting, &fault));
	module_free(module);
}

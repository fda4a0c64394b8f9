/* links: emulator_core */
/* Global memory that nothing wrote: it may be read, and what is made of it may be stored where only
 * the program itself looks, but not in a result. Of shared memory: test_exec_undefined.c. */
#include "exec_fixture.h"

#define BYTES 4096

/* %in: the lane's 16 bytes of a workspace; %d1: the workspace; %p1: the first half of the lanes */
#define START                                                                                      \
	".shared .align 128 .b8 s[1024];\n"                                                            \
	"mov.u64 %d1, %in; cvt.u64.u32 %d2, %t; shl.b64 %d3, %d2, 4; add.s64 %in, %in, %d3;\n"         \
	"shl.b64 %d2, %d2, 2; add.s64 %out, %out, %d2; setp.lt.u32 %p1, %t, 16;\n"
#define STORE(value) "st.global.b32 [%out], " value ";\n"

/* Runs `body` over a workspace of which `written` bytes were; "": it ends well. */
static void run(const char *body, size_t written, struct fixture_launch how, struct fault *fault,
				uint32_t out[32])
{
	char ptx[8192], whole[6144];
	snprintf(whole, sizeof whole, "%s%s", START, body);
	uint64_t to = fixture_buffer(128), workspace = memory_allocate(BYTES, "cudaMalloc");
	memset((void *)(uintptr_t)workspace, 0, written);
	memory_mark_written(memory_find(workspace), workspace, written);
	*fault = (struct fault){0};
	how.threads = 32;
	fixture_run(fixture_kernel(ptx, sizeof ptx, whole), &how, workspace, to, fault);
	memcpy(out, (void *)(uintptr_t)to, 128);
	memory_free(workspace);
	memory_free(to);
}

static void right_of(const char *body, size_t written, uint32_t expected)
{
	struct fault fault;
	uint32_t out[32];
	run(body, written, (struct fixture_launch){0}, &fault, out);
	cr_assert_eq(fault.kind, FAULT_NONE, "%s\n%s", fault.text, body);
	for (uint32_t i = 0; i < 32; i++)
		cr_assert_eq(out[i], expected, "lane %u: %x\n%s", i, out[i], body);
}

static void wrong_of(const char *body, size_t written, const char *needle)
{
	struct fault fault;
	uint32_t out[32];
	run(body, written, (struct fixture_launch){0}, &fault, out);
	cr_assert_eq(fault.kind, FAULT_UNINITIALISED, "kind %d: %s\n%s", fault.kind, fault.text, body);
	cr_assert(strstr(fault.text, needle), "'%s' is not in: %s\n%s", needle, fault.text, body);
}

#define RIGHT(body, expected) right_of(body, 0, expected)
#define WRONG(body, needle) wrong_of(body, 0, needle)

Test(exec_unwritten, unused)
{
	RIGHT("ld.global.b32 %r1, [%in]; add.u32 %r1, %r1, 1;\n" STORE("7"), 7);
	RIGHT("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%in]; ld.global.nc.b64 %d4, [%in];\n"
		  "ld.volatile.global.u8 %r5, [%in+1]; ld.u16 %h1, [%in+2];\n" STORE("7"),
		  7);
}

Test(exec_unwritten, stored_in_a_result)
{
	WRONG("ld.global.b32 %r1, [%in];\n" STORE("%r1"),
		  "stores a value made of memory that nothing wrote, read by ld.global.b32 at PTX line");
	WRONG("ld.global.b32 %r1, [%in];\n" STORE("%r1"),
		  "byte 0 of a 4096-byte allocation (cudaMalloc)");
	WRONG("ld.global.b32 %r1, [%in]; add.u32 %r2, %r1, 1;\n" STORE("%r2"),
		  "stores a value made of");
	WRONG("ld.global.u8 %r1, [%in+5];\n" STORE("%r1"), "byte 5 of");
	/* the part of a vector that was written */
	right_of("ld.global.v2.b32 {%r1, %r2}, [%d1+32];\n" STORE("%r1"), 36, 0);
	wrong_of("ld.global.v2.b32 {%r1, %r2}, [%d1+32];\n" STORE("%r2"), 36, "stores a value made of");
	/* lanes whose own bytes were */
	right_of("ld.global.b32 %r1, [%in]; @!%p1 mov.u32 %r1, 0;\n" STORE("%r1"), 256, 0);
	wrong_of("ld.global.b32 %r1, [%in];\n" STORE("%r1"), 256, "thread (16,0,0)");
}

Test(exec_unwritten, other_uses)
{
	WRONG("ld.global.b64 %d4, [%in]; ld.global.b32 %r1, [%d4];\n",
		  "uses an address made of memory");
	WRONG("ld.global.b32 %r1, [%in]; setp.eq.u32 %p2, %r1, 0; @%p2 bra $x;\n" STORE("1") "$x:\n",
		  "branches on a value made of memory");
	RIGHT("ld.global.b32 %r1, [%in]; setp.eq.u32 %p2, %r1, 0; @%p2 bra $x; mov.u32 %r2, 1; "
		  "$x:\n" STORE("1"),
		  1);
	WRONG("atom.global.add.u32 %r1, [%in], 1;\n", "reads memory that nothing wrote: byte 0 of a");
	WRONG("ld.global.b32 %r1, [%in]; red.global.add.u32 [%out], %r1;\n", "has an operand made of");
}

Test(exec_unwritten, stored_in_a_workspace)
{
	RIGHT("ld.global.b32 %r1, [%in]; st.global.b32 [%in+4], %r1;\n" STORE("7"), 7);
	WRONG(
		"ld.global.b32 %r1, [%in]; st.global.b32 [%in+4], %r1; ld.global.b32 %r2, [%in+4];\n" STORE(
			"%r2"),
		"made of memory that an undefined value was stored to");
	/* over what was written, of which the worker knows that all was */
	right_of("ld.global.b32 %r3, [%in]; ld.shared.b32 %r1, [s]; st.global.b32 [%in], %r1;\n"
			 "st.global.b32 [%in], 5; ld.global.b32 %r2, [%in];\n" STORE("%r2"),
			 BYTES, 5);
	wrong_of("ld.global.b32 %r3, [%in]; ld.shared.b32 %r1, [s]; st.global.b32 [%in], %r1;\n"
			 "ld.global.b32 %r2, [%in];\n" STORE("%r2"),
			 BYTES, "read by ld.global.b32");
	right_of("ld.global.b32 %r3, [%in]; ld.shared.b32 %r1, [s]; st.global.v2.b32 [%in], {%r1, 5};\n"
			 "ld.global.b32 %r2, [%in+4];\n" STORE("%r2"),
			 BYTES, 5);
}

/* cp.async brings what it reads, in either order of landing. */
Test(exec_unwritten, asynchronous_copies)
{
#define COPY                                                                                       \
	"mov.u32 %r9, s; shl.b32 %r8, %t, 4; add.u32 %r9, %r9, %r8;\n"                                 \
	"cp.async.ca.shared.global [%r9], [%in], 16; cp.async.wait_all; ld.shared.b32 %r1, [%r9];\n"
	RIGHT(COPY STORE("7"), 7);
	right_of(COPY STORE("%r1"), BYTES, 0);
	for (uint64_t seed = 1; seed < 4; seed++) {
		struct fault fault;
		uint32_t out[32];
		run(COPY STORE("%r1"), 0, (struct fixture_launch){.seed = seed}, &fault, out);
		cr_assert_eq(fault.kind, FAULT_UNINITIALISED);
		cr_assert(strstr(fault.text, "stores a value made of shared memory"), "%s", fault.text);
	}
}

Test(exec_unwritten, not_looked_for)
{
	struct fault fault;
	uint32_t out[32];
	run("ld.global.b32 %r1, [%in];\n" STORE("%r1"), 0, (struct fixture_launch){.check_none = true},
		&fault, out);
	cr_assert_eq(fault.kind, FAULT_NONE, "%s", fault.text);
}

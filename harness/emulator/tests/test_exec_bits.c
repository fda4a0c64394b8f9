/* links: emulator_core */
/* What an H200 gives (driver 580, ptxas 13.0) where PTX leaves it open, or where it is not what
 * anybody expects: NaN, ranges of approximate functions. */
#include "exec_fixture.h"

static void expect(const char *opcode, const char *classes, uint64_t a, uint64_t b, uint64_t want)
{
	static const char *const levels[] = {"2", "3", "4"};
	uint64_t values[4][FIXTURE_LANES] = {0}, out[FIXTURE_LANES];
	const char *level = getenv("TEST_LEVEL");
	setenv("EMULATED_GPU_SIMD", level ? level : levels[2], 1);
	for (int i = 0; i < FIXTURE_LANES; i++) {
		values[0][i] = a;
		values[1][i] = b;
	}
	fixture_instruction(opcode, classes, values, out);
	for (int i = 0; i < FIXTURE_LANES; i++)
		cr_expect_eq(out[i], want, "%s %llx, %llx, lane %d: %llx, expected %llx", opcode,
					 (unsigned long long)a, (unsigned long long)b, i, (unsigned long long)out[i],
					 (unsigned long long)want);
}

#define ON_EVERY_LEVEL(name)                                                                       \
	static void name(void);                                                                        \
	Test(exec_bits, name)                                                                          \
	{                                                                                              \
		name();                                                                                    \
	}                                                                                              \
	Test(exec_bits, name##_with_avx2)                                                              \
	{                                                                                              \
		setenv("TEST_LEVEL", "3", 1);                                                              \
		name();                                                                                    \
	}                                                                                              \
	Test(exec_bits, name##_without_avx)                                                            \
	{                                                                                              \
		setenv("TEST_LEVEL", "2", 1);                                                              \
		name();                                                                                    \
	}                                                                                              \
	static void name(void)

ON_EVERY_LEVEL(nan_of_signs)
{
	expect("abs.f32", "rr", 0xff812345, 0, 0x7fffffff);
	expect("neg.ftz.f32", "rr", 0x7f812345, 0, 0x7fffffff);
	/* the same instructions, of a number and of the other types */
	expect("abs.f32", "rr", 0xbf800000, 0, 0x3f800000);
	expect("neg.f32", "rr", 0x80000001, 0, 0x00000001);
	expect("neg.f32", "rr", 0xffc12345, 0, 0x7fffffff);
	expect("abs.ftz.f32", "rr", 0xff812345, 0, 0x7fffffff);
	expect("abs.f16", "hh", 0xfc01, 0, 0x7fff);
	expect("abs.f16", "hh", 0xfc00, 0, 0x7c00);
	expect("neg.f16x2", "rr", 0x7e003c00, 0, 0x7fffbc00);
	expect("neg.bf16", "hh", 0x7f81, 0, 0x7fff);
	expect("abs.bf16x2", "rr", 0xff80ffc0, 0, 0x7f807fff);
}

/* ptxas makes a copy where both operands are one register; what the instruction makes of two NaN
 * is the one of arithmetic (PTX ISA). */
ON_EVERY_LEVEL(nan_of_minima)
{
	expect("max.f32 %r1, %r1, %r1; min.f32 %r1, %r1, %r1; mov.b32", "rr", 0x7fc12345, 0,
		   0x7fc12345);
	expect("min.f16 %h1, %h1, %h1; mov.b16", "hh", 0x7e01, 0, 0x7e01);
	expect("min.ftz.f32 %r1, %r1, %r1; mov.b32", "rr", 0x7fc12345, 0, 0x7fffffff);
	expect("min.NaN.f32 %r1, %r1, %r1; mov.b32", "rr", 0x7fc12345, 0, 0x7fffffff);
	expect("min.f64 %d1, %d1, %d1; mov.b64", "dd", 0x7ff8000000001234, 0, 0x7ff8000000001234);
	expect("min.f32", "rrr", 0x7fc12345, 0x7fc12346, 0x7fffffff);
	expect("min.NaN.f32", "rrr", 0x7fc12345, 0x3f800000, 0x7fffffff);
	expect("max.NaN.xorsign.abs.f32", "rrr", 0x3f800000, 0xff98c691, 0x7fffffff);
	expect("min.f64", "ddd", 0x7ff8000000001234, 0x7ff8000000001234, 0x7ff8000000001234);
}

ON_EVERY_LEVEL(nan_of_conversions)
{
	expect("cvt.rn.f32.f64", "rd", 0x7ff8000000001234, 0, 0x7fc00000);
	expect("cvt.rz.f32.f64", "rd", 0x7ff8000000001234, 0, 0x7fc00000);
	expect("cvt.f32.f16", "rh", 0x7e01, 0, 0x7fffffff);
	expect("cvt.f32.f16", "rh", 0xfc00, 0, 0xff800000);
	expect("cvt.f64.f32", "dr", 0x7fc12345, 0, 0x7ff82468a0000000);
	/* from f64: the sign, and as much of the payload as there is room for */
	expect("cvt.rn.f32.f64", "rd", 0x7fff00c898602762, 0, 0x7ff80644);
	expect("cvt.rz.f32.f64", "rd", 0xfff0000000000001, 0, 0xffc00000);
	expect("cvt.rn.f16.f64", "hd", 0x7fff00c898602762, 0, 0x7fc0);
	expect("cvt.rn.bf16.f64", "hd", 0x7fff00c898602762, 0, 0x7ff8);
	expect("cvt.rn.sat.f32.f64", "rd", 0x7fff00c898602762, 0, 0);
	/* a move, unless a modifier makes an instruction of it */
	expect("cvt.f32.f32", "rr", 0xff812345, 0, 0xff812345);
	expect("cvt.ftz.f32.f32", "rr", 0xff812345, 0, 0x7fffffff);
	expect("cvt.ftz.f64.f32", "dr", 0xff812345, 0, 0x7fffffffe0000000);
	/* .ftz to f16 does nothing */
	expect("cvt.rm.ftz.f16.f32", "hr", 0x807d83c3, 0, 0x8001);
	expect("cvt.rp.ftz.sat.f16.f32", "hr", 0x007d83c3, 0, 0x0001);
	expect("cvt.rm.ftz.bf16.f32", "hr", 0x807d83c3, 0, 0x8000);
}

/* cvt.rna adds to the bits of what is finite, and cuts: a NaN with a low payload is infinite. */
ON_EVERY_LEVEL(tf32)
{
	static const struct {
		uint32_t from, rna, rn, rz;
	} table[] = {
		{0x3f801000, 0x3f802000, 0x3f800000, 0x3f800000},
		{0x3f803000, 0x3f804000, 0x3f804000, 0x3f802000},
		{0x7f800000, 0x7f800000, 0x7f800000, 0x7f800000},
		{0x7f800001, 0x7f800000, 0x7fffe000, 0x7fffe000},
		{0x7fffffff, 0x7fffe000, 0x7fffe000, 0x7fffe000},
		{0x7f7fffff, 0x7f800000, 0x7f800000, 0x7f7fe000},
		{0x7f7ff000, 0x7f800000, 0x7f800000, 0x7f7fe000},
		{0x00000fff, 0x00000000, 0x00000000, 0x00000000},
		{0x00001000, 0x00002000, 0x00000000, 0x00000000},
		{0xff812345, 0xff812000, 0x7fffe000, 0x7fffe000},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		expect("cvt.rna.tf32.f32", "rr", table[i].from, 0, table[i].rna);
		expect("cvt.rn.tf32.f32", "rr", table[i].from, 0, table[i].rn);
		expect("cvt.rz.tf32.f32", "rr", table[i].from, 0, table[i].rz);
	}
	/* as ptxas's code has it: the largest number below infinity, and what it makes of a NaN */
	expect("cvt.rna.satfinite.tf32.f32", "rr", 0xff7fffff, 0, 0xff7fe000);
	expect("cvt.rna.satfinite.tf32.f32", "rr", 0x7f800001, 0, 0x7f7fe000);
}

/* 2^126 is the last divisor that has a reciprocal. */
ON_EVERY_LEVEL(quotients)
{
	static const struct {
		uint32_t a, b, approx, full, ftz;
	} table[] = {
		{0x7f000000, 0x7f000000, 0, 0x3f800000, 0},
		{0x3f800000, 0x7f000000, 0, 0x00400000, 0},
		{0x7f800000, 0x7f000000, 0x7fffffff, 0x7f800000, 0x7fffffff},
		{0x7e800000, 0x7e800000, 0x3f800000, 0x3f800000, 0x3f800000},
		{0x40400000, 0x00080000, 0x7f800000, 0x7f800000, 0x7f800000},
		{0x00000200, 0x00000100, 0x40000000, 0x40000000, 0x7fffffff},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		expect("div.approx.f32", "rrr", table[i].a, table[i].b, table[i].approx);
		expect("div.full.f32", "rrr", table[i].a, table[i].b, table[i].full);
		expect("div.approx.ftz.f32", "rrr", table[i].a, table[i].b, table[i].ftz);
	}
	/* by the same code: the full range ends with subnormal numbers where these are flushed */
	expect("div.approx.f32", "rrr", 0xbf800000, 0x7f000000, 0x80000000);
	expect("div.full.ftz.f32", "rrr", 0x7f000000, 0x7f000000, 0x3f800000);
	expect("rcp.approx.f32", "rr", 0x7f000000, 0, 0x00400000);
	expect("rcp.approx.ftz.f32", "rr", 0x7f000000, 0, 0);
}

/* ptxas multiplies by the nearest reciprocal of a constant: read from its code. */
ON_EVERY_LEVEL(quotients_by_constants)
{
	expect("div.approx.f32 %r0, %r1, 0f42040000; //", "rr", 0x3f800000, 0, 0x3cf83e10);
	expect("div.full.ftz.f32 %r0, %r1, 0f42040000; //", "rr", 0x3f800000, 0, 0x3cf83e10);
	expect("div.approx.f32", "rrr", 0x3f800000, 0x42040000, 0x3cf83e0f);
	expect("div.approx.ftz.f32 %r0, %r1, 0f7f000000; //", "rr", 0x7f000000, 0, 0);
	expect("div.full.f32 %r0, %r1, 0f7f000000; //", "rr", 0x7f000000, 0, 0x3f800000);
	expect("div.approx.f32 %r0, %r1, 0f00000200; //", "rr", 0x00000200, 0, 0x3f800000);
}

ON_EVERY_LEVEL(ranges_of_approximations)
{
	expect("tanh.approx.f32", "rr", 0x41000000, 0, 0x3f800000);
	expect("tanh.approx.f32", "rr", 0xff800000, 0, 0xbf800000);
	expect("tanh.approx.f32", "rr", 0x80000200, 0, 0x80000200);
	expect("rcp.approx.ftz.f64", "dd", 0x4008000000000000, 0, 0x3fd5555500000000);
	expect("rsqrt.approx.ftz.f64", "dd", 0x4000000000000000, 0, 0x3fe6a09e00000000);
	expect("ex2.approx.f32", "rr", 0xc3150000, 0, 1);     /* -149 */
	expect("ex2.approx.f32", "rr", 0xc3158000, 0, 1);     /* -149.5 */
	expect("ex2.approx.f32", "rr", 0xc3160000, 0, 0);     /* -150 */
	expect("ex2.approx.ftz.f32", "rr", 0xc2fd0000, 0, 0); /* -126.5 */
}

/* What is flushed is below 2^-126 when it is rounded to 24 bits of any exponent. */
ON_EVERY_LEVEL(flushed_products)
{
	expect("mul.ftz.f32", "rrr", 0x2028d115, 0x1fc21a9f, 0x00800000); /* 1 - 2^-38 of it */
	expect("mul.ftz.f32", "rrr", 0x20200ec8, 0x1fccb9e3, 0x00800000); /* 1 - 2^-29 */
	expect("mul.ftz.f32", "rrr", 0x201e442c, 0x1fcf0b1f, 0);          /* 1 - 2^-24.6 */
	expect("mul.f32", "rrr", 0x201e442c, 0x1fcf0b1f, 0x00800000);
	expect("fma.rn.ftz.f32", "rrrr", 0xa01e442c, 0x1fcf0b1f, 0x80000000);
	expect("cvt.rn.ftz.f32.f64", "rd", 0x380fffffe0000000, 0, 0);
	expect("cvt.rn.f32.f64", "rd", 0x380fffffe0000000, 0, 0x00800000);
}

/* By the hash of 16 million results each these are the bits of all; here what stands out. */
ON_EVERY_LEVEL(results_of_the_unit)
{
	expect("sin.approx.f32", "rr", 0x40490fdb, 0, 0);
	expect("cos.approx.f32", "rr", 0x40490fdb, 0, 0xbf800000);
	expect("sin.approx.ftz.f32", "rr", 0x47c35000, 0, 0x3d2fdfc6); /* of 1e5 */
	expect("lg2.approx.f32", "rr", 0x3f800001, 0, 0x3495f600);
	expect("lg2.approx.f32", "rr", 0x3f000000, 0, 0xbf7ffffe);
	expect("lg2.approx.f32", "rr", 0x3f800000, 0, 0);
	expect("ex2.approx.ftz.f32", "rr", 0xbf800000, 0, 0x3f000000);
	expect("ex2.approx.ftz.f32", "rr", 0xbf800001, 0, 0x3efffffe);
	expect("rsqrt.approx.ftz.f32", "rr", 0x3f800000, 0, 0x3f800000);
	expect("rsqrt.approx.ftz.f32", "rr", 0x3f800001, 0, 0x3f7ffffe);
	expect("rsqrt.approx.ftz.f64", "dd", 0xbff0000000000000, 0, 0x7fffffff00000000);
	expect("rcp.approx.ftz.f64", "dd", 0x7fd0000000000000, 0, 0x0010000000000000);
	expect("rcp.approx.ftz.f64", "dd", 0x7fd0000100000000, 0, 0);
}

/* ptxas fuses a product and a sum without a rounding modifier: the lower half of the square of 1 +
 * 2^-12 then comes through, and is lost where the product is rounded. What it does of each row was
 * read from its code for sm_90a. */
ON_EVERY_LEVEL(products_are_fused_with_sums)
{
	const uint64_t one = 0x3f800800, half = 0xbf001000; /* 1 + 2^-12, (-1 - 2^-11) / 2 */
	const uint64_t lost = 0, kept = 0x33800000;         /* 2^-24 */
#define MUL "mul.f32 %r10, %r1, %r1; "
#define C "0fbf801000" /* -1 - 2^-11 */
#define USE(x) " fma.rn.f32 %r0, " x ", 0f00000000, %r0; //"
	static const struct {
		const char *body;
		bool is_fused;
	} table[] = {
		{MUL "add.f32 %r0, %r10, " C "; //", true},
		{MUL "add.f32 %r0, " C ", %r10; //", true},
		{"mul.ftz.f32 %r10, %r1, %r1; add.ftz.f32 %r0, %r10, " C "; //", true},
		{MUL "add.sat.f32 %r0, %r10, " C "; //", true},
		{MUL "add.f32 %r0, %r10, " C "; add.f32 %r11, %r10, 0f3f800000; //", true},
		{"mul.rn.f32 %r10, %r1, %r1; add.f32 %r0, %r10, " C "; //", false},
		{MUL "add.rn.f32 %r0, %r10, " C "; //", false},
		{MUL "add.ftz.f32 %r0, %r10, " C "; //", false},
		{MUL "add.f32 %r0, %r10, " C ";" USE("%r10"), false},
		/* of two products the first, and the other where that one stays */
		{MUL "mul.f32 %r11, %r2, 0f40000000; add.f32 %r0, %r10, %r11; //", true},
		{MUL "mul.f32 %r11, %r2, 0f40000000; add.f32 %r0, %r11, %r10; //", false},
		{MUL "mul.f32 %r11, %r2, 0f40000000; add.f32 %r0, %r11, %r10;" USE("%r11"), true},
		/* what is multiplied by 1 is no product */
		{MUL "mul.f32 %r2, %r2, 0f40000000; mul.f32 %r11, %r2, 0f3f800000;"
			 "add.f32 %r0, %r11, %r10; //",
		 true},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		expect(table[i].body, "rrr", one, half, table[i].is_fused ? kept : lost);
	expect("mul.f64 %d10, %d1, %d1; add.f64 %d0, %d10, 0dbff0000000800000; //", "dd",
		   0x3ff0000000400000, 0, 0x3c30000000000000);
	expect("mul.f16 %h10, %h1, %h1; add.f16 %h0, %h10, %h2; //", "hhh", 0x3c10, 0xbc20, 0x0c00);
	expect("mul.rn.f16 %h10, %h1, %h1; add.f16 %h0, %h10, %h2; //", "hhh", 0x3c10, 0xbc20, 0);
}

/* A difference, either way, and a product through copies: the square of 1 + 2^-12 and 1 + 2^-11. */
ON_EVERY_LEVEL(products_are_fused_with_differences)
{
	const uint64_t one = 0x3f800800, square = 0x3f801000, ulp = 0x33800000, minus = 0x80000000;
	static const struct {
		const char *body;
		bool is_fused, is_negative;
	} table[] = {
		{MUL "sub.f32 %r0, %r10, %r2; //", true, false},
		{MUL "sub.f32 %r0, %r2, %r10; //", true, true},
		{MUL "sub.f32 %r0, %r10, 0f3f801000; //", true, false},
		{MUL "sub.f32 %r0, 0f3f801000, %r10; //", true, true},
		{MUL "sub.sat.f32 %r0, %r10, %r2; //", true, false},
		{MUL "sub.rn.f32 %r0, %r10, %r2; //", false, false},
		{MUL "sub.ftz.f32 %r0, %r10, %r2; //", false, false},
		{"mul.ftz.f32 %r10, %r1, %r1; sub.ftz.f32 %r0, %r2, %r10; //", true, true},
		{MUL "mov.b32 %r11, %r10; sub.f32 %r0, %r11, %r2; //", true, false},
		{MUL "neg.f32 %r11, %r10; add.f32 %r0, %r11, %r2; //", true, true},
		{MUL "neg.f32 %r11, %r10; sub.f32 %r0, %r2, %r11; sub.f32 %r0, %r10, %r2; //", true, false},
		{MUL
		 "neg.f32 %r11, %r10; mov.b32 %r12, %r11; neg.f32 %r13, %r12; sub.f32 %r0, %r13, %r2; //",
		 true, false},
		{MUL "neg.f32 %r11, %r10; add.f32 %r0, %r11, %r2; " USE("%r11"), false, false},
		{MUL "neg.ftz.f32 %r11, %r10; add.f32 %r0, %r11, %r2; //", false, false},
		{MUL "neg.f32 %r11, %r10; sub.f32 %r12, %r11, %r10; sub.f32 %r0, %r10, %r2;" USE("%r12"),
		 false, false},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		expect(table[i].body, "rrr", one, square,
			   table[i].is_fused ? ulp | (table[i].is_negative ? minus : 0) : 0);
	expect("mul.f64 %d10, %d1, %d1; sub.f64 %d0, 0d3ff0000000800000, %d10; //", "dd",
		   0x3ff0000000400000, 0, 0xbc30000000000000);
	expect("mul.f16 %h10, %h1, %h1; sub.f16 %h0, %h2, %h10; //", "hhh", 0x3c10, 0x3c20, 0x8c00);
	expect("mul.f16x2 %r10, %r1, %r1; sub.f16x2 %r0, %r10, %r2; //", "rrr", 0x3c103c10, 0x3c203c20,
		   0x0c000c00);
	expect("mul.bf16x2 %r10, %r1, %r1; sub.bf16x2 %r0, %r2, %r10; //", "rrr", 0x3f843f84,
		   0x3f883f88, 0xba80ba80);
	expect("mul.bf16 %h10, %h1, %h1; neg.bf16 %h11, %h10; add.bf16 %h0, %h2, %h11; //", "hhh",
		   0x3f84, 0x3f88, 0xba80);
	expect("mul.bf16x2 %r10, %r1, %r1; neg.bf16x2 %r11, %r10; add.bf16x2 %r0, %r2, %r11; //", "rrr",
		   0x3f843f84, 0x3f883f88, 0);
}

/* Blocks are those that ptxas sees: barriers do not end them, and code with branches does. */
ON_EVERY_LEVEL(products_are_fused_within_a_block)
{
	const uint64_t one = 0x3f800800, square = 0x3f801000, ulp = 0x33800000;
	static const struct {
		const char *between;
		bool is_fused;
	} table[] = {
		{"bar.sync 0;", true},
		{"bar.warp.sync -1;", true},
		{"div.approx.f32 %r12, %r1, %r2;", true},
		{"rem.u32 %r12, %r1, %r2;", true},
		{"setp.eq.f32 %p1, %r1, %r2; @%p1 mov.b32 %r12, 0;", true},
		{"setp.eq.f32 %p1, %r1, %r2; @%p1 bra L; mov.b32 %r12, 0; L:", false},
		{"setp.eq.f32 %p1, %r1, %r2; @%p1 bar.sync 0;", false},
		{"div.rn.f32 %r12, %r1, %r2;", false},
		{"sqrt.rn.f32 %r12, %r1;", false},
		{"div.s32 %r12, %r1, %r2;", false},
		{"fence.acq_rel.gpu;", false},
		/* either factor's register may have another value then, but not both */
		{"mov.b32 %r1, 0f40000000;", true},
		{"mov.b32 %r11, 0f40000000;", true},
		{"mov.b32 %r1, 0f40000000; mov.b32 %r11, %r1;", false},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char body[256];
		snprintf(
			body, sizeof body,
			"mov.b32 %%r11, %%r1; mul.f32 %%r10, %%r1, %%r11; %s sub.f32 %%r0, %%r10, %%r2; //",
			table[i].between);
		expect(body, "rrr", one, square, table[i].is_fused ? ulp : 0);
	}
	/* by a constant of the kernel in other blocks, too */
	expect(
		"mul.f32 %r10, %r1, 0f3f800800; setp.eq.f32 %p1, %r1, %r2; @%p1 bra L; mov.b32 %r1, 0; L: "
		"sub.f32 %r0, %r10, %r2; //",
		"rrr", one, square, ulp);
	expect(
		"mov.b32 %r11, 0f3f800800; mul.f32 %r10, %r11, %r1; neg.f32 %r12, %r10; sqrt.rn.f32 %r1, "
		"%r2; add.f32 %r0, %r12, %r2; //",
		"rrr", one, square, ulp | 0x80000000);
	/* of two products one that has no other use */
	expect("mul.f32 %r10, %r1, %r1; mul.f32 %r11, %r2, 0fbf800001; add.f32 %r12, %r11, %r1; "
		   "add.f32 %r0, %r11, %r10; fma.rn.f32 %r0, %r12, 0f00000000, %r0; //",
		   "rrr", one, square, 0xb3800000);
}

/* What is below 2^-14 once it has 11 bits: those of a number of any exponent, and not the fewer
 * ones of the subnormal number that it would be. */
ON_EVERY_LEVEL(f16_is_flushed_as_if_it_had_11_bits)
{
	expect("mul.f16", "hhh", 0x204c, 0x1f72, 0x0400);
	expect("mul.ftz.f16", "hhh", 0x204c, 0x1f72, 0);
	expect("mul.ftz.f16", "hhh", 0xa001, 0x1ffe, 0x8400);
	expect("mul.ftz.f16x2", "rrr", 0xa04c2001, 0x1f721ffe, 0x80000400);
	expect("fma.rn.ftz.f16", "hhhh", 0x204c, 0x1f72, 0);
	expect("fma.rn.ftz.f16", "hhhh", 0x2001, 0x1ffe, 0x0400);
}

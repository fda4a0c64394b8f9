/* links: emulator_core */
/* Integer instructions against their definitions, on every x86-64 level. */
#include "exec_fixture.h"

typedef uint64_t (*reference)(uint64_t a, uint64_t b, uint64_t c, uint64_t e);

#define R(name, expression)                                                                        \
	static uint64_t name(uint64_t a, uint64_t b, uint64_t c, uint64_t e)                           \
	{                                                                                              \
		(void)a, (void)b, (void)c, (void)e;                                                        \
		return (uint64_t)(expression);                                                             \
	}

typedef __int128 s128;
typedef unsigned __int128 u128;
#define S16(x) ((int16_t)(x))
#define S32(x) ((int32_t)(x))
#define S64(x) ((int64_t)(x))
#define U16(x) ((uint16_t)(x))
#define U32(x) ((uint32_t)(x))

static uint64_t clamp32(int64_t x)
{
	return (uint32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

static uint64_t bfe(uint64_t a, uint32_t at, uint32_t length, int width, int is_signed)
{
	uint64_t d = 0, sign = 0;
	at &= 255, length &= 255;
	if (is_signed && length) {
		uint32_t top = at + length - 1;
		sign = a >> (top < (uint32_t)width - 1 ? top : (uint32_t)width - 1) & 1;
	}
	for (uint32_t i = 0; i < (uint32_t)width; i++) {
		uint64_t bit = i < length && at + i < (uint32_t)width ? a >> (at + i) & 1 : sign;
		d |= bit << i;
	}
	return d;
}

static uint64_t bfi(uint64_t a, uint64_t b, uint32_t at, uint32_t length, int width)
{
	at &= 255, length &= 255;
	for (uint32_t i = 0; i < length && at + i < (uint32_t)width; i++)
		b = (b & ~(1ull << (at + i))) | (a >> i & 1) << (at + i);
	return b;
}

static uint64_t lop3(uint64_t a, uint64_t b, uint64_t c, int table)
{
	uint64_t d = 0;
	for (int i = 0; i < 32; i++)
		d |= (uint64_t)(table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
	return d;
}

static uint64_t prmt(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t both = U32(a) | b << 32, d = 0;
	for (int i = 0; i < 4; i++) {
		int s = c >> (4 * i) & 15;
		int8_t byte = (int8_t)(both >> (8 * (s & 7)));
		d |= (uint64_t)(uint8_t)(s & 8 ? byte >> 7 : byte) << (8 * i);
	}
	return d;
}

static uint64_t dp4a(uint64_t a, uint64_t b, uint64_t c, int sa, int sb)
{
	int64_t d = S32(c);
	for (int i = 0; i < 4; i++)
		d += (sa ? (int8_t)(a >> 8 * i) : (int)(uint8_t)(a >> 8 * i)) *
			 (sb ? (int8_t)(b >> 8 * i) : (int)(uint8_t)(b >> 8 * i));
	return U32(d);
}

static uint64_t highest(uint64_t a, int bits)
{
	for (int i = bits - 1; i >= 0; i--)
		if (a >> i & 1)
			return (uint64_t)i;
	return 0xffffffff;
}

static uint64_t reversed(uint64_t a, int bits)
{
	uint64_t d = 0;
	for (int i = 0; i < bits; i++)
		d |= (a >> i & 1) << (bits - 1 - i);
	return d;
}

/* clang-format off: a list */
R(add32, U32(a + b))
R(add64, a + b)
R(add16, U16(a + b))
R(sub32, U32(a - b))
R(sub64, a - b)
R(addsat, clamp32((int64_t)S32(a) + S32(b)))
R(subsat, clamp32((int64_t)S32(a) - S32(b)))
R(mullo16, U16((a * b)))
R(mullo32, U32((a * b)))
R(mullo64, (a * b))
R(mulhiu32, U32((u128)U32(a) * U32(b) >> 32))
R(mulhis32, U32((int64_t)S32(a) * S32(b) >> 32))
R(mulhiu64, (uint64_t)(((u128)a * b) >> 64))
R(mulhis64, (uint64_t)((s128)S64(a) * S64(b) >> 64))
R(mulhiu16, U16(U16(a) * (uint32_t)U16(b) >> 16))
R(mulhis16, U16(S16(a) * S16(b) >> 16))
R(widu16, U32(U16(a) * (uint32_t)U16(b)))
R(wids16, U32(S16(a) * S16(b)))
R(widu32, (uint64_t)U32(a) * U32(b))
R(wids32, (int64_t)S32(a) * S32(b))
R(madlo32, U32((a * b) + c))
R(madwide32, (uint64_t)((int64_t)S32(a) * S32(b)) + c)
R(madhi32, U32(((int64_t)S32(a) * S32(b) >> 32) + S32(c)))
R(madlo64, (a * b) + c)
R(divu32, U32(b) ? U32(a) / U32(b) : 0xffffffff)
R(remu32, U32(b) ? U32(a) % U32(b) : U32(a))
R(divs32, U32(S32(b) == 0 ? -1 : (int64_t)S32(a) / S32(b)))
R(rems32, U32(S32(b) == 0 ? S32(a) : (int64_t)S32(a) % S32(b)))
R(divu64, b ? a / b : ~0ull)
R(divs64, b == 0 ? -1 : b == ~0ull ? S64(0 - a) : S64(a) / S64(b))
R(rems64, b == 0 ? S64(a) : b == ~0ull ? 0 : S64(a) % S64(b))
R(divu16, U16(b) ? U16(a) / U16(b) : 0xffff)
R(mins32, U32(S32(a) < S32(b) ? a : b))
R(maxu32, U32(a) > U32(b) ? U32(a) : U32(b))
R(mins64, S64(a) < S64(b) ? a : b)
R(maxu16, U16(a) > U16(b) ? U16(a) : U16(b))
R(mins16, U16(S16(a) < S16(b) ? a : b))
R(abs32, U32(S32(a) < 0 ? 0 - U32(a) : U32(a)))
R(neg64, 0 - a)
R(not32, U32(~a))
R(cnot32, U32(a) == 0)
R(and64, (a & b))
R(xor16, U16(a ^ b))
R(shl32, U32(b) < 32 ? U32(a << (b & 31)) : 0)
R(shru32, U32(b) < 32 ? U32(a) >> (b & 31) : 0)
R(shrs32, U32(S32(a) >> (U32(b) < 31 ? b & 31 : 31)))
R(shl64, U32(b) < 64 ? a << (b & 63) : 0)
R(shru64, U32(b) < 64 ? a >> (b & 63) : 0)
R(shrs64, S64(a) >> (U32(b) < 63 ? b & 63 : 63))
R(shl16, U32(b) < 16 ? U16(a << (b & 15)) : 0)
R(shrs16, U16(S16(a) >> (U32(b) < 15 ? b & 15 : 15)))
R(popc64, __builtin_popcountll(a))
R(clz32, U32(a) ? __builtin_clz(U32(a)) : 32)
R(clz64, a ? __builtin_clzll(a) : 64)
R(brev32, reversed(a, 32))
R(brev64, reversed(a, 64))
R(bfindu32, highest(U32(a), 32))
R(bfinds64, highest(S64(a) < 0 ? ~a : a, 64))
R(bfeu32, bfe(U32(a), U32(b), U32(c), 32, 0))
R(bfes32, bfe(U32(a), U32(b), U32(c), 32, 1))
R(bfeu64, bfe(a, U32(b), U32(c), 64, 0))
R(bfes64, bfe(a, U32(b), U32(c), 64, 1))
R(bfi32, U32(bfi(U32(a), U32(b), U32(c), U32(e), 32)))
R(bfi64, bfi(a, b, U32(c), U32(e), 64))
R(prmtr, prmt(a, b, c))
R(dpss, dp4a(a, b, c, 1, 1))
R(dpus, dp4a(a, b, c, 0, 1))
R(shfl, U32((b << 32 | U32(a)) << (c & 31) >> 32))
R(shfr, U32((b << 32 | U32(a)) >> (c & 31)))
R(shfrc, U32((b << 32 | U32(a)) >> (U32(c) > 32 ? 32 : U32(c))))
R(sadu, U32(U32(c) + (U32(a) < U32(b) ? U32(b) - U32(a) : U32(a) - U32(b))))
R(lts32, S32(a) < S32(b))
R(ltu32, U32(a) < U32(b))
R(geu64, a >= b)
R(les16, S16(a) <= S16(b))
R(ne64, a != b)
R(lts64, S64(a) < S64(b))
R(hiu16, U16(a) > U16(b))
R(selp, U32(c) ? U32(a) : U32(b))
R(slct, S32(c) >= 0 ? a : b)
R(cvtu64s32, (int64_t)S32(a))
R(cvtu8, U32(a & 255))
R(cvts8, U32((int8_t)a))
R(cvtu16, U16(a))
R(satu8, U32(S32(a) < 0 ? 0 : S32(a) > 255 ? 255 : S32(a)))
R(sats16, U32(S64(a) < -32768 ? -32768 : S64(a) > 32767 ? 32767 : S64(a)))
/* clang-format on */

static const struct {
	const char *opcode, *classes;
	reference expected;
} table[] = {
	{"add.s32", "rrr", add32},        {"add.u64", "ddd", add64},
	{"add.s16", "hhh", add16},        {"sub.u32", "rrr", sub32},
	{"sub.s64", "ddd", sub64},        {"add.sat.s32", "rrr", addsat},
	{"sub.sat.s32", "rrr", subsat},   {"mul.lo.u16", "hhh", mullo16},
	{"mul.lo.s32", "rrr", mullo32},   {"mul.lo.s64", "ddd", mullo64},
	{"mul.hi.u32", "rrr", mulhiu32},  {"mul.hi.s32", "rrr", mulhis32},
	{"mul.hi.u64", "ddd", mulhiu64},  {"mul.hi.s64", "ddd", mulhis64},
	{"mul.hi.u16", "hhh", mulhiu16},  {"mul.hi.s16", "hhh", mulhis16},
	{"mul.wide.u16", "rhh", widu16},  {"mul.wide.s16", "rhh", wids16},
	{"mul.wide.u32", "drr", widu32},  {"mul.wide.s32", "drr", wids32},
	{"mad.lo.s32", "rrrr", madlo32},  {"mad.wide.s32", "drrd", madwide32},
	{"mad.hi.s32", "rrrr", madhi32},  {"mad.lo.u64", "dddd", madlo64},
	{"div.u32", "rrr", divu32},       {"rem.u32", "rrr", remu32},
	{"div.s32", "rrr", divs32},       {"rem.s32", "rrr", rems32},
	{"div.u64", "ddd", divu64},       {"div.s64", "ddd", divs64},
	{"rem.s64", "ddd", rems64},       {"div.u16", "hhh", divu16},
	{"min.s32", "rrr", mins32},       {"max.u32", "rrr", maxu32},
	{"min.s64", "ddd", mins64},       {"max.u16", "hhh", maxu16},
	{"min.s16", "hhh", mins16},       {"abs.s32", "rr", abs32},
	{"neg.s64", "dd", neg64},         {"not.b32", "rr", not32},
	{"cnot.b32", "rr", cnot32},       {"and.b64", "ddd", and64},
	{"xor.b16", "hhh", xor16},        {"shl.b32", "rrr", shl32},
	{"shr.u32", "rrr", shru32},       {"shr.s32", "rrr", shrs32},
	{"shl.b64", "ddr", shl64},        {"shr.u64", "ddr", shru64},
	{"shr.s64", "ddr", shrs64},       {"shl.b16", "hhr", shl16},
	{"shr.s16", "hhr", shrs16},       {"popc.b64", "rd", popc64},
	{"clz.b32", "rr", clz32},         {"clz.b64", "rd", clz64},
	{"brev.b32", "rr", brev32},       {"brev.b64", "dd", brev64},
	{"bfind.u32", "rr", bfindu32},    {"bfind.s64", "rd", bfinds64},
	{"bfe.u32", "rrrr", bfeu32},      {"bfe.s32", "rrrr", bfes32},
	{"bfe.u64", "ddrr", bfeu64},      {"bfe.s64", "ddrr", bfes64},
	{"bfi.b32", "rrrrr", bfi32},      {"bfi.b64", "dddrr", bfi64},
	{"prmt.b32", "rrrr", prmtr},      {"dp4a.s32.s32", "rrrr", dpss},
	{"dp4a.u32.s32", "rrrr", dpus},   {"shf.l.wrap.b32", "rrrr", shfl},
	{"shf.r.wrap.b32", "rrrr", shfr}, {"shf.r.clamp.b32", "rrrr", shfrc},
	{"sad.u32", "rrrr", sadu},        {"setp.lt.s32", "prr", lts32},
	{"setp.lo.u32", "prr", ltu32},    {"setp.hs.u64", "pdd", geu64},
	{"setp.le.s16", "phh", les16},    {"setp.ne.b64", "pdd", ne64},
	{"setp.lt.s64", "pdd", lts64},    {"setp.hi.u16", "phh", hiu16},
	{"selp.b32", "rrrp", selp},       {"slct.u64.s32", "dddr", slct},
	{"cvt.s64.s32", "dr", cvtu64s32}, {"cvt.u32.u8", "rr", cvtu8},
	{"cvt.s32.s8", "rh", cvts8},      {"cvt.u16.u32", "hr", cvtu16},
	{"cvt.sat.u8.s32", "rr", satu8},  {"cvt.sat.s16.s64", "rd", sats16},
};

/* Operands that matter, then random ones; shift and field amounts stay small in
 * half of the lanes. */
static void fill(uint64_t values[4][FIXTURE_LANES], uint64_t seed)
{
	static const uint64_t edges[] = {
		0,          1,      2,      31,    32,         0x7fffffff,      0x80000000,
		0xffffffff, 0x8000, 0x7fff, ~0ull, 1ull << 63, (1ull << 63) - 1};
	for (int o = 0; o < 4; o++)
		for (int i = 0; i < FIXTURE_LANES; i++) {
			uint64_t random = fixture_random(&seed);
			values[o][i] = random % 3 == 0   ? edges[random / 3 % 13]
						   : random % 3 == 1 ? random >> 5 & 63
											 : fixture_random(&seed);
		}
}

static uint64_t low(uint64_t value, char class)
{
	return class == 'h' ? U16(value) : class == 'r' || class == 'p' ? U32(value) : value;
}

static void run_table(const char *level)
{
	setenv("EMULATED_GPU_SIMD", level, 1);
	for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
		uint64_t values[4][FIXTURE_LANES], out[FIXTURE_LANES];
		fill(values, k + 1);
		fixture_instruction(table[k].opcode, table[k].classes, values, out);
		for (int i = 0; i < FIXTURE_LANES; i++) {
			uint64_t want =
				low(table[k].expected(values[0][i], values[1][i], values[2][i], values[3][i]),
					table[k].classes[0]);
			cr_assert_eq(out[i], want, "%s %llx, %llx, %llx, %llx: %llx, expected %llx",
						 table[k].opcode, (unsigned long long)values[0][i],
						 (unsigned long long)values[1][i], (unsigned long long)values[2][i],
						 (unsigned long long)values[3][i], (unsigned long long)out[i],
						 (unsigned long long)want);
		}
	}
}

Test(exec_integer, table_on_v4)
{
	run_table("4");
}

Test(exec_integer, table_on_v3)
{
	run_table("3");
}

Test(exec_integer, table_on_v2)
{
	run_table("2");
}

static void three(const char *instruction, uint32_t a, uint32_t b, uint32_t c, uint32_t want)
{
	char ptx[4096], body[2048];
	uint32_t in[3] = {a, b, c}, out[32];
	snprintf(body, sizeof body,
			 "ld.global.b32 %%r1, [%%in]; ld.global.b32 %%r2, [%%in+4];\n"
			 "ld.global.b32 %%r3, [%%in+8]; mul.wide.u32 %%d1, %%t, 4;\n"
			 "add.s64 %%out, %%out, %%d1;\n%s\nst.global.b32 [%%out], %%r0;",
			 instruction);
	fixture_kernel(ptx, sizeof ptx, body);
	fixture_expect(ptx, (struct fixture_launch){0}, in, sizeof in, out, sizeof out);
	cr_assert_eq(out[17], want, "%s: %x, expected %x", instruction, out[17], want);
}

Test(exec_integer, lop3_tables)
{
	for (uint32_t t = 0; t < 256; t += 5) {
		char text[80];
		snprintf(text, sizeof text, "lop3.b32 %%r0, %%r1, %%r2, %%r3, %u;", t);
		three(text, 0xf0f0aa55, 0xcc33cc33, 0x12345678,
			  U32(lop3(0xf0f0aa55, 0xcc33cc33, 0x12345678, (int)t)));
	}
}

Test(exec_integer, prmt_modes)
{
	three("prmt.b32.f4e %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 1, 0x44332211);
	three("prmt.b32.b4e %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 1, 0x66770011);
	three("prmt.b32.rc8 %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 2, 0x22222222);
	three("prmt.b32.ecl %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 1, 0x33221111);
	three("prmt.b32.ecr %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 2, 0x22221100);
	three("prmt.b32.rc16 %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 1, 0x33223322);
}

Test(exec_integer, carries)
{
	three("add.cc.u32 %r4, %r1, %r2; addc.u32 %r0, %r3, 5;", 0xffffffff, 1, 10, 16);
	three("add.cc.u32 %r4, %r1, %r2; addc.u32 %r0, %r3, 5;", 0x7fffffff, 1, 10, 15);
	three("sub.cc.u32 %r4, %r1, %r2; subc.u32 %r0, %r3, 5;", 0, 1, 10, 4);
	three("mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, 0;", 0x80000000, 3,
		  0x80000000, 2);
}

Test(exec_integer, predicates)
{
	three("setp.lt.u32 %p1|%p2, %r1, %r2; selp.b32 %r4, 1, 0, %p1; selp.b32 %r5, 2, 0, %p2;"
		  "add.u32 %r0, %r4, %r5;",
		  1, 2, 0, 1);
	three("setp.ne.u32 %p1, %r3, 0; setp.lt.and.u32 %p2|%p3, %r1, %r2, !%p1;"
		  "selp.b32 %r4, 1, 0, %p2; selp.b32 %r5, 2, 0, %p3; add.u32 %r0, %r4, %r5;",
		  2, 1, 0, 2);
	three("set.eq.u32.u32 %r0, %r1, %r2;", 4, 4, 0, 0xffffffff);
	three("set.gt.f32.s32 %r0, %r1, %r2;", 4, 3, 0, 0x3f800000);
	three("mov.pred %p1, 1; @!%p1 mov.u32 %r1, 9; not.pred %p2, %p1; xor.pred %p3, %p1, %p2;"
		  "selp.b32 %r0, %r1, 0, %p3;",
		  7, 0, 0, 7);
}

Test(exec_integer, packing)
{
	three("mov.b32 {%h1, %h2}, %r1; mov.b32 %r0, {%h2, %h1};", 0x12345678, 0, 0, 0x56781234);
	three("mov.b64 %d2, {%r1, %r2}; shr.u64 %d2, %d2, 16; cvt.u32.u64 %r0, %d2;", 0xaabbccdd,
		  0x11223344, 0, 0x3344aabb);
	three("mov.b64 %d2, {%r1, %r2}; mov.b64 {_, %r0}, %d2;", 1, 2, 0, 2);
	three("mov.b64 %d2, {%r1, %r2}; mov.b64 {%h1, %h2, %h3, %h4}, %d2; mov.b32 %r0, {%h4, %h1};",
		  0xaabbccdd, 0x11223344, 0, 0xccdd1122);
}

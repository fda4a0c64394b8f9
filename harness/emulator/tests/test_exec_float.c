/* links: emulator_core */
/* Floating-point instructions. Expected values come from exact arithmetic in
 * binary128 that is rounded once, by a search that knows only the format. */
#include <fenv.h>
#include <math.h>

#include "exec_fixture.h"

#if defined(__x86_64__)
typedef __float128 exact;
#else /* there long double is binary128 */
typedef long double exact;
#endif

enum mode { NEAREST, ZERO, DOWN, UP, AWAY };

struct format {
	int precision, least, most; /* exponents of normal numbers */
};
static const struct format f16 = {11, -14, 15}, bf16 = {8, -126, 127}, f32 = {24, -126, 127};

static exact power(int exponent)
{
	exact p = 1;
	for (; exponent > 0; exponent--)
		p *= 2;
	for (; exponent < 0; exponent++)
		p /= 2;
	return p;
}

static bool exact_nan(exact x)
{
	return x != x;
}

/* The value of the format that x rounds to; infinity beyond its range. */
static exact round_exact(exact x, struct format format, enum mode mode)
{
	exact magnitude = x < 0 ? -x : x;
	if (exact_nan(x) || x == 0 || magnitude > power(1000))
		return x;
	int exponent = format.least;
	while (magnitude >= power(exponent + 1))
		exponent++;
	exact unit = power(exponent - format.precision + 1), units = magnitude / unit;
	exact below = (exact)(uint64_t)units, rest = units - below;
	bool up = mode == ZERO   ? false
			  : mode == DOWN ? x < 0 && rest > 0
			  : mode == UP   ? x > 0 && rest > 0
			  : mode == AWAY ? rest >= 0.5
							 : rest > 0.5 || (rest == 0.5 && ((uint64_t)units & 1));
	exact result = (below + (up ? 1 : 0)) * unit;
	exact largest = (power(format.precision) - 1) * power(format.most - format.precision + 1);
	if (result > largest) {
		bool inward = mode == ZERO || (mode == DOWN && x > 0) || (mode == UP && x < 0);
		result = inward ? largest : (exact)INFINITY;
	}
	return x < 0 ? -result : result;
}

static float to_float(uint64_t bits)
{
	uint32_t word = (uint32_t)bits;
	float value;
	memcpy(&value, &word, sizeof value);
	return value;
}

static uint32_t of_float(float value)
{
	uint32_t word;
	memcpy(&word, &value, sizeof word);
	return word;
}

static exact half_value(uint32_t bits)
{
	int exponent = bits >> 10 & 31, fraction = bits & 1023;
	exact magnitude = exponent ? (1024 + fraction) * power(exponent - 25) : fraction * power(-24);
	if (exponent == 31)
		magnitude = fraction ? (exact)NAN : (exact)INFINITY;
	return bits & 0x8000 ? -magnitude : magnitude;
}

static exact brain_value(uint32_t bits)
{
	return to_float((uint64_t)(bits & 0xffff) << 16);
}

static void expect_value(exact got, exact want, const char *what, uint64_t a, uint64_t b,
						 uint64_t c)
{
	bool same = exact_nan(want) ? exact_nan(got) : got == want;
	cr_assert(same, "%s %llx, %llx, %llx: %a, expected %a", what, (unsigned long long)a,
			  (unsigned long long)b, (unsigned long long)c, (double)got, (double)want);
}

/* Whether binary128 may round the sum of x and y itself. */
static bool too_far_apart(exact x, exact y)
{
	x = x < 0 ? -x : x;
	y = y < 0 ? -y : y;
	bool finite = x < power(1000) && y < power(1000);
	return finite && x != 0 && y != 0 && (x / y > power(60) || y / x > power(60));
}

static uint64_t seed = 77;

/* Halves of every kind; exponents near each other half of the time. */
static uint64_t random_half(void)
{
	static const uint16_t edges[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x7bff,
									 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3c00, 0xbc00, 0x3bff};
	uint64_t random = fixture_random(&seed);
	if (random % 5 == 0)
		return edges[random / 5 % 14];
	if (random % 5 < 3)
		return (0x3000 + (random >> 8 & 0xfff)) | (random >> 40 & 0x8000);
	return random >> 16 & 0xffff;
}

static uint64_t random_single(void)
{
	static const uint32_t edges[] = {0,          0x80000000, 1,          0x7fffff,
									 0x800000,   0x7f7fffff, 0x7f800000, 0xff800000,
									 0x7fc00000, 0x3f800000, 0x477ff000, 0x477fefff,
									 0x33000000, 0x33000001, 0x387fe000, 0x4f000000};
	uint64_t random = fixture_random(&seed);
	if (random % 5 == 0)
		return edges[random / 5 % 16];
	if (random % 5 < 3)
		return (0x3b000000 + (random >> 8 & 0x7ffffff)) | (random >> 20 & 0x80000000);
	return random >> 16 & 0xffffffff;
}

static void on_every_level(void (*check)(void))
{
	static const char *const levels[] = {"2", "3", "4"};
	const char *level = getenv("TEST_LEVEL");
	setenv("EMULATED_GPU_SIMD", level ? level : levels[2], 1);
	check();
}

/* ------------------------------------------------------------------------
 * Halves */

static const struct {
	const char *name;
	int operands;
} half_operations[] = {{"add", 2}, {"sub", 2}, {"mul", 2}, {"fma.rn", 3}, {"min", 2}, {"max", 2}};

static exact half_expected(int operation, exact a, exact b, exact c)
{
	switch (operation) {
	case 0: return a + b;
	case 1: return a - b;
	case 2: return a * b;
	case 3: return a * b + c;
	case 4: return exact_nan(a) ? b : exact_nan(b) ? a : a < b ? a : b;
	default: return exact_nan(a) ? b : exact_nan(b) ? a : a > b ? a : b;
	}
}

static void check_halves(const char *type, bool brain, bool pair)
{
	for (int k = 0; k < 6; k++) {
		char opcode[64];
		uint64_t values[4][FIXTURE_LANES], out[FIXTURE_LANES];
		snprintf(opcode, sizeof opcode, "%s.%s", half_operations[k].name, type);
		for (int round = 0; round < (brain ? 3 : 20); round++) {
			for (int o = 0; o < 4; o++)
				for (int i = 0; i < FIXTURE_LANES; i++)
					values[o][i] = random_half() | random_half() << 16;
			const char *classes = half_operations[k].operands == 3 ? (pair ? "rrrr" : "hhhh")
																   : (pair ? "rrr" : "hhh");
			fixture_instruction(opcode, classes, values, out);
			for (int i = 0; i < FIXTURE_LANES; i++)
				for (int half = 0; half < (pair ? 2 : 1); half++) {
					uint32_t a = values[0][i] >> 16 * half & 0xffff,
							 b = values[1][i] >> 16 * half & 0xffff,
							 c = values[2][i] >> 16 * half & 0xffff,
							 d = out[i] >> 16 * half & 0xffff;
					exact (*value)(uint32_t) = brain ? brain_value : half_value;
					if (too_far_apart(k == 3 ? value(a) * value(b) : value(a),
									  k == 3 ? value(c) : value(b)))
						continue;
					exact want = round_exact(half_expected(k, value(a), value(b), value(c)),
											 brain ? bf16 : f16, NEAREST);
					expect_value(value(d), want, opcode, a, b, c);
				}
		}
	}
}

static void f16_check(void)
{
	check_halves("f16", false, false);
}
static void f16x2_check(void)
{
	check_halves("f16x2", false, true);
}
static void bf16_check(void)
{
	check_halves("bf16", true, false);
	check_halves("bf16x2", true, true);
}

Test(exec_float, f16)
{
	on_every_level(f16_check);
}
Test(exec_float, f16_without_avx)
{
	setenv("TEST_LEVEL", "2", 1);
	on_every_level(f16_check);
}
Test(exec_float, f16_with_avx2)
{
	setenv("TEST_LEVEL", "3", 1);
	on_every_level(f16_check);
}
Test(exec_float, f16x2)
{
	on_every_level(f16x2_check);
}
Test(exec_float, bf16)
{
	on_every_level(bf16_check);
}

/* ------------------------------------------------------------------------
 * f32 with all rounding modes */

static exact single_expected(char operation, exact a, exact b, exact c)
{
	return operation == '+'   ? a + b
		   : operation == '*' ? a * b
		   : operation == '/' ? a / b
							  : a * b + c;
}

static void check_single(const char *name, char operation)
{
	static const char *const modes[] = {"rn", "rz", "rm", "rp"};
	for (int mode = 0; mode < 4; mode++) {
		char opcode[32];
		uint64_t values[4][FIXTURE_LANES], out[FIXTURE_LANES];
		snprintf(opcode, sizeof opcode, "%s.%s.f32", name, modes[mode]);
		for (int o = 0; o < 4; o++)
			for (int i = 0; i < FIXTURE_LANES; i++)
				values[o][i] = random_single();
		fixture_instruction(opcode, operation == 'f' ? "rrrr" : "rrr", values, out);
		for (int i = 0; i < FIXTURE_LANES; i++) {
			float a = to_float(values[0][i]), b = to_float(values[1][i]),
				  c = to_float(values[2][i]);
			/* binary128 cannot hold a quotient, but its own rounding is far below
			 * what matters here */
			if (too_far_apart(operation == 'f' ? (exact)a * b : a, operation == 'f' ? c : b))
				continue;
			exact want = round_exact(single_expected(operation, a, b, c), f32, (enum mode)mode);
			expect_value(to_float(out[i]), want, opcode, values[0][i], values[1][i], values[2][i]);
		}
	}
}

static void single_check(void)
{
	check_single("add", '+');
	check_single("mul", '*');
	check_single("div", '/');
	check_single("fma", 'f');
}

Test(exec_float, f32_rounding_modes)
{
	on_every_level(single_check);
}
Test(exec_float, f32_rounding_modes_without_avx)
{
	setenv("TEST_LEVEL", "2", 1);
	on_every_level(single_check);
}

static void expect_one(const char *opcode, const char *classes, uint64_t a, uint64_t b, uint64_t c,
					   uint64_t want)
{
	uint64_t values[4][FIXTURE_LANES], out[FIXTURE_LANES];
	for (int i = 0; i < FIXTURE_LANES; i++) {
		values[0][i] = a;
		values[1][i] = b;
		values[2][i] = c;
		values[3][i] = 0;
	}
	fixture_instruction(opcode, classes, values, out);
	cr_assert_eq(out[94], want, "%s %llx, %llx, %llx: %llx, expected %llx", opcode,
				 (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,
				 (unsigned long long)out[94], (unsigned long long)want);
}

Test(exec_float, special_values)
{
	const uint64_t nan = 0x7fc00000, one = 0x3f800000, minus = 0xbf800000, tiny = 0x00000001;
	expect_one("min.f32", "rrr", nan, one, 0, one);
	expect_one("max.f32", "rrr", nan, nan + 1, 0, 0x7fffffff);
	expect_one("max.NaN.f32", "rrr", nan, one, 0, 0x7fffffff);
	expect_one("min.f32", "rrr", 0, 0x80000000, 0, 0x80000000);
	expect_one("max.f32", "rrr", 0x80000000, 0, 0, 0);
	expect_one("min.xorsign.abs.f32", "rrr", minus, 0x40000000, 0, minus);
	expect_one("add.ftz.f32", "rrr", tiny, 0, 0, 0);
	expect_one("add.f32", "rrr", tiny, 0, 0, tiny);
	expect_one("mul.ftz.f32", "rrr", 0x00800000, 0xbf000000, 0, 0x80000000);
	expect_one("add.sat.f32", "rrr", one, one, 0, one);
	expect_one("add.sat.f32", "rrr", nan, one, 0, 0);
	expect_one("add.sat.f32", "rrr", minus, 0, 0, 0);
	expect_one("abs.f32", "rr", minus, 0, 0, one);
	expect_one("neg.f32", "rr", one, 0, 0, minus);
	expect_one("copysign.f32", "rrr", minus, one, 0, minus);
	expect_one("fma.rn.relu.f16", "hhhh", 0x3c00, 0xbc00, 0, 0);
	expect_one("fma.rn.sat.f16", "hhhh", 0x4000, 0x4000, 0, 0x3c00);
	expect_one("add.ftz.f16", "hhh", 1, 1, 0, 0);
	expect_one("neg.bf16x2", "rr", 0x3f803f80, 0, 0, 0xbf80bf80);
	expect_one("abs.f16x2", "rr", 0xbc003c00, 0, 0, 0x3c003c00);
	expect_one("testp.finite.f32", "pr", 0x7f800000, 0, 0, 0);
	expect_one("testp.subnormal.f32", "pr", 1, 0, 0, 1);
	expect_one("sqrt.rn.f32", "rr", 0x40800000, 0, 0, 0x40000000);
	expect_one("sqrt.rz.f32", "rr", 0x40000000, 0, 0, 0x3fb504f3);
	expect_one("rcp.rn.f32", "rr", 0x40400000, 0, 0, 0x3eaaaaab);
	expect_one("rcp.rm.f32", "rr", 0x40400000, 0, 0, 0x3eaaaaaa);
	expect_one("fma.rn.f64", "dddd", 0x3ff0000000000001, 0x3ff0000000000001, 0xbff0000000000002,
			   0x3970000000000000);
}

/* PTX leaves open which NaN f32 arithmetic gives; a GPU gives one. f64 keeps the operand's. */
Test(exec_float, nan_of_arithmetic)
{
	static const char *const two[] = {
		"add.f32",    "sub.f32",    "mul.f32",    "div.rn.f32",  "add.ftz.f32",  "mul.ftz.f32",
		"add.rz.f32", "mul.rm.f32", "div.rp.f32", "max.NaN.f32", "div.full.f32", "sub.rp.ftz.f32"};
	static const char *const one[] = {"sqrt.rn.f32",         "rcp.rn.f32",     "sqrt.rz.f32",
									  "rcp.rp.f32",          "ex2.approx.f32", "sin.approx.f32",
									  "rsqrt.approx.ftz.f32"};
	const uint64_t nan = 0xffc12345, number = 0x3f800000;
	for (size_t i = 0; i < sizeof two / sizeof two[0]; i++) {
		expect_one(two[i], "rrr", nan, number, 0, 0x7fffffff);
		expect_one(two[i], "rrr", number, nan, 0, 0x7fffffff);
	}
	for (size_t i = 0; i < sizeof one / sizeof one[0]; i++)
		expect_one(one[i], "rr", nan, 0, 0, 0x7fffffff);
	expect_one("fma.rn.f32", "rrrr", number, number, nan, 0x7fffffff);
	expect_one("fma.rz.f32", "rrrr", number, nan, number, 0x7fffffff);
	expect_one("sub.f32", "rrr", 0x7f800000, 0x7f800000, 0, 0x7fffffff);
	expect_one("add.f64", "ddd", 0x7ff8123456789abcu, 0, 0, 0x7ff8123456789abcu);
}

Test(exec_float, comparisons_with_nan)
{
	const uint64_t nan = 0x7fc00000, one = 0x3f800000;
	static const struct {
		const char *name;
		int unordered, equal;
	} table[] = {{"eq", 0, 1},  {"ne", 0, 0},  {"lt", 0, 0},  {"le", 0, 1},  {"gt", 0, 0},
				 {"ge", 0, 1},  {"equ", 1, 1}, {"neu", 1, 0}, {"ltu", 1, 0}, {"leu", 1, 1},
				 {"gtu", 1, 0}, {"geu", 1, 1}, {"num", 0, 1}, {"nan", 1, 0}};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		char opcode[32];
		snprintf(opcode, sizeof opcode, "setp.%s.f32", table[i].name);
		expect_one(opcode, "prr", nan, one, 0, (uint64_t)table[i].unordered);
		expect_one(opcode, "prr", one, one, 0, (uint64_t)table[i].equal);
		snprintf(opcode, sizeof opcode, "setp.%s.f16", table[i].name);
		expect_one(opcode, "phh", 0x7e00, 0x3c00, 0, (uint64_t)table[i].unordered);
		expect_one(opcode, "phh", 0x3c00, 0x3c00, 0, (uint64_t)table[i].equal);
		snprintf(opcode, sizeof opcode, "setp.%s.f64", table[i].name);
		expect_one(opcode, "pdd", 0x7ff8000000000000, 0, 0, (uint64_t)table[i].unordered);
	}
	expect_one("setp.eq.ftz.f32", "prr", 1, 0, 0, 1);
	expect_one("setp.eq.f32", "prr", 1, 0, 0, 0);
}

/* ------------------------------------------------------------------------
 * Approximations stay within what PTX states */

static void within(const char *opcode, double (*function)(double), double least, double most,
				   double relative, double absolute)
{
	uint64_t values[4][FIXTURE_LANES] = {{0}}, out[FIXTURE_LANES];
	for (int i = 0; i < FIXTURE_LANES; i++)
		values[0][i] = of_float((float)(least + (most - least) * i / (FIXTURE_LANES - 1)));
	fixture_instruction(opcode, "rr", values, out);
	for (int i = 0; i < FIXTURE_LANES; i++) {
		double want = function(to_float(values[0][i])), got = to_float(out[i]);
		cr_assert(fabs(got - want) <= relative * fabs(want) + absolute, "%s %a: %a, expected %a",
				  opcode, to_float(values[0][i]), got, want);
	}
}

static double inverse(double x)
{
	return 1 / x;
}
static double inverse_root(double x)
{
	return 1 / sqrt(x);
}

Test(exec_float, approximations)
{
	within("rcp.approx.f32", inverse, 1e-3, 5, 0x1p-23, 0);
	within("rsqrt.approx.f32", inverse_root, 1e-3, 5, 0x1p-22, 0);
	within("ex2.approx.ftz.f32", exp2, -100, 100, 0x1p-22, 0);
	within("lg2.approx.f32", log2, 1e-3, 5, 0x1p-22, 0x1p-22);
	within("sin.approx.f32", sin, -3, 3, 0, 0x1p-20);
	within("cos.approx.f32", cos, -3, 3, 0, 0x1p-20);
	within("tanh.approx.f32", tanh, -4, 4, 0x1p-11, 0);
	within("rcp.approx.ftz.f32", inverse, -1e6, -1e-3, 0x1p-23, 0);
	within("rsqrt.approx.ftz.f32", inverse_root, 1e-9, 1e9, 0x1p-22, 0);
	within("sqrt.approx.f32", sqrt, 0, 1e9, 0x1p-23, 0);
	within("sqrt.approx.ftz.f32", sqrt, 1e-9, 1, 0x1p-23, 0);
	within("lg2.approx.ftz.f32", log2, 0.5, 2, 0, 0x1p-22);
	within("lg2.approx.f32", log2, 2, 1e30, 0x1p-22, 0);
	within("ex2.approx.f32", exp2, -149, 20, 0x1p-22, 0x1p-149);
}

/* Halves: the largest relative errors of ex2 and tanh.bf16x2, and the largest
 * absolute one of tanh.f16 (PTX ISA, "Half Precision Floating Point Instructions"). */
static void halves_within(const char *opcode, bool brain, double (*function)(double), double most,
						  double relative, double absolute)
{
	bool pair = strstr(opcode, "16x2") != NULL;
	uint64_t values[4][FIXTURE_LANES] = {{0}}, out[FIXTURE_LANES];
	for (int i = 0; i < FIXTURE_LANES; i++) {
		_Float16 half = (_Float16)(most * (i - FIXTURE_LANES / 2) / FIXTURE_LANES);
		uint64_t bits = of_float((float)half) >> 16;
		if (!brain)
			memcpy(&bits, &half, sizeof half);
		values[0][i] = (bits & 0xffff) * (pair ? 0x10001 : 1);
	}
	fixture_instruction(opcode, pair ? "rr" : "hh", values, out);
	for (int i = 0; i < FIXTURE_LANES; i++)
		for (int k = 0; k <= pair; k++) {
			uint32_t a = values[0][i] & 0xffff, d = out[i] >> 16 * k & 0xffff;
			double want = function((double)(brain ? brain_value(a) : half_value(a)));
			double got = (double)(brain ? brain_value(d) : half_value(d));
			cr_assert(fabs(got - want) <= relative * fabs(want) + absolute, "%s %x: %a, not %a",
					  opcode, a, got, want);
		}
}

Test(exec_float, approximations_of_halves)
{
	halves_within("ex2.approx.f16", false, exp2, 20, 0x1p-9, 0);
	halves_within("ex2.approx.f16x2", false, exp2, 20, 0x1p-9, 0);
	halves_within("ex2.approx.ftz.bf16", true, exp2, 60, 0x1p-7, 0);
	halves_within("ex2.approx.ftz.bf16x2", true, exp2, 60, 0x1p-7, 0);
	halves_within("tanh.approx.f16", false, tanh, 8, 0, 0x1p-10);
	halves_within("tanh.approx.f16x2", false, tanh, 8, 0, 0x1p-10);
	halves_within("tanh.approx.bf16", true, tanh, 8, 0, 0x1p-8);
	halves_within("tanh.approx.bf16x2", true, tanh, 8, 0, 0x1p-8);
}

/* ------------------------------------------------------------------------
 * Conversions */

static void check_narrowing(const char *type, struct format format, exact (*value)(uint32_t))
{
	static const char *const modes[] = {"rn", "rz"};
	for (int mode = 0; mode < 2; mode++) {
		char opcode[48];
		snprintf(opcode, sizeof opcode, "cvt.%s.%s.f32", modes[mode], type);
		for (int round = 0; round < 10; round++) {
			uint64_t values[4][FIXTURE_LANES] = {{0}}, out[FIXTURE_LANES];
			for (int i = 0; i < FIXTURE_LANES; i++)
				values[0][i] = random_single();
			fixture_instruction(opcode, "hr", values, out);
			for (int i = 0; i < FIXTURE_LANES; i++)
				expect_value(value((uint32_t)out[i]),
							 round_exact(to_float(values[0][i]), format, (enum mode)mode), opcode,
							 values[0][i], 0, 0);
		}
	}
}

static void narrowing_check(void)
{
	check_narrowing("f16", f16, half_value);
	check_narrowing("bf16", bf16, brain_value);
}

Test(exec_float, narrowing)
{
	on_every_level(narrowing_check);
}
Test(exec_float, narrowing_without_avx)
{
	setenv("TEST_LEVEL", "2", 1);
	on_every_level(narrowing_check);
}

Test(exec_float, every_half_widens)
{
	for (uint32_t base = 0; base < 65536; base += FIXTURE_LANES * 7) {
		uint64_t values[4][FIXTURE_LANES] = {{0}}, out[FIXTURE_LANES];
		for (uint32_t i = 0; i < FIXTURE_LANES; i++)
			values[0][i] = (base + i * 7) & 0xffff;
		fixture_instruction("cvt.f32.f16", "rh", values, out);
		for (int i = 0; i < FIXTURE_LANES; i++)
			expect_value(to_float(out[i]), half_value((uint32_t)values[0][i]), "cvt.f32.f16",
						 values[0][i], 0, 0);
	}
}

Test(exec_float, to_integers)
{
	const uint64_t x = of_float(2.5f), y = of_float(-2.5f), big = of_float(3e9f);
	expect_one("cvt.rni.s32.f32", "rr", x, 0, 0, 2);
	expect_one("cvt.rzi.s32.f32", "rr", y, 0, 0, (uint32_t)-2);
	expect_one("cvt.rmi.s32.f32", "rr", y, 0, 0, (uint32_t)-3);
	expect_one("cvt.rpi.s32.f32", "rr", x, 0, 0, 3);
	expect_one("cvt.rzi.s32.f32", "rr", big, 0, 0, 0x7fffffff);
	expect_one("cvt.rzi.u32.f32", "rr", big, 0, 0, 3000000000u);
	expect_one("cvt.rzi.u32.f32", "rr", y, 0, 0, 0);
	expect_one("cvt.rzi.s32.f32", "rr", 0x7fc00000, 0, 0, 0);
	expect_one("cvt.rzi.u64.f64", "dd", 0x43e0000000000000, 0, 0, 1ull << 63);
	expect_one("cvt.rni.f32.f32", "rr", x, 0, 0, of_float(2.0f));
	expect_one("cvt.rn.f32.u64", "rd", ~0ull, 0, 0, of_float(0x1p64f));
	expect_one("cvt.rz.f32.u64", "rd", ~0ull, 0, 0, 0x5f7fffff);
	expect_one("cvt.rp.f32.s64", "rd", (1ull << 40) + 1, 0, 0, 0x53800001);
	expect_one("cvt.rn.f16.s32", "hr", 2049, 0, 0, 0x6800);
	expect_one("cvt.rzi.s8.f32", "rr", of_float(-200.0f), 0, 0, (uint32_t)-128);
	expect_one("cvt.rzi.u8.f32", "hr", of_float(300.0f), 0, 0, 255);
	expect_one("cvt.sat.f32.f32", "rr", of_float(1.5f), 0, 0, of_float(1.0f));
}

Test(exec_float, packed_and_tiny_formats)
{
	const uint64_t one = of_float(1.0f), two = of_float(2.0f);
	expect_one("cvt.rn.f16x2.f32", "rrr", one, two, 0, 0x3c004000);
	expect_one("cvt.rn.bf16x2.f32", "rrr", one, two, 0, 0x3f804000);
	expect_one("cvt.rn.relu.bf16x2.f32", "rrr", of_float(-1.0f), two, 0, 0x00004000);
	expect_one("cvt.rna.tf32.f32", "rr", 0x3f801000, 0, 0, 0x3f802000);
	expect_one("cvt.rn.satfinite.e4m3x2.f32", "hrr", of_float(1000.0f), one, 0, 0x7e38);
	expect_one("cvt.rn.satfinite.e5m2x2.f32", "hrr", of_float(-1e9f), of_float(0.125f), 0, 0xfb30);
	expect_one("cvt.rn.f16x2.e4m3x2", "rh", 0x7e38, 0, 0, 0x5f003c00);
	expect_one("cvt.rn.f16x2.e5m2x2", "rh", 0x3c40, 0, 0, 0x3c004000);
	expect_one("cvt.rn.satfinite.e4m3x2.f16x2", "hr", 0x3c004000, 0, 0, 0x3840);
}

/* .relu makes negative numbers 0 and keeps NaN; .satfinite keeps NaN, too, and makes
 * everything beyond the largest number that number. */
Test(exec_float, conversions_that_clamp)
{
	const uint64_t minus = of_float(-1.5f), big = of_float(7e4f), huge = 0x7f7fffff;
	const uint64_t infinite = 0x7f800000, below = 0xff800000, nan = 0x7fc00000, one = 0x3f800000;
	expect_one("cvt.rn.relu.f16.f32", "hr", minus, 0, 0, 0);
	expect_one("cvt.rn.relu.f16.f32", "hr", big, 0, 0, 0x7c00);
	expect_one("cvt.rz.relu.f16.f32", "hr", big, 0, 0, 0x7bff);
	expect_one("cvt.rn.relu.f16.f32", "hr", nan, 0, 0, 0x7fff);
	expect_one("cvt.rn.satfinite.f16.f32", "hr", big, 0, 0, 0x7bff);
	expect_one("cvt.rn.satfinite.f16.f32", "hr", below, 0, 0, 0xfbff);
	expect_one("cvt.rn.satfinite.f16.f32", "hr", nan, 0, 0, 0x7fff);
	expect_one("cvt.rn.relu.satfinite.f16.f32", "hr", below, 0, 0, 0);
	expect_one("cvt.rn.relu.satfinite.f16x2.f32", "rrr", infinite, minus, 0, 0x7bff0000);
	expect_one("cvt.rz.relu.f16x2.f32", "rrr", minus, one, 0, 0x00003c00);
	expect_one("cvt.rn.bf16.f32", "hr", huge, 0, 0, 0x7f80);
	expect_one("cvt.rn.satfinite.bf16.f32", "hr", huge, 0, 0, 0x7f7f);
	expect_one("cvt.rn.relu.bf16.f32", "hr", minus, 0, 0, 0);
	expect_one("cvt.rn.satfinite.bf16x2.f32", "rrr", below, nan, 0, 0xff7f7fff);
	expect_one("cvt.rz.relu.bf16x2.f32", "rrr", 0x3f80ffff, minus, 0, 0x3f800000);
	expect_one("cvt.rn.tf32.f32", "rr", 0x3f801000, 0, 0, 0x3f800000);
	expect_one("cvt.rn.tf32.f32", "rr", 0x3f803000, 0, 0, 0x3f804000);
	expect_one("cvt.rz.tf32.f32", "rr", 0x3f803fff, 0, 0, 0x3f802000);
	expect_one("cvt.rz.relu.tf32.f32", "rr", minus, 0, 0, 0);
	expect_one("cvt.rna.satfinite.tf32.f32", "rr", below, 0, 0, 0xff7fe000);
}

Test(exec_float, conversions_of_eight_bits)
{
	const uint64_t minus = of_float(-1.5f), infinite = 0x7f800000, nan = 0x7fc00000;
	const uint64_t tiny = of_float(0x1p-9f), half_tiny = of_float(0x1p-10f);
	expect_one("cvt.rn.satfinite.e4m3x2.f32", "hrr", infinite, nan, 0, 0x7e7f);
	expect_one("cvt.rn.satfinite.e5m2x2.f32", "hrr", infinite, nan, 0, 0x7b7f);
	expect_one("cvt.rn.satfinite.relu.e4m3x2.f32", "hrr", minus, tiny, 0, 0x0001);
	expect_one("cvt.rn.satfinite.relu.e5m2x2.f32", "hrr", minus, nan, 0, 0x007f);
	expect_one("cvt.rn.satfinite.e4m3x2.f32", "hrr", half_tiny, minus, 0, 0x00bc);
	expect_one("cvt.rn.satfinite.e5m2x2.f16x2", "hr", 0x7bffbe00, 0, 0, 0x7bbe);
	expect_one("cvt.rn.satfinite.relu.e4m3x2.f16x2", "hr", 0xfc007c00, 0, 0, 0x007e);
	expect_one("cvt.rn.f16x2.e4m3x2", "rh", 0x7f01, 0, 0, 0x7fff1800);
	expect_one("cvt.rn.relu.f16x2.e4m3x2", "rh", 0xbc38, 0, 0, 0x00003c00);
	expect_one("cvt.rn.relu.f16x2.e5m2x2", "rh", 0x7cbe, 0, 0, 0x7c000000);
}

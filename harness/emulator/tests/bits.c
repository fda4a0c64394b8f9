/* Hashes of what instructions give, bit for bit: on a GPU, or on the emulated one.
 *
 *   bits list                            the names of what there is
 *   bits functions BLOCKS [NAME...]      functions of one operand: of those of 32 bits, or of the
 *                                        upper word of f64, every 256 / BLOCKS-th block of 2^24
 *                                        inputs; of 16 bits all inputs
 *   bits forms ROUNDS [SUITE...]         ROUNDS launches of a suite's kernel (model.h) in each
 * range bits dump NAME FIRST COUNT FILE      results of COUNT inputs of a function bits dump SUITE
 * RANGE ROUND FILE     results of one such launch
 *
 * A line is a name, a range or the first input, and a hash of 64 bits. Exit status 2: it cannot be
 * run here. */
#include "driver.h"
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK ((size_t)1 << 24)
#define THREADS 256

static const struct model_suite *const suites[] = {&model_cvt, &model_arithmetic, &model_mma,
												   &model_wgmma};
#define SUITES (sizeof suites / sizeof suites[0])

/* A function of one operand; {x}, the input, is %r1 of 32 bits, %h1 of 16, %d1 of 64, whose lower
 * word is 0, and the result %r2, %h2, %d2. Pairs have the input below, its complement above. */
static const struct function {
	const char *name;
	enum { WORD, HALF, PAIR, UPPER } kind;
} functions[] = {
	{"rcp.approx.ftz.f32", WORD},    {"rcp.approx.f32", WORD},
	{"rsqrt.approx.ftz.f32", WORD},  {"rsqrt.approx.f32", WORD},
	{"sqrt.approx.ftz.f32", WORD},   {"sqrt.approx.f32", WORD},
	{"ex2.approx.ftz.f32", WORD},    {"ex2.approx.f32", WORD},
	{"lg2.approx.ftz.f32", WORD},    {"lg2.approx.f32", WORD},
	{"sin.approx.ftz.f32", WORD},    {"sin.approx.f32", WORD},
	{"cos.approx.ftz.f32", WORD},    {"cos.approx.f32", WORD},
	{"tanh.approx.f32", WORD},       {"rcp.rn.f32", WORD},
	{"sqrt.rn.f32", WORD},           {"tanh.approx.f16", HALF},
	{"tanh.approx.f16x2", PAIR},     {"tanh.approx.bf16", HALF},
	{"tanh.approx.bf16x2", PAIR},    {"ex2.approx.f16", HALF},
	{"ex2.approx.f16x2", PAIR},      {"ex2.approx.ftz.bf16", HALF},
	{"ex2.approx.ftz.bf16x2", PAIR}, {"rcp.approx.ftz.f64", UPPER},
	{"rsqrt.approx.ftz.f64", UPPER}, {"rsqrt.approx.f64", UPPER},
};
#define FUNCTIONS (sizeof functions / sizeof functions[0])

/* ------------------------------------------------------------------------
 * Kernels */

/* f(first, out): a function of 2^24 inputs from `first` on. */
static void say_function(struct model_text *text, const struct function *function)
{
	static const char *const bodies[] = {
		[WORD] = "mov.b32 %%r1, %%x; %s %%r2, %%r1;",
		[HALF] = "cvt.u16.u32 %%h1, %%x; %s %%h2, %%h1; cvt.u32.u16 %%r2, %%h2;",
		[PAIR] = "shl.b32 %%r1, %%x, 16; not.b32 %%r1, %%r1; and.b32 %%r1, %%r1, 0xffff0000; "
				 "or.b32 %%r1, %%r1, %%x; %s %%r2, %%r1;",
		[UPPER] = "mov.b64 %%d1, {0, %%x}; %s %%d2, %%d1; mov.b64 {%%r3, %%r2}, %%d2; "
				  "xor.b32 %%r2, %%r2, %%r3;",
	};
	model_say(text,
			  ".version 9.0\n.target sm_90a\n.address_size 64\n"
			  ".visible .entry f(.param .u32 p_first, .param .u64 p_out)\n{\n"
			  ".reg .b16 %%h<4>; .reg .b32 %%r<8>; .reg .b64 %%d<8>;\n"
			  ".reg .b64 %%to; .reg .b32 %%i, %%x, %%first;\n"
			  "ld.param.u32 %%first, [p_first]; ld.param.u64 %%to, [p_out];\n"
			  "mov.u32 %%i, %%ctaid.x; mov.u32 %%r0, %%tid.x; mad.lo.u32 %%i, %%i, %d, %%r0;\n"
			  "add.u32 %%x, %%first, %%i; mul.wide.u32 %%d0, %%i, 4; add.s64 %%to, %%to, %%d0;\n",
			  THREADS);
	model_say(text, bodies[function->kind], function->name);
	model_say(text, "\nst.global.b32 [%%to], %%r2;\nret;\n}\n");
}

/* x, a murmur of it */
static void say_mix(struct model_text *text)
{
	model_say(text, "shr.u32 %%r9, %%x, 16; xor.b32 %%x, %%x, %%r9; mul.lo.u32 %%x, %%x, "
					"0x85ebca6b; shr.u32 %%r9, %%x, 13; xor.b32 %%x, %%x, %%r9;\n"
					"mul.lo.u32 %%x, %%x, 0xc2b2ae35; shr.u32 %%r9, %%x, 16; "
					"xor.b32 %%x, %%x, %%r9;\n");
}

/* draw(to, keep, base, count, seed): words of a suite's input.
 * hash(from, parts, sums, round): block (x, y) adds part x's words, every gridDim.y-th thousand, to
 * sums[x]; a part is its first word and their number. */
static void say_tools(struct model_text *text)
{
	model_say(text,
			  ".version 9.0\n.target sm_90a\n.address_size 64\n"
			  ".visible .entry draw(.param .u64 p_to, .param .u64 p_keep, .param .u64 p_base, "
			  ".param .u32 p_count, .param .u32 p_seed)\n{\n"
			  ".reg .pred %%p; .reg .b32 %%r<16>, %%x; .reg .b64 %%d<8>;\n"
			  "ld.param.u64 %%d0, [p_to]; ld.param.u64 %%d1, [p_keep]; ld.param.u64 %%d2, "
			  "[p_base];\nld.param.u32 %%r1, [p_count]; ld.param.u32 %%r2, [p_seed];\n"
			  "mov.u32 %%r0, %%ctaid.x; mov.u32 %%r3, %%tid.x; mad.lo.u32 %%r0, %%r0, %d, %%r3;\n"
			  "setp.ge.u32 %%p, %%r0, %%r1; @%%p ret;\n"
			  "mul.lo.u32 %%x, %%r0, 0x9e3779b1; add.u32 %%x, %%x, %%r2;\n",
			  THREADS);
	say_mix(text);
	model_say(
		text,
		"mul.wide.u32 %%d3, %%r0, 4; add.s64 %%d0, %%d0, %%d3; add.s64 %%d1, %%d1, %%d3;\n"
		"add.s64 %%d2, %%d2, %%d3; ld.global.b32 %%r4, [%%d1]; ld.global.b32 %%r5, [%%d2];\n"
		"and.b32 %%x, %%x, %%r4; add.u32 %%x, %%x, %%r5; st.global.b32 [%%d0], %%x;\nret;\n}\n"
		".visible .entry hash(.param .u64 p_from, .param .u64 p_parts, .param .u64 p_sums, "
		".param .u32 p_round)\n{\n"
		".reg .pred %%p; .reg .b32 %%r<16>, %%x; .reg .b64 %%d<16>;\n"
		"ld.param.u64 %%d0, [p_from]; ld.param.u64 %%d1, [p_parts]; ld.param.u64 %%d2, "
		"[p_sums];\nld.param.u32 %%r1, [p_round]; mov.u32 %%r0, %%ctaid.x;\n"
		"mul.wide.u32 %%d3, %%r0, 8; add.s64 %%d2, %%d2, %%d3;\n"
		"add.s64 %%d1, %%d1, %%d3; ld.global.v2.b32 {%%r2, %%r3}, [%%d1]; mov.b64 %%d4, 0;\n"
		"mul.lo.u32 %%r1, %%r1, 0x27d4eb2f; mov.u32 %%r4, %%ctaid.y; mov.u32 %%r5, %%tid.x;\n"
		"mad.lo.u32 %%r4, %%r4, %d, %%r5; mov.u32 %%r5, %%nctaid.y; mul.lo.u32 %%r5, %%r5, "
		"%d;\n"
		"LOOP: setp.ge.u32 %%p, %%r4, %%r3; @%%p bra DONE; add.u32 %%r6, %%r4, %%r2;\n"
		"mul.wide.u32 %%d5, %%r6, 4; add.s64 %%d5, %%d5, %%d0; ld.global.b32 %%x, [%%d5];\n"
		"mad.lo.u32 %%r7, %%r4, 0x9e3779b1, %%r1; xor.b32 %%x, %%x, %%r7;\n",
		THREADS, THREADS);
	say_mix(text);
	model_say(text, "cvt.u64.u32 %%d6, %%x; add.u64 %%d4, %%d4, %%d6; add.u32 %%r4, %%r4, %%r5;\n"
					"bra LOOP;\nDONE: red.global.add.u64 [%%d2], %%d4;\nret;\n}\n");
}

/* ------------------------------------------------------------------------
 * Launches */

static struct {
	CUfunction draw, hash;
} tools;

static bool open_tools(void)
{
	struct model_text text = {0};
	CUmodule module;
	say_tools(&text);
	bool good = driver_load(text.text, &module) &&
				driver_done(cuModuleGetFunction(&tools.draw, module, "draw"), "draw") &&
				driver_done(cuModuleGetFunction(&tools.hash, module, "hash"), "hash");
	free(text.text);
	return good;
}

static bool launch(CUfunction function, unsigned x, unsigned y, unsigned threads, void **parameters)
{
	return driver_done(cuLaunchKernel(function, x, y, 1, threads, 1, 1, 0, NULL, parameters, NULL),
					   "cuLaunchKernel");
}

/* Adds to sums[] of each part. */
static bool add_hashes(CUdeviceptr from, CUdeviceptr parts, unsigned count, unsigned y,
					   CUdeviceptr sums, uint32_t round)
{
	void *parameters[] = {&from, &parts, &sums, &round};
	return launch(tools.hash, count, y, THREADS, parameters);
}

static bool write_file(const char *file, const void *bytes, size_t size)
{
	FILE *to = fopen(file, "wb");
	bool good = to && fwrite(bytes, 1, size, to) == size;
	good = to && fclose(to) == 0 && good;
	if (!good)
		perror(file);
	return good;
}

static bool write_device(const char *file, CUdeviceptr from, size_t size)
{
	void *bytes = malloc(size);
	bool good = bytes && driver_done(cuMemcpyDtoH(bytes, from, size), "cuMemcpyDtoH") &&
				write_file(file, bytes, size);
	free(bytes);
	return good;
}

/* --- functions --- */

static bool load_function(const struct function *function, CUfunction *kernel)
{
	struct model_text text = {0};
	CUmodule module;
	say_function(&text, function);
	bool good = driver_load(text.text, &module) &&
				driver_done(cuModuleGetFunction(kernel, module, "f"), function->name);
	free(text.text);
	return good;
}

static bool run_function(CUfunction kernel, uint32_t first, size_t count, CUdeviceptr to)
{
	void *parameters[] = {&first, &to};
	return launch(kernel, (unsigned)(count / THREADS), 1, THREADS, parameters);
}

static bool print_block(const struct function *function, CUfunction kernel, uint32_t first,
						CUdeviceptr to)
{
	const bool half = function->kind == HALF || function->kind == PAIR;
	const size_t count = half ? 65536 : BLOCK;
	const uint32_t part[2] = {0, (uint32_t)count};
	uint64_t sum = 0;
	CUdeviceptr sums = to + BLOCK * 4, parts = sums + 8;
	bool good = run_function(kernel, first, count, to) &&
				driver_done(cuMemcpyHtoD(sums, &sum, sizeof sum), "cuMemcpyHtoD") &&
				driver_done(cuMemcpyHtoD(parts, part, sizeof part), "cuMemcpyHtoD") &&
				add_hashes(to, parts, 1, 512, sums, 0) &&
				driver_done(cuMemcpyDtoH(&sum, sums, sizeof sum), "cuMemcpyDtoH");
	if (good)
		printf("%s %08x %016llx\n", function->name, first, (unsigned long long)sum);
	return good;
}

static bool print_function(const struct function *function, unsigned blocks)
{
	const bool half = function->kind == HALF || function->kind == PAIR;
	CUfunction kernel;
	CUdeviceptr to;
	bool good = load_function(function, &kernel) &&
				driver_done(cuMemAlloc(&to, BLOCK * 4 + 16), "cuMemAlloc");
	for (unsigned block = 0; good && block < (half ? 1 : blocks); block++)
		good = print_block(function, kernel, (uint32_t)(block * (256 / blocks) * BLOCK), to);
	if (good)
		cuMemFree(to);
	return good;
}

static bool dump_function(const struct function *function, uint32_t first, size_t count,
						  const char *file)
{
	CUfunction kernel;
	CUdeviceptr to;
	count = (count + THREADS - 1) / THREADS * THREADS;
	bool good =
		load_function(function, &kernel) && driver_done(cuMemAlloc(&to, count * 4), "cuMemAlloc");
	good = good && run_function(kernel, first, count, to) && write_device(file, to, count * 4);
	if (good)
		cuMemFree(to);
	return good;
}

/* --- forms --- */

struct forms {
	const struct model_suite *suite;
	CUfunction kernel;
	CUdeviceptr in, out, keep, base, parts, sums;
	unsigned count;
};

static bool to_device(CUdeviceptr *to, const void *from, size_t size)
{
	return driver_done(cuMemAlloc(to, size), "cuMemAlloc") &&
		   (!from || driver_done(cuMemcpyHtoD(*to, from, size), "cuMemcpyHtoD"));
}

static bool open_forms(struct forms *forms, const struct model_suite *suite)
{
	struct model_text text = {0};
	CUmodule module;
	char name[160];
	size_t first, count;
	uint32_t parts[2048];
	*forms = (struct forms){.suite = suite};
	while (forms->count < 1024 && suite->form(forms->count, name, sizeof name, &first, &count)) {
		parts[2 * forms->count] = (uint32_t)first;
		parts[2 * forms->count++ + 1] = (uint32_t)count;
	}
	suite->kernel(&text);
	bool good = driver_load(text.text, &module) &&
				driver_done(cuModuleGetFunction(&forms->kernel, module, "k"), suite->name) &&
				to_device(&forms->in, NULL, suite->in_bytes()) &&
				to_device(&forms->out, NULL, suite->out_bytes()) &&
				to_device(&forms->keep, NULL, suite->in_bytes()) &&
				to_device(&forms->base, NULL, suite->in_bytes()) &&
				to_device(&forms->sums, NULL, (size_t)8 * forms->count) &&
				to_device(&forms->parts, parts, (size_t)8 * forms->count) &&
				driver_done(cuMemsetD8(forms->out, 0, suite->out_bytes()), "cuMemsetD8");
	free(text.text);
	return good;
}

static void close_forms(struct forms *forms)
{
	cuMemFree(forms->in), cuMemFree(forms->out), cuMemFree(forms->keep), cuMemFree(forms->base);
	cuMemFree(forms->sums), cuMemFree(forms->parts);
}

static bool set_range(struct forms *forms, unsigned range)
{
	const size_t size = forms->suite->in_bytes();
	uint32_t *keep = calloc(1, size), *base = calloc(1, size);
	bool good = keep && base;
	if (good) {
		forms->suite->range(range, keep, base);
		good = driver_done(cuMemcpyHtoD(forms->keep, keep, size), "cuMemcpyHtoD") &&
			   driver_done(cuMemcpyHtoD(forms->base, base, size), "cuMemcpyHtoD") &&
			   driver_done(cuMemsetD8(forms->sums, 0, (size_t)8 * forms->count), "cuMemsetD8");
	}
	free(keep);
	free(base);
	return good;
}

static bool run_round(struct forms *forms, unsigned range, uint32_t round)
{
	uint32_t words = (uint32_t)(forms->suite->in_bytes() / 4);
	uint32_t seed = (round * MODEL_RANGES + range) * 0x85ebca77u;
	void *drawn[] = {&forms->in, &forms->keep, &forms->base, &words, &seed};
	void *parameters[] = {&forms->in, &forms->out};
	return launch(tools.draw, (words + THREADS - 1) / THREADS, 1, THREADS, drawn) &&
		   launch(forms->kernel, forms->suite->blocks, 1, forms->suite->threads, parameters);
}

static bool print_range(struct forms *forms, unsigned range)
{
	uint64_t sums[1024];
	char name[160];
	size_t first, count;
	if (!driver_done(cuMemcpyDtoH(sums, forms->sums, (size_t)8 * forms->count), "cuMemcpyDtoH"))
		return false;
	for (unsigned i = 0; i < forms->count; i++)
		if (forms->suite->form(i, name, sizeof name, &first, &count))
			printf("%s %u %016llx\n", name, range, (unsigned long long)sums[i]);
	return true;
}

static bool print_suite(const struct model_suite *suite, unsigned rounds)
{
	struct forms forms;
	bool good = open_forms(&forms, suite);
	for (unsigned range = 0; good && range < MODEL_RANGES; range++) {
		good = set_range(&forms, range);
		for (unsigned round = 0; good && round < rounds; round++)
			good = run_round(&forms, range, round) &&
				   add_hashes(forms.out, forms.parts, forms.count, 4, forms.sums, round);
		good = good && print_range(&forms, range);
	}
	close_forms(&forms);
	return good;
}

static bool dump_suite(const struct model_suite *suite, unsigned range, unsigned round,
					   const char *file)
{
	struct forms forms;
	bool good = open_forms(&forms, suite) && set_range(&forms, range) &&
				run_round(&forms, range, round) &&
				write_device(file, forms.out, suite->out_bytes());
	close_forms(&forms);
	return good;
}

/* ------------------------------------------------------------------------ */

static const struct model_suite *suite_named(const char *name)
{
	for (size_t i = 0; i < SUITES; i++)
		if (strcmp(suites[i]->name, name) == 0)
			return suites[i];
	return NULL;
}

static const struct function *function_named(const char *name)
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}

static int list(void)
{
	char name[160];
	size_t first, count;
	for (size_t i = 0; i < FUNCTIONS; i++)
		printf("%s\n", functions[i].name);
	for (size_t i = 0; i < SUITES; i++)
		for (size_t j = 0; suites[i]->form(j, name, sizeof name, &first, &count); j++)
			printf("%s %s\n", suites[i]->name, name);
	return 0;
}

static int unknown(const char *name)
{
	fprintf(stderr, "bits: there is no %s; `bits list` has the names\n", name);
	return 2;
}

static bool is_chosen(const char *name, int count, char **names)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return count == 0;
}

static int print_functions(unsigned blocks, int count, char **names)
{
	for (int i = 0; i < count; i++)
		if (!function_named(names[i]))
			return unknown(names[i]);
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (is_chosen(functions[i].name, count, names) && !print_function(&functions[i], blocks))
			return 2;
	return 0;
}

static int print_forms(unsigned rounds, int count, char **names)
{
	for (int i = 0; i < count; i++)
		if (!suite_named(names[i]))
			return unknown(names[i]);
	for (size_t i = 0; i < SUITES; i++)
		if (is_chosen(suites[i]->name, count, names) && !print_suite(suites[i], rounds))
			return 2;
	return 0;
}

static int dump(char **arguments)
{
	const struct model_suite *suite = suite_named(arguments[0]);
	const struct function *function = function_named(arguments[0]);
	unsigned long first = strtoul(arguments[1], NULL, 0), count = strtoul(arguments[2], NULL, 0);
	if (suite)
		return dump_suite(suite, (unsigned)first, (unsigned)count, arguments[3]) ? 0 : 2;
	if (function)
		return dump_function(function, (uint32_t)first, count, arguments[3]) ? 0 : 2;
	return unknown(arguments[0]);
}

int main(int count, char **arguments)
{
	const char *verb = count > 1 ? arguments[1] : "";
	unsigned number = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 10) : 0;
	if (strcmp(verb, "list") == 0)
		return list();
	bool good = strcmp(verb, "dump") == 0        ? count == 6
				: strcmp(verb, "functions") == 0 ? number > 0 && number <= 256 && 256 % number == 0
												 : strcmp(verb, "forms") == 0 && number > 0;
	if (!good) {
		fprintf(stderr, "usage: bits list | functions BLOCKS [NAME...] | forms ROUNDS [SUITE...] | "
						"dump NAME FIRST COUNT FILE\n");
		return 2;
	}
	if (!driver_open() || !open_tools())
		return 2;
	if (strcmp(verb, "dump") == 0)
		return dump(arguments + 2);
	return (strcmp(verb, "forms") == 0 ? print_forms : print_functions)(number, count - 3,
																		arguments + 3);
}

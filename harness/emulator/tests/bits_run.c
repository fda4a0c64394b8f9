/* Kernels and launches of `bits`: functions over blocks of their inputs, suites (model.h) over
 * rounds of random operands, and hashes of the results, made on the device. */
#include "bits.h"
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK ((size_t)1 << 24)
#define THREADS 256

const struct bits_suite bits_suites[] = {
	{&model_cvt, 8, 500},
	{&model_arithmetic, 8, 500},
	{&model_mma, 8, 10500},
	{&model_wgmma, 8, 10500},
};
const size_t bits_suite_count = sizeof bits_suites / sizeof bits_suites[0];

/* {x}, the input, is %r1 of 32 bits, %h1 of 16, %d1 of 64, whose lower word is 0, and the result
 * %r2, %h2, %d2. Pairs have the input below, its complement above. */
const struct bits_function bits_functions[] = {
	{"rcp.approx.ftz.f32", BITS_WORD},    {"rcp.approx.f32", BITS_WORD},
	{"rsqrt.approx.ftz.f32", BITS_WORD},  {"rsqrt.approx.f32", BITS_WORD},
	{"sqrt.approx.ftz.f32", BITS_WORD},   {"sqrt.approx.f32", BITS_WORD},
	{"ex2.approx.ftz.f32", BITS_WORD},    {"ex2.approx.f32", BITS_WORD},
	{"lg2.approx.ftz.f32", BITS_WORD},    {"lg2.approx.f32", BITS_WORD},
	{"sin.approx.ftz.f32", BITS_WORD},    {"sin.approx.f32", BITS_WORD},
	{"cos.approx.ftz.f32", BITS_WORD},    {"cos.approx.f32", BITS_WORD},
	{"tanh.approx.f32", BITS_WORD},       {"rcp.rn.f32", BITS_WORD},
	{"sqrt.rn.f32", BITS_WORD},           {"tanh.approx.f16", BITS_HALF},
	{"tanh.approx.f16x2", BITS_PAIR},     {"tanh.approx.bf16", BITS_HALF},
	{"tanh.approx.bf16x2", BITS_PAIR},    {"ex2.approx.f16", BITS_HALF},
	{"ex2.approx.f16x2", BITS_PAIR},      {"ex2.approx.ftz.bf16", BITS_HALF},
	{"ex2.approx.ftz.bf16x2", BITS_PAIR}, {"rcp.approx.ftz.f64", BITS_UPPER},
	{"rsqrt.approx.ftz.f64", BITS_UPPER}, {"rsqrt.approx.f64", BITS_UPPER},
};
const size_t bits_function_count = sizeof bits_functions / sizeof bits_functions[0];

bool bits_is_half(const struct bits_function *function)
{
	return function->kind == BITS_HALF || function->kind == BITS_PAIR;
}

/* ------------------------------------------------------------------------
 * Kernels */

/* x, a murmur of it */
static void say_mix(struct model_text *text)
{
	model_say(text, "shr.u32 %%r9, %%x, 16; xor.b32 %%x, %%x, %%r9; mul.lo.u32 %%x, %%x, "
					"0x85ebca6b; shr.u32 %%r9, %%x, 13; xor.b32 %%x, %%x, %%r9;\n"
					"mul.lo.u32 %%x, %%x, 0xc2b2ae35; shr.u32 %%r9, %%x, 16; "
					"xor.b32 %%x, %%x, %%r9;\n");
}

/* %r2: the function of %x. */
static void say_result(struct model_text *text, const struct bits_function *function)
{
	static const char *const bodies[] = {
		[BITS_WORD] = "mov.b32 %%r1, %%x; %s %%r2, %%r1;\n",
		[BITS_HALF] = "cvt.u16.u32 %%h1, %%x; %s %%h2, %%h1; cvt.u32.u16 %%r2, %%h2;\n",
		[BITS_PAIR] = "shl.b32 %%r1, %%x, 16; not.b32 %%r1, %%r1; and.b32 %%r1, %%r1, 0xffff0000; "
					  "or.b32 %%r1, %%r1, %%x; %s %%r2, %%r1;\n",
		[BITS_UPPER] = "mov.b64 %%d1, {0, %%x}; %s %%d2, %%d1; mov.b64 {%%r3, %%r2}, %%d2; "
					   "xor.b32 %%r2, %%r2, %%r3;\n",
	};
	model_say(text, bodies[function->kind], function->name);
}

/* What a kernel begins with whose threads have consecutive inputs from its first one on: their
 * number %i, the input %x. */
static void say_inputs(struct model_text *text, const char *name)
{
	model_say(text,
			  ".visible .entry %s(.param .u32 p_first, .param .u32 p_count, .param .u64 p_to)\n{\n"
			  ".reg .pred %%p; .reg .b16 %%h<4>; .reg .b32 %%r<16>; .reg .b64 %%d<8>;\n"
			  ".reg .b64 %%to; .reg .b32 %%i, %%x, %%first;\n"
			  "ld.param.u32 %%first, [p_first]; ld.param.u32 %%r4, [p_count]; "
			  "ld.param.u64 %%to, [p_to];\n"
			  "mov.u32 %%i, %%ctaid.x; mov.u32 %%r0, %%tid.x; mad.lo.u32 %%i, %%i, %d, %%r0;\n"
			  "add.u32 %%x, %%first, %%i;\n",
			  name, THREADS);
}

/* f(first, count, to): results, each thread's one. g(first, count, sum): their hash, as hash() has
 * it; each thread goes on at the next thousands. */
static void say_function(struct model_text *text, const struct bits_function *function)
{
	model_say(text, ".version 9.0\n.target sm_90a\n.address_size 64\n");
	say_inputs(text, "f");
	model_say(text, "mul.wide.u32 %%d0, %%i, 4; add.s64 %%to, %%to, %%d0;\n");
	say_result(text, function);
	model_say(text, "st.global.b32 [%%to], %%r2;\nret;\n}\n");
	say_inputs(text, "g");
	model_say(text,
			  "mov.b64 %%d4, 0; mov.u32 %%r5, %%nctaid.x; mul.lo.u32 %%r5, %%r5, %d;\nLOOP:\n",
			  THREADS);
	say_result(text, function);
	model_say(text, "mul.lo.u32 %%r7, %%i, 0x9e3779b1; xor.b32 %%x, %%r2, %%r7;\n");
	say_mix(text);
	model_say(text, "cvt.u64.u32 %%d6, %%x; add.u64 %%d4, %%d4, %%d6; add.u32 %%i, %%i, %%r5;\n"
					"add.u32 %%x, %%first, %%i; setp.lt.u32 %%p, %%i, %%r4; @%%p bra LOOP;\n"
					"red.global.add.u64 [%%to], %%d4;\nret;\n}\n");
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

bool bits_open(void)
{
	struct model_text text = {0};
	CUmodule module;
	say_tools(&text);
	bool good = driver_open() && driver_load(text.text, &module) &&
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

static bool load_function(const struct bits_function *function, const char *entry,
						  CUfunction *kernel)
{
	struct model_text text = {0};
	CUmodule module;
	say_function(&text, function);
	bool good = driver_load(text.text, &module) &&
				driver_done(cuModuleGetFunction(kernel, module, entry), function->name);
	free(text.text);
	return good;
}

static bool hash_block(CUfunction kernel, uint32_t first, uint32_t count, CUdeviceptr to,
					   uint64_t *sum)
{
	void *parameters[] = {&first, &count, &to};
	*sum = 0;
	return driver_done(cuMemcpyHtoD(to, sum, sizeof *sum), "cuMemcpyHtoD") &&
		   launch(kernel, count < BLOCK ? 64 : 1024, 1, THREADS, parameters) &&
		   driver_done(cuMemcpyDtoH(sum, to, sizeof *sum), "cuMemcpyDtoH");
}

bool bits_hash_function(const struct bits_function *function, unsigned first, unsigned step,
						unsigned blocks, uint64_t *hashes)
{
	const uint32_t count = bits_is_half(function) ? 65536 : BLOCK;
	CUfunction kernel;
	CUdeviceptr to;
	bool good =
		load_function(function, "g", &kernel) && driver_done(cuMemAlloc(&to, 8), "cuMemAlloc");
	if (!good)
		return false;
	for (unsigned i = 0; good && i < blocks; i++)
		good = hash_block(kernel, (uint32_t)((first + i * step) * BLOCK), count, to, &hashes[i]);
	cuMemFree(to);
	return good;
}

bool bits_dump_function(const struct bits_function *function, uint32_t first, size_t count,
						const char *file)
{
	CUfunction kernel;
	CUdeviceptr to;
	uint32_t threads = (uint32_t)((count + THREADS - 1) / THREADS * THREADS);
	void *parameters[] = {&first, &threads, &to};
	bool good = load_function(function, "f", &kernel) &&
				driver_done(cuMemAlloc(&to, (size_t)threads * 4), "cuMemAlloc");
	if (!good)
		return false;
	good = launch(kernel, threads / THREADS, 1, THREADS, parameters) &&
		   write_device(file, to, count * 4);
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

size_t bits_form_count(const struct model_suite *suite)
{
	char name[BITS_NAME];
	size_t first, words, count = 0;
	while (suite->form(count, name, sizeof name, &first, &words))
		count++;
	return count;
}

void bits_form_name(const struct model_suite *suite, size_t form, char name[BITS_NAME])
{
	size_t first, words;
	suite->form(form, name, BITS_NAME, &first, &words);
}

static bool open_forms(struct forms *forms, const struct model_suite *suite)
{
	struct model_text text = {0};
	CUmodule module;
	char name[BITS_NAME];
	size_t first, words;
	*forms = (struct forms){.suite = suite, .count = (unsigned)bits_form_count(suite)};
	uint32_t *parts = calloc(forms->count, 2 * sizeof *parts);
	for (unsigned i = 0; parts && i < forms->count; i++) {
		suite->form(i, name, sizeof name, &first, &words);
		parts[2 * i] = (uint32_t)first;
		parts[2 * i + 1] = (uint32_t)words;
	}
	suite->kernel(&text);
	bool good = parts && driver_load(text.text, &module) &&
				driver_done(cuModuleGetFunction(&forms->kernel, module, "k"), suite->name) &&
				to_device(&forms->in, NULL, suite->in_bytes()) &&
				to_device(&forms->out, NULL, suite->out_bytes()) &&
				to_device(&forms->keep, NULL, suite->in_bytes()) &&
				to_device(&forms->base, NULL, suite->in_bytes()) &&
				to_device(&forms->sums, NULL, (size_t)8 * forms->count) &&
				to_device(&forms->parts, parts, (size_t)8 * forms->count) &&
				driver_done(cuMemsetD8(forms->out, 0, suite->out_bytes()), "cuMemsetD8");
	free(text.text);
	free(parts);
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

bool bits_hash_forms(const struct model_suite *suite, unsigned rounds, uint64_t *hashes)
{
	struct forms forms;
	bool good = open_forms(&forms, suite);
	for (unsigned range = 0; good && range < MODEL_RANGES; range++) {
		good = set_range(&forms, range);
		for (unsigned round = 0; good && round < rounds; round++)
			good = run_round(&forms, range, round) &&
				   add_hashes(forms.out, forms.parts, forms.count, 4, forms.sums, round);
		good = good && driver_done(cuMemcpyDtoH(hashes + range * forms.count, forms.sums,
												(size_t)8 * forms.count),
								   "cuMemcpyDtoH");
	}
	close_forms(&forms);
	return good;
}

bool bits_dump_suite(const struct model_suite *suite, unsigned range, unsigned round,
					 const char *file)
{
	struct forms forms;
	bool good = open_forms(&forms, suite) && set_range(&forms, range) &&
				run_round(&forms, range, round) &&
				write_device(file, forms.out, suite->out_bytes());
	close_forms(&forms);
	return good;
}

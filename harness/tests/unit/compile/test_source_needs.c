/* links: compile */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/source_needs.h"

Test(source_needs, knows_words_and_headers_of_cxx20)
{
	static const char *const texts[] = {
		"template <typename T> concept small = sizeof(T) < 4;",
		"template <class T> requires true void f();",
		"#include <concepts>\n",
		"#include <span>",
		"auto f = []<typename T>(T x) { return x; };",
		"auto f = [&] <int N>() {};",
		"consteval int f();",
		"auto x = a <=> b;",
		"int y = std::bit_cast<int>(x);",
		"using enum color;",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect(source_needs_cxx20_text(texts[i]), "%s", texts[i]);
}

Test(source_needs, takes_no_other_text_for_cxx20)
{
	static const char *const texts[] = {
		"",
		"// the concept of tiles requires <concepts>\n/* <span> */ int x;",
		"const char *s = \"requires \\\" concept\"; char c = '\\'';",
		"#include <cuda/barrier>\n#include <cuda/std/span>\n",
		"bool b = a[i] < n; bool c = a[i]<typename_of;",
		"auto f = [](auto x) { return x; };",
		"int concepts, my_concept, requires_grad;",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect_not(source_needs_cxx20_text(texts[i]), "%s", texts[i]);
}

static void expect_feature(const char *log, const char *name, const char *needs)
{
	struct source_needs_feature feature;
	cr_assert(source_needs_other_gpu(log, &feature), "%s", log);
	cr_expect_str_eq(feature.name, name, "%s", feature.name);
	cr_expect_str_eq(feature.needs, needs, "%s", feature.needs);
}

Test(source_needs, reads_what_an_architecture_lacks)
{
	expect_feature("ptxas a.ptx, line 28; error   : Instruction 'tcgen05.alloc' not supported on "
				   ".target 'sm_90a'\n",
				   "tcgen05.alloc", "sm_100a (Blackwell)");
	expect_feature("ptxas a.ptx, line 2; error   : Feature 'strange' not supported on .target "
				   "'sm_90'\nptxas a.ptx, line 3; error   : Feature 'add.f32x2' requires .target "
				   "sm_100 or higher\n",
				   "add.f32x2", "sm_100 or higher");
	expect_feature("error   : Instruction 'wgmma.fence' not supported on .target 'sm_89'",
				   "wgmma.fence", "sm_90a (Hopper)");
	expect_feature("error   : Feature 'strange' not supported on .target 'sm_90'", "strange", "");
	/* One call of cuda::ptx, by two toolkits: the headers of 13.0 name a function, those of 13.5
	 * call ptxas. */
	expect_feature("ptxas fatal   : Unresolved extern function "
				   "'__cuda_ptx_tcgen05_alloc_is_not_supported_before_SM_100a_SM_101a__'\n",
				   "tcgen05_alloc", "sm_100a");
	expect_feature("ptxas /tmp/a.ptx, line 29; error   : Instruction 'tcgen05.alloc' not supported "
				   "on .target 'sm_90'\nptxas /tmp/a.ptx, line 29; error   : Feature "
				   "'.cta_group::1' not supported on .target 'sm_90'\n",
				   "tcgen05.alloc", "sm_100a (Blackwell)");
}

/* What 13.0.88 and 13.5.37 both say. */
Test(source_needs, reads_what_nvcc_asks_for)
{
	static const char *const cxx20[] = {
		"a.cu(2): error: a nontype template parameter may not have class type\n",
		"a.cu(3): error: namespace \"std\" has no member \"erase_if\"\n",
		"a.cu(3): error: namespace \"std\" has no member \"views\"\n"};
	static const char *const others[] = {
		"a.cu(2): error: namespace \"std\" has no member \"unknown_thing\"\n",
		"a.cu(2): error: name followed by \"::\" must be a class or namespace name\n",
		"nvcc warning : The -std=c++23 flag is not supported with the configured host compiler. "
		"Flag will be ignored.\n"};
	for (size_t i = 0; i < sizeof cxx20 / sizeof *cxx20; i++)
		cr_expect(source_needs_cxx20("/nonexistent", cxx20[i]), "%s", cxx20[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		cr_expect_not(source_needs_cxx20("/nonexistent", others[i]), "%s", others[i]);
	cr_expect(
		source_needs_lambdas("a.cu(2): error: __host__ or __device__ annotation on lambda requires "
							 "--extended-lambda nvcc flag\n"));
	cr_expect_not(source_needs_lambdas("a.cu(1): error: identifier \"half\" is undefined\n"));
}

Test(source_needs, other_errors_are_of_no_architecture)
{
	struct source_needs_feature feature;
	static const char *const logs[] = {
		"ptxas a.ptx, line 3; fatal   : Parsing error near '.foo': syntax error",
		"ptxas a.ptx, line 3; error   : Not a name of any known instruction: 'tcgen06'",
		"a.cu(3): error: identifier \"tcgen05\" is undefined",
		"' not supported on .target",
		"",
		"_is_not_supported_before_SM_"};
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
		cr_expect_not(source_needs_other_gpu(logs[i], &feature), "%s", logs[i]);
	cr_expect_not(source_needs_other_gpu(NULL, &feature));
}

/* The part of a header that a definition keeps out. */
static unsigned part_of(const char *define)
{
	for (size_t i = 0; i < SOURCE_PARTS; i++)
		for (size_t k = 0; source_parts[i].defines[k] != NULL; k++)
			if (strcmp(source_parts[i].defines[k], define) == 0)
				return 1u << i;
	cr_assert_fail("%s", define);
	return 0;
}

Test(source_needs, parts_of_headers_are_named_in_a_file)
{
	static const struct {
		const char *text, *define;
	} files[] = {{"__global__ void k(half *x);\n", NULL},
				 {"const __nv_bfloat16 *x;\n", "EPILOGUE_WITHOUT_BF16"},
				 {"x = __ldg(p);\n", "__SM_32_INTRINSICS_H__"},
				 {"v = tex2D<float>(t, x, y);\n", "__SURFACE_INDIRECT_FUNCTIONS_H__"},
				 {"surf2Dwrite(v, s, x, y);\n", "__TEXTURE_INDIRECT_FUNCTIONS_H__"},
				 {"d = cudaCreateChannelDesc<float>();\n", "__CHANNEL_DESCRIPTOR_H__"},
				 {"cudaLaunchDevice(f, p, g, b, 0, s);\n", "__CUDA_DEVICE_RUNTIME_API_H__"},
				 {"_Float64x e;\n", "_BITS_FLOATN_H"}};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char path[] = "/tmp/test_source_needs.XXXXXX";
		int fd = mkstemp(path);
		cr_assert(write(fd, files[i].text, strlen(files[i].text)) > 0);
		close(fd);
		unsigned expected = files[i].define != NULL ? part_of(files[i].define) : 0;
		cr_expect_eq(source_needs_parts(path), expected, "%s", files[i].text);
		unlink(path);
	}
}

Test(source_needs, a_library_of_templates_names_the_parts_it_uses)
{
	char path[] = "/tmp/test_wants.XXXXXX";
	static const char text[] = "#include <cub/cub.cuh>\n";
	int fd = mkstemp(path);
	cr_assert(write(fd, text, strlen(text)) > 0);
	close(fd);
	cr_expect_eq(source_needs_parts(path),
				 part_of("__SM_32_INTRINSICS_H__") | part_of("__TEXTURE_INDIRECT_FUNCTIONS_H__"));
	unlink(path);
}

/* links: emulator_core */
/* Names of kernels as messages show them. What demangles is C++'s, and not here: the program
 * says.cu has it. */
#include <criterion/criterion.h>
#include <string.h>

#include "emulator/exec/kernel_name.h"

static void shortened(const char *demangled, size_t size, const char *shown)
{
	char name[512], out[512];
	strcpy(name, demangled);
	memset(out, '#', sizeof out);
	kernel_name_shorten(name, out, size);
	cr_expect_str_eq(out, shown);
	cr_expect_eq(out[size], '#', "wrote past its end");
}

Test(kernel_name, loses_result_and_parameters)
{
	shortened("tiled(__half const*, __half*, int)", 100, "tiled");
	shortened("void gemm<128, 64>(float*)", 100, "gemm<128, 64>");
	shortened("apply(void (*)(int, float), float*)", 100, "apply");
	shortened("void (anonymous namespace)::gemm<(anonymous namespace)::tile<64> >(float*)", 100,
			  "gemm<tile<64>>");
	shortened("no_parameters", 100, "no_parameters");
}

Test(kernel_name, loses_inner_templates_first)
{
	const char *name = "void gemm<tile<64, 32>, 3>(float*)";
	shortened(name, 22, "gemm<tile<64, 32>, 3>");
	shortened(name, 21, "gemm<tile<...>, 3>");
	shortened(name, 18, "gemm<...>");
	shortened(name, 10, "gemm<...>");
	shortened(name, 9, "gemm<til");
}

Test(kernel_name, of_c_stays)
{
	char out[100];
	kernel_name_show("f", out, sizeof out); /* no float */
	cr_expect_str_eq(out, "f");
	kernel_name_show("", out, sizeof out);
	cr_expect_str_eq(out, "");
	kernel_name_show("matmul_kernel_0d1d", out, 7);
	cr_expect_str_eq(out, "matmul");
}

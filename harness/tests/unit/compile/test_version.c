/* links: compile */
/* What nvcc says of its version: the texts of the oldest and the newest one that were tried. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../folder_fixture.h"
#include "compile/version.h"

TestSuite(version, .init = folder_begin, .fini = folder_end);

/* A script that prints this, as an nvcc of that version. */
static bool ask(const char *text, char version[VERSION_TEXT], struct error *err)
{
	FILE *script = fopen("nvcc", "w");
	cr_assert_not_null(script);
	fprintf(script, "#!/bin/sh\ncat <<'END'\n%sEND\n", text);
	fclose(script);
	cr_assert_eq(chmod("nvcc", 0700), 0);
	return version_of_nvcc("./nvcc", NULL, version, err);
}

Test(version, is_what_nvcc_tells)
{
	static const struct {
		const char *text, *version;
	} told[] = {{"nvcc: NVIDIA (R) Cuda compiler driver\n"
				 "Copyright (c) 2005-2025 NVIDIA Corporation\n"
				 "Built on Wed_Aug_20_01:58:59_PM_PDT_2025\n"
				 "Cuda compilation tools, release 13.0, V13.0.88\n"
				 "Build cuda_13.0.r13.0/compiler.36424714_0\n",
				 "13.0.88"},
				{"nvcc: NVIDIA (R) Cuda compiler driver\n"
				 "Copyright (c) 2005-2026 NVIDIA Corporation\n"
				 "Built on Mon_Oct_12_19:25:48_PDT_2026\n"
				 "Cuda compilation tools, release 13.5, V13.5.37\n"
				 "Build cuda_13.5.r13.5/compiler.39125733_0\n",
				 "13.5.37"}};
	char version[VERSION_TEXT];
	struct error err;
	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		cr_assert(ask(told[i].text, version, &err), "%s", err.message);
		cr_expect_str_eq(version, told[i].version);
	}
	cr_expect_not(ask("release of something\n", version, &err));
	cr_expect_str_eq(err.message, "./nvcc: does not tell its version as nvcc does");
}

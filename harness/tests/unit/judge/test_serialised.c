/* links: judge */
/* Kernels whose wgmma ptxas serialises, from its messages, and findings that make one ask for them.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "judge/run/emulated.h"
#include "judge/run/run.h"
#include "judge/submission/serialised.h"

#define LOSS "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are "

Test(serialised, names_are_those_of_the_messages)
{
	char *names = serialised_names(
		"ptxas info    : (C7519) warpgroup.arrive is injected in around line 46 by compiler to "
		"allow use of registers in GMMA in function '_Z1fv'\n" LOSS
		"serialized due to a call in the function '_Z1kv'\n" LOSS "serialized\n" LOSS
		"serialized due to registers in function 'plain'\n");
	cr_assert(names != NULL);
	cr_expect_str_eq(names, "_Z1kv,plain");
	free(names);
}

/* 13.0.88 ends with the function, 13.5.37 with a line. */
Test(serialised, names_are_read_from_both_compilers)
{
	static const char *const logs[] = {
		LOSS "serialized due to non wgmma instructions reading accumulator registers of  a wgmma "
			 "between start and end of the pipeline stage in the function '_Z6branchPfmm'\n" LOSS
			 "serialized due to insufficient register resources for the function '_Z1kv'\n",
		LOSS "serialized due to non wgmma instructions reading accumulator registers of  a wgmma "
			 "between start and end of the pipeline stage in the function '_Z6branchPfmm' in line "
			 "0\n" LOSS
			 "serialized due to insufficient register resources for the function '_Z1kv'\n"};
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		char *names = serialised_names(logs[i]);
		cr_assert(names != NULL);
		cr_expect_str_eq(names, "_Z6branchPfmm,_Z1kv");
		free(names);
	}
}

Test(serialised, other_messages_name_none)
{
	cr_expect(serialised_names(NULL) == NULL);
	cr_expect(serialised_names("") == NULL);
	cr_expect(serialised_names(LOSS "serialized\nptxas info : function '_Z1kv'\n") == NULL);
	cr_expect(serialised_names("warpgroup.wait is injected in function '_Z1kv'\n") == NULL);
	cr_expect(serialised_names("wgmma.wait_group is injected in function '_Z1kv'\n") == NULL);
}

Test(serialised, findings_at_wgmma)
{
	cr_expect(emulated_finds_wgmma("x\nemulated GPU: kernel k: wgmma.mma_async at a.cu:9: no "
								   "wgmma.fence before it\n"));
	cr_expect(emulated_finds_wgmma("emulated GPU: k: touches a register of a wgmma that nothing "
								   "waited for (wgmma.mma_async at a.cu:9)\n"));
	cr_expect(!emulated_finds_wgmma("emulated GPU: kernel k: a race\nno wgmma.fence before it\n"));
	cr_expect(!emulated_finds_wgmma("emulated GPU: kernel k: wgmma.mma_async: matrix A reads\n"));
	cr_expect(!emulated_finds_wgmma(NULL));
}

Test(serialised, registers_are_those_of_the_messages)
{
	char *numbers = serialised_registers(
		"ptxas info    : 0 bytes gmem\n"
		"ptxas info    : Compiling entry function '_Z1kv' for 'sm_90a'\n"
		"ptxas info    : Function properties for _Z1kv\n    0 bytes stack frame\n"
		"ptxas info    : Used 40 registers, used 0 barriers\n"
		"ptxas info    : Function properties for device\n"
		"ptxas info    : Used 24 registers, used 0 barriers\n"
		"ptxas info    : Compiling entry function 'plain' for 'sm_90a'\n"
		"ptxas info    : Used 255 registers, used 1 barriers, 400 bytes smem\n");
	cr_assert(numbers != NULL);
	cr_expect_str_eq(numbers, "_Z1kv=40,plain=255");
	free(numbers);
	cr_expect(serialised_registers(NULL) == NULL);
	cr_expect(serialised_registers("Used 40 registers\n") == NULL);
}

#define ENTRY(kernel, registers)                                                                   \
	"ptxas info    : Compiling entry function '" kernel "' for 'sm_90a'\n"                         \
	"ptxas info    : Used " registers " registers\n"

/* PTX that the file brings along has the same kernels: what it says of them changes nothing. */
Test(serialised, other_ptx_of_the_file_hides_nothing)
{
	const char *const reports[] = {
		ENTRY("k", "16") ENTRY("kk", "90") LOSS "serialized due to x in function 'k'\n",
		ENTRY("k", "120") ENTRY("l", "40") LOSS "serialized due to x in function 'l'\n",
		ENTRY("k", "120")};
	char *serialised, *registers;
	serialised_of_reports(reports, 3, &serialised, &registers);
	cr_assert(serialised != NULL && registers != NULL);
	cr_expect_str_eq(serialised, "l");
	cr_expect_str_eq(registers, "kk=90,k=120,l=40");
	free(serialised);
	free(registers);
	serialised_of_reports(reports, 0, &serialised, &registers);
	cr_expect(serialised == NULL && registers == NULL);
}

Test(serialised, findings_that_ask_for_registers)
{
	cr_expect(emulated_asks_registers("x\nemulated GPU: kernel k: only ptxas knows how many "
									  "registers it takes, and the program asks for them\n"));
	cr_expect(!emulated_asks_registers("only ptxas knows how many registers it takes, and\n"));
	cr_expect(!emulated_asks_registers("emulated GPU: kernel k: a race\n"));
	cr_expect(!emulated_asks_registers(NULL));
}

/* As long as it has to be, and not for a GPU. */
Test(serialised, names_go_to_the_emulated_gpu)
{
	struct judge_options options = {.emulation.gpu = NULL};
	struct emulated_watch watch;
	char *many = calloc(1, 20001);
	memset(many, 'k', 20000);
	const struct entrant entrant = {.serialised = many, .registers = "_Z1kv=40"};
	emulated_watch_open(&watch, &options, true, &entrant);
	size_t count = 0;
	while (watch.settings[count] != NULL)
		count++;
	cr_assert_eq(count, 3);
	cr_expect_str_eq(watch.settings[2], "EMULATED_GPU_REGISTERS=_Z1kv=40");
	cr_expect(strstr(watch.settings[1], "EMULATED_GPU_SERIALISED=kkk") == watch.settings[1]);
	cr_expect_eq(strlen(watch.settings[1]), strlen("EMULATED_GPU_SERIALISED=") + 20000);
	emulated_watch_close(&watch);
	emulated_watch_open(&watch, &options, false, &entrant);
	cr_expect(watch.settings[0] == NULL);
	emulated_watch_close(&watch);
	free(many);
}

/* links: judge */
/* Kernels whose wgmma ptxas serialises, from its messages, and findings that make one ask for them.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "judge/run/emulated.h"
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

Test(serialised, other_messages_name_none)
{
	cr_expect(serialised_names(NULL) == NULL);
	cr_expect(serialised_names("") == NULL);
	cr_expect(serialised_names(LOSS "serialized\nptxas info : function '_Z1kv'\n") == NULL);
	cr_expect(serialised_names("warpgroup.wait is injected in function '_Z1kv'\n") == NULL);
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

/* As long as it has to be, and not for a GPU. */
Test(serialised, names_go_to_the_emulated_gpu)
{
	struct judge_options options = {.emulate = NULL};
	struct emulated_watch watch;
	struct judgement none = {.count = 0};
	struct error err;
	char *many = calloc(1, 20001);
	memset(many, 'k', 20000);
	cr_assert(emulated_watch_open(&watch, &options, true, many, &err));
	size_t count = 0;
	while (watch.environment[count] != NULL)
		count++;
	cr_assert_eq(count, 2);
	cr_expect(strstr(watch.environment[1], "EMULATED_GPU_SERIALISED=kkk") == watch.environment[1]);
	cr_expect_eq(strlen(watch.environment[1]), strlen("EMULATED_GPU_SERIALISED=") + 20000);
	emulated_watch_close(&watch, &none);
	cr_assert(emulated_watch_open(&watch, &options, false, many, &err));
	cr_expect(watch.environment[0] == NULL);
	emulated_watch_close(&watch, &none);
	free(many);
}

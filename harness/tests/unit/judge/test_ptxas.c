/* links: judge */
#include <criterion/criterion.h>
#include <string.h>

#include "judge/submission/ptxas.h"

/* 13.0.88 and 13.5.37 print them alike. */
#define V_LINES                                                                                    \
	"ptxas info    : 4 bytes gmem\n"                                                               \
	"ptxas info    : Compiling entry function '_Z4gemmILi64EEvPf' for 'sm_90a'\n"                  \
	"ptxas info    : Function properties for _Z4gemmILi64EEvPf\n"                                  \
	"    272 bytes stack frame, 544 bytes spill stores, 564 bytes spill loads\n"                   \
	"ptxas info    : Used 32 registers, used 1 barriers, 272 bytes cumulative stack size, 40 "     \
	"bytes smem\n"                                                                                 \
	"ptxas info    : Compile time = 136.003 ms\n"                                                  \
	"ptxas info    : Function properties for _Z6helperv\n"                                         \
	"    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n"                       \
	"ptxas info    : Compiling entry function 'plain' for 'sm_90a'\n"                              \
	"ptxas info    : Function properties for plain\n"                                              \
	"    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"                         \
	"ptxas info    : Used 10 registers, used 0 barriers\n"

/* Of 13.0.88, which has a wait and an arrival, and of 13.5.37, which names its instruction. */
#define NOTES                                                                                      \
	"ptxas info    : (C7510) Potential Performance Loss: serialized\n"                             \
	"ptxas info    : (C7517) warpgroup.wait is injected in around line 113 by compiler to allow "  \
	"use of registers defined by GMMA in function '_Z6nowaitPfmm'\n"                               \
	"ptxas info    : (C7519) warpgroup.arrive is injected in around line 70 by compiler to allow " \
	"use of registers in GMMA in function '_Z4callPfmm'\n"                                         \
	"ptxas info    : (C7517) wgmma.wait_group is injected in around line 113 by compiler to "      \
	"allow use of registers defined by GMMA in function '_Z6nowaitPfmm'\n"

Test(ptxas, takes_its_lines_and_leaves_notes_and_warnings)
{
	char log[4096] =
		"a.cu(3): warning #177-D: variable was declared\n    272 bytes of mine\n" V_LINES NOTES;
	struct judgement item = {.use_count = 0};
	ptxas_take(log, &item);
	cr_expect_str_eq(log, "a.cu(3): warning #177-D: variable was declared\n"
						  "    272 bytes of mine\n" NOTES);
	cr_assert_eq(item.use_count, 2);
	cr_expect_str_eq(item.uses[0].name, "gemm<64>");
	cr_expect_eq(item.uses[0].registers, 32);
	cr_expect_eq(item.uses[0].shared_bytes, 40);
	cr_expect_eq(item.uses[0].stack_bytes, 272);
	cr_expect_eq(item.uses[0].spill_stores, 544);
	cr_expect_eq(item.uses[0].spill_loads, 564);
	cr_expect_str_eq(item.uses[1].name, "plain");
	cr_expect_eq(item.uses[1].registers, 10);
	cr_expect_eq(item.uses[1].shared_bytes, 0);
	judgement_free(&item);
}

Test(ptxas, finds_nothing_in_other_logs)
{
	char log[] = "a.cu(1): error: Used 3 registers\n", same[sizeof log];
	strcpy(same, log);
	struct judgement item = {.use_count = 0};
	ptxas_take(log, &item);
	cr_expect_str_eq(log, same);
	cr_expect_eq(item.use_count, 0);
	ptxas_take(NULL, &item);
	judgement_free(&item);
}

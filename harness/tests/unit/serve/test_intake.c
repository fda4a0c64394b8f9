/* links: serve */
/* Which option a sentence is about, of those that a submission has. */
#include <criterion/criterion.h>

#include "serve/intake.h"

static void is_about(const char *sentence, const char *want)
{
	json_t *options = json_pack("{s:i, s:s, s:s, s:s, s:i}", "cases", 4, "case", "random-9",
								"suite", "x", "epilogue", "y", "max-dim", 3);
	const char *got = intake_option_in(sentence, options);
	cr_expect_str_eq(got != NULL ? got : "none", want, "%s: %s", sentence, got);
	json_decref(options);
}

Test(intake, option_of_a_sentence)
{
	is_about("--cases '0': a whole number from 1 to 9 is needed", "cases");
	is_about("gemmjudge: --max-dim 3: gemm-f16 has sizes from 16 on", "max-dim");
	is_about("unknown suite 'x'", "suite");
	is_about("unknown epilogue stage 'y'", "epilogue");
	is_about("no case 'random-9': there are random-0 to random-3 (--cases N makes more)", "case");
	is_about("--suite and --cases exclude each other: a suite has cases of its own", "suite");
	is_about("--seed 'x': no number", "none");
	is_about("the judge ended by signal 9; suites, cases-, showcase", "none");
	is_about("", "none");
}

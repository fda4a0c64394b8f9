/* links: cli */
/* What a word that is no name here may have meant. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/paths.h"
#include "base/suggest.h"
#include "chain/chain.h"
#include "chain/stage_words.h"
#include "cli/cli.h"
#include "cli/reader.h"
#include "cli/words.h"
#include "schedules/gpu.h"

/* Whether a subcommand has an option that the text begins with. */
static bool names_an_option(const char *text)
{
	struct option_description facts;
	bool found = false;
	for (size_t c = 0; subcommands[c] != NULL; c++)
		for (size_t i = 0; options_facts(subcommands[c]->name, i, &facts); i++)
			found = found || (strncmp(text, "--", 2) == 0 &&
							  strncmp(text + 2, facts.name, strcspn(text + 2, " ")) == 0);
	return found;
}

static bool names_a_command(const char *text)
{
	for (size_t c = 0; subcommands[c] != NULL; c++)
		if (strncmp(text, subcommands[c]->name, strcspn(text, " ")) == 0)
			return true;
	return strcmp(text, "--version") == 0;
}

/* What words of other tools lead to is there, where it is no row that has them. */
Test(cli_words, meanings_are_names_that_there_are)
{
	struct error err;
	struct chain chain;
	static struct chain_files files;
	char source[PATHS_MAX], folder[PATHS_MAX];
	cr_assert(paths_source(source, &err) && paths_join(folder, source, "epilogues", &err));
	for (const struct meaning *row = words_without_option; row->words != NULL; row++)
		cr_expect(row->name == NULL || names_an_option(row->name), "%s", row->name);
	for (const struct meaning *row = words_without_command; row->words != NULL; row++)
		cr_expect(names_a_command(row->name), "%s", row->name);
	for (const struct meaning *row = stage_words; row->words != NULL; row++)
		cr_expect(row->name == NULL || chain_parse(row->name, folder, &chain, &files, &err), "%s",
				  err.message);
}

/* No two rows claim one word: the first would hide the other. */
Test(cli_words, a_word_has_one_meaning)
{
	for (size_t i = 0; i < option_row_count; i++)
		for (const char *at = option_rows[i].also; at != NULL && *at != '\0';) {
			char word[64], out[SUGGEST_TEXT];
			size_t length = strcspn(at, " ");
			snprintf(word, sizeof word, "%.*s", (int)length, at);
			for (size_t k = 0; k < option_row_count; k++)
				cr_expect(k == i || !suggest_means(option_rows[k].also, word), "%s: --%s, --%s",
						  word, option_rows[i].name, option_rows[k].name);
			cr_expect_str_eq(suggest_meaning(out, words_without_option, word), "", "%s", word);
			at += length + strspn(at + length, " ");
		}
}

static const char *stage_word(char out[SUGGEST_TEXT], const char *word)
{
	return suggest_meaning(out, stage_words, word);
}

/* One word of each table at least, and each kind of answer. */
Test(cli_words, words_of_other_tools_are_known)
{
	static const struct {
		const char *(*suggest)(char out[SUGGEST_TEXT], const char *word);
		const char *word, *says;
	} rows[] = {
		{problem_suggest, "HGEMM", "; did you mean 'gemm-f16'?"},
		{problem_suggest, "bmm", "; did you mean 'batched-f32'? (batched-f16 is the same in half)"},
		{problem_suggest, "tf32",
		 "; did you mean 'sgemm'? (with f32's accuracy, which TF32 has not)"},
		{problem_suggest, "dgemm", ": no problem is in double, and sgemm is the one in float"},
		{problem_suggest, "gemm-f17", "; did you mean 'gemm-f16'?"},
		{problem_suggest, "banana", ""},
		{stage_word, "relu_6", ""},
		{stage_word, "bias_add", "; did you mean 'bias'?"},
		{stage_word, "bias_relu", "; did you mean 'bias,relu'?"},
		{stage_word, "bias_gelu", "; did you mean 'bias,gelu'?"},
		{stage_word, "per_channel_scale", "; did you mean 'scale_cols'?"},
		{stage_word, "rowwise_scale", "; did you mean 'scale_rows'?"},
		{words_option, "d", ""},
		{words_option, "", ""},
		{words_option, "atol", "; did you mean '--tolerance ATOL,RTOL'?"},
		{words_option, "num_tests", "; did you mean '--cases N'?"},
		{words_option, "silent", "; did you mean '--quiet'? (of judge)"},
		{words_option, "ncu",
		 "; did you mean '--under \"ncu --set full\"'? (of judge, on a GPU; on the emulated one "
		 "--counters)"},
		{words_option, "emulator", "; did you mean '--device emu'?"},
		{words_option, "warmup",
		 ": the first calls of each pass are never timed, and there is nothing to set"},
		{words_command, "benchmark", "; did you mean 'bench'?"},
		{words_command, "version", "; did you mean '--version'?"},
		{words_command, "banana", ""},
		{gpu_suggest, "gh200", "; did you mean 'h200'? (the same GPU)"},
		{gpu_suggest, "blackwell", "; did you mean 'b200'? (the nearest one)"},
		{gpu_suggest_emulated, "a100-80gb", "; did you mean 'a100'? (the nearest one)"},
		{gpu_suggest_emulated, "b200",
		 "; did you mean 'h200'? (the newest one that is emulated; B200's tcgen05 and tensor "
		 "memory are not)"},
		{gpu_suggest_emulated, "gb200",
		 "; did you mean 'h200'? (the newest one that is emulated; B200's tcgen05 and tensor "
		 "memory are not)"},
		{gpu_suggest_emulated, "gb10",
		 "; did you mean 'h200'? (the newest one that is emulated; GB10's mma of 4, 6 and "
		 "block-scaled 8 bits is not)"},
		{gpu_suggest_emulated, "rtx-5080",
		 "; did you mean 'h200'? (the newest one that is emulated; RTX 5090's mma of 4, 6 and "
		 "block-scaled 8 bits is not)"},
		{gpu_suggest_emulated, "sm121a",
		 "; did you mean 'h200'? (the newest one that is emulated; GB10's mma of 4, 6 and "
		 "block-scaled 8 bits is not)"},
		{gpu_suggest_emulated, "jetson-thor",
		 "; did you mean 'h200'? (the newest one that is emulated; Jetson Thor's tcgen05 and "
		 "tensor memory are not)"},
		{gpu_suggest_emulated, "p100", "; did you mean 't4'? (the nearest one)"},
		{gpu_suggest_emulated, "mi300x", ": only GPUs of NVIDIA are emulated"},
		{gpu_suggest_emulated, "rtx309", "; did you mean 'rtx3090'?"},
	};
	char out[SUGGEST_TEXT];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_str_eq(rows[i].suggest(out, rows[i].word), rows[i].says, "%s: %s", rows[i].word,
						 out);
	cr_expect_not_null(strstr(stage_word(out, "mul"), "'scale_cols'? (or"));
	cr_expect_not_null(strstr(stage_word(out, "silu_and_mul"),
							  "'swiglu'? (gate and up are neighbouring columns, not halves"));
	static const char *const others[] = {"quick_gelu", "relu2", "swigluoai"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		cr_expect(strstr(stage_word(out, others[i]), "is no stage") != NULL &&
					  strstr(out, "formula") != NULL && strstr(out, "new --stage") != NULL,
				  "%s: %s", others[i], out);
}

Test(cli_words, suggestions_are_near_or_absent)
{
	static const char *const names[] = {"judge", "bench", "list", "new", "doctor"};
	cr_assert_str_eq(suggest_nearest("juge", names, 5), "judge");
	cr_assert_str_eq(suggest_nearest("becnh", names, 5), "bench");
	cr_assert_str_eq(suggest_nearest("docter", names, 5), "doctor");
	cr_assert_null(suggest_nearest("banana", names, 5));
	cr_assert_null(suggest_nearest("", names, 5));
}

Test(cli_words, the_beginning_of_a_name_is_meant_before_all)
{
	const char *names[] = {"sgemm", "gemv-f32", "gemm-f16", "gemm-bf16"};
	cr_assert_str_eq(suggest_nearest("gemm", names, 4), "gemm-f16");
	cr_assert_str_eq(suggest_nearest("gem", names, 4), "gemv-f32");
	cr_assert_str_eq(suggest_nearest("sgem", names, 4), "sgemm");
	cr_assert_str_eq(suggest_nearest("gemm-f6", names, 4), "gemm-f16");
}

/* links: cli */
/* The command line: what is taken, what is refused, what is suggested. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/line.h"
#include "cli/reader.h"
#include "judge/run/device.h"
#include "schedules/gpu.h"
#include "tests/unit/cli/args_fixture.h"

static void refused(const char *line, const char *says)
{
	struct parsed p;
	parse(&p, line);
	cr_expect(!p.ok, "taken: %s", line);
	cr_expect(strstr(p.err.message, says) != NULL, "%s: says \"%s\", not \"%s\"", line,
			  p.err.message, says);
}

Test(cli_args, multiple_of_is_a_size)
{
	struct parsed p;
	parse(&p, "bench a.cu --cases 200 --multiple-of 8");
	cr_assert_eq(p.options.judge.cases.multiple, 8);
	refused("judge a.cu --multiple-of 0", "--multiple-of '0'");
	refused("judge a.cu --multiple-of 8.5", "--multiple-of '8.5'");
}

Test(cli_args, baselines_are_files_and_commands)
{
	struct parsed p;
	struct option_file file;
	char line[256];
	parse(&p, "compare a.cu --epilogue relu --baseline ./{m}{n}{k} --baseline b.cu --seed 7");
	cr_assert(p.ok, "%s", p.err.message);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_assert_str_eq(line, "gemmjudge compare --seed 0x7 --epilogue relu --baseline './{m}{n}{k}' "
						   "--baseline b.cu a.cu");
	cr_assert(options_file(&p.options, VALUE_READ, 2, &file)); /* behind relu and the command */
	cr_assert_str_eq(file.path, "b.cu");
	refused("compare a.cu --baseline=", "needs a .cu file or a command");
	refused("compare a.cu --baseline a --baseline a --baseline a --baseline a --baseline a",
			"more than 4 baselines");
}

Test(cli_args, over_is_a_sweep)
{
	struct parsed p;
	char line[256];
	parse(&p, "compare a.cu --epilogue relu --over m=8,16 --shape 1x2x3 --seed 7");
	cr_assert(p.ok, "%s", p.err.message);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_assert_str_eq(line, "gemmjudge compare --seed 0x7 --epilogue relu --shape 1x2x3 "
						   "--over M=8,16 a.cu");
	parse(&p, "compare a.cu --epilogue relu --over K=64,40000 --large-sizes");
	cr_assert(p.ok, "%s", p.err.message);
	refused("compare a.cu --epilogue relu --over K=64,40000", "--over K=64,40000");
	refused("compare a.cu --over L", "M, N or K is needed");
	refused("compare a.cu --over K --suite edges", "sizes of their own");
	refused("bench a.cu --over K", "--over is an option of compare");
}

Test(cli_args, sizes_are_of_a_kind)
{
	struct parsed p;
	char line[256];
	parse(&p, "bench a.cu --cases 200");
	cr_assert_eq(p.options.judge.cases.sizes, CASE_SIZES_MIXED);
	parse(&p, "bench a.cu --cases 20 --sizes uniform --multiple-of 8 --seed 7 --device cuda");
	cr_assert(p.ok, "%s", p.err.message);
	cr_assert_eq(p.options.judge.cases.sizes, CASE_SIZES_UNIFORM);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_assert_str_eq(line, "gemmjudge bench --seed 0x7 --device cuda --cases 20 --multiple-of 8 "
						   "--sizes uniform a.cu");
	parse(&p, "bench a.cu --cases 20 --sizes uniform --sizes mixed --seed 7");
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_assert_str_eq(line, "gemmjudge bench --seed 0x7 --cases 20 a.cu");
	refused("judge a.cu --sizes unifrom", "did you mean 'uniform'?");
	refused("compare a.cu --sizes uniform",
			"--sizes is an option of judge, bench, audit and submit");
}

Test(cli_args, numbers_are_strict)
{
	uint64_t n;
	cr_assert(number_whole("0", UINT64_MAX, &n) && n == 0);
	cr_assert(number_whole("18446744073709551615", UINT64_MAX, &n) && n == UINT64_MAX);
	cr_assert(number_whole("0xff", UINT64_MAX, &n) && n == 255);
	cr_assert(number_whole("010", UINT64_MAX, &n) && n == 10);
	static const char *const bad[] = {
		"", "-1", "+1", " 1", "1 ", "1.0", "0x", "1e3", "0xg", "1,0", "18446744073709551616"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_expect(!number_whole(bad[i], UINT64_MAX, &n), "'%s' was taken", bad[i]);
	cr_assert(!number_whole("11", 10, &n));
}

Test(cli_args, reals_are_strict)
{
	double x;
	cr_assert(number_real("0.5", &x) && x == 0.5);
	cr_assert(number_real("-1e-3", &x) && x == -1e-3);
	static const char *const bad[] = {"", "nan", "inf", "1x", "0x1p3", " 1", "1e999", ".", "-"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_expect(!number_real(bad[i], &x), "'%s' was taken", bad[i]);
}

Test(cli_args, judge_takes_its_options)
{
	struct parsed p;
	parse(&p,
		  "judge a.cu --problem gemm-f16 --device cuda:1 --cases 5 b.cu --seed 0x1F --max-dim=100 "
		  "--time 16x32x64 --tolerance 0.1,0.2 --timeout 2.5 --json - --md out.md");
	cr_assert(p.ok, "%s", p.err.message);
	cr_assert_eq(p.options.argument_count, 2);
	cr_assert_str_eq(p.options.arguments[0], "a.cu");
	cr_assert_str_eq(p.options.arguments[1], "b.cu");
	cr_assert(p.options.judge.problem == problem_find("gemm-f16"));
	cr_assert(p.options.judge.device.kind == DEVICE_CUDA &&
			  p.options.judge.device.ordinals[0] == 1);
	cr_assert(p.options.judge.cases.count == 5);
	cr_assert(p.options.has_seed && p.options.judge.cases.seed == 31);
	cr_assert_eq(p.options.judge.cases.max_dim, 100);
	const struct shape_text *shape = &p.options.judge.timing.shape;
	cr_assert(p.options.judge.shapes.count == 0 && shape->count == 3);
	cr_assert(shape->number[0] == 16 && shape->number[1] == 32 && shape->number[2] == 64);
	const struct tolerance_request *tolerance = &p.options.judge.tolerance;
	cr_assert(tolerance->given.kind == TOLERANCE_FLAT && tolerance->given.atol == 0.1 &&
			  tolerance->given.rtol == 0.2);
	cr_assert_eq(p.options.judge.limits.timeout, 2.5);
	cr_assert_str_eq(p.options.output.json, "-");
	cr_assert_str_eq(p.options.output.markdown, "out.md");
}

Test(cli_args, a_device_is_one_or_several)
{
	static const char *const bad[] = {"cuda:",    "cuda:1,",      "cuda:,1",  "cuda:1,1",
									  "cuda:1 2", "cuda:2000",    "cuda:0,x", "emulated:0",
									  "emu:",     "emulated:100", "all",      ""};
	struct device_list request;
	struct error err;
	cr_assert(device_list_parse("cuda:3,0,12", &request, &err));
	cr_assert(request.kind == DEVICE_CUDA && request.count == 3);
	cr_assert(request.ordinals[0] == 3 && request.ordinals[1] == 0 && request.ordinals[2] == 12);
	const struct referee_link first = {.facts.devices = 8};
	cr_assert_eq(device_count(&request, &first), 3);
	cr_assert(device_list_parse("cuda:all", &request, &err));
	cr_assert_eq(request.kind, DEVICE_CUDA);
	cr_assert_eq(device_count(&request, &first), 8);
	cr_assert(device_list_parse("emulated:4", &request, &err));
	cr_assert(request.kind == DEVICE_EMULATED && device_count(&request, &first) == 4);
	cr_assert(device_list_parse("emu:2", &request, &err));
	cr_assert(request.kind == DEVICE_EMULATED && device_count(&request, &first) == 2);
	cr_assert_null(request.folder);
	cr_assert(device_list_parse("emu:2nd", &request, &err));
	cr_assert_str_eq(request.folder, "2nd");
	cr_assert(device_list_parse("emu", &request, &err));
	cr_assert(request.kind == DEVICE_EMULATED && device_count(&request, &first) == 1);
	cr_assert(device_list_parse("auto", &request, &err));
	cr_assert_eq(device_count(&request, &first), 1);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect_not(device_list_parse(bad[i], &request, &err), "'%s' was taken", bad[i]);
}

Test(cli_args, bench_takes_several_shapes)
{
	struct parsed p;
	parse(&p, "bench a.cu --shape 1x2x3 --shape 4x5x6 --beta 1");
	cr_assert(p.ok, "%s", p.err.message);
	cr_assert_eq(p.options.judge.shapes.count, 2);
	cr_assert_eq(p.options.judge.shapes.items[1].number[2], 6);
	cr_assert(p.options.judge.timing.beta.given && !p.options.judge.timing.alpha.given);
}

/* Which of them a problem takes is known when the file is. */
Test(cli_args, shapes_have_one_to_eight_sizes)
{
	struct parsed p;
	char line[256];
	parse(&p, "bench a.cu --shape 300 --shape 32x16x8x4 --seed 1");
	cr_assert(p.ok, "%s", p.err.message);
	cr_assert_eq(p.options.judge.shapes.items[0].count, 1);
	cr_assert_eq(p.options.judge.shapes.items[1].number[3], 4);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_assert_str_eq(line, "gemmjudge bench --seed 0x1 --shape 300 --shape 32x16x8x4 a.cu");
	refused("bench a.cu --shape 1x2x3x4x5x6x7x8x9", "1x2x3x4x5x6x7x8x9");
}

Test(cli_args, judge_takes_shapes_and_times_the_first_or_another)
{
	struct parsed p;
	char line[256];
	parse(&p,
		  "judge a.cu --shape 1x2x3 --time 64x64x64 --shape 4x5x6 --compile-timeout 2.5 --seed 1 "
		  "--file-timeout 90");
	cr_assert(p.ok, "%s", p.err.message);
	cr_assert(p.options.judge.shapes.count == 2 && p.options.judge.timing.shape.number[0] == 64);
	cr_assert(p.options.judge.compile.timeout == 2.5 &&
			  p.options.judge.limits.file_timeout == 90.0);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_assert_str_eq(line, "gemmjudge judge --seed 0x1 --time 64x64x64 --shape 1x2x3 --shape 4x5x6 "
						   "--file-timeout 90 --compile-timeout 2.5 a.cu");
	parse(&p, "judge a.cu --shape 1x2x3 --time none");
	cr_assert(p.ok && p.options.judge.timing.untimed && p.options.judge.shapes.count == 1);
	refused("judge a.cu --compile-timeout 0", "--compile-timeout '0'");
	refused("judge a.cu --shape 40000x1x1", "--shape 40000x1x1: sizes above 32768 need");
}

/* A thousand lines, as others write them; what is named in an error are the file and the line. */
Test(cli_args, shapes_are_lines_of_a_file)
{
	static const char *const forms[] = {"%d,%d,%d\n", " %d , %d;%d\r\n", "%dx%d x %d # x\n",
										"%d\t%d %d\n\n"};
	char name[] = "/tmp/shapes-XXXXXX", line[128], says[160];
	struct parsed p;
	int fd = mkstemp(name);
	FILE *out = fdopen(fd, "w");
	cr_assert_not_null(out);
	fputs("\xEF\xBB\xBF# of a model\n\nm,n,k\n", out);
	for (int i = 1; i <= 1000; i++)
		fprintf(out, forms[i % 4], i, i + 1, 3 * i);
	fflush(out);
	snprintf(line, sizeof line, "bench a.cu --shapes %s --seed 1", name);
	parse(&p, line);
	cr_assert(p.ok, "%s", p.err.message);
	cr_assert_eq(p.options.judge.shapes.count, 1000);
	for (int i = 1; i <= 1000; i++) {
		const struct shape_text *shape = &p.options.judge.shapes.items[i - 1];
		cr_expect(shape->count == 3 && shape->number[0] == i && shape->number[2] == 3 * i);
	}
	cr_assert_eq(p.options.judge.shapes.lines[0], 4);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	snprintf(says, sizeof says, "gemmjudge bench --seed 0x1 --shapes %s a.cu", name);
	cr_assert_str_eq(line, says);
	fputs("12,13,\n", out);
	fclose(out);
	snprintf(line, sizeof line, "tune a.cu --shapes %s", name);
	refused(line, ":1254: \"12,13,\" is no shape: write M,N,K");
	unlink(name);
}

Test(cli_args, words_of_other_tools_are_answered)
{
	refused("judge a.cu -d gpu", "did you mean 'cuda'?");
	refused("judge a.cu -d simulator", "did you mean 'emu'?");
	refused("judge a.cu -DTILE=64", "unknown option '-DTILE=64': flags of nvcc");
	refused("judge a.cu -arch=sm_90a", "unknown option '-arch=sm_90a': nvcc compiles for");
	refused("bench a.cu --m=4096", "unknown option '--m=4096': sizes are given together");
	refused("judge a.cu -p dgemm", "unknown problem 'dgemm': no problem is in double");
}

Test(cli_args, two_dashes_end_the_options)
{
	struct parsed p;
	parse(&p, "judge -- --odd-name.cu");
	cr_assert(p.ok && p.options.argument_count == 1);
	cr_assert_str_eq(p.options.arguments[0], "--odd-name.cu");
}

Test(cli_args, refusals_say_what_and_why)
{
	refused("judge a.cu --jsn x", "unknown option '--jsn'; did you mean '--json'?");
	refused("judge a.cu -y", "unknown option '-y'");
	refused("judge a.cu b.cu -yh c.cu", "unknown option '-y'");
	refused("judge a.cu b.cu --bogus c.cu", "unknown option '--bogus'");
	refused("judge --s 1", "unknown option '--s'");
	refused("judge --alpha 1 a.cu", "--alpha is an option of bench, compare, tune and explain");
	refused("judge a.cu --json", "--json needs a value");
	refused("judge a.cu --verbose=yes", "--verbose takes no value");
	refused("judge a.cu --cases 0", "--cases '0'");
	refused("judge a.cu --cases -3", "--cases '-3'");
	refused("judge a.cu --seed 1.5", "--seed '1.5'");
	refused("judge a.cu --max-dim 99999999999", "--max-dim");
	refused("judge a.cu --problem gem-f16", "did you mean 'gemm-f16'?");
	refused("judge a.cu --device gpu", "unknown device 'gpu'");
	refused("judge a.cu --device cuda:x", "unknown device 'cuda:x'");
	refused("judge a.cu --tolerance leetgpuu", "did you mean 'leetgpu'?");
	refused("judge a.cu --tolerance 1,-1", "--tolerance '1,-1'");
	refused("judge a.cu --timeout 0", "--timeout '0'");
	refused("judge a.cu --time 16x16x", "16x16x");
	refused("bench a.cu --budget 0", "--budget '0'");
	refused("list --json x",
			"--json is an option of judge, bench, compare, tune, explain, audit, history, "
			"rejudge, diff, leaderboard and submit");
}

Test(cli_args, names_of_before_lead_to_those_of_now)
{
	refused("tune a.cu --check", "--check is an option of judge and rejudge");
	refused("history a.cu --json", "--json needs a value: FILE");
	refused("judge a.cu --no-color", "unknown option '--no-color'");
	refused("judge a.cu --sort name", "unknown option '--sort'");
}

/* ---- groups, and what suits what ----------------------------------------------------------------
 */

Test(cli_args, every_option_has_a_group)
{
	for (size_t i = 0; i < option_row_count; i++)
		cr_expect(option_rows[i].group > GROUP_NONE && option_rows[i].group < GROUP_COUNT, "--%s",
				  option_rows[i].name);
}

/* Of a subcommand with more than ten options, the first ten at most have the first heading, and no
 * heading comes twice. */
Test(cli_args, groups_have_one_heading_each)
{
	for (size_t c = 0; subcommands[c] != NULL; c++) {
		struct option_description facts;
		const char *command = subcommands[c]->name, *seen[GROUP_COUNT] = {NULL};
		size_t groups = 0, first = 0, count = 0;
		for (; options_facts(command, count, &facts); count++) {
			first += groups == 1 && !facts.begins_group;
			if (!facts.begins_group)
				continue;
			for (size_t i = 0; i < groups; i++)
				cr_expect_str_neq(facts.group, seen[i], "%s", command);
			seen[groups++] = facts.group;
		}
		cr_expect_eq(groups > 1, count > 10, "%s has %zu options in %zu groups", command, count,
					 groups);
		cr_expect_leq(first + 1, 10, "%s", command);
	}
}

static bool is_option_of(const char *command, const char *name, size_t length)
{
	for (size_t i = 0; i < option_row_count; i++)
		if (strncmp(option_rows[i].name, name, length) == 0 &&
			option_rows[i].name[length] == '\0' && option_row_is_of(&option_rows[i], command))
			return true;
	return false;
}

/* Whether some subcommand of the row has every option of the list. */
static void are_options(const struct row *row, const char *list)
{
	for (const char *word = list; word != NULL && *word != '\0';) {
		const size_t length = strcspn(word, " ");
		bool found = false;
		for (size_t c = 0; subcommands[c] != NULL && !found; c++)
			found = option_row_is_of(row, subcommands[c]->name) &&
					is_option_of(subcommands[c]->name, word, length);
		cr_expect(found, "--%s speaks of --%.*s", row->name, (int)length, word);
		word += length + strspn(word + length, " ");
	}
}

Test(cli_args, options_exclude_options_that_there_are)
{
	for (size_t i = 0; i < option_row_count; i++) {
		const struct row *row = &option_rows[i];
		for (size_t c = 0; subcommands[c] != NULL; c++) {
			if (!option_row_is_of(row, subcommands[c]->name))
				continue;
			const struct row here = option_row_in(row, subcommands[c]->name);
			are_options(row, here.excludes);
			are_options(row, here.goes_with);
			are_options(row, here.unless);
			cr_expect_eq(here.excludes != NULL || here.goes_with != NULL,
						 here.why != NULL && here.why[0] != '\0', "--%s", row->name);
			cr_expect(here.unless == NULL || here.excludes != NULL, "--%s", row->name);
		}
	}
}

/* One row an option, and a variant of a subcommand that the row does not have already. */
Test(cli_args, an_option_is_one_row)
{
	for (size_t i = 0; i < option_row_count; i++) {
		const struct row *row = &option_rows[i];
		for (size_t k = 0; k < i; k++)
			cr_expect_str_neq(option_rows[k].name, row->name);
		for (size_t c = 0; subcommands[c] != NULL; c++) {
			const char *command = subcommands[c]->name;
			size_t times = row->commands != NULL && option_list_has(row->commands, command);
			for (const struct row_variant *v = row->variants; v != NULL && v->commands != NULL; v++)
				times += option_list_has(v->commands, command);
			cr_expect_leq(times, 1, "--%s of %s", row->name, command);
		}
	}
}

/* No line of a help is wider than asked for, and none is so short that the next word had room. */
Test(cli_args, help_is_broken_where_it_is_printed)
{
	static const int widths[] = {50, 80, 120};
	size_t lines[3] = {0};
	for (size_t w = 0; w < 3; w++)
		for (size_t c = 0; subcommands[c] != NULL; c++) {
			char *text = NULL;
			size_t size = 0;
			FILE *out = open_memstream(&text, &size);
			options_help(subcommands[c]->name, widths[w], out);
			fclose(out);
			for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
				*end = '\0';
				lines[w]++;
				/* what has no blank stays whole */
				const char *words = line + strspn(line, " ");
				cr_expect(end - line <= widths[w] || strchr(words, ' ') == NULL, "%d: %s",
						  widths[w], line);
			}
			free(text);
		}
	cr_expect(lines[0] > lines[1] && lines[1] > lines[2]);
}

Test(cli_args, usage_keeps_what_is_no_paragraph)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	options_usage(
		"usage: gemmjudge new NAME and more\n\nOne two three four.\n\n  gemmjudge new a b c\n", 14,
		out);
	fclose(out);
	cr_expect_str_eq(text, "usage: gemmjudge new NAME and more\n\nOne two three\nfour.\n\n"
						   "  gemmjudge new a b c\n");
	free(text);
}

static void taken(const char *line)
{
	struct parsed p;
	parse(&p, line);
	cr_expect(p.ok, "%s: %s", line, p.err.message);
}

Test(cli_args, options_suit_each_other)
{
	refused("judge a.cu --suite edges --shape 8x8x8",
			"--suite and --shape exclude each other: the cases of a suite have sizes");
	refused("bench a.cu --beta 1 --suite edges", "--suite and --beta exclude each other");
	refused("bench a.cu --cases 3 --shape 8x8x8", "--cases and --shape exclude each other");
	refused("judge a.cu --max-dim 8 --shape 8x8x8", "--max-dim and --shape exclude each other");
	refused("judge a.cu --sizes mixed --suite x", "--sizes and --suite exclude each other");
	refused("judge a.cu --sanitize memcheck --under x", "--sanitize and --under exclude");
	refused("judge a.cu --no-store --store x", "--no-store and --store exclude each other");
	refused("tune a.cu --judge --export x", "--export and --judge exclude each other");
	refused("tune a.cu --suite x --shape 8x8x8", "--suite and --shape exclude each other");
	refused("tune a.cu --exhaustive --model-only", "--exhaustive and --model-only exclude");
	refused("new --stage mish -p sgemm", "--stage and --problem exclude each other");
	refused("leaderboard --site pages --json -", "--site and --json exclude each other");
	refused("bench a.cu --multiple-of 8", "--multiple-of goes with --cases or --suite: ");
	refused("compare a.cu --multiple-of 8", "--multiple-of goes with --suite: ");
	refused("tune a.cu --gpu h200", "--gpu goes with --model-only or --judge: ");
	refused("tune a.cu --cases 3", "--cases goes with --judge: ");
	taken("judge a.cu --shape 8x8x8 --cases 3");
	taken("judge a.cu --multiple-of 8");
	taken("bench a.cu --multiple-of 8 --suite edges");
	taken("tune a.cu --judge --suite x --shape 8x8x8 --beta 1");
	taken("judge a.cu --suite edges --shape 8x8x8 --help");
}

Test(cli_args, letters_are_of_their_subcommand)
{
	struct parsed p;
	char line[256];
	parse(&p, "judge -xvn7 -p sgemm -c random-1,random-2 -d emu --seed 1 -");
	cr_assert(p.ok, "%s", p.err.message);
	cr_assert(p.options.judge.cases.fail_fast && p.options.output.verbose);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_assert_str_eq(line, "gemmjudge judge --seed 0x1 --device emu --problem sgemm --cases 7 "
						   "--case random-1 --case random-2 --fail-fast -");
	refused("bench a.cu -x", "unknown option '-x'");
	refused("judge a.cu -n", "--cases needs a value");
	refused("judge a.cu -c ,", "--case needs the name of a case");
	refused("judge a.cu --quiet=1", "--quiet takes no value");
}

/* As an environment variable would have them; --nvcc-flag takes blanks as they are. */
Test(cli_args, flags_for_nvcc_are_split_at_blanks)
{
	struct parsed p = {0};
	char flags[] = "  -std=c++20\t-Iinc ", *argv[] = {"judge", "--nvcc-flags", flags, "x.cu", NULL};
	p.ok = options_parse(4, argv, &p.options, &p.err);
	cr_assert(p.ok, "%s", p.err.message);
	cr_assert_eq(p.options.judge.compile.nvcc_flag_count, 2);
	cr_assert_str_eq(p.options.judge.compile.nvcc_flags[0], "-std=c++20");
	cr_assert_str_eq(p.options.judge.compile.nvcc_flags[1], "-Iinc");
}

Test(cli_args, a_fresh_seed_differs)
{
	struct parsed a, b;
	struct error err;
	parse(&a, "judge x.cu");
	parse(&b, "judge x.cu");
	cr_assert(command_complete(&a.options, &err));
	cr_assert(command_complete(&b.options, &err));
	cr_assert_neq(a.options.judge.cases.seed, b.options.judge.cases.seed);
}

/* links: cli */
/* The command that does the same again. */
#include <criterion/criterion.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/line.h"
#include "tests/unit/cli/args_fixture.h"

Test(cli_again, is_quoted_and_complete)
{
	struct parsed p;
	struct error err;
	char line[1024];
	parse(&p, "judge it's.cu --seed 7 --device emu --cases 3 --max-dim 64 --time none");
	cr_assert(p.ok);
	cr_assert(command_complete(&p.options, &err));
	options_again(&p.options, "build/gemmjudge", line, sizeof line);
	cr_assert_str_eq(line, "build/gemmjudge judge --seed 0x7 --device emu --cases 3 --max-dim 64 "
						   "--time none 'it'\\''s.cu'");
}

Test(cli_again, is_one_line)
{
	char text[64] = "";
	struct command_line line = {.out = text, .capacity = sizeof text};
	line_add(&line, "a\n'b\\.cu");
	line_add(&line, "c\td");
	cr_assert_str_eq(text, "$'a\\012\\047b\\134.cu' $'c\\011d'");
	line = (struct command_line){.out = text, .capacity = sizeof text};
	line_add(&line, "\xC3\xA9.cu");
	line_add(&line, "\xE2\x80\xAE.cu"); /* from right to left */
	cr_assert_str_eq(text, "'\xC3\xA9.cu' $'\\342\\200\\256.cu'");
}

Test(cli_again, has_what_differs_from_the_default)
{
	struct parsed p;
	char line[1024];
	parse(&p,
		  "judge --tolerance leetgpu --memory 64 --timeout 2.5 --budget 1 --time 8x16 --time 8x8x8 "
		  "--multiple-of 8 --suite a --suite b --epilogue relu --problem sgemm --sanitize memcheck "
		  "--nvcc-flag -std=c++20 --nvcc-flag -DN=$X --counters --check race --emulate t4 "
		  "--device cuda:2 --steps 7 --seed 1 --json - --verbose x.cu");
	cr_assert(p.ok, "%s", p.err.message);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_assert_str_eq(
		line, "gemmjudge judge --seed 0x1 --device cuda:2 --emulate t4 --check race --counters "
			  "--steps 7 --sanitize memcheck --problem sgemm --epilogue relu "
			  "--nvcc-flag -std=c++20 --nvcc-flag '-DN=$X' --suite a --suite b "
			  "--multiple-of 8 --time 8x8x8 --tolerance leetgpu --budget 1 --timeout 2.5 "
			  "--memory 64 x.cu");
	parse(
		&p,
		"compare --shape 8x8x8 --shape 16x8 --alpha -0.5 --beta 0 --tolerance bound --device auto "
		"--seed 0 -- -x.cu");
	cr_assert(p.ok, "%s", p.err.message);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_assert_str_eq(line, "gemmjudge compare --seed 0x0 --shape 8x8x8 --shape 16x8 --alpha -0.5 "
						   "--beta 0 -- -x.cu");
}

/* However they were given. */
Test(cli_again, names_layers_once)
{
	struct parsed p;
	char line[1024];
	parse(&p, "judge --require calls --require files x.cu --seed 1");
	cr_assert(p.ok, "%s", p.err.message);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_expect_str_eq(line, "gemmjudge judge --seed 0x1 --require files,calls x.cu");
	parse(&p, "judge --require files,jail x.cu --seed 1");
	cr_assert(p.ok, "%s", p.err.message);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_expect_str_eq(line, "gemmjudge judge --seed 0x1 --require jail x.cu");
	parse(&p, "judge --require sealed,jail x.cu --seed 1");
	cr_assert(p.ok, "%s", p.err.message);
	options_again(&p.options, "gemmjudge", line, sizeof line);
	cr_expect_str_eq(line, "gemmjudge judge --seed 0x1 --require jail,sealed x.cu");
}

Test(cli_again, never_overflows)
{
	struct parsed p;
	parse(&p, "judge aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.cu b.cu --seed 7");
	for (size_t capacity = 60; capacity < 140; capacity++) {
		char line[160];
		memset(line, '#', sizeof line);
		options_again(&p.options, "gemmjudge", line, capacity);
		cr_assert(strlen(line) < capacity);
		cr_assert_eq(line[capacity], '#');
	}
}

/* links: chain base */
/* What the stages of a chain take, by a table. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "chain/cost.h"

static char table[] = "/tmp/test_cost.XXXXXX";
static struct error err;
static struct chain_cost cost;

static void begin(void)
{
	close(mkstemp(table));
}

static void end(void)
{
	unlink(table);
}

TestSuite(cost, .init = begin, .fini = end);

static bool read_as(const char *text, const struct chain *chain)
{
	FILE *file = fopen(table, "w");
	fputs(text, file);
	fclose(file);
	return chain_cost_read(chain, table, "f16", &cost, &err);
}

Test(cost, is_that_of_all_stages)
{
	const struct chain chain = {.count = 3,
								.stages = {{.name = "alpha_beta", .shipped = 1},
										   {.name = "silu", .shipped = 1},
										   {.name = "silu", .shipped = 1}}};
	cr_assert(read_as("# a comment\nsilu bf16 90 9\nsilu f16 10 1.5\nrelu f16 3 0\n", &chain));
	cr_assert(cost.instructions == 20 && cost.special == 3 && !cost.branches);
	cr_assert_str_empty(cost.uncounted);
}

Test(cost, says_what_is_not_in_it)
{
	const struct chain chain = {.count = 2,
								.stages = {{.name = "clamp", .shipped = 1}, {.name = "silu"}}};
	cr_assert(read_as("clamp f16 9 0 branches\nsilu f16 10 1\n", &chain));
	cr_assert(cost.instructions == 9 && cost.branches);
	cr_assert_str_eq(cost.uncounted, "silu"); /* a file of the user's with that name */
}

Test(cost, refuses_what_is_no_table)
{
	const struct chain chain = {.count = 0};
	cr_assert(!read_as("silu f16 10 1\nsilu f16 ten 1\n", &chain));
	cr_assert(strstr(err.message, ":2: no row") != NULL, "%s", err.message);
	cr_assert(!read_as("silu f16 10 1 twigs\n", &chain));
	unlink(table);
	cr_assert(!chain_cost_read(&chain, table, "f16", &cost, &err));
}

Test(cost, every_shipped_stage_is_counted)
{
	char source[PATHS_MAX], folder[PATHS_MAX], file[PATHS_MAX];
	struct chain chain;
	struct chain_files files;
	cr_assert(paths_source(source, &err) && paths_join(folder, source, "epilogues", &err) &&
			  paths_join(file, folder, "costs.txt", &err));
	cr_assert(
		chain_parse("bias,gelu,swiglu,residual,quantise_s8,amax", folder, &chain, &files, &err),
		"%s", err.message);
	cr_assert(chain_cost_read(&chain, file, "bf16", &cost, &err), "%s", err.message);
	cr_assert_str_empty(cost.uncounted);
	cr_assert(cost.special >= 1 && cost.instructions > cost.special);
}

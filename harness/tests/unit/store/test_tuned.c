/* links: store */
/* Schedules that are remembered. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/database.h"
#include "store/store.h"
#include "store/tuned.h"

static char folder[64];
static struct error err;
static struct test_case test;
static struct tuned_key key;

static void at_shape(int m, int n, int k, float beta)
{
	const struct shape shape = {{1, m, n, k, 1}};
	const float scalars[] = {1, beta};
	test = case_of_shape(key.problem, &shape, scalars, 1);
}

static void begin(void)
{
	strcpy(folder, "/tmp/test-tuned-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	key = (struct tuned_key){.device = "NVIDIA H200",
							 .clock_mhz = 1980,
							 .driver = "580.1",
							 .nvcc = "13.5.37",
							 .problem = problem_find("sgemm"),
							 .content = "0123",
							 .epilogue = "",
							 .flags = "",
							 .test = &test};
	at_shape(4096, 4096, 4096, 0);
}

static void end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0);
}

TestSuite(tuned, .init = begin, .fini = end);

static struct tuned_trials trials_of(const struct tuned_key *of)
{
	struct tuned_trials trials;
	cr_assert(tuned_trials("s.db", of, &trials, &err), "%s", err.message);
	return trials;
}

Test(tuned, trials_are_kept_by_all_of_their_key)
{
	struct tuned_trial some[2] = {
		{.constants = "A=1", .outcome = "measured", .median = 10, .low = 9, .high = 11},
		{.constants = "A=2", .outcome = "does not compile", .detail = "no \x1b[1m such"}};
	cr_expect(trials_of(&key).count == 0); /* there is no store */
	cr_expect(access("s.db", F_OK) != 0);
	cr_assert(tuned_keep("s.db", &key, some, 2, &err), "%s", err.message);
	some[0].median = 12;
	cr_assert(tuned_keep("s.db", &key, some, 1, &err), "%s", err.message);
	struct tuned_trials trials = trials_of(&key);
	cr_assert(trials.count == 2);
	cr_expect(trials.items[0].median == 12 && trials.items[0].high == 11);
	cr_expect_str_eq(trials.items[1].outcome, "does not compile");
	cr_expect(strchr(trials.items[1].detail, '\x1b') == NULL);
	tuned_trials_free(&trials);

	struct tuned_key other = key;
	other.clock_mhz = 1500;
	cr_expect(trials_of(&other).count == 0);
	other = key, other.nvcc = "13.0.88";
	cr_expect(trials_of(&other).count == 0);
	other = key, other.driver = "590";
	cr_expect(trials_of(&other).count == 0);
	other = key, other.content = "4567";
	cr_expect(trials_of(&other).count == 0);
	other = key, other.epilogue = "bias";
	cr_expect(trials_of(&other).count == 0);
	at_shape(4096, 4096, 4096, 1);
	cr_expect(trials_of(&key).count == 0);
}

static void choose(int m, int n, int k, float beta, const char *constants)
{
	struct tuned_choice choice = {.beta_is_0 = beta == 0, .median = 100, .gain = 1.2, .tried = 7};
	snprintf(choice.constants, sizeof choice.constants, "%s", constants);
	at_shape(m, n, k, beta);
	cr_assert(tuned_choose("s.db", &key, &choice, &err), "%s", err.message);
}

static void nearest(int m, int n, int k, float beta, const char *constants, bool is_exact)
{
	struct tuned_choices choices;
	bool exact = !is_exact;
	at_shape(m, n, k, beta);
	cr_assert(tuned_choices("s.db", &key, &choices, &err), "%s", err.message);
	const struct tuned_choice *found = tuned_nearest(&choices, &test, &exact);
	cr_expect(exact == is_exact && (found == NULL) == (constants == NULL), "%dx%dx%d", m, n, k);
	if (found != NULL && constants != NULL)
		cr_expect_str_eq(found->constants, constants);
	tuned_choices_free(&choices);
}

Test(tuned, the_nearest_choice_of_a_class)
{
	nearest(4096, 4096, 4096, 0, NULL, false);
	choose(4096, 4096, 4096, 0, "A=1");
	choose(1024, 1024, 1024, 0, "A=2");
	choose(4096, 4096, 4097, 0, "A=3");
	choose(1024, 1024, 1024, 1, "A=4");
	choose(4096, 4096, 4096, 0, "A=5"); /* again */
	nearest(4096, 4096, 4096, 0, "A=5", true);
	nearest(1024, 1024, 1024, 1, "A=4", true);
	nearest(4096, 4096, 2048, 0, "A=5", false);
	nearest(1536, 1024, 1024, 0, "A=2", false);
	nearest(4096, 4096, 4099, 0, "A=3", false); /* odd */
	nearest(4096, 4096, 4098, 0, NULL, false);  /* divisible by 2 and not by 4 */
	nearest(4096, 4096, 128, 0, NULL, false);   /* too far */
	key.device = "NVIDIA A100";
	nearest(4096, 4096, 4096, 0, NULL, false);
}

Test(tuned, what_is_no_store_stays_as_it_is)
{
	struct tuned_choices choices;
	struct tuned_trial one = {.constants = "A=1", .outcome = "measured"};
	FILE *file = fopen("s.db", "w");
	fputs("this is no database", file);
	fclose(file);
	cr_expect(!tuned_choices("s.db", &key, &choices, &err) && choices.count == 0);
	cr_expect_str_eq(err.message, "s.db is no store of gemmjudge; it stays as it is");
	cr_expect(!tuned_keep("s.db", &key, &one, 1, &err));
	cr_expect_str_eq(err.message, "s.db is no store of gemmjudge; it stays as it is");
	cr_expect_eq(system("test \"$(cat s.db)\" = 'this is no database'"), 0);
}

Test(tuned, a_damaged_store_is_said_to_be)
{
	struct tuned_choices choices;
	choose(64, 64, 64, 0, "A=1");
	for (int i = 0; i < 200; i++)
		choose(64 + i, 64, 64, 0, "A=1 AND_A_LONG_NAME=1234567890 AND_ANOTHER_ONE=1234567890");
	cr_assert_eq(system("dd if=/dev/zero of=s.db bs=4096 seek=3 count=20 conv=notrunc 2>/dev/null"),
				 0);
	cr_expect(!tuned_choices("s.db", &key, &choices, &err) && choices.count == 0);
	cr_expect(strstr(err.message, "the store s.db is damaged") != NULL, "%s", err.message);
}

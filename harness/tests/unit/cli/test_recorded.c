/* links: cli */
/* What the store has of a judgement, as options that do the same again. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/recorded.h"

static char none[] = "", no_list[] = "[]", flags[] = "[\"-DX=1\"]", suites[] = "[\"edges\"]";

static struct measured judged(const char *const *names, size_t count)
{
	struct measured item = {.path = none,
							.epilogue = none,
							.nvcc_flags = no_list,
							.suites = no_list,
							.problem = "gemm-f16",
							.seed = "0x5",
							.seed_given = true,
							.sizes = "mixed",
							.tolerance = "bound"};
	item.case_count = count;
	item.case_list = calloc(count + 1, sizeof *item.case_list);
	for (size_t i = 0; i < count; i++) {
		struct measured_case *one = &item.case_list[i];
		snprintf(one->name, sizeof one->name, "%s", names[i]);
		one->shape = (struct shape){{1, 8, 8, 8, 1}};
		one->shape.size[SIZE_K] = strncmp(names[i], "8x8x16", 6) == 0 ? 16 : 8;
	}
	return item;
}

static void becomes(struct measured item, const char *user, const char *expected)
{
	char word[64];
	snprintf(word, sizeof word, "--%s", user);
	const struct batch_words words = {.count = user[0] != '\0', .at = {word}};
	json_t *options = recorded_options(&item, &words);
	char *text = json_dumps(options, JSON_COMPACT | JSON_SORT_KEYS);
	cr_expect_str_eq(text, expected);
	free(text);
	json_decref(options);
	free(item.case_list);
}

#define COUNTED(names) names, sizeof(names) / sizeof *(names)
static const char *const whole[] = {"random-0", "random-1"}, *const chosen[] = {"random-1"},
						 *const edges[] = {"edges/8x8x8", "edges/8x8x9"},
						 *const given[] = {"8x8x8-0", "8x8x8-1", "8x8x16-2", "8x8x16-3"},
						 *const strange[] = {"a,b"};

Test(recorded, generated_cases_are_drawn_again)
{
	struct measured item = judged(COUNTED(whole));
	item.max_dim = 32;
	item.multiple = 8;
	item.nvcc_flags = flags;
	item.tuned = true;
	item.path = "/x.cu";
	becomes(item, "",
			"{\"cases\":2,\"max-dim\":32,\"multiple-of\":8,\"nvcc-flag\":[\"-DX=1\"],"
			"\"seed\":\"0x5\",\"sizes\":\"mixed\",\"stored-as\":\"/x.cu\",\"tolerance\":\"bound\","
			"\"tuned\":true}");
	becomes(judged(COUNTED(chosen)), "",
			"{\"case\":[\"random-1\"],\"cases\":2,\"seed\":\"0x5\",\"sizes\":\"mixed\","
			"\"tolerance\":\"bound\"}");
	becomes(judged(NULL, 0), "", "{\"seed\":\"0x5\",\"sizes\":\"mixed\",\"tolerance\":\"bound\"}");
	item = judged(NULL, 0);
	item.seed_given = false; /* and nobody is to take it for one that was chosen */
	becomes(item, "",
			"{\"seed\":\"0x5\",\"seed-drawn\":true,\"sizes\":\"mixed\",\"tolerance\":\"bound\"}");
	item = judged(NULL, 0);
	item.seed_given = false;
	becomes(item, "seed", "{\"sizes\":\"mixed\",\"tolerance\":\"bound\"}");
}

Test(recorded, what_the_user_says_counts)
{
	becomes(judged(COUNTED(chosen)), "cases",
			"{\"seed\":\"0x5\",\"sizes\":\"mixed\",\"tolerance\":\"bound\"}");
	becomes(judged(COUNTED(whole)), "tolerance",
			"{\"cases\":2,\"seed\":\"0x5\",\"sizes\":\"mixed\"}");
	struct measured item = judged(COUNTED(edges));
	item.suites = suites;
	item.sizes[0] = '\0';
	becomes(item, "cases", "{\"seed\":\"0x5\",\"tolerance\":\"bound\"}");
}

Test(recorded, cases_of_suites_and_of_shapes_are_those)
{
	struct measured item = judged(COUNTED(edges));
	item.suites = suites;
	item.sizes[0] = '\0';
	becomes(item, "",
			"{\"case\":[\"edges/8x8x8\",\"edges/8x8x9\"],\"seed\":\"0x5\",\"suite\":[\"edges\"],"
			"\"tolerance\":\"bound\"}");
	item = judged(COUNTED(strange)); /* --case has commas between names */
	item.suites = suites;
	item.sizes[0] = '\0';
	becomes(item, "", "{\"seed\":\"0x5\",\"suite\":[\"edges\"],\"tolerance\":\"bound\"}");
	item = judged(COUNTED(given));
	strcpy(item.sizes, "given");
	becomes(item, "",
			"{\"cases\":2,\"large-sizes\":true,\"seed\":\"0x5\",\"shape\":[\"8x8x8\",\"8x8x16\"],"
			"\"tolerance\":\"bound\"}");
	item = judged(COUNTED(given));
	strcpy(item.sizes, "given");
	becomes(item, "max-dim", "{\"cases\":4,\"seed\":\"0x5\",\"tolerance\":\"bound\"}");
}

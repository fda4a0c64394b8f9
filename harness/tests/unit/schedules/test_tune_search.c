/* links: schedules compile testcases base */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/search.h"

#define CANDIDATES 300

/* A GPU of made-up times, and a clock that only its work moves. */
struct fake {
	double clock, speed; /* what all times are multiplied by */
	double compile_each, start_each, pass_each;
	double times[CANDIDATES]; /* below 0: -enum search_outcome */
	bool wrong[CANDIDATES];
	struct search_result kept[CANDIDATES]; /* by keep() */
	const struct search_result *before;    /* for known(); or NULL */
	size_t measured, of_zero, most_together, stop_after;
	bool broken;
	uint64_t random;
};

static double noise(struct fake *fake)
{
	fake->random = fake->random * 6364136223846793005u + 1442695040888963407u;
	return ((double)(fake->random >> 33) / (double)(1u << 31) - 0.5) * 2;
}

static bool fake_ready(void *context, size_t first, size_t most, double deadline, size_t *ready,
					   struct error *error)
{
	(void)error;
	struct fake *fake = context;
	double ends = (double)(first + 1) * fake->compile_each;
	if (fake->clock < ends)
		fake->clock = fmin(ends, deadline);
	*ready = 0;
	while (*ready < most && (double)(first + *ready + 1) * fake->compile_each <= fake->clock)
		(*ready)++;
	return true;
}

static bool fake_measure(void *context, const struct search_round *round,
						 struct search_result *results, struct error *err)
{
	struct fake *fake = context;
	const size_t *candidates = round->candidates, count = round->count, passes = round->passes;
	if (fake->broken && fake->measured > 20)
		return error_set(err, "the GPU fell off the bus");
	fake->most_together = count > fake->most_together ? count : fake->most_together;
	for (size_t i = 0; i < count; i++) {
		size_t c = candidates[i];
		fake->measured++;
		fake->of_zero += c == 0;
		fake->clock += fake->start_each;
		if (fake->times[c] < 0) {
			results[i].outcome = (enum search_outcome) - (int)fake->times[c];
			snprintf(results[i].detail, sizeof results[i].detail, "as told");
			continue;
		}
		fake->clock += (double)passes * fake->pass_each;
		double width = 0.02 / sqrt((double)passes);
		double median = fake->times[c] * fake->speed * (1 + 0.5 * width * noise(fake));
		results[i] = (struct search_result){.outcome = SEARCH_MEASURED,
											.median = median,
											.low = median * (1 - width),
											.high = median * (1 + width),
											.samples = (uint32_t)passes};
	}
	return true;
}

static bool fake_judge(void *context, size_t candidate, double deadline,
					   struct search_result *result, struct error *err)
{
	struct fake *fake = context;
	(void)deadline, (void)err;
	fake->clock += 1;
	if (fake->wrong[candidate])
		result->outcome = SEARCH_WRONG;
	return true;
}

static bool fake_known(void *context, size_t candidate, struct search_result *out)
{
	const struct fake *fake = context;
	if (fake->before == NULL || fake->before[candidate].outcome == SEARCH_NOT_TRIED)
		return false;
	*out = fake->before[candidate];
	return true;
}

static void fake_keep(void *context, size_t candidate, const struct search_result *result)
{
	((struct fake *)context)->kept[candidate] = *result;
}

static bool fake_stopped(void *context)
{
	const struct fake *fake = context;
	return fake->stop_after > 0 && fake->measured >= fake->stop_after;
}

static double fake_clock(void *context)
{
	return ((struct fake *)context)->clock;
}

static struct fake fake;
static struct search found;
static struct error err;

/* Times between 100 and 200, by a well-meaning order: the best is number 37. */
static void begin(void)
{
	fake = (struct fake){
		.speed = 1, .compile_each = 0.3, .start_each = 0.4, .pass_each = 0.05, .random = 7};
	for (size_t i = 0; i < CANDIDATES; i++)
		fake.times[i] = 110 + 60.0 * (double)i / CANDIDATES + 15 * (1 + noise(&fake));
	fake.times[0] = 180;
	fake.times[37] = 100;
	fake.times[36] = 101.5; /* nearly as fast: the first passes do not tell them apart */
}

static bool search(double seconds)
{
	const struct search_source source = {.ready = fake_ready,
										 .measure = fake_measure,
										 .judge = fake_judge,
										 .known = fake_known,
										 .keep = fake_keep,
										 .stopped = fake_stopped,
										 .clock = fake_clock,
										 .context = &fake};
	search_free(&found);
	return search_run(&source, CANDIDATES, seconds, &found, &err);
}

static void end(void)
{
	search_free(&found);
}

TestSuite(tune_search, .init = begin, .fini = end);

Test(tune_search, finds_the_best_within_its_time)
{
	cr_assert(search(60));
	cr_expect(found.best == 37 && found.right && found.end == SEARCH_TIME);
	cr_expect(fake.clock <= 60 * 0.9, "%g s", fake.clock); /* some is left for the caller */
	cr_expect(found.tried > 40 && found.tried < CANDIDATES, "%zu tried", found.tried);
	cr_expect(fake.most_together <= SEARCH_TOGETHER);
	cr_expect(found.results[37].rung > 1 && found.results[0].outcome == SEARCH_MEASURED);
}

Test(tune_search, keeps_any_time)
{
	static const double seconds[] = {3, 5, 10, 20, 40, 100};
	for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
		begin();
		cr_assert(search(seconds[i]));
		/* no more than what was begun: a rung, and a judgement of 1 s */
		cr_expect(fake.clock <= seconds[i] + 1, "%g of %g s", fake.clock, seconds[i]);
		cr_expect(found.best != SEARCH_NONE);
	}
}

Test(tune_search, nothing_compiles_in_time)
{
	fake.compile_each = 100;
	cr_assert(search(10));
	cr_expect(found.best == SEARCH_NONE && found.tried == 0 && found.end == SEARCH_TIME);
	cr_expect(fake.clock < 10);
}

Test(tune_search, without_a_limit_all_are_tried)
{
	cr_assert(search(0));
	cr_expect(found.tried == CANDIDATES && found.end == SEARCH_ALL && found.best == 37);
	for (size_t i = 0; i < CANDIDATES; i++)
		cr_expect(found.first[i].outcome == SEARCH_MEASURED && found.first[i].rung == 0);
	size_t order[CANDIDATES];
	cr_assert(search_order(&found, order) == CANDIDATES);
	cr_expect(order[0] == 37 && order[1] == 36, "%zu %zu", order[0], order[1]);
}

Test(tune_search, failures_are_counted_and_passed_over)
{
	for (size_t i = 0; i < CANDIDATES; i += 3)
		fake.times[i] = -(double)(i % 2 == 0 ? SEARCH_NOT_COMPILED : SEARCH_NOT_RUN);
	fake.times[5] = -SEARCH_WRONG;
	cr_assert(search(0));
	cr_expect(found.best == 37 && found.right);
	cr_expect(found.failed[SEARCH_NOT_COMPILED] == 50 && found.failed[SEARCH_NOT_RUN] == 50);
	cr_expect(found.failed[SEARCH_WRONG] == 1);
	cr_expect(strcmp(found.results[5].detail, "as told") == 0);
}

Test(tune_search, only_failures)
{
	for (size_t i = 0; i < CANDIDATES; i++)
		fake.times[i] = -SEARCH_NOT_COMPILED;
	cr_assert(search(0));
	cr_expect(found.best == SEARCH_NONE && found.judged == 0 && !found.right);
	cr_expect(found.failed[SEARCH_NOT_COMPILED] == CANDIDATES);
}

Test(tune_search, a_wrong_winner_makes_room_for_the_next)
{
	fake.wrong[37] = true;
	cr_assert(search(60));
	cr_expect(found.best == 36 && found.right && found.judged == 2);
	cr_expect(found.failed[SEARCH_WRONG] == 1 && fake.kept[37].outcome == SEARCH_WRONG);
}

Test(tune_search, all_are_wrong)
{
	for (size_t i = 0; i < CANDIDATES; i++)
		fake.wrong[i] = true;
	cr_assert(search(0));
	cr_expect(found.best == SEARCH_NONE && !found.right && found.judged == CANDIDATES);
}

Test(tune_search, an_interrupted_one_is_resumed)
{
	static struct search_result before[CANDIDATES];
	fake.stop_after = 30;
	cr_assert(search(60));
	cr_expect(found.end == SEARCH_STOPPED && found.tried >= 30 && found.tried < 40);
	cr_expect(found.best != SEARCH_NONE && !found.right);
	const size_t tried = found.tried;
	memcpy(before, fake.kept, sizeof before);

	begin();
	fake.before = before;
	cr_assert(search(60));
	cr_expect(found.best == 37 && found.right && !found.stale);
	cr_expect(found.known == tried - 1, "%zu known", found.known); /* but for the first one */
	cr_expect(found.tried > 60, "%zu tried", found.tried);
}

Test(tune_search, what_was_measured_at_other_clocks_is_measured_again)
{
	static struct search_result before[CANDIDATES];
	cr_assert(search(60));
	memcpy(before, fake.kept, sizeof before);
	before[250].outcome = SEARCH_MEASURED; /* the best, if it were believed */
	before[250].median = before[250].low = before[250].high = 50;
	begin();
	fake.before = before;
	fake.speed = 1.3;
	cr_assert(search(60));
	cr_expect(found.stale && found.known == 0 && found.best == 37);
	cr_expect(fabs(found.results[37].median - 130) < 3);
}

Test(tune_search, when_the_source_breaks_what_was_found_stays)
{
	fake.broken = true;
	cr_expect(!search(60));
	cr_expect_str_eq(err.message, "the GPU fell off the bus");
	cr_expect(found.best != SEARCH_NONE && found.tried > 10);
}

/* What a short time is for: not the defaults alone, though the first compilers and the first use of
 * the device take more than half of it. */
Test(tune_search, tries_more_than_the_defaults_in_a_short_time)
{
	fake.compile_each = 2.8;
	cr_assert(search(9), "%s", err.message);
	cr_expect(found.tried == 2, "%zu", found.tried);
	fake.clock = 0;
	fake.compile_each = 0;
	fake.start_each = 2.5;
	cr_assert(search(9), "%s", err.message);
	cr_expect(found.tried >= 3, "%zu", found.tried);
}

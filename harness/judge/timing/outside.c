#include "judge/timing/outside.h"

#include <math.h>

/* The device cannot serve another context in between for less. */
#define DISTURBED 60.0
#define WAY_SPREAD 3.0     /* by so much the machine may be slower for a while */
#define REVEAL_SPREAD 20.0 /* what the reveal of a group may differ by */
/* What processes differ by, however often a call is repeated; with a group of one call the reveal,
 * which depends on where the driver has put what, is a part of it. Seen: harness/judge/LOG.md. */
#define PROCESSES_DIFFER 2.0
#define REVEALS_DIFFER 22.0
/* How exactly the outside sees: measured, harness/README.md. */
#define UNCERTAIN_MICROSECONDS 5.0
#define UNCERTAIN_SHARE 0.03
#define UNCERTAIN_MOST 0.25 /* of a time that is still told */
#define SETTLED 0.8 /* of the allowance: the last turn of the yardstick may change a little */
#define DISTURBED_SHARE 0.1 /* a library's own clock says so much more than the outside */
/* Whatever disturbs a call makes it longer: the lower quarter is hardly disturbed. */
#define SHARE 0.25

double outside_allowance(double microseconds)
{
	return fmax(UNCERTAIN_MICROSECONDS, UNCERTAIN_SHARE * microseconds);
}

/* Whether a group is one call: then the work could begin with the reveal, which counts. */
static bool is_alone(const struct sealed_series *series)
{
	return series->plan.calls == 1;
}

/* A call of the entry's group, and the way of the yardstick's. Passes of the yardstick while the
 * file's process was there count for no more than those after it, and what machines differ by from
 * second to second; and for no more than those where something came in between: the file could have
 * done that. Before them all the yardstick may have had another CPU: that counts until there is an
 * after. */
static double call_of(const struct sealed_series *series, uint32_t pass, uint32_t group)
{
	const struct sealed_group *times = &series->entry[pass].groups[group];
	return times->call + (is_alone(series) ? times->reveal : 0);
}

static double way_of(const struct sealed_series *series, const struct way_apart *apart,
					 uint32_t pass, uint32_t group)
{
	const struct sealed_group *times = &series->way[pass].groups[group];
	double spread = series->way[pass].excess > DISTURBED ? 0 : WAY_SPREAD;
	double alone = isfinite(apart->after.reveal) ? apart->after.call : apart->before;
	double way = fmin(times->call, alone + spread);
	return way + (is_alone(series) ? fmin(times->reveal, apart->after.reveal + spread) : 0);
}

struct gathered {
	struct samples calls, ways, reveals;
};

static bool gather(const struct sealed_series *series, const struct way_apart *apart,
				   struct gathered *out)
{
	bool there = true;
	for (uint32_t i = 0; i < series->count; i++)
		for (uint32_t g = 0; g < series->entry[i].count && g < series->way[i].count; g++) {
			float call = (float)call_of(series, i, g), way = (float)way_of(series, apart, i, g);
			float late =
				(float)(series->entry[i].groups[g].reveal - series->way[i].groups[g].reveal);
			there = there && samples_add(&out->calls, &call, 1) &&
					samples_add(&out->ways, &way, 1) && samples_add(&out->reveals, &late, 1);
		}
	return there;
}

static void gathered_free(struct gathered *gathered)
{
	samples_free(&gathered->calls);
	samples_free(&gathered->ways);
	samples_free(&gathered->reveals);
}

/* Of groups, not of calls: within a group one call could have worked for the others. */
struct outside outside_of(const struct sealed_series *series, const struct way_apart *apart)
{
	struct gathered all = {0};
	struct outside out = {.time = INFINITY, .scatter = INFINITY, .uncertainty = INFINITY};
	if (gather(series, apart, &all)) {
		struct samples_interval calls = samples_interval(&all.calls, SHARE);
		struct samples_interval ways = samples_interval(&all.ways, SHARE);
		bool alone = is_alone(series);
		double late = alone ? 0 : fmax(samples_quantile(&all.reveals, 0.5) - REVEAL_SPREAD, 0);
		out.time = fmax(calls.value - ways.value + late / fmax(series->plan.calls, 1), 0);
		out.scatter = fmax(hypot(calls.high - calls.value, ways.value - ways.low),
						   hypot(calls.value - calls.low, ways.high - ways.value));
		out.uncertainty = hypot(out.scatter, alone ? REVEALS_DIFFER : PROCESSES_DIFFER);
	}
	gathered_free(&all);
	return out;
}

bool outside_other_groups(const struct outside *seen, double planned)
{
	return seen->time > 1.5 * planned + outside_allowance(planned);
}

bool outside_settled(const struct outside *seen, double claim)
{
	double allowance = outside_allowance(claim);
	return seen->scatter <= SETTLED * outside_allowance(seen->time) &&
		   (seen->time < claim + 0.5 * allowance || seen->time - seen->scatter > claim + allowance);
}

static bool is_library(const struct timing_entry *entry)
{
	return entry->role == TIMING_LIBRARY;
}

/* A library's word is trusted, but somebody else may have slowed it down while it was timed. Of a
 * file's nothing is believed that lies within what the outside cannot tell. */
static enum seal_state state_of(const struct outside *seen, const struct timing_entry *entry)
{
	double claim = timing_own(entry)->median, more = seen->time - claim;
	double allowance = outside_allowance(seen->time);
	double uncertainty = fmax(allowance, seen->uncertainty);
	bool told = claim >= entry->seal.floor && uncertainty <= UNCERTAIN_MOST * claim;
	if (is_library(entry) ? -more > allowance + DISTURBED_SHARE * claim : more > uncertainty)
		return SEAL_OUTSIDE;
	if (!is_library(entry))
		told = told && more <= allowance && more + seen->uncertainty <= 2 * allowance;
	return told ? SEAL_CONFIRMED : SEAL_UNCERTAIN;
}

/* In place of the claim a time is shown that is most likely no more than 3% too short. */
static double shown_of(const struct outside *seen)
{
	return seen->time + fmax(seen->uncertainty - UNCERTAIN_SHARE * seen->time, 0);
}

void outside_judge(const struct outside *seen, struct timing_entry *entry)
{
	struct timing_seal *seal = &entry->seal;
	seal->outside = seen->time;
	seal->uncertainty = fmax(outside_allowance(seen->time), seen->uncertainty);
	seal->state = state_of(seen, entry);
	seal->shown = (struct timing_stats){.samples = seal->calls,
										.median = shown_of(seen),
										.min = fmax(seen->time - seal->uncertainty, 0),
										.p95 = seen->time + seal->uncertainty,
										.low = fmax(seen->time - seal->uncertainty, 0),
										.high = seen->time + seal->uncertainty};
}

/* Each pass's mean, moved so that the quarter that the time is of lies at what is shown. */
bool outside_passes(const struct sealed_series *series, const struct way_apart *apart,
					const struct outside *seen, struct timing_passes *out)
{
	struct gathered all = {0};
	bool there = gather(series, apart, &all);
	double less = samples_quantile(&all.calls, SHARE) - shown_of(seen);
	out->count = 0;
	for (uint32_t i = 0; i < series->count && there; i++) {
		const struct sealed_times *times = &series->entry[i];
		double mean = 0;
		for (uint32_t g = 0; g < times->count; g++)
			mean += call_of(series, i, g) / times->count;
		stats_add_pass(out, (float[]){(float)(mean - less)}, 1);
	}
	gathered_free(&all);
	return there;
}

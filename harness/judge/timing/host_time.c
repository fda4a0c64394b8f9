#include "judge/timing/host_time.h"

#include <math.h>

/* The device cannot serve another context in between for less. */
#define DISTURBED 60.0
#define OVERHEAD_SPREAD 3.0 /* by so much the machine may be slower for a while */
#define RELEASE_SPREAD 20.0 /* what the release of a group's inputs may differ by */
/* What processes differ by, however often a call is repeated; with a group of one call the release,
 * which depends on where the driver has put what, is a part of it: on an H200, honest calls of 175
 * us read 155 to 199 in groups of one, 166 to 188 in larger ones. */
#define PROCESSES_DIFFER 2.0
#define RELEASES_DIFFER 22.0
/* How exact the host-side time is: measured, README.md of this folder. */
#define UNCERTAIN_MICROSECONDS 5.0
#define UNCERTAIN_SHARE 0.03
#define UNCERTAIN_MOST 0.25 /* of a time that is still told */
#define SETTLED                                                                                    \
	0.8 /* of the allowance: the last turn of the calibration kernel may change a little */
#define DISTURBED_SHARE 0.1 /* of a library's claim: the host's clock has to differ by more */
#define CERTAIN 2.0         /* so many times its uncertainty, which is half of a 95% interval */
#define IDLE_SHARE 0.25     /* of a claim: a call onto an idle GPU takes at most so much more */
#define GROUPS_SHARE 1.1    /* of what groups are planned for (groups.c) */
/* Whatever disturbs a call makes it longer: the lower quarter is hardly disturbed. */
#define SHARE 0.25

double host_time_allowance(double microseconds)
{
	return fmax(UNCERTAIN_MICROSECONDS, UNCERTAIN_SHARE * microseconds);
}

/* Whether a group is one call: then the work could begin with the release, which counts. */
static bool is_single_call(const struct sealed_series *series)
{
	return series->plan.calls == 1;
}

/* A call of the entry's group, and the round-trip overhead by the calibration kernel. Its passes
 * while the file's process was there count for no more than those after it, and what machines
 * differ by from second to second; and for no more than those where something came in between: the
 * file could have done that. Before the file's process it may have had another CPU: that bound
 * holds until there is one from after it. */
static double call_of(const struct sealed_series *series, uint32_t pass, uint32_t group)
{
	const struct sealed_group *times = &series->entry[pass].groups[group];
	return times->call + (is_single_call(series) ? times->release : 0);
}

static double overhead_of(const struct sealed_series *series, const struct overhead_bound *bound,
						  uint32_t pass, uint32_t group)
{
	const struct sealed_group *times = &series->overhead[pass].groups[group];
	double spread = series->overhead[pass].excess > DISTURBED ? 0 : OVERHEAD_SPREAD;
	double undisturbed = isfinite(bound->after.release) ? bound->after.call : bound->before;
	double overhead = fmin(times->call, undisturbed + spread);
	return overhead +
		   (is_single_call(series) ? fmin(times->release, bound->after.release + spread) : 0);
}

struct gathered {
	struct samples calls, overheads, releases;
};

static bool gather(const struct sealed_series *series, const struct overhead_bound *bound,
				   struct gathered *out)
{
	bool there = true;
	for (uint32_t i = 0; i < series->count; i++)
		for (uint32_t g = 0; g < series->entry[i].count && g < series->overhead[i].count; g++) {
			float call = (float)call_of(series, i, g),
				  overhead = (float)overhead_of(series, bound, i, g);
			float late =
				(float)(series->entry[i].groups[g].release - series->overhead[i].groups[g].release);
			there = there && samples_add(&out->calls, &call, 1) &&
					samples_add(&out->overheads, &overhead, 1) &&
					samples_add(&out->releases, &late, 1);
		}
	return there;
}

static void gathered_free(struct gathered *gathered)
{
	samples_free(&gathered->calls);
	samples_free(&gathered->overheads);
	samples_free(&gathered->releases);
}

/* Of groups, not of calls: within a group one call could have worked for the others. */
struct host_time host_time_of(const struct sealed_series *series,
							  const struct overhead_bound *bound)
{
	struct gathered all = {0};
	struct host_time out = {.time = INFINITY, .scatter = INFINITY, .uncertainty = INFINITY};
	if (gather(series, bound, &all)) {
		struct samples_interval calls = samples_interval(&all.calls, SHARE);
		struct samples_interval overheads = samples_interval(&all.overheads, SHARE);
		bool single = is_single_call(series);
		double late = single ? 0 : fmax(samples_quantile(&all.releases, 0.5) - RELEASE_SPREAD, 0);
		out.time = fmax(calls.value - overheads.value + late / fmax(series->plan.calls, 1), 0);
		out.scatter = fmax(hypot(calls.high - calls.value, overheads.value - overheads.low),
						   hypot(calls.value - calls.low, overheads.high - overheads.value));
		out.uncertainty = hypot(out.scatter, single ? RELEASES_DIFFER : PROCESSES_DIFFER);
	}
	gathered_free(&all);
	return out;
}

/* An honest call may seem longer than it says; groups are planned for that, so that they need not
 * be made anew. */
double host_time_planned(double claim, double floor)
{
	return fmax(claim + host_time_allowance(claim), floor);
}

bool host_time_other_groups(const struct host_time *seen, double planned)
{
	return seen->time > GROUPS_SHARE * planned;
}

double host_time_expected(const struct timing_entry *entry)
{
	double claim = timing_own(entry)->median;
	return fmax(claim, fmin(entry->event.median, (1 + IDLE_SHARE) * claim));
}

bool host_time_confirms(const struct host_time *seen, double expected)
{
	double more = seen->time - expected, allowance = host_time_allowance(seen->time);
	return more <= allowance && more + seen->uncertainty <= 2 * allowance;
}

bool host_time_settled(const struct host_time *seen, double expected)
{
	double allowance = host_time_allowance(expected);
	return seen->scatter <= SETTLED * host_time_allowance(seen->time) &&
		   (seen->time < expected + 0.5 * allowance ||
			seen->time - seen->scatter > expected + allowance);
}

static bool is_library(const struct timing_entry *entry)
{
	return entry->role == TIMING_LIBRARY;
}

/* Whether the GPU could have been so fast: a time that it could not is an error of measurement. */
static bool is_possible(const struct host_time *seen, const struct timing_entry *entry)
{
	return seen->time >= entry->seal.floor;
}

/* So much the host-side time has to differ from a library's claim to count in its place. */
static double library_difference(const struct host_time *seen, const struct timing_entry *entry)
{
	double allowance = host_time_allowance(seen->time);
	return fmax(allowance + DISTURBED_SHARE * timing_own(entry)->median,
				CERTAIN * fmax(allowance, seen->uncertainty));
}

/* Its calls took longer while the processes of others were there than alone. */
static bool is_slowed(const struct host_time *seen, const struct timing_entry *entry)
{
	double claim = timing_own(entry)->median, allowance = host_time_allowance(seen->time);
	double most = is_library(entry) ? library_difference(seen, entry)
									: allowance + fmax(allowance, seen->uncertainty);
	return is_possible(seen, entry) && claim - seen->time > most;
}

bool host_time_doubts_library(const struct host_time *seen, const struct timing_entry *entry)
{
	double claim = timing_own(entry)->median;
	double more = fmax(claim - seen->time, seen->time - host_time_expected(entry));
	return more > host_time_allowance(seen->time) + DISTURBED_SHARE * claim;
}

/* A library's word is trusted, unless the host's clock differs from it for certain: then its calls
 * have host work that no span has, or somebody else has slowed it down while it was timed, and the
 * host-side time is known to be its own. A file that was slowed down is told so, and has no
 * time that counts. Of a file's word nothing is believed that lies within the uncertainty of the
 * host-side time. */
static enum seal_state state_of(const struct host_time *seen, const struct timing_entry *entry)
{
	const struct timing_seal *seal = &entry->seal;
	double claim = timing_own(entry)->median, more = seen->time - seal->idle;
	double allowance = host_time_allowance(seen->time);
	double uncertainty = fmax(allowance, seen->uncertainty);
	bool told =
		claim >= seal->floor && is_possible(seen, entry) && uncertainty <= UNCERTAIN_MOST * claim;
	if (is_library(entry) && (seal->slowed || more > library_difference(seen, entry)))
		return SEAL_HOST_SIDE;
	if (is_library(entry))
		return told ? SEAL_CONFIRMED : SEAL_UNCERTAIN;
	if (more > uncertainty)
		return SEAL_HOST_SIDE;
	told = told && !seal->slowed && host_time_confirms(seen, seal->idle);
	return told ? SEAL_CONFIRMED : SEAL_UNCERTAIN;
}

/* In place of the claim a time is shown that is most likely no more than 3% too short. */
static double shown_of(const struct host_time *seen)
{
	return seen->time + fmax(seen->uncertainty - UNCERTAIN_SHARE * seen->time, 0);
}

/* What a file's time counts as at least. Where only calls onto an idle GPU explain the host-side
 * time, which are the process's word, too, that is the host-side time itself. */
static double least_of(const struct host_time *seen, double claim)
{
	bool agrees = seen->time - claim <= host_time_allowance(seen->time);
	return agrees ? fmax(seen->time - seen->uncertainty, 0) : shown_of(seen);
}

/* All of it, by as much as the median. */
static struct timing_stats moved(struct timing_stats stats, double by)
{
	stats.median += by;
	stats.min += by;
	stats.p95 += by;
	stats.low += by;
	stats.high += by;
	return stats;
}

/* The claim that is confirmed counts as no less than the host-side time allows. */
static void claim_move(struct timing_entry *entry)
{
	const struct timing_stats *own = timing_own(entry);
	double by = entry->seal.least - own->median;
	entry->seal.shown = (struct timing_stats){0};
	if (is_library(entry) || !(by > 0))
		return;
	entry->seal.shown = moved(*own, by);
	for (uint32_t i = 0; i < entry->passes.count; i++)
		entry->passes.microseconds[i] += (float)by;
}

void host_time_judge(const struct host_time *seen, struct timing_entry *entry)
{
	struct timing_seal *seal = &entry->seal;
	seal->host_side = seen->time;
	seal->uncertainty = fmax(host_time_allowance(seen->time), seen->uncertainty);
	seal->idle = host_time_expected(entry);
	seal->least = least_of(seen, timing_own(entry)->median);
	seal->slowed = is_slowed(seen, entry);
	seal->state = state_of(seen, entry);
	double low = fmax(seen->time - seal->uncertainty, seal->floor); /* the truth lies above it */
	seal->shown = (struct timing_stats){.samples = seal->calls,
										.median = shown_of(seen),
										.min = low,
										.p95 = seen->time + seal->uncertainty,
										.low = low,
										.high = seen->time + seal->uncertainty};
	if (seal->state == SEAL_CONFIRMED)
		claim_move(entry);
}

/* Each pass's mean, moved so that the quarter that the time is of lies at what is shown. */
bool host_time_passes(const struct sealed_series *series, const struct overhead_bound *bound,
					  const struct host_time *seen, struct timing_passes *out)
{
	struct gathered all = {0};
	bool there = gather(series, bound, &all);
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

#define _GNU_SOURCE /* memfd_create(), locks of open files */
#include "judge/timing/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compile/bytes.h"
#include "judge/timing/confirm.h"

#define SLOTS 32 /* shapes, problems and devices at a time; then the oldest makes room */

/* A record as it lies in the file. All of it is one program's, whose size tells it from others. */
struct slot {
	size_t size;
	struct kept_key key;
	double when;
	struct timing_result result;
	struct timing_entry entries[KEPT_LIBRARIES];
	char sum[HASH_TEXT]; /* of what stands before it */
};

/* ---- the file -------------------------------------------------------------------- */

int kept_open(const struct judge_options *options, int timing_lock)
{
	int store = 0;
	if (options->mode != JUDGE_CHECKS || options->timing.untimed)
		return 0;
	if (timing_lock > 0)
		store = fcntl(timing_lock, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	else if (options->file_count > 1)
		store = memfd_create("gemmjudge-libraries", MFD_CLOEXEC);
	return store > STDERR_FILENO ? store : 0; /* without one, libraries are timed for each file */
}

/* Locks belong to what opened a file: it is opened anew, by each thread and process. They are apart
 * from those of timing_lock.h, which a judge holds for seconds. -1: it cannot be opened. */
static int lock_store(int store, short how)
{
	char path[40];
	struct flock whole = {.l_type = how, .l_whence = SEEK_SET};
	snprintf(path, sizeof path, "/proc/self/fd/%d", store);
	int fd = store > STDERR_FILENO ? open(path, O_RDWR | O_CLOEXEC) : -1;
	while (fd >= 0 && fcntl(fd, F_OFD_SETLKW, &whole) != 0)
		if (errno != EINTR) {
			close(fd);
			return -1;
		}
	return fd;
}

static void sum_of(const struct slot *slot, char out[HASH_TEXT])
{
	struct hash hash;
	hash_begin(&hash);
	hash_add(&hash, slot, offsetof(struct slot, sum));
	hash_end(&hash, out);
}

static bool slot_is_whole(const struct slot *slot)
{
	char sum[HASH_TEXT];
	sum_of(slot, sum);
	return slot->size == sizeof *slot && memcmp(sum, slot->sum, sizeof sum) == 0 &&
		   slot->result.count <= KEPT_LIBRARIES;
}

static bool slot_read(int fd, size_t i, struct slot *slot)
{
	return pread(fd, slot, sizeof *slot, (off_t)(i * sizeof *slot)) == (ssize_t)sizeof *slot &&
		   slot_is_whole(slot);
}

static bool slot_has(const struct slot *slot, const struct kept_key *key)
{
	return memcmp(&slot->key, key, sizeof *key) == 0;
}

bool kept_find(int store, const struct kept_key *key, struct kept_times *out)
{
	bool found = false;
	*out = (struct kept_times){0};
	struct slot *slot = malloc(sizeof *slot);
	int fd = slot != NULL ? lock_store(store, F_RDLCK) : -1;
	for (size_t i = 0; i < SLOTS && fd >= 0 && !found; i++)
		found = slot_read(fd, i, slot) && slot_has(slot, key);
	if (fd >= 0)
		close(fd); /* and with it the lock is given back */
	if (found) {
		*out = (struct kept_times){.when = slot->when, .result = slot->result};
		out->result.entries = calloc(KEPT_LIBRARIES, sizeof *out->result.entries);
		found = out->result.entries != NULL;
		if (found)
			memcpy(out->result.entries, slot->entries, sizeof slot->entries);
	}
	free(slot);
	return found;
}

/* That of the key, or else one that nothing whole is in, or the oldest. */
static size_t place_for(int fd, const struct kept_key *key, struct slot *slot)
{
	size_t place = 0;
	double oldest = INFINITY;
	for (size_t i = 0; i < SLOTS; i++) {
		bool whole = slot_read(fd, i, slot);
		if (whole && slot_has(slot, key))
			return i;
		double when = whole ? slot->when : -INFINITY;
		if (when < oldest) {
			oldest = when;
			place = i;
		}
	}
	return place;
}

static bool entry_is_good(const struct timing_entry *entry)
{
	bool never = entry->verdict == VERDICT_COMPILE_ERROR || entry->verdict == VERDICT_UNSUPPORTED;
	return entry->ran ? !entry->seal.slowed : never;
}

static bool is_good(const struct timing_result *result)
{
	bool good =
		!result->wide && !result->throttled && result->count > 0 && result->count <= KEPT_LIBRARIES;
	for (size_t i = 0; i < result->count && good; i++)
		good = entry_is_good(&result->entries[i]);
	return good;
}

void kept_add(int store, const struct kept_key *key, const struct kept_times *times)
{
	if (!is_good(&times->result))
		return;
	struct slot *slot = calloc(2, sizeof *slot);
	int fd = slot != NULL ? lock_store(store, F_WRLCK) : -1;
	if (fd >= 0) {
		struct slot *other = slot + 1;
		slot->size = sizeof *slot;
		slot->key = *key;
		slot->when = times->when;
		slot->result = times->result;
		slot->result.entries = NULL;
		memcpy(slot->entries, times->result.entries, times->result.count * sizeof *slot->entries);
		sum_of(slot, slot->sum);
		off_t at = (off_t)(place_for(fd, key, other) * sizeof *slot);
		if (pwrite(fd, slot, sizeof *slot, at) < 0) /* of a part of it the sum is wrong */
			(void)errno;
		close(fd);
	}
	free(slot);
}

/* ---- what they depend on ----------------------------------------------------------- */

static void add_case(struct hash *hash, const struct problem *problem, const struct test_case *test)
{
	hash_add_text(hash, problem->name);
	hash_add(hash, &test->shape, sizeof test->shape);
	hash_add(hash, test->scalar, sizeof test->scalar);
	hash_add(hash, test->values, sizeof test->values);
	hash_add(hash, &test->exact, sizeof test->exact);
}

static void add_run(struct hash *hash, const struct run *run)
{
	const struct device_properties *facts = &run->referee.facts;
	const struct judge_options *options = run->options;
	const bool how[] = {options->timing.thorough, confirm_wanted(run)};
	const char *tolerance = options->tolerance.text;
	hash_add_text(hash, facts->name);
	hash_add_text(hash, facts->pci_bus_id);
	hash_add_text(hash, facts->driver);
	hash_add_text(hash, facts->runtime);
	hash_add_text(hash, facts->library);
	hash_add_text(hash, run->epilogue != NULL ? options->epilogue : "");
	hash_add_text(hash, run->epilogue != NULL ? run->epilogue->content : "");
	hash_add_text(hash, tolerance != NULL ? tolerance : "");
	hash_add(hash, how, sizeof how);
	hash_add(hash, &run->time_budget, sizeof run->time_budget);
	hash_add(hash, &run->checked_rows, sizeof run->checked_rows);
}

static bool add_library(struct hash *hash, const struct entrant *entrant)
{
	struct error ignored;
	hash_add_text(hash, entrant->label);
	hash_add(hash, &entrant->mode, sizeof entrant->mode);
	return entrant->library == NULL || bytes_hash_file(hash, entrant->library, &ignored);
}

bool kept_key_of(const struct lane_check *what, const struct lane *libraries, size_t count,
				 struct kept_key *out)
{
	struct hash hash;
	bool whole = true;
	hash_begin(&hash);
	add_case(&hash, what->problem, what->test);
	add_run(&hash, what->run);
	for (size_t i = 0; i < count && whole; i++)
		whole = add_library(&hash, libraries[i].entrant);
	hash_end(&hash, out->text);
	return whole;
}

/* ---- whether they hold --------------------------------------------------------------- */

bool kept_hold(const struct kept_times *times, double now)
{
	return now - times->when <= KEPT_SECONDS;
}

bool kept_hold_at(const struct kept_times *times, const struct timing_result *file)
{
	double kept = times->result.sm_clock_mhz_median, now = file->sm_clock_mhz_median;
	return fabs(now - kept) <= KEPT_CLOCK * kept;
}

static const struct timing_entry *find_entry(const struct timing_result *result, const char *label)
{
	for (size_t i = 0; i < result->count; i++)
		if (result->entries[i].ran && strcmp(result->entries[i].label, label) == 0)
			return &result->entries[i];
	return NULL;
}

static const struct timing_stats *stats_shown(const struct timing_entry *entry)
{
	return timing_shown(entry, entry->span.samples > 0);
}

/* The share by which it is longer than it was, beyond what is allowed; else 0. */
static double drift_of(const struct timing_entry *before, const struct timing_entry *now)
{
	const struct timing_stats *old = stats_shown(before), *new = stats_shown(now);
	double share = new->median / old->median - 1.0;
	bool apart = new->low > old->high || new->high < old->low;
	return apart && fabs(share) > KEPT_DRIFT ? share : 0.0;
}

bool kept_drift(const struct kept_times *before, const struct kept_times *now,
				char out[KEPT_DRIFT_TEXT])
{
	double most = 0.0;
	for (size_t i = 0; i < now->result.count; i++) {
		const struct timing_entry *entry = &now->result.entries[i];
		const struct timing_entry *old = find_entry(&before->result, entry->label);
		if (!entry->ran || old == NULL)
			continue;
		double drift = drift_of(old, entry);
		if (!(fabs(drift) > fabs(most)))
			continue;
		most = drift;
		snprintf(out, KEPT_DRIFT_TEXT,
				 "%s takes %.4g us now and took %.4g us %.0f s ago (%+.1f%%): ratios to libraries "
				 "of files in between are uncertain by that",
				 entry->label, stats_shown(entry)->median, stats_shown(old)->median,
				 now->when - before->when, 100.0 * drift);
	}
	return most != 0.0;
}

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/commit.h"
#include "base/paths.h"
#include "judgement/layers.h"
#include "judgement/names.h"
#include "report/clean.h"
#include "report/facts.h"
#include "store/database.h"
#include "store/scalars.h"
#include "store/store.h"

#define GUARANTEES 256
#define PARTS(parts) (sizeof(parts) / sizeof *(parts))

/* A list as JSON; owned by the caller. */
static char *dump(json_t *list)
{
	char *text = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(9));
	json_decref(list);
	return text;
}

/* A NULL-ended list of texts, or NULL. The same. */
static char *dump_texts(const char *const *texts)
{
	json_t *list = json_array();
	for (; texts != NULL && *texts != NULL; texts++) {
		char *clean = clean_text(*texts);
		json_array_append_new(list, json_string(clean != NULL ? clean : ""));
		free(clean);
	}
	return dump(list);
}

/* What several tables have of a case. */
struct scalars_row {
	char *scalars; /* owned */
};
static const struct column scalars_columns[] = {COLUMN("scalars", struct scalars_row, scalars)};

/* ---- a run ------------------------------------------------------------------------- */

static const struct column facts_columns[] = {
	COLUMN("started", struct run_facts, started),
	COLUMN("version", struct run_facts, version),
	COLUMN("command", struct run_facts, command),
	COLUMN("nvcc", struct run_facts, nvcc),
	COLUMN_AS(COLUMN_SEED, "seed", struct run_facts, seed, NULL),
	COLUMN("sizes", struct run_facts, sizes),
	COLUMN("max_dim", struct run_facts, max_dim),
	COLUMN("multiple_of", struct run_facts, multiple),
	COLUMN("tolerance", struct run_facts, tolerance),
	COLUMN("epilogue", struct run_facts, epilogue),
	COLUMN("epilogue_content", struct run_facts, epilogue_content),
	COLUMN("tool", struct run_facts, tool),
	COLUMN("device", struct run_facts, device.name),
	COLUMN("architecture", struct run_facts, device.architecture),
	COLUMN("multiprocessors", struct run_facts, device.multiprocessors),
	COLUMN("memory_bytes", struct run_facts, device.memory_bytes),
	COLUMN("l2_bytes", struct run_facts, device.l2_bytes),
	COLUMN("pci_bus_id", struct run_facts, device.pci_bus_id),
	COLUMN("driver", struct run_facts, device.driver),
	COLUMN("runtime", struct run_facts, device.runtime),
	COLUMN("library", struct run_facts, device.library),
};

/* A run's columns that are no members of its facts. */
struct run_row {
	const char *mode, *commit, *device_kind;
	char *nvcc_flags, *suites; /* owned */
	double sm_clock_mhz;
};
static const struct column run_columns[] = {
	COLUMN("mode", struct run_row, mode),
	COLUMN("source_commit", struct run_row, commit),
	COLUMN("device_kind", struct run_row, device_kind),
	COLUMN_AS(COLUMN_JSON, "nvcc_flags", struct run_row, nvcc_flags, NULL),
	COLUMN_AS(COLUMN_JSON, "suites", struct run_row, suites, NULL),
	COLUMN("sm_clock_mhz", struct run_row, sm_clock_mhz),
};

static const struct column host_columns[] = {COLUMN("host", struct utsname, nodename),
											 COLUMN("kernel", struct utsname, release)};

static int64_t append_run(struct store *store, const char *mode, const struct run_facts *facts,
						  struct error *err)
{
	struct utsname host = {0};
	uname(&host);
	const struct run_row row = {.mode = mode,
								.commit = commit_of_build(),
								.device_kind = device_kind_name(facts->device_kind),
								.nvcc_flags = dump_texts(facts->nvcc_flags),
								.suites = dump_texts(facts->suites),
								.sm_clock_mhz = facts->device.sm_clock_khz / 1000.0};
	const struct column_part parts[] = {COLUMN_PART(facts_columns, facts),
										COLUMN_PART(run_columns, &row),
										COLUMN_PART(host_columns, &host)};
	int64_t id = database_row_insert(store, "run", parts, PARTS(parts), err);
	free(row.nvcc_flags);
	free(row.suites);
	return id;
}

/* ---- a judgement --------------------------------------------------------------------- */

struct submission_row {
	const char *content;
	char path[PATHS_MAX];
};
static const struct column submission_columns[] = {
	COLUMN("content", struct submission_row, content), COLUMN("path", struct submission_row, path)};

static int64_t append_submission(struct store *store, const struct judgement *item,
								 struct error *err)
{
	struct submission_row row = {.content = item->content};
	const struct column_part part = COLUMN_PART(submission_columns, &row);
	bool failed = true;
	int64_t id = -1;
	paths_absolute(item->file, row.path);
	sqlite3_stmt *find =
		database_prepare(store, "SELECT id FROM submission WHERE content = ?1 AND path = ?2", err);
	if (find != NULL) {
		columns_bind(find, &part, 1);
		if (database_next(store, find, &failed, err))
			id = sqlite3_column_int64(find, 0);
		sqlite3_finalize(find);
	}
	return failed || id >= 0 ? id : database_row_insert(store, "submission", &part, 1, err);
}

/* "files,calls"; NULL where nothing of it was run. */
static const char *guarantees(const struct judgement *item, char out[GUARANTEES])
{
	unsigned layer;
	const char *name;
	out[0] = '\0';
	for (size_t i = 0, used = 0; (name = layers_name(i, &layer)) != NULL; i++)
		if ((item->layers & layer) != 0)
			used +=
				(size_t)snprintf(out + used, GUARANTEES - used, "%s%s", used > 0 ? "," : "", name);
	return item->was_run ? out : NULL;
}

static const struct column judged_columns[] = {
	COLUMN("file", struct judgement, file),
	COLUMN("problem", struct judgement, problem),
	COLUMN("detail", struct judgement, detail),
	COLUMN("compile_seconds", struct judgement, compile_seconds),
	COLUMN("compile_cached", struct judgement, compile_cached),
	COLUMN("cases", struct judgement, count),
	COLUMN("accepted", struct judgement, accepted),
	COLUMN("timing_note", struct judgement, timing_note),
};

struct judgement_row {
	int64_t run, submission;
	char ended[CLOCK_DATE];
	const char *verdict, *guarantees, *schedule;
};
static const struct column judgement_columns[] = {
	COLUMN("run", struct judgement_row, run),
	COLUMN("submission", struct judgement_row, submission),
	COLUMN("ended", struct judgement_row, ended),
	COLUMN("verdict", struct judgement_row, verdict),
	COLUMN("guarantees", struct judgement_row, guarantees),
	COLUMN("schedule", struct judgement_row, schedule),
};

static int64_t append_head(struct store *store, int64_t run, int64_t submission,
						   const struct judgement *item, struct error *err)
{
	char layers[GUARANTEES];
	struct judgement_row row = {.run = run,
								.submission = submission,
								.verdict = verdict_name(item->verdict),
								.guarantees = guarantees(item, layers),
								.schedule = item->schedule[0] != '\0' ? item->schedule : NULL};
	clock_date(row.ended);
	const struct column_part parts[] = {COLUMN_PART(judgement_columns, &row),
										COLUMN_PART(judged_columns, item)};
	return database_row_insert(store, "judgement", parts, PARTS(parts), err);
}

static const struct column result_columns[] = {
	COLUMN("name", struct case_result, test.name),
	COLUMN_AS(COLUMN_SEED, "seed", struct case_result, test.seed, NULL),
	COLUMN("exact", struct case_result, test.exact),
	COLUMN("detail", struct case_result, detail),
	COLUMN("seconds", struct case_result, seconds),
};

static const struct column check_columns[] = {
	COLUMN("wrong", struct check_facts, wrong),
	COLUMN("worst_ratio", struct check_facts, worst_ratio),
};

struct case_row {
	int64_t judgement, number;
	const char *verdict;
};
static const struct column case_columns[] = {
	COLUMN("judgement", struct case_row, judgement),
	COLUMN("number", struct case_row, number),
	COLUMN("verdict", struct case_row, verdict),
};

static bool append_case(struct store *store, int64_t judgement, const struct judgement *item,
						size_t number, struct error *err)
{
	const struct case_result *result = &item->cases[number];
	const struct case_row row = {judgement, (int64_t)number, verdict_name(result->verdict)};
	const struct scalars_row scalars = {
		scalars_of_case(problem_find(item->problem), &result->test)};
	const struct column_part parts[] = {
		COLUMN_PART(case_columns, &row), COLUMN_PART(result_columns, result),
		COLUMN_PART(columns_of_shape, &result->test.shape), COLUMN_PART(scalars_columns, &scalars),
		COLUMN_PART(check_columns, result->checked ? &result->check : NULL)};
	bool ok = database_row_insert(store, "test_case", parts, PARTS(parts), err) >= 0;
	free(scalars.scalars);
	return ok;
}

struct counter_row {
	int64_t judgement;
	const char *kernel;
};
static const struct column kernel_columns[] = {COLUMN("judgement", struct counter_row, judgement),
											   COLUMN("kernel", struct counter_row, kernel)};
static const struct column counter_columns[] = {COLUMN("name", struct counter, name),
												COLUMN("value", struct counter, value)};

static bool append_counters(struct store *store, int64_t judgement, const struct judgement *item,
							struct error *err)
{
	for (size_t i = 0; i < item->kernel_count; i++)
		for (size_t k = 0; k < item->kernels[i].count; k++) {
			const struct counter_row row = {judgement, item->kernels[i].shown};
			const struct column_part parts[] = {
				COLUMN_PART(kernel_columns, &row),
				COLUMN_PART(counter_columns, &item->kernels[i].counters[k])};
			if (database_row_insert(store, "counter", parts, PARTS(parts), err) < 0)
				return false;
		}
	return true;
}

/* ---- times --------------------------------------------------------------------------- */

static const struct column timed_columns[] = {
	COLUMN("problem", struct timing_result, problem),
	COLUMN("name", struct timing_result, test.name),
	COLUMN("sm_clock_mhz_min", struct timing_result, sm_clock_mhz_min),
	COLUMN("sm_clock_mhz_median", struct timing_result, sm_clock_mhz_median),
	COLUMN("sm_clock_mhz_limit", struct timing_result, sm_clock_mhz_limit),
	COLUMN("throttled", struct timing_result, throttled),
	COLUMN("throttle_reason", struct timing_result, throttle_reason),
	COLUMN("wide", struct timing_result, wide),
	COLUMN("seconds", struct timing_result, seconds),
	COLUMN("input_sets", struct timing_result, sets),
};

struct timing_row {
	int64_t run;
	const char *clock;
};
static const struct column timing_columns[] = {COLUMN("run", struct timing_row, run),
											   COLUMN("clock", struct timing_row, clock)};

static int64_t append_timing_head(struct store *store, int64_t run,
								  const struct timing_result *timing, struct error *err)
{
	const struct timing_row row = {
		run, timing_clock_name(facts_use_span(timing) ? CLOCK_SPAN : CLOCK_EVENT)};
	const struct scalars_row scalars = {
		scalars_of_case(problem_find(timing->problem), &timing->test)};
	const struct column_part parts[] = {
		COLUMN_PART(timing_columns, &row), COLUMN_PART(timed_columns, timing),
		COLUMN_PART(columns_of_shape, &timing->test.shape), COLUMN_PART(scalars_columns, &scalars)};
	int64_t id = database_row_insert(store, "timing", parts, PARTS(parts), err);
	free(scalars.scalars);
	return id;
}

static const struct column entrant_columns[] = {
	COLUMN("label", struct timing_entry, label),
	COLUMN("ran", struct timing_entry, ran),
	COLUMN("detail", struct timing_entry, detail),
	COLUMN("seal_why", struct timing_entry, seal.why),
	COLUMN("outside", struct timing_entry, seal.outside),
	COLUMN("uncertainty", struct timing_entry, seal.uncertainty),
	COLUMN("floor", struct timing_entry, seal.floor),
	COLUMN("sealed_calls", struct timing_entry, seal.calls),
	COLUMN("sealed_passes", struct timing_entry, seal.passes),
	COLUMN("tflops", struct timing_entry, tflops),
	COLUMN("wrong", struct timing_entry, wrong),
};

static const struct column stats_columns[] = {
	COLUMN("samples", struct timing_stats, samples), COLUMN("median", struct timing_stats, median),
	COLUMN("low", struct timing_stats, low),         COLUMN("high", struct timing_stats, high),
	COLUMN("min", struct timing_stats, min),         COLUMN("p95", struct timing_stats, p95),
};

struct entry_row {
	int64_t timing, number;
	const char *role, *verdict, *clock, *seal;
	char *passes; /* owned */
};
static const struct column entry_columns[] = {
	COLUMN("timing", struct entry_row, timing),
	COLUMN("number", struct entry_row, number),
	COLUMN("role", struct entry_row, role),
	COLUMN("verdict", struct entry_row, verdict),
	COLUMN("clock", struct entry_row, clock),
	COLUMN("seal", struct entry_row, seal),
	COLUMN_AS(COLUMN_JSON, "passes", struct entry_row, passes, NULL),
};

struct entry_judgement {
	int64_t id;
};
static const struct column entry_judgement_columns[] = {
	COLUMN("judgement", struct entry_judgement, id)};

static char *dump_passes(const struct timing_passes *passes)
{
	json_t *list = json_array();
	for (uint32_t i = 0; passes != NULL && i < passes->count; i++)
		json_array_append_new(list, json_real((double)passes->microseconds[i]));
	return dump(list);
}

/* `judgement` is 0 for a library, whose column is NULL. */
static bool append_entry(struct store *store, int64_t timing, size_t number, int64_t judgement,
						 const struct timing_result *result, struct error *err)
{
	const struct timing_entry *entry = &result->entries[number];
	const struct facts_counted counted = facts_counted(result, entry);
	const struct entry_judgement of = {judgement};
	const struct entry_row row = {.timing = timing,
								  .number = (int64_t)number,
								  .role = timing_role_name(entry->role),
								  .verdict = verdict_name(entry->verdict),
								  .clock = counted.clock,
								  .seal = seal_state_name(entry->seal.state),
								  .passes = dump_passes(counted.passes ? &entry->passes : NULL)};
	const struct column_part parts[] = {
		COLUMN_PART(entry_columns, &row), COLUMN_PART(entrant_columns, entry),
		COLUMN_PART(stats_columns, counted.stats),
		COLUMN_PART(entry_judgement_columns, judgement > 0 ? &of : NULL)};
	bool ok = database_row_insert(store, "entry", parts, PARTS(parts), err) >= 0;
	free(row.passes);
	return ok;
}

/* The files come first, in a comparison twice; `ids` are of the judgements of its files. */
static bool append_timing(struct store *store, int64_t run, const struct timing_result *timing,
						  const int64_t *ids, size_t count, struct error *err)
{
	int64_t id = append_timing_head(store, run, timing, err);
	for (size_t i = 0, files = 0; i < timing->count && id >= 0; i++) {
		bool file = timing_is_file(&timing->entries[i]);
		int64_t judgement = !file || count == 0 ? 0 : ids[files++ % count];
		if (!append_entry(store, id, i, judgement, timing, err))
			id = -1;
	}
	return id >= 0;
}

/* ---- what is one transaction ------------------------------------------------------------ */

static int64_t append_judgement(struct store *store, int64_t run, const struct judgement *item,
								const char *as, struct error *err)
{
	struct judgement named;
	if (as != NULL) {
		named = *item;
		snprintf(named.file, sizeof named.file, "%s", as);
		item = &named;
	}
	int64_t submission = append_submission(store, item, err);
	int64_t id = submission < 0 ? -1 : append_head(store, run, submission, item, err);
	bool ok = id >= 0;
	for (size_t i = 0; i < item->count && ok; i++)
		ok = append_case(store, id, item, i, err);
	ok = ok && append_counters(store, id, item, err) &&
		 (!item->has_timing || append_timing(store, run, &item->timing, &id, 1, err)) &&
		 (!item->has_larger || append_timing(store, run, &item->larger, &id, 1, err));
	return ok ? id : -1;
}

/* The timings of bench and compare, each beside the files of its problem. */
static bool append_bench(struct store *store, int64_t run, const struct judgement_list *list,
						 const int64_t *ids, struct error *err)
{
	int64_t *members = calloc(list->count + 1, sizeof *members);
	bool ok = true;
	if (members == NULL)
		return error_set(err, "out of memory");
	for (size_t b = 0; b < list->bench_count && ok; b++) {
		size_t count = 0;
		for (size_t i = 0; i < list->count; i++)
			if (strcmp(list->items[i].problem, list->bench[b].problem) == 0)
				members[count++] = ids[i];
		ok = append_timing(store, run, &list->bench[b], members, count, err);
	}
	free(members);
	return ok;
}

/* Whether there is something to remember: its code was looked at. */
static bool was_judged(const struct judgement *item)
{
	return item->verdict != VERDICT_NOT_RUN && item->verdict != VERDICT_BAD_FILE;
}

/* Items from `first` to before `end`, and what they share. */
static bool append_items(struct store *store, struct store_run *run,
						 const struct judgement_list *list, size_t first, size_t end, int64_t *ids,
						 struct error *err)
{
	int64_t id = run->id;
	bool ok = database_execute(store, "BEGIN IMMEDIATE", err);
	if (!ok)
		return false;
	if (id == 0)
		id = append_run(store, run->mode, &list->facts, err);
	ok = id > 0;
	for (size_t i = first; i < end && ok; i++) {
		bool wanted = !run->stored[i] && was_judged(&list->items[i]);
		ids[i] = wanted ? append_judgement(store, id, &list->items[i], run->as, err) : 0;
		ok = ids[i] >= 0;
	}
	ok = ok && (list->bench_count == 0 || append_bench(store, id, list, ids, err)) &&
		 database_execute(store, "COMMIT", err);
	if (!ok) {
		sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
		return false;
	}
	run->id = id;
	for (size_t i = first; i < end; i++)
		run->stored[i] = run->stored[i] || ids[i] > 0;
	return true;
}

static bool append_all(struct store *store, struct store_run *run,
					   const struct judgement_list *list, int64_t *ids, struct error *err)
{
	bool ok = true;
	if (list->bench_count > 0)
		return append_items(store, run, list, 0, list->count, ids, err);
	for (size_t i = 0; i < list->count && ok; i++)
		if (!run->stored[i] && was_judged(&list->items[i]))
			ok = append_items(store, run, list, i, i + 1, ids, err);
	return ok;
}

bool store_append(struct store_run *run, const struct judgement_list *list, struct error *err)
{
	if (run->stored == NULL)
		run->stored = calloc(list->count + 1, sizeof *run->stored);
	int64_t *ids = calloc(list->count + 1, sizeof *ids);
	if (run->stored == NULL || ids == NULL) {
		free(ids);
		return error_set(err, "out of memory");
	}
	struct store *store = database_open(run->path, store_schema, true, err);
	bool ok = store != NULL && append_all(store, run, list, ids, err);
	database_close(store);
	free(ids);
	return ok;
}

void store_run_free(struct store_run *run)
{
	free(run->stored);
	run->stored = NULL;
}

bool store_probe(const char *path, struct error *err)
{
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return true;
	struct store *store = database_open(path, store_schema, true, err);
	database_close(store);
	return store != NULL;
}

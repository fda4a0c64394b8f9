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
#include "process/jail.h"
#include "report/clean.h"
#include "report/facts.h"
#include "store/database.h"
#include "store/scalars.h"
#include "store/store.h"

static void row_seed(struct row_in *row, uint64_t seed)
{
	char digits[32]; /* as JSON has it: SQLite's integers have a sign */
	snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)seed);
	row_text(row, digits);
}

static void row_shape(struct row_in *row, const struct shape *shape)
{
	static const enum size order[] = {SIZE_M, SIZE_N, SIZE_K, SIZE_BATCH, SIZE_GROUP};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		row_integer(row, shape->size[order[i]]);
}

static void row_scalars(struct row_in *row, const char *problem, const struct test_case *test)
{
	char *text = scalars_of_case(problem_find(problem), test);
	row_text(row, text != NULL ? text : "{}");
	free(text);
}

/* A list as JSON; owned by the caller. */
static char *dump(json_t *list)
{
	char *text = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(9));
	json_decref(list);
	return text;
}

/* ---- a run ------------------------------------------------------------------------- */

static void run_device(struct row_in *row, const struct run_facts *facts)
{
	const struct device_facts *device = &facts->device;
	row_text(row, facts->device_kind == DEVICE_CUDA ? "cuda" : "emulated");
	row_clean(row, device->name);
	row_clean(row, device->architecture);
	row_integer(row, device->multiprocessors);
	row_integer(row, (int64_t)device->memory_bytes);
	row_integer(row, (int64_t)device->l2_bytes);
	row_real(row, device->sm_clock_khz / 1000.0);
	row_clean(row, device->pci_bus_id);
	row_clean(row, device->driver);
	row_clean(row, device->runtime);
	row_clean(row, device->library);
}

/* A NULL-ended list, or NULL. */
static void row_texts(struct row_in *row, const char *const *texts)
{
	json_t *list = json_array();
	for (; texts != NULL && *texts != NULL; texts++) {
		char *clean = clean_text(*texts);
		json_array_append_new(list, json_string(clean != NULL ? clean : ""));
		free(clean);
	}
	char *text = dump(list);
	row_text(row, text != NULL ? text : "[]");
	free(text);
}

static int64_t append_run(struct store *store, const char *mode, const struct run_facts *facts,
						  struct error *err)
{
	struct utsname host = {0};
	struct row_in row =
		row_in(store, "run",
			   "started,mode,host,kernel,version,source_commit,command,seed,suites,sizes,max_dim,"
			   "multiple_of,tolerance,epilogue,tool,nvcc_flags,device_kind,device,architecture,"
			   "multiprocessors,memory_bytes,l2_bytes,sm_clock_mhz,pci_bus_id,driver,runtime,"
			   "library",
			   err);
	uname(&host);
	row_text(&row, facts->started);
	row_text(&row, mode);
	row_clean(&row, host.nodename);
	row_clean(&row, host.release);
	row_text(&row, facts->version);
	row_text(&row, commit_of_build());
	row_clean(&row, facts->command);
	row_seed(&row, facts->seed);
	row_texts(&row, facts->suites);
	row_text(&row, facts->sizes);
	row_integer(&row, facts->max_dim);
	row_integer(&row, facts->multiple);
	row_clean(&row, facts->tolerance);
	row_clean(&row, facts->epilogue);
	row_clean(&row, facts->tool);
	row_texts(&row, facts->nvcc_flags);
	run_device(&row, facts);
	return row_insert(&row);
}

/* ---- a judgement --------------------------------------------------------------------- */

static int64_t append_submission(struct store *store, const struct judgement *item,
								 struct error *err)
{
	char path[PATHS_MAX];
	bool failed = true;
	int64_t id = -1;
	paths_absolute(item->file, path);
	char *clean = clean_text(path);
	sqlite3_stmt *find =
		database_prepare(store, "SELECT id FROM submission WHERE content = ?1 AND path = ?2", err);
	if (find != NULL) {
		sqlite3_bind_text(find, 1, item->content, -1, SQLITE_STATIC);
		sqlite3_bind_text(find, 2, clean, -1, SQLITE_STATIC);
		if (database_next(store, find, &failed, err))
			id = sqlite3_column_int64(find, 0);
		sqlite3_finalize(find);
	}
	if (!failed && id < 0) {
		struct row_in row = row_in(store, "submission", "content,path", err);
		row_text(&row, item->content);
		row_text(&row, clean);
		id = row_insert(&row);
	}
	free(clean);
	return id;
}

/* NULL where nothing of it was run. */
static void row_guarantees(struct row_in *row, const struct judgement *item)
{
	char names[256] = "";
	unsigned layer;
	const char *name;
	if (!item->was_run) {
		row_null(row);
		return;
	}
	for (size_t i = 0, used = 0; (name = jail_name(i, &layer)) != NULL; i++)
		if ((item->layers & layer) != 0)
			used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? "," : "",
									 name);
	row_text(row, names);
}

static int64_t append_head(struct store *store, int64_t run, int64_t submission,
						   const struct judgement *item, struct error *err)
{
	char now[CLOCK_DATE];
	clock_date(now);
	struct row_in row = row_in(store, "judgement",
							   "run,submission,ended,file,problem,verdict,detail,guarantees,"
							   "compile_seconds,compile_cached,cases,accepted,timing_note,"
							   "schedule",
							   err);
	row_integer(&row, run);
	row_integer(&row, submission);
	row_text(&row, now);
	row_clean(&row, item->file);
	row_text(&row, item->problem);
	row_text(&row, verdict_name(item->verdict));
	row_clean(&row, item->detail);
	row_guarantees(&row, item);
	row_real(&row, item->compile_seconds);
	row_integer(&row, item->compile_cached);
	row_integer(&row, (int64_t)item->count);
	row_integer(&row, (int64_t)item->accepted);
	row_clean(&row, item->timing_note);
	if (item->schedule[0] != '\0')
		row_clean(&row, item->schedule);
	else
		row_null(&row);
	return row_insert(&row);
}

static bool append_case(struct store *store, int64_t judgement, const struct judgement *item,
						size_t number, struct error *err)
{
	const struct case_result *result = &item->cases[number];
	struct row_in row = row_in(store, "test_case",
							   "judgement,number,name,m,n,k,batch,group_size,scalars,seed,exact,"
							   "verdict,detail,seconds,wrong,worst_ratio",
							   err);
	row_integer(&row, judgement);
	row_integer(&row, (int64_t)number);
	row_clean(&row, result->test.name);
	row_shape(&row, &result->test.shape);
	row_scalars(&row, item->problem, &result->test);
	row_seed(&row, result->test.seed);
	row_integer(&row, result->test.exact);
	row_text(&row, verdict_name(result->verdict));
	row_clean(&row, result->detail);
	row_real(&row, result->seconds);
	if (result->checked) {
		row_integer(&row, (int64_t)result->check.wrong);
		row_real(&row, result->check.worst_ratio);
	}
	return row_insert(&row) >= 0;
}

static bool append_counters(struct store *store, int64_t judgement, const struct judgement *item,
							struct error *err)
{
	for (size_t i = 0; i < item->kernel_count; i++)
		for (size_t k = 0; k < item->kernels[i].count; k++) {
			struct row_in row = row_in(store, "counter", "judgement,kernel,name,value", err);
			row_integer(&row, judgement);
			row_clean(&row, item->kernels[i].shown);
			row_clean(&row, item->kernels[i].counters[k].name);
			row_integer(&row, (int64_t)item->kernels[i].counters[k].value);
			if (row_insert(&row) < 0)
				return false;
		}
	return true;
}

/* ---- times --------------------------------------------------------------------------- */

static int64_t append_timing_head(struct store *store, int64_t run,
								  const struct timing_result *timing, struct error *err)
{
	struct row_in row = row_in(store, "timing",
							   "run,problem,name,m,n,k,batch,group_size,scalars,clock,"
							   "sm_clock_mhz_min,sm_clock_mhz_median,sm_clock_mhz_limit,throttled,"
							   "throttle_reason,wide,seconds,input_sets",
							   err);
	row_integer(&row, run);
	row_text(&row, timing->problem);
	row_clean(&row, timing->test.name);
	row_shape(&row, &timing->test.shape);
	row_scalars(&row, timing->problem, &timing->test);
	row_text(&row, facts_use_span(timing) ? "span" : "event");
	row_real(&row, timing->sm_clock_mhz_min);
	row_real(&row, timing->sm_clock_mhz_median);
	row_real(&row, timing->sm_clock_mhz_limit);
	row_integer(&row, timing->throttled);
	row_clean(&row, timing->throttle_reason);
	row_integer(&row, timing->wide);
	row_real(&row, timing->seconds);
	row_integer(&row, timing->sets);
	return row_insert(&row);
}

static void row_times(struct row_in *row, const struct facts_counted *counted)
{
	row_text(row, counted->clock);
	row_integer(row, counted->stats->samples);
	row_real(row, counted->stats->median);
	row_real(row, counted->stats->low);
	row_real(row, counted->stats->high);
	row_real(row, counted->stats->min);
	row_real(row, counted->stats->p95);
}

static void row_seal(struct row_in *row, const struct timing_seal *seal)
{
	static const char *const states[] = {[SEAL_NONE] = "none",
										 [SEAL_CONFIRMED] = "confirmed",
										 [SEAL_OUTSIDE] = "outside",
										 [SEAL_UNCERTAIN] = "not_confirmed"};
	row_text(row, states[seal->state]);
	row_clean(row, seal->why);
	row_real(row, seal->outside);
	row_real(row, seal->uncertainty);
	row_real(row, seal->floor);
	row_integer(row, seal->calls);
	row_integer(row, seal->passes);
}

static void row_passes(struct row_in *row, const struct timing_passes *passes)
{
	json_t *list = json_array();
	for (uint32_t i = 0; passes != NULL && i < passes->count; i++)
		json_array_append_new(list, json_real((double)passes->microseconds[i]));
	char *text = dump(list);
	row_text(row, text != NULL ? text : "[]");
	free(text);
}

/* `judgement` is 0 for a library. */
static bool append_entry(struct store *store, int64_t timing, size_t number, int64_t judgement,
						 const struct timing_result *result, struct error *err)
{
	static const char *const roles[] = {[TIMING_FILE] = "file",
										[TIMING_FILE_PLAIN] = "file without epilogue",
										[TIMING_LIBRARY] = "library"};
	const struct timing_entry *entry = &result->entries[number];
	const struct facts_counted counted = facts_counted(result, entry);
	struct row_in row =
		row_in(store, "entry",
			   "timing,number,judgement,label,role,ran,verdict,detail,clock,samples,median,low,"
			   "high,min,p95,seal,seal_why,outside,uncertainty,floor,sealed_calls,sealed_passes,"
			   "tflops,wrong,passes",
			   err);
	row_integer(&row, timing);
	row_integer(&row, (int64_t)number);
	if (judgement > 0)
		row_integer(&row, judgement);
	else
		row_null(&row);
	row_clean(&row, entry->label);
	row_text(&row, roles[entry->role]);
	row_integer(&row, entry->ran);
	row_text(&row, verdict_name(entry->verdict));
	row_clean(&row, entry->detail);
	row_times(&row, &counted);
	row_seal(&row, &entry->seal);
	row_real(&row, entry->tflops);
	row_integer(&row, (int64_t)entry->wrong);
	row_passes(&row, counted.passes ? &entry->passes : NULL);
	return row_insert(&row) >= 0;
}

/* The files come first, in a comparison twice; `ids` are of the judgements of its files. */
static bool append_timing(struct store *store, int64_t run, const struct timing_result *timing,
						  const int64_t *ids, size_t count, struct error *err)
{
	int64_t id = append_timing_head(store, run, timing, err);
	for (size_t i = 0, files = 0; i < timing->count && id >= 0; i++) {
		bool library = timing->entries[i].role == TIMING_LIBRARY;
		int64_t judgement = library || count == 0 ? 0 : ids[files++ % count];
		if (!append_entry(store, id, i, judgement, timing, err))
			id = -1;
	}
	return id >= 0;
}

/* ---- what is one transaction ------------------------------------------------------------ */

static int64_t append_judgement(struct store *store, int64_t run, const struct judgement *item,
								struct error *err)
{
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
		ids[i] = wanted ? append_judgement(store, id, &list->items[i], err) : 0;
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

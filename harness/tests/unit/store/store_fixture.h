/* Judgements made up here, to be remembered: used by test_store.c, test_leaderboard.c and
 * make_store.c. */
#ifndef GEMMJUDGE_TESTS_STORE_FIXTURE_H
#define GEMMJUDGE_TESTS_STORE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/query.h"
#include "store/store.h"

#define FIXTURE_PASSES 8

static inline void fixture_demand(bool ok, const struct error *err)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", err->message);
	abort();
}

/* Passes around a median, all of them different. */
static inline void fixture_time(struct timing_entry *entry, double median, enum seal_state seal)
{
	entry->ran = true;
	entry->span = (struct timing_stats){.samples = 100,
										.median = median,
										.min = 0.99 * median,
										.p95 = 1.01 * median,
										.low = 0.999 * median,
										.high = 1.001 * median};
	entry->event = entry->span;
	entry->seal.state = seal;
	entry->seal.host_side = 1.2 * median;
	if (seal == SEAL_HOST_SIDE) {
		entry->seal.shown = entry->span;
		entry->seal.shown.median = 1.2 * median;
		entry->seal.shown.low = 1.15 * median;
		entry->seal.shown.high = 1.25 * median;
	}
	entry->passes.count = FIXTURE_PASSES;
	for (int i = 0; i < FIXTURE_PASSES; i++)
		entry->passes.microseconds[i] =
			(float)((seal == SEAL_HOST_SIDE ? 1.2 : 1.0) * median * (1.0 + 0.0005 * (i - 3.5)));
}

static inline struct timing_result fixture_timing(const char *label, int size, double median,
												  enum seal_state seal)
{
	const struct problem *problem = problem_find("gemm-f16");
	struct shape shape = {{1, size, size, size, 1}};
	struct timing_result timing = {.test = case_of_shape(problem, &shape, NULL, 1), .count = 2};
	snprintf(timing.problem, sizeof timing.problem, "gemm-f16");
	timing.entries = calloc(2, sizeof *timing.entries);
	snprintf(timing.entries[0].label, sizeof timing.entries[0].label, "%s", label);
	snprintf(timing.entries[1].label, sizeof timing.entries[1].label, "cuBLAS");
	timing.entries[1].role = TIMING_LIBRARY;
	fixture_time(&timing.entries[0], median, seal);
	fixture_time(&timing.entries[1], 10.0, SEAL_CONFIRMED);
	timing.sm_clock_mhz_median = 1980;
	return timing;
}

/* A run of `judge` on one file that was accepted. */
static inline struct judgement_list fixture_judged(const char *file, const char *content)
{
	struct judgement_list list = {.count = 1, .items = calloc(1, sizeof *list.items)};
	list.facts = (struct run_description){.version = "1.2.3",
										  .started = "2026-11-20T14:00:00Z",
										  .device_kind = DEVICE_CUDA,
										  .seed = 7,
										  .tolerance = "bound",
										  .command = "gemmjudge judge a.cu"};
	snprintf(list.facts.device.name, sizeof list.facts.device.name, "NVIDIA H200");
	struct judgement *item = &list.items[0];
	snprintf(item->file, sizeof item->file, "%s", file);
	snprintf(item->problem, sizeof item->problem, "gemm-f16");
	snprintf(item->content, sizeof item->content, "%s", content);
	item->count = item->accepted = 2;
	item->cases = calloc(2, sizeof *item->cases);
	for (size_t i = 0; i < 2; i++) {
		item->cases[i].test =
			case_generate(problem_find("gemm-f16"), 7, i, CASE_SIZES_MIXED, 64, 1);
		item->cases[i].checked = true;
	}
	return list;
}

static inline struct judgement_list fixture_timed(const char *file, const char *content,
												  double median, enum seal_state seal)
{
	struct judgement_list list = fixture_judged(file, content);
	list.items[0].has_timing = true;
	list.items[0].timing = fixture_timing(file, 1024, median, seal);
	return list;
}

/* Into the store, and gone; `job` is the submission to a server that was judged, or NULL. */
static inline void fixture_append_job(const char *path, struct judgement_list list,
									  const char *mode, const char *job)
{
	struct error err;
	struct store_run run = {.path = path, .mode = mode, .job = job};
	fixture_demand(store_append(&run, &list, &err), &err);
	store_run_free(&run);
	judgement_list_free(&list);
}

static inline void fixture_append(const char *path, struct judgement_list list, const char *mode)
{
	fixture_append_job(path, list, mode, NULL);
}

static inline struct measured_list fixture_found(const char *path,
												 const struct store_filter *filter)
{
	struct error err;
	struct measured_list list;
	fixture_demand(store_find(path, filter, &list, &err), &err);
	return list;
}

static inline struct measured_list fixture_all(const char *path)
{
	return fixture_found(path, &(struct store_filter){0});
}

#endif

/* Writes the page of a run that never was, so that tests and those who change pages have times on
 * every machine: of `judge` over several files or a class's, or of `bench` or `compare` over many
 * shapes, in bursts or in a steady stream.
 * usage: make_page judge|bench|compare|steady|steady_compare|class|hostile FILE */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/jail.h"
#include "report/report.h"

/* Markup and controls, wherever somebody else's text may stand. */
#define HOSTILE "\"><img src=x onerror=alert(1)><script>alert(2)</script>'\x1b[31m\xff\n</title>"

static struct test_case case_at(const char *name, int m, int n, int k)
{
	const struct problem *problem = problem_find("gemm-f16");
	struct shape shape = {{1, m, n, k, 1}};
	struct test_case test = case_of_shape(problem, &shape, NULL, 7);
	snprintf(test.name, sizeof test.name, "%s", name);
	return test;
}

static struct judgement_list list_of(size_t files, const char *command)
{
	struct judgement_list list = {.count = files, .items = calloc(files, sizeof *list.items)};
	list.facts = (struct run_description){.version = "0.0.0",
										  .started = "2026-11-20T14:00:00Z",
										  .device_kind = DEVICE_CUDA,
										  .seed = 0x1234,
										  .tolerance = "bound"};
	list.facts.device = (struct device_properties){.name = "Made-up GPU",
												   .architecture = "90a",
												   .multiprocessors = 132,
												   .sm_clock_khz = 1980000,
												   .memory_bytes_per_second = 4.8e12,
												   .driver = "580.0",
												   .library = "cuBLAS 13.1.0"};
	snprintf(list.facts.command, sizeof list.facts.command, "%s", command);
	return list;
}

static void file_named(struct judgement *item, const char *file, enum verdict verdict)
{
	snprintf(item->file, sizeof item->file, "%s", file);
	snprintf(item->problem, sizeof item->problem, "gemm-f16");
	item->verdict = verdict;
	item->was_run = verdict != VERDICT_COMPILE_ERROR;
	item->layers = LAYER_ALL;
	if (!item->was_run)
		return;
	item->count = item->accepted = 8;
	item->cases = calloc(item->count, sizeof *item->cases);
	for (size_t i = 0; i < item->count; i++) {
		char name[32];
		snprintf(name, sizeof name, "random-%zu", i);
		item->cases[i].test = case_at(name, 100 + 60 * (int)i, 256, 64 << i % 3);
		item->cases[i].checked = true;
		item->cases[i].seconds = 0.01 * (double)(i + 1);
		item->cases[i].check.elements = shape_rows(&item->cases[i].test.shape) * 256;
		item->cases[i].check.worst_ratio = 0.1 * (double)(i + 1);
	}
}

/* Rows from the last multiple of 64 on are wrong. */
static void case_fails(struct judgement *item, size_t index)
{
	struct case_result *result = &item->cases[index];
	int rows = result->test.shape.size[SIZE_M], first = rows / 64 * 64;
	item->accepted--;
	result->verdict = VERDICT_WRONG_ANSWER;
	result->check.wrong = (uint64_t)(rows - first) * 256;
	result->check.worst_ratio = INFINITY;
	result->check.shown = 2;
	result->check.first[0] = (struct wrong_element){first, 0, 0, NAN, -0.75, 1.5e-4};
	result->check.first[1] = (struct wrong_element){first, 1, 1, 0, 0.25, 1.25e-4};
	snprintf(result->detail, sizeof result->detail,
			 "%llu of %llu elements wrong, the first at row %d, column 0",
			 (unsigned long long)result->check.wrong, (unsigned long long)result->check.elements,
			 first);
	result->wrong = calloc(1, sizeof *result->wrong);
	result->wrong->wrong = result->check.wrong;
	result->wrong->places.top = first;
	result->wrong->places.bottom = rows - 1;
	result->wrong->places.right = 255;
	struct wrong_map *map = &result->wrong->map;
	map->height = 16;
	map->width = 8;
	map->rows = (uint32_t)(rows + 15) / 16;
	map->columns = 32;
	for (uint32_t i = 0; i < map->rows * 32; i++) {
		int top = (int)(i / 32) * 16, bottom = top + 16 < rows ? top + 16 : rows;
		if (top >= first)
			map->wrong[i / 32][i % 32] = (uint32_t)(bottom - top) * 8;
	}
}

static struct timing_stats stats_around(double median, double spread)
{
	return (struct timing_stats){.samples = 100,
								 .median = median,
								 .min = median * (1 - spread),
								 .p95 = median * (1 + 3 * spread),
								 .low = median * (1 - spread / 4),
								 .high = median * (1 + spread / 4)};
}

static void entry_takes(struct timing_entry *entry, const char *label, enum timing_role role,
						double median)
{
	*entry = (struct timing_entry){.role = role, .ran = true};
	snprintf(entry->label, sizeof entry->label, "%s", label);
	entry->span = stats_around(median, 0.02);
	entry->event = stats_around(median + 4, 0.05);
	entry->activities = 1;
	entry->seal =
		(struct timing_seal){.state = SEAL_CONFIRMED, .host_side = median * 1.01, .uncertainty = 2};
}

/* What a library takes: at most 80% of an H200, and 3 us. */
static double library_time(const struct shape *shape)
{
	return 3.0 + 2.0 * shape_terms(shape) / 800e12 * 1e6;
}

/* Files of these times, in parts of the library's, then the libraries. */
static struct timing_result timing_of(int m, int n, int k, const char *const *labels,
									  const double *parts, size_t files)
{
	struct timing_result timing = {.test = case_at("timing", m, n, k), .count = files + 2};
	double library = library_time(&timing.test.shape);
	snprintf(timing.problem, sizeof timing.problem, "gemm-f16");
	timing.entries = calloc(timing.count, sizeof *timing.entries);
	for (size_t i = 0; i < files; i++)
		entry_takes(&timing.entries[i], labels[i], TIMING_FILE, library * parts[i]);
	entry_takes(&timing.entries[files], "cuBLAS", TIMING_LIBRARY, library * 1.04);
	entry_takes(&timing.entries[files + 1], "cuBLASLt", TIMING_LIBRARY, library);
	timing.sm_clock_mhz_min = 1965;
	timing.sm_clock_mhz_median = timing.sm_clock_mhz_limit = 1980;
	timing.sets = 24;
	return timing;
}

static void file_timed(struct judgement *item, double part)
{
	const char *slash = strrchr(item->file, '/');
	const char *label = slash != NULL ? slash + 1 : item->file;
	item->has_timing = true;
	item->timing = timing_of(4096, 4096, 4096, &label, &part, 1);
}

static void kernels_take(struct judgement *item, const char *name)
{
	item->uses = calloc(2, sizeof *item->uses);
	item->use_count = 2;
	snprintf(item->uses_of, sizeof item->uses_of, "sm_90a");
	for (size_t i = 0; i < item->use_count; i++) {
		item->uses[i] = (struct kernel_use){.registers = 168, .shared_bytes = 49152};
		snprintf(item->uses[i].name, KERNEL_USE_NAME, "%s<__nv_bfloat16, %zu>", name, i + 1);
	}
	item->uses[1].spill_stores = item->uses[1].spill_loads = item->uses[1].stack_bytes = 1048576;
	item->cases[0].facts.peak_bytes = 2147483648;
}

static struct judgement_list judged(void)
{
	struct judgement_list list =
		list_of(6, "gemmjudge judge --seed 0x1234 --device cuda class/gemm_f16");
	file_named(&list.items[0], "class/gemm_f16/anna.cu", VERDICT_ACCEPTED);
	file_timed(&list.items[0], 0.98);
	kernels_take(&list.items[0], "hopper::gemm_with_a_rather_long_name");
	file_named(&list.items[1], "class/gemm_f16/bert_with_a_rather_long_name_for_a_kernel.cu",
			   VERDICT_WRONG_ANSWER);
	case_fails(&list.items[1], 2);
	case_fails(&list.items[1], 5);
	snprintf(list.items[1].detail, sizeof list.items[1].detail, "random-2: %.900s",
			 list.items[1].cases[2].detail);
	list.items[1].hint_count = 1;
	snprintf(list.items[1].hints[0], sizeof list.items[1].hints[0],
			 "all wrong elements lie in the last rows, beyond a multiple of 64: are rows that do "
			 "not fill a tile left out?");
	file_named(&list.items[2], "class/gemm_f16/clara.cu", VERDICT_COMPILE_ERROR);
	snprintf(list.items[2].detail, sizeof list.items[2].detail,
			 "clara.cu(3): error: expected a \";\"");
	list.items[2].compile_log = strdup("clara.cu(3): error: expected a \";\"\n  int x = 1 y\n"
									   "            ^\n\n1 error detected\n");
	file_named(&list.items[3], "class/gemm_f16/dora.cu", VERDICT_ACCEPTED);
	file_timed(&list.items[3], 1.9);
	list.items[3].timing.throttled = true;
	snprintf(list.items[3].timing.throttle_reason, 96, "power cap");
	file_named(&list.items[4], "class/gemm_f16/emil.cu", VERDICT_ACCEPTED);
	file_timed(&list.items[4], 14.0);
	file_named(&list.items[5], "class/gemm_f16/fritz.cu", VERDICT_UNSUPPORTED);
	snprintf(list.items[5].detail, sizeof list.items[5].detail, "needs compute capability 10.0");
	return list;
}

/* Each file once more without the epilogue, and libraries that have it as a kernel of their own. */
static void with_epilogue(struct timing_result *timing, const char *const *labels)
{
	struct timing_entry *entries = calloc(6, sizeof *entries);
	for (size_t f = 0; f < 2; f++) {
		double fused = timing->entries[f].span.median;
		entry_takes(&entries[f], labels[f], TIMING_FILE, fused);
		entry_takes(&entries[2 + f], labels[f], TIMING_FILE_PLAIN, fused * 0.96);
	}
	entry_takes(&entries[4], "cuBLAS+kernel", TIMING_LIBRARY, 1.6 * timing->entries[2].span.median);
	entry_takes(&entries[5], "cuBLASLt", TIMING_LIBRARY, 1.1 * timing->entries[3].span.median);
	free(timing->entries);
	timing->entries = entries;
	timing->count = 6;
}

static struct judgement_list benched(bool compare)
{
	static const int sizes[] = {128, 200, 256, 333, 512, 600, 777, 1024, 1536, 2000, 2049, 4096};
	static const char *const labels[] = {"02_tiled.cu", "hopper.cu"};
	const size_t count = sizeof sizes / sizeof *sizes;
	struct judgement_list list = list_of(2, compare ? "gemmjudge compare -e bias,gelu a.cu"
													: "gemmjudge bench --cases 12 a.cu b.cu");
	file_named(&list.items[0], "solutions/gemm_f16/02_tiled.cu", VERDICT_ACCEPTED);
	file_named(&list.items[1], "solutions/gemm_f16/hopper.cu", VERDICT_ACCEPTED);
	list.compare = compare;
	list.bench_count = compare ? 5 : count;
	list.bench = calloc(list.bench_count, sizeof *list.bench);
	if (compare)
		snprintf(list.facts.epilogue, sizeof list.facts.epilogue, "bias,gelu");
	for (size_t i = 0; i < list.bench_count; i++) {
		double slope = 0.1 * sin((double)i), parts[] = {3.0 - 2 * slope, 0.97 + slope};
		list.bench[i] =
			timing_of(sizes[i], sizes[(i * 5) % count], sizes[(i * 7) % count], labels, parts, 2);
		if (compare)
			with_epilogue(&list.bench[i], labels);
	}
	return list;
}

/* What it takes in a steady stream, where the clock falls until the power is the limit's. */
static void entry_streams(struct timing_entry *entry)
{
	double us = 1.25 * entry->span.median, watts = us > 20 ? 700 : 350;
	entry->seal = (struct timing_seal){.state = SEAL_NONE};
	entry->steady =
		(struct timing_steady){.time = {5, us, 0.998 * us, 1.004 * us, 0.998 * us, 1.004 * us},
							   .joules = 1e-6 * us * watts,
							   .watts = watts,
							   .mhz = watts > 500 ? 1395 : 1980,
							   .calls = (uint64_t)(3.5e6 / us)};
}

static struct judgement_list streamed(bool compare)
{
	struct judgement_list list = benched(compare);
	while (list.bench_count > 5) /* of more a page has fewer details */
		free(list.bench[--list.bench_count].entries);
	for (size_t i = 0; i < list.bench_count; i++) {
		struct timing_result *timing = &list.bench[i];
		for (size_t e = 0; e < timing->count; e++)
			entry_streams(&timing->entries[e]);
		timing->warm_up = 6.2;
		timing->settled = i != 3;
		timing->sm_clock_mhz_min = 1380;
		timing->sm_clock_mhz_median = 1395;
	}
	return list;
}

/* 13 students, most of whom have cases to look at. */
static struct judgement_list of_class(void)
{
	struct judgement_list list = list_of(13, "gemmjudge judge --seed 0x1234 --device emu class");
	list.facts.device_kind = DEVICE_EMULATED;
	for (size_t i = 0; i < list.count; i++) {
		struct judgement *item = &list.items[i];
		char file[64];
		snprintf(file, sizeof file, "class/student_%02zu.cu", i + 1);
		file_named(item, file, i % 4 == 0 ? VERDICT_ACCEPTED : VERDICT_WRONG_ANSWER);
		if (i % 4 == 0)
			continue;
		case_fails(item, 2);
		case_fails(item, 5);
		item->hint_count = 1;
		snprintf(item->hints[0], sizeof item->hints[0], "rows beyond a multiple of 64 are wrong");
	}
	return list;
}

/* As `judge`, where every text is one that wants to be markup. */
static struct judgement_list hostile(void)
{
	struct judgement_list list = judged();
	struct run_description *facts = &list.facts;
	while (list.count > 3) /* one of each kind is enough, and opened faster */
		judgement_free(&list.items[--list.count]);
	snprintf(facts->device.name, sizeof facts->device.name, "%s", HOSTILE);
	snprintf(facts->tool, sizeof facts->tool, "%s", HOSTILE);
	snprintf(facts->epilogue, sizeof facts->epilogue, "%s", HOSTILE);
	snprintf(facts->command, sizeof facts->command, "%s", HOSTILE);
	for (size_t i = 0; i < list.count; i++) {
		struct judgement *item = &list.items[i];
		snprintf(item->file, sizeof item->file, "%zu%s.cu", i, HOSTILE);
		snprintf(item->detail, sizeof item->detail, "%s", HOSTILE);
		snprintf(item->hints[0], sizeof item->hints[0], "%s", HOSTILE);
		item->hint_count = 1;
		free(item->compile_log);
		item->compile_log = strdup(HOSTILE);
		for (size_t u = 0; u < item->use_count; u++)
			snprintf(item->uses[u].name, KERNEL_USE_NAME, "%s", HOSTILE);
		item->tool_report = strdup(HOSTILE);
		for (size_t k = 0; k < item->count; k++) {
			item->cases[k].output = strdup(HOSTILE);
			snprintf(item->cases[k].detail, sizeof item->cases[k].detail, "%s", HOSTILE);
		}
		for (size_t e = 0; item->has_timing && e < item->timing.count; e++)
			snprintf(item->timing.entries[e].label, sizeof item->timing.entries[e].label, "%.60s",
					 HOSTILE);
	}
	return list;
}

int main(int argc, char **argv)
{
	struct judgement_list list;
	struct error err = {{0}};
	if (argc == 3 && strcmp(argv[1], "judge") == 0)
		list = judged();
	else if (argc == 3 && strcmp(argv[1], "bench") == 0)
		list = benched(false);
	else if (argc == 3 && strcmp(argv[1], "compare") == 0)
		list = benched(true);
	else if (argc == 3 && strcmp(argv[1], "steady") == 0)
		list = streamed(false);
	else if (argc == 3 && strcmp(argv[1], "steady_compare") == 0)
		list = streamed(true);
	else if (argc == 3 && strcmp(argv[1], "class") == 0)
		list = of_class();
	else if (argc == 3 && strcmp(argv[1], "hostile") == 0)
		list = hostile();
	else {
		fputs("usage: make_page judge|bench|compare|steady|steady_compare|class|hostile FILE\n",
			  stderr);
		return 2;
	}
	bool written = report_save(argv[2], report_html, &list, &err);
	if (!written)
		fprintf(stderr, "make_page: %s\n", err.message);
	judgement_list_free(&list);
	return written ? 0 : 1;
}

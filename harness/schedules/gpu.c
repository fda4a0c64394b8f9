#include "schedules/gpu.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "gpu/models.h"

#define KIB 1024

#define L2_BYTES_PER_CLOCK 64 /* of a multiprocessor, at most: for GPUs that are no row */

static_assert(UNIT_COUNT == GPU_UNITS, "the columns of gpu_capability.multiply_adds");

/* Shared memory gives 32 banks of 4 bytes a clock on all of them. */
static bool limits_apply(int compute, struct tune_gpu *gpu)
{
	const struct gpu_capability *of = gpu_capability_of(compute);
	if (of == NULL)
		return false;
	gpu->compute = compute;
	gpu->fma_lanes = of->fma_lanes;
	memcpy(gpu->multiply_adds, of->multiply_adds, sizeof gpu->multiply_adds);
	gpu->shared_bytes_per_clock = 32 * 4;
	gpu->shared_per_multiprocessor = (int64_t)of->shared_kib * KIB;
	gpu->shared_per_block = (int64_t)of->shared_block_kib * KIB;
	gpu->shared_reserved = of->shared_reserved;
	gpu->registers_per_multiprocessor = 65536;
	gpu->registers_per_thread = 255;
	gpu->threads_per_block = 1024;
	gpu->threads_per_multiprocessor = of->threads;
	gpu->blocks_per_multiprocessor = of->blocks;
	return true;
}

static void model_apply(const struct gpu_model *model, struct tune_gpu *out)
{
	*out = (struct tune_gpu){.multiprocessors = model->multiprocessors,
							 .clock_mhz = model->clock_mhz,
							 .dram_bytes_per_second = model->dram,
							 .l2_bytes_per_second = model->l2,
							 .l2_bytes = (int64_t)model->l2_mib * KIB * KIB};
	snprintf(out->id, sizeof out->id, "%s", model->id);
	snprintf(out->name, sizeof out->name, "%s", model->name);
	limits_apply(model->compute, out);
}

#define NEAREST "the nearest one"

static const struct gpu_model *model_meant(const char *word)
{
	const struct gpu_model *model;
	for (size_t i = 0; (model = gpu_model_at(i)) != NULL; i++)
		if (suggest_means(model->also, word))
			return model;
	return NULL;
}

static size_t count_of(const char *const *names)
{
	size_t count = 0;
	while (names[count] != NULL)
		count++;
	return count;
}

const char *gpu_suggest(char out[SUGGEST_TEXT], const char *word)
{
	const struct gpu_model *model = model_meant(word);
	if (model != NULL)
		return suggest_meant(out, model->id, model->also_says != NULL ? model->also_says : NEAREST);
	return suggest_phrase(out, word, gpu_ids, count_of(gpu_ids));
}

const char *gpu_suggest_emulated(char out[SUGGEST_TEXT], const char *word)
{
	char lacks[SUGGEST_TEXT];
	for (const struct gpu_missing *row = gpus_missing; row->called != NULL; row++)
		if (suggest_means(row->called, word)) {
			snprintf(lacks, sizeof lacks, "the newest one that is emulated; %s's %s", row->name,
					 row->what);
			return suggest_meant(out, GPU_DEFAULT, lacks);
		}
	const struct gpu_model *model = gpu_model_find(word);
	if (model == NULL)
		model = model_meant(word);
	if (model != NULL && model->emulated)
		return gpu_suggest(out, word);
	if (suggest_means("mi300 mi300x mi250 amd", word))
		return suggest_meant(out, NULL, "only GPUs of NVIDIA are emulated");
	if (model == NULL)
		return suggest_phrase(out, word, gpu_emulated_ids, count_of(gpu_emulated_ids));
	return suggest_meant(out, gpu_model_standing_for(model->compute)->id, NEAREST);
}

bool gpu_find(const char *id, struct tune_gpu *out, struct error *err)
{
	const struct gpu_model *model = gpu_model_find(id);
	char phrase[SUGGEST_TEXT], all[256];
	if (model != NULL) {
		model_apply(model, out);
		return true;
	}
	return error_set(err, "unknown GPU '%s'%s (%s)", id, gpu_suggest(phrase, id),
					 text_names(all, sizeof all, gpu_ids, count_of(gpu_ids), ", "));
}

/* Whether the name begins with the word, as a whole: "T4" is not in "T400", "rtx4090" in "RTX
 * 4090".
 */
static bool begins(const char *name, const char *word)
{
	for (; *word != '\0'; name++)
		if (tolower((unsigned char)*name) == *word)
			word++;
		else if (*name != ' ')
			return false;
	return !isalnum((unsigned char)*name);
}

static bool has_word(const char *name, const char *word)
{
	for (const char *p = name; *p != '\0'; p++)
		if ((p == name || !isalnum((unsigned char)p[-1])) && begins(p, word))
			return true;
	return false;
}

static const struct gpu_model *model_of_name(const char *name)
{
	const struct gpu_model *model;
	for (size_t i = 0; (model = gpu_model_at(i)) != NULL; i++)
		if (has_word(name, model->id))
			return model;
	return NULL;
}

static void take_facts(const struct device_properties *facts, struct tune_gpu *out)
{
	if (facts->multiprocessors > 0)
		out->multiprocessors = facts->multiprocessors;
	if (facts->l2_bytes > 0)
		out->l2_bytes = (int64_t)facts->l2_bytes;
	if (facts->sm_clock_khz > 0)
		out->clock_mhz = facts->sm_clock_khz / 1e3;
	if (facts->memory_bytes_per_second > 0)
		out->dram_bytes_per_second = facts->memory_bytes_per_second;
}

bool gpu_of_device(const struct device_properties *facts, enum device_kind kind,
				   struct tune_gpu *out, struct error *err)
{
	const struct gpu_model *model = model_of_name(facts->name);
	if (kind == DEVICE_EMULATED) {
		model_apply(model != NULL ? model : gpu_model_find(GPU_DEFAULT), out);
		return true;
	}
	int compute = atoi(facts->architecture); /* "90a" */
	*out = (struct tune_gpu){0};
	if (model != NULL)
		model_apply(model, out);
	else if (!limits_apply(compute, out))
		return error_set(err,
						 "%s: what a GPU of compute capability %d.%d can do is not known here; "
						 "--gpu names one that is",
						 facts->name, compute / 10, compute % 10);
	take_facts(facts, out);
	if (model == NULL)
		out->l2_bytes_per_second =
			(double)L2_BYTES_PER_CLOCK * out->multiprocessors * out->clock_mhz * 1e6;
	snprintf(out->name, sizeof out->name, "%s", facts->name);
	return true;
}

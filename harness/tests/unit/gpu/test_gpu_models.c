/* links: gpu_models */
/* The table of GPUs: what a new row must keep. */
#define _GNU_SOURCE /* strcasestr */
#include <criterion/criterion.h>
#include <string.h>

#include "compile/compile.h"
#include "gpu/models.h"

/* Whether the id is in the name, whose blanks and capitals do not matter. */
static bool names(const struct gpu_model *model)
{
	char letters[128] = "";
	for (const char *p = model->name; *p != '\0'; p++)
		if (*p != ' ')
			letters[strlen(letters)] = *p;
	return strcasestr(letters, model->id) != NULL;
}

static void expect_emulated(const struct gpu_model *model)
{
	int all = 0;
	for (int i = 0; i < GPU_CLUSTER_GROUPS; i++)
		all += model->cluster_groups[i];
	cr_expect_eq(all, model->compute < 90 ? 0 : model->multiprocessors, "%s: %d", model->id, all);
	cr_expect(model->memory_clock_khz > 0 && model->bus_bits > 0 && model->memory_gb > 0, "%s",
			  model->id);
	cr_expect_eq(gpu_model_standing_for(model->compute)->compute, model->compute);
}

Test(gpu_models, rows_are_whole)
{
	const struct gpu_model *model;
	size_t emulated = 0, count = 0;
	for (; (model = gpu_model_at(count)) != NULL; count++) {
		const struct gpu_capability *limits = gpu_capability_of(model->compute);
		cr_assert_not_null(limits, "%s: compute capability %d", model->id, model->compute);
		cr_expect(names(model), "%s: %s", model->id, model->name);
		cr_expect(model->multiprocessors > 0 && model->clock_mhz > 0 && model->l2_mib > 0 &&
					  model->dram > 1e11 && model->l2 > model->dram,
				  "%s", model->id);
		cr_expect_eq(gpu_model_find(model->id), model, "%s stands twice", model->id);
		cr_expect_str_eq(gpu_ids[count], model->id);
		if (model->emulated) {
			cr_expect_str_eq(gpu_emulated_ids[emulated++], model->id);
			expect_emulated(model);
		}
	}
	cr_expect(gpu_ids[count] == NULL && gpu_emulated_ids[emulated] == NULL);
	cr_expect_not_null(strstr(GPU_IDS " ", " " GPU_DEFAULT " "));
	cr_expect_not_null(strstr(GPU_EMULATED_IDS " ", " " GPU_DEFAULT " "));
}

Test(gpu_models, one_is_meant_where_none_is_named)
{
	const struct gpu_model *model = gpu_model_find("H200");
	cr_assert(model != NULL && model == gpu_model_find(GPU_DEFAULT) && model->emulated);
	cr_expect_str_eq(gpu_capability_of(model->compute)->architecture, EMULATED_ARCHITECTURE);
	cr_expect_null(gpu_model_find("h2000"));
	cr_expect_null(gpu_capability_of(91));
}

Test(gpu_models, an_emulated_one_stands_for_others)
{
	static const struct {
		int compute;
		const char *id;
	} wanted[] = {{60, "t4"},      {75, "t4"},   {80, "a100"}, {82, "a100"}, {86, "rtx3090"},
				  {87, "rtx3090"}, {89, "l40s"}, {90, "h200"}, {100, "h200"}};
	static const char *const from_turing_to_hopper[] = {"t4", "a100", "rtx3090", "rtx4090",
														"l4", "l40s", "h100",    "h200"};
	for (size_t i = 0; i < sizeof from_turing_to_hopper / sizeof *from_turing_to_hopper; i++)
		cr_expect(gpu_model_find(from_turing_to_hopper[i])->emulated);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		cr_expect_str_eq(gpu_model_standing_for(wanted[i].compute)->id, wanted[i].id, "%d",
						 wanted[i].compute);
}

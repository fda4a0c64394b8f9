/* A solution's bounds and bottlenecks as JSON. */
#include <jansson.h>
#include <math.h>

#include "explain/explain.h"
#include "report/document.h"

#define EXPLAIN_JSON_SCHEMA_VERSION 1
#define LINES 5

static json_t *number_json(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

static json_t *parts_json(const struct demand_time *time)
{
	json_t *json = json_object();
	for (int i = 0; i < DEMAND_PARTS; i++)
		json_object_set_new(json, demand_part_word((enum demand_part)i),
							number_json(time->part[i]));
	return json;
}

static json_t *resources_json(const struct explained_kernel *kernel)
{
	const struct kernel_resources *r = kernel->resources;
	if (r == NULL)
		return json_null();
	return json_pack("{s:i, s:I, s:I, s:I}", "registers", r->registers, "static_shared_bytes",
					 (json_int_t)r->static_shared, "stack_bytes", (json_int_t)r->stack_bytes,
					 "code_bytes", (json_int_t)r->code_bytes);
}

static json_t *lines_json(const struct explained_kernel *kernel)
{
	struct explain_line lines[LINES];
	json_t *json = json_array();
	size_t count = explain_lines(kernel, kernel->time.bound, lines, LINES);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(json, json_pack("{s:o, s:f}", "source",
											  document_text(lines[i].line->source), "share",
											  lines[i].share));
	return json;
}

static json_t *counters_json(const struct explained_kernel *kernel)
{
	json_t *json = json_object();
	for (size_t i = 0; i < kernel->raw->count; i++)
		json_object_set_new(json, kernel->raw->counters[i].name,
							json_integer((json_int_t)kernel->raw->counters[i].value));
	return json;
}

static json_t *kernel_json(const struct explained *explained, const struct explained_kernel *kernel)
{
	const struct occupancy *o = &kernel->time.occupancy;
	char words[EXPLAIN_WORDS];
	json_t *json =
		json_pack("{s:o, s:f, s:f, s:i, s:I, s:o, s:{s:i, s:f, s:s}, s:o}", "name",
				  document_text(kernel->raw->shown), "launches", kernel->counted.launches, "blocks",
				  kernel->demand.blocks, "threads", kernel->demand.threads, "shared_bytes",
				  (json_int_t)kernel->demand.shared_bytes, "resources", resources_json(kernel),
				  "occupancy", "blocks", o->blocks, "share", o->share, "limit",
				  occupancy_limit_name(o->limit), "counters", counters_json(kernel));
	if (!kernel->fits)
		return json;
	explain_bottleneck(explained, kernel, kernel->time.bound, words);
	json_object_set_new(json, "waves", number_json(kernel->time.waves));
	json_object_set_new(json, "idle", number_json(kernel->time.idle));
	json_object_set_new(json, "l2_bytes", number_json(kernel->demand.l2_bytes));
	json_object_set_new(json, "dram_bytes", number_json(kernel->demand.dram_bytes));
	json_object_set_new(json, "seconds", number_json(kernel->time.seconds));
	json_object_set_new(json, "parts", parts_json(&kernel->time));
	json_object_set_new(json, "bound", json_string(demand_part_word(kernel->time.bound)));
	json_object_set_new(json, "bottleneck", document_text(words));
	json_object_set_new(json, "lines", lines_json(kernel));
	explain_bottleneck(explained, kernel, kernel->gain, words);
	json_object_set_new(json, "gain",
						json_pack("{s:s, s:o, s:o}", "part", demand_part_word(kernel->gain),
								  "seconds_without", number_json(kernel->without), "words",
								  document_text(words)));
	return json;
}

static json_t *bounds_json(const struct explained *explained)
{
	const struct explain_bounds *b = &explained->bounds;
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "operations", b->operations, "bytes",
					 b->bytes, "arithmetic_seconds", b->arithmetic, "memory_seconds", b->memory,
					 "launch_seconds", b->launch, "least_seconds", b->least);
}

void explain_json(const void *what, FILE *out)
{
	const struct explained *explained = what;
	const struct judgement *judgement = &explained->counted.judgement;
	json_t *json = document_of_file("explain", EXPLAIN_JSON_SCHEMA_VERSION, explained->file,
									explained->plan.content, explained->plan.problem->name);
	json_t *kernels = json_array();
	char sizes[SHAPE_TEXT];
	shape_print(explained->plan.problem, &explained->test->shape, sizes);
	json_object_set_new(json, "shape", json_string(sizes));
	json_object_set_new(json, "gpu", document_text(explained->gpu.name));
	json_object_set_new(json, "counted_on", json_string(explained->emulated));
	json_object_set_new(json, "verdict", json_string(verdict_name(judgement->verdict)));
	json_object_set_new(json, "detail", document_text(judgement->detail));
	json_object_set_new(json, "bounds", bounds_json(explained));
	for (size_t i = 0; i < explained->count; i++)
		json_array_append_new(kernels, kernel_json(explained, &explained->kernels[i]));
	json_object_set_new(json, "kernels", kernels);
	if (explained->predicted) {
		json_object_set_new(json, "seconds", number_json(explained->total.seconds));
		json_object_set_new(json, "uncertainty", json_real(MODEL_UNCERTAINTY));
		json_object_set_new(json, "parts", parts_json(&explained->total));
		json_object_set_new(json, "bound", json_string(demand_part_word(explained->total.bound)));
	}
	if (explained->measured > 0)
		json_object_set_new(json, "measured_seconds", json_real(explained->measured));
	else if (explained->unmeasured[0] != '\0')
		json_object_set_new(json, "unmeasured", document_text(explained->unmeasured));
	document_print(json, out);
}

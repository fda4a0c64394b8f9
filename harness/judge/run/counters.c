#include "judge/run/counters.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/stand_in.h"

/* The solution's process could have written anything there. */
#define KERNELS_MAX 4096
#define COUNTERS_MAX 256
#define LINES_MAX 65536

/* `shown`: NULL where another emulator does not write it. */
static struct kernel_counters *kernel_take(struct judgement *out, const char *name,
										   const char *shown)
{
	for (size_t i = 0; i < out->kernel_count; i++)
		if (strcmp(out->kernels[i].name, name) == 0)
			return &out->kernels[i];
	if (out->kernel_count == KERNELS_MAX)
		return NULL;
	struct kernel_counters *more =
		realloc(out->kernels, (out->kernel_count + 1) * sizeof *out->kernels);
	if (more == NULL)
		return NULL;
	out->kernels = more;
	struct kernel_counters *kernel = &more[out->kernel_count];
	*kernel = (struct kernel_counters){.name = strdup(name),
									   .shown = strdup(shown != NULL ? shown : name)};
	if (kernel->name == NULL || kernel->shown == NULL) {
		free(kernel->name);
		free(kernel->shown);
		return NULL;
	}
	out->kernel_count++;
	return kernel;
}

static void counter_add(struct kernel_counters *kernel, const char *name, uint64_t value)
{
	for (size_t i = 0; i < kernel->count; i++)
		if (strcmp(kernel->counters[i].name, name) == 0) {
			kernel->counters[i].value += value;
			return;
		}
	if (kernel->count == COUNTERS_MAX || strlen(name) >= sizeof kernel->counters->name)
		return;
	struct counter *more =
		realloc(kernel->counters, (kernel->count + 1) * sizeof *kernel->counters);
	if (more == NULL)
		return;
	kernel->counters = more;
	struct counter *counter = &more[kernel->count++];
	snprintf(counter->name, sizeof counter->name, "%s", name);
	counter->value = value;
}

static uint64_t member(const json_t *item, const char *name)
{
	json_int_t value = json_integer_value(json_object_get(item, name));
	return value > 0 ? (uint64_t)value : 0;
}

/* Of the first process that has any. */
static void lines_take(struct kernel_counters *kernel, const json_t *lines, const char *shown)
{
	size_t count = json_array_size(lines);
	if (kernel->lines != NULL || count == 0 || count > LINES_MAX)
		return;
	kernel->lines = calloc(count, sizeof *kernel->lines);
	for (size_t i = 0; kernel->lines != NULL && i < count; i++) {
		const json_t *item = json_array_get(lines, i);
		const char *source = json_string_value(json_object_get(item, "source"));
		struct line_counters *line = &kernel->lines[kernel->line_count++];
		char *told = shown != NULL && shown[0] != '\0' ? stand_in_tell(source, shown) : NULL;
		snprintf(line->source, sizeof line->source, "%s",
				 told != NULL     ? told
				 : source != NULL ? source
								  : "");
		free(told);
		line->instructions = member(item, "instructions");
		line->shared_wavefronts = member(item, "shared_wavefronts");
		line->shared_conflicts = member(item, "shared_conflicts");
		line->global_sectors = member(item, "global_sectors");
		line->global_lines = member(item, "global_lines");
	}
}

bool counters_read(const char *text, const char *source, struct judgement *out)
{
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *item, *value;
	json_t *kernels = json_object_get(json, "kernels");
	bool understood = json_is_array(kernels);
	size_t i;
	const char *key;
	json_array_foreach(kernels, i, item)
	{
		const char *name = json_string_value(json_object_get(item, "name"));
		const char *shown = json_string_value(json_object_get(item, "demangled"));
		struct kernel_counters *kernel = name != NULL ? kernel_take(out, name, shown) : NULL;
		if (kernel == NULL)
			continue;
		json_object_foreach(item, key,
							value) if (json_is_integer(value) && json_integer_value(value) >= 0)
			counter_add(kernel, key, (uint64_t)json_integer_value(value));
		lines_take(kernel, json_object_get(item, "lines"), source);
	}
	json_decref(json);
	return understood;
}

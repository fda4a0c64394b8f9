/* Counters of what kernels did, as JSON, for whoever started the process. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "emulator/runtime.h"

#define PATH_BYTES 4096

static void write_string(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			fprintf(file, "\\u%04x", *text);
		else
			fputc(*text, file);
	}
	fputc('"', file);
}

static void write_number(FILE *file, const char *name, uint64_t value)
{
	fprintf(file, ", \"%s\": %llu", name, (unsigned long long)value);
}

static void write_kernel(FILE *file, const struct function *function)
{
	const struct counters *c = &function->counters;
	fputs("    {\"name\": ", file);
	write_string(file, function->name);
	write_number(file, "launches", function->launches);
	write_number(file, "warp_instructions", c->warp_instructions);
	write_number(file, "lane_instructions", c->lane_instructions);
	write_number(file, "global_load_requests", c->global_load_requests);
	write_number(file, "global_load_sectors", c->global_load_sectors);
	write_number(file, "global_store_requests", c->global_store_requests);
	write_number(file, "global_store_sectors", c->global_store_sectors);
	write_number(file, "shared_load_requests", c->shared_load_requests);
	write_number(file, "shared_load_wavefronts", c->shared_load_wavefronts);
	write_number(file, "shared_store_requests", c->shared_store_requests);
	write_number(file, "shared_store_wavefronts", c->shared_store_wavefronts);
	write_number(file, "tensor_flops", c->tensor_flops);
	write_number(file, "flops", c->flops);
	fputc('}', file);
}

static void write_kernels(FILE *file, const struct function *list, const char **separator)
{
	for (const struct function *at = list; at; at = at->next) {
		if (!at->launches)
			continue;
		fputs(*separator, file);
		write_kernel(file, at);
		*separator = ",\n";
	}
}

static bool write_all(const char *path)
{
	FILE *file = fopen(path, "w");
	if (!file)
		return false;
	fprintf(file, "{\n  \"schema_version\": 1,\n  \"gpu\": \"%s\",\n  \"kernels\": [",
			runtime.gpu ? runtime.gpu->id : "");
	const char *separator = "\n";
	write_kernels(file, runtime.functions, &separator);
	write_kernels(file, runtime.retired, &separator);
	fputs("\n  ]\n}\n", file);
	bool failed = ferror(file) != 0;
	return fclose(file) == 0 && !failed;
}

/* Written beside the file and renamed, so that a reader never sees half of it. */
void counters_write(void)
{
	const char *path = getenv("EMULATED_GPU_COUNTERS");
	char beside[PATH_BYTES];
	if (!path || !*path)
		return;
	int length = snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
	if (length < 0 || (size_t)length >= sizeof beside || !write_all(beside) ||
		rename(beside, path) != 0) {
		runtime_say("cannot write counters to %s", path);
		unlink(beside);
	}
}

#include "compile/ptxas.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "compile/bytes.h"
#include "compile/cache.h"
#include "compile/images.h"
#include "compile/jail_rules.h"
#include "compile/nvcc.h"
#include "process/landlock.h"

/* One question. */
struct asking {
	const struct compile_options *options;
	char nvcc[PATHS_MAX], folder[PATHS_MAX], ptx[PATHS_MAX], report[PATHS_MAX];
	double deadline;
};

static bool write_ptx(const struct asking *asking, const char *text, size_t length,
					  struct error *err)
{
	char *flat = malloc(length + 1);
	FILE *file = flat != NULL ? fopen(asking->ptx, "we") : NULL;
	bool written = file != NULL;
	if (written) {
		memcpy(flat, text, length);
		images_flatten_strings(flat, length);
		written = fwrite(flat, 1, length, file) == length;
		written = fclose(file) == 0 && written;
	}
	free(flat);
	return written || error_set(err, "%s: %s", asking->ptx, strerror(errno));
}

/* nvcc, as it gives ptxas what the user's flags are for ptxas. The report goes to a file: of a
 * program's output only the end is kept. */
static bool run_nvcc(const struct asking *asking, struct error *err)
{
	static const char *const fixed[] = {"-cubin", "-Xptxas", "-v"};
	struct words words = {0};
	uint64_t written = 0;
	char *said = NULL;
	const struct jail_rules jail = {.nvcc = asking->nvcc,
									.source = asking->ptx,
									.source_folder = asking->folder,
									.flags = asking->options->flags,
									.folder = asking->folder,
									.isolated = true,
									.copied = true};
	const bool jailed = !asking->options->unjailed && landlock_abi() > 0;
	const int rules = jailed ? jail_rules_open(&jail, err) : 0;
	if (rules < 0)
		return false;
	words_add(&words, "/bin/sh");
	words_add(&words, "-c");
	words_add(&words, "exec \"$@\" 2>\"$0\"");
	words_add(&words, "%s", asking->report);
	words_add(&words, "%s", asking->nvcc);
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		words_add(&words, "%s", fixed[i]);
	words_add(&words, "-arch=sm_%s", asking->options->architecture);
	for (const char *const *flag = asking->options->flags; flag != NULL && *flag != NULL; flag++)
		words_add(&words, "%s", *flag);
	words_add(&words, "%s", asking->ptx);
	words_add(&words, "-o");
	words_add(&words, "%s.cubin", asking->ptx);
	const struct nvcc_start start = {.folder = asking->folder,
									 .working_folder = asking->folder,
									 .rules = rules,
									 .hides_denied = rules > 0,
									 .limit = asking->options->seconds,
									 .deadline = asking->deadline,
									 .control = asking->options->control};
	enum compile_status status = nvcc_once(&words, false, &start, &said, &written, err);
	free(said);
	if (rules > 0)
		close(rules);
	return status == COMPILE_OK ||
		   (status == COMPILE_ERROR ? error_set(err, "ptxas refuses the PTX") : false);
}

static bool ask_each(struct asking *asking, const struct images_file *library,
					 struct ptxas_reports *out, struct error *err)
{
	size_t place = 0, length;
	const char *text;
	while (images_next_ptx(library, &place, &text, &length)) {
		if (out->count == PTXAS_IMAGES)
			return error_set(err, "more than %d times PTX", PTXAS_IMAGES);
		if (!write_ptx(asking, text, length, err) || !run_nvcc(asking, err))
			return false;
		out->at[out->count] = bytes_read_file(asking->report, &length);
		if (out->at[out->count] == NULL)
			return error_set(err, "%s: %s", asking->report, strerror(errno));
		out->count++;
	}
	return out->count > 0 || error_set(err, "no PTX in it");
}

/* In a folder of the cache, as any compilation. */
static bool ask_in(struct asking *asking, const char *folder, const struct images_file *library,
				   struct ptxas_reports *out, struct error *err)
{
	if (!paths_join(asking->folder, folder, CACHE_COMPILER, err) ||
		!paths_join(asking->ptx, asking->folder, "solution.ptx", err) ||
		!paths_join(asking->report, asking->folder, "report", err))
		return false;
	if (mkdir(asking->folder, 0700) != 0)
		return error_set(err, "%s: %s", asking->folder, strerror(errno));
	return ask_each(asking, library, out, err);
}

bool ptxas_ask(const struct compile_options *options, const char *library,
			   struct ptxas_reports *out, struct error *err)
{
	struct asking asking = {.options = options, .deadline = clock_seconds() + options->seconds};
	char here[PATHS_MAX], cache[PATHS_MAX], folder[PATHS_MAX], version[VERSION_TEXT];
	struct images_file file = {.at = NULL};
	*out = (struct ptxas_reports){.count = 0};
	if (!paths_cache(here, err))
		return false;
	paths_absolute(here, cache); /* nvcc runs elsewhere */
	if (!nvcc_find(cache, asking.nvcc, version, err) || !cache_begin(cache, folder, err))
		return false;
	char *bytes = bytes_read_file(library, &file.size);
	file.at = bytes;
	bool asked = bytes != NULL ? ask_in(&asking, folder, &file, out, err)
							   : error_set(err, "%s: %s", library, strerror(errno));
	free(bytes);
	cache_drop(folder);
	return asked;
}

void ptxas_free(struct ptxas_reports *reports)
{
	for (size_t i = 0; i < reports->count; i++)
		free(reports->at[i]);
	reports->count = 0;
}

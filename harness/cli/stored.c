#include "cli/stored.h"

#include <ctype.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/written_files.h"
#include "store/place.h"

bool stored_hash(const char *text, char out[CONTENT_TEXT])
{
	const size_t digits = strspn(text, "0123456789abcdefABCDEF");
	if (text[digits] != '\0' || digits < STORED_HASH_LEAST || digits >= CONTENT_TEXT)
		return false;
	for (size_t i = 0; i <= digits; i++)
		out[i] = (char)tolower((unsigned char)text[i]);
	return true;
}

bool stored_find(const struct options *options, const struct store_filter *filter,
				 struct measured_list *out, struct error *err)
{
	char path[PATHS_MAX];
	*out = (struct measured_list){0};
	return store_needed(options->store.file, path, err) && store_find(path, filter, out, err);
}

int stored_show(const struct options *options, report_any_writer text, report_any_writer json,
				const void *found)
{
	struct error err;
	text(found, written_files_take_stdout(options) ? stderr : stdout);
	if (options->output.json == NULL || report_save_any(options->output.json, json, found, &err))
		return EXIT_ACCEPTED;
	return cli_fail(EXIT_CANNOT_RUN, &err);
}

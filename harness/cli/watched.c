#include "cli/watched.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "report/clean.h"

struct watched *watched_make(void)
{
	struct watched *made =
		mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return made != MAP_FAILED ? made : NULL;
}

static bool is_failure(const struct case_result *result)
{
	return result->verdict != VERDICT_ACCEPTED && result->verdict != VERDICT_NOT_RUN;
}

void watched_note(struct watched *watched, const struct judgement_list *list)
{
	watched->seed = list->facts.seed;
	watched->count = list->count < WATCHED_FILES ? list->count : WATCHED_FILES;
	for (size_t i = 0; i < watched->count; i++) {
		const struct judgement *item = &list->items[i];
		struct watched_file *file = &watched->files[i];
		*file = (struct watched_file){.file = ""};
		snprintf(file->file, sizeof file->file, "%s", item->file);
		snprintf(file->verdict, sizeof file->verdict, "%s", verdict_name(item->verdict));
		for (size_t k = 0; k < item->count && file->failed[0] == '\0'; k++)
			if (is_failure(&item->cases[k]))
				snprintf(file->failed, sizeof file->failed, "%s", item->cases[k].test.name);
	}
}

static const char *verdict_before(const struct watched *before, const char *file)
{
	for (size_t i = 0; i < before->count; i++)
		if (strcmp(before->files[i].file, file) == 0)
			return before->files[i].verdict;
	return NULL;
}

void watched_tell(const struct watched *before, const struct watched *now, FILE *out)
{
	char clock[16];
	time_t seconds = time(NULL);
	struct tm local;
	strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&seconds, &local));
	for (size_t i = 0; i < now->count; i++) {
		const struct watched_file *file = &now->files[i];
		const char *was = verdict_before(before, file->file);
		fprintf(out, "%s ", clock);
		clean_print_line(out, file->file);
		if (was == NULL)
			fprintf(out, ": %s\n", file->verdict);
		else if (strcmp(was, file->verdict) == 0)
			fprintf(out, ": still %s\n", was);
		else
			fprintf(out, ": %s -> %s\n", was, file->verdict);
	}
}

const char *watched_failed(const struct watched *watched)
{
	for (size_t i = 0; i < watched->count; i++)
		if (watched->files[i].failed[0] != '\0')
			return watched->files[i].failed;
	return NULL;
}

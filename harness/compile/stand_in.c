#include "compile/stand_in.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a name must not come near: nvcc makes longer ones of it, and a file system has 255. */
#define NAME_BYTES 200
#define DEPTH 16
#define NAME "judged-solution.cu" /* not what a header beside the user's file is called */

bool stand_in_is_needed(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								"/._-+=@~ ";
	const char *name = strrchr(path, '/');
	name = name != NULL ? name + 1 : path;
	for (const char *p = path; *p != '\0'; p++)
		if ((signed char)*p > 0 && strchr(plain, *p) == NULL) /* beyond ASCII lie letters */
			return true;
	return name[0] == '-' || strlen(name) > NAME_BYTES;
}

static bool make_folder(const char *folder, char out[PATHS_MAX], struct error *err)
{
	snprintf(out, PATHS_MAX, "%s", folder);
	for (int level = 0; level < DEPTH; level++) {
		size_t length = strlen(out);
		if (length + sizeof "/s/" NAME > PATHS_MAX)
			return error_set(err, "path too long: %s", folder);
		strcat(out, "/s");
		if (mkdir(out, 0700) != 0)
			return error_set(err, "%s: %s", out, strerror(errno));
	}
	return true;
}

/* PTX has no escapes in the names of files. */
static void write_name(FILE *to, const char *shown)
{
	fputs("#line 1 \"", to);
	for (const char *p = shown; *p != '\0'; p++)
		fputc((unsigned char)*p < ' ' || *p == '"' || *p == '\\' || *p == 0x7f ? '?' : *p, to);
	fputs("\"\n", to);
}

static bool copy(FILE *from, FILE *to)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8: only at the very beginning */
	char bytes[65536];
	size_t got, skip = 0;
	bool first = true;
	while ((got = fread(bytes, 1, sizeof bytes, from)) > 0) {
		if (first && got >= 3 && memcmp(bytes, mark, 3) == 0)
			skip = 3;
		fwrite(bytes + skip, 1, got - skip, to);
		skip = 0;
		first = false;
	}
	return !ferror(from) && !ferror(to);
}

bool stand_in_make(const char *content, const char *appended, const char *shown, const char *folder,
				   char out[PATHS_MAX], struct error *err)
{
	if (!make_folder(folder, out, err))
		return false;
	strcat(out, "/" NAME);
	FILE *from = fopen(content, "re"), *to = from != NULL ? fopen(out, "wxe") : NULL;
	bool good = to != NULL;
	if (good) {
		write_name(to, shown);
		good = copy(from, to) && (appended == NULL || fputs(appended, to) >= 0);
	}
	int why = errno;
	if (from != NULL)
		fclose(from);
	if (to != NULL && fclose(to) != 0 && good) {
		good = false;
		why = errno;
	}
	return good || error_set(err, "%s: %s", from == NULL ? content : out, strerror(why));
}

char *stand_in_unname(char *log, const char *copy_path, const char *shown)
{
	char *text = NULL;
	size_t size;
	FILE *to = log != NULL ? open_memstream(&text, &size) : NULL;
	if (to == NULL)
		return log;
	const char *rest = log;
	for (const char *at; (at = strstr(rest, copy_path)) != NULL; rest = at + strlen(copy_path))
		fprintf(to, "%.*s%s", (int)(at - rest), rest, shown);
	fputs(rest, to);
	fclose(to);
	if (text == NULL)
		return log;
	free(log);
	return text;
}

#include "compile/stand_in.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a name must not come near: nvcc makes longer ones of it, and a file system has 255. */
#define NAME_BYTES 200
#define DEPTH 16

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
		if (length + sizeof "/s/" STAND_IN_NAME > PATHS_MAX)
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

/* Without the mark of UTF-8, which may only be at the very beginning. */
static bool write_text(FILE *to, const struct stand_in_text *text)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t length = sizeof mark - 1;
	size_t skip = text->size >= length && memcmp(text->at, mark, length) == 0 ? length : 0;
	return fwrite(text->at + skip, 1, text->size - skip, to) == text->size - skip;
}

static bool write_copy(const char *path, const char *shown, const struct stand_in_text *text,
					   const char *appended, struct error *err)
{
	FILE *to = fopen(path, "wxe");
	bool good = to != NULL;
	if (good) {
		write_name(to, shown);
		good = write_text(to, text) && (appended == NULL || fputs(appended, to) >= 0);
	}
	int why = errno;
	if (to != NULL && fclose(to) != 0 && good) {
		good = false;
		why = errno;
	}
	return good || error_set(err, "%s: %s", path, strerror(why));
}

bool stand_in_make(const struct stand_in_text *text, const char *appended, const char *shown,
				   const char *folder, char out[PATHS_MAX], struct error *err)
{
	if (!make_folder(folder, out, err))
		return false;
	strcat(out, "/" STAND_IN_NAME);
	return write_copy(out, shown, text, appended, err);
}

bool stand_in_add(const char *copy, const struct stand_in_file *file, struct error *err)
{
	char path[PATHS_MAX], shown[PATHS_MAX];
	int folder = (int)(strlen(copy) - strlen(STAND_IN_NAME));
	if (snprintf(path, sizeof path, "%.*s%s", folder, copy, file->name) >= PATHS_MAX ||
		snprintf(shown, sizeof shown, STAND_IN_FOLDER "%s", file->name) >= PATHS_MAX)
		return error_set(err, "path too long: %s", copy);
	return write_copy(path, shown, &file->text, NULL, err);
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

/* The user's name for the name of ours that stands at `at`, and how long ours is; NULL: none of
 * ours stands there. */
static const char *users_name(const char *at, const char *shown, size_t *length, int *put)
{
	static const char path[] = STAND_IN_PATH, folder[] = STAND_IN_FOLDER, name[] = STAND_IN_NAME;
	const char *slash = strrchr(shown, '/');
	const char *behind = slash != NULL ? slash + 1 : shown;
	*put = (int)strlen(shown);
	if (strncmp(at, path, *length = sizeof path - 1) == 0)
		return shown;
	*put = (int)(behind - shown);
	if (strncmp(at, folder, *length = sizeof folder - 1) == 0)
		return shown;
	*put = (int)strlen(behind);
	return strncmp(at, name, *length = sizeof name - 1) == 0 ? behind : NULL;
}

char *stand_in_tell(const char *text, const char *shown)
{
	char *out = NULL;
	size_t size = 0, length;
	int put;
	FILE *to = text != NULL ? open_memstream(&out, &size) : NULL;
	if (to == NULL)
		return NULL;
	while (*text != '\0') {
		const char *name = *text == '/' || *text == STAND_IN_NAME[0]
							   ? users_name(text, shown, &length, &put)
							   : NULL;
		if (name != NULL)
			fprintf(to, "%.*s", put, name);
		else
			fputc(*text, to);
		text += name != NULL ? length : 1;
	}
	if (fclose(to) == 0)
		return out;
	free(out);
	return NULL;
}

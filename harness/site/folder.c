#include "site/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/html/page.h"

#define INDEX "index.html"
#define UNFINISHED ".gemmjudge-" /* before the name of a page that is not in place yet */
#define UNFINISHED_NAME (FOLDER_NAME + sizeof UNFINISHED)
#define MARK_WITHIN 512 /* bytes at the beginning of a page, among which its mark is */

static bool refuse(const struct folder *folder, const char *name, struct error *err)
{
	return error_set(err, "cannot write %s%s%s: %s", folder->path, name[0] != '\0' ? "/" : "", name,
					 strerror(errno));
}

/* ---- whose a file is ---------------------------------------------------------------- */

/* A regular file, no link, that begins as our pages do, or that is empty. */
static bool begins_as_ours(const struct folder *folder, const char *name, bool *empty)
{
	char begin[MARK_WITHIN + 1];
	struct stat facts;
	int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t length =
		fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) ? read(fd, begin, sizeof begin - 1) : -1;
	close(fd);
	if (length < 0)
		return false;
	begin[length] = '\0';
	*empty = length == 0;
	return length == 0 || strstr(begin, HTML_GENERATOR) != NULL;
}

static bool is_our_page(const struct folder *folder, const char *name)
{
	bool empty;
	return begins_as_ours(folder, name, &empty) && !empty;
}

/* A page that a run left when it was killed, before its first words perhaps. */
static bool is_unfinished(const struct folder *folder, const char *name)
{
	bool empty;
	return strncmp(name, UNFINISHED, sizeof UNFINISHED - 1) == 0 &&
		   begins_as_ours(folder, name, &empty);
}

/* As pages of a folder are called: a page of one run beside them has a name of the user's. */
static bool is_page_name(const char *name)
{
	static const char *const starts[] = {"", "board-"};
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		size_t length = strlen(starts[i]);
		if (strncmp(name, starts[i], length) != 0)
			continue;
		size_t digits = strspn(name + length, "0123456789abcdef");
		if (digits >= 16 && strcmp(name + length + digits, ".html") == 0)
			return true;
	}
	return false;
}

/* Calls `seen` with each name in the folder, but for "." and "..". */
static bool for_each_name(struct folder *folder, void *context,
						  void (*seen)(struct folder *folder, const char *name, void *context),
						  struct error *err)
{
	int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
	if (list == NULL) {
		refuse(folder, "", err);
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (struct dirent *entry; (entry = readdir(list)) != NULL;)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			seen(folder, entry->d_name, context);
	closedir(list);
	return true;
}

/* Hidden files (.git, .nojekyll) may lie in any folder. */
static void find_unknown(struct folder *folder, const char *name, void *context)
{
	char *unknown = context;
	if (unknown[0] == '\0' && name[0] != '.' && !(is_page_name(name) && is_our_page(folder, name)))
		snprintf(unknown, NAME_MAX + 1, "%s", name);
}

static bool is_for_pages(struct folder *folder, struct error *err)
{
	char unknown[NAME_MAX + 1] = "";
	if (is_our_page(folder, INDEX))
		return true;
	if (!for_each_name(folder, unknown, find_unknown, err))
		return false;
	return unknown[0] == '\0' ||
		   error_set(err,
					 "cannot write pages to %s: it holds %s, which is no page of gemmjudge; "
					 "name a new folder, or an empty one",
					 folder->path, unknown);
}

/* ---- the folder ---------------------------------------------------------------------- */

bool folder_open(const char *path, struct folder *out, struct error *err)
{
	*out = (struct folder){.path = path, .fd = -1};
	if (path[0] == '\0')
		return error_set(err, "a folder of pages needs a name");
	out->made = mkdir(path, 0777) == 0;
	if (!out->made && errno != EEXIST)
		return refuse(out, "", err);
	out->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (out->fd < 0)
		return errno == ENOTDIR
				   ? error_set(err,
							   "cannot write pages to %s: it is a file, and a folder is needed",
							   path)
				   : refuse(out, "", err);
	/* where the file system has no locks, the names of unfinished pages keep two apart */
	if (flock(out->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		error_set(err, "cannot write pages to %s: another gemmjudge is writing there", path);
	else if (is_for_pages(out, err))
		return true;
	folder_close(out);
	return false;
}

static void unfinished_name(const char *name, char out[UNFINISHED_NAME])
{
	snprintf(out, UNFINISHED_NAME, UNFINISHED "%s", name);
}

static bool add_name(struct folder *folder, const char *name)
{
	void *more = realloc(folder->names, (folder->count + 1) * sizeof *folder->names);
	if (more == NULL)
		return false;
	folder->names = more;
	snprintf(folder->names[folder->count++], FOLDER_NAME, "%s", name);
	return true;
}

FILE *folder_page(struct folder *folder, const char *name, struct error *err)
{
	char unfinished[UNFINISHED_NAME];
	struct stat facts;
	unfinished_name(name, unfinished);
	if (fstatat(folder->fd, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && !is_our_page(folder, name)) {
		error_set(err,
				  "cannot write %s/%s: a file of that name is there that is no page of gemmjudge; "
				  "name another folder",
				  folder->path, name);
		return NULL;
	}
	if (is_unfinished(folder, unfinished))
		unlinkat(folder->fd, unfinished, 0);
	int fd = openat(folder->fd, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		refuse(folder, name, err);
		return NULL;
	}
	folder->page = fdopen(fd, "w");
	if (folder->page != NULL && add_name(folder, name)) {
		errno = 0; /* what folder_end_page() finds there is of the writing */
		return folder->page;
	}
	refuse(folder, name, err);
	if (folder->page == NULL)
		close(fd);
	unlinkat(folder->fd, unfinished, 0);
	return NULL;
}

bool folder_end_page(struct folder *folder, struct error *err)
{
	FILE *page = folder->page;
	folder->page = NULL;
	bool good = fflush(page) == 0 && ferror(page) == 0;
	int why = errno;
	if (fclose(page) != 0 && good) {
		good = false;
		why = errno;
	}
	errno = why != 0 ? why : EIO;
	return good || refuse(folder, folder->names[folder->count - 1], err);
}

static void remove_stale(struct folder *folder, const char *name, void *context)
{
	(void)context;
	bool stale = is_unfinished(folder, name) || (is_page_name(name) && is_our_page(folder, name));
	for (size_t i = 0; i < folder->count && stale; i++)
		stale = strcmp(folder->names[i], name) != 0;
	if (stale)
		unlinkat(folder->fd, name, 0);
}

bool folder_finish(struct folder *folder, struct error *err)
{
	char unfinished[UNFINISHED_NAME];
	for (; folder->renamed < folder->count; folder->renamed++) {
		const char *name = folder->names[folder->count - 1 - folder->renamed];
		unfinished_name(name, unfinished);
		if (renameat(folder->fd, unfinished, folder->fd, name) != 0)
			return refuse(folder, name, err);
	}
	return for_each_name(folder, NULL, remove_stale, err);
}

void folder_close(struct folder *folder)
{
	char unfinished[UNFINISHED_NAME];
	if (folder->page != NULL)
		fclose(folder->page);
	for (size_t i = 0; i + folder->renamed < folder->count; i++) {
		unfinished_name(folder->names[i], unfinished);
		unlinkat(folder->fd, unfinished, 0);
	}
	if (folder->made && folder->renamed == 0)
		rmdir(folder->path);
	if (folder->fd >= 0)
		close(folder->fd);
	free(folder->names);
	*folder = (struct folder){.fd = -1};
}

#include "report/report.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"

/* Where a report goes: the file that the path means after symbolic links, and
 * a name for the temporary file beside it. */
struct target {
	char file[PATH_MAX];
	char temporary[PATH_MAX];
	bool special; /* a device, pipe, ...: written in place */
};

static bool target_find(const char *path, struct target *target, struct error *err)
{
	*target = (struct target){0};
	if (path[0] == '\0')
		return error_set(err, "an output file needs a name");

	struct stat facts;
	bool exists = stat(path, &facts) == 0;
	if (!exists && errno != ENOENT)
		return error_set(err, "cannot write %s: %s", path, strerror(errno));
	if (exists && S_ISDIR(facts.st_mode))
		return error_set(err, "cannot write %s: it is a folder", path);
	if (path[strlen(path) - 1] == '/')
		return error_set(err, "cannot write %s: no such folder", path);
	target->special = exists && !S_ISREG(facts.st_mode);
	if (exists && access(path, W_OK) != 0)
		return error_set(err, "cannot write %s: %s", path, strerror(errno));

	/* A link keeps pointing at the file that is replaced. */
	if (!exists || target->special || realpath(path, target->file) == NULL) {
		if (snprintf(target->file, sizeof target->file, "%s", path) >= PATH_MAX)
			return error_set(err, "cannot write %.200s...: %s", path, strerror(ENAMETOOLONG));
	}
	const char *slash = strrchr(target->file, '/');
	int folder = slash != NULL ? (int)(slash - target->file) + 1 : 0;
	if (snprintf(target->temporary, sizeof target->temporary, "%.*s.gemmjudge-XXXXXX", folder,
				 target->file) >= PATH_MAX)
		return error_set(err, "cannot write %.200s...: %s", path, strerror(ENAMETOOLONG));
	return true;
}

bool report_probe(const char *path, struct error *err)
{
	struct target target;
	if (strcmp(path, "-") == 0)
		return true;
	if (!target_find(path, &target, err))
		return false;
	if (target.special)
		return true;
	int fd = mkstemp(target.temporary);
	if (fd < 0)
		return error_set(err, "cannot write %s: %s", path, strerror(errno));
	close(fd);
	unlink(target.temporary);
	return true;
}

/* Writes and closes the stream; true when every byte reached the kernel. */
static bool write_and_close(FILE *file, report_any_writer writer, const void *what)
{
	errno = 0;
	writer(what, file);
	bool good = fflush(file) == 0 && ferror(file) == 0;
	int why = errno;
	if (fclose(file) != 0 && good) {
		good = false;
		why = errno;
	}
	errno = why;
	return good;
}

static bool save_in_place(const char *path, report_any_writer writer, const void *what,
						  struct error *err)
{
	FILE *file = fopen(path, "we");
	if (file == NULL || !write_and_close(file, writer, what))
		return error_set(err, "cannot write %s: %s", path, strerror(errno));
	return true;
}

static bool save_by_rename(const char *path, struct target *target, report_any_writer writer,
						   const void *what, struct error *err)
{
	int fd = mkstemp(target->temporary);
	if (fd < 0)
		return error_set(err, "cannot write %s: %s", path, strerror(errno));

	/* mkstemp's 0600 suits secrets; a report gets what open() would give it, or
	 * keeps what the file had. */
	struct stat facts;
	mode_t mask = umask(0);
	umask(mask);
	fchmod(fd, stat(target->file, &facts) == 0 ? facts.st_mode & 0777 : 0666 & ~mask);

	FILE *file = fdopen(fd, "w");
	if (file == NULL)
		close(fd);
	if (file == NULL || !write_and_close(file, writer, what) ||
		rename(target->temporary, target->file) != 0) {
		error_set(err, "cannot write %s: %s", path, strerror(errno));
		unlink(target->temporary);
		return false;
	}
	return true;
}

bool report_save_any(const char *path, report_any_writer writer, const void *what,
					 struct error *err)
{
	if (strcmp(path, "-") == 0) {
		errno = 0;
		writer(what, stdout);
		if (fflush(stdout) != 0 || ferror(stdout))
			return error_set(err, "cannot write to standard output: %s", strerror(errno));
		return true;
	}
	struct target target;
	if (!target_find(path, &target, err))
		return false;
	if (target.special)
		return save_in_place(path, writer, what, err);
	return save_by_rename(path, &target, writer, what, err);
}

struct judged {
	report_writer writer;
	const struct judgement_list *list;
};

static void write_judged(const void *what, FILE *out)
{
	const struct judged *judged = what;
	judged->writer(judged->list, out);
}

bool report_save(const char *path, report_writer writer, const struct judgement_list *list,
				 struct error *err)
{
	const struct judged judged = {writer, list};
	return report_save_any(path, write_judged, &judged, err);
}

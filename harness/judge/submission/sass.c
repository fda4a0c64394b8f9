#include "judge/submission/sass.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/toolkit.h"
#include "process/child.h"
#include "process/landlock.h"

#define SECONDS 120.0
#define MEMORY_BYTES ((size_t)4 << 30)
#define FILE_BYTES ((size_t)1 << 30)
#define PROCESSES 16

bool sass_find(struct sass_tool *out, struct error *err)
{
	static const char *const tools[][2] = {{"nvdisasm", "-c"}, {"cuobjdump", "-sass"}};
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
		out->name = tools[i][0];
		out->option = tools[i][1];
		if (toolkit_find_program(out->name, out->program))
			return true;
	}
	return error_set(err,
					 "--code writes no .sass: neither nvdisasm nor cuobjdump is on the PATH or "
					 "in the CUDA toolkit; install cuda-nvdisasm-13-0 (apt), cuda-nvdisasm "
					 "(conda) or nvidia-cuda-nvdisasm (pip)");
}

/* Allows a path if it is there; else no rule is needed. */
static bool allow(int rules, const char *path, enum landlock_access how, struct error *err)
{
	return access(path, F_OK) != 0 || landlock_allow_path(rules, path, how, err);
}

static bool allow_all(int rules, const char *program, const char *cubin, const char *path,
					  struct error *err)
{
	static const char *const system[] = {"/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"};
	char folder[PATHS_MAX], root[PATHS_MAX], libraries[PATHS_MAX];
	paths_absolute(program, folder);
	*strrchr(folder, '/') = '\0'; /* cuobjdump runs the nvdisasm beside it */
	bool allowed = allow(rules, folder, LANDLOCK_RUNS, err) &&
				   allow(rules, cubin, LANDLOCK_READS, err) &&
				   allow(rules, path, LANDLOCK_WRITES, err);
	for (size_t i = 0; allowed && i < sizeof system / sizeof *system; i++)
		allowed = allow(rules, system[i], LANDLOCK_RUNS, err);
	toolkit_root(program, root);
	for (size_t i = 0; allowed && toolkit_library_folders[i] != NULL; i++)
		allowed = paths_join(libraries, root, toolkit_library_folders[i], err) &&
				  allow(rules, libraries, LANDLOCK_RUNS, err);
	return allowed;
}

/* *rules is 0 where this machine has no Landlock; the caller closes it. */
static bool open_rules(const char *program, const char *cubin, const char *path, int *rules,
					   struct error *err)
{
	struct error none;
	*rules = landlock_begin(&none);
	if (*rules < 0)
		*rules = 0;
	return *rules == 0 || allow_all(*rules, program, cubin, path, err);
}

static bool run_tool(const struct sass_tool *tool, const char *cubin, const char *path, int rules,
					 struct error *err)
{
	/* the file is there: nothing has to be made or truncated */
	const char *const argv[] = {"/bin/sh",     "-c",         "exec \"$0\" \"$1\" \"$2\" >>\"$3\"",
								tool->program, tool->option, cubin,
								path,          NULL};
	const struct child_options options = {.argv = argv,
										  .memory_limit_bytes = MEMORY_BYTES,
										  .file_limit_bytes = FILE_BYTES,
										  .process_limit = PROCESSES,
										  .rules = rules};
	struct child *child = child_start(&options, err);
	if (child == NULL)
		return false;
	struct child_result result = child_wait(child, SECONDS);
	bool ok = result.outcome == CHILD_EXITED && result.exit_status == 0;
	const char *said = child_output(child);
	if (!ok)
		error_set(err, "%s fails on %s%s%.*s", tool->name, cubin, said[0] != '\0' ? ": " : "",
				  (int)strcspn(said, "\n"), said);
	child_stop(child);
	return ok;
}

bool sass_write(const struct sass_tool *tool, const char *cubin, const char *path,
				struct error *err)
{
	int rules = 0, fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno == EEXIST
				   ? error_set(err, "--code: %s is there already, and is not replaced", path)
				   : error_set(err, "--code: cannot write %s: %s", path, strerror(errno));
	close(fd);
	bool ok = open_rules(tool->program, cubin, path, &rules, err) &&
			  run_tool(tool, cubin, path, rules, err);
	if (rules > 0)
		close(rules);
	if (ok)
		return true;
	unlink(path);
	return error_prefix(err, "--code: no %s", path);
}

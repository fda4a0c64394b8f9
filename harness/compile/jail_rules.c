#include "compile/jail_rules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gemm_library.h"
#include "base/paths.h"
#include "base/toolkit.h"
#include "process/landlock.h"

#define KEPT_MAX 8
#define SEEN_MAX 32

/* Whether a file of this name may be read where libraries lie. */
typedef bool admission(const char *name);

struct reacher {
	int rules;
	const char *here; /* where nvcc runs: the source's folder */
	/* The judge's own and the user's home: nothing in them is allowed by the way. */
	char kept[KEPT_MAX][PATH_MAX];
	size_t kept_count;
	/* Folders whose libraries were looked at, so that none is twice: compilers share theirs. */
	struct {
		char path[PATH_MAX];
		admission *admits;
	} seen[SEEN_MAX];
	size_t seen_count;
	char solutions[PATHS_MAX],
		epilogues[PATHS_MAX]; /* of the source tree; "" where it is not there */
};

/* ---- paths --------------------------------------------------------------- */

/* Whether the path is the folder, or lies below it. */
static bool lies_in(const char *path, const char *folder)
{
	size_t length = strlen(folder);
	return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_there(const char *folder, const char *name)
{
	char path[PATHS_MAX];
	struct error ignored;
	return paths_join(path, folder, name, &ignored) && access(path, F_OK) == 0;
}

/* The path of its folder, in place; "" for what lies in the root. */
static void cut_name(char *path)
{
	char *slash = strrchr(path, '/');
	*(slash != NULL ? slash : path) = '\0';
}

static void keep(struct reacher *self, const char *path)
{
	if (path != NULL && self->kept_count < KEPT_MAX &&
		realpath(path, self->kept[self->kept_count]) != NULL)
		self->kept_count++;
}

static bool keep_ours(struct reacher *self, struct error *err)
{
	char path[PATHS_MAX];
	struct error ignored;
	if (paths_source(path, &ignored)) {
		keep(self, path);
		if (!paths_join(self->solutions, path, "solutions", err) ||
			!paths_join(self->epilogues, path, "epilogues", err))
			return false;
		keep(self, self->solutions);
	}
	if (paths_build(path, &ignored))
		keep(self, path);
	if (paths_cache(path, &ignored))
		keep(self, path);
	keep(self, getenv("HOME"));
	keep(self, "/root");
	return true;
}

static bool is_kept(const struct reacher *self, const char *path)
{
	for (size_t i = 0; i < self->kept_count; i++)
		if (strcmp(path, self->kept[i]) == 0)
			return true;
	return false;
}

static bool holds_kept(const struct reacher *self, const char *folder)
{
	for (size_t i = 0; i < self->kept_count; i++)
		if (lies_in(self->kept[i], folder))
			return true;
	return false;
}

/* A folder in which all sorts of things lie: the root, a home, /tmp, the judge's own. */
static bool is_broad(const struct reacher *self, const char *folder)
{
	struct stat facts;
	char parent[PATH_MAX];
	snprintf(parent, sizeof parent, "%s", folder);
	cut_name(parent);
	return strcmp(folder, "/") == 0 || folder[0] == '\0' || strcmp(parent, "/home") == 0 ||
		   is_kept(self, folder) || stat(folder, &facts) != 0 ||
		   (facts.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH);
}

/* ---- folders --------------------------------------------------------------- */

/* Allows a path if it is there; else nothing needs to reach it. */
static bool allow_if_there(struct reacher *self, const char *path, enum landlock_access how,
						   struct error *err)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return true;
	bool allowed = landlock_allow(self->rules, fd, how, err) || error_prefix(err, "%s", path);
	close(fd);
	return allowed;
}

static bool looks_like_source(const char *name)
{
	static const char *const endings[] = {".cu",  ".cuh", ".h",   ".hpp", ".hh",  ".hxx",
										  ".c",   ".cc",  ".cpp", ".cxx", ".inc", ".inl",
										  ".ipp", ".tcc", ".tpp", ".ptx"};
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot != NULL && dot != name && i < sizeof endings / sizeof *endings; i++)
		if (strcmp(dot, endings[i]) == 0)
			return true;
	return false;
}

/* The source files that lie in it, links left out. One that vanishes meanwhile is none. */
static void allow_sources(struct reacher *self, const char *folder)
{
	DIR *all = opendir(folder);
	for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
		struct stat facts;
		struct error ignored;
		if (!looks_like_source(entry->d_name))
			continue;
		int fd = openat(dirfd(all), entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode))
			landlock_allow(self->rules, fd, LANDLOCK_READS, &ignored);
		if (fd >= 0)
			close(fd);
	}
	if (all != NULL)
		closedir(all);
}

/* The folder, but for what is kept; `folder` is without links. */
static bool allow_folder(struct reacher *self, const char *folder, enum landlock_access how,
						 struct error *err)
{
	if (!holds_kept(self, folder))
		return allow_if_there(self, folder, how, err);
	if (is_kept(self, folder))
		return true;
	DIR *all = opendir(folder);
	bool allowed = true;
	for (struct dirent *entry; allowed && all != NULL && (entry = readdir(all)) != NULL;) {
		char path[PATHS_MAX];
		struct stat facts;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
			!paths_join(path, folder, entry->d_name, err) || lstat(path, &facts) != 0)
			continue;
		if (S_ISDIR(facts.st_mode)) /* NOLINTNEXTLINE(misc-no-recursion): as deep as the path */
			allowed = allow_folder(self, path, how, err);
		else if (S_ISREG(facts.st_mode))
			allowed = allow_if_there(self, path, how, err);
	}
	if (all != NULL)
		closedir(all);
	return allowed;
}

/* ---- what compiling takes ---------------------------------------------------- */

static bool begins_with_one(const char *name, const char *const *beginnings)
{
	while (*beginnings != NULL && strncmp(name, *beginnings, strlen(*beginnings)) != 0)
		beginnings++;
	return *beginnings != NULL;
}

static bool is_one(const char *name, const char *const *names)
{
	while (*names != NULL && strcmp(name, *names) != 0)
		names++;
	return *names != NULL;
}

/* The system's, and a host compiler's. */
static bool admits_no_gemm(const char *name)
{
	return !gemm_library(name);
}

/* The toolkit's: what solutions are linked with. */
static bool admits_runtime(const char *name)
{
	static const char *const runtime[] = {"libcudart",   "libcudadevrt", "libcuda.",
										  "libculibos.", "libdevice.",   NULL};
	return begins_with_one(name, runtime);
}

/* A baseline's. */
static bool admits_all(const char *name)
{
	(void)name;
	return true;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* What is done with an entry of a folder, all by its path without links; `name` is its name in the
 * folder. */
typedef bool visitor(struct reacher *self, const char *name, const char *path, bool is_folder,
					 admission *admits, struct error *err);

/* Whether it is a link to a file of its own folder, whose entry is visited by itself: half of what
 * lies among libraries, at 20 system calls each. */
static bool names_neighbour(int folder, const struct dirent *entry)
{
	struct stat facts;
	char target[256];
	ssize_t length = readlinkat(folder, entry->d_name, target, sizeof target);
	return length > 0 && (size_t)length < sizeof target &&
		   memchr(target, '/', (size_t)length) == NULL &&
		   fstatat(folder, entry->d_name, &facts, 0) == 0 && S_ISREG(facts.st_mode);
}

/* The path of an entry without links, and whether it is a folder or a regular file. `real` is the
 * folder's: what is no link lies in it, so that nothing has to be asked about it. */
static bool resolve_entry(const char *real, const struct dirent *entry, char path[PATH_MAX],
						  bool *is_folder)
{
	struct stat facts;
	char joined[PATHS_MAX];
	struct error ignored;
	if (!paths_join(joined, real, entry->d_name, &ignored))
		return false;
	*is_folder = entry->d_type == DT_DIR;
	if (entry->d_type == DT_DIR || entry->d_type == DT_REG) {
		snprintf(path, PATH_MAX, "%s", joined);
		return true;
	}
	if (realpath(joined, path) == NULL || stat(path, &facts) != 0)
		return false;
	*is_folder = S_ISDIR(facts.st_mode);
	return *is_folder || S_ISREG(facts.st_mode);
}

/* A folder that is not there has no entries, nor has one that vanishes meanwhile. */
static bool visit_all(struct reacher *self, const char *folder, visitor *visit, admission *admits,
					  struct error *err)
{
	char real[PATH_MAX], path[PATH_MAX];
	bool allowed = true, is_folder;
	DIR *all = realpath(folder, real) != NULL ? opendir(real) : NULL;
	for (struct dirent *entry; allowed && all != NULL && (entry = readdir(all)) != NULL;)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
			!(entry->d_type == DT_LNK && names_neighbour(dirfd(all), entry)) &&
			resolve_entry(real, entry, path, &is_folder))
			allowed = visit(self, entry->d_name, path, is_folder, admits, err);
	if (all != NULL)
		closedir(all);
	return allowed;
}

/* Notes the folder, and says whether that had been done before. `folder` is without links. */
static bool was_seen(struct reacher *self, const char *folder, admission *admits)
{
	for (size_t i = 0; i < self->seen_count; i++)
		if (self->seen[i].admits == admits && strcmp(self->seen[i].path, folder) == 0)
			return true;
	if (self->seen_count < SEEN_MAX) {
		snprintf(self->seen[self->seen_count].path, PATH_MAX, "%s", folder);
		self->seen[self->seen_count++].admits = admits;
	}
	return false;
}

/* In a folder of libraries: those admitted, under this name and without links, and the folders in
 * which compilers have files of their own; not a language's packages, an application's parts. */
static bool visit_library(struct reacher *self, const char *name, const char *path, bool is_folder,
						  admission *admits, struct error *err)
{
	static const char *const of_compilers[] = {"gcc",       "clang",  "bfd-plugins",
											   "ldscripts", "locale", NULL};
	if (!is_folder)
		return !admits(name) || !admits(name_of(path)) ||
			   allow_if_there(self, path, LANDLOCK_RUNS, err);
	if (begins_with_one(name, of_compilers))
		return allow_folder(self, path, LANDLOCK_RUNS, err);
	/* NOLINTNEXTLINE(misc-no-recursion): the folder of an architecture has none below */
	return (strstr(name, "-linux-gnu") == NULL && strcmp(name, "stubs") != 0) ||
		   visit_all(self, path, visit_library, admits, err);
}

static bool allow_libraries(struct reacher *self, const char *folder, admission *admits,
							struct error *err)
{
	char real[PATH_MAX];
	return realpath(folder, real) == NULL || was_seen(self, real, admits) ||
		   visit_all(self, real, visit_library, admits, err);
}

static bool visit_part(struct reacher *self, const char *name, const char *path, bool is_folder,
					   admission *admits, struct error *err)
{
	static const char *const whole[] = {"bin", "sbin", "include", "libexec", "nvvm", NULL};
	static const char *const libraries[] = {"lib", "lib32", "lib64", "libx32", "libdevice", NULL};
	static const char *const again[] = {"targets", "sysroot", "usr", NULL};
	if (!is_folder)
		return true;
	if (is_one(name, whole))
		return is_broad(self, path) || allow_folder(self, path, LANDLOCK_RUNS, err);
	if (is_one(name, libraries))
		return allow_libraries(self, path, admits, err);
	/* An architecture has the same parts again: of the toolkit targets/x86_64-linux, of a host
	 * compiler what it takes for the root of the system. */
	/* NOLINTNEXTLINE(misc-no-recursion): as deep as such names are nested */
	return (!is_one(name, again) && strstr(name, "-linux") == NULL) ||
		   visit_all(self, path, visit_part, admits, err);
}

/* A PREFIX with bin/, include/, lib/ and the like: programs and headers whole, libraries as they
 * are admitted, and nothing else. */
static bool allow_prefix(struct reacher *self, const char *prefix, admission *admits,
						 struct error *err)
{
	return visit_all(self, prefix, visit_part, admits, err);
}

static bool allow_system(struct reacher *self, struct error *err)
{
	static const char *const prefixes[] = {"/usr", "/usr/local"};
	static const char *const libraries[] = {"/lib", "/lib32", "/lib64", "/libx32"};
	static const char *const folders[] = {"/bin", "/sbin", "/nix/store", "/gnu/store"};
	/* Allocators look in /proc and /sys whether to take memory in large pieces (nvcc.c). */
	static const char *const files[] = {"/etc/alternatives",
										"/etc/ld.so.cache",
										"/etc/ld.so.conf",
										"/etc/ld.so.conf.d",
										"/etc/ld.so.preload",
										"/proc/sys/vm/overcommit_memory",
										"/sys/kernel/mm/transparent_hugepage"};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (!allow_prefix(self, prefixes[i], admits_no_gemm, err))
			return false;
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (!allow_libraries(self, libraries[i], admits_no_gemm, err))
			return false;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (!allow_if_there(self, folders[i], LANDLOCK_RUNS, err))
			return false;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (!allow_if_there(self, files[i], LANDLOCK_READS, err))
			return false;
	return allow_if_there(self, "/dev/null", LANDLOCK_WRITES, err);
}

/* The toolkit around PREFIX/bin/nvcc; where that is a script, itself alone. */
static bool allow_toolkit(struct reacher *self, const struct jail_rules *what, struct error *err)
{
	char root[PATH_MAX];
	admission *admits = what->libraries ? admits_all : admits_runtime;
	if (!landlock_allow_path(self->rules, what->nvcc, LANDLOCK_RUNS, err))
		return false;
	toolkit_root(what->nvcc, root);
	bool toolkit = is_there(root, "nvvm") || is_there(root, "include/cuda_runtime.h");
	if (toolkit && !is_broad(self, root) && !allow_prefix(self, root, admits, err))
		return false;
	const char *home = getenv("CUDA_HOME");
	return home == NULL || realpath(home, root) == NULL || is_broad(self, root) ||
		   allow_prefix(self, root, admits, err);
}

/* A host compiler: PREFIX of PREFIX/bin/g++, links followed and not; in a home's bin/ only that. */
static bool allow_program(struct reacher *self, const char *program, struct error *err)
{
	char real[PATH_MAX], folder[PATH_MAX];
	if (realpath(program, real) == NULL)
		return true;
	const char *const paths[] = {program, real};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		char parent[PATHS_MAX];
		snprintf(parent, sizeof parent, "%s", paths[i]);
		cut_name(parent);
		if (realpath(parent, folder) == NULL)
			continue;
		if (!is_broad(self, folder) && !allow_folder(self, folder, LANDLOCK_RUNS, err))
			return false;
		bool in_bin = strcmp(name_of(folder), "bin") == 0;
		cut_name(folder);
		if (in_bin && !is_broad(self, folder) && !allow_prefix(self, folder, admits_no_gemm, err))
			return false;
	}
	return landlock_allow_path(self->rules, real, LANDLOCK_RUNS, err);
}

static bool allow_host_compiler(struct reacher *self, struct error *err)
{
	static const char *const names[] = {"gcc", "g++"};
	char path[PATHS_MAX];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (paths_program(names[i], path) && !allow_program(self, path, err))
			return false;
	return true;
}

/* ---- what the user named ------------------------------------------------------ */

/* Whether libraries that do GEMMs lie in it. */
static bool holds_gemm_library(const char *folder)
{
	DIR *all = opendir(folder);
	struct dirent *entry = NULL;
	while (all != NULL && (entry = readdir(all)) != NULL && !gemm_library(entry->d_name)) {
	}
	if (all != NULL)
		closedir(all);
	return entry != NULL;
}

/* A folder, a program or another file, whatever it is and wherever it lies; of a folder with GEMM
 * libraries the others. */
static bool allow_named(struct reacher *self, const char *name, struct error *err)
{
	char path[PATHS_MAX];
	if (name[0] == '\0' || name[0] == '-')
		return true;
	if (name[0] == '/')
		snprintf(path, sizeof path, "%s", name);
	else if (!paths_join(path, self->here, name, err))
		return false;
	if (paths_is_program(path) && !allow_program(self, path, err))
		return false;
	return holds_gemm_library(path) ? allow_libraries(self, path, admits_no_gemm, err)
									: allow_if_there(self, path, LANDLOCK_RUNS, err);
}

/* "-I/a/b", "-Xcompiler=-I../b,-L/c", "-include", "/a/b.h": whatever in it is a path. */
static bool allow_in_words(struct reacher *self, const char *words, const char *separators,
						   struct error *err)
{
	char *copy = words != NULL ? strdup(words) : NULL, *rest = NULL;
	bool allowed = true;
	for (char *word = copy != NULL ? strtok_r(copy, separators, &rest) : NULL;
		 allowed && word != NULL; word = strtok_r(NULL, separators, &rest)) {
		bool joined = strncmp(word, "-I", 2) == 0 || strncmp(word, "-L", 2) == 0;
		allowed = allow_named(self, joined ? word + 2 : word, err);
	}
	free(copy);
	return allowed;
}

static bool allow_what_the_user_named(struct reacher *self, const char *const *flags,
									  struct error *err)
{
	static const char *const of_words[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
	static const char *const of_paths[] = {"NVCC_CCBIN", "CPATH", "CPLUS_INCLUDE_PATH",
										   "LIBRARY_PATH", "LD_LIBRARY_PATH"};
	bool allowed = true;
	for (size_t i = 0; allowed && flags != NULL && flags[i] != NULL; i++)
		allowed = allow_in_words(self, flags[i], " \t=,", err);
	for (size_t i = 0; allowed && i < sizeof of_words / sizeof *of_words; i++)
		allowed = allow_in_words(self, getenv(of_words[i]), " \t\"'=,", err);
	for (size_t i = 0; allowed && i < sizeof of_paths / sizeof *of_paths; i++)
		allowed = allow_in_words(self, getenv(of_paths[i]), ":", err);
	return allowed;
}

/* ---- what belongs to the file --------------------------------------------------- */

/* The file, and, unless it is isolated, what lies beside it. */
static bool allow_source(struct reacher *self, const char *source, bool isolated, struct error *err)
{
	char parent[PATHS_MAX], folder[PATH_MAX];
	snprintf(parent, sizeof parent, "%s", source);
	cut_name(parent);
	if (realpath(parent[0] != '\0' ? parent : "/", folder) == NULL)
		return error_set(err, "%s: %s", parent, strerror(errno));
	if (!allow_if_there(self, source, LANDLOCK_READS, err))
		return false;
	if (isolated)
		return true;
	if (!is_broad(self, folder))
		return allow_folder(self, folder, LANDLOCK_READS, err);
	allow_sources(self, folder);
	return true;
}

/* Its repository, hidden folders left out: .git may hold what is nobody's business. */
static bool allow_repository(struct reacher *self, const char *root, struct error *err)
{
	DIR *all = opendir(root);
	bool allowed = true;
	for (struct dirent *entry; allowed && all != NULL && (entry = readdir(all)) != NULL;) {
		char path[PATHS_MAX];
		struct stat facts;
		if (entry->d_name[0] != '.' && paths_join(path, root, entry->d_name, err) &&
			lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
			allowed = allow_folder(self, path, LANDLOCK_READS, err);
	}
	if (all != NULL)
		closedir(all);
	allow_sources(self, root);
	return allowed;
}

bool jail_rules_repository(const char *folder, char root[PATHS_MAX])
{
	struct error ignored;
	struct reacher *self = calloc(1, sizeof *self);
	snprintf(root, PATHS_MAX, "%s", folder);
	while (root[0] != '\0' && !is_there(root, ".git"))
		cut_name(root);
	bool found = root[0] != '\0' && strcmp(root, "/home") != 0 && self != NULL &&
				 keep_ours(self, &ignored) && !is_broad(self, root);
	free(self);
	return found;
}

/* Allows the files that the judge brings along for the compilation. */
static bool allow_ours(struct reacher *self, const struct jail_rules *what, struct error *err)
{
	static const char *const built[] = {PATHS_STUBS, PATHS_MISSING_FILES};
	char tree[PATHS_MAX], build[PATHS_MAX], path[PATHS_MAX];
	struct error ignored;
	const bool is_built = paths_build(build, &ignored);
	for (size_t i = 0; i < sizeof built / sizeof *built && is_built; i++)
		if (paths_join(path, build, built[i], &ignored) &&
			!allow_if_there(self, path, LANDLOCK_READS, err))
			return false;
	snprintf(tree, sizeof tree, "%s", self->solutions);
	cut_name(tree);
	if (tree[0] == '\0')
		return true;
	if (!what->copied && lies_in(what->source_folder, tree) &&
		!allow_if_there(self, self->solutions, LANDLOCK_READS, err))
		return false;
	return allow_if_there(self, self->epilogues, LANDLOCK_READS, err);
}

static bool allow_generated(struct reacher *self, const char *path, struct error *err)
{
	return path == NULL || landlock_allow_path(self->rules, path, LANDLOCK_READS, err);
}

static bool allow_all(struct reacher *self, const struct jail_rules *what, struct error *err)
{
	bool allowed =
		allow_system(self, err) && allow_toolkit(self, what, err) &&
		allow_host_compiler(self, err) && allow_what_the_user_named(self, what->flags, err) &&
		allow_ours(self, what, err) && allow_source(self, what->source, what->isolated, err) &&
		allow_generated(self, what->epilogue, err) && allow_generated(self, what->exports, err) &&
		allow_generated(self, what->headers, err) &&
		(what->isolated || what->repository == NULL ||
		 allow_repository(self, what->repository, err)) &&
		landlock_allow_path(self->rules, what->folder, LANDLOCK_WRITES, err);
	for (size_t i = 0; allowed && what->stages != NULL && what->stages[i] != NULL; i++)
		allowed = allow_source(self, what->stages[i], what->isolated, err);
	return allowed;
}

int jail_rules_open(const struct jail_rules *what, struct error *err)
{
	struct reacher *self = calloc(1, sizeof *self);
	if (self == NULL) {
		error_set(err, "out of memory");
		return -1;
	}
	self->here = what->source_folder;
	self->rules = keep_ours(self, err) ? landlock_begin(err) : -1;
	if (self->rules >= 0 && !allow_all(self, what, err)) {
		close(self->rules);
		self->rules = -1;
	}
	int rules = self->rules;
	free(self);
	return rules;
}

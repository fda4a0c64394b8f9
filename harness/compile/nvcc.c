#include "compile/nvcc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/toolkit.h"
#include "compile/source_needs.h"
#include "compile/stand_in.h"
#include "process/child.h"

/* What a compilation may take. Temporary files have some times the size of the source, and nvcc is
 * a dozen processes. */
#define FILE_BYTES ((size_t)1 << 30)
#define MEMORY_BYTES ((size_t)16 << 30) /* at most; half of what the machine has */
#define PROCESSES 256

/* Of nvcc's folder: what the first run makes and the second links, and what comes of that. */
#define OBJECT "%s/solution.o"
#define LIBRARY "%s/solution.so"

/* ---- words ------------------------------------------------------------ */

void words_add(struct words *words, const char *format, ...)
{
	va_list args;
	char *word = NULL;
	va_start(args, format);
	if (vasprintf(&word, format, args) < 0)
		word = NULL;
	va_end(args);
	char **more = realloc(words->at, (words->count + 2) * sizeof *more);
	if (more != NULL)
		words->at = more;
	if (word == NULL || more == NULL) {
		free(word);
		words->failed = true;
		return;
	}
	words->at[words->count++] = word;
	words->at[words->count] = NULL;
}

void words_free(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->at[i]);
	free(words->at);
	*words = (struct words){0};
}

/* ---- finding nvcc ------------------------------------------------------ */

enum nvcc_trial { NVCC_ABSENT, NVCC_REFUSED /* err says why */, NVCC_FOUND };

/* A candidate counts when it runs and is of the right version. */
static enum nvcc_trial try_nvcc(const char *path, const char *cache, char out[PATHS_MAX],
								char version[VERSION_TEXT], struct error *err)
{
	char absolute[PATHS_MAX], here[PATHS_MAX];
	struct error ignored;
	if (!paths_is_program(path))
		return NVCC_ABSENT;
	/* It is started in another folder. Links stay: nvcc finds its parts by its own path. */
	if (path[0] != '/' && getcwd(here, sizeof here) != NULL &&
		paths_join(absolute, here, path, &ignored))
		path = absolute;
	if (!version_of_nvcc(path, cache, version, err))
		return NVCC_REFUSED;
	if (strncmp(version, TOOLKIT_MAJOR ".", strlen(TOOLKIT_MAJOR ".")) != 0) {
		error_set(err, "%s is of CUDA %s, and CUDA " TOOLKIT_MAJOR " is needed", path, version);
		return NVCC_REFUSED;
	}
	snprintf(out, PATHS_MAX, "%s", path);
	return NVCC_FOUND;
}

/* No nvcc is in any place: what to do about it. */
static bool say_no_nvcc(struct error *err)
{
	char places[TOOLKIT_TEXT], built_with[PATHS_MAX];
	toolkit_places(places);
	if (!paths_installed())
		return error_set(err,
						 "no nvcc: looked at %s; install the CUDA " TOOLKIT_MAJOR
						 " toolkit or run tools/setup",
						 places);
	if (!toolkit_built_with(built_with))
		return error_set(err,
						 "no nvcc: looked at %s; install the CUDA " TOOLKIT_MAJOR
						 " toolkit (of the wheel: pip install gemmjudge[cuda])",
						 places);
	return error_set(err,
					 "no nvcc: looked at %s; %s, which gemmjudge was built with, is not there any "
					 "more: install the CUDA " TOOLKIT_MAJOR " toolkit, or name one in CUDA_HOME",
					 places, built_with);
}

bool nvcc_find(const char *cache, char out[PATHS_MAX], char version[VERSION_TEXT],
			   struct error *err)
{
	struct toolkit toolkit;
	struct error why;
	bool refused = false; /* err says why the first one was */

	for (size_t i = 0; i < TOOLKIT_PLACES; i++) {
		if (!toolkit_at(i, &toolkit))
			continue;
		enum nvcc_trial trial = try_nvcc(toolkit.nvcc, cache, out, version, &why);
		if (trial == NVCC_FOUND)
			return true;
		if (i == 0) /* $GEMMJUDGE_NVCC: no other one is wanted */
			return trial == NVCC_REFUSED
					   ? error_set(err, "GEMMJUDGE_NVCC: %s", why.message)
					   : error_set(err, "GEMMJUDGE_NVCC=%s: no such program", toolkit.nvcc);
		if (trial == NVCC_REFUSED && !refused)
			*err = why;
		refused = refused || trial == NVCC_REFUSED;
	}
	return !refused && say_no_nvcc(err);
}

bool compile_find_nvcc(char out[PATHS_MAX], char version[VERSION_TEXT], struct error *err)
{
	char cache[PATHS_MAX];
	struct error ignored; /* without a cache nvcc is asked for its version each time */
	return nvcc_find(paths_cache(cache, &ignored) ? cache : NULL, out, version, err);
}

/* Whether -ccbin gives the folder of a host compiler, or that compiler; else it is the one that
 * nvcc finds on the PATH. */
static bool names_host_compiler(const struct words *arguments)
{
	if (getenv("NVCC_CCBIN") != NULL || getenv("NVCC_APPEND_FLAGS") != NULL ||
		getenv("NVCC_PREPEND_FLAGS") != NULL)
		return true;
	for (size_t i = 0; i < arguments->count; i++)
		if (strstr(arguments->at[i], "-ccbin") != NULL ||
			strstr(arguments->at[i], "--compiler-bindir") != NULL)
			return true;
	return false;
}

bool nvcc_has_host_compiler(const struct words *arguments, struct error *err)
{
	char path[PATHS_MAX];
	if (names_host_compiler(arguments) || paths_program("g++", path))
		return true;
	return error_set(err, "nvcc needs a host C++ compiler and there is no g++ on the PATH: install "
						  "g++ (Debian: build-essential), or name one in NVCC_CCBIN");
}

/* ---- arguments --------------------------------------------------------- */

static void add_architecture(struct words *words, const char *architecture)
{
	static const char virtual[] = "compute_";
	bool machine_code = architecture[0] != '\0';
	const char *name = machine_code ? architecture : EMULATED_ARCHITECTURE;
	if (strncmp(name, virtual, sizeof virtual - 1) == 0) {
		machine_code = false;
		name += sizeof virtual - 1;
	}
	words_add(words, "-gencode");
	if (!machine_code) {
		words_add(words, "arch=compute_%s,code=compute_%s", name, name);
		return;
	}
	words_add(words, "arch=compute_%s,code=[sm_%s,compute_%s]", name, name, name);
	words_add(words, "-Xptxas"); /* costs nothing, and says what kernels take of a GPU */
	words_add(words, "-v");
}

static bool add_stub(struct words *words, const char *folder)
{
	char stub[PATHS_MAX];
	struct error ignored;
	if (!paths_join(stub, folder, "libcuda.so", &ignored) || access(stub, R_OK) != 0)
		return false;
	words_add(words, "-L%s", folder);
	words_add(words, "-lcuda");
	return true;
}

/* The driver's functions, for whoever calls them without having asked for -lcuda: a stub, which has
 * their names and, with --as-needed, is no part of a solution that calls none. The toolkit's, or
 * where it has none, as that of the wheels, our own. */
static void add_driver(struct words *words, const char *nvcc)
{
	char root[PATHS_MAX], folder[PATHS_MAX];
	struct error ignored;
	toolkit_root(nvcc, root);
	for (const char *const *below = toolkit_library_folders; *below != NULL; below++)
		if (snprintf(folder, sizeof folder, "%s/%s/stubs", root, *below) < PATHS_MAX &&
			add_stub(words, folder))
			return;
	if (paths_build(root, &ignored) && paths_join(folder, root, PATHS_STUBS, &ignored))
		add_stub(words, folder);
}

/* The toolkit's libraries lie in lib64, in lib, or in both. They are named to the
 * loader as well: a baseline must find the cuBLAS that it was linked with. */
static void add_libraries(struct words *words, const char *nvcc)
{
	static const char *const folders[] = {"lib64", "lib"};
	char root[PATHS_MAX];
	toolkit_root(nvcc, root);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char folder[PATHS_MAX];
		struct error ignored;
		if (!paths_join(folder, root, folders[i], &ignored) || access(folder, X_OK) != 0)
			continue;
		words_add(words, "-L%s", folder);
		words_add(words, "-Xlinker");
		words_add(words, "-rpath=%s", folder);
	}
	words_add(words, "-lcublas");
	words_add(words, "-lcublasLt");
}

bool nvcc_has_standard(const char *const *flags)
{
	for (; flags != NULL && *flags != NULL; flags++)
		if (strncmp(*flags, "-std", 4) == 0 || strncmp(*flags, "--std", 5) == 0)
			return true;
	return false;
}

/* Whether code may have to be linked for the device: with flags that ask for it, as -rdc=true. Two
 * thirds of linking go without it. */
static bool links_device(const char *const *flags)
{
	static const char *const plain[] = {"-D", "-I", "-std="};
	bool all = getenv("NVCC_APPEND_FLAGS") == NULL && getenv("NVCC_PREPEND_FLAGS") == NULL;
	for (; flags != NULL && *flags != NULL && all; flags++) {
		bool one = false;
		for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
			one = one || strncmp(*flags, plain[i], strlen(plain[i])) == 0;
		all = one;
	}
	return !all;
}

/* What is for other programs nvcc takes apart at commas and hands to a shell without quotes: paths
 * of other characters are left out, and the linker is told of blanks by backslashes. */
static void add_exports(struct words *words, const char *exports)
{
	char escaped[2 * PATHS_MAX];
	size_t used = 0;
	if (stand_in_is_needed(exports))
		return;
	for (const char *p = exports; *p != '\0'; p++) {
		if (*p == ' ')
			escaped[used++] = '\\';
		escaped[used++] = *p;
	}
	words_add(words, "-Xlinker");
	words_add(words, "--gc-sections");
	words_add(words, "-Xlinker");
	words_add(words, NVCC_EXPORTS "%.*s", (int)used, escaped);
}

/* Without the parts of headers that the file does not name. g++ takes a quarter less for
 * preprocessing where it does not note what each macro became; others do not know this flag. */
static void add_omissions(struct words *words, unsigned named)
{
	for (size_t i = 0; i < SOURCE_PARTS; i++)
		for (const char *const *define = source_parts[i].defines; *define != NULL; define++)
			if ((named & 1u << i) == 0)
				words_add(words, "-D%s", *define);
	if (names_host_compiler(words))
		return;
	words_add(words, "-Xcompiler");
	words_add(words, "-ftrack-macro-expansion=0");
}

/* A header of the system is found before one of the same name in a repository. */
static void add_repository(struct words *words, const char *folder)
{
	if (stand_in_is_needed(folder) || strchr(folder, ' ') != NULL)
		return;
	words_add(words, "-Xcompiler");
	words_add(words, "-idirafter,%s,-idirafter,%s/include", folder, folder);
}

void nvcc_arguments(struct words *words, const char *nvcc, const struct compile_options *options,
					const struct nvcc_parts *parts)
{
	/* -g1: lines of the host's code, for source_line.h. -static-...: the library loads on a machine
	 * without this libstdc++. --exclude-libs: and keeps its own to itself. Its unique symbols would
	 * otherwise be those of whatever libstdc++ the process has loaded first, another version
	 * perhaps, beside which std::cout crashes (seen with those of GCC 13 and 14). -z defs: what is
	 * declared and nowhere defined is an error here, not when it is loaded; so old C libraries have
	 * to be named whose parts new ones have in one. -f...-sections: what nothing needs that is seen
	 * from outside, or that runs in loading, is left out: an author's main() and what it calls. */
	static const char *const fixed[] = {"-shared",
										"-cudart",
										"shared",
										"--no-compress",
										"-O3",
										"-lineinfo",
										"--expt-relaxed-constexpr",
										"-Xcompiler",
										"-fPIC,-g1,-static-libstdc++,-static-libgcc",
										"-Xcompiler",
										"-ffunction-sections,-fdata-sections",
										"-Xlinker",
										"-z,defs",
										"-Xlinker",
										"--exclude-libs=ALL",
										"-Xlinker",
										"--as-needed",
										"-lpthread",
										"-ldl",
										"-lrt"};
	char tree[PATHS_MAX];
	struct error ignored;

	words_add(words, "%s", nvcc);
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		words_add(words, "%s", fixed[i]);
	if (parts->exports != NULL)
		add_exports(words, parts->exports);
	if (!links_device(options->flags))
		words_add(words, "-nodlink");
	if (parts->ways.lambdas)
		words_add(words, "--extended-lambda");
	if (!nvcc_has_standard(options->flags))
		words_add(words, parts->ways.cxx20 ? "-std=c++20" : "-std=c++17");
	add_architecture(words, options->architecture);
	if (paths_source(tree, &ignored))
		words_add(words, "-I%s/epilogues", tree);
	if (parts->epilogue != NULL)
		words_add(words, "-DEPILOGUE_CHAIN=\"%s\"", parts->epilogue);
	for (size_t i = 0; options->flags != NULL && options->flags[i] != NULL; i++)
		words_add(words, "%s", options->flags[i]);
	if (!parts->ways.whole_headers)
		add_omissions(words, parts->named);
	if (parts->headers != NULL)
		words_add(words, "-I%s", parts->headers);
	if (parts->repository != NULL)
		add_repository(words, parts->repository);
	words_add(words, "%s", parts->source);
	add_driver(words, nvcc);
	if (options->libraries)
		add_libraries(words, nvcc);
}

/* ---- running ----------------------------------------------------------- */

/* Some sources make a compiler eat all memory. */
static size_t memory_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	size_t half = pages > 0 && page > 0 ? (size_t)pages / 2 * (size_t)page : MEMORY_BYTES;
	return half < MEMORY_BYTES ? half : MEMORY_BYTES;
}

/* What nvcc finds in its environment beside the caller's variables that process/environment.h hands
 * on. Its home and its temporary files are in the folder, so that none is left behind. cudafe++
 * takes its memory by 11,000 page faults, a tenth of its time; with huge pages by 2,000. What
 * compilers take by themselves huge_pages.c sees to. */
static void make_environment(struct words *words, const char *folder, bool hides_denied)
{
	char build[PATHS_MAX];
	struct error ignored;
	words_add(words, "HOME=%s", folder);
	words_add(words, "TMPDIR=%s", folder);
	words_add(words, "LANG=C");
	words_add(words, "GLIBC_TUNABLES=glibc.malloc.hugetlb=1");
	if (hides_denied && paths_build(build, &ignored))
		words_add(words, "LD_PRELOAD=%s/" PATHS_MISSING_FILES, build);
}

/* The messages of both runs, with a word before those whose first ones are lost. Takes over `log`.
 */
static char *log_append(char *log, const char *output)
{
	char *both = NULL;
	const char *note = "";
	if (strlen(output) == CHILD_OUTPUT_MAX)
		note = "[the first messages are left out]\n";
	if (asprintf(&both, "%s%s%s", log != NULL ? log : "", note, output) < 0)
		both = NULL;
	free(log);
	return both;
}

/* "undefined reference to `cublasCreate_v2'", or as another linker has it: the name, if it is of a
 * library that does GEMMs. To be asked about what was printed in linking alone: a source, a header
 * or a stage makes the compilers say what it likes. */
static bool forbidden_symbol(const char *log, struct error *err)
{
	static const char *const said[] = {"undefined reference to ",
									   "undefined symbol: ", "cannot find -l",
									   "unable to find library -l"};
	static const char *const begins[] = {"cublas",   "cudnn",  "cusparse", "cusolver",
										 "cutensor", "nvblas", "cblas_"};
	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		for (const char *at = log; (at = strstr(at, said[i])) != NULL;) {
			at += strlen(said[i]);
			at += strspn(at, "`'");
			for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
				if (strncmp(at, begins[k], strlen(begins[k])) == 0)
					return !error_set(err, "it calls %.*s, of a GEMM library",
									  (int)strcspn(at, "`'( \n"), at);
		}
	return false;
}

static enum compile_status status_of_end(struct child_result result, double seconds,
										 struct error *err)
{
	switch (result.outcome) {
	case CHILD_EXITED: break;
	case CHILD_TIMED_OUT:
		error_set(err, "nvcc took more than %g s (--compile-timeout S allows more)", seconds);
		return COMPILE_STOPPED;
	case CHILD_STOPPED:
		error_set(err, "nvcc was stopped by a signal (SIGSTOP)");
		return COMPILE_STOPPED;
	case CHILD_OVER_MEMORY:
		error_set(err, "nvcc used more than %zu MiB of memory", memory_limit() >> 20);
		return COMPILE_STOPPED;
	case CHILD_OVER_PROCESSES:
		error_set(err, "nvcc started more than %d processes", PROCESSES);
		return COMPILE_STOPPED;
	case CHILD_CANCELLED: error_set(err, "nvcc was no longer wanted"); return COMPILE_STOPPED;
	default:
		error_set(err, "nvcc was ended by signal %d (%s)", result.signal_number,
				  strsignal(result.signal_number));
		return COMPILE_STOPPED;
	}
	return result.exit_status == 0 ? COMPILE_OK : COMPILE_ERROR;
}

/* The command line of the first run: from the source to an object. */
static void arguments_to_compile(struct words *words, const struct words *arguments,
								 const struct nvcc_start *start)
{
	static const char *const dependencies[] = {"-MD", "-MT", "solution", "-MF"};
	const char *folder = start->folder;
	for (size_t i = 0; i < arguments->count; i++) {
		bool replaced = start->stand_in != NULL && strcmp(arguments->at[i], start->source) == 0;
		words_add(words, "%s", replaced ? start->stand_in : arguments->at[i]);
		if (i == 0) {
			words_add(words, "-x");
			words_add(words, "cu");
		}
	}
	if (start->quoted) { /* it runs in the folder of the source */
		words_add(words, "-Xcompiler");
		words_add(words, "-iquote,.");
	}
	for (size_t i = 0; i < sizeof dependencies / sizeof *dependencies; i++)
		words_add(words, "%s", dependencies[i]);
	words_add(words, "%s/dependencies", folder);
	words_add(words, "-c");
	words_add(words, "-o");
	words_add(words, start->object ? LIBRARY : OBJECT, folder);
}

/* Of the second: from that to a library. */
static void arguments_to_link(struct words *words, const struct words *arguments,
							  const struct nvcc_start *start)
{
	for (size_t i = 0; i < arguments->count; i++)
		if (strcmp(arguments->at[i], start->source) != 0)
			words_add(words, "%s", arguments->at[i]);
		else if (start->objects == 0)
			words_add(words, OBJECT, start->folder);
		else
			for (size_t object = 0; object < start->objects; object++)
				words_add(words, NVCC_OBJECT, start->folder, object);
	words_add(words, "-o");
	words_add(words, LIBRARY, start->folder);
}

enum compile_status nvcc_once(struct words *words, bool links, const struct nvcc_start *start,
							  char **log, uint64_t *written, struct error *err)
{
	enum compile_status status = COMPILE_NO_COMPILER;
	struct words environment = {0};
	make_environment(&environment, start->folder, start->hides_denied);
	if (words->failed || environment.failed) {
		error_set(err, "out of memory for nvcc's command line");
		goto done;
	}
	struct child_options options = {.argv = (const char *const *)words->at,
									.setenv = (const char *const *)environment.at,
									.environment = ENVIRONMENT_COMPILER,
									.working_folder = start->working_folder,
									.memory_limit_bytes = memory_limit(),
									.file_limit_bytes = FILE_BYTES,
									.process_limit = PROCESSES,
									.rules = start->rules,
									.control = start->control};
	struct child *child = child_start(&options, err);
	if (child == NULL)
		goto done;
	struct child_result result = child_wait(child, start->deadline - clock_seconds());
	const char *output = child_output(child);
	status = status_of_end(result, start->limit, err);
	if (links && status == COMPILE_ERROR && forbidden_symbol(output, err))
		status = COMPILE_FORBIDDEN;
	*log = log_append(*log, output);
	*written =
		result.written_bytes < UINT64_MAX - *written ? *written + result.written_bytes : UINT64_MAX;
	child_stop(child);
done:
	words_free(words);
	words_free(&environment);
	return status;
}

enum compile_status nvcc_run(const struct words *arguments, const struct nvcc_start *start,
							 char **log, uint64_t *written, struct error *err)
{
	struct words words = {0};
	*log = NULL;
	*written = 0;
	if (start->objects == 0) {
		arguments_to_compile(&words, arguments, start);
		enum compile_status status = nvcc_once(&words, false, start, log, written, err);
		if (status != COMPILE_OK || start->object)
			return status;
	}
	arguments_to_link(&words, arguments, start);
	return nvcc_once(&words, true, start, log, written, err);
}

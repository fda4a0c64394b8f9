/* gemmjudge doctor: what is here, what it is for, what its absence costs. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cuda_versions.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/toolkit.h"
#include "cli/cli.h"
#include "cli/layers.h"
#include "cli/output.h"
#include "compile/compile.h"
#include "compile/prune.h"
#include "compile/source_line.h"
#include "judge/probe.h"
#include "judgement/layers.h"
#include "process/cgroup.h"
#include "report/wrap.h"

struct examination {
	bool color;
	bool compiler, gpu, emulator;
};

enum presence { MISSING, PRESENT, ABSENT /* and not needed */ };

#define INDENT 9
#define COLUMNS 80

/* The thing and what was found of it; on a second line what that means. */
static void print_line(const struct examination *e, enum presence presence, const char *what,
					   const char *found, const char *meaning)
{
	static const char *const words[] = {"missing", "ok", "absent"};
	static const char *const colors[] = {"\033[1;31m", "\033[1;32m", ""};
	bool color = e->color && colors[presence][0] != '\0';
	printf("%s%-8s%s ", color ? colors[presence] : "", words[presence], color ? "\033[0m" : "");
	char line[2 * PATHS_MAX];
	snprintf(line, sizeof line, "%s%s%s", what, found[0] != '\0' ? ": " : "", found);
	wrap_print(stdout, COLUMNS, INDENT, INDENT, line);
	wrap_print(stdout, COLUMNS, 0, INDENT, meaning);
	fflush(stdout); /* the next line may take seconds */
}

/* ---- what is looked at ------------------------------------------------------ */

/* All places in the order in which they are looked at, and which of them has this nvcc; NULL: none.
 */
static void show_places(const char *nvcc)
{
	struct toolkit toolkit;
	char line[16 * TOOLKIT_TEXT] = "CUDA is looked for in";
	for (size_t i = 0; i < TOOLKIT_PLACES; i++) {
		bool named = toolkit_at(i, &toolkit), there = named && access(toolkit.root, F_OK) == 0;
		bool used = there && nvcc != NULL && strcmp(toolkit.nvcc, nvcc) == 0;
		bool has_nvcc = there && paths_is_program(toolkit.nvcc);
		size_t length = strlen(line);
		snprintf(line + length, sizeof line - length, "%s %s%s", i > 0 ? "," : "", toolkit.place,
				 used       ? " (this one)"
				 : has_nvcc ? " (there)"
				 : there    ? " (has no nvcc)"
				 : named    ? " (not there)"
							: " (none)");
		nvcc = used ? NULL : nvcc;
	}
	wrap_print(stdout, COLUMNS, 0, INDENT, line);
}

static void examine_compilers(struct examination *e)
{
	char path[PATHS_MAX], version[64], found[PATHS_MAX + 1200];
	struct error err = {{0}};
	e->compiler = compile_find_nvcc(path, version, &err);
	snprintf(found, sizeof found, "%s%s%s", e->compiler ? version : err.message,
			 e->compiler ? ", " : "", e->compiler ? path : "");
	print_line(e, e->compiler ? PRESENT : MISSING, "nvcc", found,
			   e->compiler
				   ? "compiles the solutions"
				   : "nothing can be compiled, so nothing judged (tools/setup fetches one)");
	if (e->compiler && toolkit_is_untried(version)) {
		snprintf(found, sizeof found,
				 "CUDA %s is newer than any toolkit that this version was tried with "
				 "(" TOOLKIT_OLDEST_TRIED " to " TOOLKIT_NEWEST_TRIED ")",
				 version);
		wrap_print(stdout, COLUMNS, 0, INDENT, found);
	}
	show_places(e->compiler ? path : NULL);

	bool host = paths_program("g++", path);
	print_line(e, host ? PRESENT : MISSING, "host C++ compiler", host ? path : "no g++ in PATH",
			   host ? "nvcc compiles the host part of a solution with it"
					: "nvcc cannot work without it: install g++");
	e->compiler = e->compiler && host;
}

static void examine_gpu(struct examination *e, struct device_properties *facts)
{
	struct error err = {{0}};
	struct device_list request;
	struct probe probe;
	char found[1200];
	bool sealed = false;
	e->gpu = device_list_parse("cuda", &request, &err) && probe_device(&request, &probe, &err);
	if (e->gpu) {
		*facts = probe.facts;
		snprintf(found, sizeof found, "%s, %d SMs, %.0f GiB, sm_%s, driver %s", facts->name,
				 facts->multiprocessors, (double)facts->memory_bytes / (1u << 30),
				 facts->architecture, facts->driver);
		sealed = probe_sealed(&probe, &err);
	} else { /* what the message advises is said below */
		const char *why = strstr(err.message, "no NVIDIA driver");
		snprintf(found, sizeof found, "%s", why != NULL ? why : err.message);
	}
	print_line(e, e->gpu ? PRESENT : ABSENT, "NVIDIA GPU", found,
			   e->gpu ? "runs, checks and times the solutions"
					  : "no times; solutions are checked on the emulated GPU, on small sizes");
	if (e->gpu)
		print_line(e, sealed ? PRESENT : ABSENT, "sealed calls", sealed ? "" : err.message,
				   sealed ? "times are confirmed by host-side time, outside the solution's process"
						  : "times are what the solution's process says");
}

/* The library that a GPU's referee would load: "cuBLAS 13.10.0, PATH". False where none loads. */
static bool find_cublas(char found[PATHS_MAX + 128])
{
	char path[PATHS_MAX], version[64];
	struct error err;
	cublas_property *ask = NULL;
	void *library = toolkit_open_library("libcublasLt.so.13", RTLD_LAZY | RTLD_GLOBAL, &err);
	library = library != NULL ? toolkit_open_library("libcublas.so.13", RTLD_LAZY, &err) : NULL;
	if (library != NULL)
		*(void **)&ask = dlsym(library, "cublasGetProperty");
	if (ask == NULL || !toolkit_find_library("libcublas.so.13", path)) {
		strcpy(found, "no libcublas.so.13");
		return false;
	}
	cublas_version(ask, version, sizeof version);
	snprintf(found, PATHS_MAX + 128, "%s, %s", version, path);
	return true;
}

static void examine_libraries(struct examination *e, const struct device_properties *facts)
{
	char path[PATHS_MAX], cublas[PATHS_MAX + 128];
	bool blas = e->gpu || find_cublas(cublas);
	print_line(e, blas ? PRESENT : MISSING, "cuBLAS", e->gpu ? facts->library : cublas,
			   blas ? "the reference on a GPU, and the baseline to compare with"
					: "nothing can be judged on a GPU; the emulated one does not need it");
	bool cupti = toolkit_find_library("libcupti.so.13", path);
	print_line(e, cupti ? PRESENT : MISSING, "CUPTI", cupti ? path : "no libcupti.so.13",
			   cupti ? "times the work on a GPU without the launch"
					 : "times come from events, which add some microseconds to a call");
	bool nvml = toolkit_find_library("libnvidia-ml.so.1", path);
	print_line(e,
			   nvml     ? PRESENT
			   : e->gpu ? MISSING
						: ABSENT,
			   "NVML", nvml ? path : "no libnvidia-ml.so.1 (it comes with the driver)",
			   nvml ? "watches the GPU's clocks while timing"
					: "no clocks are shown and no throttling is noticed");
}

static void examine_emulator(struct examination *e)
{
	struct error err = {{0}};
	struct device_list request;
	struct probe probe;
	e->emulator = device_list_parse("emu", &request, &err) && probe_device(&request, &probe, &err);
	char found[1200];
	snprintf(found, sizeof found, "%s", e->emulator ? probe.facts.name : err.message);
	print_line(e, e->emulator ? PRESENT : MISSING, "emulated GPU", found,
			   e->emulator ? "checks solutions without a GPU (no times)"
						   : "solutions cannot be judged without a GPU: build the program whole");
}

static void examine_rest(struct examination *e)
{
	char path[PATHS_MAX];
	struct error err = {{0}};
	bool cache = paths_cache(path, &err);
	char found[PATHS_MAX + 128];
	snprintf(found, sizeof found, "%s", cache ? path : err.message);
	if (cache) {
		struct prune_usage usage = prune_usage_of(path);
		size_t used = strlen(found);
		snprintf(found + used, sizeof found - used, ", %zu compiled solution%s, %.1f of %.0f MiB",
				 usage.entries, text_plural(usage.entries), (double)usage.bytes / 0x1p20,
				 (double)PRUNE_BYTES / 0x1p20);
	}
	print_line(
		e, cache ? PRESENT : MISSING, "cache folder", found,
		cache ? "keeps compiled solutions, so that the next run starts at once; those not used for "
				"longest go first"
			  : "compiled solutions cannot be kept anywhere: set GEMMJUDGE_CACHE");
	e->compiler = e->compiler && cache;
	bool lines = access(source_line_program, X_OK) == 0;
	print_line(
		e, lines ? PRESENT : ABSENT, "addr2line", lines ? source_line_program : "not found",
		lines ? "says which line of a solution made an allocation, where one reads past it"
			  : "optional: messages then do not name the line of an allocation (binutils has it)");
	bool ncu = toolkit_find_program("ncu", path);
	print_line(e, ncu ? PRESENT : ABSENT, "Nsight Compute (ncu)", ncu ? path : "not found",
			   ncu ? "profiles a kernel in depth; the judge itself does not need it"
				   : "optional: for profiling a kernel in depth");
	bool sanitizer = probe_sanitizer(path, &err);
	print_line(e, sanitizer ? PRESENT : ABSENT, "compute-sanitizer", sanitizer ? path : "not found",
			   sanitizer ? "finds memory faults and races on a GPU: judge --sanitize"
						 : "optional: finds memory faults on a GPU, as the emulated GPU does");
}

/* The layers that a solution's process is closed with. */
static void examine_jail(struct examination *e)
{
	static const struct {
		unsigned layer;
		bool tells;
		const char *what, *present, *missing;
	} layers[] = {
		{LAYER_FILES, false, "jail, files", "a solution reads no file, and writes none",
		 "a solution can read and write what you can; turn on Landlock: Linux 5.13, \"landlock\" "
		 "in "
		 "the boot parameter lsm="},
		{LAYER_CALLS, false, "jail, calls",
		 "a solution starts no program or process, opens no socket, has none of root's "
		 "capabilities, and does not go on while it is stopped",
		 "a solution can start programs, reach other processes, has root's capabilities where you "
		 "are root, and can go on while it is stopped; turn on seccomp in the kernel or container"},
		{LAYER_CALLS, true, "jail, attempts",
		 "what a solution tries and is denied is told (judge --verbose)",
		 "what a solution tries and is denied is not told; it is denied all the same"},
		{LAYER_NAMESPACES, false, "jail, namespaces",
		 "a solution has a network and IPC of its own, and sees no files but its own",
		 "a solution shares the network and IPC of this machine, and stat() tells it which files "
		 "there are; turn on users' namespaces: sysctl user.max_user_namespaces=10000, on Ubuntu "
		 "also kernel.apparmor_restrict_unprivileged_userns=0; in a container --cap-add SYS_ADMIN "
		 "and a seccomp and AppArmor profile that let it mount"},
	};
	for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
		struct error err = {{0}};
		bool holds = layers_try(layers[i].layer, layers[i].tells, &err);
		print_line(e, holds ? PRESENT : ABSENT, layers[i].what, holds ? "" : err.message,
				   holds ? layers[i].present : layers[i].missing);
	}
}

/* A group that limits nothing is made and removed. */
static void examine_memory(struct examination *e)
{
	struct error err = {{0}};
	if (!cgroup_wanted()) {
		print_line(e, ABSENT, "memory cgroup", CGROUP_VARIABLE " names none",
				   "optional: a solution's memory is looked at 50 times a second, and what is "
				   "unmapped and yet kept is not seen. As root: mkdir "
				   "/sys/fs/cgroup/gemmjudge, write +memory to cgroup.subtree_control in "
				   "it, and set " CGROUP_VARIABLE " to that folder");
		return;
	}
	struct cgroup *group = cgroup_make((size_t)1 << 40, &err);
	if (group == NULL) {
		e->compiler = false; /* nothing is judged */
		print_line(e, MISSING, "memory cgroup", err.message,
				   "no solution can be judged: make the folder as this user's own, or unset the "
				   "variable");
		return;
	}
	cgroup_remove(group);
	print_line(e, PRESENT, "memory cgroup", getenv(CGROUP_VARIABLE),
			   "the kernel limits memory of every kind that a solution uses");
}

static int doctor(const char *program, struct options *options)
{
	struct error err = {{0}};
	if (options->argument_count > 0) {
		error_set(&err, "doctor takes no arguments, but was given '%s'", options->arguments[0]);
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	static struct examination e;
	struct device_properties facts = {0};
	e.color = output_color(options, stdout);
	printf("gemmjudge %s on %s\n", GEMMJUDGE_VERSION, ARCHITECTURE);
	examine_compilers(&e);
	examine_gpu(&e, &facts);
	examine_libraries(&e, &facts);
	examine_emulator(&e);
	examine_jail(&e);
	examine_memory(&e);
	examine_rest(&e);

	if (e.compiler && (e.gpu || e.emulator)) {
		printf("\nready: %s judge FILE works here, on the %s\n", program,
			   e.gpu ? "GPU" : "emulated GPU");
		return EXIT_ACCEPTED;
	}
	printf("\nnot ready: %s\n",
		   !e.compiler ? "solutions cannot be compiled" : "there is no device to run them on");
	return EXIT_CANNOT_RUN;
}

const struct subcommand subcommand_doctor = {
	.name = "doctor",
	.also = "info devices device gpus gpu env check-env status",
	.summary = "what this machine has, what it lacks, and what that costs",
	.usage = "usage: gemmjudge doctor\n"
			 "\n"
			 "Shows what this machine has, what it lacks, and what that costs. Exit status 0 "
			 "when solutions can be judged on some device here, else 3.\n",
	.run = doctor,
};

/* gemmjudge doctor: what is here, what it is for, what its absence costs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "compile/compile.h"
#include "compile/prune.h"
#include "compile/source_line.h"
#include "judge/run/device.h"
#include "judge/run/tool.h"
#include "judge/timing/confirm.h"
#include "process/jail.h"
#include "report/wrap.h"

struct examination {
	bool color;
	char cuda_root[PATHS_MAX]; /* the toolkit's folder, "" without one */
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

/* ---- finding files --------------------------------------------------------- */

/* Looks for `name` in the folders of a ':'-separated list. */
static bool find_in_list(const char *list, const char *name, int mode, char out[PATHS_MAX])
{
	for (const char *start = list; start != NULL && *start != '\0';) {
		size_t length = strcspn(start, ":");
		if (length > 0 &&
			snprintf(out, PATHS_MAX, "%.*s/%s", (int)length, start, name) < PATHS_MAX &&
			access(out, mode) == 0)
			return true;
		start += length;
		start += *start == ':';
	}
	return false;
}

static bool find_program(const struct examination *e, const char *name, char out[PATHS_MAX])
{
	char folder[PATHS_MAX + 8];
	snprintf(folder, sizeof folder, "%s/bin", e->cuda_root);
	return find_in_list(getenv("PATH"), name, X_OK, out) ||
		   (e->cuda_root[0] != '\0' && find_in_list(folder, name, X_OK, out));
}

static bool find_library(const struct examination *e, const char *name, char out[PATHS_MAX])
{
	char folders[3 * PATHS_MAX + 64];
	snprintf(folders, sizeof folders, "%s/lib64:%s/targets/x86_64-linux/lib:%s/extras/CUPTI/lib64",
			 e->cuda_root, e->cuda_root, e->cuda_root);
	return find_in_list(getenv("LD_LIBRARY_PATH"), name, R_OK, out) ||
		   (e->cuda_root[0] != '\0' && find_in_list(folders, name, R_OK, out)) ||
		   find_in_list("/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu:/usr/lib64:/usr/lib:"
						"/usr/local/cuda/lib64:/usr/lib/wsl/lib",
						name, R_OK, out);
}

/* ---- what is looked at ------------------------------------------------------ */

static void examine_compilers(struct examination *e)
{
	char path[PATHS_MAX], version[64], found[PATHS_MAX + 80];
	struct error err = {{0}};
	e->compiler = compile_find_nvcc(path, version, &err);
	if (e->compiler) {
		snprintf(found, sizeof found, "%s, %s", version, path);
		char real[PATHS_MAX], *slash;
		snprintf(e->cuda_root, sizeof e->cuda_root, "%s",
				 realpath(path, real) != NULL ? real : path);
		for (int level = 0; level < 2 && (slash = strrchr(e->cuda_root, '/')) != NULL; level++)
			*slash = '\0';
	} else {
		snprintf(found, sizeof found, "%s", err.message);
	}
	print_line(e, e->compiler ? PRESENT : MISSING, "nvcc", found,
			   e->compiler
				   ? "compiles the solutions"
				   : "nothing can be compiled, so nothing judged (tools/setup fetches one)");

	bool host = find_program(e, "g++", path);
	print_line(e, host ? PRESENT : MISSING, "host C++ compiler", host ? path : "no g++ in PATH",
			   host ? "nvcc compiles the host part of a solution with it"
					: "nvcc cannot work without it: install g++");
	e->compiler = e->compiler && host;
}

static void examine_gpu(struct examination *e, struct device_facts *facts)
{
	struct error err = {{0}};
	struct referee_link referee = {.arena_fd = -1};
	struct device_request request;
	char found[1200];
	bool sealed = false;
	e->gpu = device_request_parse("cuda", &request, &err) && device_open(&request, &referee, &err);
	if (e->gpu) {
		*facts = referee.facts;
		snprintf(found, sizeof found, "%s, %d SMs, %.0f GiB, sm_%s, driver %s", facts->name,
				 facts->multiprocessors, (double)facts->memory_bytes / (1u << 30),
				 facts->architecture, facts->driver);
		sealed = confirm_possible(&referee.device, &err);
		referee_link_close(&referee);
	} else { /* what the message advises is said below */
		const char *why = strstr(err.message, "no NVIDIA driver");
		snprintf(found, sizeof found, "%s", why != NULL ? why : err.message);
	}
	print_line(e, e->gpu ? PRESENT : ABSENT, "NVIDIA GPU", found,
			   e->gpu ? "runs, checks and times the solutions"
					  : "no times; solutions are checked on the emulated GPU, on small sizes");
	if (e->gpu)
		print_line(e, sealed ? PRESENT : ABSENT, "sealed calls", sealed ? "" : err.message,
				   sealed ? "times are confirmed from outside of the solution's process"
						  : "times are what the solution's process says");
}

static void examine_libraries(struct examination *e, const struct device_facts *facts)
{
	char path[PATHS_MAX];
	bool blas = e->gpu || find_library(e, "libcublas.so.13", path);
	print_line(e, blas ? PRESENT : MISSING, "cuBLAS",
			   e->gpu ? facts->library
			   : blas ? path
					  : "no libcublas.so.13",
			   blas ? "the reference on a GPU, and the baseline to compare with"
					: "nothing can be judged on a GPU; the emulated one does not need it");
	bool cupti = find_library(e, "libcupti.so.13", path);
	print_line(e, cupti ? PRESENT : MISSING, "CUPTI", cupti ? path : "no libcupti.so.13",
			   cupti ? "times the work on a GPU without the launch"
					 : "times come from events, which add some microseconds to a call");
	bool nvml = find_library(e, "libnvidia-ml.so.1", path);
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
	struct referee_link referee = {.arena_fd = -1};
	struct device_request request;
	e->emulator =
		device_request_parse("emu", &request, &err) && device_open(&request, &referee, &err);
	char found[1200];
	snprintf(found, sizeof found, "%s", e->emulator ? referee.facts.name : err.message);
	if (e->emulator)
		referee_link_close(&referee);
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
	bool ncu = find_program(e, "ncu", path);
	print_line(e, ncu ? PRESENT : ABSENT, "Nsight Compute (ncu)", ncu ? path : "not found",
			   ncu ? "profiles a kernel in depth; the judge itself does not need it"
				   : "optional: for profiling a kernel in depth");
	struct tool tool;
	bool sanitizer = tool_find(&tool, &(struct judge_options){.sanitize = "memcheck"}, &err);
	print_line(e, sanitizer ? PRESENT : ABSENT, "compute-sanitizer",
			   sanitizer ? tool.program : "not found",
			   sanitizer ? "finds memory faults and races on a GPU: judge --sanitize"
						 : "optional: finds memory faults on a GPU, as the emulated GPU does");
}

/* Closes a child process with this layer alone, and says whether it holds there. */
static bool try_layer(unsigned layer, struct error *err)
{
	int ends[2], status = 1;
	error_set(err, "no process to try it in");
	if (pipe(ends) != 0)
		return false;
	pid_t child = fork();
	if (child == 0) {
		struct error why = {{0}};
		bool holds = jail_close(&(struct jail){0}, layer, &why) == layer;
		_exit(write(ends[1], why.message, sizeof why.message) < 0 || !holds);
	}
	close(ends[1]);
	if (child > 0 && read(ends[0], err->message, sizeof err->message) > 0)
		err->message[sizeof err->message - 1] = '\0';
	close(ends[0]);
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
		   WEXITSTATUS(status) == 0;
}

/* The layers that a solution's process is closed with. */
static void examine_jail(struct examination *e)
{
	static const struct {
		unsigned layer;
		const char *what, *present, *missing;
	} layers[] = {
		{LAYER_FILES, "jail, files", "a solution reads no file, and writes none",
		 "a solution can read and write what you can (Landlock, Linux 5.13)"},
		{LAYER_CALLS, "jail, calls", "a solution starts no program or process, and opens no socket",
		 "a solution can start programs, and reach other processes (seccomp)"},
		{LAYER_NAMESPACES, "jail, namespaces",
		 "a solution has a network, IPC and mounts of its own",
		 "a solution shares the network, IPC and mounts of this machine"},
	};
	for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
		struct error err = {{0}};
		bool holds = try_layer(layers[i].layer, &err);
		print_line(e, holds ? PRESENT : ABSENT, layers[i].what, holds ? "" : err.message,
				   holds ? layers[i].present : layers[i].missing);
	}
}

static int doctor(const char *program, struct options *options)
{
	struct error err = {{0}};
	if (options->argument_count > 0) {
		error_set(&err, "doctor takes no arguments, but was given '%s'", options->arguments[0]);
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	static struct examination e;
	struct device_facts facts = {0};
	e.color = output_color(options, stdout);
	printf("gemmjudge %s\n", GEMMJUDGE_VERSION);
	examine_compilers(&e);
	examine_gpu(&e, &facts);
	examine_libraries(&e, &facts);
	examine_emulator(&e);
	examine_jail(&e);
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
	.summary = "what this machine has, what it lacks, and what that costs",
	.usage = "usage: gemmjudge doctor\n"
			 "\n"
			 "Shows what this machine has, what it lacks, and what that costs. Exit status 0\n"
			 "when solutions can be judged on some device here, else 3.\n",
	.run = doctor,
};

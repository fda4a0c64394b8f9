#include "cli/options.h"

#include <assert.h>
#include <string.h>

#include "cli/reader.h"
#include "gpu/models.h"
#include "judge/options/checks.h"
#include "report/annotate.h"
#include "report/compare.h"
#include "schedules/gpu.h"
#include "serve/serve.h"
#include "starter/exercise.h"
#include "store/accounts.h"
#include "tuning/tuning.h"

#define TIMES "bench compare"
#define RUNS "judge bench compare"
#define JUDGES "judge rejudge"
#define JUDGES_AND_TIMES RUNS " rejudge"
#define ASKS "history diff leaderboard" /* the store */

#define GPU_KNOWN " (the one at hand, else " GPU_DEFAULT "):" GPU_IDS

#define FILLS(kind_of_it, member)                                                                  \
	.kind = &(kind_of_it), .at = offsetof(struct options, member),                                 \
	.size = sizeof(((struct options *)NULL)->member)
#define DIFFERS(...)                                                                               \
	.variants = (const struct row_variant[])                                                       \
	{                                                                                              \
		__VA_ARGS__,                                                                               \
		{                                                                                          \
			.commands = NULL                                                                       \
		}                                                                                          \
	}

static const char *const wait_names[] = {"yes", "no", NULL};
static const char *const first_names[] = {"emulated", NULL};
static const char *const color_names[] = {"auto", "always", "never", NULL};

#define OF_A_SUITE "the cases of a suite have sizes and scalars of their own"
#define HAS_CASES "a suite has cases of its own"
#define OF_DRAWN "sizes that are named are not drawn"
#define HOW_DRAWN "it says how generated cases are drawn"
#define MEASURES_NOTHING "--model-only and --judge measure nothing"
#define ONE_GPU "the name of a GPU, such as h200"
#define FILE_NEEDED .again = AGAIN_NOT, .needs = "a file name, or - for stdout"

const char *const option_groups[GROUP_COUNT] = {
	[GROUP_FIRST] = "Most used",
	[GROUP_SOLUTION] = "How a file is compiled",
	[GROUP_CASES] = "Cases and shapes",
	[GROUP_DEVICE] = "Where and under what it runs",
	[GROUP_TIMING] = "Timing",
	[GROUP_SCHEDULES] = "Schedules",
	[GROUP_LIMITS] = "Limits and safety",
	[GROUP_OUTPUT] = "Output",
	[GROUP_STORE] = "What is remembered",
};

const struct row option_rows[] = {
	{"server", "URL", "submit", "where gemmjudge serve answers (GEMMJUDGE_SERVER)",
	 .group = GROUP_FIRST, FILLS(kind_text, submit.server), .again = AGAIN_SEED,
	 .needs = "a URL, such as https://judge.example.org"},
	{"token-file", "FILE", "submit",
	 "a file whose first line is the token (GEMMJUDGE_TOKEN holds the token itself)",
	 .group = GROUP_LIMITS, FILLS(kind_input, submit.token_file), .again = AGAIN_NOT,
	 .needs = "a file name"},
	{"plain-http", NULL, "submit",
	 "sends the token to another machine over http, where others may read it",
	 .group = GROUP_LIMITS, FILLS(kind_flag, submit.plain_http), .again = AGAIN_NOT},
	{"id", "ID", "submit", "waits for what was submitted before, and shows it",
	 .group = GROUP_OUTPUT, FILLS(kind_text, submit.id),
	 .excludes = "problem epilogue suite case cases shape time seed tolerance sizes max-dim "
				 "multiple-of fail-fast wait",
	 .why = "it was submitted with options of its own", .again = AGAIN_NOT,
	 .needs = "the id that submit printed"},
	{"wait", "YES|NO", "submit", "no: prints the id and does not wait for the verdict",
	 .group = GROUP_OUTPUT, FILLS(kind_word, submit.wait), .again = AGAIN_NOT, .names = wait_names,
	 .needs = "yes or no is needed"},
	{"problem", "P", RUNS " new tune explain flatten submit",
	 "which problem it solves; else its folder tells (solutions/gemm_f16/x.cu solves gemm-f16)",
	 DIFFERS({.commands = "history leaderboard rejudge", .help = "only this problem"},
			 {.commands = "audit", .help = "only this problem (all that the libraries have)"}),
	 .group = GROUP_FIRST, .kind = &kind_problem, .letter = 'p',
	 .also = "op operation operator op-type kernel-type task",
	 .also_says = "'gemmjudge list problems' shows them"},
	{"problem-file", "DIR", RUNS " new list history leaderboard rejudge",
	 "a problem of one's own: a folder with problem.ini and reference.cuh "
	 "(testcases/problems/README.md)",
	 .group = GROUP_CASES, FILLS(kind_problem_file, judge.problem_file), .excludes = "problem",
	 .why = "it is one", .needs = "a folder", .also = "challenge task-file custom-problem"},
	{"since", "DATE", "rejudge",
	 "only what was judged last on that day or later (2026-11-30, or 2026-11-30T08:00:00Z)",
	 .group = GROUP_FIRST, FILLS(kind_text, query.since), .needs = "a date, such as 2026-11-30"},
	{"epilogue", "CHAIN", RUNS " tune explain flatten",
	 "stages fused into the kernel, as in alpha_beta,bias,clamp:0:6 or ./my_stage.cuh:0.5",
	 DIFFERS({.commands = "submit", .help = "stages fused into the kernel, as in bias,clamp:0:6"}),
	 .group = GROUP_FIRST, FILLS(kind_chain, judge.epilogue),
	 .needs = "a chain of stages ('gemmjudge list epilogues' shows them)", .letter = 'e',
	 .also = "activation act fuse fusion post-op epilogue-functor",
	 .also_says = "'gemmjudge list epilogues' shows the stages"},
	{"stage", "NAME", "new", "writes the starter of an epilogue stage instead",
	 .group = GROUP_FIRST, FILLS(kind_text, starter.stage), .excludes = "problem",
	 .why = "a stage suits every problem", .needs = "a name for the stage"},
	{"exercise", "NAME", "new",
	 "writes a shipped solution from which a line is gone ('gemmjudge list exercises' shows them)",
	 .group = GROUP_FIRST, FILLS(kind_word, starter.exercise), .excludes = "problem stage",
	 .why = "an exercise is of one problem", .names = exercise_names,
	 .needs = "the name of an exercise is needed ('gemmjudge list exercises' shows them)"},
	{"library", "L", "audit",
	 "cublas, cublaslt, or a FILE.cu with solve() and what solutions/baselines/library.cuh "
	 "declares "
	 "(cublas and cublaslt)",
	 .group = GROUP_FIRST, .kind = &kind_library, .needs = "cublas, cublaslt or a .cu file",
	 .also = "backend provider lib"},
	{"cublas", "DIR", "audit",
	 "a folder with another libcublas.so.13 and libcublasLt.so.13, which is compared with the "
	 "toolkit's; given twice, the one is compared with the other",
	 .group = GROUP_FIRST, .kind = &kind_cublas, .needs = "a folder"},
	{"nvcc-flag", "FLAG", RUNS " tune explain",
	 "a flag for nvcc, such as -std=c++20 or -rdc=true; may be repeated (one word at a time)",
	 .group = GROUP_SOLUTION, .kind = &kind_nvcc_flag, .needs = "a flag of nvcc"},
	{"nvcc-flags", "FLAGS", RUNS " tune explain",
	 "several, with blanks between them: \"-std=c++20 -Iinc\"", .group = GROUP_SOLUTION,
	 .kind = &kind_nvcc_flags, .again = AGAIN_NOT, .needs = "flags of nvcc"},
	{"tuned", NULL, RUNS,
	 "compiles files with the constants that tune chose for them, for the shape that is timed",
	 DIFFERS({"flatten", "with the constants that tune chose for it", .group = GROUP_FIRST}),
	 .group = GROUP_SOLUTION, FILLS(kind_flag, tuned)},
	{"listen", "A:P", "serve", "where it listens (127.0.0.1:8080); port 0: a free one",
	 .group = GROUP_FIRST, FILLS(kind_text, serve.listen), .needs = "an address and a port"},
	{"public", NULL, "serve", "everyone sees what others submitted", .group = GROUP_FIRST,
	 FILLS(kind_flag, serve.public)},
	{"standard", "FILE", "serve",
	 "JSON: by problems' names, the options that submissions are judged with; only those without "
	 "others count for boards and the class",
	 .group = GROUP_CASES, FILLS(kind_input, serve.standard), .again = AGAIN_NOT,
	 .needs = "a file name"},
	{"jobs", "N", "judge serve",
	 "files judged at once (as many as there are cores and 2 GiB of memory for each, and 6 GiB "
	 "of a GPU's, to 16); times are taken one after the other",
	 .group = GROUP_DEVICE, FILLS(kind_whole, judge.jobs), .again = AGAIN_NOT, .from = 1,
	 .to = SERVE_WORKERS_MAX, .also = "parallel concurrency num-workers"},
	{"workers", "N", "serve", "with --through: judgements at a time (1); else the same as --jobs",
	 DIFFERS({"judge bench", "with --batch --through: judgements at a time (1)",
			  .goes_with = "through", .why = "here a batch takes what the machine bears"}),
	 .group = GROUP_DEVICE, FILLS(kind_whole, through.workers), .again = AGAIN_NOT, .from = 1,
	 .to = SERVE_WORKERS_MAX},
	{"through", "COMMAND", "judge bench",
	 "a command of the shell that each judgement goes behind, such as 'srun --gres=gpu:1'",
	 DIFFERS({.commands = "serve", .why = ""}), .group = GROUP_DEVICE,
	 FILLS(kind_text, through.command), .goes_with = "batch",
	 .why = "other judgements go behind it as they are", .again = AGAIN_NOT, .needs = "a command"},
	{"queue", "N", "serve", "so many submissions may wait (1000)", .group = GROUP_LIMITS,
	 FILLS(kind_whole, serve.queue), .from = 1, .to = 1000000},
	{"queue-of-user", "N", "serve", "so many of one user (20)", .group = GROUP_LIMITS,
	 FILLS(kind_whole, serve.queue_of_user), .from = 1, .to = 1000000},
	{"disk", "M", "serve", "MiB that the store may have (16384)", .group = GROUP_LIMITS,
	 FILLS(kind_whole, serve.disk_mib), .from = 1, .to = 1u << 30},
	{"disk-of-user", "M", "serve", "MiB of it for the submissions of each user (256)",
	 .group = GROUP_LIMITS, FILLS(kind_whole, serve.disk_of_user_mib), .from = 1, .to = 1u << 30},
	{"seconds-of-user", "S", "serve", "seconds of judging in an hour for each user (1800)",
	 .group = GROUP_LIMITS, FILLS(kind_seconds, serve.seconds_of_user)},
	{"role", "ROLE", "user", "student (the default), or teacher, who sees all",
	 .group = GROUP_FIRST, FILLS(kind_word, role), .names = account_roles,
	 .needs = "student or teacher is needed"},
	{"device", "D", JUDGES_AND_TIMES " tune explain",
	 "auto (a GPU if there is one), cuda, cuda:N, emu (the emulated GPU), emu:DIR (a "
	 "libcudart.so.13 of another emulator); of judge also several, each with a file: cuda:all, "
	 "cuda:0,2, emulated:4",
	 DIFFERS({.commands = "serve", .help = "as of judge: auto, cuda:0,2 (a worker each), emu"},
			 {.commands = "audit",
			  .help =
				  "auto (a GPU if there is one), cuda, cuda:N, or emu (the emulated GPU, on which "
				  "NVIDIA's libraries do not run)"}),
	 .group = GROUP_FIRST, FILLS(kind_device, judge.device.text), .again = AGAIN_DEVICE,
	 .letter = 'd', .also = "gpu-id device-id devices cuda-device", .also_value = "cuda:0",
	 .also_says = "judge takes cuda:all"},
	{"gpu", "NAME", "history leaderboard", "only GPUs that have this in their name, such as h200",
	 DIFFERS({"explain", "whose time is predicted" GPU_KNOWN, .needs = ONE_GPU},
			 {"tune", "that schedules are for" GPU_KNOWN, .goes_with = "model-only judge",
			  .why = "what is measured runs on the GPU at hand", .needs = ONE_GPU},
			 {"flatten", "whose constants they are" GPU_KNOWN, .goes_with = "tuned",
			  .why = "without constants of a GPU's the file is the same for all",
			  .needs = ONE_GPU}),
	 .group = GROUP_FIRST, FILLS(kind_text, gpu), .needs = "a part of a GPU's name"},
	{"emulate", "GPU", JUDGES " serve",
	 "with --device emu: which GPU (" GPU_DEFAULT "), one of" GPU_EMULATED_IDS,
	 .group = GROUP_DEVICE, FILLS(kind_word, judge.emulation.gpu), .again = AGAIN_DEVICE,
	 .names = gpu_emulated_ids, .suggest = gpu_suggest_emulated},
	{"check", "WHAT", JUDGES,
	 "with --device emu: what is looked for beyond what a GPU refuses: default (what PTX leaves "
	 "undefined), race (and races in memory, in every case) or none",
	 .group = GROUP_DEVICE, FILLS(kind_word, judge.emulation.check), .again = AGAIN_DEVICE,
	 .names = checks_of_emulated, .needs = "default, race or none is needed"},
	{"counters", NULL, "judge",
	 "with --device emu: what each kernel did (instructions, memory sectors, bank conflicts)",
	 .group = GROUP_DEVICE, FILLS(kind_flag, judge.emulation.counters), .again = AGAIN_DEVICE},
	{"steps", "N", JUDGES,
	 "with --device emu: warp instructions that a launch may take, else time_limit (2e8 and 32 "
	 "for each product)",
	 .group = GROUP_DEVICE, FILLS(kind_whole, judge.emulation.steps), .again = AGAIN_DEVICE,
	 .from = 1, .to = 1000000000000000000},
	{"large-cases", NULL, "judge serve",
	 "with --device emu: also cases that would take it minutes, which else are left out (not_run)",
	 .group = GROUP_DEVICE, FILLS(kind_flag, judge.emulation.large_cases), .again = AGAIN_DEVICE},
	{"sanitize", "CHECK", "judge",
	 "on a GPU: runs the solution under compute-sanitizer; CHECK is memcheck, racecheck, "
	 "initcheck or synccheck",
	 .group = GROUP_DEVICE, FILLS(kind_word, judge.tool.sanitize), .excludes = "under",
	 .why = "a solution runs under one tool at a time", .again = AGAIN_DEVICE,
	 .names = checks_of_sanitizer,
	 .also = "memcheck racecheck initcheck synccheck compute-sanitizer sanitizer",
	 .also_value = "memcheck", .also_says = "of judge, on a GPU"},
	{"under", "COMMAND", "judge",
	 "runs the solution's process under a tool, such as \"ncu --set full\", and shows what it "
	 "prints in ending",
	 .group = GROUP_DEVICE, FILLS(kind_text, judge.tool.under), .again = AGAIN_DEVICE,
	 .needs = "a command", .also = "profile profiler prof ncu nsys nsight nvprof",
	 .also_value = "\"ncu --set full\"",
	 .also_says = "of judge, on a GPU; on the emulated one --counters"},
	{"cases", "N", JUDGES " serve", "how many generated cases (32; 12 on the emulated GPU)",
	 DIFFERS(
		 {.commands = "submit", .help = "how many generated cases, to 256 (as the server has it)"},
		 {"audit", "how many shapes of each problem are drawn (8; 4 on the emulated GPU)",
		  .excludes = "suite shape shapes", .why = "shapes that are named are not drawn"},
		 {"bench", "how many generated cases are timed",
		  .excludes = "suite shape shapes alpha beta",
		  .why = "generated cases have sizes and scalars of their own"},
		 {"tune", "how many generated cases --judge judges each schedule on (4)",
		  .group = GROUP_CASES, .goes_with = "judge", .excludes = "suite",
		  .why = "each schedule is judged on generated cases, or on a suite's"}),
	 .group = GROUP_FIRST, FILLS(kind_whole, judge.cases.count), .excludes = "suite",
	 .why = HAS_CASES, .from = 1, .to = 1000000, .letter = 'n',
	 .also = "test-cases tests num-tests num-cases num-correct-trials"},
	{"model-only", NULL, "tune", "only ranks the schedules; needs no GPU", .group = GROUP_FIRST,
	 FILLS(kind_flag, tune.model_only)},
	{"judge", NULL, "tune", "judges the first schedules for correctness", .group = GROUP_FIRST,
	 FILLS(kind_flag, tune.judges)},
	{"top", "N", "tune",
	 "how many of the best ranked are shown, or all (10; of several shapes 1 each)",
	 .group = GROUP_SCHEDULES, FILLS(kind_text, tune.top), .needs = "a number, or all"},
	{"seed", "S", JUDGES_AND_TIMES " tune explain submit audit",
	 "draws the cases and values of an earlier run again", .group = GROUP_CASES,
	 FILLS(kind_seed, judge.cases.seed), .again = AGAIN_SEED, .to = UINT64_MAX,
	 .needs = "a whole number below 2^64, decimal or 0x..., is needed",
	 .also = "rng-seed random-seed"},
	{"suite", "SUITE", RUNS,
	 "cases of a suite (a name, or a FILE.ini) instead of generated ones; may be repeated",
	 DIFFERS({"tune",
			  "the shapes of a suite; with --judge the cases that schedules are judged on; may be "
			  "repeated",
			  .group = GROUP_CASES, .excludes = "shape shapes alpha beta", .unless = "judge",
			  .why = OF_A_SUITE},
			 {.commands = "submit", .help = "cases of a shipped suite instead of generated ones"},
			 {.commands = "audit", .help = "the shapes of a suite; may be repeated"}),
	 .group = GROUP_FIRST, .kind = &kind_suite, .excludes = "shape shapes alpha beta",
	 .why = OF_A_SUITE, .letter = 's'},
	{"case", "NAME", "judge submit",
	 "of all these cases only this one (random-4); may be repeated, or have several with commas",
	 .group = GROUP_FIRST, .kind = &kind_case, .letter = 'c',
	 .needs = "the name of a case, such as random-4"},
	{"fail-fast", NULL, "judge submit", "ends at the first case that is not accepted",
	 .group = GROUP_CASES, FILLS(kind_flag, judge.cases.fail_fast), .letter = 'x'},
	{"max-dim", "D", JUDGES " serve submit",
	 "no size above D, or of vectors above D*D (generated cases: the problem's own limit; 192 on "
	 "the emulated GPU)",
	 DIFFERS({TIMES " tune", .why = ""},
			 {.commands = "audit",
			  .help = "no size above D (drawn shapes: the problem's own limit; 64 on the emulated "
					  "GPU)"}),
	 .group = GROUP_CASES, FILLS(kind_whole, judge.cases.max_dim), .excludes = "shape shapes",
	 .why = OF_DRAWN, .from = 1, .to = DIM_MAX},
	{"multiple-of", "D", "judge submit",
	 "every size a multiple of D: those of generated cases are rounded, other cases of a suite "
	 "left "
	 "out",
	 DIFFERS({TIMES, .goes_with = "cases suite", .why = "it is about sizes of cases"}),
	 .group = GROUP_CASES, FILLS(kind_whole, judge.cases.multiple), .excludes = "shape shapes",
	 .why = OF_DRAWN, .from = 1, .to = DIM_MAX},
	{"sizes", "KIND", "judge submit",
	 "how generated cases draw M, N and K: mixed (the default: aligned and ragged, small and "
	 "large) or uniform (each size as likely as any other)",
	 DIFFERS({"bench", .goes_with = "cases", .why = HOW_DRAWN},
			 {.commands = "audit",
			  .help = "how shapes are drawn: mixed (the default: aligned and "
					  "ragged, small and large) or uniform (each size as likely "
					  "as any other)"}),
	 .group = GROUP_CASES, .kind = &kind_sizes, .excludes = "suite shape shapes", .why = HOW_DRAWN,
	 .names = case_sizes_names},
	{"time", "MxNxK", JUDGES " submit",
	 "the shape to time instead of the problem's own large case; none: do not time",
	 .group = GROUP_TIMING, .kind = &kind_time, .to = DIM_MAX},
	{"shape", "MxNxK", TIMES " tune",
	 "a shape to time, MxN for a matrix and a vector; may be repeated (the problem's own large "
	 "case)",
	 DIFFERS({.commands = "judge",
			  .help = "judges this shape alone: --cases N of it (4), and times it; may be repeated "
					  "(the first is timed)"},
			 {"submit", "judges this shape alone, and times it", .to = DIM_MAX},
			 {.commands = "audit", .help = "a shape to audit; may be repeated"},
			 {.commands = "explain",
			  .help = "the shape to explain, MxN for a matrix and a vector (the problem's own "
					  "large case)"},
			 {"flatten", "that they were chosen for (the problem's own large case)",
			  .goes_with = "tuned",
			  .why = "without constants of a shape's the file is the same for all"},
			 {"leaderboard", "this shape, instead of that which most were timed at",
			  .to = SIZE_LARGEST}),
	 .group = GROUP_FIRST, .kind = &kind_shape, .from = DIM_MAX, .to = SIZE_LARGEST},
	{"baseline", "B", "compare",
	 "somebody's fused kernel beside the files: a .cu file, which is judged first and runs in the "
	 "jail, or a command with {m}, {n} and {k} in it, which runs outside and prints its own time "
	 "in microseconds; may be repeated",
	 .group = GROUP_FIRST, .kind = &kind_baseline, .needs = "a .cu file or a command"},
	{"over", "SIZE", "compare",
	 "times each shape over values of M, N or K, as in K=64,128,256; K alone: 64 to 8192 by "
	 "doubling",
	 .group = GROUP_FIRST, .kind = &kind_over, .excludes = "suite",
	 .why = "the cases of a suite have sizes of their own", .from = DIM_MAX},
	{"shapes", "FILE", RUNS " tune audit",
	 "the shapes of a file, as --shape has them: a line each, M,N,K or M N K or MxNxK; # begins a "
	 "comment; - is stdin",
	 .group = GROUP_CASES, .kind = &kind_shapes, .excludes = "shape", .why = "both name shapes",
	 .from = DIM_MAX, .to = SIZE_LARGEST, .needs = "a file name, or - for stdin",
	 .also = "axis shapes-file"},
	{"large-sizes", NULL, RUNS " tune explain audit",
	 "sizes of --shape may be above 32768, to 4194304", .group = GROUP_CASES,
	 FILLS(kind_flag, sizes.large)},
	{"alpha", "X", TIMES " tune explain", "alpha of the timed calls (1)", .group = GROUP_CASES,
	 FILLS(kind_scalar, judge.timing.alpha), .needs = "a number is needed"},
	{"beta", "X", TIMES " tune explain",
	 "beta of the timed calls (0; with the problem's own case its own)", .group = GROUP_CASES,
	 FILLS(kind_scalar, judge.timing.beta), .needs = "a number is needed"},
	{"tolerance", "T", JUDGES_AND_TIMES " submit",
	 "bound (componentwise, from the inputs), leetgpu (the site's own), or ATOL,RTOL, or "
	 "ATOL,RTOL,SHARE: that share of the elements has to be within",
	 .group = GROUP_CASES, FILLS(kind_tolerance, judge.tolerance.text),
	 .also = "atol rtol tol eps epsilon threshold", .also_value = "ATOL,RTOL"},
	{"budget", "S", RUNS,
	 "seconds of measuring for each shape, all entrants together (3; with bench --cases 1); less "
	 "where the medians are certain before",
	 .group = GROUP_TIMING, FILLS(kind_seconds, judge.timing.budget),
	 .also = "min-time max-time duration",
	 .also_says = "seconds of measuring; --timeout S bounds a call"},
	{"time-limit", "S", "tune", "seconds for all of it (60)",
	 DIFFERS({.commands = "audit",
			  .group = GROUP_LIMITS,
			  .help = "seconds for all of it, shared among the libraries; what they do not suffice "
					  "for is said"}),
	 .group = GROUP_FIRST, FILLS(kind_seconds, tune.time_limit), .excludes = "model-only judge",
	 .why = MEASURES_NOTHING},
	{"exhaustive", NULL, "tune",
	 "measures every schedule, however long it takes (unless there is a --time-limit), and says "
	 "what the rankings are worth",
	 .group = GROUP_SCHEDULES, FILLS(kind_flag, tune.exhaustive), .excludes = "model-only judge",
	 .why = MEASURES_NOTHING},
	{"export", "FILE", "tune",
	 "writes what was chosen for the file as a table in C, for a solution to include",
	 .group = GROUP_SCHEDULES, FILLS(kind_output, tune.table), .excludes = "judge no-store",
	 .why = "it writes what was chosen, which is in the store", FILE_NEEDED,
	 .mark = TUNING_TABLE_MARK},
	{"timeout", "S", JUDGES_AND_TIMES " tune serve audit",
	 "seconds for one call (10; 60 on the emulated GPU)",
	 DIFFERS({.commands = "explain", .help = "seconds for one call, whose work is counted (600)"}),
	 .group = GROUP_LIMITS, FILLS(kind_seconds, judge.limits.timeout)},
	{"file-timeout", "S", "judge serve",
	 "seconds for all cases of a file together (what --timeout allows them, less where there are "
	 "many)",
	 .group = GROUP_LIMITS, FILLS(kind_seconds, judge.limits.file_timeout)},
	{"compile-timeout", "S", JUDGES_AND_TIMES " tune explain serve",
	 "seconds for nvcc, for each file (300)", .group = GROUP_LIMITS,
	 FILLS(kind_seconds, judge.compile.timeout)},
	{"memory", "M", JUDGES_AND_TIMES " serve", "MiB of host memory that a solution may use (8192)",
	 .group = GROUP_LIMITS, FILLS(kind_whole, judge.limits.memory_mib), .from = 64, .to = 1u << 30,
	 .needs = "a whole number of MiB from 64 on is needed"},
	{"sealed", NULL, TIMES,
	 "confirms the times by sealed calls, as judge does: for files that strangers wrote",
	 .group = GROUP_TIMING, FILLS(kind_flag, judge.timing.sealed)},
	{"thorough", NULL, RUNS,
	 "times all algorithms of cuBLASLt that can be enumerated, up to 1000 a shape, not just the "
	 "suggestions that it makes",
	 DIFFERS(
		 {"audit",
		  "all algorithms that cuBLASLt can enumerate, all of the accurate mode, and more alphas "
		  "and betas",
		  .group = GROUP_CASES}),
	 .group = GROUP_TIMING, FILLS(kind_flag, judge.timing.thorough)},
	{"steady", NULL, TIMES,
	 "times a steady stream of calls, too, which then counts: blocks of a second in turns on a GPU "
	 "as warm as in a loop of hours, with watts, clock and joules (half a minute a shape)",
	 .group = GROUP_TIMING, FILLS(kind_flag, judge.timing.steady), .excludes = "sealed budget",
	 .why = "a stream has blocks of a second, as many as it takes, which cannot be sealed",
	 .also = "sustained stream energy watts joules"},
	{"require", "LAYERS", JUDGES_AND_TIMES,
	 "judges nothing where one of these does not hold: jail (all), or some of files, calls, "
	 "namespaces, compiler; with compiler nvcc reads nothing beside the file; sealed: the times "
	 "are confirmed by sealed calls",
	 .group = GROUP_LIMITS, FILLS(kind_layers, judge.limits.required)},
	{"without", "LAYERS", RUNS, NULL,
	 DIFFERS({.commands = "serve",
			  .help = "takes submissions although these do not hold: jail (none does), or some of "
					  "files, calls, namespaces, compiler"}),
	 .group = GROUP_LIMITS, FILLS(kind_layers, judge.limits.without)},
	{"json", "FILE", JUDGES_AND_TIMES " tune explain audit " ASKS,
	 "writes the results as JSON; - is stdout, the text then goes to stderr",
	 DIFFERS({"submit",
			  "writes the report as JSON, as judge does; - is stdout, the text then goes to stderr",
			  .writes_report = true}),
	 .group = GROUP_FIRST, FILLS(kind_output, output.json), .report = report_json, FILE_NEEDED,
	 .letter = 'j', .also = "output out outfile o report format csv-output save result results",
	 .also_says = "also --junit, --md, --html and, of judge, --csv"},
	{"batch", "FILE", "judge bench",
	 "judges what FILE asks for, a line of JSON each (- is stdin); the answers go to --jsonl, else "
	 "to stdout",
	 .group = GROUP_OUTPUT, FILLS(kind_input, batch.requests), .excludes = "watch annotate",
	 .why = "the answers of a batch are lines of JSON", .again = AGAIN_NOT,
	 .needs = "a file name, or - for stdin"},
	{"first", "WHERE", "judge",
	 "with --batch, emulated: what the emulated GPU does not accept goes to no other device",
	 .group = GROUP_DEVICE, FILLS(kind_word, batch.first), .goes_with = "batch",
	 .why = "it is about a batch's devices", .again = AGAIN_NOT, .names = first_names,
	 .needs = "emulated is needed"},
	{"jsonl", "FILE", "judge bench",
	 "writes what happens, as it happens, a line of JSON each, behind what FILE has; - is stdout",
	 .group = GROUP_OUTPUT, FILLS(kind_output, output.jsonl), FILE_NEEDED},
	{"profile-judge", "FILE", JUDGES_AND_TIMES,
	 "writes where the judge's own time goes: a line of JSON for each step, behind what FILE has",
	 .group = GROUP_OUTPUT, FILLS(kind_output, judge.profile), FILE_NEEDED},
	{"junit", "FILE", RUNS, "writes the results as JUnit XML", .group = GROUP_OUTPUT,
	 FILLS(kind_output, output.junit), .report = report_junit, FILE_NEEDED, .also = "xml"},
	{"md", "FILE", RUNS, "writes the results as markdown", .group = GROUP_OUTPUT,
	 FILLS(kind_output, output.markdown), .report = report_markdown,
	 .report_verbose = report_markdown_verbose, FILE_NEEDED, .also = "markdown"},
	{"html", "FILE", RUNS " explain", "writes the results as a page to look at, with plots",
	 DIFFERS({.commands = "audit", .help = "writes the results as a page to look at"}),
	 .group = GROUP_OUTPUT, FILLS(kind_output, output.html), .report = report_html, FILE_NEEDED},
	{"csv", "FILE", "judge", "writes the table of files as CSV", .group = GROUP_OUTPUT,
	 FILLS(kind_output, output.csv), .report = report_csv, FILE_NEEDED},
	{"annotate", "github", "judge",
	 "also prints ::error lines, which GitHub shows beside the source", .group = GROUP_OUTPUT,
	 FILLS(kind_word, output.annotate), .again = AGAIN_NOT, .names = annotate_kinds},
	{"svg", "FILE", "compare", "draws the results", .group = GROUP_OUTPUT,
	 FILLS(kind_output, output.svg), .report = report_svg, FILE_NEEDED},
	{"site", "FOLDER", "leaderboard",
	 "writes it as pages, index.html the first: into a folder of their own", .group = GROUP_FIRST,
	 FILLS(kind_output_folder, query.site), .excludes = "json shape",
	 .why = "pages show every shape, and are all that is written", .again = AGAIN_NOT,
	 .needs = "a folder"},
	{"submitted", NULL, "leaderboard",
	 "only what was submitted to 'serve' and judged there as all are, the best of each user",
	 .group = GROUP_FIRST, FILLS(kind_flag, query.submitted)},
	{"fastest", "FOLDER", "history",
	 "writes the fastest version with its headers, and shows no others; replaces nothing",
	 .group = GROUP_FIRST, FILLS(kind_output_folder, query.fastest), .excludes = "json",
	 .why = "the one writes a version, the other what is known of all", .again = AGAIN_NOT,
	 .needs = "a folder"},
	{"code", "FOLDER", "judge",
	 "writes each file's PTX, its machine code (.cubin) and, by nvdisasm or cuobjdump, its SASS; "
	 "replaces nothing",
	 .group = GROUP_OUTPUT, FILLS(kind_output_folder, judge.compile.keep), .again = AGAIN_NOT,
	 .needs = "a folder"},
	{"store", "FILE", JUDGES_AND_TIMES " tune flatten show serve user " ASKS,
	 "the database of all judgements (GEMMJUDGE_STORE, else ~/.local/share/gemmjudge/store.db)",
	 .group = GROUP_STORE, FILLS(kind_store, store.file), .again = AGAIN_NOT,
	 .needs = "a file name"},
	{"no-store", NULL, RUNS " tune", "remembers nothing of this run",
	 DIFFERS({"rejudge", "remembers none of the new judgements", .why = ""}), .group = GROUP_STORE,
	 FILLS(kind_flag, store.none), .excludes = "store",
	 .why = "one says where to remember this run, the other not to", .again = AGAIN_NOT},
	{"calibration", "FD", "judge", NULL, .group = GROUP_DEVICE,
	 FILLS(kind_whole, judge.calibration.channel), .again = AGAIN_NOT, .from = 3, .to = 1 << 20},
	{"calibration-process", "PID", "judge", NULL, .group = GROUP_DEVICE,
	 FILLS(kind_whole, judge.calibration.program), .again = AGAIN_NOT, .from = 1, .to = 1 << 22},
	{"referee", "FD", "judge", NULL, .group = GROUP_DEVICE, FILLS(kind_whole, judge.referee),
	 .again = AGAIN_NOT, .from = 3, .to = 1 << 20},
	{"beside", "FD", "judge", NULL, .group = GROUP_DEVICE, FILLS(kind_whole, judge.beside),
	 .again = AGAIN_NOT, .from = 3, .to = 1 << 20},
	{"stored-as", "FILE", "judge bench", NULL, .group = GROUP_STORE, FILLS(kind_text, store.as),
	 .again = AGAIN_NOT, .needs = "a file name"},
	{"seed-drawn", NULL, "judge", NULL, .group = GROUP_STORE, FILLS(kind_flag, store.seed_drawn),
	 .again = AGAIN_NOT},
	{"job", "ID", "judge", NULL, .group = GROUP_STORE, FILLS(kind_text, store.job),
	 .again = AGAIN_NOT, .needs = "the id of a submission"},
	{"no-sources", NULL, RUNS, "keeps no sources of this run", .group = GROUP_STORE,
	 FILLS(kind_flag, store.no_sources), .again = AGAIN_NOT},
	{"verbose", NULL, RUNS " submit",
	 "shows every case, a whole table for every shape, and the kernels that were timed",
	 DIFFERS({.commands = "explain", .help = "shows the parts of every kernel"},
			 {"tune", "shows which constraints refuse how much", .group = GROUP_OUTPUT},
			 {"audit", "shows every algorithm at every case", .group = GROUP_OUTPUT}),
	 .group = GROUP_FIRST, FILLS(kind_flag, output.verbose), .again = AGAIN_NOT, .letter = 'v',
	 .also = "debug verbosity vv log print"},
	{"quiet", NULL, "judge submit", "prints a line a file: its verdict", .group = GROUP_OUTPUT,
	 FILLS(kind_flag, output.quiet), .again = AGAIN_NOT, .letter = 'q', .also = "silent no-output",
	 .also_says = "of judge"},
	{"watch", NULL, "judge", "judges again whenever a file, or a header beside it, is saved",
	 .group = GROUP_OUTPUT, FILLS(kind_flag, watch.on), .again = AGAIN_NOT, .letter = 'w'},
	{"color", "WHEN", RUNS " doctor submit",
	 "always, never, or auto: on a terminal, unless NO_COLOR is set, or where FORCE_COLOR is",
	 .group = GROUP_OUTPUT, .kind = &kind_color, .again = AGAIN_NOT, .names = color_names},
	{"help", NULL, NULL, "shows this", .group = GROUP_FIRST, FILLS(kind_flag, help),
	 .again = AGAIN_NOT, .letter = 'h'},
};

const size_t option_row_count = sizeof option_rows / sizeof *option_rows;
static_assert(sizeof option_rows / sizeof *option_rows <= OPTION_ROWS_MAX,
			  "the parser has room for fewer");

bool option_list_has(const char *list, const char *word)
{
	size_t length = strlen(word);
	for (const char *p = list; (p = strstr(p, word)) != NULL; p += length)
		if ((p == list || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0'))
			return true;
	return false;
}

static const struct row_variant *variant_of(const struct row *row, const char *command)
{
	const struct row_variant *variant = row->variants;
	while (variant != NULL && variant->commands != NULL &&
		   !option_list_has(variant->commands, command))
		variant++;
	return variant != NULL && variant->commands != NULL ? variant : NULL;
}

bool option_row_is_of(const struct row *row, const char *command)
{
	return row->commands == NULL || option_list_has(row->commands, command) ||
		   variant_of(row, command) != NULL;
}

struct row option_row_in(const struct row *row, const char *command)
{
	struct row here = *row;
	const struct row_variant *variant = variant_of(row, command);
	if (variant == NULL)
		return here;
	here.group = variant->group != GROUP_NONE ? variant->group : row->group;
	here.help = variant->help != NULL ? variant->help : row->help;
	here.needs = variant->needs != NULL ? variant->needs : row->needs;
	here.to = variant->to > 0 ? variant->to : row->to;
	here.from = variant->to > 0 ? variant->to : row->from;
	here.report = variant->writes_report ? NULL : row->report;
	if (variant->why == NULL)
		return here;
	here.excludes = variant->excludes;
	here.unless = variant->unless;
	here.goes_with = variant->goes_with;
	here.why = variant->why;
	return here;
}

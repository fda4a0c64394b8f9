/* Words of other tools (LeetGPU, Tensara, GPU MODE's kernelbot, KernelBench, CUTLASS' profiler,
 * nvbench, nvcc), and what they are called here. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

struct meaning {
	const char *words; /* blanks between them; what begins as one that ends in '*' is meant, too */
	const char *name;  /* what it is called here; NULL: there is none */
	const char *says;  /* what else is to be known, or NULL */
};

#define SIZES "sizes are given together, as in --shape 1024x512x64"
#define JUDGED "a file is judged so: gemmjudge judge mine.cu"
#define NVCC "flags of nvcc are given so: --nvcc-flags \"-lineinfo -DTILE=64\""
#define DEVICE_DECIDES                                                                             \
	"nvcc compiles for the GPU that runs it (--device); more flags go into --nvcc-flags \"...\""

static const struct meaning options[] = {
	{"profile profiler prof ncu nsys nsight nvprof", "--under \"ncu --set full\"",
	 "of judge, on a GPU; on the emulated one --counters"},
	{"memcheck racecheck initcheck synccheck compute-sanitizer sanitizer", "--sanitize memcheck",
	 "of judge, on a GPU"},
	{"arch sm gencode gpu-architecture gpu-arch compute-capability cc target arch=*", NULL,
	 DEVICE_DECIDES},
	{"O0 O1 O2 O3 G D* I* L* Xptxas* Xcompiler* lineinfo use-fast-math maxrregcount* cflags "
	 "cuda-flags ptxas-options* extra-cuda-cflags",
	 NULL, NVCC},
	{"m n k mnk size problem-size problem-shape dim dims input-size", NULL, SIZES},
	{"batch batch-size batch-count num-batches", NULL,
	 "the batch is the first size of --shape 32x256x256x256"},
	{"axis shapes-file", "--shapes FILE", NULL},
	{"lda ldb ldc layout layouts transa transb trans-a trans-b transpose", NULL,
	 "operands lie as 'gemmjudge list problems' says"},
	{"dtype dtypes type precision a-type b-type c-type accumulator-type data-type", NULL,
	 "the problem has the types, as in --problem gemm-f16"},
	{"op operation operator op-type kernel-type task", "--problem P",
	 "'gemmjudge list problems' shows them"},
	{"iterations iters iter repeat repeats reps runs loops num-runs n-iter num-iters min-samples "
	 "samples "
	 "profiling-iterations num-trials num-perf-trials",
	 NULL, "calls are repeated until their median is certain; --budget S bounds the seconds"},
	{"warmup warm-up warmups warmup-iterations warmup-iters warmup-runs num-warmup n-warmup", NULL,
	 "the first calls of each pass are never timed, and there is nothing to set"},
	{"min-time max-time duration", "--budget S", "seconds of measuring; --timeout S bounds a call"},
	{"output out outfile o report format csv-output save result results", "--json FILE",
	 "also --junit, --md, --html and, of judge, --csv"},
	{"markdown", "--md FILE", NULL},
	{"xml", "--junit FILE", NULL},
	{"atol rtol tol eps epsilon threshold", "--tolerance ATOL,RTOL", NULL},
	{"file source solution input i f submission", NULL, JUDGED},
	{"verify verification verification-enabled validate correctness check-correctness", NULL,
	 "judge checks every result, and bench those of timed calls"},
	{"no-verify no-check skip-check skip-verify benchmark-only no-validate", NULL,
	 "only timed are files so: gemmjudge bench mine.cu"},
	{"gpu-id device-id devices cuda-device", "--device cuda:0", "judge takes cuda:all"},
	{"cpu emulator emulated simulate", "--device emu", NULL},
	{"cublas baseline baselines providers reference compare-to", NULL,
	 "bench and judge time cuBLAS and cuBLASLt beside every file by themselves"},
	{"test-cases tests num-tests num-cases num-correct-trials", "--cases N", NULL},
	{"rng-seed random-seed", "--seed S", NULL},
	{"activation act fuse fusion post-op epilogue-functor", "--epilogue CHAIN",
	 "'gemmjudge list epilogues' shows the stages"},
	{"flush flush-l2 cold-cache clear-cache l2-flush", NULL,
	 "the L2 cache is swept before every pass"},
	{"lock-clocks clocks clock power", NULL, "clocks are read and shown, not set"},
	{"debug verbosity vv log print", "--verbose", NULL},
	{"silent no-output", "--quiet", "of judge"},
	{"leaderboard mode", NULL, "'gemmjudge leaderboard' shows the fastest files of this machine"},
	{NULL, NULL, NULL},
};

static const struct meaning commands[] = {
	{"run eval evaluate check verify validate grade test correctness compile build", "judge", NULL},
	{"send upload push post", "submit", NULL},
	{"time benchmark perf measure speed", "bench", NULL},
	{"profile prof ncu nsys", "judge mine.cu --under \"ncu --set full\"", NULL},
	{"sanitize memcheck", "judge mine.cu --sanitize memcheck", NULL},
	{"init create template starter scaffold", "new", NULL},
	{"problems problem suites epilogues stages solutions ls show", "list", NULL},
	{"info devices device gpus gpu env check-env status", "doctor", NULL},
	{"autotune optimize optimise search", "tune", NULL},
	{"roofline analyze analyse predict why model", "explain", NULL},
	{"rank ranking top scores leaderboards", "leaderboard", NULL},
	{"log runs past", "history", NULL},
	{"version", "--version", NULL},
	{NULL, NULL, NULL},
};

static const struct meaning problems[] = {
	{"hgemm f16 fp16 half float16 gemm-fp16 gemm-half fp16-gemm leetgpu-gemm "
	 "general-matrix-multiplication",
	 "gemm-f16", NULL},
	{"bgemm bf16 bfloat16 gemm-bfloat16 bf16-gemm", "gemm-bf16", NULL},
	{"gemm-f32 gemm-fp32 gemm-float f32 fp32 float float32 single", "sgemm", NULL},
	{"tf32 gemm-tf32 tgemm", "sgemm", "with f32's accuracy, which TF32 has not"},
	{"dgemm zgemm cgemm f64 fp64 double gemm-f64 gemm-fp64 gemm-double", NULL,
	 "no problem is in double, and sgemm is the one in float"},
	{"mm matrix-multiplication matrix-multiply matmul-fp32 square-matmul", "matmul-f32",
	 "and sgemm has alpha and beta"},
	{"matmul-f16 matmul-fp16 matmul-half", "gemm-f16", NULL},
	{"bmm bmm-f32 batched-matmul batched-gemm batched-sgemm sgemm-batched "
	 "batched-matrix-multiplication",
	 "batched-f32", "batched-f16 is the same in half"},
	{"bmm-f16 batched-hgemm hgemm-batched batched-fp16 fp16-batched-matmul", "batched-f16", NULL},
	{"igemm int8 i8 s8 w8a8 gemm-int8 gemm-i8 int8-gemm int8-matmul quantized-matmul "
	 "int8-quantized-matmul",
	 "gemm-s8", NULL},
	{"w4 w4a16 int4 gptq awq weight-only gemm-int4 gemm-w4a16 int4-matmul", "gemm-w4", NULL},
	{"fp8 f8 e4m3 e5m2 gemm-fp8 gemm-f8 fp8-gemm gemm-e5m2", "gemm-e4m3", NULL},
	{"sgemv matvec mat-vec mv matrix-vector matrix-vector-multiplication", "gemv-f32", NULL},
	{"min-plus tropical distance-product", "minplus-f32", NULL},
	{"floyd floyd-warshall floydwarshall shortest-paths all-pairs-shortest-paths", "apsp-f32",
	 NULL},
	{"linear linear-layer nn-linear gemm-nt gemm-tn", "linear-f16", "linear-bf16 in bfloat16"},
	{NULL, NULL, NULL},
};

#define OWN_STAGE "'gemmjudge new --stage NAME' begins a stage of your own"

static const struct meaning stages[] = {
	{"swish", "silu", NULL},
	{"relu6 relun", "clamp:0:6", NULL},
	{"hardtanh hard-tanh", "clamp:-1:1", NULL},
	{"clip minmax saturate", "clamp:0:6", NULL},
	{"gelu-tanh gelu-new gelu-fast gelu-approx gelu-approximate gelu-taylor", "gelu", NULL},
	{"gelu-exact gelu-none erf-gelu", "gelu_erf", NULL},
	{"quick-gelu gelu-quick", NULL,
	 "x sigmoid(1.702 x) is no stage; gelu and silu are near, but other formulas; " OWN_STAGE},
	{"relu2 relu-2 relu-squared squared-relu", NULL,
	 "relu(x)^2 is no stage, and relu is another formula; " OWN_STAGE},
	{"bias-relu", "bias,relu", NULL},
	{"bias-gelu bias-gelu-fused", "bias,gelu", NULL},
	{"silu-and-mul swiglu-and-mul", "swiglu",
	 "gate and up are neighbouring columns, not halves of N: epilogues/README.md, Gated units"},
	{"gelu-tanh-and-mul", "geglu",
	 "gate and up are neighbouring columns, not halves of N: epilogues/README.md, Gated units"},
	{"swigluoai swiglu-oai", NULL,
	 "gate sigmoid(1.702 gate) (up + 1), clamped, is no stage, and swiglu is another "
	 "formula; " OWN_STAGE},
	{"h-swish hard-swish", "hardswish", NULL},
	{"leakyrelu lrelu prelu leaky", "leaky_relu:0.01", NULL},
	{"logistic sigm", "sigmoid", NULL},
	{"bias-add add-bias bias-col bias-cols bias-columns per-col-bias", "bias", NULL},
	{"bias-row row-bias per-row-bias", "bias_rows", NULL},
	{"add skip shortcut residual-add add-residual", "residual", NULL},
	{"row-scale rowscale rowwise-scale row-wise-scale scale-row per-row-scale per-token-scale",
	 "scale_rows", NULL},
	{"scale-columns scale-col col-scale colscale per-col-scale per-channel-scale channel-scale "
	 "dequant dequantise dequantize",
	 "scale_cols", NULL},
	{"mul multiply", "scale_cols", "or scale_rows; alpha_beta multiplies all of C by one number"},
	{"scale linear-combination linearcombination axpby alpha beta", "alpha_beta", NULL},
	{"drelu relu-backward relu-bwd relu-gradient", "relu_grad", NULL},
	{"aux gelu-aux relu-aux", "save,gelu", "save stores what comes before an activation"},
	{"identity none linear", NULL, "without --epilogue nothing is fused"},
	{"mish elu selu softplus hardsigmoid", NULL, OWN_STAGE},
	{"softmax layernorm layer-norm rmsnorm norm", NULL,
	 "a stage sees one element at a time, and this needs a whole row"},
	{NULL, NULL, NULL},
};

#define NEWEST "the newest one that is emulated"
#define NEAREST "the nearest one"

static const struct meaning emulated[] = {
	{"h800 gh200 hopper sm-90 sm-90a sm90", "h200", "the same architecture"},
	{"b200 b100 b300 gb200 gb300 blackwell rtx5090 5090 sm-100 sm-100a sm-120 sm100", "h200",
	 NEWEST},
	{"a100-* a800 a30 ampere sm-80 sm80", "a100", NEAREST},
	{"3090 rtx-3090 a10 a10g a40 a6000 sm-86 sm86", "rtx3090", NEAREST},
	{"4090 rtx-4090 ada sm-89 sm89", "rtx4090", NEAREST},
	{"l40", "l40s", NEAREST},
	{"v100 p100 turing volta 2080 2080ti rtx2080 sm-70 sm-75 sm75", "t4", NEAREST},
	{"mi300 mi300x mi250 amd", NULL, "only GPUs of NVIDIA are emulated"},
	{NULL, NULL, NULL},
};

static const struct meaning gpus[] = {
	{"h800 hopper sm-90 sm-90a sm90", "h100", "the same architecture"},
	{"gh200", "h200", "the same GPU"},
	{"b100 b300 gb200 gb300 blackwell sm-100 sm-100a sm100", "b200", NEAREST},
	{"a100-* a800 a30 ampere sm-80 sm80", "a100", NEAREST},
	{"3090 rtx-3090 a10 a10g a40 a6000 sm-86 sm86", "rtx3090", NEAREST},
	{"4090 rtx-4090 ada sm-89 sm89", "rtx4090", NEAREST},
	{"l40", "l40s", NEAREST},
	{"turing sm-75 sm75 2080 2080ti rtx2080", "t4", NEAREST},
	{"volta sm-70 sm70 p100", "v100", NEAREST},
	{NULL, NULL, NULL},
};

static const struct meaning devices[] = {
	{"gpu nvidia gpu0 cuda0", "cuda", NULL},
	{"cpu host emulator emulation simulator sim", "emu", NULL},
	{NULL, NULL, NULL},
};

static const struct meaning nothing[] = {{NULL, NULL, NULL}};

static const struct meaning *const tables[] = {
	[SUGGEST_NOTHING] = nothing,   [SUGGEST_OPTION] = options, [SUGGEST_COMMAND] = commands,
	[SUGGEST_PROBLEM] = problems,  [SUGGEST_STAGE] = stages,   [SUGGEST_GPU] = gpus,
	[SUGGEST_EMULATED] = emulated, [SUGGEST_DEVICE] = devices,
};

/* '_' as '-'; of a word without capitals, capitals do not matter. */
static bool letter_is(char wanted, char c, bool capitals)
{
	char plain = c == '_' ? '-' : capitals ? c : (char)tolower((unsigned char)c);
	return plain == wanted;
}

/* Whether it is the word of `length` letters, or begins as it where that ends in '*'. */
static bool word_is(const char *wanted, size_t length, const char *word)
{
	bool capitals = false, open = length > 1 && wanted[length - 1] == '*';
	for (size_t i = 0; i < length; i++)
		capitals = capitals || isupper((unsigned char)wanted[i]);
	length -= open;
	for (size_t i = 0; i < length; i++)
		if (word[i] == '\0' || !letter_is(wanted[i], word[i], capitals))
			return false;
	return open || word[length] == '\0';
}

static const struct meaning *find(enum suggest_kind kind, const char *word)
{
	for (const struct meaning *row = tables[kind]; row->words != NULL; row++)
		for (const char *at = row->words; *at != '\0'; at += strspn(at, " ")) {
			size_t length = strcspn(at, " ");
			if (word_is(at, length, word))
				return row;
			at += length;
		}
	return NULL;
}

const char *suggest_meaning(char out[SUGGEST_TEXT], enum suggest_kind kind, const char *word)
{
	const struct meaning *row = word[0] != '\0' ? find(kind, word) : NULL;
	out[0] = '\0';
	if (row == NULL)
		return out;
	if (row->name == NULL)
		snprintf(out, SUGGEST_TEXT, ": %s", row->says);
	else
		snprintf(out, SUGGEST_TEXT, "; did you mean '%s'?%s%s%s", row->name,
				 row->says != NULL ? " (" : "", row->says != NULL ? row->says : "",
				 row->says != NULL ? ")" : "");
	return out;
}

const char *suggest_end(char out[SUGGEST_TEXT], enum suggest_kind kind, const char *word,
						const char *const *names, size_t count)
{
	if (suggest_meaning(out, kind, word)[0] != '\0')
		return out;
	return suggest_phrase(out, word, names, count);
}

const char *suggest_name(enum suggest_kind kind, size_t index)
{
	const struct meaning *row = tables[kind];
	while (row->words != NULL && (row->name == NULL || index-- > 0))
		row++;
	return row->words != NULL ? row->name : NULL;
}

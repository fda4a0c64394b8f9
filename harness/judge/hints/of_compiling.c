/* What nvcc says of a file that it refused, and what kind of file it is. */
#include "judge/hints/hints.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "judge/hints/signature.h"

/* nvcc's messages; NULL where it took the file. */
static const char *refusal(const struct hint_context *facts)
{
	return facts->judgement->verdict == VERDICT_COMPILE_ERROR ? facts->judgement->compile_log
															  : NULL;
}

/* ---- other kinds of files ------------------------------------------------------------------ */

/* What a file is written for, by a line of it, and what of that is not there. */
static const struct {
	const char *mark, *kind, *lacks;
} written_for[] = {
	{"torch/extension.h", "an extension of PyTorch", "torch"},
	{"torch/types.h", "an extension of PyTorch", "torch"},
	{"torch/torch.h", "an extension of PyTorch", "torch"},
	{"torch/library.h", "an extension of PyTorch", "torch"},
	{"torch/all.h", "an extension of PyTorch", "torch"},
	{"ATen/ATen.h", "an extension of PyTorch", "torch"},
	{"TORCH_LIBRARY(", "an extension of PyTorch", "torch"},
	{"PYBIND11_MODULE", "an extension of PyTorch", "torch"},
	{"pybind11/pybind11.h", "an extension of PyTorch", "torch"},
	{"gtest/gtest.h", "a test program of GoogleTest", "gtest"},
	{"catch2/", "a test program of Catch2", "Catch2"},
	{"benchmark/benchmark.h", "a program of Google Benchmark", "benchmark"},
	{"nvbench/", "a program of nvbench", "nvbench"},
};

static bool is_other_program(const struct hint_context *facts, struct strbuf *out)
{
	const size_t count = sizeof written_for / sizeof *written_for;
	char prototype[PROTOTYPE_TEXT];
	size_t i = 0;
	if (facts->judgement->verdict != VERDICT_COMPILE_ERROR)
		return false;
	while (i < count && !signature_has_line(facts->source, written_for[i].mark))
		i++;
	if (i == count)
		return false;
	problem_prototype(facts->problem, prototype);
	strbuf_setf(out, "the file is %s: what is judged has no %s in it and defines %s",
				written_for[i].kind, written_for[i].lacks, prototype);
	return true;
}

/* nvcc shows the line of a fence, unless it stands in a comment. */
static bool is_fenced(const struct hint_context *facts, struct strbuf *out)
{
	const char *log = refusal(facts);
	strbuf_setf(
		out, "the source stands in a Markdown fence: take out the lines that begin with ```, and "
			 "the text around them");
	return log != NULL && strstr(log, "```") != NULL && signature_has_line(facts->source, "```");
}

/* A linker misses its functions by name (compile/nvcc.h). */
static bool calls_library(const struct hint_context *facts, struct strbuf *out)
{
	strbuf_setf(out,
				"cuBLAS and its like are not linked: the product is to be computed by kernels that "
				"the file has itself");
	return facts->judgement->verdict == VERDICT_RULE_VIOLATION && !facts->judgement->was_run;
}

/* ---- headers ---------------------------------------------------------------------------- */

/* "fatal error: NAME: WHY": the name; false where nvcc says no such thing. */
static bool find_header(const struct hint_context *facts, const char *why, char out[PATH_MAX])
{
	static const char begins[] = "fatal error: ";
	const char *log = refusal(facts);
	for (const char *at = log; at != NULL && (at = strstr(at, begins)) != NULL;) {
		at += sizeof begins - 1;
		size_t length = strcspn(at, "\n");
		const char *end = strstr(at, why);
		if (end == NULL || end >= at + length || end < at + 3)
			continue;
		snprintf(out, PATH_MAX, "%.*s", (int)(end - at - 2), at); /* without ": " */
		return true;
	}
	return false;
}

/* The folder of the judged file, without links; "" where nobody knows. */
static void folder_of_file(const struct hint_context *facts, char out[PATH_MAX])
{
	if (realpath(facts->source, out) == NULL)
		out[0] = '\0';
	char *slash = strrchr(out, '/');
	if (slash != NULL)
		*slash = '\0';
}

/* The folder of a header that messages name, as it is written behind -I: relative to the file's. */
static void folder_of_header(const struct hint_context *facts, char header[PATH_MAX])
{
	char own[PATH_MAX];
	folder_of_file(facts, own);
	size_t length = strlen(own);
	if (length > 0 && strncmp(header, own, length) == 0 && header[length] == '/')
		memmove(header, header + length + 1, strlen(header + length + 1) + 1);
	char *slash = strrchr(header, '/');
	if (slash != NULL)
		slash[slash == header] = '\0';
	else
		strcpy(header, ".");
}

static bool is_closed(const struct hint_context *facts, struct strbuf *out)
{
	char header[PATH_MAX];
	if (facts->isolated || !find_header(facts, "Permission denied", header))
		return false;
	folder_of_header(facts, header);
	if (header[0] == '/') /* the file names it so: nothing that people's own headers do */
		return false;
	strbuf_setf(out,
				"the compiler reads the file's folder and the repository around it (the nearest "
				"folder above with .git): --nvcc-flags \"-I%s\" opens the folder of this header, "
				"too",
				header);
	return true;
}

/* Libraries of headers that people use and no toolkit has. */
static const struct {
	const char *begins, *library;
} libraries[] = {
	{"cutlass/", "CUTLASS"},    {"cute/", "CUTLASS"},        {"kittens", "ThunderKittens"},
	{"deep_gemm/", "DeepGEMM"}, {"fmt/", "the library fmt"}, {"Eigen/", "Eigen"},
};

/* Where people keep headers, as seen from the file. */
static bool find_folder(const struct hint_context *facts, const char *header, char out[64])
{
	static const char *const up[] = {"", "../", "../../", "../../../"};
	static const char *const names[] = {"include", "inc", "common", "src", "utils", "."};
	char own[PATH_MAX], path[2 * PATH_MAX];
	folder_of_file(facts, own);
	for (size_t i = 0; own[0] != '\0' && i < sizeof up / sizeof *up; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
			snprintf(path, sizeof path, "%.*s/%s%s/%.*s", PATH_MAX - 1, own, up[i], names[k],
					 PATH_MAX - 100, header);
			snprintf(out, 64, "%s%s", up[i], names[k]);
			if (access(path, F_OK) == 0)
				return true;
		}
	return false;
}

static bool is_not_found(const struct hint_context *facts, struct strbuf *out)
{
	char header[PATH_MAX], folder[64];
	/* to a stranger's file both are the same (compile/missing_files.c), where that library is there
	 */
	bool missing = find_header(facts, "No such file or directory", header) ||
				   (facts->isolated && find_header(facts, "Permission denied", header));
	if (!missing || is_other_program(facts, out))
		return false; /* of such a program nothing is to be found */
	if (facts->isolated) {
		strbuf_setf(out,
					"%s is no header of the toolkit or the system, and nothing beside the file is "
					"read: what it holds has to stand in the file itself",
					header);
		return true;
	}
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (strncmp(header, libraries[i].begins, strlen(libraries[i].begins)) == 0) {
			strbuf_setf(out,
						"%s belongs to %s, which the toolkit has not: --nvcc-flags "
						"\"-I/path/to/its/include\" names where it lies",
						header, libraries[i].library);
			return true;
		}
	if (find_folder(facts, header, folder))
		strbuf_setf(out, "%s lies in %s, seen from the file: --nvcc-flags \"-I%s\"", header, folder,
					folder);
	else
		strbuf_setf(
			out,
			"%s lies neither beside the file nor in the root or in include/ of its "
			"repository: "
			"--nvcc-flags \"-I FOLDER\" names the folder where it does (a relative one begins "
			"at the file's folder)",
			header);
	return true;
}

/* ---- names that a header declares -------------------------------------------------------- */

static const struct {
	const char *name, *header;
} declared[] = {
	{"half", "cuda_fp16.h"},
	{"__half", "cuda_fp16.h"},
	{"half2", "cuda_fp16.h"},
	{"__half2", "cuda_fp16.h"},
	{"__half2float", "cuda_fp16.h"},
	{"__float2half", "cuda_fp16.h"},
	{"__nv_bfloat16", "cuda_bf16.h"},
	{"nv_bfloat16", "cuda_bf16.h"},
	{"__nv_bfloat162", "cuda_bf16.h"},
	{"__bfloat162float", "cuda_bf16.h"},
	{"__float2bfloat16", "cuda_bf16.h"},
	{"__nv_fp8_e4m3", "cuda_fp8.h"},
	{"__nv_fp8_e5m2", "cuda_fp8.h"},
	{"__nv_fp8x4_e4m3", "cuda_fp8.h"},
	{"CUtensorMap", "cuda.h"},
	{"wmma", "mma.h"},
	{"nvcuda", "mma.h"},
	{"cooperative_groups", "cooperative_groups.h"},
	{"cg", "cooperative_groups.h"},
	{"uint8_t", "cstdint"},
	{"int8_t", "cstdint"},
	{"uint16_t", "cstdint"},
	{"uint32_t", "cstdint"},
	{"int32_t", "cstdint"},
	{"uint64_t", "cstdint"},
	{"int64_t", "cstdint"},
	{"printf", "cstdio"},
	{"assert", "cassert"},
	{"vector", "vector"},
	{"string", "string"},
	{"cout", "iostream"},
	{"cerr", "iostream"},
	{"sort", "algorithm"},
	{"min", "algorithm"},
	{"max", "algorithm"},
	{"FLT_MAX", "cfloat"},
	{"INT_MAX", "climits"},
	{"nv_bfloat162", "cuda_bf16.h"},
	{"curandState", "curand_kernel.h"},
};

/* error: identifier "half" is undefined; in `using namespace nvcuda` it must be a namespace. */
static bool lacks_include(const struct hint_context *facts, struct strbuf *out)
{
	static const char *const said[] = {
		"error: identifier \"%s\" is undefined", "error: namespace \"%s\" is undefined",
		"using namespace %s;", "namespace cg = %s;", "namespace \"std\" has no member \"%s\""};
	const char *log = refusal(facts), *first = NULL;
	if (is_fenced(facts, out)) /* its #include lines may be there, and not have been read */
		return false;
	for (size_t i = 0; log != NULL && i < sizeof declared / sizeof *declared; i++)
		for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
			char message[128];
			size_t length = strcspn(said[k], "%");
			snprintf(message, sizeof message, "%.*s%s%s", (int)length, said[k], declared[i].name,
					 said[k] + length + 2);
			const char *at = strstr(log, message);
			if (at == NULL || (first != NULL && at > first))
				continue;
			first = at;
			strbuf_setf(out, "the file uses %s and lacks its header: #include <%s>",
						declared[i].name, declared[i].header);
		}
	return first != NULL;
}

/* What people write for types that CUDA calls otherwise. */
static bool has_no_such_type(const struct hint_context *facts, struct strbuf *out)
{
	static const struct {
		const char *name, *instead;
	} others[] = {
		{"__nv_tf32", "fragments take nvcuda::wmma::precision::tf32, and memory holds float"},
		{"nv_tf32", "fragments take nvcuda::wmma::precision::tf32, and memory holds float"},
		{"tf32", "fragments take nvcuda::wmma::precision::tf32, and memory holds float"},
		{"bfloat16", "its type is __nv_bfloat16, of cuda_bf16.h"},
		{"float16", "its type is half, of cuda_fp16.h"},
		{"fp16", "its type is half, of cuda_fp16.h"},
		{"float8_e4m3", "its type is __nv_fp8_e4m3, of cuda_fp8.h"},
		{"fp8_e4m3", "its type is __nv_fp8_e4m3, of cuda_fp8.h"},
	};
	const char *log = refusal(facts);
	for (size_t i = 0; log != NULL && i < sizeof others / sizeof *others; i++) {
		char message[96];
		snprintf(message, sizeof message, "error: identifier \"%s\" is undefined", others[i].name);
		if (strstr(log, message) == NULL)
			continue;
		strbuf_setf(out, "CUDA has no %s: %s", others[i].name, others[i].instead);
		return true;
	}
	return false;
}

/* ptxas says so by itself (compile/source_needs.h); a device that takes PTX says only that it does
 * not know what is called. */
static bool is_of_blackwell(const struct hint_context *facts, struct strbuf *out)
{
	const struct judgement *judgement = facts->judgement;
	strbuf_setf(out,
				"the file uses tcgen05, which needs sm_100a (Blackwell): this device is of another "
				"architecture");
	return judgement->verdict == VERDICT_UNSUPPORTED && judgement->was_run &&
		   signature_has(facts->source, "tcgen05");
}

/* Of an accepted file: what a GPU does at once, it does one after another. */
static bool is_serialised(const struct hint_context *facts, struct strbuf *out)
{
	static const char begins[] = "wgmma.mma_async instructions are serialized ";
	static const char *const ends[] = {" in the function '", " in function '",
									   " for the function '"};
	const char *log = facts->judgement->compile_log;
	const char *why = log != NULL ? strstr(log, begins) : NULL;
	if (why == NULL || facts->judgement->verdict != VERDICT_ACCEPTED)
		return false;
	why += sizeof begins - 1;
	size_t length = strcspn(why, "\n");
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		const char *end = strstr(why, ends[i]);
		if (end != NULL && end < why + length)
			length = (size_t)(end - why);
	}
	strbuf_setf(out,
				"ptxas serialises wgmma %.*s: results are right, and slow, as each wgmma waits for "
				"the one before",
				(int)length, why);
	return true;
}

const struct hint_row hints_of_compiling[] = {
	{"wgmma-serialised", HINT_NOTE, is_serialised},
	{"blackwell", HINT_CAUSE, is_of_blackwell},
	{"fenced", HINT_CAUSE, is_fenced},
	{"other-program", HINT_CAUSE, is_other_program},
	{"calls-library", HINT_CAUSE, calls_library},
	{"header-closed", HINT_CAUSE, is_closed},
	{"header-not-found", HINT_CAUSE, is_not_found},
	{"lacks-include", HINT_CAUSE, lacks_include},
	{"no-such-type", HINT_CAUSE, has_no_such_type},
	{0},
};

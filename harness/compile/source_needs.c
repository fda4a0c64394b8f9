#include "compile/source_needs.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compile/content.h"

/* ---- reading files ------------------------------------------------------------- */

/* A file and what it includes: until one of them holds what is looked for. */
struct look {
	bool (*holds)(const char *text); /* NULL: all are read, for `parts` */
	bool found;
	unsigned parts; /* those that they name */
};

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re"), *text = NULL;
	char *all = NULL, bytes[16384];
	size_t size = 0, got;
	if (file != NULL)
		text = open_memstream(&all, &size);
	while (text != NULL && (got = fread(bytes, 1, sizeof bytes, file)) > 0)
		fwrite(bytes, 1, got, text);
	if (text != NULL)
		fclose(text);
	if (file != NULL)
		fclose(file);
	return all;
}

static void find_parts(const char *text, unsigned *parts);

static bool look_at_file(void *context, const char *path, struct error *err)
{
	struct look *look = context;
	char *text = look->found ? NULL : read_text(path);
	(void)err;
	if (text != NULL && look->holds == NULL)
		find_parts(text, &look->parts);
	else if (text != NULL)
		look->found = look->holds(text);
	free(text);
	return true;
}

static struct look look_through(const char *file, bool (*holds)(const char *text))
{
	struct error ignored;
	struct look look = {.holds = holds};
	const struct content_visitor visitor = {.file = look_at_file, .context = &look};
	look_at_file(&look, file, &ignored); /* also where it has no path, as stdin */
	if (!look.found)
		content_walk(file, &visitor, &ignored);
	return look;
}

static bool some_file_holds(const char *file, bool (*holds)(const char *text))
{
	return look_through(file, holds).found;
}

/* ---- solve.h ------------------------------------------------------------------- */

static bool names_header(const char *text)
{
	return strstr(text, "\"" SOURCE_NEEDS_HEADER "\"") != NULL ||
		   strstr(text, "<" SOURCE_NEEDS_HEADER ">") != NULL;
}

bool source_needs_solve_header(const char *file)
{
	return some_file_holds(file, names_header);
}

/* ---- parts of headers ------------------------------------------------------------ */

/* Headers that use much of CUDA's. */
#define LIBRARIES "<cub/", "<thrust/", "<cuda/", "cutlass", "cute/"

const struct source_part source_parts[SOURCE_PARTS] = {
	/* C++17's special functions, of libstdc++, with what these include. */
	{{"_GLIBCXX_BITS_SPECFUN_H"}, {NULL}},
	/* cuda_bf16.h, which comes with epilogues/epilogue_stage.cuh. */
	{{"EPILOGUE_WITHOUT_BF16"}, {"bfloat16", "bf16"}},
	/* _Float32, _Float64x and so on: the C library has each function of math.h for all of them. */
	{{"_BITS_FLOATN_H", "_BITS_FLOATN_COMMON_H"}, {"_Float", "__float128"}},
	{{"__TEXTURE_INDIRECT_FUNCTIONS_H__", "__SURFACE_INDIRECT_FUNCTIONS_H__",
	  "__CHANNEL_DESCRIPTOR_H__"},
	 {"tex1", "tex2", "tex3", "texC", "surf", "cudaTexture", "ChannelDesc", LIBRARIES}},
	/* Launches from the device. */
	{{"__CUDA_DEVICE_RUNTIME_API_H__"},
	 {"cudaLaunchDevice", "cudaGetParameterBuffer", "cudadevrt"}},
	/* Loads and stores with a hint, and shifts of two words. */
	{{"__SM_32_INTRINSICS_H__"}, {"__ld", "__st", "__funnelshift", LIBRARIES}},
};

static bool names_part(const char *text, const struct source_part *part)
{
	size_t i = 0;
	while (part->words[i] != NULL && strstr(text, part->words[i]) == NULL)
		i++;
	return part->words[i] != NULL;
}

static void find_parts(const char *text, unsigned *parts)
{
	for (size_t i = 0; i < SOURCE_PARTS; i++)
		if (names_part(text, &source_parts[i]))
			*parts |= 1u << i;
}

unsigned source_needs_parts(const char *file)
{
	return look_through(file, NULL).parts;
}

/* ---- C++20 ----------------------------------------------------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Behind a comment, a string or a character that begins here; `at` where none does. */
static const char *skip_unread(const char *at)
{
	if (at[0] == '/' && at[1] == '/')
		return at + strcspn(at, "\n");
	if (at[0] == '/' && at[1] == '*') {
		const char *end = strstr(at + 2, "*/");
		return end != NULL ? end + 2 : at + strlen(at);
	}
	if (*at != '"' && *at != '\'')
		return at;
	char quote = *at++;
	while (*at != '\0' && *at != quote && *at != '\n')
		at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
	return *at == quote ? at + 1 : at;
}

static bool is_among(const char *at, size_t length, const char *const *names)
{
	while (*names != NULL && (strlen(*names) != length || strncmp(*names, at, length) != 0))
		names++;
	return *names != NULL;
}

/* "<concepts>", and "<typename T>" behind the bracket of a lambda. */
static bool is_bracketed_cxx20(const char *at, char before)
{
	static const char *const headers[] = {
		"concepts", "ranges",    "span",    "bit",     "numbers",    "format",          "compare",
		"latch",    "semaphore", "barrier", "version", "stop_token", "source_location", NULL};
	static const char *const parameters[] = {"typename", "class", "int",    "unsigned",
											 "auto",     "bool",  "size_t", NULL};
	size_t length = 1;
	while (is_word(at[length]))
		length++;
	return (at[length] == '>' && is_among(at + 1, length - 1, headers)) ||
		   (before == ']' && is_among(at + 1, length - 1, parameters));
}

bool source_needs_cxx20_text(const char *text)
{
	static const char *const words[] = {"concept",
										"requires",
										"consteval",
										"constinit",
										"co_await",
										"co_return",
										"co_yield",
										"char8_t",
										"remove_cvref_t",
										"remove_cvref",
										"type_identity",
										"type_identity_t",
										"bit_cast",
										"floating_point",
										"integral",
										"ssize",
										NULL};
	char before = '\0';
	for (const char *at = text; *at != '\0';) {
		const char *behind = skip_unread(at);
		if (behind > at) {
			at = behind;
			continue;
		}
		size_t length = 1;
		if (is_word(*at))
			while (is_word(at[length]))
				length++;
		if (is_among(at, length, words) || strncmp(at, "using enum", 10) == 0 ||
			strncmp(at, "<=>", 3) == 0 || (*at == '<' && is_bracketed_cxx20(at, before)))
			return true;
		if (!isspace((unsigned char)*at))
			before = *at;
		at += length;
	}
	return false;
}

bool source_needs_cxx20(const char *file, const char *log)
{
	static const char *const said[] = {"C++20",
									   "c++20",
									   "c++2a",
									   "202002L",
									   "template parameter may not have class type",
									   "has no member \"ranges\"",
									   "has no member \"views\"",
									   "has no member \"erase_if\"",
									   "has no member \"lerp\"",
									   "has no member \"midpoint\"",
									   "has no member \"is_constant_evaluated\"",
									   "has no member \"identity\"",
									   "has no member \"jthread\"",
									   "has no member \"starts_with\""};
	for (size_t i = 0; log != NULL && i < sizeof said / sizeof *said; i++)
		if (strstr(log, said[i]) != NULL)
			return true;
	return some_file_holds(file, source_needs_cxx20_text);
}

/* ---- lambdas --------------------------------------------------------------------- */

bool source_needs_lambdas(const char *log)
{
	return log != NULL && strstr(log, "--extended-lambda") != NULL;
}

/* ---- another GPU ------------------------------------------------------------------- */

/* What only some GPUs have, by how its name begins; the longest beginnings first. */
static const struct {
	const char *begins, *needs;
} features[] = {
	{"tcgen05", "sm_100a (Blackwell)"},
	{".cta_group", "sm_100a (Blackwell)"},
	{".kind::mxf", "sm_100a or sm_120a (Blackwell)"},
	{".kind::", "sm_100a or sm_120a (Blackwell)"},
	{"mma with", "sm_100a or sm_120a (Blackwell)"},
	{".block_scale", "sm_100a or sm_120a (Blackwell)"},
	{"wgmma", "sm_90a (Hopper)"},
	{"setmaxnreg", "sm_90a (Hopper)"},
};

static void take_feature(const char *begin, int length, const char *needs, int needs_length,
						 struct source_needs_feature *out)
{
	snprintf(out->name, sizeof out->name, "%.*s", length, begin);
	snprintf(out->needs, sizeof out->needs, "%.*s", needs_length, needs);
}

/* ptxas: "Instruction 'tcgen05.alloc' not supported on .target 'sm_90a'", "Feature 'add.f32x2'
 * requires .target sm_100 or higher". */
static bool feature_of_ptxas(const char *log, struct source_needs_feature *out)
{
	static const char unknown[] = "' not supported on .target '", higher[] = "' requires .target ";
	bool found = false;
	for (const char *at = log; (at = strchr(at, '\'')) != NULL; at++) {
		bool named = strncmp(at, higher, sizeof higher - 1) == 0;
		if (!named && strncmp(at, unknown, sizeof unknown - 1) != 0)
			continue;
		const char *begin = at;
		while (begin > log && begin[-1] != '\'' && begin[-1] != '\n')
			begin--;
		const char *needs = named ? at + sizeof higher - 1 : "";
		for (size_t i = 0; !named && *needs == '\0' && i < sizeof features / sizeof *features; i++)
			if (strncmp(begin, features[i].begins, strlen(features[i].begins)) == 0)
				needs = features[i].needs;
		if (!found || *needs != '\0')
			take_feature(begin, (int)(at - begin), needs, (int)strcspn(needs, "\n"), out);
		found = true;
		if (*needs != '\0')
			break;
	}
	return found;
}

/* cuda::ptx calls "__cuda_ptx_tcgen05_alloc_is_not_supported_before_SM_100a_SM_101a__". */
static bool feature_of_header(const char *log, struct source_needs_feature *out)
{
	static const char begins[] = "__cuda_ptx_", middle[] = "_is_not_supported_before_SM_";
	const char *at = strstr(log, middle), *begin = at;
	while (begin != NULL && begin > log && is_word(begin[-1]))
		begin--;
	if (at == NULL || strncmp(begin, begins, sizeof begins - 1) != 0 || begin > at)
		return false;
	begin += sizeof begins - 1;
	const char *needs = at + sizeof middle - 1;
	char target[24];
	snprintf(target, sizeof target, "sm_%.*s", (int)strcspn(needs, "_' \n"), needs);
	take_feature(begin, (int)(at - begin), target, (int)strlen(target), out);
	return true;
}

bool source_needs_other_gpu(const char *log, struct source_needs_feature *out)
{
	return log != NULL && (feature_of_ptxas(log, out) || feature_of_header(log, out));
}

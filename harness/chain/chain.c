#include "chain/chain.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "base/text.h"
#include "chain/declaration.h"
#include "chain/stage_words.h"

#define ENDING ".cuh"
#define CONTRACT "epilogue" /* epilogue.cuh and what it includes lie among the stages */
#define STAGES_LISTED 64
#define EXACT_FLOATS 20 /* sizeof(epilogue_exact_sum), in floats */

bool chain_is_contract(const char *name)
{
	return strncmp(name, CONTRACT, strlen(CONTRACT)) == 0;
}

static bool ends_in_cuh(const char *name)
{
	size_t length = strlen(name), tail = strlen(ENDING);
	return length > tail && strcmp(name + length - tail, ENDING) == 0;
}

/* ---- finding the file of a stage -------------------------------------------- */

static bool unknown_stage(const char *name, const char *folder, struct error *err)
{
	char names[STAGES_LISTED][CHAIN_NAME_MAX], phrase[SUGGEST_TEXT];
	const char *pointers[STAGES_LISTED];
	size_t count = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
		size_t length = strlen(entry->d_name);
		if (!ends_in_cuh(entry->d_name) || count == STAGES_LISTED ||
			length - strlen(ENDING) >= CHAIN_NAME_MAX || chain_is_contract(entry->d_name))
			continue;
		snprintf(names[count], CHAIN_NAME_MAX, "%.*s", (int)(length - strlen(ENDING)),
				 entry->d_name);
		pointers[count] = names[count];
		count++;
	}
	if (dir != NULL)
		closedir(dir);
	if (suggest_meaning(phrase, stage_words, name)[0] == '\0')
		suggest_phrase(phrase, name, pointers, count);
	return error_set(err, "unknown epilogue stage '%s'%s", name,
					 phrase[0] != '\0' ? phrase
									   : "; 'gemmjudge list epilogues' shows them, and a file "
										 "of your own is named with its '" ENDING "'");
}

static bool is_shipped(const char *name)
{
	return strchr(name, '/') == NULL && !ends_in_cuh(name);
}

/* A path is made absolute: nvcc runs elsewhere. */
static bool stage_find(const char *name, const char *folder, char path[PATHS_MAX], bool *shipped,
					   struct error *err)
{
	char file[CHAIN_NAME_MAX + sizeof ENDING];
	*shipped = is_shipped(name);
	if (!*shipped) {
		char *real = realpath(name, NULL);
		bool fits = real != NULL && strlen(real) < PATHS_MAX && strchr(real, '"') == NULL &&
					strchr(real, '\n') == NULL;
		if (fits)
			strcpy(path, real);
		else if (real == NULL)
			error_set(err, "epilogue stage %s: %s", name, strerror(errno));
		else
			error_set(err, "epilogue stage %s: #include cannot name a path like that", name);
		free(real);
		return fits;
	}
	if (strlen(name) >= CHAIN_NAME_MAX || !declaration_name(name) || chain_is_contract(name))
		return unknown_stage(name, folder, err);
	snprintf(file, sizeof file, "%s" ENDING, name);
	if (!paths_join(path, folder, file, err))
		return false;
	return access(path, F_OK) == 0 || unknown_stage(name, folder, err);
}

/* ---- reading a chain --------------------------------------------------------- */

/* "0:6" into the arguments of the stage, in the order of their declarations. */
static bool take_values(struct chain_stage *stage, char *values, struct error *err)
{
	uint32_t member = 0, arguments = 0, given = 0;
	for (uint32_t i = 0; i < stage->count; i++)
		arguments += stage->members[i].kind == CHAIN_ARGUMENT;
	while (values != NULL) {
		char *value = strsep(&values, ":");
		if (++given > arguments) {
			if (arguments == 0)
				return error_set(err, "epilogue stage %s takes no arguments", stage->name);
			return error_set(err, "epilogue stage %s takes %u argument%s at most", stage->name,
							 arguments, text_plural(arguments));
		}
		while (stage->members[member].kind != CHAIN_ARGUMENT)
			member++;
		if (!declaration_number(value, &stage->members[member].value))
			return error_set(err, "epilogue stage %s: its argument %s is a number, not '%s'",
							 stage->name, stage->members[member].name, value);
		member++;
	}
	return true;
}

static bool take_stage(char *text, const char *folder, struct chain *out, struct chain_files *files,
					   struct error *err)
{
	if (out->count == CHAIN_STAGES_MAX)
		return error_set(err, "an epilogue has at most %d stages", CHAIN_STAGES_MAX);
	struct chain_stage *stage = &out->stages[out->count];
	char *path = files->paths[out->count];
	char *values = text, *name = strsep(&values, ":");
	bool shipped;
	if (name[0] == '\0')
		return error_set(err, "--epilogue '%s': a stage has no name", files->text);
	if (!stage_find(name, folder, path, &shipped, err) || !chain_read_stage(path, stage, err) ||
		!take_values(stage, values, err))
		return false;
	stage->shipped = shipped;
	for (uint32_t i = 0; i < out->count; i++)
		if (strcmp(out->stages[i].name, stage->name) == 0 && strcmp(files->paths[i], path) != 0)
			return error_set(err, "%s and %s both define a stage named %s", files->paths[i], path,
							 stage->name);
	for (uint32_t i = 0; i < stage->count; i++)
		if (stage->members[i].kind != CHAIN_ARGUMENT)
			stage->members[i].buffer = out->buffers++;
	if (out->buffers > CHAIN_BUFFERS_MAX)
		return error_set(err, "an epilogue has at most %d inputs and outputs", CHAIN_BUFFERS_MAX);
	out->count++;
	return true;
}

bool chain_parse(const char *text, const char *folder, struct chain *out, struct chain_files *files,
				 struct error *err)
{
	*out = (struct chain){0};
	if (strlen(text) >= sizeof files->text)
		return error_set(err, "--epilogue: more than %d characters", CHAIN_TEXT_MAX - 1);
	strcpy(files->text, text);
	char copy[CHAIN_TEXT_MAX], *rest = copy;
	strcpy(copy, text);
	while (rest != NULL)
		if (!take_stage(strsep(&rest, ","), folder, out, files, err))
			return false;
	return true;
}

bool chain_stage_file(const char *text, size_t i, char out[PATHS_MAX])
{
	for (; i > 0 && text != NULL; i--)
		text = (text = strchr(text, ',')) != NULL ? text + 1 : NULL;
	if (text == NULL)
		return false;
	snprintf(out, PATHS_MAX, "%.*s", (int)strcspn(text, ",:"), text);
	if (is_shipped(out))
		out[0] = '\0';
	return true;
}

/* ---- looking at a chain ------------------------------------------------------- */

bool chain_is_plain(const struct chain *chain)
{
	return chain->count == 0 || (chain->count == 1 && chain->stages[0].shipped &&
								 strcmp(chain->stages[0].name, "alpha_beta") == 0);
}

bool chain_has_members(const struct chain *chain)
{
	bool members = false;
	for (uint32_t i = 0; i < chain->count; i++)
		members = members || chain->stages[i].bytes > 0;
	return members;
}

const struct chain_member *chain_buffer(const struct chain *chain, uint32_t buffer,
										const struct chain_stage **stage)
{
	for (uint32_t i = 0; i < chain->count; i++)
		for (uint32_t j = 0; j < chain->stages[i].count; j++) {
			const struct chain_member *member = &chain->stages[i].members[j];
			if (member->kind == CHAIN_ARGUMENT || member->buffer != buffer)
				continue;
			*stage = &chain->stages[i];
			return member;
		}
	return NULL;
}

static uint64_t blocks(uint64_t count, uint32_t block)
{
	return block == 0 ? 1 : block == 1 ? count : (count + block - 1) / block;
}

uint64_t chain_width(const struct chain_member *member, uint64_t n)
{
	return blocks(n, member->columns);
}

uint64_t chain_elements(const struct chain_member *member, uint64_t m, uint64_t n)
{
	return blocks(m, member->rows) * chain_width(member, n);
}

uint64_t chain_allocated(const struct chain_member *member, uint64_t m, uint64_t n)
{
	uint64_t count = chain_elements(member, m, n);
	return member->kind == CHAIN_EXACT ? (count + 1) / 2 * 2 + count * EXACT_FLOATS : count;
}

uint64_t chain_index(const struct chain_member *member, uint64_t n, uint64_t row, uint64_t column)
{
	uint64_t i = member->rows <= 1 ? row * member->rows : row / member->rows;
	uint64_t j = member->columns <= 1 ? column * member->columns : column / member->columns;
	return i * chain_width(member, n) + j;
}

static int size_text(char *out, size_t size, const char *name, uint32_t block)
{
	return block > 1 ? snprintf(out, size, "%s/%u", name, block) : snprintf(out, size, "%s", name);
}

void chain_extent_text(const struct chain_member *member, char out[CHAIN_EXTENT_TEXT])
{
	int used = 0;
	if (member->rows > 0)
		used = size_text(out, CHAIN_EXTENT_TEXT / 2, "M", member->rows);
	if (member->rows > 0 && member->columns > 0)
		out[used++] = ' ';
	if (member->columns > 0)
		size_text(out + used, CHAIN_EXTENT_TEXT / 2, "N", member->columns);
	else if (member->rows == 0)
		strcpy(out, "1");
}

bool chain_reduces(const struct chain *chain)
{
	for (uint32_t i = 0; i < chain->count; i++)
		for (uint32_t j = 0; j < chain->stages[i].count; j++)
			if (chain_is_reduction(&chain->stages[i].members[j]))
				return true;
	return false;
}

const struct chain_member *chain_finish(const struct chain_stage *stage)
{
	for (uint32_t i = 0; i < stage->count; i++)
		if (stage->members[i].finish)
			return &stage->members[i];
	return NULL;
}

uint32_t chain_columns(const struct chain_stage *stage)
{
	uint32_t columns = 1;
	for (uint32_t i = 0; i < stage->count; i++)
		if (stage->members[i].kind == CHAIN_OUTPUT && stage->members[i].columns > columns)
			columns = stage->members[i].columns;
	return columns;
}

void chain_serialise(const struct chain_stage *stage, void *const addresses[CHAIN_BUFFERS_MAX],
					 unsigned char out[CHAIN_BYTES_MAX])
{
	memset(out, 0, CHAIN_BYTES_MAX);
	for (uint32_t i = 0; i < stage->count; i++) {
		const struct chain_member *member = &stage->members[i];
		if (member->kind == CHAIN_ARGUMENT)
			memcpy(out + member->offset, &member->value, sizeof member->value);
		else
			memcpy(out + member->offset, &addresses[member->buffer], sizeof *addresses);
	}
}

/* ---- the header ---------------------------------------------------------------- */

/* An assertion about a stage, whose failure nvcc reports as one of the stage's file. */
static void expect(FILE *out, const struct chain_stage *stage, const char *path, const char *format,
				   ...)
{
	va_list arguments;
	fprintf(out, "#line 1 \"%s\"\nstatic_assert(", path);
	va_start(arguments, format);
	vfprintf(out, format, arguments);
	va_end(arguments);
	fprintf(out, " (stage %s)\");\n", stage->name);
}

/* In C++. */
static void type_of_member(char out[32], const struct chain_member *member, const char *element)
{
	static const char *const names[CHAIN_TYPES] = {
		[CHAIN_FLOAT] = "float", [CHAIN_HALF] = "half",          [CHAIN_BFLOAT16] = "__nv_bfloat16",
		[CHAIN_INT8] = "int8_t", [CHAIN_E4M3] = "__nv_fp8_e4m3",
	};
	const char *name = names[member->type] != NULL ? names[member->type] : element;
	if (member->kind == CHAIN_ARGUMENT)
		strcpy(out, "float ");
	else
		snprintf(out, 32, "%s%s *", member->kind == CHAIN_INPUT ? "const " : "", name);
}

/* The members of the compiled stage must be those of its first comment, where chain_serialise()
 * puts their values. */
static void expect_members(FILE *out, const struct chain_stage *stage, const char *path)
{
	for (uint32_t i = 0; i < stage->count; i++) {
		const struct chain_member *member = &stage->members[i];
		char half[32], element[32];
		type_of_member(half, member, "half");
		type_of_member(element, member, "Element");
		expect(
			out, stage, path,
			"std::is_same_v<decltype(stage_%s<half>::%s), %s> && offsetof(stage_%s<half>, %s) "
			"== %u, \"member %u of the struct should be '%s%s', as the first comment declares it",
			stage->name, member->name, half, stage->name, member->name, member->offset, i + 1,
			element, member->name);
	}
	expect(out, stage, path,
		   "epilogue_ends_at<stage_%s<half>>(%u), \"the struct has members that the first comment "
		   "does not declare",
		   stage->name, stage->bytes);
}

/* What memory() calls for a member, in the order of epilogue_accesses. */
static const struct {
	const char *kind, *call;
} accesses[] = {{"columns", "columns"}, {"rows", "rows"},    {"matrices", "matrix"},
				{"outputs", "output"},  {"others", "other"}, {"reductions", "reduction"}};

static size_t access_of(const struct chain_member *member)
{
	if (member->kind != CHAIN_INPUT)
		return chain_is_reduction(member) ? 5 : 3;
	bool plain = member->rows <= 1 && member->columns <= 1;
	return !plain || member->rows + member->columns == 0 ? 4
		   : member->rows == 0                           ? 0
		   : member->columns == 0                        ? 1
														 : 2;
}

/* And its memory() must visit the inputs and outputs among them, each by the function of its kind.
 */
static void expect_access(FILE *out, const struct chain_stage *stage, const char *path,
						  size_t access)
{
	char calls[CHAIN_MEMBERS_MAX * (CHAIN_NAME_MAX + 24)] = "";
	size_t used = 0, found = 0;
	for (uint32_t i = 0; i < stage->count; i++) {
		const struct chain_member *member = &stage->members[i];
		if (member->kind == CHAIN_ARGUMENT || access_of(member) != access)
			continue;
		used += (size_t)snprintf(calls + used, sizeof calls - used, "%svisit.%s(%s%s)",
								 found++ > 0 ? ", " : "", accesses[access].call, member->name,
								 access == 5 ? ", ..." : "");
	}
	if (found == 0)
		snprintf(calls, sizeof calls, "no visit.%s()", accesses[access].call);
	expect(out, stage, path,
		   "epilogue_visits<stage_%s<half>>(&epilogue_accesses::%s, %zu), \"" CHAIN_MEMORY
		   "have %s "
		   "for what the first comment declares",
		   stage->name, accesses[access].kind, found, calls);
}

static void expect_accesses(FILE *out, const struct chain_stage *stage, const char *path)
{
	bool reduces = false;
	for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
		expect_access(out, stage, path, i);
	for (uint32_t i = 0; i < stage->count; i++)
		reduces = reduces || chain_is_reduction(&stage->members[i]);
	if (reduces)
		expect(out, stage, path,
			   "epilogue_declares<stage_%s<half>>, \"" CHAIN_MEMORY "visit what the stage reduces",
			   stage->name);
}

static void expect_deterministic(FILE *out, const struct chain_stage *stage, const char *path)
{
	bool exact = false, other = false;
	for (uint32_t i = 0; i < stage->count; i++) {
		exact = exact || stage->members[i].kind == CHAIN_EXACT;
		other = other || stage->members[i].kind == CHAIN_SUM || stage->members[i].kind == CHAIN_MAX;
	}
	if (exact)
		expect(
			out, stage, path,
			"epilogue_is_deterministic<stage_%s<half>> && sizeof(epilogue_exact_sum) == %u && %s, "
			"\"the struct should say 'static constexpr bool deterministic = true', and reduce "
			"nothing but deterministic sums",
			stage->name, EXACT_FLOATS * 4, other ? "false" : "true");
	else if (other)
		expect(out, stage, path,
			   "!epilogue_is_deterministic<stage_%s<half>>, \"the first comment does not say "
			   "'deterministic' behind what the stage reduces",
			   stage->name);
}

static void expect_finish(FILE *out, const struct chain_stage *stage, const char *path)
{
	const struct chain_member *member = chain_finish(stage);
	uint32_t reductions = 0;
	for (uint32_t i = 0; i < stage->count; i++)
		reductions += chain_is_reduction(&stage->members[i]);
	if (reductions > 0)
		expect(out, stage, path,
			   "epilogue_finishes<stage_%s<half>> == %s, \"the struct should %shave 'float "
			   "finish(float x, int M, int N) const', as the first comment %s 'finish'%s",
			   stage->name, member != NULL && reductions == 1 ? "true" : "false",
			   member != NULL ? "" : "not ", member != NULL ? "says" : "does not say",
			   member != NULL ? ", and one reduction" : "");
}

static void expect_columns(FILE *out, const struct chain_stage *stage, const char *path)
{
	uint32_t columns = chain_columns(stage);
	if (columns > 1)
		expect(
			out, stage, path,
			"epilogue_columns<stage_%s<half>> == %u, \"the struct should say 'static constexpr int "
			"columns = %u', as an output with N/%u columns needs it",
			stage->name, columns, columns, columns);
}

/* And its operator() must take a value, in one of the two forms. Which one it takes nvcc tells
 * where the chain calls it, too, but in seven lines about epilogue.cuh. */
static void expect_form(FILE *out, const struct chain_stage *stage, const char *path)
{
	expect(
		out, stage, path,
		"std::is_invocable_r_v<float, const stage_%s<half> &, float> || std::is_invocable_v<const "
		"stage_%s<half> &, float (&)[1], const epilogue_coordinate &>, \"" CHAIN_FORM
		"'float operator()(float x) const' or 'template <int V> void operator()(float (&x)[V], "
		"const epilogue_coordinate &at) const'",
		stage->name, stage->name);
}

void chain_write_stages(FILE *out, const struct chain *chain, uint32_t first, uint32_t count)
{
	fputs("template <class Element>\nusing epilogue_stages = epilogue_chain<", out);
	for (uint32_t i = first; i < first + count; i++)
		fprintf(out, "%sstage_%s<Element>", i > first ? ", " : "", chain->stages[i].name);
	fputs(">;\n", out);
}

char *chain_header(const struct chain *chain, const struct chain_files *files, uint32_t first,
				   uint32_t count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return NULL;
	for (uint32_t i = first; i < first + count; i++) {
		bool again = false;
		for (uint32_t j = first; j < i; j++)
			again = again || strcmp(files->paths[j], files->paths[i]) == 0;
		if (!again)
			fprintf(out, "#include \"%s\"\n", files->paths[i]);
	}
	for (uint32_t i = first; i < first + count;
		 i++) /* where it is none, that is the file's error */
		fprintf(out,
				"#line 1 \"%s\"\ntemplate <class Element> using epilogue_stage_%u = "
				"stage_%s<Element>;\n",
				files->paths[i], i, chain->stages[i].name);
	chain_write_stages(out, chain, first, count);
	for (uint32_t i = first; i < first + count; i++) {
		expect_members(out, &chain->stages[i], files->paths[i]);
		expect_accesses(out, &chain->stages[i], files->paths[i]);
		expect_form(out, &chain->stages[i], files->paths[i]);
		expect_columns(out, &chain->stages[i], files->paths[i]);
		expect_deterministic(out, &chain->stages[i], files->paths[i]);
		expect_finish(out, &chain->stages[i], files->paths[i]);
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

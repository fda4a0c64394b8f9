#include "starter/flatten.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"
#include "compile/jail_rules.h"
#include "starter/directive.h"

#define FILES_MAX 256
#define FILE_MOST ((size_t)16 << 20)
#define DEPTH_MAX 64 /* of files in files, and of conditions in one */

/* A header that comes once. */
struct once {
	char *path;
	bool guarded; /* it was written where a condition stays, so that its guard has to stay */
};

struct flattener {
	const struct flatten *what;
	FILE *out;
	char tree[PATHS_MAX], epilogues[PATHS_MAX]; /* this program's source, and its stages */
	char repository[PATHS_MAX];                 /* around the file; "" without */
	struct once once[FILES_MAX];
	size_t count;
	size_t conditions; /* that stay, around what is written */
	size_t depth;
	bool blank; /* the last line was */
	bool told;  /* err has the line that includes the file it is about */
	struct error *err;
};

/* What becomes of the lines between an #if and its #endif. */
enum fate {
	FATE_STAYS,   /* with its condition */
	FATE_HOLDS,   /* without it */
	FATE_GOES,    /* the condition does not hold */
	FATE_IGNORED, /* in one that goes */
};

/* One file on its way. */
struct passage {
	const char *path;
	struct line_cursor cursor;
	size_t guard[3]; /* lines that go */
	enum fate fates[DEPTH_MAX];
	size_t fate_count;
};

static bool flatten_file(struct flattener *flat, const char *path);

/* ---- what is known --------------------------------------------------------------- */

static bool is_name(const char *name, size_t length, const char *other)
{
	return strlen(other) == length && memcmp(name, other, length) == 0;
}

/* The macros that the judge defines, or a compiler of CUDA always has. */
static int known(void *context, const char *name, size_t length)
{
	static const char ours[] = "EPILOGUE_";
	const struct flattener *flat = context;
	const char *const *constants = flat->what->constants;
	if (is_name(name, length, "__cplusplus"))
		return 1;
	if (is_name(name, length, "EPILOGUE_CHAIN"))
		return flat->what->chain != NULL;
	for (; constants != NULL && *constants != NULL; constants++)
		if (strcspn(*constants, "=") == length && memcmp(*constants, name, length) == 0)
			return 1;
	return length >= sizeof ours - 1 && memcmp(name, ours, sizeof ours - 1) == 0 ? 0 : -1;
}

/* Whether the #if that the cursor is behind has an #elif of its own. */
static bool has_elif(struct line_cursor cursor)
{
	struct source_line_text line;
	size_t depth = 1;
	while (depth > 0 && directive_next(&cursor, &line)) {
		if (line.is == DIRECTIVE_IF || line.is == DIRECTIVE_IFDEF || line.is == DIRECTIVE_IFNDEF)
			depth++;
		else if (line.is == DIRECTIVE_ENDIF)
			depth--;
		else if (line.is == DIRECTIVE_ELIF && depth == 1)
			return true;
	}
	return false;
}

/* ---- what is written --------------------------------------------------------------- */

/* No more than one empty line in a row: what went leaves some. */
static void write_line(struct flattener *flat, const struct source_line_text *line)
{
	const bool blank = strspn(line->begin, " \t\r") + 1 >= line->length;
	if (!blank || !flat->blank)
		fwrite(line->begin, 1, line->length, flat->out);
	if (line->length > 0 && line->begin[line->length - 1] != '\n')
		putc('\n', flat->out);
	flat->blank = blank;
}

static void write_text(struct flattener *flat, const char *text)
{
	fputs(text, flat->out);
	flat->blank = false;
}

/* From where a header came: within this program's tree from its top. */
static void write_origin(struct flattener *flat, const char *path)
{
	const size_t length = strlen(flat->tree);
	const bool ours = strncmp(path, flat->tree, length) == 0 && path[length] == '/';
	const char *slash = strrchr(path, '/');
	fprintf(flat->out, "%s/* ---- %s ---- */\n", flat->blank ? "" : "\n",
			ours ? path + length + 1 : slash + 1);
	flat->blank = false;
}

/* The arguments of the chain, as the judge hands them over. */
static void write_arguments(struct flattener *flat)
{
	const struct chain *chain = flat->what->chain;
	for (uint32_t i = 0; chain != NULL && i < chain->count; i++) {
		const struct chain_stage *stage = &chain->stages[i];
		bool any = false;
		for (uint32_t j = 0; j < stage->count; j++)
			any = any || stage->members[j].kind == CHAIN_ARGUMENT;
		if (!any)
			continue;
		fprintf(flat->out,
				"\n/* The arguments of stage %u, %s. */\n"
				"[[maybe_unused]] static const int flattened_arguments_%u = [] {\n\tstruct {\n",
				i, stage->name, i);
		for (uint32_t j = 0; j < stage->count; j++)
			if (stage->members[j].kind == CHAIN_ARGUMENT)
				fprintf(flat->out, "\t\tfloat %s = float(%.9g);\n", stage->members[j].name,
						(double)stage->members[j].value);
			else
				fprintf(flat->out, "\t\tvoid *%s = nullptr; // for the program to set\n",
						stage->members[j].name);
		fprintf(flat->out,
				"\t} arguments;\n\treturn epilogue_bind(%u, &arguments, sizeof arguments);\n}();\n",
				i);
	}
}

/* ---- files in files ---------------------------------------------------------------- */

static struct once *once_find(struct flattener *flat, const char *path)
{
	for (size_t i = 0; i < flat->count; i++)
		if (strcmp(flat->once[i].path, path) == 0)
			return &flat->once[i];
	return NULL;
}

static bool once_add(struct flattener *flat, const char *path)
{
	char *copy = flat->count < FILES_MAX ? strdup(path) : NULL;
	if (copy == NULL)
		return error_set(flat->err, "%s: more than %d headers, or no memory", path, FILES_MAX);
	flat->once[flat->count++] = (struct once){.path = copy, .guarded = flat->conditions > 0};
	return true;
}

/* The toolkit's and the system's headers come once, too. */
static bool write_foreign(struct flattener *flat, const struct source_line_text *line,
						  const char *name)
{
	const struct once *before = once_find(flat, name);
	if (before != NULL && !before->guarded)
		return true;
	if (before == NULL && flat->conditions == 0 && !once_add(flat, name))
		return false;
	write_line(flat, line);
	return true;
}

static bool find_beside(const char *folder, const char *name, char out[PATHS_MAX])
{
	char path[PATHS_MAX];
	struct error ignored;
	if (!paths_join(path, folder, name, &ignored) || access(path, R_OK) != 0)
		return false;
	paths_absolute(path, out);
	return true;
}

/* The repository around a file; "" without one. */
static void find_repository(const char *path, char out[PATHS_MAX])
{
	char real[PATH_MAX];
	out[0] = '\0';
	if (realpath(path, real) == NULL)
		return;
	*strrchr(real, '/') = '\0';
	if (!jail_rules_repository(real, out))
		out[0] = '\0';
}

/* Where judge has nvcc look after all other folders (compile/nvcc.c). */
static bool find_in_repository(const char *repository, const char *name, char out[PATHS_MAX])
{
	char include[PATHS_MAX];
	struct error ignored;
	return repository[0] != '\0' && (find_beside(repository, name, out) ||
									 (paths_join(include, repository, "include", &ignored) &&
									  find_beside(include, name, out)));
}

/* Of quotes beside the including file first, as a compiler looks. */
static bool find_header(const struct flattener *flat, const struct passage *passage, char how,
						const char *name, char out[PATHS_MAX])
{
	char folder[PATHS_MAX];
	if (name[0] == '/')
		return find_beside("", name, out);
	snprintf(folder, sizeof folder, "%s", passage->path);
	*strrchr(folder, '/') = '\0';
	return (how == 'q' && find_beside(folder, name, out)) ||
		   find_beside(flat->epilogues, name, out) ||
		   (how == 'q' && find_in_repository(flat->repository, name, out));
}

/* In the place of `#include EPILOGUE_CHAIN`. */
static bool flatten_chain(struct flattener *flat)
{
	const struct chain *chain = flat->what->chain;
	for (uint32_t i = 0; i < chain->count; i++) {
		bool again = false;
		for (uint32_t j = 0; j < i; j++)
			again =
				again || strcmp(flat->what->stages->paths[j], flat->what->stages->paths[i]) == 0;
		char path[PATHS_MAX];
		paths_absolute(flat->what->stages->paths[i], path);
		if (!again && !flatten_file(flat, path))
			return false;
	}
	write_text(flat, "\n");
	chain_write_stages(flat->out, chain, 0, chain->count);
	return true;
}

static bool flatten_include(struct flattener *flat, const struct passage *passage,
							const struct source_line_text *line)
{
	char name[PATHS_MAX], path[PATHS_MAX];
	const char how = directive_included(line->rest, name, sizeof name);
	if (how == 'm' && strcmp(name, "EPILOGUE_CHAIN") == 0 && flat->what->chain != NULL)
		return flatten_chain(flat);
	if ((how != 'q' && how != 'a') || !find_header(flat, passage, how, name, path))
		return write_foreign(flat, line, name);
	if (flatten_file(flat, path))
		return true;
	if (!flat->told)
		error_prefix(flat->err, "%s:%zu", passage->path, line->number);
	flat->told = true;
	return false;
}

/* ---- one file ---------------------------------------------------------------------- */

static bool is_active(const struct passage *passage)
{
	const enum fate last =
		passage->fate_count > 0 ? passage->fates[passage->fate_count - 1] : FATE_HOLDS;
	return last == FATE_STAYS || last == FATE_HOLDS;
}

static bool begin_condition(struct flattener *flat, struct passage *passage,
							const struct source_line_text *line)
{
	enum fate fate = FATE_IGNORED;
	if (passage->fate_count == DEPTH_MAX)
		return error_set(flat->err, "%s:%zu: more than %d conditions in each other", passage->path,
						 line->number, DEPTH_MAX);
	if (is_active(passage)) {
		const int holds = has_elif(passage->cursor) ? -1 : directive_holds(line, known, flat);
		fate = holds < 0 ? FATE_STAYS : holds > 0 ? FATE_HOLDS : FATE_GOES;
	}
	passage->fates[passage->fate_count++] = fate;
	flat->conditions += fate == FATE_STAYS;
	if (fate == FATE_STAYS)
		write_line(flat, line);
	return true;
}

/* #elif, #else, #endif */
static bool go_on(struct flattener *flat, struct passage *passage,
				  const struct source_line_text *line)
{
	if (passage->fate_count == 0)
		return error_set(flat->err, "%s:%zu: there is no #if to this", passage->path, line->number);
	enum fate *fate = &passage->fates[passage->fate_count - 1];
	if (*fate == FATE_STAYS)
		write_line(flat, line);
	if (line->is == DIRECTIVE_ENDIF) {
		flat->conditions -= *fate == FATE_STAYS;
		passage->fate_count--;
	} else if (*fate == FATE_HOLDS || *fate == FATE_GOES) {
		*fate = *fate == FATE_HOLDS ? FATE_GOES : FATE_HOLDS;
	}
	return true;
}

static bool flatten_line(struct flattener *flat, struct passage *passage,
						 const struct source_line_text *line)
{
	for (size_t i = 0; i < 3; i++)
		if (line->number == passage->guard[i])
			return true;
	switch (line->is) {
	case DIRECTIVE_IF:
	case DIRECTIVE_IFDEF:
	case DIRECTIVE_IFNDEF: return begin_condition(flat, passage, line);
	case DIRECTIVE_ELIF:
	case DIRECTIVE_ELSE:
	case DIRECTIVE_ENDIF: return go_on(flat, passage, line);
	case DIRECTIVE_ONCE: return true;
	default: break;
	}
	if (!is_active(passage))
		return true;
	if (line->is == DIRECTIVE_INCLUDE)
		return flatten_include(flat, passage, line);
	write_line(flat, line);
	return true;
}

static bool has_once(const char *text)
{
	struct line_cursor cursor = {.next = text};
	struct source_line_text line;
	while (directive_next(&cursor, &line))
		if (line.is == DIRECTIVE_ONCE)
			return true;
	return false;
}

/* Decides whether the file is written now, and with its guard or without: *skip, passage->guard. */
static bool meet(struct flattener *flat, struct passage *passage, const char *text, bool *skip)
{
	size_t guard[3];
	const bool guarded = directive_guard(text, guard), pragma = has_once(text);
	const struct once *before = once_find(flat, passage->path);
	*skip = before != NULL && !before->guarded;
	if (*skip || (!guarded && !pragma))
		return true;
	if (before == NULL && !once_add(flat, passage->path))
		return false;
	if (flat->conditions == 0 && before == NULL) {
		if (guarded)
			memcpy(passage->guard, guard, sizeof guard);
		return true;
	}
	return guarded ||
		   error_set(
			   flat->err,
			   "%s: is included under a condition, which needs a guard of #ifndef and #define "
			   "instead of #pragma once",
			   passage->path);
}

static bool flatten_text(struct flattener *flat, const char *path, const char *text)
{
	struct passage passage = {.path = path, .cursor = {.next = text}};
	struct source_line_text line;
	bool skip;
	if (!meet(flat, &passage, text, &skip))
		return false;
	if (skip)
		return true;
	if (flat->depth > 1)
		write_origin(flat, path);
	while (directive_next(&passage.cursor, &line))
		if (!flatten_line(flat, &passage, &line))
			return false;
	return passage.fate_count == 0 || error_set(flat->err, "%s: an #if has no #endif", path);
}

static bool flatten_file(struct flattener *flat, const char *path)
{
	if (flat->depth == DEPTH_MAX)
		return error_set(flat->err, "%s: includes itself", path);
	char *text = text_read(path, FILE_MOST, flat->err);
	if (text == NULL)
		return false;
	flat->depth++;
	const bool ok = flatten_text(flat, path, text);
	flat->depth--;
	free(text);
	return ok;
}

/* ---- all of it --------------------------------------------------------------------- */

static void write_first(struct flattener *flat)
{
	const char *const *constants = flat->what->constants;
	if (flat->what->first != NULL)
		fprintf(flat->out,
				"/* %s */\n#pragma nv_diag_suppress 177 /* a header's functions need not be called "
				"*/\n",
				flat->what->first);
	for (; constants != NULL && *constants != NULL; constants++)
		fprintf(flat->out, "#define %.*s %s\n", (int)strcspn(*constants, "="), *constants,
				*constants + strcspn(*constants, "=") + 1);
}

bool flatten_write(FILE *out, const struct flatten *what, struct error *err)
{
	struct flattener flat = {.what = what, .out = out, .err = err};
	char path[PATHS_MAX];
	if (!paths_source(flat.tree, err) || !paths_join(flat.epilogues, flat.tree, "epilogues", err))
		return false;
	paths_absolute(what->file, path);
	find_repository(what->file, flat.repository);
	write_first(&flat);
	const bool ok = flatten_file(&flat, path);
	if (ok)
		write_arguments(&flat);
	for (size_t i = 0; i < flat.count; i++)
		free(flat.once[i].path);
	return ok;
}

bool flatten_is_needed(const char *path, const char *text)
{
	struct line_cursor cursor = {.next = text};
	struct source_line_text line;
	char absolute[PATHS_MAX], repository[PATHS_MAX], name[PATHS_MAX], found[PATHS_MAX];
	paths_absolute(path, absolute);
	find_repository(path, repository);
	char *slash = strrchr(absolute, '/');
	if (slash == NULL)
		return false;
	*slash = '\0';
	while (directive_next(&cursor, &line))
		if (line.is == DIRECTIVE_INCLUDE &&
			directive_included(line.rest, name, sizeof name) == 'q' &&
			(find_beside(name[0] == '/' ? "" : absolute, name, found) ||
			 find_in_repository(repository, name, found)))
			return true;
	return false;
}

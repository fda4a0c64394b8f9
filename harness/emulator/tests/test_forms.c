/* links: emulator_core; timeout: 300 */
/* Forms of instructions that ptxas takes and refuses (forms/README.md), on the emulated machine. */
#include "exec_fixture.h"

#include <glob.h>

#include "emulator/decode/decode.h"
#include "emulator/exec/fault.h"

#define TEXT_BYTES 16384
#define REGISTERS_MOST 160

struct form {
	const char *file;
	int line;
	char said[16], target[8], version[8];
	char text[TEXT_BYTES / 2];
};

static char frame[2048];
static int forms, wrong;

/* ------------------------------------------------------------------------
 * What becomes of one form */

/* `frame` around it; false when it does not fit. */
static bool write_module(const struct form *form, char ptx[TEXT_BYTES])
{
	static const char *const places[] = {"VERSION", "TARGET", "FORM"};
	const char *const texts[] = {form->version, form->target, form->text};
	const char *from = frame;
	size_t used = 0;
	for (int i = 0; i < 3; i++) {
		const char *place = strstr(from, places[i]);
		cr_assert(place, "%s is not in forms/kernel.ptx, or not in its place", places[i]);
		used += (size_t)snprintf(ptx + used, TEXT_BYTES - used, "%.*s%s", (int)(place - from), from,
								 texts[i]);
		if (used >= TEXT_BYTES)
			return false;
		from = place + strlen(places[i]);
	}
	return used + (size_t)snprintf(ptx + used, TEXT_BYTES - used, "%s", from) < TEXT_BYTES;
}

static bool decodes_all(struct ptx_module *module)
{
	struct fault fault = {0};
	struct exec_program *program = decode_program(module->last_function, &fault);
	cr_assert(program, "%s", fault.text);
	bool all = true;
	for (uint32_t i = 0; i < program->count; i++)
		all = all && program->code[i].handler != exec_unsupported;
	decode_program_free(program);
	return all;
}

/* The first statement of a kernel that has no handler ends it: its fault has to name it. */
static void run_unsupported(const char *ptx, struct fault *fault)
{
	struct fixture_launch how = {0};
	if (fixture_run(ptx, &how, 0, 0, fault))
		fault->kind = FAULT_NONE;
}

/* "runs", "unsupported", "refused", or what is wrong with it. */
static const char *verdict(const struct form *form, char said[TEXT_BYTES])
{
	char ptx[TEXT_BYTES];
	struct fault fault = {0};
	if (!write_module(form, ptx))
		return strcpy(said, "is too long");
	struct ptx_module *module = ptx_parse(ptx, strlen(ptx), &fault);
	if (!module && fault.kind == FAULT_SYNTAX)
		return "refused";
	bool all = module && decodes_all(module);
	ptx_module_free(module);
	if (all)
		return "runs";
	if (module)
		run_unsupported(ptx, &fault);
	char opcode[64] = "";
	sscanf(form->text, "%*[{ ]%63[a-z]", opcode);
	if (!opcode[0])
		sscanf(form->text, "%63[a-z]", opcode);
	if (fault.kind == FAULT_UNSUPPORTED && strstr(fault.text, opcode))
		return "unsupported";
	snprintf(said, TEXT_BYTES, "ends with fault %d: %.300s", fault.kind, fault.text);
	return said;
}

/* ------------------------------------------------------------------------
 * The list */

static void check(const struct form *form)
{
	char said[TEXT_BYTES];
	const char *got = verdict(form, said);
	bool either = strcmp(form->said, "either") == 0 &&
				  (strcmp(got, "runs") == 0 || strcmp(got, "refused") == 0);
	forms++;
	if (strcmp(got, form->said) == 0 || either)
		return;
	wrong++;
	fprintf(stderr, "%s:%d: %s sm_%s %s %.200s: %s\n", form->file, form->line, form->said,
			form->target, form->version, form->text, got);
}

/* {r4} is {%r0, %r1, %r2, %r3}. */
static void expand_vectors(struct form *form, const char *from)
{
	char *to = form->text, *end = form->text + sizeof form->text - 8 * REGISTERS_MOST;
	while (*from && to < end) {
		char letter, close;
		int count, length = 0;
		if (sscanf(from, "{%c%3d%c%n", &letter, &count, &close, &length) < 3 || close != '}') {
			*to++ = *from++;
			continue;
		}
		cr_assert(count >= 1 && count <= REGISTERS_MOST);
		for (int i = 0; i < count; i++)
			to += sprintf(to, "%s%%%c%d", i ? ", " : "{", letter, i);
		*to++ = '}';
		from += length;
	}
	*to = '\0';
	cr_assert(*from == '\0', "%s:%d is too long", form->file, form->line);
	check(form);
}

/* <a|b> is a or b: `text` with the first such place filled, in each way that there is. */
static void expand(struct form *form, const char *text)
{
	const char *open = strchr(text, '<'), *close = open ? strchr(open, '>') : NULL;
	if (!close) {
		expand_vectors(form, text);
		return;
	}
	for (const char *at = open; at != close;) {
		const char *choice = at + 1;
		char filled[4096];
		at = choice + strcspn(choice, "|>");
		size_t length = (size_t)snprintf(filled, sizeof filled, "%.*s%.*s%s", (int)(open - text),
										 text, (int)(at - choice), choice, close + 1);
		cr_assert(length < sizeof filled);
		expand(form, filled);
	}
}

static void check_line(struct form *form, const char *line)
{
	char targets[64], *rest;
	int at = 0;
	if (line[0] == '#' || line[0] == '\n')
		return;
	cr_assert(sscanf(line, "%15s %63s %7s %n", form->said, targets, form->version, &at) == 3 && at,
			  "%s:%d is no form", form->file, form->line);
	char text[4096];
	snprintf(text, sizeof text, "%.*s", (int)strcspn(line + at, "\n"), line + at);
	for (char *target = strtok_r(targets, ",", &rest); target;
		 target = strtok_r(NULL, ",", &rest)) {
		snprintf(form->target, sizeof form->target, "%s", target);
		expand(form, text);
	}
}

static void check_file(const char *path)
{
	struct form form = {.file = path};
	char line[4096];
	FILE *file = fopen(path, "r");
	cr_assert(file, "%s", path);
	while (fgets(line, sizeof line, file)) {
		form.line++;
		check_line(&form, line);
	}
	fclose(file);
}

Test(forms, are_taken_and_refused_as_ptxas_does)
{
	glob_t lists;
	FILE *file = fopen(FORMS "/kernel.ptx", "r");
	cr_assert(file);
	size_t length = fread(frame, 1, sizeof frame - 1, file);
	fclose(file);
	cr_assert(length > 0 && memory_init((size_t)1 << 30));
	cr_assert_eq(glob(FORMS "/*.txt", 0, NULL, &lists), 0);
	for (size_t i = 0; i < lists.gl_pathc; i++)
		check_file(lists.gl_pathv[i]);
	globfree(&lists);
	cr_assert_gt(forms, 400);
	cr_assert_eq(wrong, 0, "%d of %d forms, as above", wrong, forms);
}

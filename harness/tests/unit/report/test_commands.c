/* links: report */
/* Nothing that a file prints, or is called, begins a command of a CI runner: what is shown is read
 * here as the runners read it. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/report.h"
#include "report/wrap.h"

/* ---- the runners ------------------------------------------------------------------------ */

/* GitHub's grammar of today: behind blanks "::NAME ...::", in one line. */
static bool is_new_command(const char *line)
{
	line += strspn(line, " \t");
	return strncmp(line, "::", 2) == 0 && strstr(line + 2, "::") != NULL;
}

/* Its old one, Azure's and TeamCity's: anywhere a mark, and its end. */
static bool is_old_command(const char *line)
{
	static const char *const marks[] = {"##[", "##vso[", "##teamcity["};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const char *at = strstr(line, marks[i]);
		if (at != NULL && strchr(at, ']') != NULL)
			return true;
	}
	return false;
}

/* Where some reader ends a line: at U+0085, U+2028 and U+2029, too. */
static size_t end_of_line(const char *p)
{
	if (strchr("\n\r\v\f", *p) != NULL)
		return 1;
	if (strncmp(p, "\xC2\x85", 2) == 0)
		return 2;
	return strncmp(p, "\xE2\x80\xA8", 3) == 0 || strncmp(p, "\xE2\x80\xA9", 3) == 0 ? 3 : 0;
}

/* The first line that is one, the caller's to free; NULL: none is. `only_seen`: characters outside
 * of ASCII and controls are passed over, as by comparisons that know languages. */
static char *command_among(const char *text, bool only_seen)
{
	char *line = malloc(strlen(text) + 1);
	for (const char *p = text; *p != '\0';) {
		size_t length = 0;
		for (; *p != '\0' && end_of_line(p) == 0; p++)
			if (!only_seen || *p == '\t' || (*p >= ' ' && *p < 0x7F))
				line[length++] = *p;
		line[length] = '\0';
		if (is_new_command(line) || is_old_command(line))
			return line;
		p += *p != '\0' ? end_of_line(p) : 0;
	}
	free(line);
	return NULL;
}

static char *command_in(const char *text)
{
	char *line = command_among(text, false);
	return line != NULL ? line : command_among(text, true);
}

/* ---- texts of strangers ------------------------------------------------------------------ */

static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % below;
}

static const char *stranger(char *out, size_t capacity)
{
	static const char *const pieces[] = {"::",
										 "::error file=a::b",
										 "::add-mask::x",
										 "##[",
										 "##[error]",
										 "##vso[task.complete]",
										 "##teamcity[a]",
										 "#",
										 "[",
										 "]",
										 ":",
										 " ",
										 "   ",
										 "\t",
										 "\r",
										 "\n",
										 "\r\n",
										 "\v",
										 "\xE2\x80\xA8",
										 "\xE2\x80\xA9",
										 "\xC2\x85",
										 "\xE2\x80\x8B", /* no width */
										 "\xC2\xAD",     /* a soft hyphen */
										 "\xEF\xBB\xBF",
										 "\033[2J",
										 "\033[0m",
										 "\xFF",
										 "\x7F",
										 "word",
										 "a_word_longer_than_the_rest_of_a_line",
										 ",",
										 "\"",
										 "|"};
	size_t used = 0;
	out[0] = '\0';
	for (uint64_t count = 1 + draw(8); count > 0; count--) {
		const char *piece = pieces[draw(sizeof pieces / sizeof *pieces)];
		if (used + strlen(piece) >= capacity)
			break;
		used += (size_t)sprintf(out + used, "%s", piece);
	}
	return out;
}

static void print_plain(const void *what, FILE *out)
{
	fputs(what, out);
}

static void put_page(FILE *out, const char *text)
{
	clean_print_page(out, print_plain, text);
}

static void put_wrapped(FILE *out, const char *text)
{
	wrap_print(out, 1 + (int)draw(30), 0, (int)draw(5), text);
}

static char *put_by(void (*put)(FILE *out, const char *text), const char *text)
{
	char *put_text = NULL;
	size_t size;
	FILE *out = open_memstream(&put_text, &size);
	put(out, text);
	fclose(out);
	return put_text;
}

Test(commands, no_cleaned_text_begins_one)
{
	static void (*const puts[])(FILE *, const char *) = {
		clean_print,     clean_print_line, clean_print_xml, clean_print_cell,
		clean_print_csv, put_page,         put_wrapped};
	char text[256];
	size_t before = 0;
	for (int i = 0; i < 8000; i++) {
		stranger(text, sizeof text);
		char *command = command_in(text);
		before += command != NULL;
		free(command);
		for (size_t k = 0; k < sizeof puts / sizeof *puts; k++) {
			char *cleaned = put_by(puts[k], text);
			command = command_in(cleaned);
			cr_assert_null(command, "%zu makes of %s the command %s", k, text, command);
			free(cleaned);
		}
	}
	cr_expect_gt(before, 3000, "only %zu texts were commands before", before);
}

Test(commands, what_is_none_stays_as_it_is)
{
	static const char *const honest[] = {
		"std::max(a, b)", "x ::y",         "a.cu(3): error: ::f is undefined",
		"#[a]",           "a[0] ## b",     ":: x",
		"= +1",           "/* ## */ c[1]", "\xC3\xBC::x"};
	static const char *const shown[] = {
		"std::max(a, b)", "x ::y",         "a.cu(3): error: ::f is undefined",
		"#[a]",           "a[0] ## b",     "\\:: x",
		"= +1",           "/* ## */ c[1]", "\xC3\xBC\\::x"};
	for (size_t i = 0; i < sizeof honest / sizeof *honest; i++) {
		char *text = clean_shown(honest[i]);
		cr_expect_str_eq(text, shown[i]);
		free(text);
	}
	char *data = clean_text("::error::x ##[a]");
	cr_expect_str_eq(data, "::error::x ##[a]", "data keeps its words");
	free(data);
	char *line = clean_line("a\n::b::\tc");
	cr_expect_str_eq(line, "a\\n::b::\\tc");
	free(line);
	char *xml = put_by(clean_print_xml, " ::a::##vso[b]");
	cr_expect_str_eq(xml, " &#58;:a::##vso&#91;b]");
	free(xml);
}

/* Ends of lines that are not seen either, one behind the other. */
Test(commands, long_texts_take_no_time, .timeout = 10)
{
	static const char end[] = "\xE2\x80\xA8";
	const size_t count = 1 << 19;
	char *text = malloc(count * 3 + 8);
	for (size_t i = 0; i < 3 * count; i++)
		text[i] = end[i % 3];
	strcpy(text + 3 * count, "::a::");
	char *line = clean_shown(text);
	cr_expect_str_eq(line + 6 * count, "::a::");
	free(line);
	free(text);
}

/* ---- reports ---------------------------------------------------------------------------- */

#define STRANGER(member) stranger(member, sizeof(member))

static char *stranger_owned(void)
{
	char text[256];
	return strdup(stranger(text, sizeof text));
}

static struct timing_result strange_timing(void)
{
	struct timing_result timing = {.count = 3, .entries = calloc(3, sizeof *timing.entries)};
	snprintf(timing.problem, sizeof timing.problem, "gemm-f16");
	timing.test.shape = (struct shape){{1, 64, 64, 64, 1}};
	for (size_t i = 0; i < timing.count; i++) {
		struct timing_entry *entry = &timing.entries[i];
		STRANGER(entry->label);
		STRANGER(entry->schedule);
		STRANGER(entry->detail);
		STRANGER(entry->seal.why);
		entry->ran = draw(2) > 0;
		entry->span.median = entry->event.median = 10.0;
		entry->role = (enum timing_role)draw(TIMING_PROGRAM + 1);
		entry->seal.state = (enum seal_state)draw(SEAL_HOST_SIDE + 1);
		entry->has_kernels = true;
		entry->kernels.run = entry->kernels.shown = 1;
		STRANGER(entry->kernels.first[0].name);
	}
	return timing;
}

static void strange_kernel(struct judgement *item)
{
	item->has_counters = true;
	item->kernel_count = 1;
	item->kernels = calloc(1, sizeof *item->kernels);
	item->kernels[0] = (struct kernel_counters){.name = stranger_owned(),
												.shown = stranger_owned(),
												.count = 1,
												.counters = calloc(1, sizeof(struct counter))};
	STRANGER(item->kernels[0].counters[0].name);
}

static struct judgement strange_item(void)
{
	struct judgement item = {.compile_log = stranger_owned(),
							 .tool_report = stranger_owned(),
							 .verdict = (enum verdict)draw(VERDICT_BAD_FILE + 1),
							 .count = 3,
							 .cases = calloc(3, sizeof *item.cases),
							 .hint_count = 2,
							 .use_count = 1,
							 .uses = calloc(1, sizeof *item.uses),
							 .was_run = true,
							 .has_timing = draw(2) > 0};
	STRANGER(item.file);
	STRANGER(item.detail);
	STRANGER(item.schedule);
	STRANGER(item.timing_note);
	STRANGER(item.hints[0]);
	STRANGER(item.hints[1]);
	STRANGER(item.uses[0].name);
	STRANGER(item.denied.unrecorded);
	snprintf(item.problem, sizeof item.problem, "gemm-f16");
	snprintf(item.content, sizeof item.content, "%llu", (unsigned long long)draw(2));
	for (size_t i = 0; i < item.count; i++) {
		struct case_result *result = &item.cases[i];
		result->test.shape = (struct shape){{1, 8, 8, 8, 1}};
		STRANGER(result->test.name);
		STRANGER(result->detail);
		result->output = stranger_owned();
		result->verdict = (enum verdict)draw(VERDICT_NOT_RUN + 1);
	}
	if (item.has_timing)
		item.timing = strange_timing();
	strange_kernel(&item);
	return item;
}

static void put_text(const struct judgement_list *list, FILE *out)
{
	report_text(list, &(struct report_style){.width = 20 + (int)draw(100), .verbose = draw(2) > 0},
				out);
}

Test(commands, no_report_of_strangers_begins_one)
{
	static const report_writer writers[] = {put_text,     report_markdown, report_markdown_verbose,
											report_junit, report_csv,      report_json};
	for (int i = 0; i < 150; i++) {
		struct judgement_list list = {.count = 1 + draw(4)};
		list.items = calloc(list.count, sizeof *list.items);
		for (size_t k = 0; k < list.count; k++)
			list.items[k] = strange_item();
		list.facts = (struct run_description){.device_kind = DEVICE_CUDA};
		STRANGER(list.facts.command);
		STRANGER(list.facts.epilogue);
		STRANGER(list.facts.tool);
		STRANGER(list.facts.device.name);
		list.compare = draw(2) > 0;
		list.bench_count = draw(9);
		list.bench = calloc(list.bench_count + 1, sizeof *list.bench);
		for (size_t k = 0; k < list.bench_count; k++)
			list.bench[k] = strange_timing();
		for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) {
			char *text = NULL;
			size_t size;
			FILE *out = open_memstream(&text, &size);
			writers[k](&list, out);
			fclose(out);
			char *command = command_in(text);
			cr_assert_null(command, "report %zu has the command %s", k, command);
			for (const char *p = text; *p != '\0'; p++)
				cr_assert((unsigned char)*p >= 0x20 || strchr("\n\t", *p) != NULL ||
							  (*p == '\r' && p[1] == '\n' && writers[k] == report_csv),
						  "report %zu has a control character %d", k, *p);
			free(text);
		}
		judgement_list_free(&list);
	}
}

/* links: report */
/* Characters that are not seen are shown as escapes by whatever people read, and kept by JSON. */
#include "report_fixture.h"

#include "base/utf8.h"
#include "report/annotate.h"
#include "report/document.h"

/* A tag, right-to-left override, isolate, ends of line, no width, a control of Latin-1, a soft
 * hyphen, a variation selector, a byte order mark, a noncharacter. */
#define UNSEEN                                                                                     \
	"<\xF3\xA0\x81\x81\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\x8B\xC2\x9B\xC2"    \
	"\xAD\xEF\xB8\x8F\xEF\xBB\xBF\xEF\xBF\xBE>"
#define ESCAPES "\\U000e0041\\u202e\\u2066\\u2028\\u2029\\u200b\\u009b\\u00ad\\ufe0f\\ufeff\\ufffe"
#define SEEN "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xD7\x90"

/* All texts of strangers. */
static struct judgement_list list_of_unseen(void)
{
	struct judgement_list list = some_list();
	for (size_t i = 0; i < list.count; i++) {
		struct judgement *item = &list.items[i];
		snprintf(item->file, sizeof item->file, "f" UNSEEN ".cu");
		if (item->verdict != VERDICT_ACCEPTED)
			snprintf(item->detail, sizeof item->detail, "d" UNSEEN);
		snprintf(item->hints[0], sizeof item->hints[0], "h" UNSEEN);
		item->hint_count = 1;
	}
	free(list.items[1].cases[0].output);
	list.items[1].cases[0].output = strdup("o" UNSEEN "\n");
	snprintf(list.items[1].cases[0].detail, sizeof list.items[1].cases[0].detail, "c" UNSEEN);
	free(list.items[2].compile_log);
	list.items[2].compile_log = strdup("f" UNSEEN ".cu(3): error: l" UNSEEN "\n");
	struct timing_entry *entry = &list.items[0].timing.entries[0];
	snprintf(entry->label, sizeof entry->label, "e" UNSEEN);
	entry->has_kernels = true;
	entry->kernels.run = entry->kernels.shown = 1;
	snprintf(entry->kernels.first[0].name, KERNEL_NAME_BYTES, "k" UNSEEN);
	snprintf(list.facts.command, sizeof list.facts.command, "again" UNSEEN);
	snprintf(list.facts.device.name, sizeof list.facts.device.name, "g" UNSEEN);
	return list;
}

static void expect_none_unseen(const char *text, size_t writer)
{
	for (size_t bytes; *text != '\0'; text += bytes) {
		uint32_t character;
		bytes = utf8_decode(text, &character);
		cr_assert_gt(bytes, 0);
		cr_assert(!utf8_is_unseen(character) || (character == '\r' && text[1] == '\n'),
				  "writer %zu writes U+%04X as it is: %.60s", writer, character, text);
	}
}

static void verbose_text(const struct judgement_list *list, FILE *out)
{
	report_text(list, &(struct report_style){.verbose = true, .width = 200}, out);
}

static void annotations(const struct judgement_list *list, FILE *out)
{
	report_annotate(list, out);
}

Test(unseen, is_shown_as_escapes_by_every_report)
{
	static const report_writer writers[] = {
		verbose_text, report_markdown_verbose, report_csv, report_junit, report_html, annotations};
	struct judgement_list list = list_of_unseen();
	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
		char *text = written(writers[i], &list);
		expect_none_unseen(text, i);
		cr_expect_not_null(strstr(text, ESCAPES), "writer %zu: %s", i, text);
		free(text);
	}
	judgement_list_free(&list);
}

Test(unseen, is_kept_by_json_and_written_as_escapes)
{
	struct judgement_list list = list_of_unseen();
	char *text = written(report_json, &list);
	expect_none_unseen(text, 0);
	holds(text, "f<\\udb40\\udc41\\u202e\\u2066\\u2028\\u2029\\u200b\\u009b\\u00ad\\ufe0f\\ufeff"
				"\\ufffe>.cu");
	json_t *json = json_loads(text, 0, NULL);
	cr_assert_not_null(json);
	const json_t *item = json_array_get(json_object_get(json, "results"), 1);
	cr_expect_str_eq(json_string_value(json_object_get(item, "file")), "f" UNSEEN ".cu");
	cr_expect_str_eq(json_string_value(json_object_get(item, "detail")), "d" UNSEEN);
	json_decref(json);
	free(text);
	char *line = document_line(json_string("a" UNSEEN));
	expect_none_unseen(line, 1);
	free(line);
	judgement_list_free(&list);
}

Test(unseen, what_is_seen_stays)
{
	char *text = clean_shown(SEEN);
	cr_expect_str_eq(text, SEEN);
	free(text);
	char *line = document_line(json_string(SEEN));
	cr_expect_str_eq(line, "\"" SEEN "\"\n");
	free(line);
}

static char *field_of(const char *text)
{
	char *out = NULL;
	size_t size;
	FILE *stream = open_memstream(&out, &size);
	clean_print_field(stream, text);
	fclose(stream);
	return out;
}

/* What is edited is no other text when it comes back. */
Test(unseen, is_a_reference_in_a_field)
{
	char *field = field_of("<\xE2\x80\xAE\xF3\xA0\x81\x81\xC3\xA9\xC2\x9B");
	cr_expect_str_eq(field, "&lt;&#x202e;&#xe0041;\xC3\xA9\xEF\xBF\xBD");
	free(field);
}

Test(unseen, characters_are_decoded_as_unicode_says)
{
	static const char invalid[][5] = {"\x80",
									  "\xC0\x80",
									  "\xC1\xBF",
									  "\xED\xA0\x80",
									  "\xE0\x9F\xBF",
									  "\xF0\x8F\xBF\xBF",
									  "\xF4\x90\x80\x80",
									  "\xF8\x88\x80\x80",
									  "\xE2\x82",
									  "\xFF"};
	static const struct {
		char text[5];
		uint32_t character;
		bool unseen;
	} valid[] = {{"\n", '\n', false},
				 {"\x7F", 0x7F, true},
				 {"\xC2\x80", 0x80, true},
				 {"\xC2\xA0", 0xA0, false},
				 {"\xEF\xBF\xBF", 0xFFFF, true},
				 {"\xF0\x90\x80\x80", 0x10000, false},
				 {"\xF4\x8F\xBF\xBD", 0x10FFFD, false},
				 {"\xF4\x8F\xBF\xBF", 0x10FFFF, true}};
	uint32_t character;
	for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
		cr_expect_eq(utf8_decode(invalid[i], &character), 0, "%zu", i);
	for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
		cr_expect_eq(utf8_decode(valid[i].text, &character), strlen(valid[i].text));
		cr_expect_eq(character, valid[i].character);
		cr_expect_eq(utf8_is_unseen(character), valid[i].unseen, "U+%04X", character);
	}
}

/* The source of a submission, with what was found at its lines; and what the compiler said of them.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "serve/page.h"

#define NOTES_MOST 32
#define LINES_MOST 20000

struct note {
	long line;
	const char *text; /* borrowed */
	size_t length;
};

struct notes {
	size_t count;
	struct note at[NOTES_MOST];
};

/* Where a text names a line of the file, "mine.cu(24)" or "mine.cu:36": *end is behind it; 0 where
 * it does not. */
static long line_named(const char *name, const char *text, size_t length, const char **end)
{
	const size_t named = strlen(name);
	for (const char *at = text; named > 0 && (at = strstr(at, name)) != NULL && at < text + length;
		 at += named)
		if ((at == text || strchr("/ \"'(", at[-1]) != NULL) &&
			(at[named] == '(' || at[named] == ':') && at[named + 1] >= '1' &&
			at[named + 1] <= '9') {
			char *behind;
			const long line = strtol(at + named + 1, &behind, 10);
			if (*behind == ':' && isdigit((unsigned char)behind[1])) /* gcc's columns */
				behind += 1 + strspn(behind + 1, "0123456789");
			*end = behind + strspn(behind, "):, ");
			return line;
		}
	return 0;
}

static void note_add(struct notes *notes, long line, const char *text, size_t length)
{
	for (size_t i = 0; i < notes->count; i++)
		if (notes->at[i].line == line && notes->at[i].length == length &&
			strncmp(notes->at[i].text, text, length) == 0)
			return;
	if (line > 0 && length > 0 && notes->count < NOTES_MOST)
		notes->at[notes->count++] = (struct note){line, text, length};
}

/* Each message of the compiler, what failed, and the hints, which are of that, or else of the first
 * message. */
static void notes_find(struct notes *notes, const json_t *job)
{
	const json_t *result = json_object_get(job, "result");
	const char *log = page_text(json_object_get(result, "compile"), "log"), *end = NULL;
	const char *detail = page_text(result, "detail"), *name = page_text(job, "name");
	size_t i;
	json_t *hint;
	notes->count = 0;
	for (const char *at = log; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
		const size_t length = strcspn(at, "\n");
		const long line = line_named(name, at, length, &end);
		if (line > 0 && end < at + length)
			note_add(notes, line, end, (size_t)(at + length - end));
	}
	const long of_detail = line_named(name, detail, strlen(detail), &end);
	note_add(notes, of_detail, detail, strlen(detail));
	json_array_foreach(json_object_get(result, "hints"), i, hint)
	{
		const char *text = json_is_string(hint) ? json_string_value(hint) : "";
		if (notes->count > 0)
			note_add(notes, of_detail > 0 ? of_detail : notes->at[0].line, text, strlen(text));
	}
}

static bool is_warning(const struct note *note)
{
	return strncmp(note->text, "warning", 7) == 0 || strncmp(note->text, "remark", 6) == 0;
}

static void piece_print(FILE *out, const char *text, size_t length)
{
	char *piece = strndup(text, length);
	html_text(out, piece != NULL ? piece : "");
	free(piece);
}

void page_source(FILE *out, const char *source, const json_t *job)
{
	struct notes notes;
	long line = 1;
	notes_find(&notes, job);
	fputs("<div class=\"scroll source\" tabindex=\"0\" role=\"region\" aria-label=\"Source\">\n"
		  "<ol>\n",
		  out);
	for (const char *at = source; *at != '\0' && line <= LINES_MOST; line++) {
		const size_t length = strcspn(at, "\n");
		fprintf(out, "<li id=\"line-%ld\"><code>", line);
		piece_print(out, at, length);
		fputs("</code>", out);
		for (size_t i = 0; i < notes.count; i++)
			if (notes.at[i].line == line) {
				fprintf(out, "<p class=\"note%s\"><strong>Line %ld:</strong> ",
						is_warning(&notes.at[i]) ? "" : " bad", line);
				piece_print(out, notes.at[i].text, notes.at[i].length);
				fputs("</p>", out);
			}
		fputs("</li>\n", out);
		at += length + (at[length] == '\n');
	}
	fputs("</ol>\n</div>\n", out);
	if (line > LINES_MOST)
		html_paragraph(out, "quiet", "The lines behind these are not shown.");
}

/* ---- messages --------------------------------------------------------------------------- */

static long lines_of(const char *source)
{
	long lines = 1;
	for (const char *at = source; (at = strchr(at, '\n')) != NULL && at[1] != '\0'; at++)
		lines++;
	return lines < LINES_MOST ? lines : LINES_MOST;
}

/* A line of the compiler's; where it names one of the source, that is a link to it. */
static void message_print(FILE *out, const char *name, const char *text, size_t length, long lines)
{
	const char *end = NULL;
	const long line = line_named(name, text, length, &end);
	if (line < 1 || line > lines || end > text + length) {
		piece_print(out, text, length);
		return;
	}
	const char *behind = end; /* the place, without what parts it from the message */
	while (behind > text && strchr(":, ", behind[-1]) != NULL)
		behind--;
	fprintf(out, "<a href=\"#line-%ld\">", line);
	piece_print(out, text, (size_t)(behind - text));
	fputs("</a>", out);
	piece_print(out, behind, (size_t)(text + length - behind));
}

void page_messages(FILE *out, const char *source, const json_t *job)
{
	const json_t *result = json_object_get(job, "result");
	const char *log = page_text(json_object_get(result, "compile"), "log");
	const bool refused = strcmp(page_text(job, "verdict"), "compile_error") == 0;
	const long lines = lines_of(source);
	if (log[0] == '\0')
		return;
	if (refused)
		html_heading(out, 2, NULL, "What the compiler said");
	else
		html_details_open(out, "What the compiler said");
	fputs("<pre class=\"messages\">\n", out);
	for (const char *at = log; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
		message_print(out, page_text(job, "name"), at, strcspn(at, "\n"), lines);
		fputc('\n', out);
	}
	fputs("</pre>\n", out);
	if (!refused)
		html_details_close(out);
}

#include "report/html/page.h"

#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/html/assets.h"

void html_text(FILE *out, const char *text)
{
	clean_print_xml(out, text);
}

void html_field(FILE *out, const char *text)
{
	clean_print_field(out, text);
}

void html_name(FILE *out, const char *text)
{
	char *clean = clean_visible(text);
	for (char *part = clean; part != NULL && *part != '\0';) {
		size_t length = strcspn(part, "/_");
		length += part[length] != '\0';
		char next = part[length];
		part[length] = '\0';
		html_text(out, part);
		part[length] = next;
		part += length;
		if (next != '\0')
			fputs("<wbr>", out);
	}
	free(clean);
}

/* What every page begins with. */
static void begin(FILE *out, const char *version)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n" HTML_GENERATOR " ",
		  out);
	html_text(out, version);
	fputs("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		  "<link rel=\"icon\" href=\"data:,\">\n",
		  out);
}

static void title_print(FILE *out, const char *title)
{
	fputs("<title>", out);
	html_text(out, title);
	fputs("</title>\n", out);
}

static void footer_print(FILE *out, const char *version)
{
	fputs("</main>\n<footer>gemmjudge ", out);
	html_text(out, version);
	fputs("</footer>\n", out);
}

void html_open(FILE *out, const char *title, const char *version)
{
	begin(out, version);
	fprintf(
		out,
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n",
		html_style_hash, html_script_hash);
	title_print(out, title);
	fprintf(out, "<style>%s</style>\n<body>\n<main>\n", html_style);
}

void html_close(FILE *out, const char *version)
{
	footer_print(out, version);
	fprintf(out, "<script>%s</script>\n</body>\n</html>\n", html_script);
}

void html_open_served(FILE *out, const char *title, const char *version, const char *head)
{
	begin(out, version);
	fputs(head, out);
	title_print(out, title);
	fputs("<body>\n<main>\n", out);
}

void html_close_served(FILE *out, const char *version)
{
	footer_print(out, version);
	fputs("</body>\n</html>\n", out);
}

void html_heading(FILE *out, int level, const char *id, const char *text)
{
	fprintf(out, "<h%d", level);
	if (id != NULL)
		fprintf(out, " id=\"%s\"", id);
	fputc('>', out);
	html_text(out, text);
	fprintf(out, "</h%d>\n", level);
}

void html_paragraph(FILE *out, const char *class, const char *text)
{
	fputs("<p", out);
	if (class != NULL)
		fprintf(out, " class=\"%s\"", class);
	fputc('>', out);
	html_text(out, text);
	fputs("</p>\n", out);
}

/* HTML drops a newline right behind <pre>, so that one of the text's own would be lost. */
static void block_print(FILE *out, const char *class, const char *text)
{
	fprintf(out, "<pre%s>\n", class);
	html_text(out, text);
	fputs("</pre>\n", out);
}

void html_block(FILE *out, const char *text)
{
	block_print(out, "", text);
}

void html_command(FILE *out, const char *command)
{
	block_print(out, " class=\"command\"", command);
}

void html_facts_open(FILE *out)
{
	fputs("<dl class=\"facts\">\n", out);
}

void html_fact(FILE *out, const char *name, const char *value)
{
	if (value[0] == '\0')
		return;
	fputs("<dt>", out);
	html_text(out, name);
	fputs("</dt><dd>", out);
	html_text(out, value);
	fputs("</dd>\n", out);
}

void html_facts_close(FILE *out)
{
	fputs("</dl>\n", out);
}

void html_verdict(FILE *out, enum verdict verdict)
{
	bool accepted = verdict == VERDICT_ACCEPTED;
	bool open = verdict == VERDICT_UNSUPPORTED || verdict == VERDICT_NOT_RUN;
	fprintf(out, "<span class=\"verdict %s\"><span aria-hidden=\"true\">%s </span>%s</span>",
			accepted ? "good"
			: open   ? "open"
					 : "bad",
			accepted ? "&#10003;"
			: open   ? "&#9675;"
					 : "&#10007;",
			verdict_name(verdict));
}

static void details_open(FILE *out, const char *class, const char *summary)
{
	fprintf(out, "<details%s><summary>", class);
	html_text(out, summary);
	fputs("</summary>\n", out);
}

void html_details_open(FILE *out, const char *summary)
{
	details_open(out, "", summary);
}

void html_data_open(FILE *out, const char *summary)
{
	details_open(out, " class=\"data\"", summary);
}

void html_details_close(FILE *out)
{
	fputs("</details>\n", out);
}

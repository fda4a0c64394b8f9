/* The form that submits: the editor, a file in its place, options; it works without scripts. */
#include <stdlib.h>
#include <string.h>

#include "serve/intake.h"
#include "serve/page.h"

/* ---- options --------------------------------------------------------------------------- */

/* What stands in an option's field, for the caller to free. */
static char *value_text(const json_t *value)
{
	char *text = NULL;
	if (json_is_string(value))
		return strdup(json_string_value(value));
	if (json_is_integer(value) && asprintf(&text, "%lld", (long long)json_integer_value(value)) > 0)
		return text;
	return strdup("");
}

static void choice_print(FILE *out, const struct intake_option *option, const char *chosen)
{
	char words[64], *rest = words, *word;
	snprintf(words, sizeof words, "%s", option->words);
	fprintf(out, "<select id=\"option-%s\" name=\"option-%s\"><option value=\"\">as usual</option>",
			option->name, option->name);
	while ((word = strtok_r(rest, " ", &rest)) != NULL)
		fprintf(out, "<option%s>%s</option>", strcmp(word, chosen) == 0 ? " selected" : "", word);
	fputs("</select>\n", out);
}

static void input_print(FILE *out, const struct intake_option *option, const json_t *value,
						bool wrong)
{
	char *text = value_text(value);
	fprintf(out, "<input id=\"option-%s\" name=\"option-%s\" aria-describedby=\"help-%s%s%s\"",
			option->name, option->name, option->name, wrong ? " error-" : "",
			wrong ? option->name : "");
	if (option->of == NULL)
		fprintf(out, " type=\"checkbox\" value=\"true\"%s", json_is_true(value) ? " checked" : "");
	else if (option->of[0] == '\0')
		fputs(" inputmode=\"numeric\"", out);
	if (wrong)
		fputs(" aria-invalid=\"true\"", out);
	if (option->of != NULL) {
		fputs(" autocomplete=\"off\" value=\"", out);
		html_text(out, text != NULL ? text : "");
		fputc('"', out);
	}
	fputs(">\n", out);
	free(text);
}

static void option_print(FILE *out, const struct intake_option *option,
						 const struct page_editor *editor)
{
	const json_t *value = json_object_get(editor->options, option->name);
	const bool wrong = strcmp(editor->option, option->name) == 0;
	fprintf(out, "<div class=\"option\">\n<label for=\"option-%s\">%s</label>\n", option->name,
			option->name);
	if (option->words != NULL)
		choice_print(out, option, json_is_string(value) ? json_string_value(value) : "");
	else
		input_print(out, option, value, wrong);
	fprintf(out, "<span id=\"help-%s\" class=\"quiet\">", option->name);
	html_text(out, option->help);
	fputs("</span>\n", out);
	if (wrong) {
		fprintf(out, "<p id=\"error-%s\" class=\"note bad\">", option->name);
		html_text(out, editor->error);
		fputs("</p>\n", out);
	}
	fputs("</div>\n", out);
}

static void options_print(FILE *out, const struct problem *problem,
						  const struct page_editor *editor)
{
	size_t count;
	const struct intake_option *options = intake_options(&count);
	const bool chosen = json_object_size(editor->options) > 0 || editor->option[0] != '\0';
	fprintf(out, "<details class=\"options\"%s>\n<summary>Options</summary>\n",
			chosen ? " open" : "");
	for (size_t i = 0; i < count; i++)
		if (strcmp(options[i].name, "epilogue") != 0 || problem_has_epilogue(problem))
			option_print(out, &options[i], editor);
	fputs("</details>\n", out);
}

/* ---- the form ----------------------------------------------------------------------------- */

void page_editor_print(FILE *out, const struct problem *problem, const struct page_editor *editor)
{
	fprintf(out,
			"<form id=\"editor\" method=\"post\" action=\"/problems/%s\" "
			"enctype=\"multipart/form-data\" data-problem=\"%s\" class=\"fields\">\n"
			"<label for=\"source\">Your solution</label>\n"
			"<textarea id=\"source\" name=\"source\" rows=\"28\" spellcheck=\"false\" "
			"autocomplete=\"off\" autocapitalize=\"off\" wrap=\"off\">\n",
			problem->name, problem->name);
	html_field(out, editor->source);
	fputs("</textarea>\n<label for=\"file\">A file in place of the text</label>\n"
		  "<input id=\"file\" name=\"file\" type=\"file\" accept=\".cu,.cuh,.cpp,.txt\">\n"
		  "<label for=\"name\">Its name (without one the server gives it one)</label>\n"
		  "<input id=\"name\" name=\"name\" maxlength=\"100\" value=\"",
		  out);
	html_text(out, editor->name);
	fputs("\">\n", out);
	options_print(out, problem, editor);
	if (editor->error[0] != '\0' && editor->option[0] == '\0')
		html_paragraph(out, "note bad", editor->error);
	fputs("<p class=\"send\"><button>Submit</button></p>\n</form>\n"
		  "<p id=\"live\" role=\"status\"></p>\n<section id=\"found\" "
		  "aria-label=\"What was found\"></section>\n",
		  out);
}

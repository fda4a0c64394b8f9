/* The frame of every page and its small parts. A page is one HTML file that needs no network and no
 * script, with a Content-Security-Policy under which nothing runs but page.js. Whatever a stranger
 * wrote goes through html_text(). */
#ifndef GEMMJUDGE_REPORT_HTML_PAGE_H
#define GEMMJUDGE_REPORT_HTML_PAGE_H

#include <stdio.h>

#include "judgement/judgement.h"

/* What marks a page as ours: its fourth line begins so. */
#define HTML_GENERATOR "<meta name=\"generator\" content=\"gemmjudge"

/* All before the first heading; `title` for the browser's own use. */
void html_open(FILE *out, const char *title, const char *version);
/* The foot, with the version once more, and the end. */
void html_close(FILE *out, const char *version);

/* Head and foot of a server's page, whose headers guard it: its style and script are at addresses
 * in `head`, elements that stand before the title. */
void html_open_served(FILE *out, const char *title, const char *version, const char *head);
void html_close_served(FILE *out, const char *version);

/* Clean UTF-8 in which nothing is markup, and what is not seen is shown as an escape; for content,
 * and for attributes in double quotes. */
void html_text(FILE *out, const char *text);

/* As html_text() for a text field: what comes back from it is what it was given. */
void html_field(FILE *out, const char *text);

/* As html_text() for content alone, of a path or another name without blanks: lines break in it
 * where a reader would. */
void html_name(FILE *out, const char *text);

/* <h1> to <h4>. With an id (letters, digits and hyphens of ours) links may go there; NULL: none. */
void html_heading(FILE *out, int level, const char *id, const char *text);

/* <p>, of a class of page.css; NULL: none. */
void html_paragraph(FILE *out, const char *class, const char *text);

/* Lines as they are. A command has a button that copies it. */
void html_block(FILE *out, const char *text);
void html_command(FILE *out, const char *command);

/* Name and value in two columns; what has no value is left out. */
void html_facts_open(FILE *out);
void html_fact(FILE *out, const char *name, const char *value);
void html_facts_close(FILE *out);

/* A verdict as a word, with a sign and a colour. */
void html_verdict(FILE *out, enum verdict verdict);

/* What is shown on demand: <details> with a line that says what it is. In `data`, tables can be
 * copied as CSV. */
void html_details_open(FILE *out, const char *summary);
void html_data_open(FILE *out, const char *summary);
void html_details_close(FILE *out);

#endif

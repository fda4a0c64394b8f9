/* Errors, as people read them: what is the matter, and what to do. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "serve/page.h"

static const struct explained {
	unsigned status;
	const char *title, *what;
} all[] = {
	{401, "Not from here", "Open this server by the name that it has on its own machine."},
	{403, "Not allowed", "It needs another token than yours: ask who looks after this server."},
	{404, "Not found",
	 "The address may be mistyped. A submission of somebody else's is not found either: log in "
	 "with the token that it was submitted with."},
	{405, "Not at this address", "Go back, and use the page's own buttons."},
	{409, "Too late", "Look at the submission again: it has gone on meanwhile."},
	{413, "Too large", "Go back, make it smaller, and send it again."},
	{429, "Not now", "Go back then, and send it again: what you wrote is still there."},
	{503, "Not now",
	 "Go back then, and try again. Where that does not help, tell who looks after "
	 "this server."},
};
static const struct explained other = {0, "This did not work",
									   "Go back, mend it, and send it again: what you wrote is "
									   "still there."};

static const struct explained foreign = {403, "Not allowed",
										 "Do it once more, with the buttons of this server's own "
										 "page."};

static const struct explained *explained_of(const struct http_request *request, unsigned status)
{
	if (status == 403 && strcmp(request->method, "POST") == 0)
		return &foreign;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].status == status)
			return &all[i];
	return &other;
}

/* As a sentence: it begins with a capital, unless with a user's name, and ends with a full stop. */
static void sentence_print(FILE *out, const char *text, const char *user)
{
	const size_t length = strlen(text), named = strlen(user);
	const bool as_it_is = length == 0 || (named > 0 && strncmp(text, user, named) == 0);
	char *sentence = NULL;
	if (asprintf(&sentence, "%s%s", text, length > 0 && text[length - 1] != '.' ? "." : "") < 0)
		return;
	if (!as_it_is && islower((unsigned char)sentence[0]))
		sentence[0] = (char)toupper((unsigned char)sentence[0]);
	html_paragraph(out, "note bad", sentence);
	free(sentence);
}

static void wait_print(FILE *out, unsigned seconds)
{
	if (seconds == 0)
		return;
	if (seconds < 120)
		fprintf(out, "<p>Wait for %u seconds.</p>\n", seconds);
	else
		fprintf(out, "<p>Wait for %u minutes.</p>\n", (seconds + 59) / 60);
}

void page_error(struct server *server, const struct http_request *request, struct http_reply *reply)
{
	struct served_page page = {.server = server, .request = request};
	const unsigned status = reply->status;
	const struct explained *explained = explained_of(request, status);
	if (status == 401 && !server_is_open(server)) {
		page_ask_who(server, request, reply);
		return;
	}
	json_t *json =
		reply->text != NULL ? json_loadb(reply->text, reply->length, 0, NULL) : json_object();
	if (page_open(&page, explained->title, reply)) {
		sentence_print(page.out, page_text(json, "error"), request->user.name);
		wait_print(page.out, reply->retry_after);
		html_paragraph(page.out, NULL, explained->what);
		if (status != 401)
			fputs("<p><a href=\"/\">To the problems</a></p>\n", page.out);
		page_close(&page, status, reply);
	}
	json_decref(json);
}

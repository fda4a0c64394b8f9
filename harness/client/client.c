#include "client/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/request.h"

/* Characters that are seen, so that nothing ends a line of a header or leads elsewhere. */
static bool is_plain(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

static bool take_url(struct client *client, const char *url, struct error *err)
{
	size_t length = strlen(url);
	const bool http = strncasecmp(url, "http://", 7) == 0;
	const size_t scheme = http ? 7 : strncasecmp(url, "https://", 8) == 0 ? 8 : 0;
	while (length > scheme && url[length - 1] == '/')
		length--;
	if (scheme > 0 && strchr(url, '@') != NULL) /* it may hold a password: it is not repeated */
		return error_set(err, "the server's URL has an '@': a token goes into GEMMJUDGE_TOKEN or a "
							  "--token-file");
	if (scheme == 0 || length == scheme || length >= sizeof client->url || !is_plain(url) ||
		strpbrk(url, "?#") != NULL)
		return error_set(err,
						 "'%.80s' is no server: a URL is needed, such as "
						 "https://judge.example.org or http://127.0.0.1:8080",
						 url);
	snprintf(client->url, sizeof client->url, "%.*s", (int)length, url);
	return true;
}

static bool take_token(struct client *client, const char *token, struct error *err)
{
	if (token == NULL || token[0] == '\0')
		return true;
	if (strlen(token) > CLIENT_TOKEN_BYTES || !is_plain(token))
		return error_set(err, "the token is none: 'gemmjudge user add' printed one line");
	snprintf(client->authorization, sizeof client->authorization, "Authorization: Bearer %s",
			 token);
	return true;
}

struct client *client_open(const char *url, const char *token, client_stop stop, bool *usage,
						   struct error *err)
{
	struct client *client = calloc(1, sizeof *client);
	*usage = false;
	if (client == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	client->stop = stop;
	*usage = !take_url(client, url, err) || !take_token(client, token, err);
	if (!*usage && libcurl_load(&client->curl, err)) {
		client->handle = client->curl.easy_init();
		if (client->handle != NULL)
			return client;
		error_set(err, "libcurl does not start");
	}
	free(client);
	return NULL;
}

void client_close(struct client *client)
{
	if (client == NULL)
		return;
	client->curl.easy_cleanup(client->handle);
	explicit_bzero(client->authorization, sizeof client->authorization);
	free(client);
}

const char *client_url(const struct client *client)
{
	return client->url;
}

void client_reply_free(struct client_reply *reply)
{
	json_decref(reply->body);
	*reply = (struct client_reply){0};
}

void client_refusal(const struct client *client, const struct client_reply *reply,
					struct error *err)
{
	const char *line = json_string_value(json_object_get(reply->body, "error"));
	char wait[48] = "";
	if (reply->retry_after > 0)
		snprintf(wait, sizeof wait, " (again in %u s)", reply->retry_after);
	if (line != NULL)
		error_set(err, "%s: %.800s%s", client->url, line, wait);
	else if (reply->status >= 300 && reply->status < 400)
		error_set(err, "%s: it sends elsewhere (%u): name the server by its own URL", client->url,
				  reply->status);
	else
		error_set(err, "%s: no answer of gemmjudge serve (status %u)%s", client->url, reply->status,
				  wait);
}

bool client_is_id(const char *text)
{
	return strlen(text) == CLIENT_ID_DIGITS && strspn(text, "0123456789abcdef") == CLIENT_ID_DIGITS;
}

#include "client/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
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

/* Whether the host of a URL, which begins behind the scheme, can be no other machine. */
static bool is_loopback(const char *host)
{
	const bool bracket = *host == '[';
	char name[64];
	struct in_addr four;
	struct in6_addr six;
	host += bracket;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(host, bracket ? "]" : ":/"), host);
	if (bracket)
		return inet_pton(AF_INET6, name, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
	return strcasecmp(name, "localhost") == 0 ||
		   (inet_pton(AF_INET, name, &four) == 1 && ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET);
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
	client->loopback = is_loopback(client->url + scheme);
	client->secret = !http || client->loopback;
	return true;
}

static bool take_token(struct client *client, const struct client_server *server, struct error *err)
{
	const char *token = server->token;
	if (token == NULL || token[0] == '\0')
		return true;
	if (strlen(token) > CLIENT_TOKEN_BYTES || !is_plain(token))
		return error_set(err, "the token is none: 'gemmjudge user add' printed one line");
	if (!client->secret && !server->plain_http)
		return error_set(
			err,
			"%.700s: the token could be read on its way over http: use https, or, where "
			"you trust the network, --plain-http",
			client->url);
	snprintf(client->authorization, sizeof client->authorization, "Authorization: Bearer %s",
			 token);
	return true;
}

struct client *client_open(const struct client_server *server, client_stop stop, bool *usage,
						   struct error *err)
{
	struct client *client = calloc(1, sizeof *client);
	*usage = false;
	if (client == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	client->stop = stop;
	*usage = !take_url(client, server->url, err) || !take_token(client, server, err);
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

bool client_has_answered(const struct client *client)
{
	return client->answered;
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

bool client_is_job(const json_t *json)
{
	return json_is_string(json_object_get(json, "state"));
}

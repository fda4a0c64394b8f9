/* links: cli; seeds: harness/tests/fuzz/seeds/serve */
/* words: harness/serve/routes.c harness/serve/intake.c harness/serve/session.c */
/* Requests to a server, behind what libmicrohttpd reads of them: METHOD PATH, lines "Name: value",
 * of which those with a small first letter are the query's, an empty line, and the body. "ID" in
 * the path is a submission that there is. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/options.h"
#include "fuzz.h"
#include "serve/http.h"

#define LINES_MAX 32
#define WAITING_MAX 8
#define JOBS_MAX 2000 /* in one store */

/* ---- a server ---------------------------------------------------------------------------- */

static bool suits(const char *const *words, size_t count, struct error *err)
{
	static struct options options;
	char *argv[64] = {(char *)"judge"};
	if (count > 60)
		fuzz_found("more words than there are options");
	memcpy(argv + 1, words, count * sizeof *argv);
	argv[count + 1] = (char *)"-";
	for (size_t i = 0; i < count; i++)
		if (strncmp(words[i], "--", 2) != 0 || strchr(words[i], '/') != NULL)
			fuzz_found("a word that may name a file");
	return options_parse((int)count + 2, argv, &options, err);
}

static void tell(const char *line)
{
	(void)line;
}

static const char *const devices[] = {"emu"};
static struct serve_config config = {.version = "0",
									 .devices = devices,
									 .worker_count = 1,
									 .queue = WAITING_MAX,
									 .queue_of_user = WAITING_MAX,
									 .seconds_of_user = 1,
									 .disk = 1 << 30,
									 .disk_of_user = 1 << 20,
									 .suits = suits,
									 .tell = tell};
static struct server server = {.config = &config, .loopback = true};
static char known[JOB_ID_TEXT];
static size_t taken;

static void server_begin(void)
{
	struct error err;
	config.store = fuzz_file("serve.db", "", 0);
	server.verdicts = json_object();
	pthread_mutex_init(&server.mutex, NULL);
	server.jobs = jobs_open(config.store, false, &err);
	server.queue = server.jobs != NULL ? queue_open(server.jobs, &err) : NULL;
	if (server.queue == NULL)
		fuzz_found(err.message);
	taken = 0;
	known[0] = '\0';
}

static void server_end(void)
{
	queue_close(server.queue);
	jobs_close(server.jobs);
	json_decref(server.verdicts);
	pthread_mutex_destroy(&server.mutex);
	server.jobs = NULL;
}

/* So that there is one that waits. */
static void known_put(void)
{
	struct error err;
	const struct queue_limits limits = {.all = WAITING_MAX, .of_user = WAITING_MAX};
	const struct job_given job = {.id = known,
								  .account = "",
								  .problem = "sgemm",
								  .name = "a.cu",
								  .options = "{}",
								  .source = "x",
								  .source_length = 1};
	snprintf(known, sizeof known, "%032zx", taken++);
	if (queue_add(server.queue, &job, &limits, &err) != QUEUE_TAKEN)
		fuzz_found(err.message);
}

/* ---- a request ------------------------------------------------------------------------------ */

struct play {
	char *names[LINES_MAX], *values[LINES_MAX];
	size_t count;
};

static const char *find(const struct play *play, const char *name)
{
	for (size_t i = 0; i < play->count; i++)
		if (strcasecmp(play->names[i], name) == 0)
			return play->values[i];
	return NULL;
}

static const char *play_header(const void *context, const char *name)
{
	return find(context, name);
}

static char *line_of(char **text)
{
	char *line = *text, *end = strchr(line, '\n');
	*text = end != NULL ? end + 1 : line + strlen(line);
	if (end != NULL)
		*end = '\0';
	return line;
}

/* A page has no scripts but ours, and what a form submitted does not fill the queue. */
static void check_page(const struct http_reply *reply)
{
	static const char script[] = "<script", to[] = "/submissions/";
	const char *id = reply->location + sizeof to - 1;
	if (strpbrk(reply->location, "\r\n\\") != NULL ||
		(reply->location[0] != '\0' && (reply->location[0] != '/' || reply->location[1] == '/')))
		fuzz_found("an address of somebody's own");
	if (reply->status == 303) {
		if (strncmp(reply->location, to, sizeof to - 1) == 0 && strcmp(id, known) != 0)
			taken += queue_withdraw(server.queue, id, &(struct error){{0}});
		return;
	}
	bool own = reply->policy != NULL;
	for (const char *at = reply->text; (at = strstr(at, script)) != NULL; at++)
		own = own && strncmp(at, "<script src=\"/", 14) == 0;
	if (!own)
		fuzz_found("a page with other scripts than its own");
}

static void check(const struct http_reply *reply)
{
	static const unsigned statuses[] = {200, 202, 303, 400, 401, 403, 404, 405, 409, 413, 415, 429};
	bool some = false;
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		some = some || reply->status == statuses[i];
	if (!some)
		fuzz_found("a status that none has");
	if (strpbrk(reply->cookie, "\r\n") != NULL)
		fuzz_found("a header of somebody's own");
	if (reply->watch[0] != '\0')
		return;
	if (reply->text == NULL || reply->type == NULL || strlen(reply->text) != reply->length)
		fuzz_found("no text");
	if (strncmp(reply->type, "text/html", 9) == 0)
		check_page(reply);
	if (strcmp(reply->type, "application/json") != 0)
		return;
	json_t *json = json_loadb(reply->text, reply->length, 0, NULL);
	const char *id = json_string_value(json_object_get(json, "id"));
	if (json == NULL)
		fuzz_found("no JSON");
	if (reply->status >= 400 && json_object_get(json, "error") == NULL)
		fuzz_found("an error without a word");
	if (reply->status == 202 &&
		(id == NULL || !queue_withdraw(server.queue, id, &(struct error){{0}})))
		fuzz_found("what was taken does not wait");
	taken += reply->status == 202;
	json_decref(json);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct play play = {.count = 0};
	struct http_reply reply = {.type = "text/plain"};
	char *copy = malloc(size + 1), *text = copy, path[256];
	if (server.jobs == NULL)
		server_begin();
	if (queue_place(server.queue, known) == 0)
		known_put();
	memcpy(copy, data, size);
	copy[size] = '\0';
	char *first = line_of(&text), *word = strchr(first, ' '), *line, *colon;
	if (word != NULL)
		*word++ = '\0';
	while (play.count < LINES_MAX && (line = line_of(&text))[0] != '\0') {
		if ((colon = strchr(line, ':')) == NULL)
			continue;
		*colon = '\0';
		play.names[play.count] = line;
		play.values[play.count++] = colon + 1 + strspn(colon + 1, " ");
	}
	char *id = word != NULL ? strstr(word, "ID") : NULL;
	snprintf(path, sizeof path, "%.*s%s%s", id != NULL ? (int)(id - word) : 200,
			 word != NULL ? word : "", id != NULL ? known : "", id != NULL ? id + 2 : "");
	struct http_request request = {.method = first,
								   .path = path,
								   .body = text,
								   .length = strlen(text),
								   .header = play_header,
								   .query = play_header,
								   .context = &play};
	if (routes_admit(&server, &request, &reply))
		routes_answer(&server, &request, &reply);
	check(&reply);
	reply_free(&reply);
	free(copy);
	if (taken > JOBS_MAX)
		server_end();
}

/* gemmjudge submit: a file to a server's judge. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/paths.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/submission.h"
#include "client/client.h"

static volatile sig_atomic_t interrupted;

static void note_interrupt(int number)
{
	interrupted = number;
}

static bool is_interrupted(void)
{
	return interrupted != 0;
}

static bool waits(const struct options *options)
{
	return options->submit.wait == NULL || strcmp(options->submit.wait, "no") != 0;
}

/* ---- the server ----------------------------------------------------------------------------- */

/* The first line of the file, else the variable; "" where there is none. */
static bool take_token(const struct options *options, char out[CLIENT_TOKEN_BYTES],
					   struct error *err)
{
	const char *variable = getenv("GEMMJUDGE_TOKEN");
	if (options->submit.token_file == NULL) {
		out[0] = '\0';
		if (variable != NULL && strlen(variable) < CLIENT_TOKEN_BYTES)
			strcpy(out, variable);
		return variable == NULL || out[0] != '\0' || variable[0] == '\0' ||
			   error_set(err, "GEMMJUDGE_TOKEN is no token: it is too long");
	}
	FILE *file = fopen(options->submit.token_file, "re");
	const bool read = file != NULL && fgets(out, CLIENT_TOKEN_BYTES, file) != NULL;
	const int why = errno;
	if (file != NULL)
		fclose(file);
	if (!read)
		return error_set(err, "--token-file %s: %s", options->submit.token_file,
						 file == NULL ? strerror(why) : "its first line is no token");
	out[strcspn(out, "\r\n")] = '\0';
	return true;
}

static struct client *open_client(const struct options *options, int *status)
{
	struct error err = {{0}};
	char token[CLIENT_TOKEN_BYTES];
	const char *url =
		options->submit.server != NULL ? options->submit.server : getenv("GEMMJUDGE_SERVER");
	struct client *client = NULL;
	bool usage = true;
	if (url == NULL || url[0] == '\0')
		error_set(&err, "name the server: --server URL, or GEMMJUDGE_SERVER");
	else if (take_token(options, token, &err))
		client = client_open(&(struct client_server){.url = url,
													 .token = token,
													 .plain_http = options->submit.plain_http},
							 is_interrupted, &usage, &err);
	explicit_bzero(token, sizeof token);
	if (client == NULL)
		*status = cli_fail(usage ? EXIT_BAD_INPUT : EXIT_CANNOT_RUN, &err);
	return client;
}

/* In place of a server's refusal of a token, or of none: where it came from, or is to come from. */
static void say_token(const struct options *options, const struct client *client, struct error *err)
{
	const char *variable = getenv("GEMMJUDGE_TOKEN");
	if (strstr(err->message, "token") == NULL) /* a server without users knows none */
		return;
	if (options->submit.token_file != NULL)
		error_set(
			err,
			"%.700s: the token of --token-file %.200s is wrong: it is nobody's there (the one "
			"that 'gemmjudge user add' printed goes into that file, or into GEMMJUDGE_TOKEN)",
			client_url(client), options->submit.token_file);
	else if (variable != NULL && variable[0] != '\0')
		error_set(err,
				  "%.700s: the token of GEMMJUDGE_TOKEN is wrong: it is nobody's there (the one "
				  "that 'gemmjudge user add' printed goes there, or into a --token-file FILE)",
				  client_url(client));
	else
		error_set(err,
				  "%.700s: a token is needed: the one that 'gemmjudge user add' printed, in "
				  "GEMMJUDGE_TOKEN or in a --token-file FILE",
				  client_url(client));
}

/* A request that is at fault, or a server that cannot take it now, or not from this user. */
static int fail_refused(const struct options *options, const struct client *client,
						const struct client_reply *reply)
{
	struct error err;
	const unsigned status = reply->status;
	const bool ours =
		status >= 400 && status < 500 && status != 401 && status != 403 && status != 429;
	client_refusal(client, reply, &err);
	if (status == 401)
		say_token(options, client, &err);
	return cli_fail(ours ? EXIT_BAD_INPUT : EXIT_CANNOT_RUN, &err);
}

/* ---- while it waits -------------------------------------------------------------------------- */

struct follow {
	struct progress progress;
	const struct options *options;
	const char *file;
	json_int_t place; /* that was told */
};

static void show_event(void *context, const char *name, const json_t *data)
{
	struct follow *follow = context;
	const json_int_t number = json_integer_value(json_object_get(data, "number"));
	const json_int_t of = json_integer_value(json_object_get(data, "of"));
	const json_int_t place = json_integer_value(json_object_get(data, "place"));
	char line[128];
	if (strcmp(name, "queued") == 0 && place > 0) {
		snprintf(line, sizeof line, "waits: place %lld in the queue", (long long)place);
		progress_line(&follow->progress, line);
	} else if (strcmp(name, "case") == 0 && number > 0 && number <= of) {
		progress_step(&follow->progress, follow->file, "case", (size_t)number - 1, (size_t)of);
	} else if (strcmp(name, "compiling") == 0 || strcmp(name, "timing") == 0) {
		progress_step(&follow->progress, follow->file, name, 0, 1);
	} else if (strcmp(name, "away") == 0) {
		const char *why = json_string_value(json_object_get(data, "message"));
		progress_close(&follow->progress);
		snprintf(line, sizeof line, "%.90s; tries again", why != NULL ? why : "");
		cli_tell(line);
	}
}

/* The id, and how to look again. */
static void tell_goes_on(const struct options *options, const char *id)
{
	char line[CLIENT_URL_BYTES + 160];
	snprintf(line, sizeof line, "the server goes on; 'gemmjudge submit --id %s%s%.1000s' shows it",
			 id, options->submit.server != NULL ? " --server " : "",
			 options->submit.server != NULL ? options->submit.server : "");
	cli_tell(line);
}

static int show_result(const struct options *options, const char *program, const json_t *job)
{
	const int status = submission_show(options, program, job);
	if (json_is_true(json_object_get(job, "practice")))
		cli_tell("this was practice: with options of its own it counts for no board there");
	return status;
}

/* The exit status of a submission that has ended. */
static int end_of(const struct options *options, const char *program, const json_t *job)
{
	struct error err;
	const char *state = json_string_value(json_object_get(job, "state"));
	const char *why = json_string_value(json_object_get(job, "error"));
	if (state != NULL && strcmp(state, "withdrawn") == 0)
		error_set(&err, "it was withdrawn, and is not judged");
	else if (json_is_object(json_object_get(job, "result")))
		return show_result(options, program, job);
	else
		error_set(&err, "the judge came to no verdict: %.800s", why != NULL ? why : "");
	return cli_fail(EXIT_CANNOT_RUN, &err);
}

static int follow_to_end(struct client *client, const struct options *options, const char *program,
						 const char *id)
{
	struct error err = {{0}};
	struct client_reply reply;
	struct follow follow = {.options = options,
							.file = options->argument_count > 0 ? options->arguments[0] : id};
	progress_open(&follow.progress, options);
	const enum client_end end = client_follow(client, id, show_event, &follow, &reply, &err);
	progress_close(&follow.progress);
	int status = EXIT_CANNOT_RUN;
	if (end != CLIENT_ANSWERED) {
		if (end == CLIENT_LOST)
			cli_fail(status, &err);
		if (client_has_answered(client))
			tell_goes_on(options, id);
	} else if (reply.status != 200 || !client_is_job(reply.body)) {
		status = fail_refused(options, client, &reply);
	} else {
		status = end_of(options, program, reply.body);
	}
	client_reply_free(&reply);
	return status;
}

/* ---- the command ------------------------------------------------------------------------------
 */

/* On stdout only what was asked for: the id where nobody waits, else the report. */
static void tell_taken(const struct options *options, const json_t *taken, const char *id)
{
	char line[128];
	const json_int_t place = json_integer_value(json_object_get(taken, "place"));
	if (!waits(options))
		printf("%s\n", id);
	if (!waits(options) || options->output.quiet)
		return;
	if (place > 0)
		snprintf(line, sizeof line, "submitted as %s, place %lld in the queue", id,
				 (long long)place);
	else
		snprintf(line, sizeof line, "submitted as %s", id);
	cli_tell(line);
}

static int submit_file(struct client *client, struct options *options, const char *program,
					   const json_t *body)
{
	struct error err = {{0}};
	struct client_reply reply;
	int status = EXIT_CANNOT_RUN;
	const enum client_end end = client_ask(client, "POST", "/api/submissions", body, &reply, &err);
	const char *id = json_string_value(json_object_get(reply.body, "id"));
	if (end != CLIENT_ANSWERED) {
		cli_fail(status, &err);
	} else if (reply.status != 202 || id == NULL || !client_is_id(id)) {
		status = fail_refused(options, client, &reply);
	} else {
		tell_taken(options, reply.body, id);
		status = waits(options) ? follow_to_end(client, options, program, id) : EXIT_ACCEPTED;
	}
	client_reply_free(&reply);
	return status;
}

static bool arguments_hold(const struct options *options, struct error *err)
{
	if (options->submit.id != NULL && options->argument_count > 0)
		return error_set(err, "--id: it was submitted before; no file goes with it");
	if (options->submit.id != NULL && !client_is_id(options->submit.id))
		return error_set(err, "--id '%.80s': an id has %d hexadecimal digits", options->submit.id,
						 CLIENT_ID_DIGITS);
	if (options->submit.id == NULL && options->argument_count != 1)
		return error_set(err, options->argument_count == 0
								  ? "a solution is needed (--help shows the usage)"
								  : "one file at a time, please");
	return waits(options) || options->output.json == NULL ||
		   error_set(err, "--json: with --wait no there is nothing to write yet");
}

static int submit(const char *program, struct options *options)
{
	struct error err = {{0}};
	const struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};
	json_t *body = NULL;
	int status = EXIT_BAD_INPUT;
	if (!arguments_hold(options, &err) || !input_take(options, &err))
		return cli_fail(EXIT_BAD_INPUT, &err);
	struct client *client = open_client(options, &status);
	if (client == NULL)
		return status;
	if (options->submit.id == NULL && (body = submission_body(options, &err)) == NULL) {
		client_close(client);
		return cli_fail(EXIT_BAD_INPUT, &err);
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	status = body != NULL ? submit_file(client, options, program, body)
						  : follow_to_end(client, options, program, options->submit.id);
	json_decref(body);
	client_close(client);
	return cli_finish(status);
}

const struct subcommand subcommand_submit = {
	.name = "submit",
	.also = "send upload push post",
	.takes = "FILE",
	.summary = "send a solution to a server, and show its verdict",
	.usage = "usage: gemmjudge submit FILE --server URL [OPTION...]\n"
			 "       gemmjudge submit --id ID --server URL [OPTION...]\n"
			 "\n"
			 "Sends a solution to a 'gemmjudge serve', waits, and prints what 'judge' would, "
			 "with the same exit status. GEMMJUDGE_SERVER and GEMMJUDGE_TOKEN stand for the "
			 "server and one's token there. Ctrl-C ends the waiting and not the judging.\n"
			 "\n"
			 "  gemmjudge submit mine.cu -p gemm-f16 --server http://127.0.0.1:8080\n"
			 "  gemmjudge submit mine.cu -p sgemm --cases 64 --wait no\n",
	.run = submit,
};

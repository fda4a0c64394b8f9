#include "compile/in_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "compile/bytes.h"
#include "compile/tokens.h"

#define FUNCTION "solution_part"
#define WITH_SOLVE (-1) /* the number of the object that has solve() */

bool in_parts_is(const char *file)
{
	size_t size;
	char *text = bytes_read_file(file, &size), *tokens = text != NULL ? tokens_text(text) : NULL;
	bool found = tokens != NULL && strstr(tokens, "int " FUNCTION "(") != NULL;
	free(tokens);
	free(text);
	return found;
}

int parts_count(const struct parts *parts)
{
	int count = 0;
	for (size_t i = 0; i < PARTS_MAX; i++)
		count += parts->has[i];
	return count;
}

/* An object. */
struct object {
	char define[sizeof "-DSOLUTION_PART=-2147483648"];
	enum compile_status status;
	struct compiled compiled;
	struct error err;
};

struct compilation {
	const struct compile_options *options;
	double deadline; /* no object is begun after it */
	size_t flag_count, count, next;
	pthread_mutex_t held; /* `next` */
	struct object objects[];
};

static void compile_object(const struct compilation *whole, struct object *object)
{
	struct compile_options options = *whole->options;
	if (clock_seconds() > whole->deadline) {
		error_set(&object->err, "nvcc took more than %g s (--compile-timeout S allows more)",
				  options.seconds);
		return;
	}
	const char **flags = calloc(whole->flag_count + 2, sizeof *flags);
	if (flags == NULL) {
		error_set(&object->err, "out of memory");
		return;
	}
	for (size_t i = 0; i < whole->flag_count; i++)
		flags[i] = options.flags[i];
	flags[whole->flag_count] = object->define;
	options.flags = flags;
	options.object = true;
	object->status = compile_solution(&options, &object->compiled, &object->err);
	free(flags);
}

static void *compile_objects(void *context)
{
	struct compilation *whole = context;
	for (;;) {
		pthread_mutex_lock(&whole->held);
		size_t i = whole->next < whole->count ? whole->next++ : whole->count;
		pthread_mutex_unlock(&whole->held);
		if (i == whole->count)
			return NULL;
		compile_object(whole, &whole->objects[i]);
		if (whole->objects[i].status == COMPILE_OK)
			continue;
		pthread_mutex_lock(&whole->held); /* there will be no library: no other one is begun */
		whole->next = whole->count;
		pthread_mutex_unlock(&whole->held);
	}
}

/* By this thread and as many others as can be had. */
static void compile_all(struct compilation *whole, size_t threads)
{
	pthread_t *others = calloc(whole->count, sizeof *others);
	size_t started = 0;
	while (others != NULL && started + 1 < threads && started + 1 < whole->count &&
		   thread_start(&others[started], compile_objects, whole))
		started++;
	compile_objects(whole);
	for (size_t i = 0; i < started; i++)
		pthread_join(others[i], NULL);
	free(others);
}

/* What nvcc said of all objects, and of linking them; NULL: memory is short. */
static char *join_logs(const struct compilation *whole, const char *linked)
{
	char *log = NULL;
	size_t size;
	FILE *to = open_memstream(&log, &size);
	for (size_t i = 0; to != NULL && i < whole->count; i++)
		fputs(whole->objects[i].compiled.log, to);
	if (to != NULL) {
		fputs(linked, to);
		fclose(to);
	}
	return log;
}

static enum compile_status link_objects(const struct compilation *whole, struct compiled *out,
										struct error *err)
{
	struct compile_options options = *whole->options;
	const struct compiled *first = &whole->objects[0].compiled;
	const char **paths = calloc(whole->count + 1, sizeof *paths);
	for (size_t i = 0; i < whole->count && paths != NULL; i++)
		paths[i] = whole->objects[i].compiled.library;
	if (paths == NULL) {
		error_set(err, "out of memory");
		return COMPILE_FAILED;
	}
	options.objects = paths;
	enum compile_status status = compile_solution(&options, out, err);
	free(paths);
	char *log = join_logs(whole, out->log);
	if (log != NULL) {
		free(out->log);
		out->log = log;
	}
	memcpy(out->source, first->source, sizeof out->source);
	out->cxx20 = first->cxx20;
	return status;
}

/* The first object that there is none of becomes what the compilation came to. */
static enum compile_status take_failure(struct compilation *whole, struct compiled *out,
										struct error *err)
{
	for (size_t i = 0; i < whole->count; i++) {
		struct object *object = &whole->objects[i];
		if (object->status == COMPILE_OK)
			continue;
		*out = object->compiled;
		*err = object->err;
		object->compiled = (struct compiled){.status = COMPILE_FAILED};
		return object->status;
	}
	return COMPILE_OK;
}

static struct compilation *compilation_make(const struct compile_options *options,
											const struct parts *parts)
{
	struct compilation *whole = calloc(1, sizeof *whole + (PARTS_MAX + 1) * sizeof *whole->objects);
	if (whole == NULL)
		return NULL;
	whole->options = options;
	whole->deadline = clock_seconds() + options->seconds;
	while (options->flags != NULL && options->flags[whole->flag_count] != NULL)
		whole->flag_count++;
	for (int part = WITH_SOLVE; part < PARTS_MAX; part++) {
		if (part != WITH_SOLVE && !parts->has[part])
			continue;
		struct object *object = &whole->objects[whole->count++];
		object->status = object->compiled.status = COMPILE_FAILED;
		snprintf(object->define, sizeof object->define, "-DSOLUTION_PART=%d", part);
	}
	pthread_mutex_init(&whole->held, NULL);
	return whole;
}

enum compile_status in_parts_compile(const struct compile_options *options,
									 const struct parts *parts, size_t threads,
									 struct compiled *out, struct error *err)
{
	const double started = clock_seconds();
	struct compilation *whole = compilation_make(options, parts);
	*out = (struct compiled){.status = COMPILE_FAILED};
	if (whole == NULL) {
		out->log = strdup("");
		error_set(err, "out of memory");
		return COMPILE_FAILED;
	}
	compile_all(whole, threads);
	bool cached = true;
	for (size_t i = 0; i < whole->count; i++)
		cached = cached && whole->objects[i].compiled.cached;
	if (take_failure(whole, out, err) == COMPILE_OK)
		link_objects(whole, out, err);
	out->cached = out->cached && cached;
	out->seconds = clock_seconds() - started;
	for (size_t i = 0; i < whole->count; i++)
		compiled_free(&whole->objects[i].compiled);
	pthread_mutex_destroy(&whole->held);
	free(whole);
	return out->status;
}

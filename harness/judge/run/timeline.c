#include "judge/run/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

struct timeline {
	int fd;
	_Atomic int failed; /* errno of a line that could not be written */
};

static const char *const names[TIMELINE_STAGES] = {
	[TIMELINE_COMPILE] = "compile",
	[TIMELINE_LOCK] = "lock",
	[TIMELINE_START] = "start",
	[TIMELINE_CONTEXT] = "context",
	[TIMELINE_LIBRARY] = "library",
	[TIMELINE_JAIL] = "jail",
	[TIMELINE_LOAD] = "load",
	[TIMELINE_GENERATION] = "generation",
	[TIMELINE_SOLUTION] = "solution",
	[TIMELINE_REFERENCE] = "reference",
	[TIMELINE_COMPARISON] = "comparison",
	[TIMELINE_PASS] = "pass",
	[TIMELINE_RESET] = "reset",
	[TIMELINE_SEALED] = "sealed",
	[TIMELINE_CALIBRATION] = "calibration",
	[TIMELINE_END] = "end",
};

struct timeline *timeline_open(const char *path, struct error *err)
{
	struct timeline *timeline = calloc(1, sizeof *timeline);
	if (timeline == NULL) {
		error_set(err, "out of memory");
		return NULL;
	}
	timeline->fd =
		strcmp(path, "-") == 0
			? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
			: open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	if (timeline->fd >= 0)
		return timeline;
	error_set(err, "cannot write %s: %s", path, strerror(errno));
	free(timeline);
	return NULL;
}

int timeline_failed(const struct timeline *timeline)
{
	return timeline != NULL ? timeline->failed : 0;
}

void timeline_close(struct timeline *timeline)
{
	if (timeline != NULL)
		close(timeline->fd);
	free(timeline);
}

/* Names are any bytes, and JSON is not: what is no text there is shown as "?". The caller's. */
static char *as_utf8(const char *name)
{
	char *copy = strdup(name);
	json_t *text = json_string(name);
	for (char *at = copy; text == NULL && copy != NULL && *at != '\0'; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	json_decref(text);
	return copy;
}

/* A whole line at once: other judges may append to the file, too. That it cannot be written costs
 * the line and no verdict. */
void timeline_add(const struct timeline_of *of, enum timeline_stage stage, double begin,
				  double seconds)
{
	if (of == NULL || of->timeline == NULL)
		return;
	char *file = of->file != NULL ? as_utf8(of->file) : NULL;
	json_t *json = json_pack("{s:i, s:s?, s:s, s:f, s:f}", "pid", (int)getpid(), "file", file,
							 "stage", names[stage], "begin", begin, "seconds", seconds);
	free(file);
	char *line = json != NULL ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
	json_decref(json);
	const size_t length = line != NULL ? strlen(line) : 0;
	char *whole = line != NULL ? realloc(line, length + 2) : NULL;
	if (whole == NULL) {
		free(line);
		return;
	}
	memcpy(whole + length, "\n", 2);
	if (!text_write(of->timeline->fd, whole, length + 1))
		of->timeline->failed = errno;
	free(whole);
}

void timeline_end(const struct timeline_of *of, enum timeline_stage stage, double begin)
{
	timeline_add(of, stage, begin, clock_seconds() - begin);
}

/* What a request is called, but for the parts of it that are called otherwise. */
static enum timeline_stage stage_of(uint32_t type)
{
	switch (type) {
	case MESSAGE_REFEREE_OPEN:
	case MESSAGE_CONTESTANT_OPEN: return TIMELINE_START;
	case MESSAGE_CONTESTANT_LOAD: return TIMELINE_LOAD;
	case MESSAGE_REFEREE_CASE:
	case MESSAGE_REFEREE_ARRANGE:
	case MESSAGE_REFEREE_REFILL:
	case MESSAGE_CONTESTANT_CASE: return TIMELINE_GENERATION;
	case MESSAGE_REFEREE_RESET: return TIMELINE_RESET;
	case MESSAGE_REFEREE_CHECK:
	case MESSAGE_REFEREE_RECHECK:
	case MESSAGE_REFEREE_EXPLAIN:
	case MESSAGE_REFEREE_DIGEST:
	case MESSAGE_REFEREE_BITS:
	case MESSAGE_REFEREE_STAGE_OPEN:
	case MESSAGE_REFEREE_STAGE_CLOSE: return TIMELINE_COMPARISON;
	case MESSAGE_CONTESTANT_RUN:
	case MESSAGE_CONTESTANT_LIBRARY: return TIMELINE_SOLUTION;
	case MESSAGE_CONTESTANT_TIME:
	case MESSAGE_CONTESTANT_STREAM: return TIMELINE_PASS;
	default: return TIMELINE_STAGES;
	}
}

void timeline_request(const struct timeline_of *of, const struct message *request,
					  const struct message *reply, double begin)
{
	static const enum timeline_stage of_part[PART_COUNT] = {[PART_CONTEXT] = TIMELINE_CONTEXT,
															[PART_LIBRARY] = TIMELINE_LIBRARY,
															[PART_JAIL] = TIMELINE_JAIL,
															[PART_REFERENCE] = TIMELINE_REFERENCE};
	const enum timeline_stage stage = stage_of(request->type);
	if (of == NULL || of->timeline == NULL || stage == TIMELINE_STAGES)
		return;
	double left = clock_seconds() - begin, at = begin;
	for (int part = 0; part < PART_COUNT; part++) {
		const double seconds = (double)reply->seconds[part];
		if (!(seconds > 0.0) || seconds > left)
			continue;
		timeline_add(of, of_part[part], at, seconds);
		at += seconds;
		left -= seconds;
	}
	timeline_add(of, stage, at, left);
}

/* links: referee_core channel; seeds: harness/tests/fuzz/seeds/requests */
/* What the referee may be asked: its main() on messages of an input, on the emulated GPU. They are
 * the supervisor's own, so that this is about bugs, not about tricks.
 *
 * A request is a byte for its type, one for the number of patches, and the patches. */
#include <unistd.h>

#include "fuzz.h"
#include "messages.h"
#include "process/channel.h"
#include "process/child.h"

#define ELEMENTS_MAX 4096 /* of a case: larger ones are slow, and no different */
#define SETS_MAX_HERE 4u

static struct source play;

static int play_open(void)
{
	return 0;
}

static bool play_receive(int channel, void *request, size_t capacity, size_t *bytes, int *fd);

static bool play_send(int channel, const void *reply, size_t bytes, int fd)
{
	(void)channel, (void)reply, (void)fd;
	return bytes > 0;
}

#define channel_open play_open
#define channel_receive play_receive
#define channel_send play_send
#define main referee_main
#include "referee/main.c" /* NOLINT(bugprone-suspicious-include) */
#undef main

static void clamp_case(struct referee_case *request)
{
	int64_t elements = 1;
	for (int i = 0; i < SIZE_COUNT; i++) {
		int32_t *size = &request->test.shape.size[i];
		if (*size < 1 || *size > 65536)
			continue; /* is refused */
		elements *= *size;
		if (elements > ELEMENTS_MAX) {
			*size = 1 + *size % 8;
			elements = elements < INT64_MAX / 65536 ? elements : ELEMENTS_MAX;
		}
	}
	if (request->sets <= 65536)
		request->sets %= SETS_MAX_HERE + 1;
}

static size_t good_request(uint32_t which, union request *request)
{
	static const uint32_t types[] = {MESSAGE_REFEREE_OPEN,       MESSAGE_REFEREE_CASE,
									 MESSAGE_REFEREE_CHECK,      MESSAGE_REFEREE_RESET,
									 MESSAGE_REFEREE_STAGE_OPEN, MESSAGE_REFEREE_STAGE_CLOSE,
									 MESSAGE_REFEREE_DESCRIPTOR};
	static const struct shape shape = {{1, 5, 6, 7, 1}};
	size_t count, chosen = which / 8;
	const struct problem *problem = problem_table(&count);
	problem += chosen % count;
	request->head.type = types[which % (sizeof types / sizeof *types)];
	switch (request->head.type) {
	case MESSAGE_REFEREE_OPEN:
		request->open.device = (struct device_choice){.kind = DEVICE_EMULATED};
		return sizeof request->open;
	case MESSAGE_REFEREE_CASE:
		request->make.test = case_of_shape(problem, &shape, NULL, which);
		for (int i = 0; i < SIZE_COUNT; i++)
			if (problem_size_of(problem, (enum size)i) == NULL)
				request->make.test.shape.size[i] = 1;
		snprintf(request->make.problem, sizeof request->make.problem, "%s", problem->name);
		request->make.sets = 2;
		request->make.group = which / 128;
		return sizeof request->make;
	case MESSAGE_REFEREE_RESET: return sizeof request->reset;
	case MESSAGE_REFEREE_CHECK: return sizeof request->check;
	case MESSAGE_REFEREE_DESCRIPTOR: return sizeof request->descriptor;
	default: return sizeof request->stage;
	}
}

static bool play_receive(int channel, void *request, size_t capacity, size_t *bytes, int *fd)
{
	union request *made = request;
	(void)channel, (void)capacity, (void)fd;
	if (play.at == play.end)
		return false;
	*bytes = good_request(source_number(&play, 1), made);
	uint32_t how = source_number(&play, 1);
	for (uint32_t i = 0; i < how % 8; i++)
		source_patch(&play, made, *bytes);
	if (how & 128)
		*bytes = source_number(&play, 2) % (sizeof *made + 1);
	/* a GPU's library is not the one under test */
	if (made->head.type == MESSAGE_REFEREE_OPEN && made->open.device.kind == DEVICE_CUDA)
		made->open.device.kind = DEVICE_EMULATED;
	if (made->head.type == MESSAGE_REFEREE_CASE)
		clamp_case(&made->make);
	return true;
}

void fuzz_one(const uint8_t *data, size_t size)
{
	play = (struct source){data, data + size};
	if (referee_main() != 0)
		fuzz_found("the referee did not end as it should");
}

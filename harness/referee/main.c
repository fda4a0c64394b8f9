/* The referee's process: answers one message after the other on CHILD_CHANNEL_FD
 * until the supervisor closes it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "process/channel.h"
#include "process/protocol.h"
#include "referee/referee.h"

union request {
	struct message head;
	struct referee_open open;
	struct referee_case make;
	struct referee_reset reset;
	struct referee_descriptor descriptor;
	struct referee_check check;
	struct referee_again again;
	struct referee_explain explain;
	struct referee_digest digest;
	struct referee_arrange arrange;
	struct referee_bits bits;
	struct referee_stage stage;
	struct referee_reference reference;
};

union reply {
	struct message head;
	struct referee_open_reply open;
	struct referee_case_reply make;
	struct referee_check_reply check;
	struct referee_explain_reply explain;
	struct referee_digest_reply digest;
	struct referee_bits_reply bits;
	struct referee_stage_reply stage;
	struct referee_reference_reply reference;
};

static bool is_size(size_t got, size_t wanted, struct error *err)
{
	if (got == wanted)
		return true;
	return error_set(err,
					 "a message of %zu bytes where %zu belong: the parts of this program were "
					 "not built together",
					 got, wanted);
}

struct answer {
	union reply reply;
	size_t bytes; /* of it */
	int fd;       /* goes with it; or -1 */
};

/* Fills the reply (head apart) and says how long it is. */
static bool answer(struct referee *referee, const union request *request, size_t got,
				   struct answer *out, struct error *err)
{
	union reply *reply = &out->reply;
	switch (request->head.type) {
	case MESSAGE_REFEREE_OPEN:
		out->bytes = sizeof reply->open;
		if (!is_size(got, sizeof request->open, err) ||
			!referee_open(referee, &request->open.device, err))
			return false;
		reply->open.facts = referee->facts;
		return true;
	case MESSAGE_REFEREE_CASE:
		out->bytes = sizeof reply->make;
		if (!is_size(got, sizeof request->make, err) ||
			!referee_case(referee, &request->make, &out->fd, err))
			return false;
		reply->make.arena = referee->arena;
		reply->make.custom_stages = referee->custom;
		return true;
	case MESSAGE_REFEREE_RESET:
		out->bytes = sizeof reply->head;
		return is_size(got, sizeof request->reset, err) &&
			   referee_reset(referee, request->reset.fresh, err);
	case MESSAGE_REFEREE_DESCRIPTOR:
		out->bytes = sizeof reply->head;
		return is_size(got, sizeof request->descriptor, err) &&
			   referee_descriptor(referee, request->descriptor.group, &out->fd, err);
	case MESSAGE_REFEREE_CHECK:
		out->bytes = sizeof reply->check;
		return is_size(got, sizeof request->check, err) &&
			   referee_check(referee, &request->check, &reply->check.found, err);
	case MESSAGE_REFEREE_REFILL:
		out->bytes = sizeof reply->head;
		return is_size(got, sizeof request->again, err) && referee_refill(referee, err);
	case MESSAGE_REFEREE_RECHECK:
		out->bytes = sizeof reply->check;
		return is_size(got, sizeof request->again, err) &&
			   referee_recheck(referee, &reply->check.found, err);
	case MESSAGE_REFEREE_EXPLAIN:
		out->bytes = sizeof reply->explain;
		return is_size(got, sizeof request->explain, err) &&
			   referee_explain(referee, &reply->explain.facts, err);
	case MESSAGE_REFEREE_DIGEST:
		out->bytes = sizeof reply->digest;
		return is_size(got, sizeof request->digest, err) &&
			   referee_digest(referee, request->digest.set, &reply->digest.result, err);
	case MESSAGE_REFEREE_ARRANGE:
		out->bytes = sizeof reply->head;
		return is_size(got, sizeof request->arrange, err) &&
			   referee_arrange(referee, &request->arrange, err);
	case MESSAGE_REFEREE_BITS:
		out->bytes = sizeof reply->bits;
		return is_size(got, sizeof request->bits, err) &&
			   referee_bits(referee, &request->bits, &reply->bits.found, err);
	case MESSAGE_REFEREE_REFERENCE_OPEN:
		out->bytes = sizeof reply->reference;
		return is_size(got, sizeof request->reference, err) &&
			   referee_reference_open(referee, &request->reference, &reply->reference, &out->fd,
									  err);
	case MESSAGE_REFEREE_REFERENCE_CLOSE:
		out->bytes = sizeof reply->reference;
		return is_size(got, sizeof request->reference, err) &&
			   referee_reference_close(referee, &request->reference, &reply->reference.step_faults,
									   err);
	case MESSAGE_REFEREE_STAGE_OPEN:
		out->bytes = sizeof reply->stage;
		return is_size(got, sizeof request->stage, err) &&
			   referee_stage_open(referee, request->stage.stage, &reply->stage, &out->fd, err);
	case MESSAGE_REFEREE_STAGE_CLOSE:
		out->bytes = sizeof reply->check;
		return is_size(got, sizeof request->stage, err) &&
			   referee_stage_close(referee, request->stage.stage, &reply->check.found, err);
	}
	out->bytes = sizeof reply->head;
	return error_set(err, "a message of unknown type %u", request->head.type);
}

/* The answer to one message; false when there is nobody to answer any more. */
static bool serve(struct referee *referee, int channel, const union request *request, size_t got)
{
	struct answer out;
	union reply *reply = &out.reply;
	struct error err = {0};
	memset(&out, 0, sizeof out);
	out.bytes = sizeof reply->head;
	out.fd = -1;
	memset(referee->seconds, 0, sizeof referee->seconds);
	bool ok = answer(referee, request, got, &out, &err);
	if (!ok)
		memset(reply, 0, sizeof *reply);
	reply->head.type = request->head.type;
	reply->head.ok = ok;
	memcpy(reply->head.seconds, referee->seconds, sizeof referee->seconds);
	memcpy(reply->head.error, err.message, sizeof reply->head.error);
	return channel_send(channel, reply, out.bytes, ok ? out.fd : -1);
}

int main(void)
{
	struct referee referee = {0};
	union request request;
	size_t bytes;
	/* Should the supervisor be killed, nobody would close what we hold. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	int channel = channel_open();
	if (channel < 0) {
		fprintf(stderr, "referee: started by gemmjudge, not by hand\n");
		return 1;
	}
	memset(&request, 0, sizeof request);
	while (channel_receive(channel, &request, sizeof request, &bytes, NULL) &&
		   bytes >= sizeof request.head && serve(&referee, channel, &request, bytes))
		memset(&request, 0, sizeof request);
	referee_close(&referee);
	return 0;
}

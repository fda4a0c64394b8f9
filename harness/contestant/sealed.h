/* Sealed calls: protocol.h says what they are. */
#ifndef GEMMJUDGE_CONTESTANT_SEALED_H
#define GEMMJUDGE_CONTESTANT_SEALED_H

#include "contestant/cudart.h"
#include "contestant/opened.h"
#include "contestant/sealed_device.h"
#include "contestant/solution.h"

struct sealed {
	bool open;                          /* they can be made here */
	const struct sealed_device *device; /* NULL: on the emulated GPU */
	char unavailable[400];              /* why they cannot */
	bool ready;                         /* sealed_prepare() went well */
	enum device_kind kind;
	struct opened opened; /* the group at hand, and its layout */
	struct test_case test;
	uint64_t outputs; /* bit i: buffer i is one */
};

/* Loads what a GPU needs; before the process is closed. */
void sealed_open(struct sealed *sealed, enum device_kind kind);

/* Groups of sets of this layout follow. False and err: there can be none here. */
bool sealed_prepare(struct sealed *sealed, const struct contestant_sealed *request,
					struct error *err);

/* The group behind the descriptor is there from now on. */
cudaError_t sealed_go(struct sealed *sealed, const struct cudart *cudart, int fd);

/* One call on a set of it. The digests are those of the outputs. *left: an error that the call left
 * behind. */
cudaError_t sealed_call(struct sealed *sealed, const struct cudart *cudart,
						struct solution *solution, uint32_t set, struct digest digests[BUFFERS_MAX],
						cudaError_t *left);

/* Gives the group back. */
cudaError_t sealed_end(struct sealed *sealed, const struct cudart *cudart);

#endif

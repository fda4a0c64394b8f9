/* Where a request ends, and which address it has: refused where a proxy before the server may read
 * that otherwise than libmicrohttpd does, so that nobody's request hides in another's. Internal to
 * serve/. */
#ifndef GEMMJUDGE_SERVE_FRAMING_H
#define GEMMJUDGE_SERVE_FRAMING_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/microhttpd.h"

struct framing {
	uint64_t length; /* of the body, as the request says it */
	bool chunked;    /* it does not say it */
};

/* `address`: as it was sent, with its query. False with err: what is odd. */
bool framing_read(const struct microhttpd *mhd, struct MHD_Connection *connection,
				  const char *address, const char *version, struct framing *out, struct error *err);

#endif

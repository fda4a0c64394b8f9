/* Where a server listens. Internal to serve/. */
#ifndef GEMMJUDGE_SERVE_SOCKET_H
#define GEMMJUDGE_SERVE_SOCKET_H

#include <stdbool.h>

#include "base/error.h"

/* Listens at ADDRESS:PORT, a name or a number ([::1]:8080), and says where: *port, and whether
 * only this machine reaches it. The descriptor, or -1 with err. */
int socket_listen(const char *where, unsigned *port, bool *loopback, struct error *err);

/* Whether only this machine reaches it; false with err where it is no address. */
bool socket_is_loopback(const char *where, bool *loopback, struct error *err);

#endif

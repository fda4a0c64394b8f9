/* The connections of a server: how long each may take, and which of them is closed where there are
 * too many. One whose last request showed a token is known, and stays. Of the others, strangers,
 * the oldest is closed for a newcomer: whoever holds many of them holds nobody up who shows a token
 * at once. Behind a proxy all have one address. Every function may be called by several threads.
 * Internal to serve/. */
#ifndef GEMMJUDGE_SERVE_PEERS_H
#define GEMMJUDGE_SERVE_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#define PEERS_OF_USER 64 /* known ones; more of a user's are strangers */
#define PEERS_STREAMS_OF_USER 32
#define PEERS_BYTES ((size_t)64 << 20) /* of the bodies of all requests that are being read, */
#define PEERS_BYTES_OF_USER ((size_t)10 << 20)

struct peers;
struct peer;

/* For so many connections: three eighths for known ones, a quarter for strangers, a sixteenth for
 * those of one address, a quarter for streams. Strangers younger than `grace` seconds stay beyond
 * their share, up to a half of all; the last eighth is for those that are being closed. NULL:
 * memory is short. */
struct peers *peers_open(size_t most, double grace);
void peers_close(struct peers *peers);
void peers_tick(struct peers *peers); /* closes whose time is over; each second or so */

/* A stranger, who has so many seconds. NULL: memory is short. Closing is shutdown(): whoever serves
 * the descriptor notices, and calls peer_end() before it closes it. */
struct peer *peer_begin(struct peers *peers, int fd, const struct sockaddr *address,
						double seconds);
void peer_end(struct peers *peers, struct peer *peer);

void peer_within(struct peers *peers, struct peer *peer, double seconds);

/* Who asks on it now; NULL: a stranger. "" is whoever asks an open server, and has no bounds of a
 * user. */
void peer_asks(struct peers *peers, struct peer *peer, const char *account);

/* What its request holds until peer_lets_go(): so many bytes of a body in place of those before, or
 * a stream of events. */
enum peer_answer { PEER_MAY, PEER_USER_HAS_ALL, PEER_ALL_ARE_TAKEN };
enum peer_answer peer_holds(struct peers *peers, struct peer *peer, size_t bytes);
enum peer_answer peer_streams(struct peers *peers, struct peer *peer);
void peer_lets_go(struct peers *peers, struct peer *peer);

#endif

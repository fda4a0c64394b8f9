#include "serve/peers.h"

#include <float.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "store/accounts.h"

#define NETWORK 8 /* bytes of an IPv6 address that are a customer's network */

struct peer {
	struct peer *next, *previous; /* older ones come behind */
	int fd;
	double begun, deadline;
	unsigned char address[NETWORK];
	char account[ACCOUNT_NAME];
	bool known, streams, closing;
	size_t bytes;
};

struct peers {
	pthread_mutex_t mutex;
	struct peer ring;
	size_t most;
	double grace; /* seconds */
};

struct peers *peers_open(size_t most, double grace)
{
	struct peers *peers = calloc(1, sizeof *peers);
	if (peers == NULL)
		return NULL;
	peers->most = most;
	peers->grace = grace;
	peers->ring.next = peers->ring.previous = &peers->ring;
	pthread_mutex_init(&peers->mutex, NULL);
	return peers;
}

void peers_close(struct peers *peers)
{
	if (peers == NULL)
		return;
	pthread_mutex_destroy(&peers->mutex);
	free(peers);
}

static void hold(struct peers *peers)
{
	pthread_mutex_lock(&peers->mutex);
}

static void release(struct peers *peers)
{
	pthread_mutex_unlock(&peers->mutex);
}

static void drop(struct peer *peer)
{
	shutdown(peer->fd, SHUT_RDWR);
	peer->deadline = DBL_MAX;
	peer->closing = true;
}

void peers_tick(struct peers *peers)
{
	const double now = clock_seconds();
	hold(peers);
	for (struct peer *peer = peers->ring.next; peer != &peers->ring; peer = peer->next)
		if (now > peer->deadline)
			drop(peer);
	release(peers);
}

/* ---- they come and go ------------------------------------------------------------------- */

/* An IPv4 address also as IPv6 writes it; other kinds have none. */
static void address_of(const struct sockaddr *address, unsigned char out[NETWORK])
{
	memset(out, 0, NETWORK);
	if (address != NULL && address->sa_family == AF_INET) {
		memcpy(out, &((const struct sockaddr_in *)address)->sin_addr, 4);
	} else if (address != NULL && address->sa_family == AF_INET6) {
		const struct in6_addr *long_one = &((const struct sockaddr_in6 *)address)->sin6_addr;
		const bool mapped = IN6_IS_ADDR_V4MAPPED(long_one);
		memcpy(out, long_one->s6_addr + (mapped ? 12 : 0), mapped ? 4 : NETWORK);
	}
}

/* Whether it has sent what nobody has read yet: then it is not the one that is slow. */
static bool waits_for_us(const struct peer *peer)
{
	int bytes = 0;
	return ioctl(peer->fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

/* Strangers: how many, and the oldest that has nothing to wait for; `old`: beyond the grace. */
struct strangers {
	size_t count;
	struct peer *oldest, *old;
};

/* The older ones come first. */
static void count_in(struct strangers *strangers, struct peer *peer, double old_before)
{
	strangers->count++;
	if (strangers->oldest != NULL || waits_for_us(peer))
		return;
	strangers->oldest = peer;
	strangers->old = peer->begun <= old_before ? peer : NULL;
}

/* Closes a stranger where there are too many, of this one's address or of all; whether it did. */
static bool make_room(struct peers *peers, const struct peer *newest)
{
	struct strangers all = {0}, near = {0};
	const double old_before = newest->begun - peers->grace;
	for (struct peer *peer = peers->ring.previous; peer != &peers->ring; peer = peer->previous) {
		if (peer->known || peer->closing || peer == newest)
			continue;
		count_in(&all, peer, old_before);
		if (memcmp(peer->address, newest->address, NETWORK) == 0)
			count_in(&near, peer, old_before);
	}
	const bool of_address = near.count >= peers->most / 16;
	struct peer *victim = of_address ? near.old : NULL;
	if (victim == NULL && all.count >= peers->most / 4)
		victim = all.old;
	if (victim == NULL && all.count >= peers->most / 2)
		victim = of_address ? near.oldest : all.oldest;
	if (victim != NULL)
		drop(victim);
	return victim != NULL;
}

struct peer *peer_begin(struct peers *peers, int fd, const struct sockaddr *address, double seconds)
{
	struct peer *peer = calloc(1, sizeof *peer);
	if (peer == NULL)
		return NULL;
	peer->fd = fd;
	peer->begun = clock_seconds();
	peer->deadline = peer->begun + seconds;
	address_of(address, peer->address);
	hold(peers);
	peer->next = peers->ring.next;
	peer->previous = &peers->ring;
	peer->next->previous = peer->previous->next = peer;
	if (make_room(peers, peer))
		make_room(peers, peer); /* so that what the grace let in becomes less */
	release(peers);
	return peer;
}

void peer_end(struct peers *peers, struct peer *peer)
{
	if (peer == NULL)
		return;
	hold(peers);
	peer->next->previous = peer->previous;
	peer->previous->next = peer->next;
	release(peers);
	free(peer);
}

void peer_within(struct peers *peers, struct peer *peer, double seconds)
{
	hold(peers);
	if (peer != NULL && !peer->closing)
		peer->deadline = clock_seconds() + seconds;
	release(peers);
}

/* ---- what each user has ------------------------------------------------------------------- */

struct sum {
	size_t known, streams, bytes;
};

static void add(struct sum *sum, const struct peer *peer)
{
	sum->known += peer->known;
	sum->streams += peer->streams;
	sum->bytes += peer->bytes;
}

/* What others than `peer` have: all of them, and those of its user, which an open server does not
 * have. */
static void sum_up(const struct peers *peers, const struct peer *peer, struct sum *all,
				   struct sum *of_user)
{
	*all = *of_user = (struct sum){0};
	for (const struct peer *other = peers->ring.next; other != &peers->ring; other = other->next) {
		if (other == peer || (!other->known && !other->streams && other->bytes == 0))
			continue;
		add(all, other);
		if (peer->account[0] != '\0' && strcmp(other->account, peer->account) == 0)
			add(of_user, other);
	}
}

void peer_asks(struct peers *peers, struct peer *peer, const char *account)
{
	struct sum all, of_user;
	if (peer == NULL)
		return;
	hold(peers);
	snprintf(peer->account, sizeof peer->account, "%s", account != NULL ? account : "");
	sum_up(peers, peer, &all, &of_user);
	peer->known =
		account != NULL && of_user.known < PEERS_OF_USER && all.known < 3 * peers->most / 8;
	release(peers);
}

static enum peer_answer answer_of(bool user_has_all, bool all_are_taken)
{
	return user_has_all ? PEER_USER_HAS_ALL : all_are_taken ? PEER_ALL_ARE_TAKEN : PEER_MAY;
}

enum peer_answer peer_holds(struct peers *peers, struct peer *peer, size_t bytes)
{
	struct sum all, of_user;
	if (peer == NULL)
		return PEER_ALL_ARE_TAKEN;
	hold(peers);
	sum_up(peers, peer, &all, &of_user);
	const enum peer_answer answer =
		answer_of(of_user.bytes + bytes > PEERS_BYTES_OF_USER, all.bytes + bytes > PEERS_BYTES);
	if (answer == PEER_MAY)
		peer->bytes = bytes;
	release(peers);
	return answer;
}

enum peer_answer peer_streams(struct peers *peers, struct peer *peer)
{
	struct sum all, of_user;
	if (peer == NULL)
		return PEER_ALL_ARE_TAKEN;
	hold(peers);
	sum_up(peers, peer, &all, &of_user);
	const enum peer_answer answer =
		answer_of(of_user.streams >= PEERS_STREAMS_OF_USER, all.streams >= peers->most / 4);
	peer->streams = answer == PEER_MAY;
	release(peers);
	return answer;
}

void peer_lets_go(struct peers *peers, struct peer *peer)
{
	hold(peers);
	if (peer != NULL) {
		peer->streams = false;
		peer->bytes = 0;
	}
	release(peers);
}

/* links: serve; label: threads */
/* Which connections stay where there are too many, and what each user may have. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "serve/peers.h"

#define MOST 64 /* 24 known ones, 16 strangers, 16 streams, 4 of an address */
#define ENDS 80

static struct peers *peers;
static struct peer *made[ENDS];
static int ours[ENDS], theirs[ENDS];
static size_t count;

static void begin(void)
{
	peers = peers_open(MOST, 0);
	cr_assert_not_null(peers);
	count = 0;
}

static void end(void)
{
	for (size_t i = 0; i < count; i++) {
		peer_end(peers, made[i]);
		close(ours[i]);
		close(theirs[i]);
	}
	peers_close(peers);
}

TestSuite(peers, .init = begin, .fini = end);

static struct peer *from(const char *address, double seconds)
{
	int pair[2];
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	struct sockaddr_in four = {.sin_family = AF_INET};
	const bool is_four = inet_pton(AF_INET, address, &four.sin_addr) == 1;
	cr_assert(is_four || inet_pton(AF_INET6, address, &six.sin6_addr) == 1);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ours[count] = pair[0];
	theirs[count] = pair[1];
	const struct sockaddr *any =
		is_four ? (const struct sockaddr *)&four : (const struct sockaddr *)&six;
	made[count] = peer_begin(peers, pair[0], any, seconds);
	cr_assert_not_null(made[count]);
	return made[count++];
}

static bool is_closed(size_t i)
{
	struct pollfd polled = {.fd = theirs[i], .events = POLLIN};
	return poll(&polled, 1, 0) == 1;
}

static void expect_closed(size_t from_here, size_t to)
{
	for (size_t i = 0; i < count; i++)
		cr_expect_eq(is_closed(i), i >= from_here && i < to, "connection %zu", i);
}

static struct peer *stranger(size_t i)
{
	char address[32];
	snprintf(address, sizeof address, "10.0.%zu.1", i);
	return from(address, 60);
}

Test(peers, the_oldest_stranger_leaves)
{
	for (size_t i = 0; i < 20; i++)
		stranger(i);
	expect_closed(0, 4);
}

Test(peers, who_showed_a_token_stays)
{
	peer_asks(peers, stranger(0), "ada");
	for (size_t i = 1; i < 20; i++)
		stranger(i);
	expect_closed(1, 4);
	peer_asks(peers, made[0], NULL); /* and is a stranger as soon as a request shows none */
	stranger(20);
	cr_expect(is_closed(0));
}

Test(peers, an_address_has_its_share)
{
	stranger(0);
	for (size_t i = 0; i < 6; i++)
		from("10.1.1.1", 60);
	expect_closed(1, 3);
	from("::ffff:10.1.1.1", 60); /* the same */
	expect_closed(1, 4);
}

Test(peers, a_network_of_ipv6_is_one_address)
{
	from("2001:db8:0:1::1", 60);
	for (size_t i = 0; i < 2; i++) {
		from("2001:db8:0:2::1", 60);
		from("2001:db8:0:2:ffff::2", 60);
	}
	expect_closed(0, 0);
	from("2001:db8:0:2::3", 60);
	expect_closed(1, 2);
}

Test(peers, are_closed_when_their_time_is_over)
{
	from("10.0.0.1", -1);
	from("10.0.0.2", 60);
	peer_within(peers, from("10.0.0.3", 60), -1);
	peers_tick(peers);
	cr_expect(is_closed(0) && !is_closed(1) && is_closed(2));
}

Test(peers, known_ones_are_bounded)
{
	for (size_t i = 0; i < 40; i++) { /* of as many users: 24 are known, 16 are strangers */
		char name[8];
		snprintf(name, sizeof name, "u%zu", i);
		peer_asks(peers, stranger(i), name);
	}
	for (size_t i = 40; i < 44; i++)
		stranger(i);
	expect_closed(24, 28);
}

Test(peers, a_burst_is_borne_for_a_moment)
{
	peers_close(peers);
	peers = peers_open(MOST, 60);
	for (size_t i = 0; i < 32; i++)
		stranger(i);
	expect_closed(0, 0);
	stranger(32);
	expect_closed(0, 1);
}

Test(peers, who_waits_for_us_stays)
{
	stranger(0);
	stranger(1);
	cr_assert_eq(write(theirs[0], "GET", 3), 3);
	for (size_t i = 2; i < 18; i++)
		stranger(i);
	expect_closed(1, 3);
}

Test(peers, streams_are_bounded)
{
	for (size_t i = 0; i < 16; i++) {
		peer_asks(peers, stranger(i), i < 8 ? "ada" : "bob");
		cr_expect_eq(peer_streams(peers, made[i]), PEER_MAY);
	}
	peer_asks(peers, stranger(16), "cy");
	cr_expect_eq(peer_streams(peers, made[16]), PEER_ALL_ARE_TAKEN);
	peer_lets_go(peers, made[0]);
	cr_expect_eq(peer_streams(peers, made[16]), PEER_MAY);
}

Test(peers, bodies_are_bounded)
{
	const size_t piece = PEERS_BYTES_OF_USER / 2;
	size_t held = 0;
	for (size_t i = 0; i < 3; i++)
		peer_asks(peers, stranger(i), "ada");
	cr_expect_eq(peer_holds(peers, made[0], piece), PEER_MAY);
	cr_expect_eq(peer_holds(peers, made[0], piece + 1), PEER_MAY, "in place of what it had");
	cr_expect_eq(peer_holds(peers, made[1], piece), PEER_USER_HAS_ALL);
	peer_lets_go(peers, made[0]);
	cr_expect_eq(peer_holds(peers, made[1], piece), PEER_MAY);
	for (size_t i = 3; i < 20; i++) { /* an open server has no users */
		peer_asks(peers, stranger(i), "");
		held += peer_holds(peers, made[i], piece) == PEER_MAY;
	}
	cr_expect_eq(held, PEERS_BYTES / piece - 1);
	cr_expect_eq(peer_holds(peers, stranger(20), piece), PEER_ALL_ARE_TAKEN);
}

#include "serve/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAITING_CONNECTIONS 4096 /* who comes beside very many others waits for none of them */

static struct addrinfo *look_up(const char *where, struct error *err)
{
	char host[256];
	const char *colon = strrchr(where, ':'), *begin = where;
	size_t length = colon != NULL ? (size_t)(colon - where) : 0;
	if (length >= 2 && where[0] == '[' && where[length - 1] == ']') {
		begin++;
		length -= 2;
	}
	if (length == 0 || length >= sizeof host || colon[1] == '\0' ||
		colon[1 + strspn(colon + 1, "0123456789")] != '\0') {
		error_set(err, "--listen %s: ADDRESS:PORT is needed, such as 127.0.0.1:8080", where);
		return NULL;
	}
	memcpy(host, begin, length);
	host[length] = '\0';
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
								   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	struct addrinfo *found = NULL;
	const int failed = getaddrinfo(host, colon + 1, &hints, &found);
	if (failed != 0)
		error_set(err, "--listen %s: %s", where, gai_strerror(failed));
	return failed == 0 ? found : NULL;
}

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return (ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24) == 127;
	return address->sa_family == AF_INET6 &&
		   IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

static unsigned port_of(int fd)
{
	struct sockaddr_in6 address = {0}; /* a port is at the same place in both kinds */
	socklen_t length = sizeof address;
	if (getsockname(fd, (struct sockaddr *)&address, &length) != 0)
		return 0;
	return ntohs(address.sin6_port);
}

bool socket_is_loopback(const char *where, bool *loopback, struct error *err)
{
	struct addrinfo *found = look_up(where, err);
	if (found == NULL)
		return false;
	*loopback = is_loopback(found->ai_addr);
	freeaddrinfo(found);
	return true;
}

int socket_listen(const char *where, unsigned *port, bool *loopback, struct error *err)
{
	static const int on = 1;
	struct addrinfo *found = look_up(where, err);
	if (found == NULL)
		return -1;
	const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
		bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, WAITING_CONNECTIONS) == 0) {
		*loopback = is_loopback(found->ai_addr);
		*port = port_of(fd);
		freeaddrinfo(found);
		return fd;
	}
	error_set(err, "cannot listen at %s: %s", where, strerror(errno));
	if (fd >= 0)
		close(fd);
	freeaddrinfo(found);
	return -1;
}

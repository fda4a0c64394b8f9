#include "serve/server.h"

#include "store/accounts.h"

bool server_is_open(const struct server *server)
{
	return server->loopback && !accounts_any(server->jobs);
}

void server_count(struct server *server, const char *verdict, double seconds)
{
	pthread_mutex_lock(&server->mutex);
	const json_int_t before = json_integer_value(json_object_get(server->verdicts, verdict));
	json_object_set_new(server->verdicts, verdict, json_integer(before + 1));
	server->seconds += seconds;
	pthread_mutex_unlock(&server->mutex);
}

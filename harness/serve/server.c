#include "serve/server.h"

#include "store/accounts.h"

bool server_has_users(struct server *server)
{
	bool some = true; /* where it cannot be read */
	if (!server->had_users && accounts_any(server->jobs, &some))
		server->had_users = some;
	return server->had_users || some;
}

bool server_is_open(struct server *server)
{
	return server->loopback && !server_has_users(server);
}

void server_count(struct server *server, const char *verdict, double seconds)
{
	pthread_mutex_lock(&server->mutex);
	const json_int_t before = json_integer_value(json_object_get(server->verdicts, verdict));
	json_object_set_new(server->verdicts, verdict, json_integer(before + 1));
	server->seconds += seconds;
	pthread_mutex_unlock(&server->mutex);
}

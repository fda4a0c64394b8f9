/* Times of different compilers, or beside different libraries, on one board. */
#include <stdio.h>
#include <string.h>

#include "store/leaderboard.h"

static const char *version_of(const struct leader *leader, enum board_version kind)
{
	const char *version = kind == BOARD_NVCC ? leader->run->nvcc : measured_library(leader->run);
	return version[0] != '\0' ? version : "unknown";
}

static bool is_first(const struct board *board, enum board_version kind, size_t index)
{
	const char *version = version_of(&board->leaders[index], kind);
	for (size_t i = 0; i < index; i++)
		if (strcmp(version_of(&board->leaders[i], kind), version) == 0)
			return false;
	return true;
}

static bool has_several(const struct board *board, enum board_version kind)
{
	size_t known = 0;
	for (size_t i = 0; i < board->count; i++)
		known += is_first(board, kind, i) &&
				 strcmp(version_of(&board->leaders[i], kind), "unknown") != 0;
	return known > 1;
}

/* Behind what `out` holds, as far as there is room. */
static void print_version(const struct board *board, enum board_version kind, size_t first,
						  char out[BOARD_VERSIONS])
{
	const char *version = version_of(&board->leaders[first], kind), *between = " (";
	size_t used = strlen(out);
	snprintf(out + used, BOARD_VERSIONS - used, "%s %.63s", first > 0 ? "," : "", version);
	for (size_t i = first; i < board->count; i++) {
		if (strcmp(version_of(&board->leaders[i], kind), version) != 0)
			continue;
		used = strlen(out);
		snprintf(out + used, BOARD_VERSIONS - used, "%s#%lld", between,
				 (long long)board->leaders[i].run->id);
		between = ", ";
	}
	used = strlen(out);
	snprintf(out + used, BOARD_VERSIONS - used, ")");
}

bool board_versions(const struct board *board, enum board_version kind, char out[BOARD_VERSIONS])
{
	if (!has_several(board, kind))
		return false;
	snprintf(out, BOARD_VERSIONS,
			 "not all %s:", kind == BOARD_NVCC ? "of one nvcc" : "beside one library");
	for (size_t i = 0; i < board->count; i++)
		if (is_first(board, kind, i))
			print_version(board, kind, i, out);
	return true;
}

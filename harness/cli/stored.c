#include "cli/stored.h"

#include "store/place.h"

bool stored_find(const struct options *options, const struct store_filter *filter,
				 struct measured_list *out, struct error *err)
{
	char path[PATHS_MAX];
	*out = (struct measured_list){0};
	return store_needed(options->store, path, err) && store_find(path, filter, out, err);
}

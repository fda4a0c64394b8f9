/* Folders that others have filled. */
#ifndef GEMMJUDGE_BASE_REMOVE_H
#define GEMMJUDGE_BASE_REMOVE_H

#include <stdbool.h>

/* Removes the folder with all that is in it, however deep and whatever its modes; no symbolic link
 * is followed. For folders that nobody writes to any more. Whether it is gone. */
bool remove_folder(const char *path);

#endif

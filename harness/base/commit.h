/* Which gemmjudge this is. */
#ifndef GEMMJUDGE_BASE_COMMIT_H
#define GEMMJUDGE_BASE_COMMIT_H

/* "661b39c", "661b39c+" where tracked files had been changed since, "" where it was not built from
 * a checkout. */
const char *commit_of_build(void);

#endif

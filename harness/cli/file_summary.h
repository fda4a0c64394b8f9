/* What a source says of itself. */
#ifndef GEMMJUDGE_CLI_FILE_SUMMARY_H
#define GEMMJUDGE_CLI_FILE_SUMMARY_H

#define FILE_SUMMARY_MAX 160

/* The first sentence of a file's opening comment, "" when there is none. */
void file_summary(const char *path, char out[FILE_SUMMARY_MAX]);

#endif

/* The words of --check and --sanitize. */
#ifndef GEMMJUDGE_JUDGE_OPTIONS_CHECKS_H
#define GEMMJUDGE_JUDGE_OPTIONS_CHECKS_H

/* What an emulated GPU can be watched for beyond what a GPU refuses itself; NULL after the last. */
extern const char *const checks_of_emulated[];

/* The checks of compute-sanitizer; NULL after the last. */
extern const char *const checks_of_sanitizer[];

#endif

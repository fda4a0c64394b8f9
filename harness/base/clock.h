/* Seconds, for durations and deadlines. */
#ifndef GEMMJUDGE_BASE_CLOCK_H
#define GEMMJUDGE_BASE_CLOCK_H

/* Of a clock that nobody sets, from some moment on. Async-signal-safe. */
double clock_seconds(void);

#endif

/* Which GPU is emulated, and how closely it is watched. An emulated GPU is told
 * by environment variables, which are handed over apart (process/settings.h); only emulated.c knows
 * their names. Internal to judge/. */
#ifndef GEMMJUDGE_JUDGE_RUN_EMULATED_H
#define GEMMJUDGE_JUDGE_RUN_EMULATED_H

#include "base/error.h"
#include "base/paths.h"
#include "judge/options/options.h"

/* Whether the options suit a device that is named ("auto" suits them as yet). */
bool emulated_options(const struct judge_options *options, struct error *err);

/* Whether the options suit the device that was opened; names it after the GPU, and its
 * architecture for nvcc, when it is an emulated one. */
bool emulated_device(const struct judge_options *options, enum device_kind kind,
					 struct device_properties *facts, struct error *err);

/* Whether a case is left out, and the line that says so: on the emulated GPU, one of more products
 * (M N K, times the batch) than a plain kernel computes there within `timeout` seconds. */
bool emulated_too_large(const struct judge_options *options, enum device_kind kind, double timeout,
						const struct test_case *test, char detail[1024]);

/* The seconds that such a case gets where it is run all the same; else `timeout`. */
double emulated_timeout(const struct judge_options *options, enum device_kind kind, double timeout,
						const struct test_case *test);

/* How calls of the case draw the order of blocks, and of kernels, where CUDA leaves
 * it open (emulator/launch/order.h): four cases in a row have all kinds of orders. */
uint64_t emulated_order(const struct judge_options *options, const struct test_case *test);
/* Such an order for a call by its index, where calls of one case follow one another. */
uint64_t emulated_order_at(const struct judge_options *options, uint64_t index);
/* Another one for a second call of the same case. */
uint64_t emulated_order_other(uint64_t order);
/* Warp instructions that a launch may take in the case, whatever the machine does beside it. */
uint64_t emulated_steps(const struct judge_options *options, const struct test_case *test);

/* The emulated GPU that answers questions about itself as the run's device does, as a setting
 * ("NAME=VALUE"). False: there is none. */
#define EMULATED_VARIABLE 40
bool emulated_twin(const struct judge_options *options, enum device_kind kind,
				   const struct device_properties *facts, char setting[EMULATED_VARIABLE]);

/* One solution's processes. */
struct emulated_watch {
	char variables[5][64];
	char *serialised, *registers; /* two more, as long as they have to be; NULL: none */
	const char *settings[8];      /* "NAME=VALUE", NULL-ended, for contestant_setup */
};

struct entrant; /* run.h */

/* `emulated`: whether the device is. Of the entrant: what ptxas says of its kernels. */
void emulated_watch_open(struct emulated_watch *watch, const struct judge_options *options,
						 bool emulated, const struct entrant *entrant);
/* Of an entrant whose kernels' registers nobody knows: the emulated GPU says where they matter. */
#define EMULATED_ASKS "?"
/* Whether it has said so, in what a process printed or in how a call failed. */
bool emulated_asks_registers(const char *text);
/* The environment with races looked for, into `out`. False: something else was asked for. */
#define EMULATED_VARIABLES 11
bool emulated_with_races(const char *const *environment, const char *out[EMULATED_VARIABLES]);
/* Ways to read operands of wgmma (EMULATED_GPU_SWIZZLE); NULL after the last. */
extern const char *const emulated_swizzles[];
/* The environment with one of these, as "NAME=VALUE". */
bool emulated_with_swizzle(const char *const *environment, const char *swizzle,
						   char variable[EMULATED_VARIABLE], const char *out[EMULATED_VARIABLES]);
/* The finding of a race in what a process printed; NULL: there is none. */
const char *emulated_race(const char *output);
/* Whether what a process printed has a finding of a wgmma that lacks a fence or a wait. */
bool emulated_finds_wgmma(const char *output);
/* The first function that a process called, or instruction that a kernel of it has, that the
 * emulated GPU has not, from what it printed. False: there is none. */
#define EMULATED_FUNCTION 64
bool emulated_lacked(const char *output, char function[EMULATED_FUNCTION]);
/* When the processes are gone. */
void emulated_watch_close(struct emulated_watch *watch);

#endif

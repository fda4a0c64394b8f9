/* Instructions that read or make undefined values (undefined.h), carried out and followed. */
#ifndef EMULATOR_EXEC_FOLLOW_H
#define EMULATOR_EXEC_FOLLOW_H

#include "emulator/exec/undefined.h"

/* Carries an instruction out and follows what it does. mask: may be 0. */
enum exec_status exec_follow(struct warp *warp, const struct exec_instruction *in, uint32_t mask);

enum exec_status exec_follow_load(struct warp *warp, const struct exec_instruction *in,
								  uint32_t mask, int kind);
enum exec_status exec_follow_store(struct warp *warp, const struct exec_instruction *in,
								   uint32_t mask, int kind);

enum exec_status exec_follow_mma(struct warp *warp, const struct exec_instruction *in,
								 uint32_t mask);

/* Whether the instruction only writes registers, lane by lane. */
bool exec_follow_computes(const struct warp *warp, const struct exec_instruction *in);
/* Whether nothing but registers depends on what these lanes do between a branch and its join;
 * `follow`: exec_follow(). */
typedef enum exec_status exec_following(struct warp *warp, const struct exec_instruction *in,
										uint32_t mask);
bool exec_follow_harmless(struct warp *warp, const struct exec_region *region, uint32_t lanes,
						  exec_following *follow);

/* What a wgmma read from shared memory: whether row i of A, column i of B is undefined. */
struct exec_wgmma_reads {
	bool any, a[64], b[256];
	struct exec_read read;
};
/* A wgmma of these four warps has been carried out; false without memory. */
bool exec_follow_wgmma(struct warp *warps[4], const struct exec_instruction *in, bool scale_d,
					   const struct exec_wgmma_reads *reads);
/* The end of an instruction that completed a wgmma: the warp leaves the ordinary loop, when it has
 * undefined registers now. */
enum exec_status exec_follow_on(struct warp *warp, const struct exec_instruction *in);

#endif

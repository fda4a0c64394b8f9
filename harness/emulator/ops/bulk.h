/* Bulk copies under way (cp.async.bulk): when their bytes land.
 *
 * Bytes land at once or when something waits for them (exec_pending_early): a kernel that does
 * not wait is told so, whatever it sees. */
#ifndef EMULATOR_OPS_BULK_H
#define EMULATOR_OPS_BULK_H

#include "emulator/exec/cluster.h"
#include "emulator/exec/program.h"

/* Lands the bulk copies that complete on an mbarrier: somebody looks at it. */
void bulk_land(struct exec_block *block, uint64_t offset);
/* Somebody saw the mbarrier's last phase completed, and with it the copies that landed in it. */
void bulk_seen(struct exec_block *block, uint64_t offset);
/* At the end of a cluster: stores that nobody waited for still happen, and loads that nobody waited
 * for are a fault. */
enum exec_status bulk_finish(struct exec_cluster *cluster);
/* Takes the tensor map and the coordinates of a copy from the operands; false after a fault. */
struct bulk;
bool bulk_read_map(struct warp *warp, const struct exec_instruction *in, int lane,
				   struct bulk *out);

#endif

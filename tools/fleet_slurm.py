"""A fleet on a Slurm cluster: job arrays of one file a task, and what Slurm says of them."""

import os
import re
import shlex
import subprocess

from fleet_folder import Fault, now, read_json, shown, write_json

WAITING = ("PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD")
RUNNING = ("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT")


def slurm(*command, text=None):
    """What a command of Slurm prints; a Fault with its own words where it fails."""
    try:
        ended = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                               env={**os.environ, "SLURM_BITSTR_LEN": "0"})  # lists of indices are not cut short
    except FileNotFoundError:
        raise Fault(f"no {command[0]} here, as this machine belongs to no Slurm cluster") from None
    if ended.returncode != 0:
        said = (ended.stderr.decode("utf-8", "replace").strip().splitlines() or ["it failed"])[-1]
        raise Fault(shown(said if said.startswith(command[0]) else f"{command[0]}: {said}"))
    return ended.stdout.decode("utf-8", "replace")


def array_size():
    """How many tasks an array may have here."""
    try:
        found = re.search(r"^MaxArraySize\s*=\s*(\d+)", slurm("scontrol", "show", "config"), re.M)
    except Fault as fault:
        raise Fault(f"{fault}: --local N judges without Slurm, N files at a time") from None
    size = int(found[1]) if found else 1001
    if size < 1:
        raise Fault("this Slurm has no job arrays (its MaxArraySize is 0)")
    return size


# ---- batches -----------------------------------------------------------------------------


def batch_path(fleet, number):
    return fleet.path / "slurm" / f"batch-{number}.json"


def batches(fleet):
    """Those there are, by number."""
    out = {}
    while True:
        batch = read_json(batch_path(fleet, len(out) + 1))
        if batch is None:
            return out
        if not isinstance(batch.get("tasks"), list) or not all(isinstance(task, int) for task in batch["tasks"]):
            raise Fault(f"{shown(batch_path(fleet, len(out) + 1))} is no batch of tasks")
        out[len(out) + 1] = batch


def job_name(fleet, batch):
    return f"{fleet.what['name']}-{batch}"


def submit(fleet, tasks, script, options, at_once):
    """As many arrays as it takes; with a limit of tasks at once, one after the other. The tasks are
    written down before sbatch is asked. Returns the numbers of the jobs."""
    size, first, jobs = array_size(), len(batches(fleet)) + 1, []
    for number, start in enumerate(range(0, len(tasks), size), first):
        chunk = tasks[start:start + size]
        batch = {"tasks": chunk, "user": os.getuid(), "made": now(), "job": None}
        write_json(batch_path(fleet, number), batch)
        command = ["sbatch", "--parsable", *options, f"--job-name={job_name(fleet, number)}",
                   f"--array=0-{len(chunk) - 1}{f'%{at_once}' if at_once else ''}", "--output=%A_%a.txt",
                   f"--chdir={fleet.path / 'slurm'}"]
        if at_once and jobs:
            command.append(f"--dependency=afterany:{jobs[-1]}")
        try:
            said = slurm(*command, text=os.fsencode(
                f"#!/bin/sh\nexec {shlex.quote(script)} task {shlex.quote(str(fleet.path))} --batch {number}\n"))
        except Fault as fault:
            batch_path(fleet, number).unlink()
            done = f" ({len(jobs)} arrays were submitted before it; submit again for the rest)" if jobs else ""
            raise Fault(f"{fault}{done}") from None
        batch["job"] = said.strip().split(";")[0]
        write_json(batch_path(fleet, number), batch)
        jobs.append(batch["job"])
    return jobs


def task_of(fleet, batch):
    """The task that this process is to run, by its index in its array."""
    tasks, index = batches(fleet)[batch]["tasks"], int(os.environ["SLURM_ARRAY_TASK_ID"])
    return tasks[index]


# ---- what Slurm says of them -------------------------------------------------------------


def expand(index):
    """The indices of "7" or of "[0-3,7%2]"."""
    out = []
    for part in index.strip("[]").split("%")[0].split(","):
        low, _, high = part.partition("-")
        if low.isdigit() and (high.isdigit() or not high):
            out += range(int(low), int(high or low) + 1)
    return out


def from_squeue(fleet, known):
    """(batch, index) -> (state, where or why) of those that Slurm has not forgotten (after 5 minutes)."""
    out, rest, names = {}, {}, {job_name(fleet, number): number for number in known}
    for user in sorted({str(batch.get("user", os.getuid())) for batch in known.values()}):
        for line in slurm("squeue", "-h", "-r", "-t", "all", "-u", user, "-o", "%j|%K|%T|%N|%r").splitlines():
            name, index, state, node, reason = (line.split("|") + 4 * [""])[:5]
            if name not in names:
                continue
            said = (state, f"on {node}" if node else reason)
            out.update({(names[name], i): said for i in expand(index)})
            if not expand(index):  # "N/A": the last one of an array, cancelled before it began
                rest.update({(names[name], i): said for i in range(len(known[names[name]]["tasks"]))})
    return {**rest, **out}


def from_sacct(known):
    """The same from accounting, of old jobs; nothing where there is none."""
    jobs = {str(batch["job"]): number for number, batch in known.items() if batch.get("job")}
    try:
        said = slurm("sacct", "-n", "-X", "-P", "-j", ",".join(jobs), "-o", "JobID,State,NodeList") if jobs else ""
    except Fault:
        return {}
    out = {}
    for line in said.splitlines():
        job, state, node = (line.split("|") + 2 * [""])[:3]
        job, _, index = job.partition("_")
        for i in expand(index) if job in jobs else []:
            out[jobs[job], i] = (state.split()[0] if state else "", f"on {node}" if node and "None" not in node else "")
    return out


def states(fleet):
    """By task, in its last array: (state, where or why, its number in Slurm)."""
    known = batches(fleet)
    if not known:
        return {}
    said = from_squeue(fleet, known)
    forgotten = {number: batch for number, batch in known.items()
                 if any((number, i) not in said for i in range(len(batch["tasks"])))}
    said = {**from_sacct(forgotten), **said}
    out = {}
    for number, batch in sorted(known.items()):
        for index, task in enumerate(batch["tasks"]):
            state, where = said.get((number, index), ("", ""))
            out[task] = (state, where, f"{batch['job'] or '?'}_{index}")
    return out

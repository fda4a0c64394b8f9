"""tools/pace: many judgements, their seconds, and where these go."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

FILES = int(os.environ.get("FILES", "64"))
CASES = 16
TIMED, FEW = 24, 6  # files of a batch with times, and of one by the older build
DEVICE = os.environ.get("DEVICE", "cuda:0")
EMULATED = DEVICE.startswith("emu")

NAIVE = """#include <cuda_runtime.h>
__global__ void product_{n}(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{{
	const int column = blockIdx.x * {width} + threadIdx.x, row = blockIdx.y * {height} + threadIdx.y;
	if (row >= M || column >= N)
		return;
	float sum = 0.0f;
	for (int k = 0; k < K; k++)
		sum += A[(size_t)row * K + k] * B[(size_t)k * N + column];
	const size_t at = (size_t)row * N + column;
	C[at] = beta == 0.0f ? alpha * sum : alpha * sum + beta * C[at];
}}
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{{
	const dim3 block({width}, {height}), grid((N + {width} - 1) / {width}, (M + {height} - 1) / {height});
	product_{n}<<<grid, block>>>(A, B, C, M, N, K, alpha, beta);
}}
"""
TILED = """#include <cuda_runtime.h>
constexpr int tile = {tile};
__global__ void product_{n}(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{{
	__shared__ float a[tile][tile], b[tile][tile];
	const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * tile + x, row = blockIdx.y * tile + y;
	float sum = 0.0f;
	for (int first = 0; first < K; first += tile) {{
		a[y][x] = row < M && first + x < K ? A[(size_t)row * K + first + x] : 0.0f;
		b[y][x] = column < N && first + y < K ? B[(size_t)(first + y) * N + column] : 0.0f;
		__syncthreads();
		for (int k = 0; k < tile; k++)
			sum += a[y][k] * b[k][x];
		__syncthreads();
	}}
	if (row >= M || column >= N)
		return;
	const size_t at = (size_t)row * N + column;
	C[at] = beta == 0.0f ? alpha * sum : alpha * sum + beta * C[at];
}}
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{{
	const dim3 block(tile, tile), grid((N + tile - 1) / tile, (M + tile - 1) / tile);
	product_{n}<<<grid, block>>>(A, B, C, M, N, K, alpha, beta);
}}
"""


def source(n):
    """One of many files that differ in more than a name: half of them naive, half tiled."""
    if n % 2:
        return TILED.format(n=n, tile=(8, 16, 32)[n // 2 % 3])
    width, height = ((32, 8), (16, 16), (64, 4), (128, 2), (32, 32))[n // 2 % 5]
    return NAIVE.format(n=n, width=width, height=height)


class Runs:
    """Runs of one program, in a folder with a cache of its own."""

    def __init__(self, name, program, work):
        self.name, self.program = name, program
        self.cache = os.path.join(work, "cache-" + name)
        self.work = work
        self.environment = dict(os.environ, GEMMJUDGE_STORE="none", GEMMJUDGE_CACHE=self.cache)

    def forget(self):
        shutil.rmtree(self.cache, ignore_errors=True)

    def run(self, *words):
        """Seconds of the clock and of processors."""
        before, begun = os.times(), time.monotonic()
        done = subprocess.run([self.program, *words], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        seconds, after = time.monotonic() - begun, os.times()
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{self.name}: {' '.join(words)}: {done.stderr[-400:]}")
        return {"seconds": seconds,
                "processor": after.children_user + after.children_system - before.children_user -
                before.children_system}

    def batch(self, count, *words):
        requests, answers = (os.path.join(self.work, name) for name in ("requests", "answers"))
        with open(requests, "w", encoding="utf-8") as file:
            for n in range(count):
                json.dump({"id": str(n), "problem": "sgemm", "source": source(n)}, file)
                file.write("\n")
        if os.path.exists(answers):
            os.remove(answers)
        figures = self.run("judge", "--device", DEVICE, "--cases", str(CASES), "--batch", requests, "--jsonl", answers,
                           *words)
        with open(answers, encoding="utf-8") as file:
            figures["answers"] = {line["id"]: line for line in map(json.loads, file)}
        verdicts = [line.get("verdict", line.get("error")) for line in figures["answers"].values()]
        if len(verdicts) != count or any(verdict != "accepted" for verdict in verdicts):
            raise RuntimeError(f"{self.name}: {count} files, and verdicts {sorted(set(verdicts))}")
        return figures


def interval(answer):
    """The time that counts of an answer's file, and the relative width of its interval."""
    entry = answer["result"]["timing"]["entries"][0]
    stats = entry["span"] if entry.get("span") else entry["event"]
    return entry["microseconds"], (stats["high_us"] - stats["low_us"]) / stats["median_us"]


class Measuring:
    def __init__(self, runs, out, until):
        self.runs, self.out, self.until = runs, out, until
        self.parts = {}

    def left(self):
        return self.until - time.monotonic()

    def save(self):
        with open(os.path.join(self.out, "pace.json"), "w", encoding="utf-8") as file:
            json.dump({"device": DEVICE, "cores": os.cpu_count(), "files": FILES, "cases": CASES,
                       "parts": self.parts}, file, indent=1)

    def part(self, name, seconds, turns, work):
        """In turns, as long as there is time; `seconds` is what one turn of all may take."""
        for _ in range(turns):
            if self.left() < seconds:
                break
            for run in self.runs:
                begun = time.monotonic()
                figures = work(run)
                answers = figures.pop("answers", None)
                if answers is not None:
                    figures["files"] = len(answers)
                if answers is not None and "timed" in name:
                    figures["medians"] = {key: interval(answer) for key, answer in answers.items()}
                self.parts.setdefault(name, {}).setdefault(run.name, []).append(figures)
                self.save()
                print(f"{name}, {run.name}: {time.monotonic() - begun:.1f} s", flush=True)

    def all(self, work):
        """The parts in order of importance."""
        files = []
        for n in range(FILES + 16):
            path = os.path.join(work, f"file_{n}.cu")
            with open(path, "w", encoding="utf-8") as file:
                file.write(source(n) + f"// {n}\n")
            files.append(path)

        def one(run, path, *words):
            return run.run("judge", "--device", DEVICE, "--quiet", "--problem", "sgemm", *words, path)

        def cold(run):
            run.forget()
            return run.batch(FILES, "--time", "none")

        def new(run):
            path = files[FILES + len(self.parts.get("one new file", {}).get(run.name, []))]
            return one(run, path, "--time", "none", "--cases", str(CASES))

        def timed(run):
            return run.batch(TIMED if run is self.runs[0] else FEW)

        def alone(run):
            """A file of the batch by itself, for its median there."""
            n = len(self.parts.get("one file, timed", {}).get(run.name, []))
            path = os.path.join(work, "alone.json")
            figures = one(run, files[n], "--cases", str(CASES), "--json", path)
            with open(path, encoding="utf-8") as file:
                figures["medians"] = {str(n): interval({"result": json.load(file)["results"][0]})}
            os.remove(path)
            return figures

        self.part("batch, empty cache", 160, 1, cold)
        self.part("one new file", 8, 2, new)
        if EMULATED:
            self.part("batch, compiled", 60, 3, lambda run: run.batch(FILES, "--time", "none"))
            return
        for run in self.runs:
            one(run, files[1], "--cases", "1")  # the libraries are compiled
        self.part("batch, timed", 90, 1, timed)
        self.part("one file, 64 cases, timed", 18, 2, lambda run: one(run, files[1], "--cases", "64"))
        self.part("one file, timed", 16, 6, alone)
        for name, words in (("tiled", ["--cases", str(CASES)]), ("tiled_64", ["--cases", "64"])):
            if self.left() > 10:
                one(self.runs[0], files[1], *words, "--profile-judge", os.path.join(self.out, f"steps_{name}.jsonl"))
        self.part("batch, compiled", 110, 3, lambda run: run.batch(FILES, "--time", "none"))


def measure(program, out, seconds, old):
    os.makedirs(out, exist_ok=True)
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as work:
        runs = [Runs("new", program, work)]
        if old is not None:
            runs.append(Runs("old", os.path.join(old, "gemmjudge"), work))
        measuring = Measuring(runs, out, until)
        measuring.all(work)
    return 0 if measuring.parts else 1


def steps_table(path):
    stages = {}
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            count, seconds = stages.get(line["stage"], (0, 0.0))
            stages[line["stage"]] = (count + 1, seconds + line["seconds"])
    yield "| Step | Times | Seconds |"
    yield "|---|--:|--:|"
    for stage, (count, seconds) in sorted(stages.items(), key=lambda item: -item[1][1]):
        yield f"| {stage} | {count} | {seconds:.3f} |"


def medians_table(parts):
    """The times of files in a batch beside those that they have alone, and how wide their intervals are."""
    batch = parts.get("batch, timed", {})
    for build, runs in parts.get("one file, timed", {}).items():
        for run in runs:
            for key, (time_alone, width_alone) in run["medians"].items():
                for other, others in batch.items():
                    median = others[0]["medians"].get(key)
                    if median is not None:
                        print(f"- file {key}: {median[0]:.0f} us (interval {100 * median[1]:.2f}%) in a batch of {other}, "
                              f"{time_alone:.0f} us ({100 * width_alone:.2f}%) alone by {build}")


def report(out):
    with open(os.path.join(out, "pace.json"), encoding="utf-8") as file:
        found = json.load(file)
    print(f"{found['files']} files of {found['cases']} cases, {found['cores']} cores, {found['device']}\n")
    print("| Work | Build | Runs | Seconds (median) | A file | Of processors |\n|---|---|--:|--:|--:|--:|")
    for name, builds in found["parts"].items():
        for build, runs in builds.items():
            seconds = statistics.median(r["seconds"] for r in runs)
            print(f"| {name} | {build} | {len(runs)} | {seconds:.2f} | {seconds / runs[0].get('files', 1):.2f} | "
                  f"{statistics.median(r['processor'] for r in runs):.1f} |")
    medians_table(found["parts"])
    for name in sorted(os.listdir(out)):
        if name.startswith("steps_"):
            print(f"\n{name[6:-6]}:\n")
            print("\n".join(steps_table(os.path.join(out, name))))
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        sys.exit(measure(sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5] if len(sys.argv) > 5 else None))
    sys.exit(report(sys.argv[2]))

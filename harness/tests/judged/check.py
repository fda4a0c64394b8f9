#!/usr/bin/env python3
"""Solutions leave the bits that results.txt has, on every device: the digest of each case's result, and its worst error over the bound.

usage: check.py GEMMJUDGE DEVICE [--write]    DEVICE is `emu` or `cuda`; --write writes results.txt anew

results.txt has a line for each case of each file: file, epilogue (- for none), case, digest, ratio. Its first line says which GPU
it was, and which nvcc, as another one makes other code. Sizes and values of the cases follow from the seed alone. Ratios may differ by
NEAR: the reference on a GPU is one in f32. Exit status 1 where something differs, 77 where nvcc is another one.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RESULTS = HERE / "results.txt"
NEAR = 0.02
LIMITS = ["--seed", "59", "--cases", "3", "--max-dim", "128"]
FILES = [
    ("gemm_f16/01_naive", "-"), ("gemm_f16/05_warp_tile", "-"), ("gemm_f16/14_tma_wgmma", "-"),
    ("gemm_f16/21_persistent_cluster", "-"), ("gemm_bf16/07_mma", "-"), ("gemm_e4m3/02_wgmma", "-"), ("sgemm/11_fragments_ahead", "-"),
    ("matmul_f32/03_tensor", "-"), ("linear_f16/02_wgmma", "-"), ("batched_f16/03_wgmma", "-"),
    ("gemm_f16/12_any_size", "bias,gelu"), ("gemm_f16/12_any_size", "bias,gelu_erf"), ("gemm_f16/12_any_size", "silu"),
    ("gemm_f16/12_any_size", "sigmoid"), ("gemm_f16/12_any_size", "tanh"), ("gemm_f16/12_any_size", "bias,residual,leaky_relu"),
    ("gemm_f16/12_any_size", "hardswish"), ("gemm_bf16/07_mma", "bias,silu"), ("gemm_bf16/07_mma", "gelu"), ("sgemm/ffma", "bias,gelu"),
]


def judged(program, device, file, epilogue):
    """The version of nvcc, and {(file, epilogue, case): (digest, ratio)}."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        command = [program, "judge", f"solutions/{file}.cu", "--device", device, *LIMITS, "--json", report, "--no-store"]
        command += [] if epilogue == "-" else ["--epilogue", epilogue]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not report.exists():
            sys.exit(f"judged: {file}, {epilogue}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        report = json.loads(report.read_text())
    cases = report["results"][0]["cases"]
    return report["nvcc"], {(file, epilogue, case["name"]): (case["check"]["result_digest"], case["check"]["worst_ratio"]) for case in cases}


def read():
    """The first line, and the results."""
    head, *lines = RESULTS.read_text().splitlines()
    rows = [line.split(" ") for line in lines]
    return head, {(file, epilogue, case): (digest, float(ratio)) for file, epilogue, case, digest, ratio in rows}


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--write"]) or sys.argv[2] not in ("emu", "cuda"):
        sys.exit(__doc__)
    program, device = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    if not program.is_file():
        sys.exit(f"judged: there is no {program}; `ninja -C build` makes build/gemmjudge")
    head, expected = read()
    found = {}
    for file, epilogue in FILES:
        nvcc, results = judged(program, device, file, epilogue)
        if f"nvcc {'.'.join(nvcc.split('.')[:2])}," not in head:
            print(f"judged: nvcc {nvcc}; the results are of another: {head}")
            sys.exit(77)
        found |= results
    if sys.argv[3:]:
        RESULTS.write_text("\n".join([head, *(" ".join([*key, digest, f"{ratio:.6g}"]) for key, (digest, ratio) in found.items())]) + "\n")
    differ = [key for key in found.keys() | expected.keys()
              if key not in found or key not in expected or found[key][0] != expected[key][0] or abs(found[key][1] - expected[key][1]) > NEAR]
    for key in sorted(differ):
        print(f"{' '.join(key)}: {found.get(key)}, expected {expected.get(key)}")
    print(f"judged: {len(differ)} of {len(found)} results differ")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()

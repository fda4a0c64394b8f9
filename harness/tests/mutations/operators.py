"""Faults as rewrites of a kernel's text, and the hints that are true of each.

A fault has alternatives, of which the first one that finds a place is taken. An alternative is a list of
edits, (pattern, replacement) or (pattern, replacement, count), which all have to find one; count is 1 for
the first match, -1 for the last one, and 0, for all of them, where it is not there."""
from dataclasses import dataclass


@dataclass
class Operator:
    name: str
    faults: list  # one or two, each a list of alternatives
    named: list  # for each fault, a pattern of the hints that name it


A = r"A\[\(size_t\)row \* K \+ ka\]"
B = r"B\[\(size_t\)kb \* N \+ col\]"
C = r"C\[\(size_t\)row \* N \+ col\]"
FIRST, LAST = 1, -1

# A half that is computed with as if it were a float.
NARROW = r"""#include <cuda_fp16.h>
struct narrow {
	half value;
	__device__ narrow(float x = 0.0f) : value(__float2half(x)) {}
	__device__ operator float() const { return __half2float(value); }
	__device__ narrow &operator+=(float x) { value = __float2half((float)*this + x); return *this; }
};

constexpr int T"""
NEXT_K = r"b[(k + 1) % (int)(sizeof b / sizeof *b)]"
OLD_C = r"""float *old;
	cudaMalloc(&old, sizeof(float) * M * N);
	cudaMemcpy(old, C, sizeof(float) * M * N, cudaMemcpyDefault);
	cudaMemset(C, 0, sizeof(float) * M * N);
"""
PADDED = r"(\? (?:A|B|weight|__half2float\(A).*? : (?:\w+\()?)0\.0f"
BOUNDS = r"let only those threads access it"
BARRIER = r"barrier|race"

SINGLE = {
    # bounds that are left out
    "row-bound-of-load": (BOUNDS, [(r"row < M && ka < K", "ka < K")], [(r"row < M \? ", "true ? ")]),
    "row-bound-of-store": (BOUNDS, [(r"if \(row < M && col < N\)", "if (col < N)", LAST)]),
    "column-bound-of-load": (BOUNDS, [(r"kb < K && col < N", "kb < K")], [(r"col < N \? ", "true ? ")]),
    "column-bound-of-store": (BOUNDS, [(r"if \(row < M && col < N\)", "if (row < M)", LAST)]),
    "k-bound-of-left": (BOUNDS, [(r"row < M && ka < K", "row < M")]),
    "k-bound-of-right": (BOUNDS, [(r"kb < K && col < N", "col < N")]),
    # barriers
    "first-barrier": (BARRIER, [(r"__syncthreads\(\);", "", FIRST)]),
    "last-barrier": (BARRIER, [(r"__syncthreads\(\);", "", LAST)]),
    # tiles that are not whole
    "grid-rounded-down": (r"round the (grid|number of blocks) up",
                          [(r"\((M|N) \+ (\w+|T \* V) - 1\) / (\w+|\(T \* V\))(?=[,)])", r"\1 / \3")]),
    "k-rounded-down": (r"at the last multiple of|end too early", [(r"k0 < K;", "k0 < K / 16 * 16;")],
                       [(r"ka < K;", "ka < K / 16 * 16;")], [(r"\(K \+ PARTS - 1\) / PARTS", "K / PARTS")]),
    "padded-with-one": (r"padded with 1|what lies beyond the operands|that a . takes part in",
                        [(PADDED, r"\g<1>1.0f")], [(r"\*to = 0.0f", "*to = 1.0f")],
                        [(r": CUDART_INF_F", ": 1.0f")]),
    # indices along K
    "last-product": (r"without their last product", [(r"ka < K(?= \?|\)|;)", "ka < K - 1")],
                     [(r"min\(K, from", "min(K - 1, from")]),
    "first-product": (r"without their first product", [(r"row < M && ka < K", "row < M && ka > 0 && ka < K")],
                      [(r"int ka = 0, kb = 0", "int ka = 1, kb = 1")],
                      [(r"int ka = from, kb = from", "int ka = max(from, 1), kb = max(from, 1)")]),
    "k-off-by-one": (r"along k is off by one", [(r"\* b\[k\]", "* " + NEXT_K)],
                     [(r"\* \(b\[k\]", "* (" + NEXT_K)], [(r"\+ b\[k\]", "+ " + NEXT_K)]),
    # indices of rows and columns
    "left-transposed": (r"\w\[k \* M \+ row\]", [(A, "A[(size_t)ka * M + row]")]),
    "right-transposed": (r"B\[column \* \w+ \+ k\]", [(B, "B[(size_t)col * K + kb]")]),
    "result-transposed": (r"\w\[column \* M \+ row\]", [(C, "C[(size_t)col * M + row]")]),
    "left-row-length": (r"rows of \w that are taken|" + BOUNDS, [(A, "A[(size_t)row * N + ka]")]),
    "right-row-length": (r"rows of B that are taken|" + BOUNDS, [(B, "B[(size_t)kb * K + col]")]),
    "result-row-length": (r"rows (of \w|leave) that are taken|" + BOUNDS, [(C, "C[(size_t)row * M + col]")]),
    "column-skipped": (r"first column", [(r"col = blockIdx.x \* (\w+) \+", r"col = 1 + blockIdx.x * \1 +")]),
    "store-off-by-one": (BOUNDS, [(C + r"(?= = )", "C[(size_t)row * N + col + 1]")],
                         [("&" + C, "&C[(size_t)row * N + col + 1]")]),
    "first-matrix": (r"first matrix of A", [(r"A \+= .*\n", "")]),
    # sums
    "sum-in-half": (r"sums in f16|rounded to f16",
                    [(r"constexpr int T", NARROW, FIRST), (r"float sum(?=\[| =)", "narrow sum")]),
    "sum-overwritten": (r"last product or tile|with \+= and not =", [(r"(sum(?:\[\w\])*) \+= ", r"\1 = ")],
                        [(r"mma_sync\(sum, x, y, sum\);",
                          "fill_fragment(sum, 0.0f); wmma::mma_sync(sum, x, y, sum);")]),
    "sum-rounded": (r"rounded to b?f16 before alpha",
                    [(r"__float2half\(alpha \* ([^;]+?) \+ old",
                      r"__float2half(alpha * __half2float(__float2half(\1)) + old")],
                    [(r"__float2bfloat16\(alpha \* ([^;]+?) \+ old",
                      r"__float2bfloat16(alpha * __bfloat162float(__float2bfloat16(\1)) + old")]),
    # alpha and beta
    "alpha-left-out": (r"taking alpha for 1", [(r"alpha \* ", "")]),
    "beta-left-out": (r"taking beta for 1", [(r"beta \* (C|__\w+\(C)", r"\1")]),
    "c-left-out": (r"taking beta for 0", [(r" \+ old", "")],
                   [(r"scale<<<.*\n", "cudaMemset(C, 0, sizeof(float) * M * N);\n")]),
    "alpha-on-all": (r"alpha belongs only to the product",
                     [(r"alpha \* ([^;()]+(?:\[[^;]*\])?) \+ old", r"alpha * (\1 + old)")]),
    "adds-to-c": (r"read before it is written|taking beta for 1|is it added to \(\+=|before sums are added to",
                  [(C + r" = (alpha|sum)", r"C[(size_t)row * N + col] += \1")], [(r"\tscale<<<.*\n", "")]),
    "beta-for-each-part": (r"beta \* \w+ that is added",
                           [(r"alpha \* sum\)", "alpha * sum + beta * old[(size_t)row * N + col])"),
                            (r"scale<<<.*\n", OLD_C), (r"multiply\(const", "multiply(const float *old, const"),
                            (r"multiply(<<<.*>>>)\(A", r"multiply\1(old, A"),
                            (r"(multiply<<<.*\n)", r"\1\tcudaFree(old);\n")]),
    # codes and fragments
    "zero-point-of-left": (r"zero_point_A", [(r" - zero_point_A", ""), (r": zero_point_A", ": 0")]),
    "padded-with-code-0": (r"codes of 0", [(r": zero_point_\w", ": 0")]),
    "result-truncated": (r"toward zero", [(r"\(int\)rintf\((.*?scale_C)\)", r"(int)(\1)")]),
    "scale-left-out": (r"scale_A", [(r" \* scale_A", "")]),
    "group-of-32": (r"group_size", [(r"k / group_size", "k / 32")]),
    "nibbles-exchanged": (r"both codes of each byte", [(r"byte >> 4 : byte & 15", "byte & 15 : byte >> 4")]),
    "left-fragments": (r"mma's fragment", [(r'"r"\(a1\), "r"\(a2\)', '"r"(a2), "r"(a1)')]),
    "right-fragments": (r"mma's fragment", [(r'"r"\(b0\), "r"\(b1\)', '"r"(b1), "r"(b0)')]),
}

DOUBLE = [
    ("grid-rounded-down", "k-rounded-down"), ("grid-rounded-down", "last-product"),
    ("grid-rounded-down", "alpha-left-out"), ("grid-rounded-down", "right-transposed"),
    ("first-barrier", "k-rounded-down"), ("last-barrier", "k-rounded-down"), ("last-barrier", "alpha-left-out"),
    ("alpha-left-out", "last-product"), ("alpha-left-out", "right-transposed"), ("alpha-left-out", "left-fragments"),
    ("beta-left-out", "first-product"), ("c-left-out", "k-rounded-down"), ("sum-rounded", "last-product"),
    ("left-transposed", "right-transposed"), ("left-row-length", "last-product"), ("result-transposed", "last-product"),
    ("zero-point-of-left", "last-product"), ("group-of-32", "last-product"), ("right-fragments", "k-rounded-down"),
]

OPERATORS = [Operator(name, [alternatives], [named]) for name, (named, *alternatives) in SINGLE.items()]
OPERATORS += [Operator(f"{one}+{other}", [SINGLE[one][1:], SINGLE[other][1:]], [SINGLE[one][0], SINGLE[other][0]])
              for one, other in DOUBLE]

# Hints that say what was seen, or where to look: true of the run, whatever the cause. Those that say where wrong
# elements lie or which cases fail are held against the run (true_hints.py).
NEUTRAL = [
    r"gives other results when it is run again", r"--check race finds one", r"solve\(\) goes on after", r"look at how its index is computed",
]

# (kernel, operator): why it is no mutant.
ONE_WARP = "a block is one warp, whose lanes the emulated GPU runs together"
EQUIVALENT = {
    ("fragments", "first-barrier"): ONE_WARP,
    ("fragments", "last-barrier"): ONE_WARP,
    ("fragments", "sum-in-half"): "the tensor core sums in f32",
    ("wmma", "first-barrier"): ONE_WARP,
    ("wmma", "last-barrier"): ONE_WARP,
    ("vectors", "padded-with-one"): "what is padded are columns that nobody stores",
}

"""Faults as rewrites of a kernel's text, and the hints that are true of each.

A fault is a list of alternatives; the first one that finds a place is taken. An alternative is a list of
edits, (pattern, replacement, count), which all have to find one: count 0 is every match, 1 the first one,
-1 the last one."""
from dataclasses import dataclass, field


@dataclass
class Operator:
    name: str
    faults: list  # one or two
    named: list  # for each fault, patterns of the hints that name it
    near: list = field(default_factory=list)  # of hints that are true, and name it not


# The kernels' own sum, narrowed: a half that is computed with as a float.
NARROW = r"""#include <cuda_fp16.h>
struct narrow {
	half value;
	__device__ narrow(float x = 0.0f) : value(__float2half(x)) {}
	__device__ operator float() const { return __half2float(value); }
	__device__ narrow &operator+=(float x) { value = __float2half((float)*this + x); return *this; }
};

constexpr int T"""

A_INDEX = r"A\[\(size_t\)row \* K \+ ka\]"
B_INDEX = r"B\[\(size_t\)kb \* N \+ col\]"
C_INDEX = r"C\[\(size_t\)row \* N \+ col\]"
BOUNDS = r"let only those threads access it|row, column and k"

SINGLE = [
    # bounds
    ("row-bound-of-load", [[(r"row < M && ka < K", r"ka < K", 0)], [(r"row < M \? ", "true ? ", 0)]],
     [BOUNDS], []),
    ("row-bound-of-store", [[(r"if \(row < M && col < N\)", "if (col < N)", -1)]], [BOUNDS], []),
    ("column-bound-of-load", [[(r"kb < K && col < N", "kb < K", 0)], [(r"col < N \? ", "true ? ", 0)]],
     [BOUNDS], []),
    ("column-bound-of-store", [[(r"if \(row < M && col < N\)", "if (row < M)", -1)]], [BOUNDS], []),
    ("k-bound-of-left", [[(r"row < M && ka < K", "row < M", 0)]], [BOUNDS], []),
    ("k-bound-of-right", [[(r"kb < K && col < N", "col < N", 0)]], [BOUNDS], []),
    # order
    ("first-barrier", [[(r"__syncthreads\(\);", "", 1)]], ["barrier|race"], []),
    ("last-barrier", [[(r"__syncthreads\(\);", "", -1)]], ["barrier|race"], []),
    # tiles that are not whole
    ("grid-rounded-down", [[(r"\((M|N) \+ (\w+|T \* V) - 1\) / (\w+|\(T \* V\))(?=[,)])", r"\1 / \3", 0)]],
     ["round the (grid|number of blocks) up"], []),
    ("k-rounded-down", [[(r"k0 < K;", "k0 < K / 16 * 16;", 0)], [(r"ka < K;", "ka < K / 16 * 16;", 0)],
                        [(r"\(K \+ PARTS - 1\) / PARTS", "K / PARTS", 0)]],
     ["at the last multiple of|end too early"], []),
    ("last-product", [[(r"ka < K(?= \?|\)|;)", "ka < K - 1", 0)], [(r"min\(K, from", "min(K - 1, from", 0)]],
     ["without their last product"], []),
    ("first-product", [[(r"row < M && ka < K", "row < M && ka > 0 && ka < K", 0)],
                       [(r"int ka = 0, kb = 0", "int ka = 1, kb = 1", 0)],
                       [(r"int ka = from, kb = from", "int ka = max(from, 1), kb = max(from, 1)", 0)]],
     ["without their first product"], []),
    ("padded-with-one", [[(r"(\? (?:A|B|weight|__half2float\(A).*? : (?:\w+\()?)0\.0f", r"\g<1>1.0f", 0)],
                         [(r": zero_point_(\w)", r": zero_point_\1 + 1", 0)],
                         [(r"\*to = 0.0f", "*to = 1.0f", 0)],
                         [(r": CUDART_INF_F", ": 1.0f", 0)]], ["padded with 1|what lies beyond the operands|that a . takes part in"], []),
    # indices
    ("left-transposed", [[(A_INDEX, "A[(size_t)ka * M + row]", 0)]], ["A\\[k \\* M \\+ row\\]|x\\[k \\* M \\+ row\\]"], []),
    ("right-transposed", [[(B_INDEX, "B[(size_t)col * K + kb]", 0)]], [r"B\[column \* \w+ \+ k\]"], []),
    ("result-transposed", [[(C_INDEX, "C[(size_t)col * M + row]", 0)]], [r"[Cy]\[column \* M \+ row\]"], []),
    ("left-row-length", [[(A_INDEX, "A[(size_t)row * N + ka]", 0)]], ["rows of [Ax] that are taken|" + BOUNDS], []),
    ("right-row-length", [[(B_INDEX, "B[(size_t)kb * K + col]", 0)]], ["rows of B that are taken|" + BOUNDS], []),
    ("result-row-length", [[(C_INDEX, "C[(size_t)row * M + col]", 0)]], ["rows of [Cy] that are taken|" + BOUNDS], []),
    ("operand-off-by-one", [[(r"\* b\[k\]", "* b[(k + 1) % (int)(sizeof b / sizeof *b)]", 0)], [(r"- zero_point_A\) \* \(b\[k\]", "- zero_point_A) * (b[(k + 1) % (int)(sizeof b / sizeof *b)]", 0)],
                            [(r"\+ b\[k\]", "+ b[(k + 1) % (int)(sizeof b / sizeof *b)]", 0)]], ["off by one"], []),
    ("column-skipped", [[(r"col = blockIdx.x \* (\w+) \+", r"col = 1 + blockIdx.x * \1 +", 0)]], ["first column"], []),
    ("store-off-by-one", [[(C_INDEX + r"(?= = )", "C[(size_t)row * N + col + 1]", 0)], [(r"&" + C_INDEX, "&C[(size_t)row * N + col + 1]", 0)]], [BOUNDS], []),
    ("first-matrix", [[(r"A \+= .*\n", "", 0)]], ["first matrix of A"], []),
    # sums
    ("sum-in-half", [[(r"constexpr int T", NARROW, 1), (r"float sum(?=\[| =)", "narrow sum", 0)]],
     ["sums in f16|rounded to f16"], []),
    ("sum-overwritten", [[(r"(sum(?:\[\w\])*) \+= ", r"\1 = ", 0)], [(r"mma_sync\(sum, x, y, sum\);", "fill_fragment(sum, 0.0f); wmma::mma_sync(sum, x, y, sum);", 0)]],
     ["last product or tile alone"], []),
    ("sum-rounded", [[(r"__float2half\(alpha \* ([^;]+?) \+ old", r"__float2half(alpha * __half2float(__float2half(\1)) + old", 0)],
                     [(r"__float2bfloat16\(alpha \* ([^;]+?) \+ old", r"__float2bfloat16(alpha * __bfloat162float(__float2bfloat16(\1)) + old", 0)]],
     ["rounded to (f16|bf16|half) before"], []),
    # alpha and beta
    ("alpha-left-out", [[(r"alpha \* ", "", 0)]], ["taking alpha for 1"], []),
    ("beta-left-out", [[(r"beta \* (C|__\w+\(C)", r"\1", 0)]], ["taking beta for 1|beta"], []),
    ("c-left-out", [[(r" \+ old", "", 0)], [(r"scale<<<.*\n", "cudaMemset(C, 0, sizeof(float) * M * N);\n", 0)]], ["taking beta for 0"], []),
    ("alpha-on-all", [[(r"alpha \* ([^;()]+(?:\[[^;]*\])?) \+ old", r"alpha * (\1 + old)", 0)]], ["alpha belongs to the product alone"], []),
    ("adds-to-c", [[(C_INDEX + r" = (alpha|sum)", r"C[(size_t)row * N + col] += \1", 0)], [(r"\tscale<<<.*\n", "", 0)]], [r"read before it is written|taking beta for 1|is it added to \(\+="], []),
    ("beta-for-each-part", [[(r"alpha \* sum\)", "alpha * sum + beta * old[(size_t)row * N + col])", 0),
                             (r"scale<<<.*\n", "float *old;\n\tcudaMalloc(&old, sizeof(float) * M * N);\n\tcudaMemcpy(old, C, sizeof(float) * M * N, cudaMemcpyDefault);\n\tcudaMemset(C, 0, sizeof(float) * M * N);\n", 0),
                             (r"multiply\(const float \*A", "multiply(const float *old, const float *A", 0),
                             (r"multiply(<<<.*>>>)\(A", r"multiply\1(old, A", 0), (r"(multiply<<<.*\n)", r"\1\tcudaFree(old);\n", 0)]],
     ["beta \\* \\w+ that is added"], []),
    # of codes
    ("zero-point-of-left", [[(r" - zero_point_A", "", 0), (r": zero_point_A", ": 0", 0)]], ["zero_point_A"], []),
    ("zero-points-pad-not", [[(r": zero_point_\w", ": 0", 0)]], ["zero point"], []),
    ("result-truncated", [[(r"\(int\)rintf\((.*?scale_C)\)", r"(int)(\1)", 0)]], ["toward zero"], []),
    ("group-of-32", [[(r"k / group_size", "k / 32", 0)]], ["group_size"], []),
    ("nibbles-exchanged", [[(r"byte >> 4 : byte & 15", "byte & 15 : byte >> 4", 0)]], ["both codes of each byte exchanged"], []),
    ("fragments-exchanged", [[(r"\"r\"\(a0\), \"r\"\(a1\), \"r\"\(a2\)", '"r"(a0), "r"(a2), "r"(a1)', 0)]], ["mma's fragment"], []),
    ("right-fragments-exchanged", [[(r"\"r\"\(b0\), \"r\"\(b1\)", '"r"(b1), "r"(b0)', 0)]], ["mma's fragment"], []),
    ("scales-left-out", [[(r" \* scale_A", "", 0)]], ["scale_A"], []),
]

DOUBLE = [("grid-rounded-down", "k-rounded-down"), ("first-barrier", "k-rounded-down"), ("last-barrier", "k-rounded-down"),
          ("alpha-left-out", "last-product"), ("alpha-left-out", "right-transposed"), ("beta-left-out", "first-product"),
          ("grid-rounded-down", "alpha-left-out"), ("left-transposed", "right-transposed"), ("grid-rounded-down", "last-product"),
          ("c-left-out", "k-rounded-down"), ("sum-rounded", "last-product"),
          ("zero-point-of-left", "last-product"), ("group-of-32", "last-product"), ("fragments-exchanged", "alpha-left-out"),
          ("left-row-length", "last-product"), ("right-fragments-exchanged", "k-rounded-down"), ("grid-rounded-down", "right-transposed")]

by_name = {name: (edits, named, near) for name, edits, named, near in SINGLE}
OPERATORS = [Operator(name, [edits], [named], near) for name, edits, named, near in SINGLE]
OPERATORS += [Operator(f"{one}+{other}", [by_name[one][0], by_name[other][0]], [by_name[one][1], by_name[other][1]],
                       by_name[one][2] + by_name[other][2]) for one, other in DOUBLE]

# Hints that say where to look and nothing of the cause; they are true of the run by what they count.
NEUTRAL = [
    r"^all \d+ failing cases have ", r"lie in the (first|last) (row|column)", r"beyond a multiple of", r"whose number is .* modulo",
    r"is right or wrong as a whole", r"gives other results when it is run again", r"only the last matrix of the batch",
    r"the first matrix of the batch is right", r"an index passes them by", r"solve\(\) goes on after", r"every wrong element is NaN",
]

# (kernel, operator): why the mutant computes what the kernel does.
ONE_WARP = "a block is one warp, whose lanes the emulated GPU runs together"
EQUIVALENT = {
    ("fragments", "first-barrier"): ONE_WARP,
    ("fragments", "last-barrier"): ONE_WARP,
    ("wmma", "first-barrier"): ONE_WARP,
    ("wmma", "last-barrier"): ONE_WARP,
    ("fragments", "sum-in-half"): "tensor cores sum in f32",
    ("vectors", "padded-with-one"): "what is padded are columns that nobody stores",
}

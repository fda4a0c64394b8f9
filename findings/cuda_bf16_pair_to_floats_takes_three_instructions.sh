#!/usr/bin/env bash
# cuda_bf16.h's conversion of a packed pair of bf16 to two floats takes three instructions on sm_90, where a shift and a mask do.
#
# Guess: a bf16 is the upper half of a float, so that __bfloat1622float2() becomes one shift for the lower value and one mask for
# the upper one: 8 instructions for the 8 values of a 16-byte load.
#
# Seen (2026-11) with the wheels of CUDA 13.0.2 and 13.5.0 for sm_90, disassembled by nvidia-cuda-nvdisasm 13.5.37: 12 for 8 values.
# The upper value is first moved down (PRMT 0x7632) and then shifted up again; the same words by `x << 16` and `x & 0xffff0000`
# take 8. f16 has no such way: its conversion is one HADD2.F32 a value by both.
#
# Needs pip and g++.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Unpacks the wheels WHEEL==VERSION below the folder $1.
fetch() {
	local folder=$1 wheel
	shift
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --platform manylinux_2_27_x86_64 \
		--platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --dest "$work/wheels/$folder" "$@"
	for wheel in "$work/wheels/$folder"/*.whl; do
		python3 -m zipfile -e "$wheel" "$work/$folder"
	done
	find "$work/$folder/nvidia/cu13" -path '*/bin/*' -type f -exec chmod +x {} +
}

cat >"$work/pairs.cu" <<'END'
#include <cuda_bf16.h>

extern "C" __global__ void by_library(const uint4 *in, float4 *out)
{
	uint4 words = in[threadIdx.x];
	const __nv_bfloat162 *pairs = (const __nv_bfloat162 *)&words;
	float2 a = __bfloat1622float2(pairs[0]), b = __bfloat1622float2(pairs[1]);
	float2 c = __bfloat1622float2(pairs[2]), d = __bfloat1622float2(pairs[3]);
	out[2 * threadIdx.x] = make_float4(a.x, a.y, b.x, b.y);
	out[2 * threadIdx.x + 1] = make_float4(c.x, c.y, d.x, d.y);
}

extern "C" __global__ void by_words(const uint4 *in, float4 *out)
{
	uint4 words = in[threadIdx.x];
	auto low = [](unsigned word) { return __uint_as_float(word << 16); };
	auto high = [](unsigned word) { return __uint_as_float(word & 0xffff0000u); };
	out[2 * threadIdx.x] = make_float4(low(words.x), high(words.x), low(words.y), high(words.y));
	out[2 * threadIdx.x + 1] = make_float4(low(words.z), high(words.z), low(words.w), high(words.w));
}
END

# Instructions of the kernel $2 between its load and its last store that do no addresses, as "shifts PRMT masks".
count() {
	"$work/nvdisasm/nvidia/cu13/bin/nvdisasm" -c -fun "$2" "$work/$1.cubin" >"$work/code" 2>/dev/null ||
		"$work/nvdisasm/nvidia/cu13/bin/nvdisasm" -c "$work/$1.cubin" | sed -n "/^\.text\.$2:/,/EXIT/p" >"$work/code"
	echo "$(grep -cE '(IMAD\.U32 .*, 0x10000|SHF\.L\.U32 .*, 0x10,|IMAD\.SHL\.U32 .*, 0x10000)' "$work/code") $(grep -c 'PRMT .*0x7632' "$work/code") $(grep -c 'LOP3\.LUT .*0xffff0000' "$work/code")"
}

fetch nvdisasm nvidia-cuda-nvdisasm==13.5.37
fetch 13.0.2 nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85
fetch 13.5.0 nvidia-cuda-nvcc==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-runtime==13.5.37 nvidia-cuda-cccl==13.3.5.0.6
for version in 13.0.2 13.5.0; do
	(cd "$work" && "$work/$version/nvidia/cu13/bin/nvcc" -std=c++17 -arch=sm_90 -cubin pairs.cu -o "$version.cubin")
	library=$(count "$version" by_library)
	words=$(count "$version" by_words)
	echo "CUDA $version: shifts, PRMT, masks for 8 values: __bfloat1622float2 $library, shift and mask $words"
	[[ $library == "8 4 0" && $words == "4 0 4" ]] || {
		echo "no longer so with CUDA $version"
		exit 1
	}
done

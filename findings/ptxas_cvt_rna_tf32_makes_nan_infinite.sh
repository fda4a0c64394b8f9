#!/usr/bin/env bash
# ptxas makes integer arithmetic of cvt.rna.tf32.f32, which turns a NaN whose payload is in the low 13 bits into infinity.
#
# Guess: sm_90 has a conversion to tf32 in hardware, as cvt.rn.tf32.f32 shows, so both roundings are one instruction, and a NaN
# stays a NaN.
#
# Seen (2026-11) with ptxas of the wheels nvidia-cuda-nvcc 13.0.88 and 13.5.37 for sm_90, disassembled by nvidia-cuda-nvdisasm 13.5.37:
#
#     rn:  F2FP.TF32.F32.PACK_B x, x
#     rna: FSETP.GEU.AND ..., |x|, +INF; @!P IMAD.IADD.U32 x, x, 0x1, 0x1000; LOP3.LUT x, x, 0xffffe000
#
# So 0x7f800001 is not below infinity, nothing is added, and its low bits are cleared: 0x7f800000. An H200 (driver 580) gives that,
# and 0x7fffe000 with rn. PTX says of no rounding what becomes of a NaN. nvcuda::wmma::__float_to_tf32 is rna.
#
# Needs pip.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Unpacks version $2 of the wheel $1 below $3.
fetch() {
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --platform manylinux_2_27_x86_64 \
		--platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --dest "$work/wheels/$3" "$1==$2"
	python3 -m zipfile -e "$work/wheels/$3"/*.whl "$work/$3"
	chmod +x "$work/$3"/nvidia/cu13/bin/*
}

# The instructions of a conversion by the rounding $2, of the ptxas in $1: what stands between the load and the store.
code_of() {
	cat >"$work/$2.ptx" <<-EOF
		.version 8.6
		.target sm_90
		.address_size 64
		.visible .entry k(.param .u64 out, .param .f32 x)
		{
		.reg .b32 %r; .reg .f32 %f; .reg .b64 %d;
		ld.param.u64 %d, [out]; ld.param.f32 %f, [x];
		cvt.$2.tf32.f32 %r, %f;
		st.global.u32 [%d], %r; ret;
		}
	EOF
	"$work/$1/nvidia/cu13/bin/ptxas" -arch=sm_90 -o "$work/$2.cubin" "$work/$2.ptx"
	"$work/nvdisasm/nvidia/cu13/bin/nvdisasm" -c "$work/$2.cubin" | sed -n 's/^ *\/\*[0-9a-f]*\*\/ *//p' |
		grep -E 'TF32|FSETP|IADD|LOP3' | tr -s ' '
}

fetch nvidia-cuda-nvdisasm 13.5.37 nvdisasm
for version in 13.0.88 13.5.37; do
	fetch nvidia-cuda-nvcc "$version" "$version"
	nearest=$(code_of "$version" rn)
	away=$(code_of "$version" rna)
	printf '%s, rn:\n%s\n%s, rna:\n%s\n' "$version" "$nearest" "$version" "$away"
	[[ $nearest == *TF32* && $away != *TF32* && $away == *'|, +INF'*IADD*0xffffe000* ]] || {
		echo "no longer so with $version"
		exit 1
	}
done

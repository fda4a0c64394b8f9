#!/usr/bin/env bash
# Plain `char` in a kernel is signed or unsigned as on the architecture of the host compiler, and not as that compiler is told.
#
# Guess: what a kernel's `char` is belongs to the GPU's side: signed, as everybody's int8 kernels take it, whatever the host is; and
# where it follows the host, it follows the host compiler's -funsigned-char, too, as both halves of a file share structs.
#
# Seen (2026-11) with the wheels of CUDA 13.0.2 and 13.5.0 for x86-64, g++ 12.2 of Debian 12 and its cross compiler for aarch64:
# a kernel that widens a `char` loads it by ld.global.s8 with g++ for x86-64, and by ld.global.u8 with g++ for aarch64, where nvcc
# passes --unsigned_chars: the same file gives 200 in the place of -56 on a GH200, a DGX Spark or a Jetson. With -Xcompiler
# -funsigned-char the host's half has 200 and the kernel still has -56; with -Xcompiler -fsigned-char for aarch64 it is the other way
# round. `signed char` and int8_t are signed everywhere.
#
# Needs pip, and Debian's g++ and g++-aarch64-linux-gnu.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v aarch64-linux-gnu-g++ >/dev/null || { echo "aarch64-linux-gnu-g++ is not here: apt-get install g++-aarch64-linux-gnu" >&2 && exit 3; }

cat >"$work/widen.cu" <<'END'
__global__ void plain(const char *in, int *out) { *out = *in; }
__global__ void explicit_sign(const signed char *in, int *out) { *out = *in; }
END

# The loads of the kernels plain and explicit_sign with toolkit $1 and the other words for nvcc.
loads() {
	local toolkit=$1
	shift
	"$toolkit/bin/nvcc" -ptx -arch=sm_90 -I"$toolkit/include" "$@" "$work/widen.cu" -o "$work/widen.ptx"
	grep -o 'ld\.global\.[su]8' "$work/widen.ptx" | paste -sd ' '
}

# What the host's half has for char: s or u, with the other words for nvcc.
host() {
	local toolkit=$1
	shift
	echo 'const char *sign = char(-1) < 0 ? "is_signed" : "is_unsigned";' >"$work/host.cu"
	"$toolkit/bin/nvcc" -c -I"$toolkit/include" "$@" "$work/host.cu" -o "$work/host.o"
	grep -a -o -E 'is_(un)?signed' "$work/host.o" | head -n 1
}

check() {
	echo "$1: $2"
	[ "$2" = "$3" ] || { echo "CHANGED: expected $3" >&2 && exit 1; }
}

cross=(-ccbin aarch64-linux-gnu-g++)
for version in 13.0.88:13.0.96:13.0.88:13.0.88 13.5.37:13.5.37:13.5.37:13.5.37; do
	IFS=: read -r nvcc runtime crt nvvm <<<"$version"
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --platform manylinux_2_27_x86_64 \
		--platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --dest "$work/wheels-$nvcc" "nvidia-cuda-nvcc==$nvcc" \
		"nvidia-cuda-runtime==$runtime" "nvidia-cuda-crt==$crt" "nvidia-nvvm==$nvvm"
	for wheel in "$work/wheels-$nvcc"/*.whl; do
		python3 -m zipfile -e "$wheel" "$work/$nvcc"
	done
	toolkit=$work/$nvcc/nvidia/cu13
	find "$toolkit" -path '*/bin/*' -type f -exec chmod +x {} +
	check "nvcc $nvcc, x86-64" "$(loads "$toolkit")" "ld.global.s8 ld.global.s8"
	check "nvcc $nvcc, x86-64, -funsigned-char" "$(loads "$toolkit" -Xcompiler -funsigned-char)" "ld.global.s8 ld.global.s8"
	check "nvcc $nvcc, x86-64, -funsigned-char, the host" "$(host "$toolkit" -Xcompiler -funsigned-char)" is_unsigned
	check "nvcc $nvcc, aarch64" "$(loads "$toolkit" "${cross[@]}")" "ld.global.u8 ld.global.s8"
	check "nvcc $nvcc, aarch64, -fsigned-char" "$(loads "$toolkit" "${cross[@]}" -Xcompiler -fsigned-char)" "ld.global.u8 ld.global.s8"
	check "nvcc $nvcc, aarch64, -fsigned-char, the host" "$(host "$toolkit" "${cross[@]}" -Xcompiler -fsigned-char)" is_signed
done

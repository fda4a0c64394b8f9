#!/usr/bin/env bash
# libcudart.so.13 of CUDA 13.5 needs libstdc++.so.6; that of CUDA 13.0, of the same soname, does not.
#
# Guess: one soname has one set of needs, and a runtime with a C interface carries its C++ inside, as that of 13.0 does.
# So a program in C, or a container without libstdc++, would go on working when only the runtime is updated.
#
# Seen (2026-11) with the wheels nvidia-cuda-runtime 13.0.96 and 13.5.37 for Linux on x86-64, in DT_NEEDED beside libc's:
#
#     13.0.96 needs: nothing else
#     13.5.37 needs: libgcc_s.so.1 libstdc++.so.6
#
# Needs pip and readelf.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints what the runtime of version $1 needs beside libc's own libraries.
needs() {
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --platform manylinux_2_27_x86_64 \
		--platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --dest "$work/$1" "nvidia-cuda-runtime==$1"
	python3 -m zipfile -e "$work/$1"/*.whl "$work/$1"
	readelf -d "$work/$1/nvidia/cu13/lib/libcudart.so.13" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		{ grep -v -E '^(lib(c|m|dl|rt|pthread)\.so|ld-linux)' || true; } | sort | paste -s -d ' '
}

older=$(needs 13.0.96)
newer=$(needs 13.5.37)
printf '13.0.96 needs: %s\n13.5.37 needs: %s\n' "${older:-nothing else}" "${newer:-nothing else}"
[[ $older != *libstdc++.so.6* && $newer == *libstdc++.so.6* ]] || {
	echo "not as it was seen"
	exit 1
}

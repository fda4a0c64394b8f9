# What the scripts of this folder share; sourced, not run.
# shellcheck shell=bash

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tool=tools/$(basename "$0")
started_in=$PWD
toolchain=$root/.toolchain/cuda

# Progress and complaints go to stderr: stdout is for results.
say() {
	printf '%s: %s\n' "$tool" "$*" >&2
}

# Exit status 3 means "cannot run here", as in gemmjudge itself.
give_up() {
	say "$@"
	exit 3
}

# The folder of a CUDA 13 toolkit that has all the parts that we compile and
# link against. Prints it; fails where there is none.
find_cuda() {
	local dir nvcc
	for dir in "${CUDA_HOME:-}" /usr/local/cuda "$toolchain" on-path; do
		if [ "$dir" = on-path ]; then
			nvcc=$(command -v nvcc) || continue
			dir=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
		fi
		if [ -n "$dir" ] && [ -z "$(cuda_lacks "$dir")" ]; then
			printf '%s\n' "$dir"
			return 0
		fi
	done
	return 1
}

# What the toolkit in folder $1 lacks, in words; prints nothing when it has all.
cuda_lacks() {
	local dir=$1 file version
	if ! [ -x "$dir/bin/nvcc" ]; then
		echo "bin/nvcc"
		return
	fi
	version=$("$dir/bin/nvcc" --version 2>/dev/null) || true
	if [[ $version != *"release 13."* ]]; then
		echo "an nvcc of CUDA 13"
		return
	fi
	for file in include/cuda_runtime.h include/cublas_v2.h include/cublasLt.h include/cuda_fp16.h \
		lib64/libcudart.so lib64/libcublas.so lib64/libcublasLt.so; do
		[ -e "$dir/$file" ] || echo "$file"
	done
	[ -e "$dir/include/cupti.h" ] || [ -e "$dir/extras/CUPTI/include/cupti.h" ] || echo "cupti.h"
}

# Whether the tree was built, here or elsewhere, and the program starts.
build_runs() {
	[ -x "$root/build/gemmjudge" ] && "$root/build/gemmjudge" --version >/dev/null 2>&1
}

# CMake refuses a folder that it configured under another name, as in a tree that was moved
# or copied: what it remembers goes, and what was built is built anew where it has to be.
forget_moved() {
	local folder=$1 remembered
	remembered=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p;s/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' \
		"$folder/CMakeCache.txt" 2>/dev/null) || return 0
	[ "$(sort <<<"$remembered")" != "$(printf '%s\n' "$root" "$folder" | sort)" ] || return 0
	say "this tree was moved or copied: ${folder#"$root"/} is configured anew"
	rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
}

# Configures folder $1 (below the root); the rest goes to cmake. Quiet unless
# it fails.
build_configure() {
	local folder=$root/$1 cuda
	shift
	cuda=$(find_cuda) || give_up "no usable CUDA toolkit (tools/setup fetches one)"
	mkdir -p "$folder"
	forget_moved "$folder"
	if ! cmake -G Ninja -S "$root" -B "$folder" -DNVCC="$cuda/bin/nvcc" "$@" >"$folder/cmake.log" 2>&1; then
		cat "$folder/cmake.log" >&2
		return 1
	fi
}

# Builds folder $1, or the targets of it that follow, and shows how far it is: in place on a
# terminal, else a line for each tenth. What a failing command prints is shown whole.
build_with_progress() {
	local folder=$root/$1
	shift
	if [ -t 2 ]; then
		ninja -C "$folder" "$@" >&2
		return
	fi
	NINJA_STATUS='@%p@' ninja -C "$folder" "$@" | awk -v tool="$tool" '
		/^ninja: Entering|^ninja: no work/ { next }
		!/^@ *[0-9]+%@/ { print; next }
		{ tenth = int(substr($0, 2, 3) / 10) }
		tenth > last { print tool ": built " tenth * 10 " %"; fflush(); last = tenth }' >&2
}

# Configures and builds folder $1.
build_into() {
	say "building into $1 (some minutes on two cores, the first time)"
	build_configure "$@" && build_with_progress "$1"
}

# A path as it was meant in the folder where the script was started.
meant() {
	[[ $1 == /* ]] && echo "$1" || echo "$started_in/$1"
}

# Judges on a machine find each other by a file in /tmp, and wait. Sets `own_tmp` to what those that
# measure nothing begin with, so that they run side by side: a /tmp of their own. Nothing but `env`
# where that cannot be had, or hides a path that is needed: the tree, the program $1 or the cache.
find_own_tmp() {
	local path
	# shellcheck disable=SC2016 # for the inner shell
	own_tmp=(unshare --mount sh -c 'mount -t tmpfs own_tmp /tmp && exec "$@"' own_tmp)
	for path in "$root" "$1" "${GEMMJUDGE_CACHE:-}" "${XDG_CACHE_HOME:-}" "${HOME:-}"; do
		[[ $path/ != /tmp/* ]] || own_tmp=(env)
	done
	"${own_tmp[@]}" true 2>/dev/null || own_tmp=(env)
}

# Sets up and builds, unless the program $1 is there and runs.
need_program() {
	# shellcheck disable=SC2119 # no options
	"$1" --version >/dev/null 2>&1 || setup_and_build
}

# The commit that program $1 was built from, a '+' behind it where there were changes; "" where
# it does not know.
commit_of() {
	"$1" --version 2>/dev/null | sed -n 's/.*(commit \([0-9a-f]*+\{0,1\}\),.*/\1/p'
}

# Sets up with the given options of tools/setup and builds into build/. Where
# that is not possible but a built tree is there that runs (a copy from another
# machine, say), uses it as it is; what tools/bundle packed (build/as-is) at once.
# Sets as_is to yes or no.
# shellcheck disable=SC2120 # tools/test passes some
setup_and_build() {
	as_is=no
	if ! [ -e "$root/build/as-is" ] && "$root/tools/setup" "$@"; then
		build_into build
		return
	fi
	build_runs || give_up "cannot set this machine up (see above), and no built tree is here that runs"
	say "using build/ as it is: it runs here, though it cannot be rebuilt here"
	# shellcheck disable=SC2034 # for the caller
	as_is=yes
}

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

# The places where a CUDA toolkit may lie, in the order of harness/base/toolkit.h, which has its
# reasons. What is built needs one before there is a program that could be asked.
cuda_places() {
	local nvcc
	[ -z "${CUDA_HOME:-}" ] || echo "$CUDA_HOME"
	[ -z "${CUDA_PATH:-}" ] || echo "$CUDA_PATH"
	! nvcc=$(command -v nvcc) || dirname "$(dirname "$(readlink -f "$nvcc")")"
	printf '%s\n' /usr/local/cuda /usr/local/cuda-13 /opt/cuda "$toolchain"
	[ -z "${GEMMJUDGE_TOOLKIT:-}" ] || echo "$toolchain-$GEMMJUDGE_TOOLKIT"
}

# The versions of toolkits that tools/setup can fetch, the oldest first: what gemmjudge is tried with.
pinned_toolkits() {
	printf '%s\n' "$root"/tools/cuda-requirements-*.txt | sed 's/.*-//;s/\.txt$//' | sort -V
}

has_gpu() {
	[ -e /dev/nvidiactl ]
}

# The folder of a CUDA 13 toolkit that has all the parts that we compile and
# link against; of $GEMMJUDGE_TOOLKIT, where that names a version. Prints it;
# fails where there is none.
find_cuda() {
	local dir
	while read -r dir; do
		[ -n "$(cuda_lacks "$dir")" ] || { echo "$dir" && return; }
	done < <(cuda_places)
	return 1
}

# The version of the nvcc in folder $1: "13.0".
release_of() {
	"$1/bin/nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p'
}

# What the toolkit in folder $1 lacks, in words; prints nothing when it has all.
cuda_lacks() {
	local dir=$1 file release wanted=${GEMMJUDGE_TOOLKIT:-13}
	if ! [ -x "$dir/bin/nvcc" ]; then
		echo "bin/nvcc"
		return
	fi
	release=$(release_of "$dir") || true
	if [[ $release. != "$wanted."* ]]; then
		echo "an nvcc of CUDA $wanted (its own is of CUDA ${release:-?})"
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

# Where folder $1 was configured, if that was under another name than it has: in a tree that was
# moved or copied. Else prints nothing.
configured_as() {
	local folder=$1 remembered
	remembered=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p;s/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' \
		"$folder/CMakeCache.txt" 2>/dev/null) || return 0
	[ "$(sort <<<"$remembered")" = "$(printf '%s\n' "$root" "$folder" | sort)" ] || sort <<<"$remembered" | head -n 1
}

# CMake refuses such a folder, and ninja looks for headers where the tree was: what both remember
# goes, and all is built anew.
forget_moved() {
	local folder=$1 before
	before=$(configured_as "$folder")
	[ -n "$before" ] || return 0
	say "${folder#"$root"/} is built anew: it was configured as $before, before this tree was moved or copied"
	rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles" "$folder/.ninja_deps" "$folder/.ninja_log"
}

# Whether the program was built from the commit that is checked out, as far as that can be known.
build_is_current() {
	local head built
	head=$(git -C "$root" rev-parse HEAD 2>/dev/null) || return 0
	built=$(commit_of "$root/build/gemmjudge")
	[ -z "$built" ] || [[ $built == "${head:0:7}"* ]]
}

# Configures folder $1 (below the root); the rest goes to cmake. Quiet unless
# it fails.
build_configure() {
	local folder=$root/$1 cuda
	shift
	cuda=$(find_cuda) || give_up "no usable CUDA toolkit (tools/setup fetches one)"
	cuda=$(readlink -f "$cuda") # ninja builds anew when a link leads to another one
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

# Configures folder $1 and builds target $2 of it.
build_into() {
	say "building into $1 (a minute or two on two cores, the first time)"
	build_configure "$1" && build_with_progress "$1" "$2"
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

# Why build/ is to be used as it is, though a build could be tried; prints nothing where it is not.
# $1: all, when the tests are wanted, which know where they were built.
reason_for_as_is() {
	local before
	build_runs || return 0
	before=$(configured_as "$root/build")
	if [ -e "$root/build/as-is" ]; then
		echo "tools/bundle packed it"
	elif ! [ -w "$root/build" ]; then
		echo "this user may not write to it"
	elif [ "$1" != all ] && [ -n "$before" ] && build_is_current; then
		echo "it was built as $before, and runs here too"
	fi
}

# Sets up and builds the program, with --tests also what the tests need. Where a built tree is here
# that runs and cannot be built, or need not be, it is used as it is. Sets as_is to yes or no.
# shellcheck disable=SC2120 # tools/test passes --tests
setup_and_build() {
	local target=program reason
	[ "${1:-}" != --tests ] || target=all
	as_is=no
	reason=$(reason_for_as_is "$target")
	if [ -z "$reason" ]; then
		if "$root/tools/setup" "$@"; then
			if [ -n "${GEMMJUDGE_TOOLKIT:-}" ]; then # what builds also judges, whatever else is here
				CUDA_HOME=$(find_cuda)
				export CUDA_HOME
			fi
			build_into build "$target"
			return
		fi
		build_runs || give_up "cannot set this machine up (see above), and no built tree is here that runs"
		reason="it runs here, though it cannot be rebuilt here"
	fi
	say "using build/ as it is: $reason"
	# shellcheck disable=SC2034 # for the caller
	as_is=yes
}

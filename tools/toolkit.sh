# Which CUDA toolkit tools/setup fetches where the machine has none, how, and how to do as if it had none; sourced after
# common.sh, not run.
# shellcheck shell=bash disable=SC2154 # root and toolchain are of common.sh

# The CUDA version of this machine's NVIDIA driver ("13.0"), as its library tells it: that needs no nvidia-smi, and
# knows of NVIDIA's compatibility packages. Fails where there is no driver that answers.
driver_cuda() {
	python3 -c 'import ctypes
version = ctypes.c_int()
assert ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version)) == 0
print(f"{version.value // 1000}.{version.value % 1000 // 10}")' 2>/dev/null
}

# The newest of the pinned toolkits that is not newer than CUDA $1; nothing where all are.
newest_pinned_up_to() {
	pinned_toolkits | while read -r version; do
		[ "$(printf '%s\n' "$version" "$1" | sort -V | head -n 1)" != "$version" ] || echo "$version"
	done | tail -n 1
}

# Sets `version` to the pinned toolkit that suits this machine, and `reason`.
#
# A driver runs all that toolkits up to its own CUDA version make. Of what a newer one of the same major version makes it
# runs machine code only, and neither PTX nor calls that came later ("Minor Version Compatibility" of NVIDIA's CUDA
# Compatibility guide, docs.nvidia.com/deploy/cuda-compatibility). Both are found in people's files: no toolkit newer
# than the driver is chosen.
choose_toolkit() {
	local driver
	if [ -n "${GEMMJUDGE_TOOLKIT:-}" ]; then
		version=$GEMMJUDGE_TOOLKIT reason="GEMMJUDGE_TOOLKIT asks for it"
		[[ $version == 13.+([0-9]) ]] ||
			give_up "GEMMJUDGE_TOOLKIT=$version is no version of CUDA 13; write it as in GEMMJUDGE_TOOLKIT=13.0"
		[ -f "$root/tools/cuda-requirements-$version.txt" ] ||
			give_up "GEMMJUDGE_TOOLKIT=$version: only $(pinned_toolkits | paste -sd ' ') can be fetched;" \
				"tools/cuda-requirements $version adds one, and CUDA_HOME names one that is here"
	elif ! has_gpu; then
		version=$(pinned_toolkits | tail -n 1) reason="the newest one, as no GPU here has a driver that limits it"
	elif ! driver=$(driver_cuda); then
		version=$(pinned_toolkits | head -n 1)
		reason="the oldest one, as the NVIDIA driver (libcuda.so.1) does not tell its CUDA version"
	else
		version=$(newest_pinned_up_to "$driver") reason="the newest one that the driver runs, which is of CUDA $driver"
		[ -n "$version" ] || {
			version=$(pinned_toolkits | head -n 1)
			reason="the oldest one; the driver is of CUDA $driver, and too old for it: only the emulated GPU will work"
		}
	fi
}

# pip, as a command in the array `pip`. Fails where there is none.
find_pip() {
	pip=(python3 -m pip)
	"${pip[@]}" --version >/dev/null 2>&1
}

# nvcc finds its parts relative to itself; the linker wants unversioned names.
lay_out_toolkit() {
	local dir=$1 library
	ln -sfn lib "$dir/lib64"
	for library in "$dir"/lib/lib*.so.*; do
		library=$(basename "$library")
		ln -sf "$library" "$dir/lib/${library%%.so.*}.so"
	done
}

# Compiles and links a real kernel with the toolkit in $1.
try_toolkit() {
	local dir=$1 scratch status=0
	scratch=$(mktemp -d)
	cat >"$scratch/try.cu" <<-'END'
		#include <cublasLt.h>
		#include <cuda_bf16.h>
		#include <cuda_pipeline.h>
		__global__ void twice(__nv_bfloat16 *x) { x[threadIdx.x] += x[threadIdx.x]; }
		extern "C" size_t solve(__nv_bfloat16 *x) { twice<<<1, 32>>>(x); return cublasLtGetVersion(); }
	END
	"$dir/bin/nvcc" -arch=sm_90a -cudart shared -shared -Xcompiler -fPIC \
		-o "$scratch/try.so" "$scratch/try.cu" -lcublasLt >&2 || status=1
	rm -rf "$scratch"
	return $status
}

# .toolchain/cuda becomes the toolkit of version $1 that lies beside it.
use_fetched() {
	[ -L "$toolchain" ] || rm -rf "$toolchain"
	ln -sfn "$(basename "$toolchain-$1")" "$toolchain"
}

# Fetches the toolkit $version, because of $reason, with the command in `pip`.
fetch_toolkit() {
	local part=$toolchain.part requirements=$root/tools/cuda-requirements-$version.txt
	say "no complete CUDA ${GEMMJUDGE_TOOLKIT:-13} toolkit here; fetching CUDA $version ($reason)"
	say "from PyPI into .toolchain/cuda-$version (540 to 590 MB, 1 GB on disk):"
	grep -o '^nvidia[^ ]*' "$requirements" | sed 's/^/    /' >&2
	rm -rf "$part"
	mkdir -p "$part"
	# pip says what it fetches, of what size, and on a terminal how far it is.
	if ! "${pip[@]}" install --no-cache-dir --root-user-action=ignore --disable-pip-version-check --no-deps \
		--only-binary :all: --require-hashes --target "$part" -r "$requirements" >&2; then
		rm -rf "$part"
		give_up "could not fetch the CUDA wheels of ${requirements#"$root/"} (see pip's message above)." \
			"Missing: a CUDA 13 toolkit (nvcc, cudart, cuBLAS, CUPTI); install one and set CUDA_HOME"
	fi
	lay_out_toolkit "$part/nvidia/cu13"
	if ! try_toolkit "$part/nvidia/cu13"; then
		rm -rf "$part"
		give_up "the fetched CUDA toolkit does not compile a kernel here (see above)"
	fi
	rm -rf "$toolchain-$version"
	mv "$part/nvidia/cu13" "$toolchain-$version"
	rm -rf "$part"
	use_fetched "$version"
}

# Says what would be fetched today, where an earlier fetch chose another one.
say_kept() {
	local kept
	kept=$(release_of "$1")
	choose_toolkit
	[ "$kept" = "$version" ] ||
		say "keeping CUDA $kept, fetched before; GEMMJUDGE_TOOLKIT=$version tools/setup fetches $version ($reason)"
}

# Runs a command where CUDA toolkits that were installed cannot be seen.
hidden_cuda() {
	local folder folders=() path as_root=()
	for folder in /usr/local/cuda* /opt/cuda; do
		[ ! -d "$folder" ] || [ -L "$folder" ] || folders+=("$folder")
	done
	path=$(tr ':' '\n' <<<"$PATH" | grep -v -i cuda | paste -s -d :)
	[ "$(id -u)" = 0 ] || as_root=(--map-root-user)
	# shellcheck disable=SC2016 # for the inner shell
	env -u CUDA_HOME -u CUDA_PATH -u GEMMJUDGE_NVCC PATH="$path" unshare --mount "${as_root[@]}" bash -c '
		folders=$1
		shift
		for folder in $folders; do mount -t tmpfs none "$folder" || exit; done
		exec "$@"' hidden_cuda "${folders[*]}" "$@"
}

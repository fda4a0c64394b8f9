# The program for aarch64, built on x86-64 and run there by qemu's user-mode emulation; sourced after common.sh and
# toolkit.sh, not run. All of it lies in build-arm/, and goes with that folder:
#   root/   Debian's libraries for aarch64, unpacked and not installed: the machine's own packages stay as they are
#   cuda/   this machine's CUDA toolkit, with NVIDIA's runtime for aarch64 in the place of its own: a link to that
#           of one version, so that ninja builds anew when it leads to another one
#   bin/    gcc and g++ as who builds on aarch64 finds them: the cross compilers
# shellcheck shell=bash disable=SC2154 # root is of common.sh

arm=$root/build-arm
# shellcheck disable=SC2034 # for tools/setup
arm_packages=(gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user-static patchelf)

# apt, as on an aarch64 machine with nothing installed; the lists and packages it fetches lie in $arm/apt.
arm_apt() {
	apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root \
		-o Dir::State="$arm/apt" -o Dir::State::status="$arm/apt/status" -o Dir::Cache="$arm/apt" "$@" >&2
}

# The packages $@ and all that they need, unpacked below $arm/root.
make_arm_root() {
	local package
	[ "$(cat "$arm/root/packages" 2>/dev/null)" != "$*" ] || return 0
	say "fetching Debian's libraries for aarch64 into build-arm/root (40 MB, 190 MB on disk)"
	rm -rf "$arm/apt" "$arm/root.new"
	mkdir -p "$arm/apt/lists/partial" "$arm/apt/archives/partial" "$arm/root.new"
	: >"$arm/apt/status"
	arm_apt update && arm_apt install -d -y --no-install-recommends "$@" || return
	for package in "$arm"/apt/archives/*.deb; do
		dpkg -x "$package" "$arm/root.new" || return
	done
	echo "$*" >"$arm/root.new/packages" || return
	rm -rf "$arm/apt" "$arm/root"
	mv "$arm/root.new" "$arm/root"
}

# What a program for aarch64 is linked against in the place of library $1 of cuBLAS, whose wheel has 400 MB: its names and
# nothing behind them, in folder $2.
make_arm_names() {
	local soname
	soname=$(objdump -p "$1" | awk '$1 == "SONAME" { print $2 }')
	nm -D --defined-only "$1" | awk '$2 == "T" { sub(/@.*/, "", $3); print ".globl " $3 "\n" $3 ":" }' |
		aarch64-linux-gnu-gcc -shared -nostdlib -Wl,-soname,"$soname" -x assembler - -o "$2/$(basename "$1")"
}

# $arm/cuda from the toolkit in folder $1. nvcc compiles for aarch64 where NVCC_CCBIN names a compiler for it, and looks
# for headers and libraries of that processor beside itself.
make_arm_toolkit() {
	local from to=$arm/cuda.new release version library
	from=$(readlink -f "$1")
	[ "$(readlink "$arm/cuda/nvvm")" != "$from/nvvm" ] || return 0
	release=$(release_of "$from")
	version=$release
	[ -f "$root/tools/cuda-requirements-$version.txt" ] || version=$(pinned_toolkits | tail -n 1)
	say "fetching NVIDIA's CUDA runtime $version for aarch64 into build-arm/cuda (2 MB)"
	rm -rf "$arm"/cuda*
	mkdir -p "$to/bin" "$to/targets/aarch64-linux"
	sed -n '/^nvidia-cuda-runtime=/,/[^\\]$/p' "$root/tools/cuda-requirements-$version.txt" >"$to/requirements"
	"${pip[@]}" install -q --no-cache-dir --root-user-action=ignore --disable-pip-version-check --no-deps \
		--only-binary :all: --require-hashes --platform manylinux2014_aarch64 --target "$to/wheel" \
		-r "$to/requirements" >&2 || return
	mv "$to/wheel/nvidia/cu13/lib" "$to/targets/aarch64-linux/lib"
	rm -rf "$to/wheel"
	for library in "$to"/targets/aarch64-linux/lib/lib*.so.*; do
		library=$(basename "$library")
		ln -s "$library" "$to/targets/aarch64-linux/lib/${library%%.so.*}.so"
	done
	for library in cublas cublasLt; do
		make_arm_names "$from/lib64/lib$library.so" "$to/targets/aarch64-linux/lib" || return
	done
	ln -s "$from"/bin/* "$to/bin/"
	rm "$to"/bin/nvcc*
	cp "$from"/bin/nvcc "$from/bin/nvcc.profile" "$to/bin/" # a link would lead it home
	ln -s "$from/nvvm" "$to/nvvm"
	ln -s "$(readlink -f "$from/include")" "$to/targets/aarch64-linux/include"
	ln -s targets/aarch64-linux/include "$to/include"
	ln -s targets/aarch64-linux/lib "$to/lib64"
	mv "$to" "$arm/cuda-$release"
	ln -s "cuda-$release" "$arm/cuda"
}

make_arm_compilers() {
	local name
	mkdir -p "$arm/bin"
	for name in gcc g++; do
		ln -sf "$(command -v "aarch64-linux-gnu-$name")" "$arm/bin/$name"
	done
	ln -sf gcc "$arm/bin/cc"
	ln -sf g++ "$arm/bin/c++"
}

# Whether the kernel hands programs for aarch64 to qemu. Where it was only not told of it, as in a new container, root
# tells it as Debian's package does.
arm_runs() {
	local loader=$arm/root/lib/ld-linux-aarch64.so.1 kernel=/proc/sys/fs/binfmt_misc
	! "$loader" --version >/dev/null 2>&1 || return 0
	[ "$(id -u)" = 0 ] || return
	[ -e $kernel/register ] || mount -t binfmt_misc binfmt_misc $kernel 2>/dev/null || return
	cat /usr/lib/binfmt.d/qemu-aarch64.conf >$kernel/register 2>/dev/null
	"$loader" --version >/dev/null 2>&1
}

# Runs a command as on an aarch64 machine, as far as qemu shows one. Address space costs qemu 7.2 memory and 13 s a
# process where the emulated GPU reserves what an H200 has: it gets less.
on_arm() (
	ulimit -v $((16 << 20))
	exec env PATH="$arm/bin:$PATH" CUDA_HOME="$arm/cuda" NVCC_CCBIN=aarch64-linux-gnu-g++ "$@"
)

# Builds targets of build-arm. What is linked, by nvcc too, names its loader and libraries by their paths there, so that
# qemu runs it wherever it is started, also with an empty environment.
build_arm() {
	local link=--dynamic-linker=$arm/root/lib/ld-linux-aarch64.so.1,--disable-new-dtags
	link+=,-rpath=$arm/root/usr/lib/aarch64-linux-gnu,-rpath=$arm/root/lib/aarch64-linux-gnu
	build_configure build-arm -DCMAKE_TOOLCHAIN_FILE="$root/tools/aarch64.cmake" \
		-DCMAKE_EXE_LINKER_FLAGS="-Wl,$link" -DNVCC="$(readlink -f "$arm/cuda")/bin/nvcc" &&
		NVCC_CCBIN=aarch64-linux-gnu-g++ NVCC_APPEND_FLAGS="-Xlinker $link" build_with_progress build-arm "$@"
}

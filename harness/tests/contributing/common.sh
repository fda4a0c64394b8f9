# shellcheck shell=bash
# What the tests of CONTRIBUTING.md's rows share. A row says how many places an addition touches; the patch
# beside `run` touches these and no others, and `run` shows that the addition works with nothing else edited.
#
#     . "$(dirname "$0")/../common.sh"
#     begin "$@" 'a report format' 'four places' 4    # SOURCE SCRATCH, of CONTRIBUTING.md: row, count; hunks
#     build gemmjudge                                 # of the patched tree
#     ... "$tree/build/gemmjudge" ...
#
# All of them use one copy of the source, beside SCRATCH, and one build of it, so that each compiles what its
# patch changes; the copy becomes the source again where the next one begins. ccache, where it is, has what the
# source's own build compiled.
set -euo pipefail

fail() {
	echo "FAILED: $*"
	exit 1
}

# Makes the tree what the source is: writes only what differs, so that ninja builds only that anew.
copy_source() { # SOURCE TREE
	python3 - "$@" <<'END'
import os, pathlib, shutil, subprocess, sys

source, tree = map(pathlib.Path, sys.argv[1:])
if (source / ".git").exists():
    names = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           check=True, capture_output=True, text=True).stdout.split("\0")
else:
    names = []
    for folder, folders, files in os.walk(source):
        if pathlib.Path(folder) == source:
            folders[:] = [name for name in folders if not name.startswith(("build", ".toolchain"))]
        names += [str((pathlib.Path(folder) / name).relative_to(source)) for name in files]
wanted = {name for name in names if name and (source / name).is_file()}
for name in wanted:
    to = tree / name
    if not to.is_file() or to.read_bytes() != (source / name).read_bytes():
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, to)
for folder, folders, files in os.walk(tree):
    if pathlib.Path(folder) == tree:
        folders[:] = [name for name in folders if name != "build"]
    for name in files:
        path = pathlib.Path(folder) / name
        if str(path.relative_to(tree)) not in wanted:
            path.unlink()
END
}

begin() { # SOURCE SCRATCH ROW COUNT HUNKS
	local source=$1 patch hunks
	patch=$(dirname "$(readlink -f "$0")")/patch
	tree=$(dirname "$2")/tree
	scratch=$2
	grep -q "^| $3 |.*| $4[^|]* |\$" "$source/CONTRIBUTING.md" || fail "CONTRIBUTING.md does not say that $3 touches $4"
	hunks=$(grep -c '^@@' "$patch")
	[ "$hunks" = "$5" ] || fail "the patch touches $hunks places, not $5"
	mkdir -p "$tree" "$scratch"
	copy_source "$source" "$tree"
	patch -d "$tree" -p1 --no-backup-if-mismatch <"$patch" || fail "the patch does not fit the source any more"
	export GEMMJUDGE_STORE=none GEMMJUDGE_CACHE=$tree/build/contributing-cache
}

build() { # TARGET...
	export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$tree} CCACHE_NOHASHDIR=1
	if [ -z "${CMAKE_C_COMPILER_LAUNCHER:-}" ] && command -v ccache >/dev/null; then
		export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
	fi
	cmake -G Ninja -S "$tree" -B "$tree/build" >"$scratch/cmake" || fail "$(cat "$scratch/cmake")"
	ninja -C "$tree/build" "$@" >"$scratch/ninja" || fail "$(tail -n 30 "$scratch/ninja")"
}

# All that judges on the emulated GPU.
build_judge() {
	build gemmjudge referee contestant cudart_emulated
}

judge() { # ARGUMENT...
	"$tree/build/gemmjudge" judge --device emu --cases 3 --max-dim 48 --seed 1 --time none "$@" >"$scratch/said" 2>&1 || {
		cat "$scratch/said"
		fail "judge $*"
	}
}

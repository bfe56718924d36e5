# For all recipes. They run in an empty folder of their own, where build puts the
# sources as src; PORT has the stand-ins and SYSROOT the C library.
set -euo pipefail
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=0

# guard has every edge of a program count down to the next call of its host.
guard=-fsanitize-coverage=trace-pc

# Paths would differ from machine to machine.
here="-ffile-prefix-map=$PWD=. -ffile-prefix-map=${PORT:-/}=port"

# wasicc compiles for WASI.
wasicc() {
	clang-16 --target=wasm32-wasi --sysroot="$SYSROOT" -Os -w $guard $here -D_GNU_SOURCE -D_WASI_EMULATED_SIGNAL \
		-D_WASI_EMULATED_MMAN -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_PROCESS_CLOCKS "$@"
}

# link makes a module of objects: link STACK OUT FILE... The stack comes first, so
# that running over it traps.
link() {
	wasicc "${@:3}" -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size="$1" -Wl,--stack-first \
		-lwasi-emulated-signal -lwasi-emulated-mman -lwasi-emulated-getpid -lwasi-emulated-process-clocks -o "$2"
}

# compile makes objects of C files, two at a time: compile OUT FLAGS -- FILE...
compile() {
	local out=$1 flags=() f
	shift
	while [[ $1 != -- ]]; do flags+=("$1"); shift; done
	shift
	mkdir -p "$out"
	for f; do
		printf '%s\0' "$f"
	done | SYSROOT=$SYSROOT PORT=$PORT out=$out xargs -0 -n1 -P2 bash -c '
		f=${@: -1}; name=${f//\//_}
		'"$(declare -f wasicc)"'
		guard='"'$guard'"' here='"'$here'"'
		wasicc "${@:1:$#-1}" -c "$f" -o "$out/${name%.c}.o"' -- "${flags[@]}"
}

# CPython 3.11.2 with Debian's fixes, its standard library, SQLite and zlib. PSF's licence.
#
# It takes minutes of two cores, so CI builds it only when what is hashed has changed:
# this file, those of also, the sources and the C library. The rest is a matter of
# comparing hashes.
packages="python3.11 zlib sqlite3"
port="interrupt.c prepared.c posix.c sqlite3.c include"
also="python/modules python/main.c python/kept.patch python/guard.c python/_socket.py python/wasi_events.py python/sitecustomize.py python/library.py"
build() {
	local top=$PWD stdlib
	export PYTHONHASHSEED=0
	(cd src && patch -s -p1 <"$HERE/python/kept.patch")

	# SQLite as a library; see sqlite3.sh.
	mkdir amalgamation && cd amalgamation
	make -s -f ../sqlite3/main.mk TOP=../sqlite3 BCC='gcc -w' TCC=gcc NAWK=awk sqlite3.c >/dev/null
	compile "$top/o" -I"$PORT/include" -include posix.h -O2 -DSQLITE_OS_UNIX=1 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION \
		-DSQLITE_OMIT_WAL -DSQLITE_DEFAULT_UNIX_VFS='"unix-none"' -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_MATH_FUNCTIONS \
		-DSQLITE_TEMP_STORE=3 -DHAVE_FCHOWN=0 -DHAVE_READLINK=1 -DHAVE_LSTAT=1 -Ddup2=no_dup2 -- sqlite3.c "$PORT/posix.c"
	cd "$top/zlib"
	compile "$top/o" -O2 -- adler32.c crc32.c deflate.c inffast.c inflate.c inftrees.c trees.c zutil.c compress.c uncompr.c
	cd "$top"
	wasicc -O2 -c "$HERE/python/guard.c" -o guard.o
	wasicc -O2 -c "$PORT/prepared.c" -o prepared.o

	# configure links its trials, so it gets a C library's empty parts, and nothing that is called at each edge.
	mkdir out lib && cd out
	for part in m rt pthread dl util; do llvm-ar-16 rcs "../lib/lib$part.a"; done
	echo 'void __sanitizer_cov_trace_pc(void) {}' >none.c
	export CC="clang-16 --target=wasm32-wasi --sysroot=$SYSROOT" AR=llvm-ar-16 RANLIB=llvm-ranlib-16 READELF=true PKG_CONFIG=false
	# The host sleeps for a time, not until one.
	export CONFIG_SITE=../src/Tools/wasm/config.site-wasm32-wasi ac_cv_func_dup=no ac_cv_func_clock_nanosleep=no ac_cv_lib_rt_clock_nanosleep=no
	local absent
	for absent in _lzma _bz2 _ctypes _uuid _sqlite3 readline zlib _ssl _hashlib; do export "py_cv_module_$absent=n/a"; done
	$CC -c none.c -o none.o
	LDFLAGS="$PWD/none.o -L$top/lib" CFLAGS='-O2 -g0 -w -Wno-int-conversion' ../src/configure -C --host=wasm32-unknown-wasi \
		--build=x86_64-pc-linux-gnu --with-build-python=/usr/bin/python3.11 --disable-test-modules --without-pydebug --prefix=/usr >/dev/null
	cp "$HERE/python/modules" Modules/Setup.stdlib

	cp "$HERE/python/main.c" ../src/Programs/python.c
	make -s Makefile
	make -s -j2 EXTRA_CFLAGS="$guard $here -DPy_DEFAULT_RECURSION_LIMIT=1000 -I$top/zlib -I$top/amalgamation" CONFIGURE_LDFLAGS="-L$top/lib -Wl,--gc-sections -Wl,--strip-all -Wl,--wrap=read -Wl,--wrap=nanosleep" \
		LINKFORSHARED='-nostartfiles -Wl,-z,stack-size=8388608 -Wl,--stack-first -Wl,--initial-memory=16777216' \
		LIBS="$top/prepared.o $top/guard.o $(echo "$top"/o/*.o) -lwasi-emulated-signal -lwasi-emulated-mman -lwasi-emulated-getpid -lwasi-emulated-process-clocks" python.wasm
	cd "$top"

	# The standard library is a section of the module, as one archive of .pyc files.
	/usr/bin/python3.11 -I -S "$HERE/python/library.py" src/Lib "$HERE/python" library.tar
	llvm-objcopy-16 --add-section=library=library.tar out/python.wasm "$1"
}

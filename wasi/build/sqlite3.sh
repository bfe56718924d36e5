# The shell of SQLite 3.40.1, with Debian's security fixes. Public domain.
packages=sqlite3
build() {
	mkdir -p amalgamation && cd amalgamation
	make -s -f ../src/main.mk TOP=../src BCC='gcc -w' TCC=gcc NAWK=awk sqlite3.c shell.c >/dev/null
	wasicc -c "$PORT/interrupt.c" -o interrupt.o
	# No processes, no shared memory, no extensions from files; locks are not needed
	# where each run has the files for itself.
	compile o -I"$PORT/include" -include posix.h -DSQLITE_OS_UNIX=1 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_NOHAVE_SYSTEM \
		-DSQLITE_OMIT_POPEN -DSQLITE_OMIT_WAL -DSQLITE_DEFAULT_UNIX_VFS='"unix-none"' -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_MATH_FUNCTIONS \
		-DSQLITE_TEMP_STORE=3 -DHAVE_FCHOWN=0 -DHAVE_READLINK=1 -DHAVE_LSTAT=1 -Dsystem=no_system -- sqlite3.c shell.c "$PORT/posix.c" "$PORT/cwd.c" "$PORT/sqlite3.c"
	link 1048576 "$1" o/*.o interrupt.o
}

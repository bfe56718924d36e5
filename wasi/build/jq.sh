# jq 1.6, with Debian's security fixes. MIT. Its regular expressions are those of Oniguruma 6.9.8. BSD.
packages="jq libonig"
also="jq.h jq.patch"
build() {
	# Parsing the builtins is most of what a run costs: it comes first, as prepare.
	(cd src && patch -s -p1 <"$HERE/jq.patch")
	wasicc -c "$PORT/interrupt.c" -o interrupt.o
	wasicc -c "$PORT/prepared.c" -o prepared.o
	cat >libonig/src/config.h <<-'END'
		#define HAVE_ALLOCA_H 1
		#define HAVE_INTTYPES_H 1
		#define HAVE_STDINT_H 1
		#define HAVE_SYS_TIME_H 1
		#define HAVE_SYS_TYPES_H 1
		#define HAVE_UNISTD_H 1
		#define SIZEOF_INT 4
		#define SIZEOF_LONG 4
		#define SIZEOF_LONG_LONG 8
		#define SIZEOF_VOIDP 4
		#define STDC_HEADERS 1
		#define PACKAGE "onig"
		#define VERSION "6.9.8"
	END
	(cd libonig/src && compile ../../o -DHAVE_CONFIG_H -I. -- regparse.c regcomp.c regexec.c regenc.c regerror.c regext.c regsyntax.c regtrav.c \
		regversion.c st.c reggnu.c ascii.c utf8.c unicode.c unicode_unfold_key.c unicode_fold1_key.c unicode_fold2_key.c unicode_fold3_key.c onig_init.c)
	cd src/src
	mkdir src && sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/' builtin.jq >src/builtin.inc
	echo '#define JQ_VERSION "1.6"' | tee src/version.h >version.h
	cp "$HERE/jq.h" pthread.h
	echo 'int jq_testsuite(void *libs, int verbose, int argc, char **argv) { return 1; }' >suite.c
	# All functions of the C library's <math.h>, of which it lacks a few.
	local math
	math=$(grep -oE 'LIBM_(DD|DDD|DA|DDI|DDDD)[A-Z]*\([a-z0-9_]+\)|LIBM_[A-Z]+ ?\([a-z0-9_]+\)' libm.h | sed 's/.*(\(.*\))/\1/' | sort -u |
		grep -vxE 'drem|exp10|gamma|lgamma_r|pow10|ldexp10|significand|frexp|modf' | tr a-z A-Z | sed 's/^/-DHAVE_/')
	compile ../../o -I. -I../../libonig/src -I"$PORT/include" -include "$HERE/jq.h" -DHAVE_LIBONIG -DHAVE_ALLOCA_H -DHAVE_ISATTY -DHAVE_STRPTIME -DHAVE_STRFTIME \
		-DHAVE_GMTIME_R -DHAVE_GMTIME -DHAVE_TIMEGM -DHAVE_TM_TM_GMT_OFF -DHAVE_MEMMEM -DIEEE_8087 -DHAVE_FREXP -DHAVE_MODF -DHAVE_LGAMMA_R -DHAVE_MKSTEMP $math -- \
		builtin.c bytecode.c compile.c execute.c jv.c jv_alloc.c jv_aux.c jv_dtoa.c jv_file.c jv_parse.c jv_print.c jv_unicode.c lexer.c linker.c \
		locfile.c parser.c util.c main.c suite.c "$PORT/posix.c"
	link 1048576 "$1" -nostartfiles ../../o/*.o ../../interrupt.o ../../prepared.o
}

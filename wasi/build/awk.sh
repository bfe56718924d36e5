# One True Awk of 2022-09-12, which Debian calls original-awk. Lucent's licence.
packages=original-awk
also=awk.patch
build() {
	cd src
	patch -s -p1 <"$HERE/awk.patch"
	bison -d -b awkgram awkgram.y 2>/dev/null
	gcc -w maketab.c -o maketab
	./maketab awkgram.tab.h >proctab.c
	wasicc -c "$PORT/interrupt.c" -o interrupt.o
	compile o -I"$PORT/include" -include "$PORT/awk.h" -- awkgram.tab.c b.c main.c parse.c proctab.c tran.c lib.c run.c lex.c "$PORT/cwd.c"
	link 262144 "$1" o/*.o interrupt.o
}

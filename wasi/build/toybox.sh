# toybox 0.8.9, as one module that is called by many names. 0BSD.
packages=toybox
also=toybox.applets
build() {
	cd src
	# A call through a pointer must have the type of the function.
	sed -i 's/((void (\*)(int))(al->arg))(0);/((void (*)(void))al->arg)();/' lib/xwrap.c
	# preview1 lists . and .. as any other name.
	sed -i 's/^  while ((entry = readdir(dir))) {/&\n    if (isdotdot(entry->d_name)) continue;/' lib/dirtree.c

	# There is no dup; the first file is opened once more.
	sed -i 's/TT.fd = dup(fd);/TT.fd = xopenro(strcmp(name, "-") ? name : "\/dev\/stdin");/' toys/posix/cmp.c

	# s/x/y/2 forgets what comes before the second match, and an empty match writes to nowhere.
	sed -i -e 's/if (l2) memcpy(l2+l2used, rline, match\[0\].rm_eo);/if (!l2) l2 = xmalloc(l2old = (l2l|0xfff)+1);\n          memcpy(l2+l2used, rline, match[0].rm_eo);/' \
		-e 's/^          l2\[l2used++\] = \*rline++;/          if (!l2) l2 = xmalloc(l2old = (l2l|0xfff)+1);\n&/' toys/posix/sed.c

	for applet in $(<"$HERE/toybox.applets"); do echo "CONFIG_$applet=y"; done >mini.config
	KCONFIG_ALLCONFIG=mini.config make allnoconfig >/dev/null 2>&1
	NOBUILD=1 CC=gcc CFLAGS=-w scripts/make.sh >/dev/null 2>&1

	# Headers that are looked for and need to hold nothing.
	mkdir -p empty/net empty/sys
	for h in net/if util pty sys/swap sys/personality sys/sysinfo; do : >"empty/$h.h"; done
	wasicc -c "$PORT/interrupt.c" -o interrupt.o
	compile o -funsigned-char -fno-strict-aliasing -ffunction-sections -fdata-sections -I"$PORT/include" -Iempty -include posix.h -I. -- \
		lib/{args,commas,deflate,dirtree,env,lib,llist,tty,utf8,xwrap,password}.c \
		$(grep -o 'toys/[a-z0-9]*/[a-z0-9_]*\.c' generated/build.sh | sort -u) main.c "$PORT/posix.c" "$PORT/toybox.c" "$PORT/cwd.c"
	link 262144 "$1" o/*.o interrupt.o
}

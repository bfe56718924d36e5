#pragma once
#include <stdio.h>
struct mntent {
	char *mnt_fsname, *mnt_dir, *mnt_type, *mnt_opts;
	int mnt_freq, mnt_passno;
};
FILE *setmntent(const char *, const char *);
struct mntent *getmntent(FILE *);
int endmntent(FILE *);

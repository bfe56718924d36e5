#pragma once
#include <sys/types.h>
struct group {
	char *gr_name, *gr_passwd;
	gid_t gr_gid;
	char **gr_mem;
};
struct group *getgrgid(gid_t), *getgrnam(const char *);
int getgrgid_r(gid_t, struct group *, char *, size_t, struct group **);

#pragma once
struct statfs {
	unsigned long f_type, f_bsize, f_frsize;
	unsigned long long f_blocks, f_bfree, f_bavail, f_files, f_ffree;
	long f_namelen;
	struct { int val[2], __val[2]; } f_fsid;
};
int statfs(const char *, struct statfs *);

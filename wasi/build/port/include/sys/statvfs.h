#pragma once
struct statvfs {
	unsigned long f_bsize, f_frsize;
	unsigned long long f_blocks, f_bfree, f_bavail, f_files, f_ffree, f_favail;
	unsigned long f_fsid, f_flag, f_namemax;
};
int statvfs(const char *, struct statvfs *), fstatvfs(int, struct statvfs *);

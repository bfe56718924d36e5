#pragma once
#include <sys/types.h>
ssize_t getxattr(const char *, const char *, void *, size_t), lgetxattr(const char *, const char *, void *, size_t), fgetxattr(int, const char *, void *, size_t);
ssize_t listxattr(const char *, char *, size_t), llistxattr(const char *, char *, size_t), flistxattr(int, char *, size_t);
int setxattr(const char *, const char *, const void *, size_t, int), lsetxattr(const char *, const char *, const void *, size_t, int), fsetxattr(int, const char *, const void *, size_t, int);

#pragma once
#include <sys/types.h>
#define WNOHANG 1
#define WUNTRACED 2
#define WIFEXITED(status) 1
#define WEXITSTATUS(status) ((status) >> 8 & 255)
#define WIFSIGNALED(status) 0
#define WIFSTOPPED(status) 0
#define WTERMSIG(status) 0
#define WSTOPSIG(status) 0
pid_t wait(int *), waitpid(pid_t, int *, int);

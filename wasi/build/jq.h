// What jq needs besides posix.h: it is this file, and pthread.h for it.
#ifndef SAMKIT_JQ
#define SAMKIT_JQ
#include "posix.h"
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

// There are no links.
static inline char *realpath(const char *path, char *out) { return out ? strcpy(out, path) : strdup(path); }

// There is one thread, and each file that has a key has one.
static void *jq_value;
#define PTHREAD_ONCE_INIT 0
static inline int pthread_key_create(pthread_key_t *key, void (*end)(void *)) { return 0; }
static inline int pthread_setspecific(pthread_key_t key, const void *value) { jq_value = (void *)value; return 0; }
static inline void *pthread_getspecific(pthread_key_t key) { return jq_value; }
static inline int pthread_once(pthread_once_t *once, void (*f)(void))
{
	if (!*once) {
		*once = 1;
		f();
	}
	return 0;
}
#endif

#pragma once
enum { LOG_EMERG, LOG_ERR = 3, LOG_NOTICE = 5, LOG_INFO, LOG_PID = 1, LOG_DAEMON = 24 };
static inline void openlog(const char *name, int options, int facility) {}
static inline void closelog(void) {}
static inline void syslog(int priority, const char *format, ...) {}

#pragma once
#define _PATH_DEFPATH "/bin"
#define _PATH_DEVNULL "/dev/null"
#define _PATH_TMP "/tmp/"
#define _PATH_TTY "/dev/tty"

#pragma once
typedef unsigned tcflag_t, speed_t;
typedef unsigned char cc_t;
#define NCCS 32
struct termios {
	tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
	cc_t c_line, c_cc[NCCS];
	speed_t c_ispeed, c_ospeed;
};
enum { TCSANOW, TCSADRAIN, TCSAFLUSH };
enum { TCIFLUSH, TCOFLUSH, TCIOFLUSH };
enum { VINTR, VQUIT, VERASE, VKILL, VEOF, VTIME, VMIN, VSTART = 8, VSTOP, VSUSP, VREPRINT = 12, VDISCARD, VWERASE, VLNEXT };
// Input.
#define IGNBRK 01
#define BRKINT 02
#define PARMRK 010
#define INPCK 020
#define ISTRIP 040
#define INLCR 0100
#define IGNCR 0200
#define ICRNL 0400
#define IXON 02000
#define IXANY 04000
#define IXOFF 010000
#define IUTF8 040000
// Output.
#define OPOST 01
#define ONLCR 04
// Control.
#define CSIZE 060
#define CS8 060
#define CREAD 0200
#define PARENB 0400
#define HUPCL 02000
#define CLOCAL 04000
#define CBAUD 010017
#define CRTSCTS 020000000000
// Local.
#define ISIG 01
#define ICANON 02
#define ECHO 010
#define ECHOE 020
#define ECHOK 040
#define ECHONL 0100
#define ECHOCTL 01000
#define ECHOKE 04000
#define IEXTEN 0100000
int tcgetattr(int, struct termios *), tcsetattr(int, int, const struct termios *), tcflush(int, int);
int cfsetspeed(struct termios *, speed_t);

"""What the modules that build on sockets look for. There is no network here."""

import errno

AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6 = 0, 1, 2, 10
SOCK_STREAM, SOCK_DGRAM, SOCK_RAW = 1, 2, 3
SOL_SOCKET, SO_REUSEADDR, SO_TYPE, SO_ERROR, SO_KEEPALIVE, SO_BROADCAST, SO_RCVBUF, SO_SNDBUF = 1, 2, 3, 4, 9, 6, 8, 7
SOMAXCONN = 128
IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_IPV6 = 0, 6, 17, 41
TCP_NODELAY, IPV6_V6ONLY = 1, 26
SHUT_RD, SHUT_WR, SHUT_RDWR = 0, 1, 2
MSG_OOB, MSG_PEEK, MSG_DONTWAIT = 1, 2, 64
AI_PASSIVE, AI_CANONNAME, AI_NUMERICHOST, AI_NUMERICSERV, AI_ADDRCONFIG = 1, 2, 4, 1024, 32
NI_NUMERICHOST, NI_NUMERICSERV = 1, 2
EAI_AGAIN, EAI_FAIL, EAI_NONAME = -3, -4, -2
INADDR_ANY, INADDR_LOOPBACK, INADDR_BROADCAST = 0, 0x7f000001, 0xffffffff
has_ipv6 = False

error = OSError
timeout = TimeoutError


class herror(OSError):
    pass


class gaierror(OSError):
    pass


def _refuse(*args, **kwargs):
    raise OSError(errno.ENOTSUP, "there is no network here")


def _unknown(*args, **kwargs):
    raise gaierror(EAI_FAIL, "there is no network here")


class socket:
    __slots__ = ()

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        _refuse()

    def close(self):
        pass


SocketType = socket
socketpair = dup = fromfd = close = if_nameindex = if_nametoindex = if_indextoname = _refuse
getaddrinfo = getnameinfo = gethostbyname = gethostbyname_ex = gethostbyaddr = getservbyname = getservbyport = getprotobyname = _unknown


def gethostname():
    return "samkit"


_default = None


def getdefaulttimeout():
    return _default


def setdefaulttimeout(seconds):
    global _default
    _default = seconds


def htons(n):
    return (n & 255) << 8 | n >> 8 & 255


def htonl(n):
    return int.from_bytes(n.to_bytes(4, "little"), "big")


ntohs, ntohl = htons, htonl


def inet_aton(text):
    parts = text.split(".")
    try:
        if len(parts) == 4:
            return bytes(int(p) for p in parts)
    except ValueError:
        pass
    raise OSError("illegal IP address string passed to inet_aton")


def inet_ntoa(packed):
    if len(packed) != 4:
        raise OSError("packed IP wrong length")
    return ".".join(map(str, packed))


def inet_pton(family, text):
    import ipaddress
    try:
        return (ipaddress.IPv6Address if family == AF_INET6 else ipaddress.IPv4Address)(text).packed
    except ValueError:
        raise OSError("illegal IP address string passed to inet_pton") from None


def inet_ntop(family, packed):
    import ipaddress
    try:
        return str((ipaddress.IPv6Address if family == AF_INET6 else ipaddress.IPv4Address)(packed))
    except ValueError:
        raise ValueError("invalid length of packed IP address string") from None

#pragma once
struct sockaddr;
struct addrinfo {
	int ai_flags, ai_family, ai_socktype, ai_protocol;
	unsigned ai_addrlen;
	struct sockaddr *ai_addr;
	char *ai_canonname;
	struct addrinfo *ai_next;
};
enum { NI_NUMERICHOST = 1, NI_NUMERICSERV, AI_PASSIVE = 1, EAI_AGAIN = -3 };

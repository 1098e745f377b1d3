// Linux's epoll, which the C library has and Swift's module of it leaves out. Nothing else lives here.
#ifndef PINTLE_CLIBEPOLL_SHIM_H
#define PINTLE_CLIBEPOLL_SHIM_H

#include <sys/epoll.h>

#endif

// Linux's epoll, which is missing from Swift's module of the C library. Nothing else belongs here.
#ifndef PINTLE_CLIBEPOLL_SHIM_H
#define PINTLE_CLIBEPOLL_SHIM_H

#include <sys/epoll.h>

#endif

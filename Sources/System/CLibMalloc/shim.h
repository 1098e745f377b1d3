// The settings of the C library's heap, which are missing from Swift's module of the C library. Nothing else belongs
// here.
#ifndef PINTLE_CLIBMALLOC_SHIM_H
#define PINTLE_CLIBMALLOC_SHIM_H

#include <malloc.h>

#endif

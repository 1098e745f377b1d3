// Inline wrappers for what of libcares Swift can't import. Nothing else lives here.
#ifndef PINTLE_CLIBCARES_SHIM_H
#define PINTLE_CLIBCARES_SHIM_H

#include <ares.h>

#endif

// Inline wrappers for the function-like macros of libssl that Swift can't import. Nothing else lives here.
#ifndef PINTLE_CLIBSSL_SHIM_H
#define PINTLE_CLIBSSL_SHIM_H

#include <openssl/ssl.h>

#endif

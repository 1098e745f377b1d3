// Inline wrappers for the function-like macros of libcrypto that Swift can't import. Nothing else lives here.
#ifndef PINTLE_CLIBCRYPTO_SHIM_H
#define PINTLE_CLIBCRYPTO_SHIM_H

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#endif

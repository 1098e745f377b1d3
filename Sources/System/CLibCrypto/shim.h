// Inline wrappers for the function-like macros of libcrypto, which Swift can't import, and what LibcryptoUse needs.
// Nothing else belongs here.
#ifndef PINTLE_CLIBCRYPTO_SHIM_H
#define PINTLE_CLIBCRYPTO_SHIM_H

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

// This thread's nesting depth of LibcryptoUse; only OpenSSLKit uses it. So few bytes fit into the loader's static TLS,
// so a shared library reads them without calling the loader.
// Weak, so that there is one in a program: each module into which the optimiser copies a use of it defines it.
__attribute__((weak, visibility("hidden"), tls_model("initial-exec"))) _Thread_local int pintle_depth = 0;
static inline int pintle_use_depth(int change) { return pintle_depth += change; }

static inline EVP_PKEY *pintle_generate_p256(void) { return EVP_EC_gen("P-256"); }

static inline EVP_PKEY *pintle_generate_ed25519(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

static inline long pintle_bio_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

// The digest's state is on the stack. OpenSSL deprecates these functions in favour of EVP, which uses the same code,
// but allocates memory for each digest in OpenSSL 3.0.
static inline int pintle_sha256(const void *bytes, size_t count, unsigned char *digest) {
  SHA256_CTX state;
  return SHA256_Init(&state) && SHA256_Update(&state, bytes, count) && SHA256_Final(digest, &state);
}

static inline void pintle_free(void *pointer) { OPENSSL_free(pointer); }

// RFC 4514 is RFC 2253, but characters outside ASCII stay in UTF-8.
static inline unsigned long pintle_rfc4514_flags(void) { return XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB; }

static inline STACK_OF(X509) *pintle_x509_stack_new(void) { return sk_X509_new_null(); }

static inline int pintle_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
  return sk_X509_push(stack, certificate);
}

static inline int pintle_x509_stack_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }

static inline X509 *pintle_x509_stack_at(const STACK_OF(X509) *stack, int index) {
  return sk_X509_value(stack, index);
}

static inline void pintle_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }

static inline void pintle_x509_stack_pop_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

static inline GENERAL_NAMES *pintle_alternative_names(const X509 *certificate) {
  return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

static inline int pintle_general_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

static inline const GENERAL_NAME *pintle_general_names_at(const GENERAL_NAMES *names, int index) {
  return sk_GENERAL_NAME_value(names, index);
}

static inline AUTHORITY_INFO_ACCESS *pintle_authority_information_access(const X509 *certificate) {
  return (AUTHORITY_INFO_ACCESS *)X509_get_ext_d2i(certificate, NID_info_access, NULL, NULL);
}

static inline int pintle_access_count(const AUTHORITY_INFO_ACCESS *list) { return sk_ACCESS_DESCRIPTION_num(list); }

static inline const ACCESS_DESCRIPTION *pintle_access_at(const AUTHORITY_INFO_ACCESS *list, int index) {
  return sk_ACCESS_DESCRIPTION_value(list, index);
}

static inline EXTENDED_KEY_USAGE *pintle_extended_key_usage(const X509 *certificate) {
  return (EXTENDED_KEY_USAGE *)X509_get_ext_d2i(certificate, NID_ext_key_usage, NULL, NULL);
}

static inline int pintle_key_usage_count(const EXTENDED_KEY_USAGE *usages) { return sk_ASN1_OBJECT_num(usages); }

static inline int pintle_key_usage_at(const EXTENDED_KEY_USAGE *usages, int index) {
  return OBJ_obj2nid(sk_ASN1_OBJECT_value(usages, index));
}

static inline void pintle_extended_key_usage_free(EXTENDED_KEY_USAGE *usages) {
  sk_ASN1_OBJECT_pop_free(usages, ASN1_OBJECT_free);
}

#endif

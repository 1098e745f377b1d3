// Inline wrappers for the function-like macros of libssl that Swift can't import. Nothing else lives here.
#ifndef PINTLE_CLIBSSL_SHIM_H
#define PINTLE_CLIBSSL_SHIM_H

#include <openssl/err.h>
#include <openssl/ssl.h>

static inline int pintle_ssl_set_minimum_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline int pintle_ssl_set_server_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline int pintle_ssl_chain_count(const STACK_OF(X509) *stack) {
  return sk_X509_num(stack);
}

static inline X509 *pintle_ssl_chain_at(const STACK_OF(X509) *stack, int index) {
  return sk_X509_value(stack, index);
}

static inline void pintle_ssl_free(void *memory) {
  OPENSSL_free(memory);
}

#endif

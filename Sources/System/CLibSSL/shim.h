// Inline wrappers for the function-like macros of libssl, which Swift can't import. Nothing else belongs here.
#ifndef PINTLE_CLIBSSL_SHIM_H
#define PINTLE_CLIBSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/ct.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

static inline int pintle_ssl_set_versions(SSL_CTX *context, int minimum, int maximum) {
  return SSL_CTX_set_min_proto_version(context, minimum) == 1 && SSL_CTX_set_max_proto_version(context, maximum) == 1;
}

// No session cache, buffers are freed while idle, and reads are as large as possible. SSL_OP_LEGACY_SERVER_CONNECT
// allows servers without RFC 5746; nothing is ever renegotiated. SSL_OP_TLSEXT_PADDING works around middleboxes that
// can't read a ClientHello of 256 to 511 bytes (RFC 7685).
static inline void pintle_ssl_set_habits(SSL_CTX *context) {
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_LEGACY_SERVER_CONNECT |
                   SSL_OP_TLSEXT_PADDING);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_read_ahead(context, 1);
}

static inline void pintle_ssl_set_max_cert_list(SSL_CTX *context, long bytes) {
  SSL_CTX_set_max_cert_list(context, bytes);
}

static inline int pintle_ssl_ask_for_staple(SSL_CTX *context) {
  return (int)SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
}

static inline int pintle_ssl_set_signatures(SSL_CTX *context, const char *list) {
  return (int)SSL_CTX_set1_sigalgs_list(context, list);
}

static inline int pintle_ssl_set_client_signatures(SSL_CTX *context, const char *list) {
  return (int)SSL_CTX_set1_client_sigalgs_list(context, list);
}

static inline int pintle_ssl_set_server_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline long pintle_ssl_staple(SSL *ssl, const unsigned char **bytes) {
  return SSL_get_tlsext_status_ocsp_resp(ssl, bytes);
}

static inline int pintle_ssl_timestamp_count(SSL *ssl) {
  const STACK_OF(SCT) *timestamps = SSL_get0_peer_scts(ssl);
  return timestamps == NULL ? 0 : sk_SCT_num(timestamps);
}

static inline int pintle_ssl_chain_count(const STACK_OF(X509) *stack) {
  return sk_X509_num(stack);
}

static inline X509 *pintle_ssl_chain_at(const STACK_OF(X509) *stack, int index) {
  return sk_X509_value(stack, index);
}

#endif

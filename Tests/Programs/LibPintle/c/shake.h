/* Real libssl handshakes, client and server in this process. */
#ifndef SHAKE_H
#define SHAKE_H

#include <openssl/ssl.h>

#include "support.h"

static int alert; /* the last one that the other side was sent */

static inline void note_alert(const SSL *ssl, int where, int value) {
  (void)ssl;
  if ((where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT) alert = value & 0xff;
}

static inline SSL_CTX *context_of(const SSL_METHOD *method, const char *certificates, const char *key) {
  char path[256];
  SSL_CTX *context = SSL_CTX_new(method);
  NEED(context != NULL);
  if (certificates == NULL) return context;
  snprintf(path, sizeof path, FIXTURES "%s", certificates);
  NEED(SSL_CTX_use_certificate_chain_file(context, path) == 1);
  snprintf(path, sizeof path, FIXTURES "%s", key);
  NEED(SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM) == 1);
  return context;
}

/* A server that presents the certificate of a host of the fixtures. */
static inline SSL_CTX *servers_of(const char *host, int version) {
  char chain[96], key[96];
  snprintf(chain, sizeof chain, "%s/chain.pem", host);
  snprintf(key, sizeof key, "%s/key.pem", host);
  SSL_CTX *context = context_of(TLS_server_method(), chain, key);
  NEED(SSL_CTX_set_max_proto_version(context, version) == 1);
  return context;
}

static inline void join(SSL *client, SSL *server) {
  BIO *near, *far;
  NEED(BIO_new_bio_pair(&near, 0, &far, 0) == 1);
  SSL_set_bio(client, near, near);
  SSL_set_bio(server, far, far);
  SSL_set_connect_state(client);
  SSL_set_accept_state(server);
}

/* Shakes hands to the end or to a failure, on both sides; 1 where the client is through. */
static inline int shake(SSL *client, SSL *server) {
  int is_done = 0, is_served = 0;
  join(client, server);
  SSL_set_info_callback(server, note_alert);
  SSL_set_info_callback(client, note_alert);
  alert = 0;
  for (int round = 0; round < 20; round++) {
    if (is_done <= 0) is_done = SSL_do_handshake(client);
    if (is_served <= 0) is_served = SSL_do_handshake(server);
  }
  /* Tickets, and the alert that a TLS 1.3 server sends after the client is through. */
  char byte;
  if (is_done == 1) SSL_read(client, &byte, 1);
  if (is_served == 1) SSL_read(server, &byte, 1);
  ERR_clear_error();
  return is_done == 1 && is_served == 1;
}

#endif

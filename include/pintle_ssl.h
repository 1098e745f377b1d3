/*
 * libpintle in programs that use libssl (OpenSSL 3.0 or later): the store takes the place of libssl's verification.
 *
 * Header only, so that libpintle itself doesn't need libssl. In exactly one source file of the program:
 *
 *     #define PINTLE_SSL_IMPLEMENTATION
 *     #include <pintle_ssl.h>
 *
 * A client:
 *
 *     SSL_CTX *context = SSL_CTX_new(TLS_client_method());
 *     pintle_ssl_protect(context, store);                    // once for each context
 *     ...
 *     pintle_ssl_connect_to(ssl, "api.example.com", 443);    // for each connection, before the handshake
 *     if (SSL_connect(ssl) == 1 && pintle_ssl_check(ssl) == PINTLE_USE_CREDENTIAL) {
 *       // go on
 *     }
 *
 * What happens: SSL_CTX_set_cert_verify_callback() has the store evaluate the chain as it was served. Where the answer
 * is PINTLE_CANCEL the handshake fails with the alert that fits, before anything is sent; SSL_get_verify_result() has
 * the X509_V_ERR_... that comes closest (X509_V_ERR_APPLICATION_VERIFICATION for a chain that no pin matches), and
 * pintle_ssl_decision() has all of it. libssl's own verification isn't done besides: anchors are those of the store's
 * settings, not the context's; names are compared with the host given here, so SSL_set1_host() isn't needed;
 * SSL_get0_verified_chain() answers null, the chain is in the decision.
 *
 * RESUMED SESSIONS. libssl verifies no certificates where a session is resumed, so the callback isn't called. A client
 * resumes only sessions that the program hands to SSL_set_session() or has kept by SSL_CTX_set_session_cache_mode().
 * pintle_ssl_check(), after the handshake, asks about a resumed session again, for the host of this very connection,
 * under the manifest in force now; call it always. It needs the chain that the session carries: one that was read with
 * d2i_SSL_SESSION() has only the leaf and may be refused. Early data is sent before anybody could ask: don't use
 * SSL_write_early_data(). A server doesn't resume: pintle_ssl_protect_server() switches
 * tickets and cache off.
 *
 * CONNECTIONS THAT STAY OPEN were judged under the manifest of their handshake. After pintle_store_update() returned
 * PINTLE_OK, pintle_ssl_recheck() judges one again.
 *
 * THREADS as in libssl: one thread at a time for each SSL. The store must outlive every context that it protects.
 */
#ifndef PINTLE_SSL_H
#define PINTLE_SSL_H

#include <openssl/ssl.h>

#include "pintle.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Has a store judge the servers that connections of this context go to. Sets SSL_VERIFY_PEER.
 *
 * A connection that pintle_ssl_connect_to() wasn't called for fails: what it is for is not guessed.
 *
 * Returns 1, or 0 where memory runs out.
 */
int pintle_ssl_protect(SSL_CTX *context, pintle_store *store);

/*
 * Has a store judge the clients of a server; each must present a certificate. Sets SSL_VERIFY_PEER and
 * SSL_VERIFY_FAIL_IF_NO_PEER_CERT, and switches resumption off. A server with several contexts (SSL_set_SSL_CTX() in a
 * callback for names) protects each of them.
 *
 * entry, port: the entry of the manifest under which the clients stand; the text is copied. Where the manifest has no such
 *              entry, or it doesn't pin, every client is refused.
 *
 * Returns 1, or 0 where the entry is null or memory runs out.
 */
int pintle_ssl_protect_server(SSL_CTX *context, pintle_store *store, const char *entry, uint16_t port);

/*
 * Says which server a connection is for, and asks for it by name (SNI) where it isn't an address.
 *
 * host: name or address, ASCII; copied. One dot at the end and brackets around an address are allowed.
 *
 * Returns 1, or 0 where the context isn't protected, the host is null, or memory runs out.
 */
int pintle_ssl_connect_to(SSL *ssl, const char *host, uint16_t port);

/*
 * Says after the handshake what to do with the connection. Asks again where the session was resumed, and answers what
 * the handshake came to otherwise. PINTLE_CANCEL where nothing was asked.
 */
pintle_disposition pintle_ssl_check(SSL *ssl);

/* Asks again about an open connection, under the manifest in force now. */
pintle_disposition pintle_ssl_recheck(SSL *ssl);

/* How the last answer for a connection came about; null where there is none. It lives until the next one, or until the
 * SSL is freed: not to be freed by the caller. */
const pintle_decision *pintle_ssl_decision(const SSL *ssl);

#ifdef __cplusplus
}
#endif

#endif

#if defined(PINTLE_SSL_IMPLEMENTATION) && !defined(PINTLE_SSL_IMPLEMENTED)
#define PINTLE_SSL_IMPLEMENTED

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

/* More than the store looks at, so that too many are seen to be too many. */
#define PINTLE_SSL_CERTIFICATES 33

/* What is known about a context (`decision` is unused there) or about one connection. */
typedef struct pintle_ssl_state {
  pintle_store *store;
  char *host;
  uint16_t port;
  pintle_decision *decision;
} pintle_ssl_state;

static CRYPTO_ONCE pintle_ssl_once = CRYPTO_ONCE_STATIC_INIT;
static int pintle_ssl_index = -1;
static int pintle_ssl_context_index = -1;

static void pintle_ssl_state_free(void *parent, void *state, CRYPTO_EX_DATA *data, int index, long number, void *word) {
  pintle_ssl_state *mine = (pintle_ssl_state *)state;
  (void)parent, (void)data, (void)index, (void)number, (void)word;
  if (mine == NULL) return;
  pintle_decision_free(mine->decision);
  free(mine->host);
  free(mine);
}

/* SSL_dup(): the copy has to be told its host itself. */
static int pintle_ssl_state_dup(
    CRYPTO_EX_DATA *to, const CRYPTO_EX_DATA *from, void **state, int index, long number, void *word) {
  (void)to, (void)from, (void)index, (void)number, (void)word;
  *state = NULL;
  return 1;
}

static void pintle_ssl_make_indices(void) {
  pintle_ssl_index = SSL_get_ex_new_index(0, NULL, NULL, pintle_ssl_state_dup, pintle_ssl_state_free);
  pintle_ssl_context_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, pintle_ssl_state_free);
}

static pintle_ssl_state *pintle_ssl_state_new(pintle_store *store, const char *host, uint16_t port) {
  pintle_ssl_state *state = (pintle_ssl_state *)calloc(1, sizeof *state);
  if (state == NULL) return NULL;
  state->store = store;
  state->port = port;
  if (host != NULL) {
    size_t size = strlen(host) + 1;
    state->host = (char *)malloc(size);
    if (state->host == NULL) {
      free(state);
      return NULL;
    }
    memcpy(state->host, host, size);
  }
  return state;
}

/* The connection's own state; a server's is made at its first question, out of the context's. */
static pintle_ssl_state *pintle_ssl_state_of(SSL *ssl) {
  pintle_ssl_state *state, *general;
  if (pintle_ssl_index < 0) return NULL;
  state = (pintle_ssl_state *)SSL_get_ex_data(ssl, pintle_ssl_index);
  if (state != NULL) return state;
  general = (pintle_ssl_state *)SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), pintle_ssl_context_index);
  if (general == NULL || general->host == NULL) return NULL;
  state = pintle_ssl_state_new(general->store, general->host, general->port);
  if (state == NULL) return NULL;
  if (SSL_set_ex_data(ssl, pintle_ssl_index, state) == 1) return state;
  pintle_ssl_state_free(NULL, state, NULL, 0, 0, NULL);
  return NULL;
}

/* Asks about a chain that may or may not begin with the leaf. */
static pintle_disposition pintle_ssl_ask(SSL *ssl, X509 *leaf, STACK_OF(X509) *chain) {
  pintle_ssl_state *state = pintle_ssl_state_of(ssl);
  pintle_bytes certificates[PINTLE_SSL_CERTIFICATES];
  unsigned char *encoded[PINTLE_SSL_CERTIFICATES];
  pintle_peer peer = PINTLE_PEER_INIT;
  pintle_disposition answer = PINTLE_CANCEL;
  int count = 0, index, others = chain == NULL ? 0 : sk_X509_num(chain), is_whole = 1;
  int has_leaf = others > 0 && leaf != NULL && X509_cmp(sk_X509_value(chain, 0), leaf) == 0;
  if (state == NULL) return PINTLE_CANCEL;
  for (index = leaf != NULL && !has_leaf ? -1 : 0; index < others && count < PINTLE_SSL_CERTIFICATES; index++) {
    X509 *certificate = index < 0 ? leaf : sk_X509_value(chain, index);
    int size;
    encoded[count] = NULL;
    size = i2d_X509(certificate, &encoded[count]);
    if (size <= 0) {
      is_whole = 0;
      break;
    }
    certificates[count].data = encoded[count];
    certificates[count].size = (size_t)size;
    count++;
  }
  pintle_decision_free(state->decision);
  state->decision = NULL;
  if (is_whole) {
    peer.role = SSL_is_server(ssl) ? PINTLE_PEER_CLIENT : PINTLE_PEER_SERVER;
    peer.host = state->host;
    peer.port = state->port;
    peer.tls_version = (uint16_t)SSL_version(ssl);
    peer.certificates = certificates;
    peer.certificate_count = (size_t)count;
    answer = pintle_store_evaluate(state->store, &peer, &state->decision);
  }
  for (index = 0; index < count; index++) OPENSSL_free(encoded[index]);
  return answer;
}

/* The error of libssl that says it best; libssl makes the alert out of it. */
static int pintle_ssl_error(const pintle_decision *decision) {
  static const struct {
    const char *code;
    int error;
  } table[] = {
      {"malformed", X509_V_ERR_INVALID_EXTENSION},
      {"key-encoding", X509_V_ERR_CERT_REJECTED},
      {"self-signed", X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT},
      {"missing-intermediate", X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE},
      {"unknown-issuer", X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY},
      {"rejected", X509_V_ERR_CERT_REJECTED},
      {"bad-signature", X509_V_ERR_CERT_SIGNATURE_FAILURE},
      {"not-an-authority", X509_V_ERR_INVALID_CA},
      {"path-too-long", X509_V_ERR_PATH_LENGTH_EXCEEDED},
      {"name-constraints", X509_V_ERR_PERMITTED_VIOLATION},
      {"wrong-usage", X509_V_ERR_INVALID_PURPOSE},
      {"expired", X509_V_ERR_CERT_HAS_EXPIRED},
      {"not-yet-valid", X509_V_ERR_CERT_NOT_YET_VALID},
      {"name-mismatch", X509_V_ERR_HOSTNAME_MISMATCH},
      {"weak-key", X509_V_ERR_EE_KEY_TOO_SMALL},
      {"weak-signature", X509_V_ERR_CA_MD_TOO_WEAK},
  };
  size_t index;
  if (decision == NULL) return X509_V_ERR_UNSPECIFIED;
  if (strcmp(decision->reason, "denied-key") == 0) return X509_V_ERR_CERT_REJECTED;
  if (decision->failure_count == 0) return X509_V_ERR_APPLICATION_VERIFICATION;
  for (index = 0; index < sizeof table / sizeof *table; index++) {
    if (strcmp(decision->failures[0].code, table[index].code) == 0) return table[index].error;
  }
  return X509_V_ERR_APPLICATION_VERIFICATION;
}

static int pintle_ssl_callback(X509_STORE_CTX *context, void *unused) {
  SSL *ssl = (SSL *)X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx());
  pintle_ssl_state *state;
  (void)unused;
  if (ssl != NULL && pintle_ssl_ask(ssl, X509_STORE_CTX_get0_cert(context), X509_STORE_CTX_get0_untrusted(context)) ==
                         PINTLE_USE_CREDENTIAL) {
    X509_STORE_CTX_set_error(context, X509_V_OK);
    return 1;
  }
  state = ssl == NULL ? NULL : pintle_ssl_state_of(ssl);
  X509_STORE_CTX_set_error(context, pintle_ssl_error(state == NULL ? NULL : state->decision));
  return 0;
}

static int pintle_ssl_install(SSL_CTX *context, pintle_store *store, const char *entry, uint16_t port, int mode) {
  pintle_ssl_state *state, *before;
  if (context == NULL || store == NULL) return 0;
  if (CRYPTO_THREAD_run_once(&pintle_ssl_once, pintle_ssl_make_indices) != 1) return 0;
  if (pintle_ssl_index < 0 || pintle_ssl_context_index < 0) return 0;
  state = pintle_ssl_state_new(store, entry, port);
  if (state == NULL) return 0;
  before = (pintle_ssl_state *)SSL_CTX_get_ex_data(context, pintle_ssl_context_index);
  if (SSL_CTX_set_ex_data(context, pintle_ssl_context_index, state) != 1) {
    pintle_ssl_state_free(NULL, state, NULL, 0, 0, NULL);
    return 0;
  }
  pintle_ssl_state_free(NULL, before, NULL, 0, 0, NULL);
  SSL_CTX_set_verify(context, mode, NULL);
  SSL_CTX_set_cert_verify_callback(context, pintle_ssl_callback, NULL);
  return 1;
}

int pintle_ssl_protect(SSL_CTX *context, pintle_store *store) {
  return pintle_ssl_install(context, store, NULL, 0, SSL_VERIFY_PEER);
}

int pintle_ssl_protect_server(SSL_CTX *context, pintle_store *store, const char *entry, uint16_t port) {
  if (entry == NULL) return 0;
  if (!pintle_ssl_install(context, store, entry, port, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT)) return 0;
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  return 1;
}

/* Asks for a server by name, without a dot at its end; addresses aren't sent (RFC 6066 section 3). */
static int pintle_ssl_name(SSL *ssl, const char *host) {
  size_t length = strlen(host);
  ASN1_OCTET_STRING *address;
  char *name;
  int is_set;
  ERR_set_mark();
  address = a2i_IPADDRESS(host);
  ERR_pop_to_mark();
  ASN1_OCTET_STRING_free(address);
  /* Null removes what was set before on an SSL that is used again. */
  if (address != NULL || host[0] == '[') return SSL_set_tlsext_host_name(ssl, NULL) == 1;
  if (length > 0 && host[length - 1] == '.') length--;
  name = (char *)malloc(length + 1);
  if (name == NULL) return 0;
  memcpy(name, host, length);
  name[length] = 0;
  is_set = SSL_set_tlsext_host_name(ssl, name) == 1;
  free(name);
  return is_set;
}

int pintle_ssl_connect_to(SSL *ssl, const char *host, uint16_t port) {
  pintle_ssl_state *general, *state, *before;
  if (ssl == NULL || host == NULL || pintle_ssl_index < 0) return 0;
  general = (pintle_ssl_state *)SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), pintle_ssl_context_index);
  if (general == NULL) return 0;
  state = pintle_ssl_state_new(general->store, host, port);
  if (state == NULL) return 0;
  before = (pintle_ssl_state *)SSL_get_ex_data(ssl, pintle_ssl_index);
  if (SSL_set_ex_data(ssl, pintle_ssl_index, state) != 1) {
    pintle_ssl_state_free(NULL, state, NULL, 0, 0, NULL);
    return 0;
  }
  pintle_ssl_state_free(NULL, before, NULL, 0, 0, NULL);
  return pintle_ssl_name(ssl, host);
}

pintle_disposition pintle_ssl_recheck(SSL *ssl) {
  X509 *leaf;
  pintle_disposition answer;
  if (ssl == NULL || !SSL_is_init_finished(ssl)) return PINTLE_CANCEL;
  leaf = SSL_get1_peer_certificate(ssl);
  answer = pintle_ssl_ask(ssl, leaf, SSL_get_peer_cert_chain(ssl));
  X509_free(leaf);
  return answer;
}

pintle_disposition pintle_ssl_check(SSL *ssl) {
  const pintle_decision *decision;
  if (ssl == NULL || !SSL_is_init_finished(ssl)) return PINTLE_CANCEL;
  /* Without a certificate, as with a pre-shared key, nothing was asked. */
  if (SSL_get0_peer_certificate(ssl) == NULL) return PINTLE_CANCEL;
  if (SSL_session_reused(ssl)) return pintle_ssl_recheck(ssl);
  decision = pintle_ssl_decision(ssl);
  return decision == NULL ? PINTLE_CANCEL : (pintle_disposition)decision->disposition;
}

const pintle_decision *pintle_ssl_decision(const SSL *ssl) {
  pintle_ssl_state *state;
  if (ssl == NULL || pintle_ssl_index < 0) return NULL;
  state = (pintle_ssl_state *)SSL_get_ex_data(ssl, pintle_ssl_index);
  return state == NULL ? NULL : state->decision;
}

#endif

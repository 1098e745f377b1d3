/*
 * libpintle in programs that use libssl (OpenSSL 3.0 or later): the store replaces libssl's verification.
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
 * For a library that makes its SSL itself, such as libcurl: pintle_ssl_protect_by_name().
 *
 * IN THE HANDSHAKE, the store evaluates the chain as it was served (SSL_CTX_set_cert_verify_callback()). If the answer
 * is PINTLE_CANCEL, the handshake fails with the alert that fits, also with SSL_VERIFY_NONE. SSL_get_verify_result()
 * has the X509_V_ERR_... that comes closest (X509_V_ERR_APPLICATION_VERIFICATION for a chain that no pin matches), and
 * pintle_ssl_decision() has all of it. libssl's own verification isn't done: anchors are those of the store's settings,
 * and names are compared with the host given here. SSL_get0_verified_chain() returns null; the decision has the chain.
 *
 * BEFORE EACH RECORD of application data, in both directions, it is checked that the store allowed the other side in
 * this handshake, under the manifest and keyset in force now (SSL_CTX_set_msg_callback()). Otherwise the store is asked
 * again: after a resumed handshake, in which libssl verifies no certificate, after an update, and if another callback
 * replaced the one above. If the store refuses, nothing is written or returned: SSL_write() and SSL_read() fail with
 * SSL_R_CERTIFICATE_VERIFY_FAILED, and each call after that fails too. The BIOs of the SSL then have one in front that
 * fails; they live as long as before, and SSL_get_fd() still finds the socket. The rest of a record that was read while
 * the other side was allowed is still returned. Early data is refused. pintle_ssl_check() asks at any time, as after an
 * expiry. libssl's read-ahead is switched off in each handshake. If a program switches it on later, a refused
 * SSL_read() returns 0 with that error in the queue, and the next one returns 0 as at the end of a connection.
 *
 * WHAT A PROGRAM CAN UNDO. A context has one function for certificates and one for messages. If a program replaces the
 * first, the second still refuses, and the other way round. If it removes the first, libssl verifies against no anchor,
 * so each handshake fails, whatever SSL_CTX_load_verify_locations() loads. If it replaces both by its own, only
 * pintle_ssl_check() is left, and nothing if it ignores that too. Functions for messages that were set before are lost.
 *
 * THREADS as in libssl: one thread at a time for each SSL. The store must outlive every context that it protects.
 * Protect a context before other threads use it: pintle_ssl_protect...() and pintle_ssl_on_refusal() change what they
 * read.
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
 * A connection without pintle_ssl_connect_to() fails: the host isn't guessed.
 *
 * Returns 1, or 0 if memory runs out.
 */
int pintle_ssl_protect(SSL_CTX *context, pintle_store *store);

/*
 * The same for libraries that make the SSL themselves, as in libcurl's CURLOPT_SSL_CTX_FUNCTION (examples/curl). The
 * host is what the library gave to libssl: the name of SSL_set1_host(), the address of X509_VERIFY_PARAM_set1_ip(), the
 * name that is sent (SNI). If they differ, or there are several names, the connection fails; pintle_ssl_connect_to()
 * overrides them. Sessions aren't kept, and one that is resumed fails, because libssl may know only its name then.
 *
 * otherwise: the host if libssl knows none, as libcurl gives it no addresses; copied. Null: the connection fails then.
 * port:      the port that the connections are for. libssl doesn't know it, and the socket's is that of a proxy.
 *
 * Returns 1, or 0 if memory runs out.
 */
int pintle_ssl_protect_by_name(SSL_CTX *context, pintle_store *store, const char *otherwise, uint16_t port);

/*
 * Names a function that is called for each refusal on connections of a protected context, for libraries that free the
 * SSL before the program can ask why. message is for people. decision lives until the function returns, and is null if
 * the store wasn't asked. word is passed on; it must outlive all connections of the context, also those kept in a pool.
 * Protecting the context again keeps the function. Returns 1, or 0 if the context isn't protected.
 */
typedef void (*pintle_ssl_refused)(void *word, const char *message, const pintle_decision *decision);
int pintle_ssl_on_refusal(SSL_CTX *context, pintle_ssl_refused function, void *word);

/*
 * Has a store judge the clients of a server; each must present a certificate. Sets SSL_VERIFY_PEER and
 * SSL_VERIFY_FAIL_IF_NO_PEER_CERT, and switches resumption off. A server with several contexts (SSL_set_SSL_CTX() in a
 * callback for names) protects each of them.
 *
 * entry, port: the entry of the manifest that the clients are judged by; the text is copied. If the manifest has no
 *              such entry, or it doesn't pin, every client is refused.
 *
 * Returns 1, or 0 if the entry is null or memory runs out.
 */
int pintle_ssl_protect_server(SSL_CTX *context, pintle_store *store, const char *entry, uint16_t port);

/*
 * Says which server a connection is for, and asks for it by name (SNI) if it isn't an address.
 *
 * host: name or address, ASCII; copied. One dot at the end and brackets around an address are allowed.
 *
 * Returns 1, or 0 if the context isn't protected, the host is null, or memory runs out.
 */
int pintle_ssl_connect_to(SSL *ssl, const char *host, uint16_t port);

/* Asks the store about a connection after its handshake, whatever was decided before, under the manifest in force now.
 * PINTLE_CANCEL: close it. The chain of a resumed session must be complete: one that was read with d2i_SSL_SESSION()
 * has only the leaf. */
pintle_disposition pintle_ssl_check(SSL *ssl);

/* How the last answer for a connection came about; null if there is none. It lives until the next call for this SSL,
 * because SSL_read() and SSL_write() ask again after an update, and a new handshake too: copy what you keep. It isn't
 * freed by the caller. */
const pintle_decision *pintle_ssl_decision(const SSL *ssl);

#ifdef __cplusplus
}
#endif

#endif

#if defined(PINTLE_SSL_IMPLEMENTATION) && !defined(PINTLE_SSL_IMPLEMENTED)
#define PINTLE_SSL_IMPLEMENTED

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

/* More than the store looks at, so that too many are seen to be too many. */
#define PINTLE_SSL_CERTIFICATES 33

/* Which manifest and keyset are in force. */
typedef struct pintle_ssl_release {
  int64_t serial, issued, keyset_version;
} pintle_ssl_release;

/* What is known about a context (without an answer) or about one connection. */
typedef struct pintle_ssl_state {
  pintle_store *store;
  char *host;
  uint16_t port;
  int is_by_name;  /* host is only for connections that libssl has no name for */
  int is_copy;     /* a connection's, made from its context's */
  int is_allowed;  /* in the handshake under way or since, under `release` */
  pintle_ssl_release release;
  pintle_decision *decision;
  pintle_ssl_refused refused; /* a context's */
  void *word;
} pintle_ssl_state;

static CRYPTO_ONCE pintle_ssl_once = CRYPTO_ONCE_STATIC_INIT;
static int pintle_ssl_index = -1;
static int pintle_ssl_context_index = -1;
static BIO_METHOD *pintle_ssl_refusing;

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

static int pintle_ssl_refuse_read(BIO *bio, char *bytes, int size) {
  (void)bytes, (void)size;
  BIO_clear_retry_flags(bio);
  ERR_raise_data(ERR_LIB_SSL, SSL_R_CERTIFICATE_VERIFY_FAILED, "pintle refuses this connection");
  return -1;
}

static int pintle_ssl_refuse_write(BIO *bio, const char *bytes, int size) {
  (void)bytes;
  return pintle_ssl_refuse_read(bio, NULL, size);
}

/* At the end of its input, libssl makes a failed read final, even if the program then sets other BIOs. */
static long pintle_ssl_refuse_control(BIO *bio, int command, long number, void *pointer) {
  if (command == BIO_CTRL_EOF) return 1;
  return BIO_next(bio) == NULL ? 0 : BIO_ctrl(BIO_next(bio), command, number, pointer);
}

/* A BIO in front of another that can't be read or written. The program may have plain pointers to the other, which so
 * lives as long as it did: until the SSL is freed. Null if memory runs out: libssl then fails, too. */
static BIO *pintle_ssl_refuse(BIO *behind) {
  BIO *bio = BIO_new(pintle_ssl_refusing);
  if (behind != NULL) BIO_up_ref(behind);
  if (bio == NULL) return NULL;
  BIO_set_init(bio, 1);
  BIO_set_next(bio, behind);
  return bio;
}

static void pintle_ssl_make_indices(void) {
  pintle_ssl_refusing = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_FILTER, "refused by pintle");
  if (pintle_ssl_refusing == NULL) return;
  BIO_meth_set_read(pintle_ssl_refusing, pintle_ssl_refuse_read);
  BIO_meth_set_write(pintle_ssl_refusing, pintle_ssl_refuse_write);
  BIO_meth_set_ctrl(pintle_ssl_refusing, pintle_ssl_refuse_control);
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

static pintle_ssl_state *pintle_ssl_general(const SSL *ssl) {
  return (pintle_ssl_state *)SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), pintle_ssl_context_index);
}

/* The connection's own state, made from the context's if that has an entry or goes by names. */
static pintle_ssl_state *pintle_ssl_state_of(SSL *ssl) {
  pintle_ssl_state *state, *general;
  if (pintle_ssl_index < 0) return NULL;
  state = (pintle_ssl_state *)SSL_get_ex_data(ssl, pintle_ssl_index);
  if (state != NULL) return state;
  general = pintle_ssl_general(ssl);
  if (general == NULL || (general->host == NULL && !general->is_by_name)) return NULL;
  state = pintle_ssl_state_new(general->store, general->host, general->port);
  if (state == NULL) return NULL;
  state->is_by_name = general->is_by_name;
  state->is_copy = 1;
  if (SSL_set_ex_data(ssl, pintle_ssl_index, state) == 1) return state;
  pintle_ssl_state_free(NULL, state, NULL, 0, 0, NULL);
  return NULL;
}

/* The host of a connection, as libssl knows it; null if that is unclear. *address is freed by the caller. */
static const char *pintle_ssl_name_of(SSL *ssl, const char *otherwise, char **address) {
  X509_VERIFY_PARAM *verified = SSL_get0_param(ssl);
  const char *found = NULL, *names[3];
  size_t index;
  ERR_set_mark();
  *address = X509_VERIFY_PARAM_get1_ip_asc(verified); /* leaves an error if there is none */
  ERR_pop_to_mark();
  names[0] = X509_VERIFY_PARAM_get0_host(verified, 0);
  names[1] = *address;
  names[2] = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  /* Of a resumed session, libssl may return the session's name. */
  if (SSL_session_reused(ssl) || X509_VERIFY_PARAM_get0_host(verified, 1) != NULL) return NULL;
  for (index = 0; index < 3; index++) {
    if (names[index] == NULL) continue;
    if (found != NULL && strcmp(found, names[index]) != 0) return NULL;
    found = names[index];
  }
  return found != NULL ? found : otherwise;
}

static pintle_ssl_release pintle_ssl_release_of(const pintle_store *store) {
  pintle_status status = PINTLE_STATUS_INIT;
  pintle_ssl_release release;
  pintle_store_status(store, &status);
  release.serial = status.serial;
  release.issued = status.issued;
  release.keyset_version = status.keyset_version;
  return release;
}

static void pintle_ssl_tell(SSL *ssl, const char *message, const pintle_decision *decision) {
  pintle_ssl_state *general = pintle_ssl_general(ssl);
  if (general != NULL && general->refused != NULL) general->refused(general->word, message, decision);
}

/* Asks about a chain that may or may not begin with the leaf. */
static pintle_disposition pintle_ssl_ask(SSL *ssl, X509 *leaf, STACK_OF(X509) *chain) {
  pintle_ssl_state *state = pintle_ssl_state_of(ssl);
  pintle_bytes certificates[PINTLE_SSL_CERTIFICATES];
  unsigned char *encoded[PINTLE_SSL_CERTIFICATES];
  pintle_peer peer = PINTLE_PEER_INIT;
  pintle_disposition answer = PINTLE_CANCEL;
  const char *message = "block: a certificate can't be read";
  char *address = NULL;
  int count = 0, index, others = chain == NULL ? 0 : sk_X509_num(chain), is_whole = leaf != NULL || others > 0;
  int has_leaf = others > 0 && leaf != NULL && X509_cmp(sk_X509_value(chain, 0), leaf) == 0;
  if (state == NULL) {
    pintle_ssl_tell(ssl, "block: the host isn't known; call pintle_ssl_connect_to() before the handshake", NULL);
    return PINTLE_CANCEL;
  }
  state->is_allowed = 0;
  pintle_decision_free(state->decision);
  state->decision = NULL;
  peer.host = state->is_by_name ? pintle_ssl_name_of(ssl, state->host, &address) : state->host;
  if (peer.host == NULL) message = "block: libssl knows no host, or several, or the session is a resumed one";
  if (!is_whole) message = "block: the other side presented no certificate";
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
  if (is_whole && peer.host != NULL) {
    state->release = pintle_ssl_release_of(state->store); /* before, so that an update meanwhile is noticed */
    peer.role = SSL_is_server(ssl) ? PINTLE_PEER_CLIENT : PINTLE_PEER_SERVER;
    peer.port = state->port;
    peer.tls_version = (uint16_t)SSL_version(ssl);
    peer.certificates = certificates;
    peer.certificate_count = (size_t)count;
    answer = pintle_store_evaluate(state->store, &peer, &state->decision);
    message = state->decision->message;
    state->is_allowed = answer == PINTLE_USE_CREDENTIAL;
  }
  for (index = 0; index < count; index++) OPENSSL_free(encoded[index]);
  OPENSSL_free(address);
  if (answer != PINTLE_USE_CREDENTIAL) pintle_ssl_tell(ssl, message, state->decision);
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
  if (ssl == NULL) return 0;
  /* libssl goes on in spite of a 0 otherwise. It reads this after the call. */
  SSL_set_verify(ssl, SSL_get_verify_mode(ssl) | SSL_VERIFY_PEER, NULL);
  state = pintle_ssl_state_of(ssl);
  X509_STORE_CTX_set_error(context, pintle_ssl_error(state == NULL ? NULL : state->decision));
  return 0;
}

/* Whether the other side of a connection is allowed now. */
static int pintle_ssl_stands(SSL *ssl) {
  pintle_ssl_state *state = pintle_ssl_state_of(ssl);
  if (state != NULL && state->is_allowed) {
    pintle_ssl_release now = pintle_ssl_release_of(state->store), then = state->release;
    if (now.serial == then.serial && now.issued == then.issued && now.keyset_version == then.keyset_version) return 1;
  }
  if (!SSL_is_init_finished(ssl)) {
    if (state != NULL) {
      pintle_decision_free(state->decision); /* of an earlier handshake */
      state->decision = NULL;
    }
    pintle_ssl_tell(ssl, "block: application data before the end of the handshake", NULL);
    return 0;
  }
  return pintle_ssl_check(ssl) == PINTLE_USE_CREDENTIAL;
}

/* A new handshake: no permission of an earlier one counts, and a server may choose a context with another entry. */
static void pintle_ssl_begin(SSL *ssl) {
  pintle_ssl_state *state = pintle_ssl_index < 0 ? NULL : (pintle_ssl_state *)SSL_get_ex_data(ssl, pintle_ssl_index);
  if (state != NULL) state->is_allowed = 0;
  if (state != NULL && state->is_copy && SSL_set_ex_data(ssl, pintle_ssl_index, NULL) == 1) {
    pintle_ssl_state_free(NULL, state, NULL, 0, 0, NULL);
  }
  SSL_clear_options(ssl, SSL_OP_ENABLE_KTLS); /* the function below isn't called for records that the kernel makes */
  SSL_set_read_ahead(ssl, 0);                 /* so that a record can be refused when only its header was read */
}

/* Whether this may be application data: is it still to be written, or its body still to be read if possible? */
static int pintle_ssl_is_data(int is_written, int kind, const unsigned char *first, SSL *ssl) {
  if (*first != SSL3_RT_APPLICATION_DATA) return 0;
  /* In TLS 1.3, the header of each encrypted record says application data, and the type inside comes after the body. */
  if (kind == SSL3_RT_INNER_CONTENT_TYPE) return 1;
  if (kind != SSL3_RT_HEADER) return 0;
  if (SSL_version(ssl) != TLS1_3_VERSION) return 1;
  /* After the handshake, nothing at all is read from a refused side, unless a client may still send its certificate. */
  return !is_written && SSL_is_init_finished(ssl) && !SSL_has_pending(ssl) &&
         !(SSL_is_server(ssl) && SSL_get0_peer_certificate(ssl) == NULL);
}

/* libssl calls this for each message, and for the header of each record before it is written, or when it was read. */
static void pintle_ssl_message(
    int is_written, int version, int kind, const void *bytes, size_t size, SSL *ssl, void *unused) {
  const unsigned char *first = (const unsigned char *)bytes;
  int mode = SSL_SENT_SHUTDOWN;
  (void)version, (void)unused;
  if (ssl == NULL || size == 0) return;
  if (kind == SSL3_RT_HANDSHAKE && *first == SSL3_MT_CLIENT_HELLO) {
    pintle_ssl_begin(ssl);
    return;
  }
  if (!pintle_ssl_is_data(is_written, kind, first, ssl) || pintle_ssl_stands(ssl)) return;
  ERR_raise_data(ERR_LIB_SSL, SSL_R_CERTIFICATE_VERIFY_FAILED, "pintle refuses this connection");
  /* What is in libssl already can only be discarded in this way, which looks like an end to calls after this one. */
  if (!is_written && (kind == SSL3_RT_INNER_CONTENT_TYPE || SSL_has_pending(ssl))) mode |= SSL_RECEIVED_SHUTDOWN;
  SSL_set_shutdown(ssl, mode);
  SSL_clear_options(ssl, SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_set0_wbio(ssl, pintle_ssl_refuse(SSL_get_wbio(ssl)));
  SSL_set0_rbio(ssl, pintle_ssl_refuse(SSL_get_rbio(ssl)));
}

static int pintle_ssl_install(SSL_CTX *context, pintle_store *store, const char *entry, uint16_t port, int mode) {
  pintle_ssl_state *state, *before;
  X509_STORE *nothing;
  if (context == NULL || store == NULL) return 0;
  if (CRYPTO_THREAD_run_once(&pintle_ssl_once, pintle_ssl_make_indices) != 1) return 0;
  if (pintle_ssl_refusing == NULL || pintle_ssl_index < 0 || pintle_ssl_context_index < 0) return 0;
  /* No anchors, should the callback be removed. The context's own store goes on completing chains that are sent. */
  nothing = X509_STORE_new();
  if (nothing == NULL || SSL_CTX_set0_verify_cert_store(context, nothing) != 1) {
    X509_STORE_free(nothing);
    return 0;
  }
  state = pintle_ssl_state_new(store, entry, port);
  if (state == NULL) return 0;
  before = (pintle_ssl_state *)SSL_CTX_get_ex_data(context, pintle_ssl_context_index);
  if (SSL_CTX_set_ex_data(context, pintle_ssl_context_index, state) != 1) {
    pintle_ssl_state_free(NULL, state, NULL, 0, 0, NULL);
    return 0;
  }
  if (before != NULL) {
    state->refused = before->refused;
    state->word = before->word;
  }
  pintle_ssl_state_free(NULL, before, NULL, 0, 0, NULL);
  SSL_CTX_set_verify(context, mode, NULL);
  SSL_CTX_set_cert_verify_callback(context, pintle_ssl_callback, NULL);
  SSL_CTX_set_msg_callback(context, pintle_ssl_message);
  return 1;
}

int pintle_ssl_protect(SSL_CTX *context, pintle_store *store) {
  return pintle_ssl_install(context, store, NULL, 0, SSL_VERIFY_PEER);
}

int pintle_ssl_protect_by_name(SSL_CTX *context, pintle_store *store, const char *otherwise, uint16_t port) {
  if (!pintle_ssl_install(context, store, otherwise, port, SSL_VERIFY_PEER)) return 0;
  ((pintle_ssl_state *)SSL_CTX_get_ex_data(context, pintle_ssl_context_index))->is_by_name = 1;
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  return 1;
}

int pintle_ssl_on_refusal(SSL_CTX *context, pintle_ssl_refused function, void *word) {
  pintle_ssl_state *general;
  if (context == NULL || pintle_ssl_context_index < 0) return 0;
  general = (pintle_ssl_state *)SSL_CTX_get_ex_data(context, pintle_ssl_context_index);
  if (general == NULL) return 0;
  general->refused = function;
  general->word = word;
  return 1;
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
  general = pintle_ssl_general(ssl);
  if (general == NULL) return 0;
  state = pintle_ssl_state_new(general->store, host, port);
  if (state == NULL) return 0;
  before = (pintle_ssl_state *)SSL_get_ex_data(ssl, pintle_ssl_index);
  if (SSL_set_ex_data(ssl, pintle_ssl_index, state) != 1) {
    pintle_ssl_state_free(NULL, state, NULL, 0, 0, NULL);
    return 0;
  }
  pintle_ssl_state_free(NULL, before, NULL, 0, 0, NULL);
  /* Should another one have been set in the context since, or on an SSL that is used again. */
  SSL_set_msg_callback(ssl, pintle_ssl_message);
  return pintle_ssl_name(ssl, host);
}

pintle_disposition pintle_ssl_check(SSL *ssl) {
  X509 *leaf;
  pintle_disposition answer;
  if (ssl == NULL || !SSL_is_init_finished(ssl)) return PINTLE_CANCEL;
  leaf = SSL_get1_peer_certificate(ssl);
  answer = pintle_ssl_ask(ssl, leaf, SSL_get_peer_cert_chain(ssl));
  X509_free(leaf);
  return answer;
}

const pintle_decision *pintle_ssl_decision(const SSL *ssl) {
  pintle_ssl_state *state;
  if (ssl == NULL || pintle_ssl_index < 0) return NULL;
  state = (pintle_ssl_state *)SSL_get_ex_data(ssl, pintle_ssl_index);
  return state == NULL ? NULL : state->decision;
}

#endif

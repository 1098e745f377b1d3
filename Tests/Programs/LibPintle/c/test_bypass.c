/* What a program or a library may do to a protected context or connection, and an impostor that counts what it gets:
 * a valid certificate for another host, by an authority that the store trusts. */
#define PINTLE_SSL_IMPLEMENTATION
#include <pintle_ssl.h>

#include "shake.h"
#include "signing.h"

static pintle_store *store;
static int refusals;
static char last[1024];

static void note_refusal(void *word, const char *message, const pintle_decision *decision) {
  (void)decision;
  ++*(int *)word;
  snprintf(last, sizeof last, "%s", message);
}

static int accept_all(X509_STORE_CTX *context, void *word) {
  (void)word;
  X509_STORE_CTX_set_error(context, X509_V_OK);
  return 1;
}

static int accept_each(int is_right, X509_STORE_CTX *context) {
  (void)is_right;
  X509_STORE_CTX_set_error(context, X509_V_OK);
  return 1;
}

static void trace(int is_written, int version, int kind, const void *bytes, size_t size, SSL *ssl, void *word) {
  (void)is_written, (void)version, (void)kind, (void)bytes, (void)size, (void)ssl, (void)word;
}

/* Both sides send, whatever any call returned; the bytes that arrive at the server, and at the client in *answered. */
static size_t talk(SSL *client, SSL *server, size_t *answered) {
  char bytes[64];
  size_t arrived = 0;
  int size;
  *answered = 0;
  for (int round = 0; round < 20; round++) {
    SSL_write(client, "secret", 6);
    if ((size = SSL_read(server, bytes, sizeof bytes)) > 0) arrived += (size_t)size;
    SSL_write(server, "forged", 6);
    if ((size = SSL_read(client, bytes, sizeof bytes)) > 0) *answered += (size_t)size;
  }
  ERR_clear_error();
  return arrived;
}

/* ---- What is done to the context after pintle_ssl_protect(), or to the SSL after pintle_ssl_connect_to() ---- */

static SSL *nothing(SSL *ssl) { return ssl; }

static SSL *removed(SSL *ssl) {
  SSL_CTX *context = SSL_get_SSL_CTX(ssl);
  SSL_CTX_set_cert_verify_callback(context, NULL, NULL);
  SSL_set_msg_callback(ssl, NULL);
  NEED(SSL_CTX_load_verify_locations(context, FIXTURES "root.pem", NULL) == 1);
  return ssl;
}

static SSL *accepting(SSL *ssl) {
  SSL_CTX_set_cert_verify_callback(SSL_get_SSL_CTX(ssl), accept_all, NULL);
  return ssl;
}

static SSL *unverified(SSL *ssl) {
  SSL_set_verify(ssl, SSL_VERIFY_NONE, accept_each);
  return ssl;
}

static SSL *unverified_and_accepting(SSL *ssl) { return accepting(unverified(ssl)); }

static SSL *traced(SSL *ssl) {
  SSL_set_msg_callback(ssl, trace);
  return ssl;
}

static SSL *traced_and_unverified(SSL *ssl) { return traced(unverified(ssl)); }

static SSL *in_another_context(SSL *ssl) {
  SSL_CTX *other = SSL_CTX_new(TLS_client_method());
  SSL_set_SSL_CTX(ssl, other);
  SSL_CTX_free(other);
  return unverified(ssl);
}

static SSL *in_the_kernel(SSL *ssl) {
  SSL_set_options(ssl, SSL_OP_ENABLE_KTLS);
  return ssl;
}

static SSL *copied(SSL *ssl) {
  SSL *copy = SSL_dup(ssl);
  NEED(copy != NULL && copy != ssl);
  SSL_free(ssl);
  return unverified(copy);
}

static SSL *anonymous(SSL *ssl) {
  NEED(SSL_set_cipher_list(ssl, "aNULL:@SECLEVEL=0") == 1);
  return ssl;
}

static unsigned int client_key(
    SSL *ssl, const char *hint, char *identity, unsigned int most, unsigned char *key, unsigned int room) {
  (void)ssl, (void)hint;
  snprintf(identity, most, "impostor");
  NEED(room >= 32);
  memset(key, 7, 32);
  return 32;
}

static unsigned int server_key(SSL *ssl, const char *identity, unsigned char *key, unsigned int room) {
  return client_key(ssl, NULL, (char[16]){identity != NULL}, 16, key, room);
}

static SSL *with_shared_key(SSL *ssl) {
  SSL_set_psk_client_callback(ssl, client_key);
  NEED(SSL_set_cipher_list(ssl, "PSK:@SECLEVEL=0") == 1 && SSL_set_ciphersuites(ssl, "TLS_AES_128_GCM_SHA256") == 1);
  return ssl;
}

/* Whether the genuine server is reached; what isn't verified by Pintle's own function may still be by the other. */
static const struct {
  const char *name;
  SSL *(*change)(SSL *);
  int is_reached;
} rows[] = {
    {"SSL_connect()'s result is ignored", nothing, 1},
    {"the function for certificates is removed, and anchors are loaded", removed, 0},
    {"the function for certificates accepts all", accepting, 1},
    {"SSL_VERIFY_NONE", unverified, 1},
    {"both", unverified_and_accepting, 1},
    {"the function for messages is replaced", traced, 1},
    {"the same with SSL_VERIFY_NONE", traced_and_unverified, 1},
    {"SSL_set_SSL_CTX()", in_another_context, 1},
    {"SSL_OP_ENABLE_KTLS", in_the_kernel, 1},
    {"SSL_dup()", copied, 0},
    {"no certificate", anonymous, -1},
    {"a pre-shared key", with_shared_key, -1},
};

static void test_rows(int version) {
  for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
    for (int is_genuine = 0; is_genuine < 2; is_genuine++) {
      SSL_CTX *clients = context_of(TLS_client_method(), NULL, NULL);
      SSL_CTX *servers = servers_of(is_genuine ? "allowed.test" : "blocked.test", version);
      NEED(pintle_ssl_protect(clients, store) == 1 && pintle_ssl_on_refusal(clients, note_refusal, &refusals) == 1);
      if (rows[index].is_reached < 0) {
        NEED(SSL_CTX_set_cipher_list(servers, "aNULL:PSK:@SECLEVEL=0") == 1);
        SSL_CTX_set_psk_server_callback(servers, server_key);
      }
      SSL *client = SSL_new(clients), *server = SSL_new(servers);
      NEED(pintle_ssl_connect_to(client, "allowed.test", 443) == 1);
      client = rows[index].change(client);
      join(client, server);
      size_t answered, arrived = talk(client, server, &answered);
      int is_reached = is_genuine && rows[index].is_reached > 0;
      /* Without a certificate, nobody is genuine. Suites of TLS 1.3 have one. */
      if (is_genuine && rows[index].change == anonymous && version == TLS1_3_VERSION) is_reached = 1;
      CHECK((arrived > 0) == is_reached && (answered > 0) == is_reached, "%s, TLS %x, genuine: %d: %zu and %zu bytes",
            rows[index].name, version, is_genuine, arrived, answered);
      CHECK((pintle_ssl_check(client) == PINTLE_USE_CREDENTIAL) == is_reached, "%s", rows[index].name);
      CHECK((SSL_get_options(client) & SSL_OP_ENABLE_KTLS) == 0, "records of the kernel: %s", rows[index].name);
      SSL_free(client);
      SSL_free(server);
      SSL_CTX_free(clients);
      SSL_CTX_free(servers);
    }
  }
  CHECK(refusals > 0, "nobody was told");
}

static SSL_SESSION *kept;

static int keep_session(SSL *ssl, SSL_SESSION *session) {
  (void)ssl;
  SSL_SESSION_free(kept);
  kept = session;
  return 1;
}

/* A session that a context without protection began, with the impostor or the genuine server: nothing is verified when
 * it is resumed. With early data, the request would be sent before anybody could be. */
static void test_sessions(int version, const char *host, int is_early) {
  int is_genuine = strcmp(host, "allowed.test") == 0;
  SSL_CTX *careless = context_of(TLS_client_method(), NULL, NULL), *servers = servers_of(host, version);
  SSL_CTX *clients = context_of(TLS_client_method(), NULL, NULL);
  NEED(pintle_ssl_protect(clients, store) == 1 && SSL_CTX_set_max_early_data(servers, 1000) == 1);
  NEED(pintle_ssl_on_refusal(clients, note_refusal, &refusals) == 1);
  SSL_CTX_set_session_cache_mode(careless, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  SSL_CTX_sess_set_new_cb(careless, keep_session);
  SSL *client = SSL_new(careless), *server = SSL_new(servers);
  SSL_set_tlsext_host_name(client, "allowed.test");
  NEED(shake(client, server) == 1 && kept != NULL);
  /* Otherwise libssl forgets the session. */
  SSL_set_shutdown(client, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_set_shutdown(server, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(client);
  SSL_free(server);
  client = SSL_new(clients), server = SSL_new(servers);
  NEED(pintle_ssl_connect_to(client, "allowed.test", 443) == 1);
  if (is_early) { /* an SSL that was allowed before, so that it has a decision */
    NEED(shake(client, server) == 1 && pintle_ssl_decision(client) != NULL && SSL_clear(client) == 1);
    SSL_free(server);
    server = SSL_new(servers);
  }
  NEED(SSL_set_session(client, kept) == 1);
  join(client, server);
  size_t arrived = 0, answered = 0;
  last[0] = 0;
  if (is_early) {
    CHECK(SSL_write_early_data(client, "secret", 6, &answered) == 0, "early data is written");
    char bytes[64];
    SSL_read_early_data(server, bytes, sizeof bytes, &arrived);
    CHECK(arrived == 0, "%zu bytes of early data arrive", arrived);
    CHECK(strstr(last, "before the end of the handshake") != NULL, "%s", last);
    CHECK(pintle_ssl_decision(client) == NULL, "the decision of the handshake before");
    ERR_clear_error();
  } else {
    arrived = talk(client, server, &answered);
    CHECK(SSL_session_reused(client), "nothing is resumed");
    CHECK((arrived > 0) == is_genuine && (answered > 0) == is_genuine, "resumed, %s: %zu bytes", host, arrived);
  }
  SSL_free(client);
  SSL_free(server);
  SSL_SESSION_free(kept);
  kept = NULL;
  SSL_CTX_free(careless);
  SSL_CTX_free(clients);
  SSL_CTX_free(servers);
}

/* An SSL that was allowed once, used again for the impostor without telling Pintle. */
static void test_used_again(int version) {
  SSL_CTX *clients = context_of(TLS_client_method(), NULL, NULL);
  NEED(pintle_ssl_protect(clients, store) == 1);
  SSL_CTX_set_msg_callback(clients, trace); /* pintle_ssl_connect_to() sets its own again */
  SSL *client = SSL_new(clients);
  NEED(pintle_ssl_connect_to(client, "allowed.test", 443) == 1);
  for (int is_genuine = 1; is_genuine >= 0; is_genuine--) {
    SSL_CTX *servers = servers_of(is_genuine ? "allowed.test" : "blocked.test", version);
    SSL *server = SSL_new(servers);
    join(client, server);
    size_t answered, arrived = talk(client, server, &answered);
    CHECK((arrived > 0) == is_genuine && (answered > 0) == is_genuine, "used again: %zu bytes", arrived);
    NEED(SSL_clear(client) == 1 && SSL_set_session(client, NULL) == 1);
    accepting(client);
    SSL_free(server);
    SSL_CTX_free(servers);
  }
  SSL_free(client);
  SSL_CTX_free(clients);
}

/* The server asks for another handshake on the open connection, and presents another certificate in it. */
static void test_renegotiated(void) {
  SSL_CTX *clients = context_of(TLS_client_method(), NULL, NULL), *servers = servers_of("allowed.test", TLS1_2_VERSION);
  SSL_CTX *others = servers_of("blocked.test", TLS1_2_VERSION);
  SSL_CTX_set_options(servers, SSL_OP_NO_TICKET); /* otherwise the session is resumed */
  SSL_CTX_set_session_cache_mode(servers, SSL_SESS_CACHE_OFF);
  NEED(pintle_ssl_protect(clients, store) == 1);
  SSL *client = SSL_new(clients), *server = SSL_new(servers);
  NEED(pintle_ssl_connect_to(client, "allowed.test", 443) == 1 && shake(client, server) == 1);
  accepting(client);
  SSL_set_SSL_CTX(server, others);
  NEED(SSL_renegotiate(server) == 1);
  SSL_do_handshake(server);
  char byte;
  SSL_read(client, &byte, 1);
  size_t answered, arrived = talk(client, server, &answered);
  CHECK(arrived == 0 && answered == 0, "renegotiated: %zu and %zu bytes", arrived, answered);
  SSL_free(client);
  SSL_free(server);
  SSL_CTX_free(clients);
  SSL_CTX_free(servers);
  SSL_CTX_free(others);
}

/* A server whose program asks clients for no certificate, or only later: nothing that they send is returned. */
static void test_server(int version, int mode) {
  SSL_CTX *servers = servers_of("allowed.test", version), *clients = context_of(TLS_client_method(), NULL, NULL);
  NEED(pintle_ssl_protect_server(servers, store, "clients.test", 443) == 1);
  SSL_CTX_set_verify(servers, mode, accept_each);
  SSL_CTX_set_post_handshake_auth(clients, 1);
  SSL *client = SSL_new(clients), *server = SSL_new(servers);
  join(client, server);
  size_t answered, arrived = talk(client, server, &answered);
  CHECK(arrived == 0 && answered == 0, "mode %d: %zu and %zu bytes", mode, arrived, answered);
  SSL_free(client);
  SSL_free(server);
  SSL_CTX_free(clients);
  SSL_CTX_free(servers);
}

/* The names that libssl knows, without pintle_ssl_connect_to(). */
static void test_names(int version) {
  static const struct {
    const char *sent, *verified, *second, *address, *otherwise, *server;
    int is_reached;
  } told[] = {
      {"allowed.test", NULL, NULL, NULL, NULL, "allowed.test", 1},
      {"allowed.test", NULL, NULL, NULL, NULL, "blocked.test", 0},
      {"allowed.test", NULL, NULL, NULL, "unpinned.test", "unpinned.test", 0}, /* as through an HTTPS proxy */
      {NULL, "allowed.test", NULL, NULL, NULL, "allowed.test", 1},
      {"allowed.test", "allowed.test", NULL, NULL, NULL, "allowed.test", 1},
      {"blocked.test", "allowed.test", NULL, NULL, NULL, "allowed.test", 0},
      {NULL, "allowed.test", "leaf.test", NULL, NULL, "allowed.test", 0},
      {NULL, NULL, NULL, "127.0.0.1", NULL, "127.0.0.1", 1},
      {NULL, NULL, NULL, "127.0.0.1", NULL, "blocked.test", 0},
      {"allowed.test", NULL, NULL, "127.0.0.1", NULL, "allowed.test", 0},
      {NULL, NULL, NULL, NULL, "127.0.0.1", "127.0.0.1", 1},
      {NULL, NULL, NULL, NULL, "127.0.0.1", "allowed.test", 0},
      {NULL, NULL, NULL, NULL, NULL, "allowed.test", 0},
  };
  for (size_t index = 0; index < sizeof told / sizeof *told; index++) {
    SSL_CTX *clients = context_of(TLS_client_method(), NULL, NULL), *servers = servers_of(told[index].server, version);
    NEED(pintle_ssl_protect(clients, store) == 1 && pintle_ssl_on_refusal(clients, note_refusal, &refusals) == 1);
    NEED(pintle_ssl_protect_by_name(clients, store, told[index].otherwise, 443) == 1); /* keeps the function */
    CHECK(SSL_CTX_get_session_cache_mode(clients) == SSL_SESS_CACHE_OFF, "sessions are kept");
    SSL *client = SSL_new(clients), *server = SSL_new(servers);
    if (told[index].sent != NULL) SSL_set_tlsext_host_name(client, told[index].sent);
    if (told[index].verified != NULL) SSL_set1_host(client, told[index].verified);
    if (told[index].second != NULL) SSL_add1_host(client, told[index].second);
    if (told[index].address != NULL) X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(client), told[index].address);
    int before = refusals;
    last[0] = 0;
    join(client, server);
    size_t answered, arrived = talk(client, server, &answered);
    CHECK((arrived > 0) == told[index].is_reached, "%zu: %zu bytes: %s", index, arrived, last);
    CHECK((refusals > before && strncmp(last, "block: ", 7) == 0) != told[index].is_reached, "%zu: %s", index, last);
    CHECK((pintle_ssl_check(client) == PINTLE_USE_CREDENTIAL) == told[index].is_reached, "%zu", index);
    CHECK(ERR_peek_error() == 0, "%zu: an error is left, which SSL_get_error() would find", index);
    if (told[index].is_reached) {
      SSL_SESSION *session = SSL_get1_session(client);
      SSL *again = SSL_new(clients);
      SSL_free(server);
      server = SSL_new(servers);
      if (told[index].sent != NULL) SSL_set_tlsext_host_name(again, told[index].sent);
      SSL_set_session(again, session);
      join(again, server);
      arrived = talk(again, server, &answered);
      CHECK(!SSL_session_reused(again) || arrived == 0, "%zu: a session whose name may be another one's", index);
      SSL_SESSION_free(session);
      SSL_free(again);
    }
    SSL_free(client);
    SSL_free(server);
    SSL_CTX_free(clients);
    SSL_CTX_free(servers);
  }
}

static void expect_failed(const SSL *ssl, int returned, const char *what) {
  CHECK(returned == -1 && SSL_get_error(ssl, returned) == SSL_ERROR_SSL, "%s: %d", what, returned);
  CHECK(ERR_GET_REASON(ERR_peek_error()) == SSL_R_CERTIFICATE_VERIFY_FAILED, "%d", ERR_GET_REASON(ERR_peek_error()));
  ERR_clear_error();
}

/* An open connection, after an update that no longer has its key: not one byte more, and not as if it had ended. */
static void test_updated(int version) {
  SSL_CTX *clients = context_of(TLS_client_method(), NULL, NULL), *servers = servers_of("allowed.test", version);
  NEED(pintle_ssl_protect(clients, store) == 1 && pintle_ssl_on_refusal(clients, note_refusal, &refusals) == 1);
  SSL *client[3], *server[3];
  size_t answered;
  char byte;
  for (int index = 0; index < 3; index++) {
    client[index] = SSL_new(clients), server[index] = SSL_new(servers);
    NEED(pintle_ssl_connect_to(client[index], "allowed.test", 443) == 1);
    join(client[index], server[index]);
    CHECK(talk(client[index], server[index], &answered) > 0 && answered > 0, "before the update");
  }
  pintle_bytes newer = sign_again("newer.json", version == TLS1_3_VERSION ? 3 : 2);
  CHECK(pintle_store_update(store, newer.data, newer.size, NULL) == PINTLE_OK, "the update");
  free((void *)newer.data);
  NEED(SSL_write(server[0], "late", 4) == 4);
  expect_failed(client[0], SSL_read(client[0], &byte, 1), "is read");
  expect_failed(client[1], SSL_write(client[1], "late", 4), "is written");
  CHECK(strstr(last, "required: ") != NULL && strstr(last, "presented: leaf sha256/") != NULL, "%s", last);
  const pintle_decision *decision = pintle_ssl_decision(client[1]);
  NEED(decision != NULL && decision->required_count > 0 && decision->presented_count > 0);
  CHECK(strncmp(decision->presented[0].pin, "sha256/", 7) == 0, "%s", decision->presented[0].pin);
  CHECK(decision->presented[0].position == PINTLE_POSITION_LEAF && decision->required[0].name != NULL, "the keys");
  for (int index = 0; index < 3; index++) {
    CHECK(talk(client[index], server[index], &answered) == 0 && answered == 0, "%d: after the update", index);
    SSL_free(client[index]);
    SSL_free(server[index]);
  }
  SSL_CTX_free(clients);
  SSL_CTX_free(servers);
}

static void deliver(BIO *from, BIO *to) {
  char bytes[4096];
  for (int size; (size = BIO_read(from, bytes, sizeof bytes)) > 0;) NEED(BIO_write(to, bytes, size) == size);
}

/* When libssl reads more than one record at once: never, as the program set it before the handshake, or afterwards. */
enum { NEVER, BEFORE, AFTERWARDS };

/* A program that keeps plain pointers to its memory BIOs, or sets new ones: after an update, it can use them as before,
 * and no call looks like the end of what the server sends. */
static void test_memory(int version, int is_written, int ahead) {
  SSL_CTX *clients = context_of(TLS_client_method(), NULL, NULL), *servers = servers_of("allowed.test", version);
  pintle_store *own = open_store();
  NEED(pintle_store_update_file(own, FIXTURES "manifest.json", NULL) == PINTLE_OK);
  NEED(pintle_ssl_protect(clients, own) == 1);
  SSL_CTX_set_options(clients, SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_read_ahead(clients, ahead == BEFORE);
  SSL *client = SSL_new(clients), *server = SSL_new(servers);
  BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem()), *far_in = BIO_new(BIO_s_mem());
  BIO *far_out = BIO_new(BIO_s_mem());
  char bytes[64];
  NEED(pintle_ssl_connect_to(client, "allowed.test", 443) == 1);
  SSL_set_bio(client, in, out);
  SSL_set_bio(server, far_in, far_out);
  SSL_set_connect_state(client);
  SSL_set_accept_state(server);
  for (int round = 0; round < 6; round++) {
    SSL_do_handshake(client);
    deliver(out, far_in);
    SSL_do_handshake(server);
    deliver(far_out, in);
  }
  NEED(SSL_read(client, bytes, 1) == -1 && SSL_is_init_finished(client)); /* tickets */
  ERR_clear_error();
  if (ahead == AFTERWARDS) SSL_set_read_ahead(client, 1);
  NEED(SSL_write(server, "first half", 10) == 10);
  deliver(far_out, in);
  NEED(SSL_read(client, bytes, 6) == 6);
  pintle_bytes newer = sign_again("newer.json", 2);
  NEED(pintle_store_update(own, newer.data, newer.size, NULL) == PINTLE_OK);
  free((void *)newer.data);
  NEED(SSL_write(server, "second", 6) == 6);
  deliver(far_out, in);
  if (is_written) {
    expect_failed(client, SSL_write(client, "ping", 4), "is written");
    BIO *other = BIO_new(BIO_s_mem());
    NEED(BIO_up_ref(out) == 1 && BIO_up_ref(other) == 1);
    SSL_set0_wbio(client, other);
    CHECK(SSL_write(client, "ping", 4) == -1 && BIO_pending(other) == 0, "is written to another BIO");
    ERR_clear_error();
    SSL_set0_wbio(client, out);
    BIO_free(other);
  }
  CHECK(SSL_read(client, bytes, sizeof bytes) == 4 && memcmp(bytes, "half", 4) == 0, "the rest of an allowed record");
  int returned = SSL_read(client, bytes, sizeof bytes);
  if (ahead != AFTERWARDS) expect_failed(client, returned, "is read");
  CHECK(returned <= 0, "%d bytes are read", returned);
  ERR_clear_error();
  CHECK(BIO_find_type(SSL_get_rbio(client), BIO_TYPE_MEM) == in, "the program's BIO isn't found");
  CHECK(BIO_pending(out) == 0 && BIO_read(out, bytes, sizeof bytes) == -1, "something was written");
  NEED(BIO_up_ref(in) == 1);
  SSL_set_bio(client, in, BIO_new(BIO_s_mem()));
  NEED(SSL_write(server, "third", 5) == 5);
  deliver(far_out, in);
  for (int again = 0; again < 3; again++) {
    returned = SSL_read(client, bytes, sizeof bytes);
    CHECK(returned <= 0 && (ahead == AFTERWARDS || SSL_get_error(client, returned) != SSL_ERROR_ZERO_RETURN),
          "TLS %x, written: %d, ahead: %d: %d as at the end", version, is_written, ahead, returned);
    CHECK(SSL_write(client, "ping", 4) == -1 && BIO_pending(SSL_get_wbio(client)) == 0, "is written");
    ERR_clear_error();
  }
  SSL_free(client);
  SSL_free(server);
  SSL_CTX_free(clients);
  SSL_CTX_free(servers);
  pintle_store_close(own);
}

/* A server's SSL that is used again, under another context: its entry counts. */
static void test_contexts(int version) {
  SSL_CTX *known = servers_of("allowed.test", version), *unknown = servers_of("allowed.test", version);
  SSL_CTX *clients = context_of(TLS_client_method(), "client/chain.pem", "client/key.pem");
  NEED(pintle_ssl_protect_server(known, store, "clients.test", 443) == 1);
  NEED(pintle_ssl_protect_server(unknown, store, "unknown.test", 443) == 1);
  SSL *server = SSL_new(known);
  for (int round = 0; round < 4; round++) {
    SSL *client = SSL_new(clients);
    NEED(SSL_clear(server) == 1 && SSL_set_session(server, NULL) == 1);
    SSL_set_SSL_CTX(server, round % 2 == 0 ? known : unknown);
    CHECK(shake(client, server) == (round % 2 == 0), "TLS %x, %d: the entry of the context before", version, round);
    SSL_free(client);
  }
  SSL_free(server);
  SSL_CTX_free(known);
  SSL_CTX_free(unknown);
  SSL_CTX_free(clients);
}

int main(void) {
  static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
  for (int index = 0; index < 2; index++) {
    store = open_store();
    NEED(pintle_store_update_file(store, FIXTURES "manifest.json", NULL) == PINTLE_OK);
    test_rows(versions[index]);
    test_sessions(versions[index], "blocked.test", 0);
    test_sessions(versions[index], "allowed.test", 0);
    test_used_again(versions[index]);
    test_names(versions[index]);
    test_server(versions[index], SSL_VERIFY_NONE);
    test_server(versions[index], SSL_VERIFY_PEER);
    test_server(versions[index], SSL_VERIFY_PEER | SSL_VERIFY_POST_HANDSHAKE);
    if (versions[index] == TLS1_2_VERSION) test_renegotiated();
    else test_sessions(TLS1_3_VERSION, "allowed.test", 1);
    test_contexts(versions[index]);
    for (int ahead = NEVER; ahead <= AFTERWARDS; ahead++) {
      test_memory(versions[index], 0, ahead);
      test_memory(versions[index], 1, ahead);
    }
    test_updated(versions[index]);
    pintle_store_close(store);
  }
  CHECK(pintle_ssl_on_refusal(NULL, NULL, NULL) == 0 && pintle_ssl_protect_by_name(NULL, store, NULL, 0) == 0, "null");
  return result("libssl: an impostor gets 0 bytes, whatever is replaced, resumed, renegotiated or used again");
}

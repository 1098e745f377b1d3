/* Real libssl handshakes through pintle_ssl.h, client and server in this process, for every row of the fixtures. */
#define PINTLE_SSL_IMPLEMENTATION
#include <pintle_ssl.h>

#include "shake.h"
#include "signing.h"

static pintle_store *store;
/* The error and the alert (RFC 8446 section 6.2) that say it best. */
static void expect_error(const row *row, long error) {
  long wanted = X509_V_OK;
  int sent = 0;
  if (strcmp(row->disposition, "cancel") == 0) {
    wanted = X509_V_ERR_APPLICATION_VERIFICATION, sent = SSL3_AD_HANDSHAKE_FAILURE;
    if (strcmp(row->reason, "denied-key") == 0) wanted = X509_V_ERR_CERT_REJECTED, sent = SSL3_AD_BAD_CERTIFICATE;
    if (strcmp(row->host, "expired.test") == 0)
      wanted = X509_V_ERR_CERT_HAS_EXPIRED, sent = SSL3_AD_CERTIFICATE_EXPIRED;
    if (strncmp(row->chain, "un", 2) == 0 && strcmp(row->host, "unpinned.test") != 0)
      wanted = X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, sent = TLS1_AD_UNKNOWN_CA;
    if (strcmp(row->chain, "unknown-client/chain.pem") == 0) wanted = X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE;
  }
  CHECK(error == wanted, "%s: %s", row->chain, X509_verify_cert_error_string(error));
  CHECK(alert == sent, "%s: %s", row->chain, SSL_alert_desc_string_long(alert));
}

static void expect_decision(const row *row, SSL *ssl, int is_through) {
  const pintle_decision *decision = pintle_ssl_decision(ssl);
  CHECK(is_through == (strcmp(row->disposition, "useCredential") == 0), "%s", row->chain);
  NEED(decision != NULL);
  CHECK(strcmp(decision->reason, row->reason) == 0, "%s: %s", row->chain, decision->message);
  CHECK(decision->verdict == verdict_number(row->verdict), "%s: %s", row->chain, decision->message);
  expect_error(row, SSL_get_verify_result(ssl));
}

static void test_servers(SSL_CTX *clients, int version) {
  row rows[32];
  size_t count = read_rows("cases.json", rows, 32);
  for (size_t index = 0; index < count; index++) {
    SSL_CTX *servers = context_of(TLS_server_method(), rows[index].chain, rows[index].key);
    SSL_CTX_set_max_proto_version(servers, version);
    SSL *client = SSL_new(clients), *server = SSL_new(servers);
    CHECK(pintle_ssl_connect_to(client, rows[index].host, 443) == 1, "%s", rows[index].host);
    int is_through = shake(client, server);
    expect_decision(&rows[index], client, is_through);
    int expected = is_through ? PINTLE_USE_CREDENTIAL : PINTLE_CANCEL;
    CHECK((int)pintle_ssl_check(client) == expected, "%s", rows[index].host);
    const char *name = SSL_get_servername(server, TLSEXT_NAMETYPE_host_name);
    CHECK((name == NULL) == (rows[index].host[0] == '1'), "%s: addresses aren't sent as names", rows[index].host);
    SSL_free(client);
    SSL_free(server);
    SSL_CTX_free(servers);
  }
}

static void test_clients(int version) {
  row rows[8];
  size_t count = read_rows("clients.json", rows, 8);
  SSL_CTX *servers = context_of(TLS_server_method(), "allowed.test/chain.pem", "allowed.test/key.pem");
  NEED(pintle_ssl_protect_server(servers, store, "clients.test", 443) == 1);
  SSL_CTX_set_max_proto_version(servers, version);
  for (size_t index = 0; index <= count; index++) {
    SSL_CTX *clients = index == count ? context_of(TLS_client_method(), NULL, NULL)
                                      : context_of(TLS_client_method(), rows[index].chain, rows[index].key);
    SSL *client = SSL_new(clients), *server = SSL_new(servers);
    int is_through = shake(client, server);
    if (index < count) {
      expect_decision(&rows[index], server, is_through);
      SSL_SESSION *session = SSL_get1_session(client);
      CHECK(!is_through || session == NULL || !SSL_SESSION_is_resumable(session), "a server doesn't resume");
      SSL_SESSION_free(session);
    } else {
      CHECK(!is_through && pintle_ssl_decision(server) == NULL, "a client without a certificate");
    }
    SSL_free(client);
    SSL_free(server);
    SSL_CTX_free(clients);
  }
  SSL_CTX_free(servers);
}

/* A session of allowed.test, once more, for a host and under a manifest: the handshake itself doesn't ask. */
static void expect_resumed(SSL_CTX *clients, SSL_CTX *servers, SSL_SESSION *session, const char *host, int expected) {
  SSL *client = SSL_new(clients), *server = SSL_new(servers);
  CHECK(pintle_ssl_connect_to(client, host, 443) == 1, "%s", host);
  /* A server resumes under the same name only; a hostile one would under any. */
  SSL_set_tlsext_host_name(client, "allowed.test");
  /* A copy, because libssl marks a session of TLS 1.3 as used. */
  SSL_SESSION *copy = SSL_SESSION_dup(session);
  CHECK(SSL_set_session(client, copy) == 1, "%s", host);
  SSL_SESSION_free(copy);
  CHECK(shake(client, server) == 1 && SSL_session_reused(client), "%s: nothing is resumed", host);
  CHECK((int)pintle_ssl_check(client) == expected, "%s: %s", host, pintle_ssl_decision(client)->message);
  /* As if it had been shut down, so that libssl doesn't take the session for a broken one. */
  SSL_set_shutdown(client, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(client);
  SSL_free(server);
}

static SSL_SESSION *kept;

static int keep_session(SSL *ssl, SSL_SESSION *session) {
  (void)ssl;
  SSL_SESSION_free(kept);
  kept = session;
  return 1;
}

/* Resumed and open connections, before and after a manifest that no longer has the key. */
static void test_later(SSL_CTX *clients, int version) {
  SSL_CTX *servers = servers_of("allowed.test", version);
  SSL_CTX_set_session_cache_mode(clients, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  SSL_CTX_sess_set_new_cb(clients, keep_session);
  SSL *client = SSL_new(clients), *server = SSL_new(servers);
  CHECK(pintle_ssl_check(client) == PINTLE_CANCEL, "before the handshake");
  CHECK(pintle_ssl_connect_to(client, "allowed.test", 443) == 1 && shake(client, server) == 1, "first");
  NEED(kept != NULL);
  /* Keeps the session from being replaced, as each resumed connection brings a new one. */
  SSL_CTX_sess_set_new_cb(clients, NULL);
  expect_resumed(clients, servers, kept, "allowed.test", PINTLE_USE_CREDENTIAL);
  /* A session of another host is not one for this: the name isn't in the certificate. */
  expect_resumed(clients, servers, kept, "leaf.test", PINTLE_CANCEL);
  CHECK(pintle_ssl_check(client) == PINTLE_USE_CREDENTIAL, "the open connection");
  pintle_bytes newer = sign_again("newer.json", version == TLS1_3_VERSION ? 3 : 2);
  pintle_error error = {0};
  int status = pintle_store_update(store, newer.data, newer.size, &error);
  CHECK(status == PINTLE_OK, "%s", error.message);
  expect_resumed(clients, servers, kept, "allowed.test", PINTLE_CANCEL);
  CHECK(pintle_ssl_check(client) == PINTLE_CANCEL, "the open connection, after an update");
  CHECK(strcmp(pintle_ssl_decision(client)->reason, "mismatch") == 0, "%s", pintle_ssl_decision(client)->message);
  free((void *)newer.data);
  SSL_SESSION_free(kept);
  kept = NULL;
  SSL_free(client);
  SSL_free(server);
  SSL_CTX_free(servers);
}

/* One SSL for one connection after the other: nothing of the one before counts. */
static void test_reuse(SSL_CTX *clients, int version) {
  static const struct {
    const char *host, *server, *name; /* asked about, served by, sent as SNI */
    int expected;
  } steps[] = {
      {"allowed.test", "allowed.test", "allowed.test", PINTLE_USE_CREDENTIAL},
      {"allowed.test", "blocked.test", "allowed.test", PINTLE_CANCEL},
      {"allowed.test.", "allowed.test", "allowed.test", PINTLE_USE_CREDENTIAL},
      {"[::1]", "allowed.test", NULL, PINTLE_CANCEL},
      {"allowed.test", "blocked.test", "allowed.test", PINTLE_CANCEL},
      {"127.0.0.1", "allowed.test", NULL, PINTLE_CANCEL},
      {"allowed.test", "allowed.test", "allowed.test", PINTLE_USE_CREDENTIAL},
  };
  SSL *client = SSL_new(clients);
  for (size_t index = 0; index < sizeof steps / sizeof *steps; index++) {
    SSL_CTX *servers = servers_of(steps[index].server, version);
    SSL *server = SSL_new(servers);
    CHECK(SSL_clear(client) == 1 && SSL_set_session(client, NULL) == 1, "%zu", index);
    CHECK(pintle_ssl_connect_to(client, steps[index].host, 443) == 1, "%zu", index);
    CHECK(pintle_ssl_decision(client) == NULL && pintle_ssl_check(client) == PINTLE_CANCEL, "%zu: too early", index);
    int is_through = shake(client, server);
    CHECK(is_through == (steps[index].expected == PINTLE_USE_CREDENTIAL), "%zu: %s", index, steps[index].host);
    CHECK((int)pintle_ssl_check(client) == steps[index].expected, "%zu: %s", index, steps[index].host);
    const char *name = SSL_get_servername(server, TLSEXT_NAMETYPE_host_name);
    CHECK((name == NULL) == (steps[index].name == NULL) && (name == NULL || strcmp(name, steps[index].name) == 0),
          "%zu: %s is sent for %s", index, name == NULL ? "nothing" : name, steps[index].host);
    SSL_free(server);
    SSL_CTX_free(servers);
  }
  SSL_free(client);
}

/* What a program may forget. */
static void test_misuse(SSL_CTX *clients) {
  SSL_CTX *servers = context_of(TLS_server_method(), "unpinned.test/chain.pem", "unpinned.test/key.pem");
  SSL *client = SSL_new(clients), *server = SSL_new(servers);
  CHECK(shake(client, server) == 0 && pintle_ssl_check(client) == PINTLE_CANCEL, "a client that names no host");
  CHECK(pintle_ssl_connect_to(client, NULL, 443) == 0 && pintle_ssl_connect_to(NULL, "a.test", 443) == 0, "null");
  CHECK(pintle_ssl_connect_to(server, "a.test", 443) == 0, "a context that isn't protected");
  CHECK(pintle_ssl_protect(NULL, store) == 0 && pintle_ssl_protect(servers, NULL) == 0, "null");
  CHECK(pintle_ssl_protect_server(servers, store, NULL, 0) == 0, "null");
  CHECK(pintle_ssl_check(NULL) == PINTLE_CANCEL && pintle_ssl_decision(NULL) == NULL, "null");
  CHECK(pintle_ssl_check(server) == PINTLE_CANCEL, "nothing was asked");
  SSL_free(client);
  SSL_free(server);
  SSL_CTX_free(servers);
}

int main(void) {
  static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
  for (int index = 0; index < 2; index++) {
    SSL_CTX *clients = context_of(TLS_client_method(), NULL, NULL);
    store = open_store();
    NEED(pintle_store_update_file(store, FIXTURES "manifest.json", NULL) == PINTLE_OK);
    NEED(pintle_ssl_protect(clients, store) == 1);
    test_servers(clients, versions[index]);
    test_clients(versions[index]);
    test_misuse(clients);
    test_reuse(clients, versions[index]);
    test_later(clients, versions[index]);
    SSL_CTX_free(clients);
    pintle_store_close(store);
  }
  return result("libssl: every row, both sides, TLS 1.2 and 1.3; resumed and open connections are judged again");
}

/*
 * What docs/libpintle.md shows, so that it is compiled: Scripts/check-docs compares the two. It is not run.
 */
#define PINTLE_SSL_IMPLEMENTATION  /* in one source file */
#include <pintle_ssl.h>
#include <stdio.h>
#include <stdlib.h>

static void connect_to(int descriptor, uint8_t *key_pem, size_t key_pem_size, uint8_t *manifest, size_t manifest_size) {
  pintle_bytes release_key = {key_pem, key_pem_size}, shipped = {manifest, manifest_size};
  pintle_settings settings = PINTLE_SETTINGS_INIT;
  settings.signers = &release_key;
  settings.signer_count = 1;
  settings.threshold = 1;
  settings.audience = "production";
  settings.directory = "/var/lib/payments";
  settings.embedded = shipped;

  pintle_store *store;
  pintle_error error;
  if (pintle_store_open(&settings, &store, &error) != PINTLE_OK) {
    fprintf(stderr, "%s: %s\n", error.code, error.message);
    exit(1);
  }
  for (size_t index = 0; pintle_store_problem(store, index, &error) == PINTLE_OK; index++) {
    fprintf(stderr, "%s: %s\n", error.code, error.message); /* what is wrong with the stored or the shipped manifest */
  }

  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  pintle_ssl_protect(context, store);

  SSL *ssl = SSL_new(context);
  SSL_set_fd(ssl, descriptor);
  pintle_ssl_connect_to(ssl, "api.example.com", 443);
  if (SSL_connect(ssl) != 1 || pintle_ssl_check(ssl) != PINTLE_USE_CREDENTIAL) {
    const pintle_decision *decision = pintle_ssl_decision(ssl);
    fprintf(stderr, "%s\n", decision != NULL ? decision->message : "no handshake");
  }
  SSL_free(ssl);
  SSL_CTX_free(context);
  pintle_store_close(store);
}

int main(void) { connect_to(-1, NULL, 0, NULL, 0); }

/*
 * What docs/libpintle.md shows, so that it is compiled: Scripts/check/docs compares the two. It is not run.
 */
#define PINTLE_SSL_IMPLEMENTATION  /* in one source file */
#include <pintle_ssl.h>
#include <stdio.h>
#include <stdlib.h>

static pintle_store *open_shipped(uint8_t *keyset, size_t keyset_size, uint8_t *manifest, size_t manifest_size) {
  pintle_bytes first_keyset = {keyset, keyset_size}, first_manifest = {manifest, manifest_size};
  pintle_settings settings = PINTLE_SETTINGS_INIT;
  settings.keyset = first_keyset; /* 1.keyset.json, or a later one, as it was when the program was built */
  settings.audience = "production";
  settings.directory = "/var/lib/payments";
  settings.embedded = first_manifest;

  pintle_store *store;
  pintle_error error;
  if (pintle_store_open(&settings, &store, &error) != PINTLE_OK) {
    fprintf(stderr, "%s: %s\n", error.code, error.message);
    exit(1);
  }
  for (size_t index = 0; pintle_store_problem(store, index, &error) == PINTLE_OK; index++) {
    fprintf(stderr, "%s: %s\n", error.code, error.message); /* what is wrong with what is stored or shipped */
  }
  return store;
}

static int refresh(pintle_store *store) {
  pintle_error error;
  if (pintle_store_update_keyset_folder(store, "/etc/payments/keysets", &error) < 0) {
    fprintf(stderr, "%s: %s\n", error.code, error.message); /* the keyset in force stays */
  }
  int result = pintle_store_update_file(store, "/etc/payments/manifest.json", &error);
  if (result < 0) {
    fprintf(stderr, "%s: %s\n", error.code, error.message); /* the manifest in force stays */
  }
  pintle_store_maintain(store, NULL);

  pintle_status status = PINTLE_STATUS_INIT;
  pintle_store_status(store, &status);
  if (status.keyset_expired || !status.endorsed || status.freshness != PINTLE_FRESHNESS_FRESH) {
    fprintf(stderr, "a newer keyset or manifest should have come\n");
  }
  return result == PINTLE_OK; /* whether connections are to be judged again */
}

static void open_fixed(uint8_t *key_pem, size_t key_pem_size) {
  pintle_bytes release_key = {key_pem, key_pem_size};
  pintle_settings settings = PINTLE_SETTINGS_INIT;
  settings.signers = &release_key;
  settings.signer_count = 1;
  settings.threshold = 1;
  settings.audience = "production";
  pintle_store *store;
  pintle_store_open(&settings, &store, NULL);
  pintle_store_close(store);
}

static void connect_to(int descriptor, pintle_store *store) {
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
}

int main(void) {
  pintle_store *store = open_shipped(NULL, 0, NULL, 0);
  if (refresh(store)) connect_to(-1, store);
  open_fixed(NULL, 0);
  pintle_store_close(store);
}

/*
 * program KEYSET MANIFEST HOST PORT: connects to the server on that port of this machine, as if it were HOST.
 *
 * What somebody writes who has pintle.h and docs/libpintle.md, and nothing else of Pintle.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#define PINTLE_SSL_IMPLEMENTATION
#include <pintle_ssl.h>

static pintle_bytes whole(const char *path) {
  uint8_t *data = malloc(1 << 20);
  FILE *file = fopen(path, "rb");
  if (file == NULL || data == NULL) {
    perror(path);
    exit(2);
  }
  size_t size = fread(data, 1, 1 << 20, file);
  fclose(file);
  return (pintle_bytes){data, size};
}

int main(int count, char **arguments) {
  if (count != 5) return 64;
  pintle_settings settings = PINTLE_SETTINGS_INIT;
  settings.audience = "production";
  settings.keyset = whole(arguments[1]);
  settings.embedded = whole(arguments[2]);
  pintle_store *store;
  pintle_error error;
  int status = pintle_store_open(&settings, &store, &error);
  if (status == PINTLE_OK && pintle_store_problem(store, 0, &error) == PINTLE_OK) status = 2;
  if (status != PINTLE_OK) {
    fprintf(stderr, "%s: %s\n", error.code, error.message);
    return 2;
  }

  uint16_t port = (uint16_t)atoi(arguments[4]);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
    perror("connect");
    return 2;
  }
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  pintle_ssl_protect(context, store);
  SSL *ssl = SSL_new(context);
  SSL_set_fd(ssl, descriptor);
  pintle_ssl_connect_to(ssl, arguments[3], port);
  int allowed = SSL_connect(ssl) == 1 && pintle_ssl_check(ssl) == PINTLE_USE_CREDENTIAL;
  const pintle_decision *decision = pintle_ssl_decision(ssl);
  if (decision == NULL) return 2;
  printf("%s: %s: %s\n", allowed ? "allowed" : "refused", decision->reason, decision->message);
  return allowed ? 0 : 1;
}

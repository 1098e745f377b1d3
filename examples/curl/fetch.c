/*
 * Requests with libcurl (on OpenSSL), pinned by a store: each line of the input is a URL. Before each, the manifest's
 * file is read again, as a service does that something else brings newer ones to.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PINTLE_SSL_IMPLEMENTATION /* in one source file */
#include <pintle_ssl.h>

typedef struct client {
  pintle_store *store;
  CURL *curl; /* keeps connections open between requests */
  char why[2048];
} client;

/* Why a connection was refused: the sentence has the presented and the required keys, the decision has them as data. */
static void refused(void *word, const char *message, const pintle_decision *decision) {
  client *mine = (client *)word;
  (void)decision;
  snprintf(mine->why, sizeof mine->why, "%s", message);
}

/* libcurl calls this for each new connection, also to an HTTPS proxy, after its own settings: none of them, such as
 * CURLOPT_SSL_VERIFYPEER, changes what follows. The URL is that of the request, or of the redirect that is followed. */
static CURLcode protect(CURL *curl, void *context, void *word) {
  client *mine = (client *)word;
  CURLU *parts = curl_url();
  char *url = NULL, *host = NULL, *port = NULL;
  int is_done =
      curl_easy_getinfo(curl, CURLINFO_EFFECTIVE_URL, &url) == CURLE_OK &&
      curl_url_set(parts, CURLUPART_URL, url, CURLU_GUESS_SCHEME) == CURLUE_OK &&
      curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
      curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
      /* The host is only for addresses: libcurl tells libssl names. */
      pintle_ssl_protect_by_name((SSL_CTX *)context, mine->store, host, (uint16_t)strtoul(port, NULL, 10)) == 1 &&
      pintle_ssl_on_refusal((SSL_CTX *)context, refused, mine) == 1;
  curl_free(host);
  curl_free(port);
  curl_url_cleanup(parts);
  return is_done ? CURLE_OK : CURLE_OUT_OF_MEMORY;
}

static size_t ignore(char *bytes, size_t size, size_t count, void *word) {
  (void)bytes, (void)word;
  return size * count;
}

static int open_client(client *mine, pintle_store *store) {
  memset(mine, 0, sizeof *mine);
  mine->store = store;
  mine->curl = curl_easy_init();
  return mine->curl != NULL && curl_easy_setopt(mine->curl, CURLOPT_SSL_CTX_FUNCTION, protect) == CURLE_OK &&
         curl_easy_setopt(mine->curl, CURLOPT_SSL_CTX_DATA, mine) == CURLE_OK &&
         curl_easy_setopt(mine->curl, CURLOPT_PROTOCOLS_STR, "https") == CURLE_OK && /* not http, also by a redirect */
         curl_easy_setopt(mine->curl, CURLOPT_FOLLOWLOCATION, 1L) == CURLE_OK &&
         curl_easy_setopt(mine->curl, CURLOPT_WRITEFUNCTION, ignore) == CURLE_OK;
}

/* A connection of the pool that the manifest in force now refuses carries nothing: libcurl opens another one. */
static int fetch(client *mine, const char *url) {
  long status = 0;
  mine->why[0] = 0;
  curl_easy_setopt(mine->curl, CURLOPT_URL, url);
  CURLcode result = curl_easy_perform(mine->curl);
  if (result != CURLE_OK) {
    printf("%s: %s\n", url, mine->why[0] != 0 ? mine->why : curl_easy_strerror(result));
    return 0;
  }
  curl_easy_getinfo(mine->curl, CURLINFO_RESPONSE_CODE, &status);
  printf("%s: status %ld\n", url, status);
  return 1;
}

static void update(pintle_store *store, const char *manifest) {
  pintle_error error;
  if (pintle_store_update_file(store, manifest, &error) < 0) {
    fprintf(stderr, "%s: %s (%s)\n", manifest, error.message, error.code); /* the one in force stays */
  }
}

static void *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = (char *)malloc(1 << 20);
  *size = file == NULL || bytes == NULL ? 0 : fread(bytes, 1, 1 << 20, file);
  if (file != NULL) fclose(file);
  return bytes;
}

static pintle_store *open_store(const char *audience, const char *keyset, const char *anchors) {
  pintle_settings settings = PINTLE_SETTINGS_INIT;
  pintle_bytes anchor = {NULL, 0};
  pintle_store *store = NULL;
  pintle_error error;
  settings.audience = audience;
  settings.keyset.data = read_file(keyset, &settings.keyset.size);
  if (anchors != NULL) {
    anchor.data = read_file(anchors, &anchor.size);
    settings.anchors = &anchor;
    settings.anchor_count = 1;
  }
  if (pintle_store_open(&settings, &store, &error) != PINTLE_OK) fprintf(stderr, "%s (%s)\n", error.message, error.code);
  free((void *)settings.keyset.data);
  free((void *)anchor.data);
  return store;
}

#ifndef WITHOUT_MAIN
int main(int count, char **words) {
  char url[2048];
  client mine;
  int failures = 0;
  if (count < 4) {
    fprintf(stderr, "usage: fetch AUDIENCE KEYSET MANIFEST [ANCHORS] < URLS\n");
    return 64;
  }
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  pintle_store *store = open_store(words[1], words[2], count > 4 ? words[4] : NULL);
  if (store == NULL) return 1;
  if (!open_client(&mine, store)) {
    fprintf(stderr, "libcurl needs OpenSSL, as in Debian's libcurl4-openssl-dev, and version 7.85 or later\n");
    return 1;
  }
  while (fgets(url, sizeof url, stdin) != NULL) {
    url[strcspn(url, "\n")] = 0;
    update(store, words[3]);
    failures += !fetch(&mine, url);
    fflush(stdout);
  }
  curl_easy_cleanup(mine.curl);
  pintle_store_close(store);
  curl_global_cleanup();
  return failures == 0 ? 0 : 1;
}
#endif

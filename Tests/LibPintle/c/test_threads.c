/* Sixteen threads ask while manifests are swapped: every answer is that of one manifest, never a mixture. */
#include <pthread.h>
#include <stdatomic.h>

#include "support.h"

#define THREADS 16
#define UPDATES 100

static pintle_store *store;
static chain served;
static atomic_int is_over;
static atomic_long asked, wrong;

/* Manifests with an odd serial allow the chain, those with an even one block it. */
static void *ask(void *unused) {
  int64_t last = 0;
  do {
    pintle_peer peer = PINTLE_PEER_INIT;
    peer.host = "allowed.test";
    peer.port = 443;
    peer.certificates = served.certificates;
    peer.certificate_count = served.count;
    pintle_decision *decision = NULL;
    pintle_disposition answer = pintle_store_evaluate(store, &peer, &decision);
    int expected = decision->serial % 2 ? PINTLE_USE_CREDENTIAL : PINTLE_CANCEL;
    const char *reason = decision->serial % 2 ? "matched" : "mismatch";
    if ((int)answer != expected || strcmp(decision->reason, reason) != 0 || decision->serial < last) wrong++;
    last = decision->serial;
    pintle_decision_free(decision);
    pintle_status status = PINTLE_STATUS_INIT;
    if (pintle_store_status(store, &status) != PINTLE_OK || status.serial < last) wrong++;
    asked++;
  } while (!is_over);
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  store = open_store();
  served = read_chain("allowed.test/chain.pem");
  pintle_bytes first = sign_again("manifest.json", 1);
  NEED(pintle_store_update(store, first.data, first.size, NULL) == PINTLE_OK);
  free((void *)first.data);
  for (int index = 0; index < THREADS; index++) NEED(pthread_create(&threads[index], NULL, ask, NULL) == 0);
  for (long serial = 2; serial <= UPDATES; serial++) {
    pintle_error error = {0};
    pintle_bytes manifest = sign_again(serial % 2 ? "manifest.json" : "newer.json", serial);
    int status = pintle_store_update(store, manifest.data, manifest.size, &error);
    CHECK(status == PINTLE_OK, "%s", error.message);
    free((void *)manifest.data);
  }
  is_over = 1;
  for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
  pintle_store_close(store);
  free_chain(&served);
  CHECK(wrong == 0, "%ld of %ld answers are no manifest's", (long)wrong, (long)asked);
  CHECK(asked >= THREADS, "%ld", (long)asked);
  char what[120];
  snprintf(what, sizeof what, "%ld questions of %d threads, %d manifests: no answer torn", (long)asked, THREADS, UPDATES);
  return result(what);
}

/* Sixteen threads ask while manifests and keysets are swapped: every answer is that of one manifest, every status that
 * of one manifest and one keyset, never a mixture. */
#include <pthread.h>
#include <stdatomic.h>

#include "signing.h"

#define THREADS 16
#define UPDATES 100

static pintle_store *store;
static chain served;
static atomic_int is_over;
static atomic_long asked, wrong;

/* Manifests with an odd serial allow the chain and are signed by the key 0, those with an even one block it and are
 * signed by the key 4. Before each manifest comes the keyset of the same number, by which only that key signs. */
static void *ask(void *unused) {
  int64_t last = 0, version = 0;
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
    int64_t ahead = status.keyset_version - status.serial;
    if (ahead < 0 || ahead > 1 || status.endorsed != (ahead == 0) || status.keyset_version < version) wrong++;
    version = status.keyset_version;
    asked++;
  } while (!is_over);
  return unused;
}

static plan plan_of(long version) {
  plan plan = first_plan;
  plan.version = version;
  plan.signers = version % 2 ? RELEASE : KEY(4);
  return plan;
}

/* Offers what must not be taken, or was already, until the end. */
static void *meddle(void *file) {
  const pintle_bytes *bytes = file;
  do {
    if (pintle_store_update_keyset(store, bytes->data, bytes->size, NULL) == PINTLE_OK) wrong++;
    if (pintle_store_update_keyset_folder(store, "/nowhere/at/all", NULL) == PINTLE_OK) wrong++;
    if (pintle_store_maintain(store, NULL) != PINTLE_OK) wrong++;
  } while (!is_over);
  return file;
}

int main(void) {
  pthread_t threads[THREADS], meddler;
  pintle_bytes keyset = make_keyset(plan_of(1), KEY(1) | KEY(2)), root = read_fixture("root.pem");
  pintle_settings settings = PINTLE_SETTINGS_INIT;
  settings.keyset = keyset;
  settings.audience = "test";
  settings.anchors = &root;
  settings.anchor_count = 1;
  NEED(pintle_store_open(&settings, &store, NULL) == PINTLE_OK);
  free((void *)root.data);
  served = read_chain("allowed.test/chain.pem");
  pintle_bytes first = sign_again("manifest.json", 1);
  NEED(pintle_store_update(store, first.data, first.size, NULL) == PINTLE_OK);
  free((void *)first.data);
  for (int index = 0; index < THREADS; index++) NEED(pthread_create(&threads[index], NULL, ask, NULL) == 0);
  NEED(pthread_create(&meddler, NULL, meddle, &keyset) == 0);
  for (long serial = 2; serial <= UPDATES; serial++) {
    pintle_error error = {0};
    pintle_bytes next = make_keyset(plan_of(serial), serial % 3 ? KEY(1) | KEY(2) : KEY(2) | KEY(3));
    int status = pintle_store_update_keyset(store, next.data, next.size, &error);
    CHECK(status == PINTLE_OK, "%s", error.message);
    free((void *)next.data);
    pintle_bytes manifest = serial % 2 ? make_manifest("manifest.json", serial, RELEASE)
                                       : make_manifest("newer.json", serial, KEY(4));
    status = pintle_store_update(store, manifest.data, manifest.size, &error);
    CHECK(status == PINTLE_OK, "%s", error.message);
    free((void *)manifest.data);
  }
  is_over = 1;
  for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
  pthread_join(meddler, NULL);
  free((void *)keyset.data);
  pintle_store_close(store);
  free_chain(&served);
  CHECK(wrong == 0, "%ld of %ld answers are no manifest's", (long)wrong, (long)asked);
  CHECK(asked >= THREADS, "%ld", (long)asked);
  char what[120];
  snprintf(what, sizeof what, "%ld questions of %d threads, %d manifests and keysets: no answer torn", (long)asked,
           THREADS, UPDATES);
  return result(what);
}

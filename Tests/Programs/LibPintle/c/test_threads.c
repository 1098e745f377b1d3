/* Sixteen threads ask while manifests and keysets are swapped: every answer is that of one manifest, and every status
 * that of one manifest and one keyset, never a mixture. Then several threads walk the same keysets in two stores, which
 * share a folder. */
#define _DEFAULT_SOURCE /* mkdtemp, usleep */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "signing.h"

#define THREADS 16
#define UPDATES 100
#define WALKERS 6
#define VERSIONS 40

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

/* Opens a store with a keyset; the folder may be null. */
static pintle_store *open_with(pintle_bytes keyset, const char *folder) {
  pintle_bytes root = read_fixture("root.pem");
  pintle_settings settings = PINTLE_SETTINGS_INIT;
  settings.keyset = keyset;
  settings.audience = "test";
  settings.anchors = &root;
  settings.anchor_count = 1;
  settings.directory = folder;
  pintle_store *opened = NULL;
  NEED(pintle_store_open(&settings, &opened, NULL) == PINTLE_OK);
  free((void *)root.data);
  return opened;
}

static pintle_store *stores[2];
static pintle_bytes versions[VERSIONS];
static atomic_int taken[2][VERSIONS];

/* Offers a keyset, again while others hold the folder for longer than the store waits. */
static int offer(pintle_store *to, pintle_bytes keyset, pintle_error *error) {
  int result = 0;
  for (int attempt = 0; attempt < 60; attempt++) {
    result = pintle_store_update_keyset(to, keyset.data, keyset.size, error);
    if (result >= 0 || strcmp(error->code, "not-stored") != 0) break;
    usleep(100000);
  }
  return result;
}

/* Offers all versions to one of the stores: after each the store has it, or a later one that somebody else brought. */
static void *walk(void *number) {
  int which = (int)(size_t)number % 2;
  for (int index = 1; index < VERSIONS; index++) {
    pintle_error error = {0};
    int result = offer(stores[which], versions[index], &error);
    if (result == PINTLE_OK) taken[which][index]++;
    if (result < 0 && strcmp(error.code, "older-version") != 0) {
      fprintf(stderr, "version %d: %s: %s\n", index + 1, error.code, error.message);
      wrong++;
    }
    pintle_status status = PINTLE_STATUS_INIT;
    if (pintle_store_status(stores[which], &status) != PINTLE_OK || status.keyset_version <= index) wrong++;
  }
  return NULL;
}

static void contend(void) {
  char folder[] = "/tmp/pintle.XXXXXX", command[64];
  pthread_t walkers[WALKERS];
  NEED(mkdtemp(folder) != NULL);
  for (int index = 0; index < VERSIONS; index++) versions[index] = make_keyset(plan_of(index + 1), KEY(1) | KEY(3));
  for (int which = 0; which < 2; which++) stores[which] = open_with(versions[0], folder);
  for (int index = 0; index < WALKERS; index++)
    NEED(pthread_create(&walkers[index], NULL, walk, (void *)(size_t)index) == 0);
  for (int index = 0; index < WALKERS; index++) pthread_join(walkers[index], NULL);
  int all = 0;
  for (int index = 1; index < VERSIONS; index++) {
    CHECK(taken[0][index] <= 1 && taken[1][index] <= 1, "version %d was taken twice by one store", index + 1);
    all += taken[0][index] + taken[1][index];
  }
  CHECK(all >= VERSIONS - 1, "%d versions were taken by somebody", all);
  for (int which = 0; which < 2; which++) pintle_store_close(stores[which]);
  stores[0] = open_with(versions[0], folder);
  pintle_status status = PINTLE_STATUS_INIT;
  pintle_error problem;
  CHECK(pintle_store_status(stores[0], &status) == PINTLE_OK, "after a restart");
  CHECK(status.keyset_version == VERSIONS, "%ld", (long)status.keyset_version);
  CHECK(pintle_store_problem(stores[0], 0, &problem) == PINTLE_ARGUMENT, "%s: %s", problem.code, problem.message);
  pintle_store_close(stores[0]);
  for (int index = 0; index < VERSIONS; index++) free((void *)versions[index].data);
  snprintf(command, sizeof command, "rm -r %s", folder);
  NEED(system(command) == 0);
}

int main(void) {
  pthread_t threads[THREADS], meddler;
  pintle_bytes keyset = make_keyset(plan_of(1), KEY(1) | KEY(2));
  store = open_with(keyset, NULL);
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
  contend();
  CHECK(wrong == 0, "%ld of %ld answers are no manifest's", (long)wrong, (long)asked);
  CHECK(asked >= THREADS, "%ld", (long)asked);
  char what[120];
  snprintf(what, sizeof what, "%ld questions of %d threads, %d manifests and keysets: no answer torn", (long)asked,
           THREADS, UPDATES);
  return result(what);
}

// The floor of trust evaluation: parse the certificates that a server sent, and have libcrypto build and check their
// path, with the server's name, in the strictness that Pintle asks for. No pins, no policy.
//
//     verify-floor CHAIN.pem ANCHORS.pem HOST EPOCH-SECONDS TIMES [ROUNDS]
//
// The trust store is made once. Prints the median over the rounds of what one evaluation takes, as
// `measured-work evaluate` does.
#define _POSIX_C_SOURCE 200809L
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned char *certificates[16];
static long sizes[16];
static int certificate_count;
static X509_STORE *store;

static void die(const char *what) {
  fprintf(stderr, "verify-floor: %s\n", what);
  exit(1);
}

static int verify(const char *host, time_t instant) {
  X509 *leaf = NULL;
  STACK_OF(X509) *others = sk_X509_new_null();
  for (int i = 0; i < certificate_count; i++) {
    const unsigned char *at = certificates[i];
    X509 *certificate = d2i_X509(NULL, &at, sizes[i]);
    if (!certificate) return 0;
    if (i == 0) leaf = certificate;
    else sk_X509_push(others, certificate);
  }
  X509_STORE_CTX *context = X509_STORE_CTX_new();
  int valid = X509_STORE_CTX_init(context, store, leaf, others);
  X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_time(parameters, instant);
  X509_VERIFY_PARAM_set_depth(parameters, 8);
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_X509_STRICT | X509_V_FLAG_TRUSTED_FIRST);
  X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_trust(parameters, X509_TRUST_SSL_SERVER);
  X509_VERIFY_PARAM_set_hostflags(
    parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  valid = valid == 1 && X509_VERIFY_PARAM_set1_host(parameters, host, strlen(host)) == 1 &&
          X509_verify_cert(context) == 1 && X509_STORE_CTX_get_error(context) == X509_V_OK;
  X509_STORE_CTX_free(context);
  sk_X509_pop_free(others, X509_free);
  X509_free(leaf);
  return valid;
}

static void read_chain(const char *path) {
  FILE *file = fopen(path, "r");
  char *name, *header;
  if (!file) die("the chain can't be read");
  while (certificate_count < 16 &&
         PEM_read(file, &name, &header, &certificates[certificate_count], &sizes[certificate_count])) {
    certificate_count++;
    OPENSSL_free(name);
    OPENSSL_free(header);
  }
  fclose(file);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int count, char **arguments) {
  long times = count >= 6 ? atol(arguments[5]) : 0, rounds = count == 7 ? atol(arguments[6]) : 1;
  if (count > 7 || times < 1 || rounds < 1) {
    fprintf(stderr, "usage: verify-floor CHAIN.pem ANCHORS.pem HOST EPOCH-SECONDS TIMES [ROUNDS]\n");
    return 64;
  }
  read_chain(arguments[1]);
  store = X509_STORE_new();
  if (!store || X509_STORE_load_file(store, arguments[2]) != 1) die("the anchors can't be read");
  const char *host = arguments[3];
  time_t instant = (time_t)atoll(arguments[4]);
  if (!verify(host, instant)) die("the chain isn't valid");
  double *figures = calloc((size_t)rounds, sizeof *figures);
  for (long round = 0; round < rounds; round++) {
    struct timespec start, stop;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < times; i++)
      if (!verify(host, instant)) die("the answer changed");
    clock_gettime(CLOCK_MONOTONIC, &stop);
    figures[round] = ((double)(stop.tv_sec - start.tv_sec) * 1e9 + (double)(stop.tv_nsec - start.tv_nsec)) / (double)times;
  }
  qsort(figures, (size_t)rounds, sizeof *figures, by_size);
  printf("verify %.0f ns\n", figures[rounds / 2]);
  return 0;
}

// The floor of probing: what libssl alone costs for COUNT handshakes with one server, CONCURRENCY at a time.
//
//   tls-floor PORT COUNT CONCURRENCY [VERSION SIGNATURE-ALGORITHMS CIPHERS]
//
// The version is 1.2 or 1.3, the lists are those of SSL_CTX_set1_sigalgs_list and SSL_CTX_set_cipher_list: with them the
// floor makes the very offers that a probe makes.
//
// Does what can't be left out: a socket, a handshake with a name, the public keys of what was served. It validates
// nothing, keeps nothing, and gives up at the first surprise. Prints one line for Benchmarks/probe to read.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256 };

struct handshake {
  SSL *ssl;
  int socket;
};

static SSL_CTX *context;
static struct sockaddr_in server;
static int queue;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static double processor_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void begin(struct handshake *handshake, int number) {
  char name[32];
  int one = 1;
  handshake->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (handshake->socket < 0) fail("socket");
  setsockopt(handshake->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  connect(handshake->socket, (struct sockaddr *)&server, sizeof server);
  handshake->ssl = SSL_new(context);
  snprintf(name, sizeof name, "h%05d.bench.test", number);
  SSL_set_tlsext_host_name(handshake->ssl, name);
  SSL_set_fd(handshake->ssl, handshake->socket);
  SSL_set_connect_state(handshake->ssl);
  struct epoll_event event = {.events = EPOLLOUT, .data.ptr = handshake};
  if (epoll_ctl(queue, EPOLL_CTL_ADD, handshake->socket, &event) != 0) fail("epoll_ctl");
}

static void end(struct handshake *handshake) {
  STACK_OF(X509) *chain = SSL_get_peer_cert_chain(handshake->ssl);
  unsigned char key[2048];
  for (int index = 0; chain && index < sk_X509_num(chain); index++) {
    unsigned char *next = key;
    X509_PUBKEY *public_key = X509_get_X509_PUBKEY(sk_X509_value(chain, index));
    if (i2d_X509_PUBKEY(public_key, NULL) <= (int)sizeof key) i2d_X509_PUBKEY(public_key, &next);
  }
  SSL_set_quiet_shutdown(handshake->ssl, 1);
  SSL_free(handshake->ssl);
  close(handshake->socket);
}

int main(int count, char **arguments) {
  if (count != 4 && count != 7) {
    fprintf(stderr, "usage: tls-floor PORT COUNT CONCURRENCY [VERSION SIGNATURE-ALGORITHMS CIPHERS]\n");
    return 64;
  }
  int wanted = atoi(arguments[2]), limit = atoi(arguments[3]), begun = 0, done = 0;
  context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  if (count == 7) {
    int version = arguments[4][2] == '2' ? TLS1_2_VERSION : TLS1_3_VERSION;
    SSL_CTX_set_min_proto_version(context, version);
    SSL_CTX_set_max_proto_version(context, version);
    if (SSL_CTX_set1_sigalgs_list(context, arguments[5]) != 1) fail("the signature algorithms");
    if (SSL_CTX_set_cipher_list(context, arguments[6]) != 1) fail("the ciphers");
  }
  server = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  inet_pton(AF_INET, "127.0.0.1", &server.sin_addr);
  queue = epoll_create1(0);
  struct handshake *handshakes = calloc(limit, sizeof *handshakes);
  double wall = seconds(), processor = processor_seconds();
  for (int index = 0; index < limit && begun < wanted; index++) begin(&handshakes[index], begun++);
  while (done < wanted) {
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(queue, events, EVENTS, 30000);
    if (ready <= 0) fail("epoll_wait");
    for (int index = 0; index < ready; index++) {
      struct handshake *handshake = events[index].data.ptr;
      int status = SSL_do_handshake(handshake->ssl);
      if (status == 1) {
        end(handshake);
        done++;
        if (begun < wanted) begin(handshake, begun++);
        continue;
      }
      int error = SSL_get_error(handshake->ssl, status);
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) fail("a handshake");
      struct epoll_event next = {
          .events = error == SSL_ERROR_WANT_READ ? EPOLLIN : EPOLLOUT, .data.ptr = handshake};
      epoll_ctl(queue, EPOLL_CTL_MOD, handshake->socket, &next);
    }
  }
  printf("%.6f %.6f\n", seconds() - wall, processor_seconds() - processor);
  return 0;
}

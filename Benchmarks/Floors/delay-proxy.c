// Passes TCP connections on with a delay, so that loopback looks like a network of some round-trip time.
//
//   delay-proxy LISTEN-PORT TARGET-PORT ROUND-TRIP-MS
//
// Each byte is passed on half a round trip after it came. The first bytes of a client wait a whole round trip more: the
// one that its connection would have taken. One thread, both ports on 127.0.0.1; ends when it is killed.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256, CHUNK = 16384 };

// One direction of a connection.
struct side {
  int socket;
  struct side *other;
  int is_client, has_sent, is_closed, references;
};

// Bytes on their way; a length of 0 stands for the end of a connection.
struct chunk {
  struct chunk *next;
  struct side *to;
  int64_t due;
  size_t length;
  char bytes[];
};

// Each queue has one delay, so it is in order of time by itself.
struct queue {
  struct chunk *first, *last;
};

static struct queue ordinary, opening;
static int events;

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void release(struct side *side) {
  if (--side->references == 0) {
    close(side->socket);
    free(side);
  }
}

static void append(struct queue *queue, struct side *to, int64_t due, const char *bytes, size_t length) {
  struct chunk *chunk = malloc(sizeof *chunk + length);
  if (!chunk) fail("malloc");
  *chunk = (struct chunk){.to = to, .due = due, .length = length};
  if (length > 0) memcpy(chunk->bytes, bytes, length);
  if (queue->last) queue->last->next = chunk;
  else queue->first = chunk;
  queue->last = chunk;
  to->references++;
}

static void deliver(struct queue *queue, int64_t now) {
  while (queue->first && queue->first->due <= now) {
    struct chunk *chunk = queue->first;
    queue->first = chunk->next;
    if (!queue->first) queue->last = NULL;
    if (chunk->length == 0) shutdown(chunk->to->socket, SHUT_WR);
    else if (send(chunk->to->socket, chunk->bytes, chunk->length, MSG_NOSIGNAL) < 0) shutdown(chunk->to->socket, SHUT_RDWR);
    release(chunk->to);
    free(chunk);
  }
}

static struct side *watch(int socket, int is_client) {
  int one = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  struct side *side = calloc(1, sizeof *side);
  *side = (struct side){.socket = socket, .is_client = is_client, .references = 1};
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = side};
  if (epoll_ctl(events, EPOLL_CTL_ADD, socket, &event) != 0) fail("epoll_ctl");
  return side;
}

static void receive(struct side *side, int64_t now, int64_t round_trip) {
  char bytes[CHUNK];
  ssize_t length = recv(side->socket, bytes, sizeof bytes, MSG_DONTWAIT);
  if (length < 0 && errno == EAGAIN) return;
  int is_opening = side->is_client && !side->has_sent;
  side->has_sent = 1;
  append(is_opening ? &opening : &ordinary, side->other, now + round_trip / 2 + (is_opening ? round_trip : 0), bytes,
         length > 0 ? (size_t)length : 0);
  if (length > 0) return;
  epoll_ctl(events, EPOLL_CTL_DEL, side->socket, NULL);
  side->is_closed = 1;
  if (side->other->is_closed) {
    release(side->other);
    release(side);
  }
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: delay-proxy LISTEN-PORT TARGET-PORT ROUND-TRIP-MS\n");
    return 64;
  }
  int64_t round_trip = atoi(arguments[3]);
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[2]))};
  here.sin_addr.s_addr = there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&here, sizeof here) != 0 || listen(listener, 4096) != 0) fail("listen");
  events = epoll_create1(0);
  struct epoll_event accepting = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(events, EPOLL_CTL_ADD, listener, &accepting);
  for (;;) {
    struct epoll_event ready[EVENTS];
    int number = epoll_wait(events, ready, EVENTS, ordinary.first || opening.first ? 1 : -1);
    int64_t now = milliseconds();
    for (int index = 0; index < number; index++) {
      struct side *side = ready[index].data.ptr;
      if (side) {
        receive(side, now, round_trip);
        continue;
      }
      int accepted;
      while ((accepted = accept(listener, NULL, NULL)) >= 0) {
        int onward = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(onward, (struct sockaddr *)&there, sizeof there) != 0) fail("connect");
        struct side *client = watch(accepted, 1), *server = watch(onward, 0);
        client->other = server;
        server->other = client;
      }
    }
    deliver(&ordinary, now);
    deliver(&opening, now);
  }
}

/* examples/curl under the options that a program may set. Each line of the input is an option and its value, or "get"
 * and a URL, or "update" and a manifest. */
#define WITHOUT_MAIN
#include "../../../../examples/curl/fetch.c"

int main(int count, char **words) {
  char line[2048], value[2048], name[32];
  client mine;
  struct curl_slist *list = NULL;
  if (count < 4) return 64;
  pintle_store *store = open_store(words[1], words[2], words[3]);
  if (store == NULL || !open_client(&mine, store)) return 1;
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (sscanf(line, "%31s %2047s", name, value) != 2) return 64;
    if (strcmp(name, "get") == 0) fetch(&mine, value);
    else if (strcmp(name, "update") == 0) update(store, value);
    else if (strcmp(name, "verifypeer") == 0) curl_easy_setopt(mine.curl, CURLOPT_SSL_VERIFYPEER, atol(value));
    else if (strcmp(name, "verifyhost") == 0) curl_easy_setopt(mine.curl, CURLOPT_SSL_VERIFYHOST, atol(value));
    else if (strcmp(name, "proxy") == 0) curl_easy_setopt(mine.curl, CURLOPT_PROXY, value);
    else if (strcmp(name, "proxyverify") == 0) curl_easy_setopt(mine.curl, CURLOPT_PROXY_SSL_VERIFYPEER, atol(value));
    else if (strcmp(name, "cainfo") == 0) {
      curl_easy_setopt(mine.curl, CURLOPT_CAINFO, value);
      curl_easy_setopt(mine.curl, CURLOPT_PROXY_CAINFO, value);
    } else if (strcmp(name, "resolve") == 0 || strcmp(name, "connect-to") == 0) {
      list = curl_slist_append(NULL, value); /* read later: it stays */
      curl_easy_setopt(mine.curl, name[0] == 'r' ? CURLOPT_RESOLVE : CURLOPT_CONNECT_TO, list);
    } else return 64;
    printf(".\n");
    fflush(stdout);
  }
  curl_easy_cleanup(mine.curl);
  curl_slist_free_all(list);
  pintle_store_close(store);
  return 0;
}

// What can't be left out of checking policy files: each is read, and libyaml finds its events.
//
//   lint-floor FILE...
//
// Ends with 1 where a file can't be read or isn't YAML.
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

// The events of one file, or -1.
static long events(const char *path) {
  FILE *file = fopen(path, "rb");
  yaml_parser_t parser;
  if (file == NULL || !yaml_parser_initialize(&parser)) return -1;
  yaml_parser_set_input_file(&parser, file);
  long count = 0;
  for (int ended = 0; !ended; count++) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      count = -1;
      break;
    }
    ended = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  fclose(file);
  return count;
}

int main(int count, char **arguments) {
  long sum = 0;
  for (int number = 1; number < count; number++) {
    long found = events(arguments[number]);
    if (found < 0) {
      fprintf(stderr, "lint-floor: %s\n", arguments[number]);
      return 1;
    }
    sum += found;
  }
  printf("%ld events in %d files\n", sum, count - 1);
  return 0;
}

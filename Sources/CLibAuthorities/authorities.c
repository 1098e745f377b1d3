// The files of authorities/, embedded: in Swift, an array literal of their size takes longer to compile than a module.
#include "authorities.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char lets_encrypt[] = {
#embed "../../authorities/lets-encrypt.yaml"
};

static const struct pintle_authority_file files[] = {
    {"lets-encrypt.yaml", lets_encrypt, sizeof lets_encrypt},
};
const struct pintle_authority_file *const pintle_authority_files = files;
const size_t pintle_authority_file_count = sizeof files / sizeof *files;

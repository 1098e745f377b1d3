// The files of authorities/, embedded: in Swift, an array literal of their size takes longer to compile than a module.
#define _GNU_SOURCE // for memmem
#include "authorities.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char amazon[] = {
#embed "../../authorities/amazon.yaml"
};

static const unsigned char digicert[] = {
#embed "../../authorities/digicert.yaml"
};

static const unsigned char entrust[] = {
#embed "../../authorities/entrust.yaml"
};

static const unsigned char globalsign[] = {
#embed "../../authorities/globalsign.yaml"
};

static const unsigned char google_trust_services[] = {
#embed "../../authorities/google-trust-services.yaml"
};

static const unsigned char identrust[] = {
#embed "../../authorities/identrust.yaml"
};

static const unsigned char lets_encrypt[] = {
#embed "../../authorities/lets-encrypt.yaml"
};

static const unsigned char microsoft[] = {
#embed "../../authorities/microsoft.yaml"
};

static const unsigned char other_roots[] = {
#embed "../../authorities/other-roots.yaml"
};

static const unsigned char sectigo[] = {
#embed "../../authorities/sectigo.yaml"
};

static const unsigned char services[] = {
#embed "../../authorities/services.yaml"
};

static const unsigned char ssl_com[] = {
#embed "../../authorities/ssl-com.yaml"
};

static const unsigned char stores[] = {
#embed "../../authorities/stores.yaml"
};

static const unsigned char symantec[] = {
#embed "../../authorities/symantec.yaml"
};

static const struct pintle_authority_file files[] = {
    {"amazon.yaml", amazon, sizeof amazon},
    {"digicert.yaml", digicert, sizeof digicert},
    {"entrust.yaml", entrust, sizeof entrust},
    {"globalsign.yaml", globalsign, sizeof globalsign},
    {"google-trust-services.yaml", google_trust_services, sizeof google_trust_services},
    {"identrust.yaml", identrust, sizeof identrust},
    {"lets-encrypt.yaml", lets_encrypt, sizeof lets_encrypt},
    {"microsoft.yaml", microsoft, sizeof microsoft},
    {"other-roots.yaml", other_roots, sizeof other_roots},
    {"sectigo.yaml", sectigo, sizeof sectigo},
    {"services.yaml", services, sizeof services},
    {"ssl-com.yaml", ssl_com, sizeof ssl_com},
    {"stores.yaml", stores, sizeof stores},
    {"symantec.yaml", symantec, sizeof symantec},
};
const struct pintle_authority_file *const pintle_authority_files = files;
const size_t pintle_authority_file_count = sizeof files / sizeof *files;

const void *pintle_authority_find(const void *text, size_t count, const void *run, size_t length) {
  return memmem(text, count, run, length);
}

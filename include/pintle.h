#ifndef PINTLE_H
#define PINTLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint32_t pintle_version(void);

#ifdef __cplusplus
}
#endif

#endif

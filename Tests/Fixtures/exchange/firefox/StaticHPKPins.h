/* This file is generated. */
#include <stdint.h>
/* GTS Root R1 */
static const char kGTS_Root_R1Fingerprint[] =
  "hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=";

/* ISRG Root X1 */
static const char kISRG_Root_X1Fingerprint[] =
  "C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=";

/* The entries follow in the generated file. */
static const PRTime kPreloadPKPinsExpirationTime = INT64_C(1801440000000000);

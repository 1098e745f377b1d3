// Names for the parts of libcares that Swift can't import, or imports differently by version. Nothing else belongs
// here.
#ifndef PINTLE_CLIBCARES_SHIM_H
#define PINTLE_CLIBCARES_SHIM_H

// Functions that newer versions deprecate are the only ones that older versions have.
#define CARES_NO_DEPRECATED
#include <ares.h>

// Macros in older versions, enumeration constants in newer ones.
enum {
  pintle_ares_success = ARES_SUCCESS,
  pintle_ares_no_data = ARES_ENODATA,
  pintle_ares_unreadable_question = ARES_EFORMERR,
  pintle_ares_server_failed = ARES_ESERVFAIL,
  pintle_ares_not_found = ARES_ENOTFOUND,
  pintle_ares_not_implemented = ARES_ENOTIMP,
  pintle_ares_refused = ARES_EREFUSED,
  pintle_ares_bad_query = ARES_EBADQUERY,
  pintle_ares_bad_name = ARES_EBADNAME,
  pintle_ares_bad_response = ARES_EBADRESP,
  pintle_ares_connection_refused = ARES_ECONNREFUSED,
  pintle_ares_timeout = ARES_ETIMEOUT,
  pintle_ares_no_memory = ARES_ENOMEM,
  pintle_ares_bad_string = ARES_EBADSTR,
};

#endif

"""A manifest without its end, for asking about times by which clients have a newer one.

It is signed with a key that is made for this and forgotten, so nobody can take it for a release. Its own signatures must
have been verified before.
"""

from __future__ import annotations

import base64
import ctypes
import hashlib
import json
import re

TYPE = b"application/vnd.pintle.manifest.v1+json"
NEVER = b"9999-12-31T23:59:59Z"


def signed_bytes(manifest: bytes) -> bytes:
    """What a file's signatures are about; of a file that was verified."""
    return manifest[manifest.index(b'],"signed":') + len(b'],"signed":') : -1]


class Rehearsal:
    def __init__(self) -> None:
        self._crypto = ctypes.CDLL("libcrypto.so.3")
        for name in ("EVP_PKEY_Q_keygen", "EVP_MD_CTX_new"):
            getattr(self._crypto, name).restype = ctypes.c_void_p
        made = self._crypto.EVP_PKEY_Q_keygen(None, None, b"ED25519")
        self._key = ctypes.c_void_p(self._checked(made))
        size = self._checked(self._crypto.i2d_PUBKEY(self._key, None))
        place = ctypes.create_string_buffer(size)
        self._crypto.i2d_PUBKEY(self._key, ctypes.byref(ctypes.c_void_p(ctypes.addressof(place))))
        self._public = place.raw[:size]

    def __del__(self) -> None:
        if key := getattr(self, "_key", None):
            self._crypto.EVP_PKEY_free(key)

    @staticmethod
    def _checked(result: int | None) -> int:
        if not result or result < 0:
            raise RuntimeError("libcrypto can't make a key or a signature")
        return result

    @property
    def signer(self) -> bytes:
        """The public key in PEM."""
        return b"-----BEGIN PUBLIC KEY-----\n" + base64.encodebytes(self._public) + b"-----END PUBLIC KEY-----\n"

    def lasting(self, manifest: bytes) -> bytes:
        """The same file, but its manifest is never stale."""
        # The members are sorted, so the manifest's own comes before those of its hosts.
        signed = re.sub(rb',"expires":"[0-9TZ:-]{20}"', b',"expires":"' + NEVER + b'"', signed_bytes(manifest), count=1)
        if json.loads(signed)["expires"] != NEVER.decode():
            raise ValueError("the manifest isn't in canonical form")
        signature = base64.b64encode(self._sign(b"DSSEv1 %d %b %d %b" % (len(TYPE), TYPE, len(signed), signed)))
        key = hashlib.sha256(self._public).hexdigest().encode()
        return b'{"signatures":[{"keyid":"%b","sig":"%b"}],"signed":%b}' % (key, signature, signed)

    def _sign(self, message: bytes) -> bytes:
        context = ctypes.c_void_p(self._checked(self._crypto.EVP_MD_CTX_new()))
        try:
            self._checked(self._crypto.EVP_DigestSignInit(context, None, None, None, self._key))
            signature, size = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
            self._checked(self._crypto.EVP_DigestSign(
                context, signature, ctypes.byref(size), message, ctypes.c_size_t(len(message))))
            return signature.raw[: size.value]
        finally:
            self._crypto.EVP_MD_CTX_free(context)

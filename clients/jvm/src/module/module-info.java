/** TLS public-key pinning as policy: decides by a signed manifest, in each handshake. */
module pintle {
  requires java.logging;

  exports pintle;
}

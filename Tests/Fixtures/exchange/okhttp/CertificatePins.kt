// Public-key pins for OkHttp: audience 'production', serial 12, issued 2026-11-21T00:00:00Z.
// Written by pintle. Do not edit: change the policy, and export it again.

package com.example.net

import okhttp3.CertificatePinner
import javax.net.ssl.SSLPeerUnverifiedException

/** The public keys that servers may present: a host's chain must contain one of its keys. */
object CertificatePins {
    val certificatePinner: CertificatePinner = CertificatePinner.Builder()
        .add(
            "**.api.example.com",
            "sha256/tHWzjXXKkLFzJ1kazLkHEt3AC9zEFOWjHjiHsH66XKw=", // key-0
            "sha256/Esvs/Z/fcPuax3xDUGnrHg1FjFF8pqNfrjjhYK38gwc=", // key-1
            "sha256/y3gn9tANsbt9+6OSQ4zUtZ6m/hFH3Azmsy/kdAmSiZ0=" // backup: key-2
        )
        .add(
            "pay.example.org",
            "sha256/Esvs/Z/fcPuax3xDUGnrHg1FjFF8pqNfrjjhYK38gwc=", // key-1
            "sha256/DVqogbu06C/j8g4g1Cye+DXOoJzvxS1xi41CY/ViBjg=" // backup: key-3
        )
        .add(
            "www.example.net",
            "sha256/tHWzjXXKkLFzJ1kazLkHEt3AC9zEFOWjHjiHsH66XKw=", // key-0
            "sha256/Esvs/Z/fcPuax3xDUGnrHg1FjFF8pqNfrjjhYK38gwc=", // key-1
            "sha256/y3gn9tANsbt9+6OSQ4zUtZ6m/hFH3Azmsy/kdAmSiZ0=" // backup: key-2
        )
        .build()

    init {
        // Before OkHttp 4.3.0 a pattern with two asterisks matches nothing, and nothing would be pinned.
        check(isPinned("api.example.com")) { "OkHttp 4.3.0 or later is needed" }
    }

    private fun isPinned(host: String): Boolean =
        try {
            certificatePinner.check(host, emptyList())
            false
        } catch (e: SSLPeerUnverifiedException) {
            true
        }
}

package com.example.shop.network

import okhttp3.CertificatePinner
import okhttp3.OkHttpClient

/** Everything that the app talks to. */
object Network {
    private const val API_HOST = "api.example.com"

    // The roots are those that our operators use today; see the wiki before you change them.
    private val certificatePinner by lazy {
        CertificatePinner.Builder()
            .add("**." + API_HOST, Pins.ISRG_ROOT_X1, Pins.GTS_ROOT_R1)
            .build()
    }

    private fun addShops(builder: CertificatePinner.Builder): CertificatePinner.Builder =
        builder
            .add("cdn.example.net", Pins.ISRG_ROOT_X1)
            .add(
                "cdn.example.net",
                "sha256/++MBgDH5WGvL9Bcn5Be30cRcL0f5O+NyoXuWtQdX1aI=", // Amazon Root CA 1
            )
            .add(
                "shop.example.org",
                "sha256/tHWzjXXKkLFzJ1kazLkHEt3AC9zEFOWjHjiHsH66XKw=", // payments-2026
                "sha256/Esvs/Z/fcPuax3xDUGnrHg1FjFF8pqNfrjjhYK38gwc=", // backup: payments-spare
            )
            .add(
                "*.shop.example.org",
                "sha256/tHWzjXXKkLFzJ1kazLkHEt3AC9zEFOWjHjiHsH66XKw=",
                "sha256/Esvs/Z/fcPuax3xDUGnrHg1FjFF8pqNfrjjhYK38gwc=",
            )

    val client: OkHttpClient = OkHttpClient.Builder()
        .certificatePinner(certificatePinner)
        .build()
}

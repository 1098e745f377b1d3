package com.example.shop.network;

import okhttp3.CertificatePinner;

/** The pins that the Kotlin and the Java part share. */
final class Pins {
    static final String ISRG_ROOT_X1 = "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=";
    static final String GTS_ROOT_R1 = "sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=";

    /* From before the move:
     *   .add("old.example.com", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
     */
    static void addLegacy(CertificatePinner.Builder builder) {
        builder.add("cdn.example.net", "sha1/mFVrDoPJUqkRW9w2hXSSXWjvSV8=");
    }

    private Pins() {}
}

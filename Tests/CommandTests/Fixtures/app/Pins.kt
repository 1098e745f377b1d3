object Pins {
    const val ROOT = "sha256/h1SCHP/2K0A3e0UJxPin2TcL4riuHX+abA+V2u4M1d4="
    const val OLD = "sha256/h6801m+z8v3zbgkRHpq6L29Esgfzhj89C1SyUCOQmqU="
    const val NEXT = "sha256/REPLACEWITHTHEPINOFTHENEXTSERVERKEYPLEASE04="
}

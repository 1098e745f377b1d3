object Pins {
    const val ROOT = "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M="
    const val OLD_BACKUP = "sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs="

    val pinner = CertificatePinner.Builder().add("**.example.com", ROOT, OLD_BACKUP).build()
}

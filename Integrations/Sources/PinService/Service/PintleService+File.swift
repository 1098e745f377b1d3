extension PintleService {
  func watch(_ file: WatchedFile) async {}
}

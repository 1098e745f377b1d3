package pintle;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Folders of tests. */
final class Scratch {
  private Scratch() {}

  static void remove(Path path) throws IOException {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
        for (Path entry : entries) remove(entry);
      }
    }
    Files.deleteIfExists(path);
  }
}

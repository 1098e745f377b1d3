package pintle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A folder, and the few things that are done to files in it, though somebody hostile may write to it, too. A link, a pipe or
 * a folder in place of a file is never followed, waited for or written to: reading refuses it, and a new file takes its name.
 */
final class SafeFolder {
  private static final String SUFFIX = ".new";
  private static final long LOCK_MILLISECONDS = 5000;
  /** A process has a file lock only once, and loses it when it closes any channel of the file: so one at a time. */
  private static final Map<Path, ReentrantLock> LOCKS = new ConcurrentHashMap<>();

  private final Path path;
  private final FileAttribute<?>[] mode;

  SafeFolder(Path path) throws IOException {
    this.path = path.toRealPath();
    if (!Files.isDirectory(this.path)) throw new NotDirectoryException(path.toString());
    boolean hasModes = path.getFileSystem().supportedFileAttributeViews().contains("posix");
    mode = hasModes
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))}
        : new FileAttribute<?>[0];
  }

  /** Which file, and why: most of the platform's exceptions have only the path as their message. */
  static String problem(Exception error) {
    if (!(error instanceof FileSystemException)) return String.valueOf(error.getMessage());
    FileSystemException known = (FileSystemException) error;
    String why = known.getReason() != null ? known.getReason()
        : error instanceof NoSuchFileException ? "No such file or directory"
        : error instanceof NotDirectoryException ? "Not a directory"
        : error instanceof AccessDeniedException ? "Permission denied"
        : error.getClass().getSimpleName();
    return "'" + Bytes.printable(String.valueOf(known.getFile())) + "': " + why;
  }

  String full(String name) {
    return path.resolve(name).toString();
  }

  /** Whether others than the owner may put files into it. */
  boolean isOpenToOthers() {
    if (mode.length == 0) return false;
    try {
      Collection<PosixFilePermission> all = Files.getPosixFilePermissions(path);
      return all.contains(PosixFilePermission.GROUP_WRITE) || all.contains(PosixFilePermission.OTHERS_WRITE);
    } catch (IOException e) {
      return false;
    }
  }

  /** What changes where a file is replaced or written to; null if it isn't there. */
  List<Object> identity(String name) {
    try {
      BasicFileAttributes found = attributes(path.resolve(name), LinkOption.NOFOLLOW_LINKS);
      return Arrays.<Object>asList(String.valueOf(found.fileKey()), found.size(), found.lastModifiedTime());
    } catch (IOException e) {
      return null;
    }
  }

  private static BasicFileAttributes attributes(Path file, LinkOption... options) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, options);
  }

  /** A file's bytes; null if it isn't there. */
  byte[] content(String name, int limit) throws IOException {
    try {
      return read(path.resolve(name), limit, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Reads a regular file of at most so many bytes; a longer one is rejected, not cut. */
  static byte[] read(Path file, int limit, LinkOption... options) throws IOException {
    if (!attributes(file, options).isRegularFile()) throw new FileSystemException(file.toString(), null, "it is not a regular file");
    Set<OpenOption> how = new HashSet<>(Arrays.<OpenOption>asList(options));
    how.add(StandardOpenOption.READ);
    FileChannel channel;
    try {
      // Opened for writing as well, so that a pipe that took its place meanwhile isn't waited for.
      how.add(StandardOpenOption.WRITE);
      channel = FileChannel.open(file, how);
    } catch (FileSystemException e) {
      if (e instanceof NoSuchFileException) throw e;
      how.remove(StandardOpenOption.WRITE);
      channel = FileChannel.open(file, how);
    }
    try {
      long size = channel.size();
      if (size > limit) throw new FileSystemException(file.toString(), null, "it has more than " + limit + " bytes");
      ByteBuffer bytes = ByteBuffer.allocate((int) size);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) continue;
      if (bytes.hasRemaining() || channel.size() != size) {
        throw new FileSystemException(file.toString(), null, "it was changed while it was read");
      }
      return bytes.array();
    } finally {
      channel.close();
    }
  }

  /** Writes bytes to a file that still waits for its name, and has them on disk. */
  void prepare(byte[] bytes, String name) throws IOException {
    Path file = path.resolve(name + SUFFIX);
    // Left over from a process that was killed; while the lock is held, nobody else writes here.
    makeWay(file);
    Set<OpenOption> how = new HashSet<>(Arrays.<OpenOption>asList(
        StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    try (FileChannel channel = FileChannel.open(file, how, mode)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) channel.write(buffer);
      channel.force(true);
    }
  }

  /** Gives a prepared file its name, in one step. */
  void commit(String name) throws IOException {
    Path prepared = path.resolve(name + SUFFIX);
    Path file = path.resolve(name);
    try {
      Files.move(prepared, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      // rename(2) can't replace a folder.
      if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) throw e;
      makeWay(file);
      Files.move(prepared, file, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** Removes a prepared file that doesn't get its name. */
  void discard(String name) {
    remove(name + SUFFIX);
  }

  void remove(String name) {
    try {
      if (!Files.isDirectory(path.resolve(name), LinkOption.NOFOLLOW_LINKS)) Files.deleteIfExists(path.resolve(name));
    } catch (IOException e) {
      // What can't be removed is ignored by readers, and gets out of the way of the next writer.
      return;
    }
  }

  /** Makes the names themselves survive a power cut; other systems than POSIX don't open folders for that. */
  void sync() throws IOException {
    if (mode.length == 0) return;
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Takes away what is in a file's place; a folder that isn't empty gets another name. */
  private static void makeWay(Path file) throws IOException {
    try {
      Files.deleteIfExists(file);
    } catch (DirectoryNotEmptyException e) {
      Files.move(file, file.resolveSibling(file.getFileName() + ".aside-" + Long.toString(System.nanoTime(), 36)));
    }
  }

  /** Something that is done while the folder is locked. */
  interface Work<Answer> {
    Answer run() throws PintleException;
  }

  /** Keeps other stores of this process, and other processes in Java, from writing meanwhile; waits five seconds at most. */
  @SuppressWarnings("try")
  <Answer> Answer whileLocked(Work<Answer> work) throws IOException, PintleException {
    LOCKS.putIfAbsent(path, new ReentrantLock());
    ReentrantLock own = LOCKS.get(path);
    try {
      if (!own.tryLock(LOCK_MILLISECONDS, TimeUnit.MILLISECONDS)) throw new FileSystemException(full("lock"), null, "it is locked");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FileSystemException(full("lock"), null, "interrupted while waiting for it");
    }
    try (FileChannel channel = openLock(); FileLock lock = lock(channel)) {
      return work.run();
    } finally {
      own.unlock();
    }
  }

  private FileChannel openLock() throws IOException {
    Path file = path.resolve("lock");
    // Anything but a regular file isn't a valid lock.
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) makeWay(file);
    Set<OpenOption> how = new HashSet<>(Arrays.<OpenOption>asList(
        StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    try {
      return FileChannel.open(file, how, mode);
    } catch (AccessDeniedException e) {
      makeWay(file);
      return FileChannel.open(file, how, mode);
    }
  }

  private FileLock lock(FileChannel channel) throws IOException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LOCK_MILLISECONDS);
    while (true) {
      try {
        FileLock lock = channel.tryLock();
        if (lock != null) return lock;
      } catch (OverlappingFileLockException e) {
        // Another class loader of this process has it.
      }
      if (System.nanoTime() > end) throw new FileSystemException(full("lock"), null, "another process has locked it");
      try {
        Thread.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new FileSystemException(full("lock"), null, "interrupted while waiting for it");
      }
    }
  }
}

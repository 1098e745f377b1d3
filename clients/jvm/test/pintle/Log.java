package pintle;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Receives what the client logs, in place of the console. */
final class Log extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("pintle");
  private final Consumer<Throwable> then;
  final BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();

  /** What else is done with what listeners have thrown. */
  Log(Consumer<Throwable> then) {
    this.then = then;
    logger.setUseParentHandlers(false);
    logger.addHandler(this);
  }

  @Override
  public void publish(LogRecord line) {
    if (line.getLevel() != Level.SEVERE) return;
    thrown.add(line.getThrown());
    then.accept(line.getThrown());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}

package pintle;

import java.io.File;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Keeps the manifest in force for a program, takes newer ones, and newer keysets that say who may sign them.
 *
 * <p>Connections ask from any thread. They never wait for an update, and see one manifest or the next, never a mixture. What
 * refuses an update leaves the last good manifest in force. docs/updates.md says what is kept on disk, and what survives what.
 */
public final class PinStore {
  /** Where the manifest in force came from. */
  public enum Source {
    /** There is none. */
    NONE,
    /** It was shipped with the program. */
    EMBEDDED,
    /** It was on disk. */
    STORED,
    /** It was an update. */
    UPDATE
  }

  /** What an update did. */
  public enum Result {
    /** It took effect. */
    ACTIVATED,
    /** It is what is in force already. */
    UNCHANGED
  }

  /** Something that was found wrong at the start, for the program's log. None of it stopped the start. */
  public static final class Problem {
    private final String code;
    private final String message;

    Problem(String code, String message) {
      this.code = code;
      this.message = message;
    }

    /** {@return a stable name, such as {@code unreadable-state}} */
    public String code() {
      return code;
    }

    /** {@return what is wrong, and what was done instead} */
    public String message() {
      return message;
    }

    @Override
    public String toString() {
      return code + ": " + message;
    }
  }

  /** Is called when another manifest or keyset takes effect. */
  public interface ActivationListener {
    /**
     * Called on the thread of the update, after the change is in force, and after the connections that it blocks were ended.
     * It must not block.
     *
     * <p>What it throws, an {@code Error} too, is logged (java.util.logging, logger {@code pintle}) after all listeners were
     * called. The update has succeeded all the same.
     *
     * @param store decides
     */
    void activated(PinStore store);
  }

  /** What readers see: all of it belongs together, and none of it changes. */
  static final class InForce {
    Decider decider;
    Source source = Source.NONE;
    long epoch = 1;
    /** Whether the manifest came with the program, so that its epoch is that of the keyset that came with it. */
    boolean isShipped;
    Keyset keyset;
    boolean isEndorsed = true;
    /** It isn't before this, whatever the clock says: those who may sign have issued something then. */
    long earliest = Long.MIN_VALUE;

    Manifest manifest() {
      return decider == null ? null : decider.manifest;
    }

    long highestSerial() {
      long current = keyset == null ? 1 : keyset.serialEpoch;
      return decider != null && epoch >= current ? decider.manifest.serial : 0;
    }

    InForce copy() {
      InForce copy = new InForce();
      copy.decider = decider;
      copy.source = source;
      copy.epoch = epoch;
      copy.isShipped = isShipped;
      copy.keyset = keyset;
      copy.isEndorsed = isEndorsed;
      return copy;
    }

    /** What only revoked signers say about the time doesn't count: they could put an end to all updates. */
    InForce settled() {
      earliest = keyset == null ? Long.MIN_VALUE : keyset.issued;
      if (decider != null && isEndorsed) earliest = Math.max(earliest, decider.manifest.issued);
      return this;
    }
  }

  final PinStoreSettings settings;
  final PlatformTrust trust;
  volatile InForce inForce;
  final RecentChains recent = new RecentChains();
  final OpenConnections connections = new OpenConnections();
  private final StoreWriter writer;
  private final StoreUpdates updates;
  private final List<Problem> problems;
  final List<ActivationListener> activationListeners = new CopyOnWriteArrayList<>();

  private PinStore(PinStoreSettings given) throws PintleException {
    // What the caller changes afterwards has no effect.
    settings = given.copy();
    trust = settings.trust == null ? PlatformTrust.system() : settings.trust;
    Keyset shipped = settings.shippedKeyset();
    List<Problem> found = new ArrayList<>();
    writer = new StoreWriter(this, shipped, found);
    updates = new StoreUpdates(this, writer);
    problems = Collections.unmodifiableList(found);
  }

  /**
   * Opens a store: takes the stored manifest, or else the embedded one, or else none.
   *
   * @param settings whose manifests are taken, where they are kept, and what holds without one
   * @return the store
   * @throws PintleException if the keyset or the signers of the settings can't be used: nothing else says who may sign
   */
  public static PinStore open(PinStoreSettings settings) throws PintleException {
    return new PinStore(settings);
  }

  /** {@return the version of this library, which is that of libpintle and of {@code pintle --version}} */
  public static String version() {
    return "0.1.0";
  }

  /** {@return what was found wrong with the stored state or the embedded manifest} */
  public List<Problem> problems() {
    return problems;
  }

  /**
   * Takes a newer manifest: verified, newer, fresh, not stopped by the activation guard, and on disk before it is in force.
   *
   * @param file the whole file as it came; nothing of it is believed before its signatures are verified
   * @return whether it took effect
   * @throws PintleException with a code of docs/updates.md; what was in force stays in force
   */
  public Result update(byte[] file) throws PintleException {
    return updates.update(file.clone());
  }

  /**
   * Takes a newer manifest from a file, as {@link #update(byte[])} does.
   *
   * @param file the whole file, or its place
   * @return whether it took effect
   * @throws PintleException with a code of docs/updates.md; what was in force stays in force
   */
  public Result updateFile(File file) throws PintleException {
    return update(read(file, settings.maximumBytes));
  }

  /**
   * Takes the next version of the keyset.
   *
   * @param file the whole file as it came
   * @return whether it took effect
   * @throws PintleException with a code of docs/updates.md, or {@code unsupported-signer} if this platform lacks the
   *     algorithm of one of its keys; the keyset that was trusted stays trusted
   */
  public Result updateKeyset(byte[] file) throws PintleException {
    return updates.updateKeyset(file.clone());
  }

  /**
   * Takes all newer keysets of a folder, {@code N.keyset.json}, one after the other, at most 256.
   *
   * @param folder where they are
   * @return whether one was taken
   * @throws PintleException with a code of docs/updates.md; what was in force stays in force
   */
  public Result updateKeysetFolder(File folder) throws PintleException {
    if (inForce.keyset == null) throw StoreWriter.noKeyset();
    Result result = Result.UNCHANGED;
    for (int i = 0; i < 256; i++) {
      long version = inForce.keyset.version;
      File file = new File(folder, (version + 1) + ".keyset.json");
      if (!file.exists()) break;
      updateKeyset(read(file, Keyset.MAXIMUM_BYTES));
      if (inForce.keyset.version == version) {
        throw new PintleException("older-version", "'" + file + "' holds the keyset of version " + version
            + ", which is trusted already");
      }
      result = Result.ACTIVATED;
    }
    return result;
  }

  private static byte[] read(File file, int limit) throws PintleException {
    try {
      return SafeFolder.read(file.toPath(), limit);
    } catch (IOException | RuntimeException e) {
      throw new PintleException("unreadable-file", "can't read " + SafeFolder.problem(e), e);
    }
  }

  /**
   * Takes what another process has stored in the same folder, and repairs files there: call it every few minutes.
   *
   * @throws PintleException with a code of docs/updates.md; what was in force stays in force
   */
  public void maintain() throws PintleException {
    writer.maintain();
  }

  /**
   * Has a listener called whenever another manifest or keyset takes effect.
   *
   * @param listener who is called
   */
  public void addActivationListener(ActivationListener listener) {
    activationListeners.add(listener);
  }

  /**
   * Ends what {@link #addActivationListener} began.
   *
   * @param listener who is called
   */
  public void removeActivationListener(ActivationListener listener) {
    activationListeners.remove(listener);
  }

  void tellActivated(boolean isOtherManifest) {
    if (isOtherManifest) connections.endRefused(this);
    Listeners.call(activationListeners, new Listeners.Call<ActivationListener>() {
      @Override
      public void on(ActivationListener listener) {
        listener.activated(PinStore.this);
      }
    });
  }

  /** The store's time: the wall clock, but never before the newest verified issue time. */
  long now(InForce state) {
    return Math.max(settings.clock.now(), state.earliest);
  }

  // Asking

  /**
   * Evaluates trust in what the other side presented and decides, by the manifest in force and at the store's time.
   *
   * @param handshake what the transport knows about the other side
   * @param platformValidates whether the transport validates certificates itself, besides asking. If it doesn't, a host
   *     that isn't pinned is evaluated here, too
   * @return the decision
   */
  public Decision evaluate(Handshake handshake, boolean platformValidates) {
    return evaluate(handshake, !platformValidates, null);
  }

  /** The platform's own validation, which must accept as well. */
  interface PlatformCheck {
    void check(Decision decision) throws CertificateException;
  }

  Decision evaluate(final Handshake handshake, boolean isReplaced, PlatformCheck check) {
    InForce state = inForce;
    long at = now(state);
    final Decision decision = state.decider == null
        ? withoutManifest(handshake, at, isReplaced) : state.decider.decide(handshake, at, isReplaced);
    if (check != null && !decision.isBlocked()) {
      try {
        check.check(decision);
      } catch (CertificateException | RuntimeException e) {
        reject(decision, e);
      }
    }
    if (decision.hasMatched() && settings.replaysRecentChains) recent.record(handshake, isReplaced, at);
    Listeners.call(settings.listeners, new Listeners.Call<PinStoreSettings.DecisionListener>() {
      @Override
      public void on(PinStoreSettings.DecisionListener listener) {
        listener.decided(handshake, decision);
      }
    });
    return decision;
  }

  /** For a pinned host, the platform's validation is a part of trust evaluation: step 2. */
  private static void reject(Decision decision, Exception e) {
    decision.matches.clear();
    decision.chain = null;
    decision.failures = Collections.singletonList(new TrustFailure("other", "the platform rejects the chain: " + e.getMessage()));
    if (decision.verdict == Decision.Verdict.NOT_PINNED) {
      decision.wasReplaced = true;
    } else {
      decision.event("untrusted").answer(Decision.Verdict.BLOCK, "untrusted", 2);
    }
  }

  private Decision withoutManifest(Handshake handshake, long at, boolean isReplaced) {
    Decision decision = new Decision().event("no-manifest");
    decision.at = at;
    if (settings.withoutManifest == PinStoreSettings.WithoutManifest.BLOCK) {
      return decision.answer(Decision.Verdict.BLOCK, "no-manifest", 1);
    }
    decision.answer(Decision.Verdict.NOT_PINNED, "no-manifest", 1);
    return isReplaced ? Decider.unpinned(decision, handshake, trust.lazily()) : decision;
  }

  /** {@return the state of the store, for health checks and metrics} */
  public Status status() {
    InForce state = inForce;
    return new Status(state, now(state));
  }
}

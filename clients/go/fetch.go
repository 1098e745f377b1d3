//go:build cgo

package pintle

import (
	"context"
	crypto "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The limits of docs/keyset-format.md, and those of docs/updates.md.
const (
	keysetBytes   = 65_536
	mostVersions  = 256
	mostRedirects = 3
	headerBytes   = 64 << 10
)

// Attempt is a URL that was tried. Result is "activated", "unchanged", "not-modified" or "rejected", of keysets also
// "none", "taken" and "repeated", or the code of what failed, such as "connection".
type Attempt struct{ URL, Result, Message string }

// Round is what came of one round.
type Round struct {
	Manifests, Keysets []Attempt
	// Patience is the time until the first server that sent Retry-After may be asked again.
	Patience time.Duration
	// Maintenance is the error of Run's last call of Store.Maintain, such as a state that can't be written; nil if it
	// succeeded. It isn't a part of Outcome.
	Maintenance error
}

// Outcome is "activated", "unchanged", or "failed" if no URL had a manifest to take: then what was in force stays.
func (r Round) Outcome() string {
	outcome := "failed"
	for _, attempt := range r.Manifests {
		switch attempt.Result {
		case "activated":
			return "activated"
		case "unchanged", "not-modified":
			outcome = "unchanged"
		}
	}
	return outcome
}

// source is a URL, and what is remembered of its server.
type source struct {
	place    string
	patience patience
	// What saves a transfer, and of which release it was taken.
	tags   http.Header
	tagged release
}

// Fetcher brings newer keysets and manifests from URLs into a store. The connection isn't pinned by the manifest that
// it fetches, but verified in the usual way: otherwise a wrong pin could never be corrected (docs/updates.md#fetching).
type Fetcher struct {
	store              *Store
	settings           FetchSettings
	client             http.Client
	manifests, keysets []*source
	oneRound           sync.Mutex
	size               int64 // of the manifest in force, as it came
	sized              release
	requested          chan struct{}
}

var errRedirect = errors.New("redirects are followed three times, and only on the same scheme, host and port")

// NewFetcher checks the settings. It fetches nothing yet.
func NewFetcher(store *Store, settings FetchSettings) (*Fetcher, error) {
	if err := settings.complete(); err != nil {
		return nil, err
	}
	f := &Fetcher{store: store, settings: settings, requested: make(chan struct{}, 1)}
	for _, place := range settings.URLs {
		f.manifests = append(f.manifests, &source{place: place})
		if err := checkURL(place, settings.AllowHTTP); err != nil {
			return nil, err
		}
	}
	for _, place := range settings.KeysetURLs {
		f.keysets = append(f.keysets, &source{place: place})
		_, after, _ := strings.Cut(place, "://")
		authority, _, _ := strings.Cut(after, "/")
		if strings.Count(place, "{version}") != 1 || strings.Contains(authority, "{version}") {
			return nil, errors.New("pintle: each of KeysetURLs needs exactly one {version}, in its path or query")
		}
		if err := checkURL(versioned(place, 1), settings.AllowHTTP); err != nil {
			return nil, err
		}
	}
	if len(f.manifests) == 0 {
		return nil, errors.New("pintle: FetchSettings.URLs names no URL")
	}
	if len(f.keysets) > 0 && store.Status().KeysetVersion == 0 {
		return nil, errors.New("pintle: KeysetURLs need a store that was opened with a keyset")
	}
	f.client.Transport = &http.Transport{
		TLSClientConfig: settings.TLS.Clone(), MaxResponseHeaderBytes: headerBytes, DisableKeepAlives: true,
	}
	f.client.CheckRedirect = func(next *http.Request, before []*http.Request) error {
		if first := before[0].URL; len(before) > mostRedirects || next.URL.Scheme != first.Scheme ||
			next.URL.Host != first.Host || next.URL.User != nil {
			return errRedirect
		}
		return nil
	}
	return f, nil
}

func versioned(template string, version int64) string {
	return strings.Replace(template, "{version}", strconv.FormatInt(version, 10), 1)
}

// checkURL doesn't repeat the URL, which may have a secret.
func checkURL(text string, allowsHTTP bool) error {
	place, err := url.Parse(text)
	switch {
	case err != nil || strings.ContainsAny(text, " \t\r\n"):
		return errors.New("pintle: a URL can't be read; escape special characters")
	case place.Scheme != "https" && !(allowsHTTP && place.Scheme == "http"):
		return errors.New("pintle: a URL must begin with https://, or with http:// if AllowHTTP is set")
	case place.Hostname() == "" || place.User != nil || place.Fragment != "":
		return errors.New("pintle: a URL must have a host, and no user name or fragment")
	}
	return nil
}

// shown is a URL for the log: a query may have a secret.
func shown(text string) string {
	before, _, _ := strings.Cut(text, "?")
	return before
}

// Run fetches until the context is done: at the latest at refresh-after of the manifest in force, and calls
// Store.Maintain meanwhile. Call it in a goroutine.
func (f *Fetcher) Run(ctx context.Context) {
	var seed [8]byte
	crypto.Read(seed[:])
	chance := rand.New(rand.NewSource(int64(binary.LittleEndian.Uint64(seed[:])))).Float64
	plan := schedule{settings: &f.settings}
	wait := plan.first(f.store.Status().Freshness == "fresh", chance())
	var maintenance error
	housekeeping := time.NewTicker(f.settings.Housekeeping)
	defer housekeeping.Stop()
	for {
		wasRequested, ok := f.sleep(ctx, wait, housekeeping.C, &maintenance)
		if !ok {
			return
		}
		done := f.round(ctx, true)
		done.Maintenance = maintenance
		if ctx.Err() != nil {
			return
		}
		status, untilDue := f.store.Status(), time.Duration(0)
		if status.Serial != 0 && !status.IsKeysetExpired && status.IsEndorsed {
			untilDue = time.Duration(status.RefreshAfter-status.Now) * time.Second
		}
		wait = plan.delay(done.Outcome() == "failed", wasRequested, done.Patience, untilDue, chance())
		if f.settings.OnRound != nil {
			f.settings.OnRound(done)
		}
		if wasRequested { // requests that come at once are answered by one round a second
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

// sleep is until the wait is over or a round was requested; false if the context is done.
func (f *Fetcher) sleep(
	ctx context.Context, wait time.Duration, housekeeping <-chan time.Time, maintenance *error,
) (requested, ok bool) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, false
		case <-timer.C:
			return false, true
		case <-f.requested:
			return true, true
		case <-housekeeping:
			*maintenance = f.store.Maintain() // what it couldn't write, it tries again
		}
	}
}

// FetchNow asks Run for a round at once, in an emergency. Servers that sent Retry-After aren't asked before.
func (f *Fetcher) FetchNow() {
	select {
	case f.requested <- struct{}{}:
	default: // requested already
	}
}

// Fetch makes one round: all mirrors of keysets, then the URLs of the manifest until one has something fresh. Servers
// that sent Retry-After are asked too: only Run waits for them.
func (f *Fetcher) Fetch(ctx context.Context) Round { return f.round(ctx, false) }

func (f *Fetcher) round(ctx context.Context, heeds bool) (done Round) {
	f.oneRound.Lock()
	defer f.oneRound.Unlock()
	for _, mirror := range f.keysets {
		done.Keysets = append(done.Keysets, f.walk(ctx, mirror, heeds)...)
	}
	fewest := int64(-1)
urls:
	for _, from := range f.manifests {
		attempt := f.manifest(ctx, from, heeds)
		done.Manifests = append(done.Manifests, attempt)
		// From refresh-after on, all URLs are tried, since one without anything newer may be an old copy.
		switch attempt.Result {
		case "activated", "unchanged", "not-modified":
			if f.isSettled() {
				break urls
			}
		}
	}
	for _, from := range f.manifests {
		if left := from.patience.left(f.store.Status().Now); fewest < 0 || left < fewest {
			fewest = left
		}
	}
	done.Patience = time.Duration(fewest) * time.Second
	return done
}

// isSettled says whether nothing is missing; otherwise nothing that a server says may save a transfer.
func (f *Fetcher) isSettled() bool {
	status := f.store.Status()
	return status.Freshness == "fresh" && status.IsEndorsed && !status.IsKeysetExpired &&
		status.Serial <= status.HighestSerial
}

// failed is why nothing that could be a file arrived.
type failed struct{ code, message string }

func (e *failed) Error() string { return e.message }

// tell makes an attempt of an error; what comes from a server is made printable.
func tell(place string, err error) Attempt {
	var reason *failed
	var rejected *Error
	attempt := Attempt{shown(place), "connection", err.Error()}
	if errors.As(err, &reason) {
		attempt.Result = reason.code
	} else if errors.As(err, &rejected) {
		attempt.Result = "rejected"
	}
	attempt.Message = strings.Map(func(letter rune) rune {
		if strconv.IsPrint(letter) {
			return letter
		}
		return '\uFFFD'
	}, fmt.Sprintf("%.1000s", attempt.Message))
	return attempt
}

// get is one bounded GET; a response without a body unless its status is 200.
func (f *Fetcher) get(
	ctx context.Context, from *source, place string, tags http.Header, limit int64, heeds bool,
) (*http.Response, []byte, error) {
	if left := from.patience.left(f.store.Status().Now); left > 0 && heeds {
		return nil, nil, &failed{"waiting", fmt.Sprintf("the server asked to be left alone for another %d s", left)}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return nil, nil, &failed{"connection", "the URL can't be read"}
	}
	for name, values := range tags {
		request.Header[name] = values
	}
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("User-Agent", "pintle-go")
	response, err := f.client.Do(request)
	if err != nil {
		return nil, nil, whyNot(ctx, err)
	}
	defer response.Body.Close()
	status := f.store.Status()
	most := f.settings.LongestRetryAfter
	if status.Serial == 0 { // a client that can't decide asks sooner
		most = least(most, f.settings.LongestRetry)
	}
	from.patience.heed(response.StatusCode, response.Header, status.Now, most)
	switch code := response.StatusCode; {
	case code >= 300 && code < 400 && code != http.StatusNotModified:
		return nil, nil, &failed{"redirect", "the redirect can't be followed"}
	case code != http.StatusOK:
		return response, nil, nil
	case !strings.EqualFold(or(response.Header.Get("Content-Encoding"), "identity"), "identity"):
		return nil, nil, &failed{"encoded", "the response has a content encoding"}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, nil, whyNot(ctx, err)
	}
	if int64(len(body)) > limit {
		return nil, nil, &failed{"too-large", fmt.Sprintf("the file has more than %d bytes; that is the limit", limit)}
	}
	return response, body, nil
}

func whyNot(ctx context.Context, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the URL
	}
	switch {
	case errors.Is(err, errRedirect):
		return &failed{"redirect", err.Error()}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &failed{"timeout", "the response did not arrive in time"}
	case ctx.Err() != nil:
		return &failed{"cancelled", "the fetcher stops"}
	}
	return &failed{"connection", err.Error()}
}

func (f *Fetcher) manifest(ctx context.Context, from *source, heeds bool) Attempt {
	ctx, cancel := context.WithTimeout(ctx, f.settings.Deadline)
	defer cancel()
	before, size := f.store.release(), int64(0)
	var tags http.Header
	if from.tagged == before && f.isSettled() {
		tags = from.tags
	}
	if f.sized == before {
		size = f.size
	}
	response, body, err := f.get(ctx, from, from.place, tags, f.settings.downloadLimit(size), heeds)
	if err == nil && response.StatusCode == http.StatusNotModified {
		if len(tags) > 0 {
			return Attempt{shown(from.place), "not-modified", ""}
		}
		from.tags = nil
		err = &failed{"unexpected-not-modified", "status 304 (Not Modified), although the whole file was requested"}
	} else if err == nil && response.StatusCode != http.StatusOK {
		err = &failed{"status", fmt.Sprintf("the server responded with status %d", response.StatusCode)}
	}
	if err != nil {
		return tell(from.place, err)
	}
	from.tags = nil
	isNew, err := f.store.Update(body)
	if err != nil {
		return tell(from.place, err)
	}
	from.tags, from.tagged = http.Header{}, f.store.release()
	for name, tag := range map[string]string{"If-None-Match": "Etag", "If-Modified-Since": "Last-Modified"} {
		if value := response.Header.Get(tag); value != "" {
			from.tags.Set(name, value)
		}
	}
	f.size, f.sized = int64(len(body)), from.tagged
	return Attempt{shown(from.place), map[bool]string{true: "activated", false: "unchanged"}[isNew], ""}
}

// walk takes one version after the other from a mirror, until it has no more or sends anything else.
func (f *Fetcher) walk(ctx context.Context, mirror *source, heeds bool) (attempts []Attempt) {
	ctx, cancel := context.WithTimeout(ctx, f.settings.Deadline)
	defer cancel()
	for len(attempts) < mostVersions {
		attempt := f.keyset(ctx, mirror, f.store.Status().KeysetVersion+1, heeds)
		attempts = append(attempts, attempt)
		if attempt.Result != "activated" && attempt.Result != "taken" {
			break
		}
	}
	return attempts
}

func (f *Fetcher) keyset(ctx context.Context, mirror *source, version int64, heeds bool) Attempt {
	place := versioned(mirror.place, version)
	response, body, err := f.get(ctx, mirror, place, nil, keysetBytes, heeds)
	if err != nil {
		return tell(place, err)
	}
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return Attempt{shown(place), "none", ""}
	default:
		return tell(place, &failed{"status", fmt.Sprintf("the server responded with status %d", response.StatusCode)})
	}
	isNew, err := f.store.UpdateKeyset(body)
	var rejected *Error
	isReached := f.store.Status().KeysetVersion >= version
	if err != nil && !(isReached && errors.As(err, &rejected) && rejected.Code == "older-version") {
		return tell(place, err)
	}
	if isNew {
		return Attempt{shown(place), "activated", ""}
	}
	// Another goroutine or process took it first, or the mirror sent the one in force again.
	return Attempt{shown(place), map[bool]string{true: "taken", false: "repeated"}[isReached], ""}
}

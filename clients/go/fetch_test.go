package pintle

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// mirror answers each request with the next of its answers for the path, the last again and again; 404 for others.
type mirror struct {
	*httptest.Server
	mutex   sync.Mutex
	answers map[string][]http.HandlerFunc
	heads   []http.Header
}

func respond(status int, body []byte, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for index := 0; index < len(header); index += 2 {
			w.Header().Set(header[index], header[index+1])
		}
		w.WriteHeader(status)
		w.Write(body)
	}
}

func serveMirror(t *testing.T, answers map[string][]http.HandlerFunc) *mirror {
	m := &mirror{answers: answers}
	m.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mutex.Lock()
		m.heads = append(m.heads, r.Header)
		given := m.answers[strings.TrimPrefix(r.URL.Path, "/")]
		if len(given) > 1 {
			m.answers[strings.TrimPrefix(r.URL.Path, "/")] = given[1:]
		}
		m.mutex.Unlock()
		if len(given) == 0 {
			http.NotFound(w, r)
			return
		}
		given[0](w, r)
	}))
	t.Cleanup(m.Close)
	return m
}

func serveManifests(t *testing.T, answers ...http.HandlerFunc) *mirror {
	m := serveMirror(t, map[string][]http.HandlerFunc{"manifest": answers})
	m.Start()
	return m
}

func (m *mirror) requests() []http.Header {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.heads
}

func newFetcher(t *testing.T, store *Store, settings FetchSettings) *Fetcher {
	t.Helper()
	settings.AllowHTTP = true
	fetcher, err := NewFetcher(store, settings)
	if err != nil {
		t.Fatal(err)
	}
	return fetcher
}

func results(attempts []Attempt) string {
	var found []string
	for _, attempt := range attempts {
		found = append(found, attempt.Result)
	}
	return strings.Join(found, " ")
}

// The manifest in force blocks the server that a manifest comes from.
func TestFetchIsNotPinnedByWhatItFetches(t *testing.T) {
	pair, err := tls.X509KeyPair(read(t, "127.0.0.1/chain.pem"), read(t, "127.0.0.1/key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	web := serveMirror(t, map[string][]http.HandlerFunc{"manifest": {
		respond(200, read(t, "newer.json"), "ETag", `"2"`), respond(304, nil)}})
	web.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	web.StartTLS()
	store := openStore(t, Settings{Embedded: read(t, "newer.json")})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(read(t, "root.pem"))
	place := web.URL + "/manifest"
	_, err = store.Dial(context.Background(), "tcp", web.Listener.Addr().String(), nil)
	if !errors.As(err, new(*Refused)) {
		t.Fatal("the test itself: ", err)
	}
	fetcher := newFetcher(t, store, FetchSettings{URLs: []string{place}, TLS: &tls.Config{RootCAs: roots}})
	if done := fetcher.Fetch(context.Background()); results(done.Manifests) != "unchanged" {
		t.Fatal(done)
	}
	done := fetcher.Fetch(context.Background())
	if results(done.Manifests) != "not-modified" || done.Outcome() != "unchanged" {
		t.Error(done)
	}
	heads := web.requests()
	if len(heads) != 2 || heads[0].Get("If-None-Match") != "" || heads[1].Get("If-None-Match") != `"2"` ||
		heads[1].Get("Accept-Encoding") != "identity" {
		t.Error(heads)
	}
	// But the server must be verified: by the system's anchors this one isn't.
	done = newFetcher(t, store, FetchSettings{URLs: []string{place}}).Fetch(context.Background())
	if results(done.Manifests) != "connection" {
		t.Error(done)
	}
}

func TestHostileServers(t *testing.T) {
	newer := respond(200, read(t, "newer.json"))
	silent := make(chan struct{})
	defer close(silent)
	for result, given := range map[string]http.HandlerFunc{
		"status": respond(500, nil), "rejected": respond(200, []byte("{}")), "unexpected-not-modified": respond(304, nil),
		"encoded": respond(200, []byte("x"), "Content-Encoding", "gzip"),
		"too-large": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				w.Write(make([]byte, 65536))
			}
		},
		"timeout": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			select {
			case <-silent:
			case <-r.Context().Done():
			}
		},
		"connection": func(w http.ResponseWriter, _ *http.Request) {
			connection, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(connection, "SSH-2.0-x\x1b[2J\r\n")
			connection.Close()
		},
		"redirect": respond(302, nil, "Location", "http://127.0.0.1:1/manifest"),
	} {
		hostile, honest := serveManifests(t, given), serveManifests(t, newer)
		settings := FetchSettings{
			URLs: []string{hostile.URL + "/manifest?key=secret", honest.URL + "/manifest"}, MaximumBytes: 1 << 20}
		if result == "timeout" {
			settings.Deadline = 500 * time.Millisecond
		}
		store := openStore(t, Settings{Embedded: read(t, "manifest.json"), SkipRecentChains: true})
		done := newFetcher(t, store, settings).Fetch(context.Background())
		if results(done.Manifests) != result+" activated" || store.Status().Serial != 2 {
			t.Error(result, ": ", done)
		}
		if text := fmt.Sprint(done); strings.Contains(text, "secret") || strings.ContainsAny(text, "\x1b\r\n") {
			t.Errorf("%s: %q", result, text)
		}
	}
	large := serveManifests(t, respond(200, read(t, "newer.json"), "X", strings.Repeat("x", 200_000)))
	settings := FetchSettings{URLs: []string{large.URL + "/manifest"}}
	fetcher := newFetcher(t, openStore(t, Settings{}), settings)
	if done := fetcher.Fetch(context.Background()); results(done.Manifests) != "connection" {
		t.Error("large header: ", done)
	}
	if attempt := tell("", errors.New("a\x1b\n")); attempt.Message != "a\uFFFD\uFFFD" {
		t.Errorf("%q", attempt.Message)
	}
	// At most three redirects, and only where the URL is.
	store := openStore(t, Settings{Embedded: read(t, "manifest.json"), SkipRecentChains: true})
	around := serveManifests(t, respond(301, nil, "Location", "/manifest"))
	done := newFetcher(t, store, FetchSettings{URLs: []string{around.URL + "/manifest"}}).Fetch(context.Background())
	if results(done.Manifests) != "redirect" || len(around.requests()) != 4 {
		t.Error(done, len(around.requests()))
	}
	moved := serveMirror(t, map[string][]http.HandlerFunc{
		"manifest": {respond(307, nil, "Location", "/there?x=1")}, "there": {newer}})
	moved.Start()
	done = newFetcher(t, store, FetchSettings{URLs: []string{moved.URL + "/manifest"}}).Fetch(context.Background())
	if results(done.Manifests) != "activated" {
		t.Error(done)
	}
}

// Tags aren't sent for a release that isn't in force any more, and all URLs are tried if something is missing.
func TestTagsAndMirrors(t *testing.T) {
	web := serveManifests(t, respond(200, read(t, "manifest.json"), "ETag", `"1"`))
	place := web.URL + "/manifest"
	for wanted, now := range map[string]time.Time{
		"activated":           time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		"activated unchanged": time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC), // after refresh-after
	} {
		now := now
		store := openStore(t, Settings{Clock: func() time.Time { return now }, SkipRecentChains: true})
		fetcher := newFetcher(t, store, FetchSettings{URLs: []string{place, place}})
		if done := fetcher.Fetch(context.Background()); results(done.Manifests) != wanted {
			t.Error(done)
		}
		if wanted != "activated" {
			if done := fetcher.Fetch(context.Background()); results(done.Manifests) != "unchanged unchanged" {
				t.Error(done)
			}
		}
		if _, err := store.Update(read(t, "newer.json")); err != nil {
			t.Fatal(err)
		}
		fetcher.Fetch(context.Background())
	}
	for _, head := range web.requests() {
		if head.Get("If-None-Match") != "" {
			t.Error(head)
		}
	}
}

func TestPatience(t *testing.T) {
	now := time.Unix(1795305600, 0)
	store := openStore(t, Settings{Clock: func() time.Time { return now }, SkipRecentChains: true})
	busy := respond(503, nil, "Retry-After", "100")
	web := serveManifests(t, busy, busy, respond(200, read(t, "manifest.json")), respond(200, read(t, "newer.json")))
	fetcher := newFetcher(t, store, FetchSettings{URLs: []string{web.URL + "/manifest"}})
	for index, step := range []struct {
		after    time.Duration
		heeds    bool
		result   string
		patience time.Duration
	}{
		{0, false, "status", 100 * time.Second}, {50 * time.Second, true, "waiting", 50 * time.Second},
		{0, false, "status", 100 * time.Second}, {99 * time.Second, true, "waiting", time.Second},
		{0, false, "activated", time.Second}, {time.Second, true, "activated", 0},
	} {
		now = now.Add(step.after)
		done := fetcher.round(context.Background(), step.heeds)
		if results(done.Manifests) != step.result || done.Patience != step.patience {
			t.Error(index, done)
		}
	}
	if len(web.requests()) != 4 {
		t.Error(len(web.requests()))
	}
	for embedded, most := range map[string]time.Duration{"": 15 * time.Minute, "manifest.json": time.Hour} {
		settings := Settings{}
		if embedded != "" {
			settings.Embedded = read(t, embedded)
		}
		web := serveManifests(t, respond(429, nil, "Retry-After", "99999"))
		fetcher := newFetcher(t, openStore(t, settings), FetchSettings{URLs: []string{web.URL + "/manifest"}})
		if done := fetcher.Fetch(context.Background()); done.Patience != most {
			t.Error(done)
		}
	}
	for text, seconds := range map[string]int64{"7": 7, "99999": 3600, "x": 0, "-1": 0, strings.Repeat("1", 30): 0, "": 0,
		"Fri, 27 Nov 2026 00:00:30 GMT": 30, "Thu, 26 Nov 2026 00:00:00 GMT": 0} {
		var it patience
		const moment = 1795737600
		it.heed(503, http.Header{"Retry-After": {text}}, moment, time.Hour)
		it.heed(500, http.Header{"Retry-After": {"9"}}, moment, time.Hour)
		if it.left(moment) != seconds || it.left(moment-1) != 0 {
			t.Error(text, it)
		}
	}
}

func TestKeysetsFirst(t *testing.T) {
	keysets := contents(readVectors(t, vectors+"/keyset-rotation.json").Keysets)
	var files [][]byte
	for _, name := range []string{"1-of-1-v1-by-1", "1-of-2-v2-by-12", "1-of-2-v3-by-2"} {
		files = append(files, choose(keysets, "keyset-rotation-roots-"+name+".json"))
	}
	open := func(keyset []byte) *Store {
		store, err := Open(Settings{
			Keyset: keyset, Audience: "vectors",
			Clock: func() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		return store
	}
	serve := func(answers map[string][]http.HandlerFunc) string {
		m := serveMirror(t, answers)
		m.Start()
		return m.URL + "/{version}.keyset.json"
	}
	large := respond(200, make([]byte, 70000))
	hiding := serve(nil)
	wrong := serve(map[string][]http.HandlerFunc{"2.keyset.json": {respond(200, files[0])}, "3.keyset.json": {large}})
	honest := serve(map[string][]http.HandlerFunc{
		"2.keyset.json": {respond(200, files[1])}, "3.keyset.json": {respond(200, files[2])}})
	manifests := serveManifests(t, respond(410, nil))
	for _, row := range []struct {
		first   []byte
		mirrors []string
		wanted  string
		version int64
	}{
		{files[0], []string{hiding, wrong, honest, wrong}, "none repeated activated activated none none", 3},
		{files[1], []string{wrong, honest}, "too-large activated none", 3},
	} {
		store := open(row.first)
		done := newFetcher(t, store, FetchSettings{
			URLs: []string{manifests.URL + "/manifest"}, KeysetURLs: row.mirrors}).Fetch(context.Background())
		if results(done.Keysets) != row.wanted || results(done.Manifests) != "status" || done.Outcome() != "failed" {
			t.Error(done)
		}
		if version := store.Status().KeysetVersion; version != row.version {
			t.Error(version)
		}
	}
}

func TestRun(t *testing.T) {
	web := serveManifests(t, respond(200, read(t, "manifest.json")))
	folder := t.TempDir()
	store := openStore(t, Settings{SkipRecentChains: true, Directory: folder})
	rounds := make(chan Round, 2)
	fetcher := newFetcher(t, store, FetchSettings{
		URLs: []string{web.URL + "/manifest"}, OnRound: func(done Round) { rounds <- done },
		Housekeeping: 10 * time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); fetcher.Run(ctx) }()
	for index, outcome := range []string{"activated", "unchanged"} {
		if index == 1 {
			fetcher.FetchNow()
		}
		if done := <-rounds; done.Outcome() != outcome || store.Status().Serial != 1 {
			t.Error(done, store.Status())
		}
	}
	// What another process has stored is taken between rounds.
	other := openStore(t, Settings{Directory: folder, SkipRecentChains: true})
	if _, err := other.Update(read(t, "newer.json")); err != nil {
		t.Fatal(err)
	}
	for store.Status().Serial != 2 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-ended
}

// The next round says that a state can't be written.
func TestRunTellsOfMaintenance(t *testing.T) {
	web := serveManifests(t, respond(200, read(t, "manifest.json")))
	folder := t.TempDir()
	store := openStore(t, Settings{Directory: folder})
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	told := make(chan error, 1)
	fetcher := newFetcher(t, store, FetchSettings{
		URLs: []string{web.URL + "/manifest"}, Housekeeping: time.Millisecond,
		FirstRetry: 10 * time.Millisecond, LongestRetry: 10 * time.Millisecond,
		OnRound: func(done Round) {
			if done.Maintenance != nil {
				told <- done.Maintenance
				cancel()
			}
		}})
	fetcher.Run(ctx)
	var reason *Error
	if err := <-told; !errors.As(err, &reason) || reason.Code != "not-stored" {
		t.Error(err)
	}
}

// A context that is done ends the request under way.
func TestRunStopsInTheMidstOfARequest(t *testing.T) {
	asked := make(chan struct{})
	web := serveManifests(t, func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	})
	settings := FetchSettings{URLs: []string{web.URL + "/manifest"}, Deadline: time.Hour}
	fetcher := newFetcher(t, openStore(t, Settings{}), settings)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); fetcher.Run(ctx) }()
	<-asked
	cancel()
	<-ended
}

func TestFetchSettings(t *testing.T) {
	store := openStore(t, Settings{})
	good := []string{"https://pins.example.com/manifest.json"}
	for index, settings := range []FetchSettings{
		{}, {URLs: []string{"http://pins.example.com/"}}, {URLs: []string{"ftp://x/"}},
		{URLs: []string{"https://user@pins.example.com/"}},
		{URLs: []string{"https://pins.example.com/ x"}}, {URLs: []string{"https:///x"}}, {URLs: []string{"https://x/#y"}},
		{URLs: good, KeysetURLs: []string{"https://pins.example.com/{version}.json"}},
		{URLs: good, KeysetURLs: []string{"https://{version}.example.com/"}},
		{URLs: good, KeysetURLs: []string{"https://pins.example.com/1.json"}},
		{URLs: good, Interval: -1}, {URLs: good, JitterPercent: 101}, {URLs: good, MaximumBytes: -1},
		{URLs: good, TLS: &tls.Config{InsecureSkipVerify: true}},
	} {
		if _, err := NewFetcher(store, settings); err == nil || !strings.HasPrefix(err.Error(), "pintle: ") {
			t.Error(index, err)
		}
	}
}

func TestDelays(t *testing.T) {
	settings := FetchSettings{}
	if err := settings.complete(); err != nil {
		t.Fatal(err)
	}
	plan := schedule{settings: &settings}
	const second = time.Second
	found := []time.Duration{
		plan.first(false, 0.5), plan.first(true, 0.5),
		plan.delay(false, false, 0, 10_000*second, 0.25), // anywhere in the interval
		plan.delay(false, false, 0, 10_000*second, 0.5), plan.delay(false, true, 0, 10_000*second, 0.25),
		plan.delay(false, false, 0, 1_000*second, 0), plan.delay(false, false, 0, -5*second, 0.5),
	}
	for range [9]int{} {
		found = append(found, plan.delay(true, false, 0, 0, 0))
	}
	found = append(found, plan.delay(true, true, 700*second, 0, 0), plan.delay(true, true, 700*second, 0, 0.5))
	plan.delay(false, false, 0, second, 0)
	found = append(found, plan.delay(true, false, 0, 0, 1))
	wanted := []time.Duration{0, 180, 900, 3780, 900, 1000, 315, 5, 10, 20, 40, 80, 160, 320, 450, 450, 700, 1050, 10}
	for index := range wanted {
		wanted[index] *= second
	}
	if !reflect.DeepEqual(found, wanted) {
		t.Error(found)
	}
	for size, limit := range map[int64]int64{0: 64 << 20, 100: 8 << 20, 3 << 20: 12 << 20, 40 << 20: 64 << 20} {
		if found := settings.downloadLimit(size); found != limit {
			t.Error(size, found)
		}
	}
}

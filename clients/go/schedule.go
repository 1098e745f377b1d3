//go:build cgo

package pintle

import (
	"crypto/tls"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"
)

// FetchSettings says where manifests and keysets are fetched from, and how often; docs/service.md describes the
// settings. What is 0 has the default that is given here.
type FetchSettings struct {
	URLs []string // of the manifest, in order of preference
	// KeysetURLs have one {version} in place of the number: https://pins.example.com/keysets/{version}.keyset.json.
	KeysetURLs               []string
	AllowHTTP                bool
	Interval, DueInterval    time.Duration // an hour, 5 minutes
	JitterPercent            int           // 10
	FirstRetry, LongestRetry time.Duration // 10 seconds, 15 minutes
	LongestRetryAfter        time.Duration // an hour
	Deadline                 time.Duration // of one URL: a minute
	DownloadGrowth           int64         // how many times as large as the manifest in force a new one may be: 4
	LeastDownloadBytes       int64         // but this many in any case: 8 MiB
	MaximumBytes             int64         // 64 MiB
	Housekeeping             time.Duration // between calls of Store.Maintain: 10 minutes
	TLS                      *tls.Config   // verifies the servers; nil: by the system's anchors
	OnRound                  func(Round)   // is called by Run after each round, for the log and metrics
}

func or[T time.Duration | int | int64 | string](value, otherwise T) T {
	var none T
	if value == none {
		return otherwise
	}
	return value
}

// complete sets the defaults.
func (s *FetchSettings) complete() error {
	s.Interval, s.DueInterval = or(s.Interval, time.Hour), or(s.DueInterval, 5*time.Minute)
	s.FirstRetry, s.LongestRetry = or(s.FirstRetry, 10*time.Second), or(s.LongestRetry, 15*time.Minute)
	s.LongestRetryAfter, s.Deadline = or(s.LongestRetryAfter, time.Hour), or(s.Deadline, time.Minute)
	s.JitterPercent, s.DownloadGrowth = or(s.JitterPercent, 10), or(s.DownloadGrowth, 4)
	s.LeastDownloadBytes, s.MaximumBytes = or(s.LeastDownloadBytes, 8<<20), or(s.MaximumBytes, 64<<20)
	s.Housekeeping = or(s.Housekeeping, 10*time.Minute)
	for _, duration := range []time.Duration{s.Interval, s.DueInterval, s.FirstRetry, s.LongestRetry,
		s.LongestRetryAfter, s.Deadline, s.Housekeeping} {
		if duration < 0 {
			return errors.New("pintle: a time of FetchSettings is below 0")
		}
	}
	if s.JitterPercent < 0 || s.JitterPercent > 100 ||
		s.DownloadGrowth < 0 || s.LeastDownloadBytes < 0 || s.MaximumBytes < 0 {
		return errors.New("pintle: JitterPercent is from 0 to 100, and no size is below 0")
	}
	if s.TLS != nil && s.TLS.InsecureSkipVerify {
		return errors.New("pintle: FetchSettings.TLS must verify servers: InsecureSkipVerify must be false")
	}
	return nil
}

// downloadLimit is the most bytes of a manifest: a multiple of the size of the one in force; 0 if that isn't known.
func (s *FetchSettings) downloadLimit(inForce int64) int64 {
	limit := s.MaximumBytes
	if inForce > 0 && inForce <= limit/s.DownloadGrowth {
		if limit = s.DownloadGrowth * inForce; limit < s.LeastDownloadBytes {
			limit = s.LeastDownloadBytes
		}
	}
	if limit > s.MaximumBytes {
		limit = s.MaximumBytes
	}
	return limit
}

// schedule says when to fetch next, with time and randomness as inputs.
type schedule struct {
	settings *FetchSettings
	failures int
	// Not after what happened to all clients of a fleet: a start, an outage, a manifest that was due, a request.
	isScattered bool
}

func share(whole time.Duration, part float64) time.Duration {
	return time.Duration(float64(whole) * part)
}

func (s *schedule) jitter(random float64) float64 {
	return float64(s.settings.JitterPercent) / 100 * random
}

// first doesn't wait without a fresh manifest; else for a part of the jitter, so that not all clients ask at once.
func (s *schedule) first(isFresh bool, random float64) time.Duration {
	if !isFresh {
		return 0
	}
	return share(s.settings.Interval, s.jitter(random))
}

func least(one, other time.Duration) time.Duration {
	if one < other {
		return one
	}
	return other
}

// delay is the wait after a round. untilDue is the time until refresh-after of the manifest in force, 0 without one.
func (s *schedule) delay(hasFailed, wasRequested bool, patience, untilDue time.Duration, random float64) time.Duration {
	var planned time.Duration
	interval := s.settings.Interval
	if hasFailed {
		wait := s.settings.LongestRetry
		if grown := float64(s.settings.FirstRetry) * math.Pow(2, float64(s.failures)); grown < float64(wait) {
			wait = time.Duration(grown)
		}
		if !wasRequested {
			s.failures, s.isScattered = s.failures+1, false
		}
		// Half of the wait is fixed and half is random, so nobody retries at once, and not all at the same time.
		planned = wait/2 + share(wait/2, random)
	} else {
		s.failures = 0
		switch {
		case untilDue <= 0:
			planned = s.settings.DueInterval + share(s.settings.DueInterval, s.jitter(random))
		case s.isScattered && !wasRequested:
			planned = least(interval, untilDue) + share(interval, s.jitter(random))
		default: // the jitter alone would need days until the fetches of such clients are spread over the interval
			planned = share(least(interval, untilDue), random)
		}
		s.isScattered = untilDue > 0
	}
	// A date in Retry-After is the same instant for all clients.
	if asked := patience + share(least(patience, s.settings.LongestRetry), random); asked > planned {
		return asked
	}
	return planned
}

// patience is until when a server asked to be left alone (RFC 9110 section 10.2.3), in seconds of the store's time.
type patience struct{ said, until int64 }

func (p patience) left(now int64) int64 {
	// An earlier time means that a clock that was ahead has been set back.
	if now < p.said || now >= p.until {
		return 0
	}
	return p.until - now
}

func (p *patience) heed(status int, header http.Header, now int64, most time.Duration) {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return
	}
	text := header.Get("Retry-After")
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		moment, err := http.ParseTime(text)
		if err != nil {
			return
		}
		seconds = moment.Unix() - now
	}
	if limit := int64(most / time.Second); seconds > limit {
		seconds = limit
	}
	if seconds < 0 {
		seconds = 0
	}
	*p = patience{now, now + seconds}
}

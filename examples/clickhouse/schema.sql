-- Tables for the lines that `pintle-collect --forward` writes (schemas/forward.schema.json).
--
-- Delivery is at least once: a line may arrive any number of times, in any order. ReplacingMergeTree keeps one row for
-- each key, and each key begins or ends with the report's digest. Of rows with one key, the first arrival counts: `age` is
-- greatest for it. Queries use FINAL, because merges happen later.
--
-- Tables are partitioned by time of arrival, never by a time that a sender claims: a sender could claim a thousand months.

CREATE DATABASE IF NOT EXISTS pintle;

-- Lines are inserted here, and kept in the tables below only.
CREATE TABLE IF NOT EXISTS pintle.lines
(
    type LowCardinality(String), received String, digest String, part UInt32, reporter String, entry String,
    fingerprint String, claimed String, format LowCardinality(String), host String, port UInt16,
    `include-subdomains` Bool, enforced Nullable(Bool), chain Array(String), `known-pins` Array(String),
    subject String, issuer String, certificates String,
    day String, serials Array(Int64), decisions Array(Int64),
    mode LowCardinality(String), successes Int64, `backup-matches` Int64, `report-only-mismatches` Int64, blocked Int64,
    `first-failure` Nullable(String), `last-failure` Nullable(String),
    `failing-keys` Array(Tuple(pin String, position String, first String, last String, connections Int64)),
    failures Array(Tuple(kind String, code String, connections Int64))
)
ENGINE = Null;

-- Reports of mismatches. Those with one fingerprint say the same.
CREATE TABLE IF NOT EXISTS pintle.mismatches
(
    host String, port UInt16, fingerprint FixedString(32), digest FixedString(32),
    received DateTime('UTC'), claimed DateTime('UTC'),
    entry String, `include-subdomains` Bool, format LowCardinality(String), enforced Nullable(Bool), reporter String,
    chain Array(String), `known-pins` Array(String), subject String, issuer String, certificates String CODEC(ZSTD(3)),
    age UInt32 MATERIALIZED 4294967295 - toUnixTimestamp(received)
)
ENGINE = ReplacingMergeTree(age)
PARTITION BY toYYYYMM(received)
ORDER BY (host, port, fingerprint, digest)
TTL received + INTERVAL 180 DAY;

CREATE MATERIALIZED VIEW IF NOT EXISTS pintle.to_mismatches TO pintle.mismatches AS
SELECT
    host, port, unhex(fingerprint)::FixedString(32) AS fingerprint, unhex(digest)::FixedString(32) AS digest,
    parseDateTimeBestEffort(received, 'UTC') AS received, parseDateTimeBestEffort(claimed, 'UTC') AS claimed,
    entry, `include-subdomains`, format, enforced, reporter, chain, `known-pins`, subject, issuer, certificates
FROM pintle.lines
WHERE type = 'mismatch';

-- Daily counts: which manifests a service decided on.
CREATE TABLE IF NOT EXISTS pintle.aggregates
(
    reporter String, day Date32, digest FixedString(32), received DateTime('UTC'),
    serials Array(Int64), decisions Array(Int64),
    age UInt32 MATERIALIZED 4294967295 - toUnixTimestamp(received)
)
ENGINE = ReplacingMergeTree(age)
PARTITION BY toYYYYMM(received)
ORDER BY (reporter, day, digest)
TTL received + INTERVAL 180 DAY;

CREATE MATERIALIZED VIEW IF NOT EXISTS pintle.to_aggregates TO pintle.aggregates AS
SELECT
    reporter, toDate32OrZero(day) AS day, unhex(digest)::FixedString(32) AS digest,
    parseDateTimeBestEffort(received, 'UTC') AS received, serials, decisions
FROM pintle.lines
WHERE type = 'aggregate';

-- Daily counts: the entries. A report with many kinds of failures of one entry has several rows of it.
CREATE TABLE IF NOT EXISTS pintle.entries
(
    entry String, mode LowCardinality(String), day Date32, digest FixedString(32), part UInt32,
    received DateTime('UTC'), reporter String,
    successes Int64, `backup-matches` Int64, `report-only-mismatches` Int64, blocked Int64,
    `first-failure` Nullable(DateTime('UTC')), `last-failure` Nullable(DateTime('UTC')),
    `failing-keys` Array(Tuple(
        pin String, position LowCardinality(String), first DateTime('UTC'), last DateTime('UTC'), connections Int64)),
    failures Array(Tuple(kind LowCardinality(String), code String, connections Int64)),
    age UInt32 MATERIALIZED 4294967295 - toUnixTimestamp(received)
)
ENGINE = ReplacingMergeTree(age)
PARTITION BY toYYYYMM(received)
ORDER BY (entry, mode, day, digest, part)
TTL received + INTERVAL 180 DAY;

CREATE MATERIALIZED VIEW IF NOT EXISTS pintle.to_entries TO pintle.entries AS
SELECT
    entry, mode, toDate32OrZero(day) AS day, unhex(digest)::FixedString(32) AS digest, part,
    parseDateTimeBestEffort(received, 'UTC') AS received, reporter,
    successes, `backup-matches`, `report-only-mismatches`, blocked,
    parseDateTimeBestEffortOrNull(`first-failure`, 'UTC') AS `first-failure`,
    parseDateTimeBestEffortOrNull(`last-failure`, 'UTC') AS `last-failure`,
    arrayMap(key -> (
        key.pin, key.position, parseDateTimeBestEffortOrZero(key.first, 'UTC'),
        parseDateTimeBestEffortOrZero(key.last, 'UTC'), key.connections), `failing-keys`) AS `failing-keys`,
    failures
FROM pintle.lines
WHERE type = 'entry';

-- GET /v1/entries?entry=: what clients counted since the day of {since}, of {entry} (empty: all), by entry and mode.
WITH
    counts AS
    (
        SELECT * FROM pintle.entries FINAL
        WHERE day >= toDate({since:DateTime('UTC')}) AND ({entry:String} = '' OR entry = {entry:String})
    ),
    keys AS
    (
        SELECT entry, arraySort(key -> (-key.connections, key.pin), groupArray((pin, position, total, first, last)::Tuple(
            pin String, position String, connections Int64, first String, last String))) AS list
        FROM
        (
            SELECT
                entry, key.pin AS pin, key.position AS position, sum(key.connections) AS total,
                formatDateTime(min(key.first), '%Y-%m-%dT%H:%i:%SZ') AS first,
                formatDateTime(max(key.last), '%Y-%m-%dT%H:%i:%SZ') AS last
            FROM counts ARRAY JOIN `failing-keys` AS key
            GROUP BY entry, pin, position
            ORDER BY total DESC, pin
            LIMIT 32 BY entry
        )
        GROUP BY entry
    ),
    kinds AS
    (
        SELECT entry, arraySort(item -> (-item.connections, item.kind, ifNull(item.code, '')), groupArray(
            (kind, nullIf(code, ''), total)::Tuple(kind String, code Nullable(String), connections Int64))) AS list
        FROM
        (
            SELECT entry, failure.kind AS kind, failure.code AS code, sum(failure.connections) AS total
            FROM counts ARRAY JOIN failures AS failure
            GROUP BY entry, kind, code
            ORDER BY total DESC, kind, code
            LIMIT 32 BY entry
        )
        GROUP BY entry
    )
SELECT
    entry, sums.* EXCEPT (entry), keys.list AS `failing-keys`, kinds.list AS failures,
    -- As in docs/reports.md: what an entry that only reports is ready for.
    multiIf(mode != 'report-only', NULL, `report-only-mismatches` > 0 OR blocked > 0, 'failing',
        successes = 0, 'unseen', days >= 7, 'ready', 'wait') AS readiness
FROM
(
    SELECT
        entry, mode, sum(c.successes) AS successes, sum(c.`backup-matches`) AS `backup-matches`,
        sum(c.`report-only-mismatches`) AS `report-only-mismatches`, sum(c.blocked) AS blocked,
        uniqExact(reporter) AS reporters, uniqExact(day) AS days,
        toString(min(day)) AS `first-day`, toString(max(day)) AS `last-day`,
        formatDateTime(min(c.`first-failure`), '%Y-%m-%dT%H:%i:%SZ') AS `first-failure`,
        formatDateTime(max(c.`last-failure`), '%Y-%m-%dT%H:%i:%SZ') AS `last-failure`
    FROM counts AS c
    GROUP BY entry, mode
) AS sums
LEFT JOIN keys USING (entry)
LEFT JOIN kinds USING (entry)
ORDER BY entry, mode
LIMIT 200
FORMAT JSONEachRow
SETTINGS output_format_json_quote_64bit_integers = 0

-- GET /v1/failures?host=&port=: the reports about {host} (empty: all) and {port} (0: all) since {since}, the last ones
-- first. The id is the fingerprint.
SELECT
    lower(hex(fingerprint)) AS id, host, port, any(m.entry) AS entry, any(m.`include-subdomains`) AS `include-subdomains`,
    any(m.format) AS format, any(m.enforced) AS enforced, nullIf(any(m.reporter), '') AS reporter,
    any(m.chain) AS chain, any(m.subject) AS subject, any(m.issuer) AS issuer, any(m.`known-pins`) AS `known-pins`,
    count() AS reports,
    formatDateTime(min(received), '%Y-%m-%dT%H:%i:%SZ') AS `first-seen`,
    formatDateTime(max(received), '%Y-%m-%dT%H:%i:%SZ') AS `last-seen`,
    formatDateTime(min(m.claimed), '%Y-%m-%dT%H:%i:%SZ') AS claimed,
    arraySlice(arrayReverse(arrayMap(
        (day, number) -> (toString(day), number)::Tuple(day String, reports UInt64),
        (sumMap([toDate(received)], [toUInt64(1)]) AS by_day).1, by_day.2)), 1, 31) AS days
FROM pintle.mismatches AS m FINAL
WHERE ({host:String} = '' OR host = {host:String}) AND ({port:UInt16} = 0 OR port = {port:UInt16})
GROUP BY host, port, fingerprint
HAVING max(received) >= {since:DateTime('UTC')}
ORDER BY min(received) DESC, id
LIMIT 200
FORMAT JSONEachRow
SETTINGS output_format_json_quote_64bit_integers = 0

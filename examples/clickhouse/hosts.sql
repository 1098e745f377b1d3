-- GET /v1/hosts: the hosts of which mismatches were reported since {since}.
SELECT
    host, port, sum(reported) AS reports, uniqExact(pin) AS keys,
    formatDateTime(min(first), '%Y-%m-%dT%H:%i:%SZ') AS `first-seen`,
    formatDateTime(max(last), '%Y-%m-%dT%H:%i:%SZ') AS `last-seen`
FROM
(
    -- One row for reports that say the same.
    SELECT host, port, any(chain[1]) AS pin, count() AS reported, min(received) AS first, max(received) AS last
    FROM pintle.mismatches FINAL
    GROUP BY host, port, fingerprint
    HAVING last >= {since:DateTime('UTC')}
)
GROUP BY host, port
ORDER BY host, port
LIMIT 200
FORMAT JSONEachRow
SETTINGS output_format_json_quote_64bit_integers = 0

-- GET /v1/manifests: which manifests each service decided on, on the last day that it counted, if that was since the day
-- of {since}.
SELECT reporter, serial, sum(decided) AS decisions, day
FROM pintle.aggregates FINAL
ARRAY JOIN serials AS serial, aggregates.decisions AS decided
WHERE day >= toDate({since:DateTime('UTC')}) AND (reporter, day) IN
    (SELECT reporter, max(day) FROM pintle.aggregates GROUP BY reporter)
GROUP BY reporter, serial, day
ORDER BY reporter, serial DESC
LIMIT 1000
FORMAT JSONEachRow
SETTINGS output_format_json_quote_64bit_integers = 0

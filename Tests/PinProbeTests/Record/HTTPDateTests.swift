import PinFormat
@testable import PinProbe
import Testing

struct HTTPDateTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
    ("Sat, 21 Nov 2026 00:00:00 GMT", "2026-11-21T00:00:00Z"),
    ("Thu, 29 Feb 2024 23:59:59 GMT", "2024-02-29T23:59:59Z"),
  ])
  func isRead(_ text: String, _ expected: String) {
    #expect(HTTPDate.instant(text)?.description == expected)
  }

  @Test(arguments: [
    "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:60 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
    "1994-11-06T08:49:37Z",
  ])
  func othersAreNot(_ text: String) {
    #expect(HTTPDate.instant(text) == nil)
  }
}

import PinReports
import Testing

@Suite struct DeliveryOutcomeTests {
  @Test(arguments: [
    (200, DeliveryOutcome.delivered), (204, .delivered), (301, .rejected), (308, .rejected), (400, .rejected),
    (404, .rejected), (408, .retryLater(afterSeconds: 90)), (413, .rejected), (421, .retryLater(afterSeconds: 90)),
    (425, .retryLater(afterSeconds: 90)), (429, .retryLater(afterSeconds: 90)), (500, .retryLater(afterSeconds: 90)),
    (503, .retryLater(afterSeconds: 90)), (599, .retryLater(afterSeconds: 90)), (101, .retryLater(afterSeconds: nil)),
    (0, .retryLater(afterSeconds: nil)), (999, .retryLater(afterSeconds: nil)),
  ])
  func readsStatusCodes(status: Int, outcome: DeliveryOutcome) {
    #expect(DeliveryOutcome(status: status, retryAfterSeconds: 90) == outcome)
  }
}

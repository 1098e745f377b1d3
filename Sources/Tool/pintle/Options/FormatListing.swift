import ArgumentParser
import PinExchange

/// How `--list` shows the formats.
enum FormatListing: String, ExpressibleByArgument, CaseIterable {
  case text
  case markdown

  var text: String {
    switch self {
    case .text: FormatPage.terminal(ExportFormat.all)
    case .markdown: FormatPage.reference(ExportFormat.all)
    }
  }
}

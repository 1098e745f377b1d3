extension Markup {
  /// A page: what a browser has to know before it shows anything, above all that nothing may be loaded or run, and then
  /// what is shown.
  package mutating func page(title: String, styles: (inout Markup) -> Void, body: (inout Markup) -> Void) {
    documentType()
    element(.html, .plain("lang", "en")) { markup in
      markup.element(.head) { markup in
        markup.empty(.meta, .plain("charset", "utf-8"))
        markup.empty(
          .meta, .plain("http-equiv", "Content-Security-Policy"),
          .plain("content", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"))
        markup.empty(.meta, .plain("name", "viewport"), .plain("content", "width=device-width, initial-scale=1"))
        markup.empty(.meta, .plain("name", "referrer"), .plain("content", "no-referrer"))
        markup.empty(.meta, .plain("name", "color-scheme"), .plain("content", "light dark"))
        markup.element(.title, text: title)
        styles(&markup)
      }
      markup.element(.body, content: body)
    }
  }
}

;; Emacs 29 or later, with Eglot.
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((yaml-mode yaml-ts-mode) . ("pintle" "lsp"))))
(add-hook 'yaml-ts-mode-hook #'eglot-ensure)

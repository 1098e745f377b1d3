-- What a person does in Neovim, for neovim.py; says what they see, and ends with 1 where they wait in vain.
local function say(text) io.stdout:write(text .. "\n") end
local function fail(text)
  say("failed: " .. text)
  vim.cmd("cquit 1")
end

local function findings(count)
  local arrived = vim.wait(30000, function() return #vim.diagnostic.get(0) == count end, 20)
  if not arrived then fail(#vim.diagnostic.get(0) .. " findings where " .. count .. " were expected") end
  return vim.diagnostic.get(0)
end

for _, finding in ipairs(findings(1)) do
  local severity = vim.diagnostic.severity[finding.severity]:lower()
  say(finding.code .. " " .. severity .. ": " .. finding.message:gsub("\n", " "))
  vim.api.nvim_win_set_cursor(0, { finding.lnum + 1, finding.col })
end

local line = vim.fn.search("host: api.stripe.com", "nw")
local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", {
  textDocument = vim.lsp.util.make_text_document_params(),
  position = { line = line - 1, character = 12 },
}, 10000)
for _, answer in pairs(hover or {}) do
  if answer.result then say("hover: " .. answer.result.contents.value:gsub("\n+", " | ")) end
end

-- The choice that the person makes among the actions.
vim.ui.select = function(items, options, choose)
  for _, item in ipairs(items) do
    local shown = options.format_item and options.format_item(item) or tostring(item)
    if shown:find("^Write") then return choose(item) end
  end
  fail("no fix is offered")
end
vim.lsp.buf.code_action()
local mended = vim.wait(10000, function() return vim.fn.search("include-subdomains: true", "nw") > 0 end, 20)
say("mended: " .. (mended and "yes" or "no"))
say("findings left: " .. #findings(0))
vim.cmd("write")
vim.cmd("quit")

-- Neovim 0.7 to 0.10, without a plugin: copy this into init.lua.
local clients = {}
vim.api.nvim_create_autocmd("FileType", {
  pattern = "yaml",
  callback = function(event)
    local file = vim.api.nvim_buf_get_name(event.buf)
    local manifest = vim.fn.findfile("manifest.yaml", vim.fn.fnamemodify(file, ":p:h") .. ";")
    if manifest == "" then return end
    local root = vim.fn.fnamemodify(manifest, ":p:h")
    clients[root] = clients[root] or vim.lsp.start_client({
      name = "pintle",
      cmd = { "pintle", "lsp" },
      root_dir = root,
      on_attach = function(_, buffer)
        local function map(keys, action) vim.keymap.set("n", keys, action, { buffer = buffer }) end
        vim.bo[buffer].omnifunc = "v:lua.vim.lsp.omnifunc"
        map("K", vim.lsp.buf.hover)
        map("gd", vim.lsp.buf.definition)
        map("gr", vim.lsp.buf.references)
        map("<leader>r", vim.lsp.buf.rename)
        map("<leader>a", vim.lsp.buf.code_action)
      end,
    })
    vim.lsp.buf_attach_client(event.buf, clients[root])
  end,
})

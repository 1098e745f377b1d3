"""A whole session of an editor with `pintle lsp`, with an independent language client (pytest-lsp, pygls, lsprotocol).

    .build/venv/bin/python -m pytest Tests/Programs/LanguageServer

Each step and its result are compared with session.txt; `PINTLE_RECORD=1` writes that file again.
"""

import asyncio
import difflib
import os
import pathlib
import shutil
import tempfile

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PINTLE = os.path.join(os.environ.get("PINTLE_BUILD", ROOT / ".build" / "debug"), "pintle")
RECORD = HERE / "session.txt"

WORK = tempfile.TemporaryDirectory(prefix="pintle-lsp-")
POLICIES = pathlib.Path(WORK.name) / "policies"
shutil.copytree(ROOT / "policies", POLICIES)


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[PINTLE, "lsp", "--at", "2026-11-21"]))
async def client(lsp_client: LanguageClient):
    lsp_client.pintle_watched = []

    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams):
        lsp_client.pintle_watched.extend(one.method for one in params.registrations)

    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"),
            workspace_folders=[types.WorkspaceFolder(uri=pathlib.Path(WORK.name).as_uri(), name="work")],
        )
    )
    yield
    await lsp_client.shutdown_session()


class Editor:
    """The actions of a person in an editor, and what they see."""

    def __init__(self, client):
        self.client = client
        self.texts = {}
        self.versions = {}
        self.lines = []

    def say(self, line):
        self.lines.append(line.replace(POLICIES.as_uri(), "policies").replace(str(POLICIES), "policies"))

    @staticmethod
    def uri(name):
        return (POLICIES / name).as_uri()

    async def told(self, name):
        """Waits for the findings of the text's version."""
        for _ in range(400):
            version = self.client_versions().get(self.uri(name))
            if version == self.versions[name]:
                return self.show(name)
            await asyncio.sleep(0.05)
        raise AssertionError(f"no findings for version {self.versions[name]} of {name}")

    def client_versions(self):
        return getattr(self.client, "pintle_versions", {})

    def show(self, name):
        findings = self.client.diagnostics.get(self.uri(name), [])
        if not findings:
            self.say(f"  {name}: no findings")
        for finding in findings:
            self.say(f"  {name}:{self.span(finding.range)} {finding.severity.name.lower()} {finding.code}")
            for line in finding.message.splitlines():
                self.say(f"    {line}")
            for related in finding.related_information or []:
                self.say(f"    see {related.location.uri}:{self.span(related.location.range)}: {related.message}")

    @staticmethod
    def span(found):
        return f"{found.start.line + 1}:{found.start.character + 1}-{found.end.line + 1}:{found.end.character + 1}"

    async def open(self, name):
        self.say(f"\n$ open {name}")
        self.texts[name] = (POLICIES / name).read_text()
        self.versions[name] = 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(
                text_document=types.TextDocumentItem(
                    uri=self.uri(name), language_id="yaml", version=1, text=self.texts[name]
                )
            )
        )
        await self.told(name)

    def place(self, name, marked):
        """The position of `|` in the marked text, which is in the file once, without it."""
        before, after = marked.split("|", 1)
        assert self.texts[name].count(before + after) == 1, marked
        offset = self.texts[name].index(before + after) + len(before)
        return self.position(name, offset)

    def position(self, name, offset):
        """Characters count in UTF-16 units."""
        lines = self.texts[name][:offset].split("\n")
        return types.Position(line=len(lines) - 1, character=len(lines[-1].encode("utf-16-le")) // 2)

    def offset(self, name, position):
        lines = self.texts[name].split("\n")
        units = lines[position.line].encode("utf-16-le")[: 2 * position.character]
        return sum(len(line) + 1 for line in lines[: position.line]) + len(units.decode("utf-16-le"))

    async def type(self, name, old, new):
        """Replaces a text that is in the file once, as an incremental change."""
        self.say(f"\n$ type {new!r} for {old!r} in {name}")
        assert self.texts[name].count(old) == 1, old
        start = self.texts[name].index(old)
        span = types.Range(start=self.position(name, start), end=self.position(name, start + len(old)))
        await self.change(name, span, new)

    async def change(self, name, span, new):
        start, end = self.offset(name, span.start), self.offset(name, span.end)
        self.texts[name] = self.texts[name][:start] + new + self.texts[name][end:]
        self.versions[name] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                text_document=types.VersionedTextDocumentIdentifier(uri=self.uri(name), version=self.versions[name]),
                content_changes=[types.TextDocumentContentChangePartial(range=span, text=new)],
            )
        )
        await self.told(name)

    def at(self, name, marked):
        return {
            "text_document": types.TextDocumentIdentifier(uri=self.uri(name)),
            "position": self.place(name, marked),
        }

    async def hover(self, name, marked):
        self.say(f"\n$ look at {marked.strip()!r} in {name}")
        hover = await self.client.text_document_hover_async(types.HoverParams(**self.at(name, marked)))
        for line in hover.contents.value.splitlines():
            self.say(f"  {line}".rstrip())

    async def complete(self, name, marked):
        self.say(f"\n$ complete {marked.strip()!r} in {name}")
        found = await self.client.text_document_completion_async(types.CompletionParams(**self.at(name, marked)))
        for item in found.items[:10]:
            self.say(f"  {item.label}" + (f"  ({item.detail})" if item.detail else ""))
        if len(found.items) > 10:
            self.say("  …")

    async def go(self, name, marked):
        self.say(f"\n$ go to the definition of {marked.strip()!r} in {name}")
        for found in await self.client.text_document_definition_async(types.DefinitionParams(**self.at(name, marked))):
            self.say(f"  {found.uri}:{self.span(found.range)}")

    async def find(self, name, marked):
        self.say(f"\n$ find {marked.strip()!r} of {name} everywhere")
        context = types.ReferenceContext(include_declaration=True)
        given = types.ReferenceParams(context=context, **self.at(name, marked))
        for found in await self.client.text_document_references_async(given):
            self.say(f"  {found.uri}:{self.span(found.range)}")

    async def rename(self, name, marked, new):
        self.say(f"\n$ rename {marked.strip()!r} of {name} to {new!r}")
        edit = await self.client.text_document_rename_async(types.RenameParams(new_name=new, **self.at(name, marked)))
        for uri, edits in sorted(edit.changes.items()):
            for one in edits:
                self.say(f"  {uri}:{self.span(one.range)} {one.new_text}")

    async def symbols(self, name):
        self.say(f"\n$ outline of {name}")
        given = types.DocumentSymbolParams(text_document=types.TextDocumentIdentifier(uri=self.uri(name)))
        for section in await self.client.text_document_document_symbol_async(given):
            names = ", ".join(child.name for child in section.children or [])
            self.say(f"  {section.name}: {names}".rstrip(": "))

    async def actions(self, name, marked, only=None):
        place = self.place(name, marked)
        given = types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=self.uri(name)),
            range=types.Range(start=place, end=place),
            context=types.CodeActionContext(diagnostics=[], only=only),
        )
        found = await self.client.text_document_code_action_async(given) or []
        for action in found:
            if isinstance(action, types.Command):
                self.say(f"  command: {action.title}")
            else:
                self.say(f"  {action.kind}: {action.title}" + (" (preferred)" if action.is_preferred else ""))
        return found

    async def format(self, name):
        self.say(f"\n$ format {name}")
        given = types.DocumentFormattingParams(
            text_document=types.TextDocumentIdentifier(uri=self.uri(name)),
            options=types.FormattingOptions(tab_size=2, insert_spaces=True),
        )
        for one in await self.client.text_document_formatting_async(given):
            self.say(f"  {self.span(one.range)} {one.new_text!r}")
            await self.change(name, one.range, one.new_text)

    async def apply(self, name, action):
        self.say(f"\n$ apply {action.title!r}")
        for one in sorted(action.edit.changes[self.uri(name)], key=lambda one: one.range.start, reverse=True):
            await self.change(name, one.range, one.new_text)


@pytest.mark.asyncio
async def test_a_session_is_what_was_recorded(client):
    versions = {}
    client.pintle_versions = versions
    feature = client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]

    def remember(params):
        versions[params.uri] = params.version
        return feature(params)

    client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = remember

    editor = Editor(client)
    await editor.open("web.yaml")
    await editor.type("web.yaml", "host: pypi.org\n    keys: fastly", "host: pypi.org\n    keys: fastli")
    await editor.complete("web.yaml", "host: pypi.org\n    keys: fast|li")
    await editor.type("web.yaml", "host: pypi.org\n    keys: fastli", "host: pypi.org\n    keys: fastly")
    await editor.type("web.yaml", "host: pypi.org\n", "host: pypi.org\n    include-subdomain: true\n")
    editor.say("\n$ what can be done")
    found = await editor.actions("web.yaml", "include-sub|domain: true")
    await editor.apply("web.yaml", next(action for action in found if isinstance(action, types.CodeAction)))
    await editor.hover("web.yaml", "host: api.strip|e.com")
    await editor.hover("web.yaml", "host: pypi.org\n    include-subdomains: true\n    keys: fas|tly")
    await editor.hover("web.yaml", "    on-ex|piry: block")
    await editor.go("web.yaml", "keys: amaz|on\n  - host: static")
    await editor.open("keys.yaml")
    await editor.hover("keys.yaml", "active: [amazon-root-ca-1|, amazon")
    await editor.find("keys.yaml", "  usertrust-r|sa: {")
    await editor.rename("keys.yaml", "  lets-enc|rypt:", "isrg")
    await editor.go("keys.yaml", "keys/gts-root-|r1.pem")
    await editor.open("internal.yaml")
    await editor.symbols("internal.yaml")
    # Behind a character that takes two units of UTF-16.
    await editor.type("internal.yaml", "HSM A, slot 1 (Zürich)", "HSM 💚 A # pintle:allow P2")
    await editor.complete("internal.yaml", "HSM 💚 A # pintle:allow P2|")
    await editor.type("internal.yaml", "HSM 💚 A # pintle:allow P2", "[HSM 💚")
    await editor.hover("internal.yaml", "- host: corp.exam|ple.com")
    await editor.type("internal.yaml", "[HSM 💚", "HSM A, slot 1 (Zürich)")
    await editor.type("internal.yaml", "- host: corp.example.com", "- host:   'corp.example.com'")
    await editor.format("internal.yaml")
    editor.say("\n$ close internal.yaml, unsaved")
    client.text_document_did_close(
        types.DidCloseTextDocumentParams(text_document=types.TextDocumentIdentifier(uri=editor.uri("internal.yaml")))
    )
    editor.say("\n$ explain P302")
    page = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command="pintle.explain", arguments=["P302"])
    )
    editor.say("  " + page.splitlines()[0])

    assert client.pintle_watched == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES]

    recorded = "\n".join(editor.lines).lstrip("\n") + "\n"
    if os.environ.get("PINTLE_RECORD"):
        RECORD.write_text(recorded)
    known = RECORD.read_text()
    difference = difflib.unified_diff(known.splitlines(), recorded.splitlines(), "session.txt", "now", lineterm="")
    assert known == recorded, "\n".join(difference)

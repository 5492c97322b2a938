#!/usr/bin/env python3
"""Bundles and compresses the pages of the console, and writes what makes them part of the program.

    web/build.py TOOLS OUTPUT

TOOLS has esbuild and node_modules (scripts/bootstrap puts both into .deps/web). OUTPUT gets assets.S, which includes the
files, and assets.inc, which lists them. Equal sources give equal bytes, in any folder.
"""

import gzip
import hashlib
import os
import pathlib
import subprocess
import sys

WEB = pathlib.Path(__file__).resolve().parent
TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8"}


def bundle(tools, output):
    subprocess.run(
        [tools / "esbuild", "console/main.tsx", "console/console.css", "--bundle", "--minify", "--format=esm", "--target=es2022",
         "--jsx=automatic", "--jsx-import-source=preact", "--charset=utf8", "--legal-comments=none", "--log-level=warning",
         "--sourcemap=external", "--sources-content=false", f"--outdir={output}"],
        cwd=WEB, env={**os.environ, "NODE_PATH": str(tools / "node_modules")}, check=True)
    return {"js": (output / "main.js").read_bytes(), "css": (output / "console.css").read_bytes()}


def main():
    tools, output = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    if not (tools / "esbuild").exists():
        sys.exit(f"{tools}/esbuild is missing: run scripts/bootstrap")
    output.mkdir(parents=True, exist_ok=True)
    contents = bundle(tools, output)
    names = {kind: f"console.{hashlib.sha256(text).hexdigest()[:8]}.{kind}" for kind, text in contents.items()}
    page = (WEB / "console/index.html").read_text(encoding="utf-8")
    for kind, name in names.items():
        page = page.replace("{{" + kind + "}}", name)
    contents["html"], names["html"] = page.encode(), "index.html"
    table, assembly = [], ['.section .rodata, "a", %progbits']
    for kind, text in sorted(contents.items()):
        (output / f"asset.{kind}").write_bytes(text)
        (output / f"asset.{kind}.gz").write_bytes(gzip.compress(text, 9, mtime=0))
        digest = hashlib.sha256(text).hexdigest()[:16]
        table.append(f'SLUICE_ASSET({kind}, "{names[kind]}", "{TYPES[kind]}", "{digest}")')
        for form, file in (("plain", f"asset.{kind}"), ("gzip", f"asset.{kind}.gz")):
            symbol = f"sluice_asset_{kind}_{form}"
            assembly += [".balign 16", f".global {symbol}", f"{symbol}:", f'.incbin "{file}"', f".global {symbol}_end", f"{symbol}_end:", ".byte 0"]
    assembly += ['.section .note.GNU-stack, "", %progbits', ""]
    (output / "assets.inc").write_text("\n".join(table) + "\n", encoding="utf-8")
    (output / "assets.S").write_text("\n".join(assembly), encoding="utf-8")


if __name__ == "__main__":
    main()

"""What others build on: tools with their arguments, keys of the configuration, declarations of the SDK."""

import json
import pathlib
import re
import subprocess

from declarations import declarations

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
SERVED = {
    "lean": ["budget/sluice.yaml", "--profile", "lean"],
    "full": ["budget/sluice.yaml", "--profile", "full"],
    "analysis": ["budget/analysis.yaml"],
    "records": ["records/sluice.yaml"],
    "portals": ["ckan/sluice.yaml"],
}
READ_KEY = re.compile(r'[.>](text|flag|count|duration|texts|map|maps|required_text|pairs)\(\s*"([a-z][a-z_]*)"')


def served_tools(root, program, example, *options):
    question = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    ended = subprocess.run([program, "serve", root / "examples" / example, *options], input=json.dumps(question) + "\n",
                           capture_output=True, text=True, timeout=60, check=True)
    return json.loads(ended.stdout.splitlines()[0])["result"]["tools"]


def type_of(schema):
    """The part of an argument's schema that decides which values are accepted."""
    if not isinstance(schema, dict):
        return schema
    kept = {key: schema[key] for key in ("type", "enum", "const") if key in schema}
    if "items" in schema:
        kept["items"] = type_of(schema["items"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            kept[key] = [type_of(each) for each in schema[key]]
    if "properties" in schema:
        kept["properties"] = {name: type_of(each) for name, each in schema["properties"].items()}
    return kept


def tools(root, program):
    found = {}
    for served, arguments in SERVED.items():
        for tool in served_tools(root, program, *arguments):
            made = found.setdefault(f"{served}/{tool['name']}", {"arguments": {}, "required": [], "answer": []})
            schema = tool["inputSchema"]
            made["arguments"] = {name: type_of(each) for name, each in schema.get("properties", {}).items()}
            made["required"] = sorted(schema.get("required", []))
            made["answer"] = sorted(tool.get("outputSchema", {}).get("required", []))
    return found


def configuration(root):
    found = {}
    for path in sorted((root / "src/config").rglob("*.cc")):
        for kind, key in READ_KEY.findall(path.read_text(encoding="utf-8")):
            kind = {"required_text": "text"}.get(kind, kind)
            found.setdefault(key, set()).add(kind)
    return {key: sorted(kinds) for key, kinds in sorted(found.items())}


def headers(root):
    text = (root / "cmake/SluiceInstall.cmake").read_text(encoding="utf-8")
    modules = " ".join(re.findall(r"set\((?:sdk|gateway)_modules ([^)]*)\)", text)).split()
    found = {}
    for module in modules:
        include = root / "src" / module / "include"
        for path in sorted(include.rglob("*.h")):
            found[path.relative_to(include).as_posix()] = declarations(path.read_text(encoding="utf-8"))
    return found


def surface(root, program):
    root = pathlib.Path(root)
    return {"tools": tools(root, program), "configuration": configuration(root), "headers": headers(root)}


def allowed(schema):
    return set(map(json.dumps, schema["enum"])) if isinstance(schema, dict) and "enum" in schema else None


def narrows(old, new):
    """Whether an argument accepts less than it did."""
    if old == new:
        return False
    before, now = allowed(old), allowed(new)
    if before is not None and now is not None and {**old, "enum": 0} == {**new, "enum": 0}:
        return not before <= now
    return True


def tool_breaks(name, old, new):
    tool = name.split("/")[1]
    for argument, schema in old["arguments"].items():
        if argument not in new["arguments"]:
            yield f"{tool}.{argument}", "the argument is gone"
        elif narrows(schema, new["arguments"][argument]):
            yield f"{tool}.{argument}", f"the argument was {json.dumps(schema)} and is {json.dumps(new['arguments'][argument])}"
    for argument in set(new["required"]) - set(old["required"]):
        yield f"{tool}.{argument}", "the argument is required now"
    for part in set(old["answer"]) - set(new["answer"]):
        yield f"{tool}.{part}", "this part of the answer is not guaranteed any more"


def breaks(old, new):
    """(subject, what happened) for everything that somebody may have built on and that is gone or has changed."""
    found = []
    for name, tool in old["tools"].items():
        if name in new["tools"]:
            found += tool_breaks(name, tool, new["tools"][name])
        else:
            found.append((name.split("/")[1], f"the tool is gone ({name})"))
    for key, kinds in old["configuration"].items():
        if key not in new["configuration"]:
            found.append((key, "the key of the configuration is gone"))
        elif set(kinds) - set(new["configuration"][key]):
            found.append((key, f"the key of the configuration was {kinds} and is {new['configuration'][key]}"))
    for header, old_declarations in old["headers"].items():
        if header not in new["headers"]:
            found.append((header, "the header is gone"))
            continue
        for gone in sorted(set(old_declarations) - set(new["headers"][header])):
            found.append((header, f"a declaration is gone or has changed: {gone}"))
    return found


def additions(old, new):
    count = 0
    for part in ("tools", "configuration", "headers"):
        for name, each in new[part].items():
            count += name not in old[part] or each != old[part][name]
    return count

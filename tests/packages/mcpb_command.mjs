// mcpb_command.mjs MODULE FOLDER SETTINGS: the command that a host makes of the bundle unpacked in FOLDER, as JSON, by the
// code that hosts use (MODULE).
import { readFileSync } from "node:fs";

const [module, folder, settings] = process.argv.slice(2);
const { getMcpConfigForManifest } = await import(module);
const manifest = JSON.parse(readFileSync(`${folder}/manifest.json`, "utf8"));
const config = await getMcpConfigForManifest({
  manifest, extensionPath: folder, systemDirs: {}, userConfig: JSON.parse(settings), pathSeparator: "/", logger: console,
});
console.log(JSON.stringify(config ?? null));

// sbom_check.mjs SCHEMAS AJV FILE: the document is valid CycloneDX 1.6. SCHEMAS is the folder of the official schemas.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [schemas, modules, file] = process.argv.slice(2);
const require = createRequire(`${modules}/index.js`);
const Ajv = require("ajv");
const addFormats = require("ajv-formats");
const read = (name) => JSON.parse(readFileSync(`${schemas}/${name}.SNAPSHOT.schema.json`, "utf8"));

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addFormat("iri-reference", true); // Of JSON Schema, and not in ajv-formats.
ajv.addFormat("idn-email", true);
// The schemas refer to each other by the names of their files.
for (const name of ["spdx", "jsf-0.82"]) ajv.addSchema(read(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
const validate = ajv.compile(read("bom-1.6"));
if (!validate(JSON.parse(readFileSync(file, "utf8")))) {
  console.error(validate.errors.map((error) => `${error.instancePath} ${error.message}`).join("\n"));
  process.exit(1);
}

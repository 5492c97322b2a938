// Loads a package from .deps, where scripts/bootstrap puts what scripts/npm/package-lock.json names.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../.deps/npm/', import.meta.url));
const fromRoot = createRequire(root);

export function npmPackage(name) {
  if (!existsSync(root)) throw new Error(`the npm packages are not installed, run scripts/bootstrap: ${root}`);
  return fromRoot(name);
}

export function npmFile(path) {
  const file = `${root}node_modules/${path}`;
  if (!existsSync(file)) throw new Error(`an npm package lacks a file, run scripts/bootstrap: ${file}`);
  return file;
}

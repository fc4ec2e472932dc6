import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isJsonObject } from './json.ts';

/** The folder of Keyturn's package, with its package.json. Sources lie in the folder itself, built code in its `dist`. */
export function ownFolder(): string {
  return fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../..' : '../../..', import.meta.url));
}

/** Which Keyturn this is, as its package says: `0.1.0`. */
export function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(`${ownFolder()}/package.json`, 'utf8'));
  return isJsonObject(manifest) ? String(manifest.version) : 'unknown';
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isJsonObject } from './json.ts';

/** The folder with Keyturn's package.json. Sources are in it, built code in its `dist`. */
export function ownFolder(): string {
  return fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../..' : '../../..', import.meta.url));
}

/** The version in Keyturn's package.json: `0.2.0`. */
export function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(`${ownFolder()}/package.json`, 'utf8'));
  return isJsonObject(manifest) ? String(manifest.version) : 'unknown';
}

import { readFileSync } from 'node:fs';
import { isJsonObject } from './json.ts';

/** Which Keyturn this is, as its package says: `0.1.0`. */
export function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return isJsonObject(manifest) ? String(manifest.version) : 'unknown';
}

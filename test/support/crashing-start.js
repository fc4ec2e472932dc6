// As src/start.js does: what comes behind this file is found in the cache of compiled code.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/keyturn', import.meta.url)));
await import('./crashing-main.ts');

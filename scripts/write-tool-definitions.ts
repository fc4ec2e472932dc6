/** Writes what the builtin tools say of themselves, so that the start need not load them. */
import { writeFile } from 'node:fs/promises';
import { usualDefinitions } from './builtin-definitions.ts';

const file = new URL('../src/tools/builtin/definitions.json', import.meta.url);
await writeFile(file, await usualDefinitions());

import { readFileSync } from 'node:fs';

/** The example config as it is, and with all that it shows switched on. */
export const example = readFileSync(new URL('../../config.example.json', import.meta.url), 'utf8');
export const wholeExample = example.replaceAll(/^([ ]*)\/\/(?=\S)/gm, '$1');

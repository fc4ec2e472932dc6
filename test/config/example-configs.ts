import { readFileSync } from 'node:fs';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** What people copy, as it is, and with all that it shows switched on. */
export const example = read('../../config.example.json');
export const wholeExample = example.replaceAll(/^([ ]*)\/\/(?=\S)/gm, '$1');

/** A config that has every key. */
export const everyKey = read('every-key.json');

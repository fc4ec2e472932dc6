/*
 * Takes out of a text what is somebody's: names, ids, addresses, folders, and each word that Keyturn's own sentences do not
 * have. Rather too much than too little.
 */

import { createHash, randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import type { Redactor } from '../../../tools/guard/redact/redact.ts';
import type { OwnWords } from './own-words.ts';

export interface Scrubber {
  text(text: string): string;
  /** The same for the same id within one report, and of no use outside of it. */
  id(id: string): string;
  readonly own: OwnWords;
}

/** What is known of the person and the machine. */
export interface Known {
  readonly redact: Redactor;
  /** Folders, each with what stands for it. */
  readonly folders: readonly (readonly [folder: string, stands: string])[];
  /** Names of the person, the machine, and what the config has. */
  readonly names: readonly string[];
  readonly own: OwnWords;
}

/** Names of files and keys of the config, which have points as hosts do. */
const plainEndings: ReadonlySet<string> = new Set(
  ['json', 'env', 'md', 'db', 'ts', 'js', 'mjs', 'log', 'sock', 'tar', 'gz'].map((ending) => `.${ending}`),
);

export function createScrubber({ redact, folders, names, own }: Known): Scrubber {
  // Nobody can try out which id has this mark.
  const salt = randomBytes(16);
  const id = (given: string): string => `#${createHash('sha256').update(salt).update(given).digest('hex').slice(0, 6)}`;
  const places = folders
    .filter(([folder]) => folder.length > 1)
    .toSorted(([one], [other]) => other.length - one.length);
  const given = [...new Set(names)].filter((name) => name !== '').toSorted((a, b) => b.length - a.length);
  return {
    id,
    own,
    text(text) {
      let left = redact(text);
      for (const [folder, stands] of places) left = left.replaceAll(folder, stands);
      // As wholes: a name within an address or a path would break it in two.
      left = replaced(left, wholes, id);
      for (const name of given) left = withoutName(left, name);
      return replaced(left, shapes, id).replaceAll(/#[\da-f]{6}\b|[\p{L}\p{M}]+/gu, (found) =>
        found.startsWith('#') || isOwnWord(found, own) ? found : '<word>',
      );
    },
  };
}

/** A short one of Latin letters stands in many words: it is taken out as a whole. In Chinese, one letter is a name. */
function withoutName(text: string, name: string): string {
  if (name.length >= 3 || !/^[\x20-\x7e]+$/.test(name)) return text.replaceAll(name, '<name>');
  // A point or a line is nobody's name.
  if (!/\w/.test(name)) return text;
  const parts = text.split(/(\w+)/);
  return parts.map((part) => (part === name ? '<name>' : part)).join('');
}

/** One letter is nobody's, if it is Latin. */
function isOwnWord(word: string, own: OwnWords): boolean {
  return /^[a-z]+$/i.test(word) && (word.length === 1 || own.hasWord(word));
}

type Stands = (found: string, id: (given: string) => string) => string;

type Shapes = readonly (readonly [RegExp, Stands])[];

function replaced(text: string, all: Shapes, id: Scrubber['id']): string {
  return all.reduce((sofar, [shape, stands]) => sofar.replace(shape, (found) => stands(found, id)), text);
}

const wholes: Shapes = [
  [/[a-z][a-z\d+.-]*:\/\/[^\s"'<>)\]]+/gi, () => '<address>'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, () => '<address>'],
  // Any other folder.
  [/(?<![\w>~#])(?:~|\.{1,2})?\/(?:[^\s/"'<>:,;]+\/)+[^\s/"'<>:,;]*/g, () => '<path>'],
  // What is left of one with a blank.
  [/(?<![\w>~#./:])[^\s/"'<>:,;()]+\/[^\s"'<>:,;()]+/g, () => '<path>'],
];

/** In this order: an address has a host, and an id has digits. */
const shapes: Shapes = [
  [/(?<!\w)@[\w.-]+/g, () => '<name>'],
  [/\b[a-z][a-z\d-]*:-?(?=[\w.-]*\d)[\w.-]{3,}(?::[\w.-]+)*/g, (found, id) => id(found)],
  [/\b(?:\d{1,3}\.){3}\d{1,3}\b/g, (found) => (found.startsWith('127.') ? found : '<address>')],
  [/\b(?:[a-z\d-]+\.)+[a-z]{2,}\b/gi, (found) => (isPlainName(found) ? found : '<host>')],
  [/\b[UWCDGTB][A-Z\d]{8,}\b/g, (found, id) => id(found)],
  [/-?\b\d{6,}\b/g, (found, id) => id(found)],
];

function isPlainName(found: string): boolean {
  return plainEndings.has(extname(found).toLowerCase()) || keyLike.test(found);
}

/** Keys of the config in our sentences: `tools.shell.sandbox`, `network.proxy`. */
const keyLike =
  /^(?:tools|network|models|channels|approval|agent|log|security|data|budget|delivery|mcp_servers)\.[a-z_.]+$/;

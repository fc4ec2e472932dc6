import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type PlainValues, valuesOf } from '../lib/catalogue-values.ts';
import { isNode, type Node, nameOf, nodesIn, parseFile, type SourceFile } from './architecture/source-file.ts';

/** One entry of a catalogue. */
export interface CatalogueEntry {
  /** `engineWords`. */
  readonly catalogue: string;
  readonly key: string;
  /** What it says with values of the types that it declares in English; within it, if it is an object of entries. */
  said(language: string, plain?: PlainValues): readonly Saying[];
}

/** `key`: of the entry within an entry. */
export interface Saying {
  readonly key: string | undefined;
  /** A text, unless the catalogue is wrong. */
  readonly text: unknown;
}

const root = join(import.meta.dirname, '../..');

/** The entries of the catalogues that a `words.ts` exports. The path is relative to the root. */
export async function entriesIn(path: string): Promise<readonly CatalogueEntry[]> {
  const file = parseFile(path, readFileSync(join(root, path), 'utf8'));
  const exported: unknown = await import(pathToFileURL(join(root, path)).href);
  return cataloguesIn(file).flatMap(({ name, entries }) => {
    const catalogue = fieldOf(exported, name);
    return Object.keys(recordOf(fieldOf(catalogue, 'en'))).map((key) => {
      const declared = entries.find((one) => nameOf(one.key) === key);
      const said: CatalogueEntry['said'] = (language, plain) =>
        sayings(fieldOf(fieldOf(catalogue, language), key), { declared, file, plain, key: undefined });
      return { catalogue: name, key, said };
    });
  });
}

/** The catalogues that a file declares, and their entries in English. */
function cataloguesIn(file: SourceFile): readonly { readonly name: string; readonly entries: readonly Node[] }[] {
  return file.nodes
    .filter(({ type, init }) => type === 'VariableDeclarator' && isNode(init) && nameOf(init.callee) === 'catalogue')
    .map(({ id, init }) => ({ name: nameOf(id) ?? '', entries: englishOf(init) }));
}

function englishOf(call: unknown): readonly Node[] {
  const [words] = nodesIn(isNode(call) ? call.arguments : []);
  const english = nodesIn(words?.properties).find(({ key }) => nameOf(key) === 'en');
  return nodesIn(isNode(english?.value) ? english.value.properties : []);
}

interface Declared {
  readonly declared: Node | undefined;
  readonly file: SourceFile;
  readonly plain: PlainValues | undefined;
  readonly key: string | undefined;
}

function sayings(words: unknown, { declared, file, plain, key }: Declared): readonly Saying[] {
  if (typeof words === 'object' && words !== null)
    return Object.entries(words).flatMap(([inner, below]) =>
      sayings(below, { declared: declaredBelow(declared, inner), file, plain, key: inner }),
    );
  if (typeof words !== 'function') return [{ key, text: words }];
  const [value] = isNode(declared?.value) ? [declared.value] : [];
  const values = nodesIn(value?.params).map((param) => valuesOf(param.typeAnnotation, file, plain));
  const most = Math.max(1, ...values.map(({ length }) => length));
  return Array.from({ length: most }, (_, round) => ({
    key,
    text: words(...values.map((of) => of[round % of.length])),
  }));
}

function declaredBelow(declared: Node | undefined, key: string): Node | undefined {
  const below = isNode(declared?.value) ? nodesIn(declared.value.properties) : [];
  return below.find((one) => nameOf(one.key) === key);
}

function fieldOf(value: unknown, name: string): unknown {
  return recordOf(value)[name];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

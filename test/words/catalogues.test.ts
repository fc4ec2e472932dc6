import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { textWidth } from '../../src/lib/text-width.ts';
import { valuesOf } from '../lib/catalogue-values.ts';
import { isNode, type Node, nameOf, nodesIn, parseFile, type SourceFile } from '../support/architecture/source-file.ts';

/** What is shown of a catalogue's texts: buttons on a phone, and what pops up at a press. */
const [mostCells, longestToast] = [30, 200];

const root = join(import.meta.dirname, '../..');
const paths = globSync(['src/**/words.ts', 'channels/**/words.ts'], { cwd: root })
  .filter((path) => path !== 'src/lib/words.ts')
  .toSorted();

const languages = ['en', 'zh'] as const;

interface Entry {
  readonly key: string;
  /** What it says, with all the values that may be worst for it. */
  readonly said: readonly string[];
}

/** The names of the catalogues in a file, and their entries as they are declared in English. */
function cataloguesIn(file: SourceFile): ReadonlyMap<string, readonly Node[]> {
  const declared = file.nodes.filter(
    ({ type, init }) => type === 'VariableDeclarator' && isNode(init) && nameOf(init.callee) === 'catalogue',
  );
  return new Map(declared.map(({ id, init }) => [nameOf(id) ?? '', entriesOf(init)]));
}

function entriesOf(call: unknown): readonly Node[] {
  const [words] = nodesIn(isNode(call) ? call.arguments : []);
  const english = nodesIn(words?.properties).find(({ key }) => nameOf(key) === 'en');
  return nodesIn(isNode(english?.value) ? english.value.properties : []);
}

/** All that an entry says: itself, or the function with its values. */
function sayings(words: unknown, declared: Node | undefined, file: SourceFile): readonly unknown[] {
  if (typeof words === 'object' && words !== null)
    return Object.entries(words).flatMap(([key, below]) => sayings(below, declaredBelow(declared, key), file));
  if (typeof words !== 'function') return [words];
  const [value] = isNode(declared?.value) ? [declared.value] : [];
  const values = nodesIn(value?.params).map((param) => valuesOf(param.typeAnnotation, file));
  const most = Math.max(1, ...values.map(({ length }) => length));
  return Array.from({ length: most }, (_, round) => words(...values.map((of) => of[round % of.length])));
}

function declaredBelow(declared: Node | undefined, key: string): Node | undefined {
  const below = isNode(declared?.value) ? nodesIn(declared.value.properties) : [];
  return below.find((one) => nameOf(one.key) === key);
}

describe.each(paths)('%s', async (path) => {
  const file = parseFile(path, readFileSync(join(root, path), 'utf8'));
  const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(join(root, path)).href);
  const catalogues = [...cataloguesIn(file)].filter(([name]) => name in exported);

  test('has catalogues', () => {
    expect(catalogues).not.toEqual([]);
  });

  const entriesIn = (name: string, language: string): readonly Entry[] => {
    const all = exported[name];
    const words = isRecord(all) && isRecord(all[language]) ? all[language] : {};
    const declared = cataloguesIn(file).get(name) ?? [];
    return Object.entries(words).map(([key, value]) => {
      const node = declared.find((one) => nameOf(one.key) === key);
      const said = sayings(value, node, file);
      expect(
        said.filter((one) => typeof one !== 'string'),
        `${key} gives texts`,
      ).toEqual([]);
      return { key, said: said.map(String) };
    });
  };
  const names = catalogues.map(([name]) => name);

  describe.each(names.flatMap((name) => languages.map((language) => [name, language] as const)))(
    '%s in %s',
    (name, language) => {
      test('says something with all values, and nothing that is no text', () => {
        for (const { key, said } of entriesIn(name, language))
          for (const one of said) expect(one, key).not.toMatch(/\bundefined\b|\[object|\bNaN\b/);
      });

      test('has buttons and what pops up in their limits', () => {
        for (const { key, said } of entriesIn(name, language)) {
          if (key.startsWith('button'))
            for (const one of said) expect(textWidth(one), key).toBeLessThanOrEqual(mostCells);
          if (key.startsWith('toast'))
            for (const one of said) expect(one.length, key).toBeLessThanOrEqual(longestToast);
        }
      });
    },
  );

  test.each(names)('%s is Chinese in Chinese, with Chinese marks', (name) => {
    for (const { key, said } of entriesIn(name, 'zh')) {
      // Some name only a tool or a file.
      const isChinese = said.some((one) => /\p{Script=Han}/u.test(one));
      if (said.some((one) => /[a-z]{3} [a-z]{2}/i.test(one))) expect(isChinese, key).toBe(true);
      for (const one of said) expect(one, key).not.toMatch(/\p{Script=Han}[,.;:?!()](?:\p{Script=Han}|$)/u);
    }
  });
});

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolsToLookAt } from '../scripts/builtin-definitions.ts';
import { commandMenu, loadFeatures } from '../src/daemon/command-menu.ts';
import { isJsonObject, type JsonValue } from '../src/lib/json.ts';
import { builtinWords } from '../src/tools/builtin/words.ts';
import { examples } from './support/architecture/examples.ts';
import { featureTestViolations } from './support/architecture/floors.ts';
import { sentencesIn } from './support/architecture/sentence-rules.ts';
import { parseFile } from './support/architecture/source-file.ts';
import { testViolations } from './support/architecture/test-rules.ts';

const root = join(import.meta.dirname, '..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const architecture = text('docs/architecture.md');
const rulesOfTests: ReadonlySet<unknown> = new Set([testViolations, featureTestViolations]);
const schema: JsonValue = JSON.parse(text('config.schema.json'));

function fieldsOf(part: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return isJsonObject(part) && isJsonObject(part.properties) ? Object.entries(part.properties) : [];
}

function fieldOf(part: JsonValue | undefined, key: string): JsonValue | undefined {
  return fieldsOf(part).find(([name]) => name === key)?.[1];
}

/** Every key that the schema knows, with the path to it. */
function keysIn(part: JsonValue | undefined, path = ''): readonly { readonly key: string; readonly path: string }[] {
  if (!isJsonObject(part)) return [];
  const { items, additionalProperties, oneOf = [], anyOf = [] } = part;
  const members = [items, additionalProperties, oneOf, anyOf].flat();
  const own = fieldsOf(part).flatMap(([key, below]) => [
    { key, path: `${path}${key}` },
    ...keysIn(below, `${path}${key}.`),
  ]);
  return [...own, ...members.flatMap((member) => keysIn(member, path))];
}

describe('docs/tools.md', () => {
  test('names every tool that has a switch', () => {
    const page = text('docs/tools.md');
    const tools = fieldsOf(fieldOf(schema, 'tools')).filter(([, block]) => fieldOf(block, 'enabled') !== undefined);
    expect(tools.length).toBeGreaterThan(20);
    expect(tools.map(([name]) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('docs/commands.md', () => {
  test('names every command of the menu', async () => {
    const page = text('docs/commands.md');
    const names = commandMenu(await loadFeatures()).map(({ name }) => name);
    expect(names.filter((name) => !new RegExp(`\`/${name}\\b`).test(page))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  test('names every builtin tool and every feature', () => {
    const tools = Object.keys(builtinWords.en.names);
    const features = readdirSync(join(root, 'src/features')).filter((name) => name !== 'index.ts');
    const names = [...tools, ...features.map((name) => `${name}/`)];
    expect(names.filter((name) => !architecture.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the feature that docs/features.md shows', () => {
  const blocks = [...text('docs/features.md').matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)];
  const files = blocks.map(([, path = '', source = '']) => parseFile(path, source));

  test('keeps to the rules of the code', () => {
    expect(files.map(({ path }) => path)).toContain('src/features/dice/index.ts');
    const rules = examples.map(({ rule }) => rule).filter((rule) => !rulesOfTests.has(rule));
    expect(files.flatMap((file) => rules.flatMap((rule) => rule(file)))).toEqual([]);
  });

  test('says all that people read in its words.ts', () => {
    expect(files.flatMap((file) => sentencesIn(file))).toEqual([]);
  });
});

test('each name of a builtin tool is one of a tool in the list', () => {
  const tools = toolsToLookAt({ http_request: { allowed_domains: ['a.example'] } }).map(({ name }) => name);
  expect(Object.keys(builtinWords.en.names).toSorted()).toEqual(tools.toSorted());
});

test('every key of the config is read somewhere: none is only declared', () => {
  const declaring = /(?:settings|schema|setting-kinds|words)\.ts$|\/settings\//;
  const paths = globSync(['src/**/*.ts', 'channels/**/*.ts'], { cwd: root });
  const reading = paths.filter((path) => path === 'src/daemon/settings.ts' || !declaring.test(path));
  const names = new Set(reading.flatMap((path) => text(path).match(/[\w$]+/g) ?? []));
  const unread = keysIn(schema).filter(({ key }) => !names.has(key));
  expect(unread.map(({ path }) => path)).toEqual([]);
});

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { redactor } from '../../../../src/tools/guard/redact/redact.ts';
import { SeededRandom } from '../../../support/random.ts';

const root = join(import.meta.dirname, '../../../..');
const redact = redactor(['a-known-secret-of-the-daemon', 'another/known+secret==']);
const mark = /\[secret(?:: [^\]]*)?\]/g;

interface Survey {
  readonly what: string;
  readonly texts: number;
  readonly megabytes: string;
  readonly alarms: readonly string[];
  readonly count: number;
}

function survey(what: string, texts: readonly (readonly [name: string, text: string])[]): Survey {
  const characters = texts.reduce((sum, [, text]) => sum + text.length, 0);
  const alarms = texts.flatMap(([name, text]) => {
    const found = redact(text).match(mark)?.length ?? 0;
    return Array.from({ length: found - (text.match(mark)?.length ?? 0) }, () => name);
  });
  const megabytes = (characters / 1_000_000).toFixed(1);
  return { what, texts: texts.length, megabytes, alarms, count: alarms.length };
}

function files(...patterns: readonly string[]): readonly (readonly [string, string])[] {
  return globSync([...patterns], { cwd: root })
    .toSorted()
    .map((name) => [name, readFileSync(join(root, name), 'utf8')]);
}

const random = new SeededRandom(7);
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function characters(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[random.integer(0, alphabet.length - 1)]).join('');
}

function lines(count: number, line: () => string): readonly (readonly [string, string])[] {
  return [['generated', Array.from({ length: count }, line).join('\n')]];
}

const hex = (length: number): string => characters(length, letters.slice(52, 62) + letters.slice(26, 32));

// What stands in the names of the tests is what was measured.
const clean = [
  survey('our own sources', files('src/**/*.ts', 'channels/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts')),
  survey('our own documents', files('*.md', 'docs/**/*.md', '*.json', 'channels/**/*.md')),
  survey(
    'git hashes',
    lines(5_000, () => `${hex(40)} fix: something`),
  ),
  survey(
    'UUIDs',
    lines(5_000, () => `id: ${[8, 4, 4, 4, 12].map(hex).join('-')}`),
  ),
  survey(
    'integrity hashes',
    lines(5_000, () => `"integrity": "sha512-${characters(86, letters)}=="`),
  ),
  survey(
    'data URIs',
    lines(20, () => `url(data:image/png;base64,${characters(40_000, letters)})`),
  ),
  survey(
    'source maps',
    lines(20, () => `//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjoz${characters(40_000, letters)}`),
  ),
  survey('minified JavaScript', files('node_modules/*/*.min.js', 'node_modules/*/{dist,lib,umd,build}/*.min.js')),
];

/** One is about tokens, and shows a dozen of them. */
const readmes = files('node_modules/*/README.md', 'node_modules/@*/*/README.md').filter(
  ([name]) => !name.includes('/@octokit/auth-token/'),
);

/** Those about proxies are full of addresses with passwords, which are no false alarms. */
const tests = files('test/**/*.ts', 'test/**/*.txt').filter(
  ([name]) => !/(?:lib\/network|cli\/doctor|config\/network-settings)/.test(name),
);

const strange = [survey('READMEs of packages', readmes), survey('our own tests, in which secrets are made up', tests)];

describe('nothing is taken for a secret', () => {
  test.each(clean)('$count times in $megabytes MB of $what ($texts texts)', ({ texts, alarms }) => {
    expect(texts).toBeGreaterThan(0);
    expect(alarms).toEqual([]);
  });
});

describe('next to nothing is taken for a secret', () => {
  test.each(strange)('$count times in $megabytes MB of $what ($texts texts)', ({ alarms, megabytes }) => {
    expect(alarms.length, alarms.join('\n')).toBeLessThanOrEqual(4 * Math.ceil(Number(megabytes)));
  });
});

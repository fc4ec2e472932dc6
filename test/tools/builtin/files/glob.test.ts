import { matchesGlob } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Glob, parseGlob } from '../../../../src/tools/builtin/files/glob.ts';

function glob(pattern: string): Glob {
  const parsing = parseGlob(pattern);
  if (!parsing.valid) throw new Error(parsing.message);
  return parsing.glob;
}

function matches(pattern: string, path: string): boolean {
  return glob(pattern).matches(path.split('/'));
}

describe('a pattern for names of files', () => {
  test.each([
    ['*.md', 'a.md', true],
    ['*.md', 'deep/er/a.md', true],
    ['./*.md', 'a.md', true],
    ['./*.md', 'deep/a.md', false],
    ['docs/*.md', 'docs/a.md', true],
    ['docs/*.md', 'docs/b/a.md', false],
    ['docs/**/*.md', 'docs/a.md', true],
    ['docs/**/*.md', 'docs/b/c/a.md', true],
    ['docs/', 'docs/b/c', true],
    ['docs/**', 'docs/b/c', true],
    ['docs/**', 'docs', false],
    ['**', 'a/b', true],
    ['*', '.hidden', true],
    ['?.txt', 'ä.txt', true],
    ['?.txt', '😀.txt', true],
    ['?.txt', '.txt', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a-c]x', 'dx', true],
    ['[]]x', ']x', true],
    ['[x', '[x', true],
    ['{a,b{c,d}}.ts', 'bd.ts', true],
    ['{a,b{c,d}}.ts', 'b.ts', false],
    ['{docs,src}/**/*.{md,txt}', 'src/x/y.txt', true],
    ['a{b}c', 'a{b}c', true],
    ['a{b', 'a{b', true],
    ['\\*.md', '*.md', true],
    ['\\*.md', 'x.md', false],
    ['a**b', 'axxb', true],
    ['{a,}b', 'b', true],
    ['A.md', 'a.md', false],
  ])('%j, with the path %j: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  test('means what the pattern matcher of Node means', () => {
    const part = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[!a]', '**', '/');
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 });
    const patterns = fc
      .array(part, { minLength: 1, maxLength: 8 })
      .map((parts) => `x/${parts.join('')}`.replace(/\/+/g, '/').replace(/\*{3,}/g, '**'))
      // Next to other characters two stars are one; after a slash at the end Node has no opinion.
      .filter((pattern) => !pattern.endsWith('/') && !/[^/]\*\*|\*\*[^/]/.test(pattern));
    fc.assert(
      fc.property(patterns, fc.array(name, { minLength: 1, maxLength: 3 }), (pattern, names) => {
        const way = ['x', ...names];
        expect(glob(pattern).matches(way)).toBe(matchesGlob(way.join('/'), pattern));
      }),
      { seed: 5, numRuns: 2000 },
    );
  });

  test('is not looked for where it cannot be', () => {
    const { mayMatchBelow } = glob('src/*/deep/*.ts');
    expect([['src'], ['src', 'any'], ['src', 'any', 'deep']].map(mayMatchBelow)).toEqual([true, true, true]);
    expect([['docs'], ['src', 'any', 'flat'], ['src', 'a', 'deep', 'er']].map(mayMatchBelow)).toEqual([
      false,
      false,
      false,
    ]);
    expect(glob('*.ts').mayMatchBelow(['any', 'where'])).toBe(true);
  });

  test.each([
    ['../*', /leads outside/],
    ['a/../../*', /leads outside/],
    ['{a,..}/x', /leads outside/],
    ['/etc/*', /leads outside/],
    ['~/x', /leads outside/],
    ['~root/*', /leads outside/],
    ['C:\\*', /leads outside/],
    ['a\0b', /NUL/],
    ['/', /leads outside/],
    ['.', /names no file/],
    ['x'.repeat(501), /too long/],
    ['{a,b}'.repeat(30), /too many alternatives/],
    [`{${'a,'.repeat(200)}}`, /too many alternatives/],
    ['{'.repeat(100) + 'a,b'.repeat(60), undefined],
  ])('%j is told what is wrong with it, at once', (pattern, message) => {
    const parsing = parseGlob(pattern);
    if (message === undefined) expect(parsing.valid).toBe(true);
    else expect(parsing).toMatchObject({ valid: false, message: expect.stringMatching(message) });
  });

  test.each([
    [`${'*a'.repeat(100)}b`, 'a'.repeat(255)],
    [`${'**/a/'.repeat(90)}b`, `${'a/'.repeat(2000)}c`],
    [`${'?*'.repeat(200)}x`, 'a'.repeat(255)],
    ['{*a*a*a*a*b,*a*a*a*a*c}'.repeat(6), 'a'.repeat(255)],
  ])('that is made to take for ever takes no time: %j', (pattern, path) => {
    const begun = performance.now();
    expect(matches(pattern, path)).toBe(false);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

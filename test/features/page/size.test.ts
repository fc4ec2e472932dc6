import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const dist = resolve(import.meta.dirname, '../../../packages/page/dist');
const assets = readdirSync(join(dist, 'assets'));
const index = readFileSync(join(dist, 'index.html'), 'utf8');

/** Nobody goes there: names of languages within documents, and what the warnings of a library name for its users. */
const unvisited = ['http://www.w3.org/', 'https://github.com/highlightjs/highlight.js/'];

/** In bytes: HTML, styles and code of the shell and the chat. */
const mostForFirstView = 120 * 1024;

test('the first view is small', () => {
  const parts = [...new Set([...named(/(?:src|href)="\/assets\/([^"]+)"/g, index), ...ofChat()])];
  const code = parts.filter((name) => /\.(?:js|css)$/.test(name));
  const loaded = [...new Set([...code, ...code.flatMap(importsOf)])];
  const all = [...new Set([...loaded, ...loaded.flatMap(stylesOf)])];
  expect(all.some((name) => name.startsWith('chat-view-'))).toBe(true);
  const sizes = all.map((name) => [name, gzipSync(readFileSync(join(dist, 'assets', name))).length] as const);
  const sum = sizes.reduce((total, [, size]) => total + size, gzipSync(index).length);
  expect(sum, JSON.stringify(sizes)).toBeLessThanOrEqual(mostForFirstView);
});

test('the HTML has no code and no styles of its own', () => {
  expect(index).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
  expect([...index.matchAll(/<script(?![^>]*\ssrc=)/gi)]).toEqual([]);
});

test('nothing of the page names an address elsewhere', () => {
  const texts = assets.filter((name) => /\.(?:js|css|svg)$/.test(name)).map((name) => [name, read(name)] as const);
  const addresses = [['index.html', index] as const, ...texts].flatMap(([name, text]) =>
    named(/\b((?:https?|wss?):\/\/[a-z][^\s"'`)]+)/gi, text).map((address) => `${name}: ${address}`),
  );
  expect(addresses.filter((address) => !unvisited.some((beginning) => address.includes(beginning)))).toEqual([]);
});

/** The code and styles of the view that is shown first. */
function ofChat(): readonly string[] {
  return assets.filter((name) => /^chat-view-[^.]+\.(?:js|css)$/.test(name));
}

/** What a file of code imports when it is loaded, and what that imports. */
function importsOf(name: string): readonly string[] {
  if (!name.endsWith('.js')) return [];
  const own = named(/(?:\bfrom|\bimport)\s*["']\.\/([^"']+)["']/g, read(name));
  return [...own, ...own.flatMap(importsOf)];
}

/** The styles that come with a file of code. */
function stylesOf(name: string): readonly string[] {
  const stem = name.replace(/-[^-]{8}\.js$/, '-');
  return assets.filter((other) => other.startsWith(stem) && /^[^-]{8}\.css$/.test(other.slice(stem.length)));
}

function read(name: string): string {
  return readFileSync(join(dist, 'assets', name), 'utf8');
}

function named(pattern: RegExp, text: string): readonly string[] {
  return [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []);
}

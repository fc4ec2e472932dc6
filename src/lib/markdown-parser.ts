import { createRequire } from 'node:module';
import type { Root } from 'mdast';

/** Parses CommonMark with GFM. */
export type Parse = (markdown: string) => Root;

/** A parser that loads when it is first used: it takes 50 ms and 15 MB, and plain text has no need of it. */
export function lazyParser(): Parse {
  let parse: Parse | undefined;
  return (markdown) => {
    parse ??= loadParser();
    return parse(markdown);
  };
}

/** At once, since a text has to be measured at once. */
function loadParser(): Parse {
  const load = createRequire(import.meta.url);
  const { fromMarkdown }: typeof import('mdast-util-from-markdown') = load('mdast-util-from-markdown');
  const { gfm }: typeof import('micromark-extension-gfm') = load('micromark-extension-gfm');
  const { gfmFromMarkdown }: typeof import('mdast-util-gfm') = load('mdast-util-gfm');
  const options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
  return (markdown) => fromMarkdown(markdown, options);
}

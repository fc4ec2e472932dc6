import { describe, expect, test } from 'vitest';
import { inPieces } from './read-answer.ts';
import { quotations, readForm, spellings, theCalls } from './written-forms.ts';

const sizes = [Number.POSITIVE_INFINITY, 1, 3, 7, 20];

describe('a call is read as it is written by', () => {
  test.each(spellings)('$title', ({ answer, shows, calls }) => {
    for (const size of sizes) {
      const { shown, ...read } = readForm(inPieces(answer, [size]));
      expect({ ...read, shown: shown.trim() }).toEqual({ calls: theCalls.slice(0, calls), shown: shows });
    }
  });
});

/** Formats without marks of their own: in the answer of a model that was not asked for them, only all of it is a call. */
const isBehindText = /behind (?:words|text|a sentence)|glued|with thoughts/;
const hasMarks = /<[\w|｜]|\[TOOL/;

describe('where a server should have read it, a call is read as it is written by', () => {
  const all = spellings.map((form) => ({
    ...form,
    isRead: !isBehindText.test(form.title) || hasMarks.test(form.answer),
  }));
  test.each(all)('$title: $isRead', ({ answer, shows, calls, isRead }) => {
    for (const size of sizes) {
      const { shown, ...read } = readForm(inPieces(answer, [size]), 'end');
      const wanted = isRead ? { calls: theCalls.slice(0, calls), shown: shows } : { calls: [], shown: answer };
      expect({ ...read, shown: shown.trim() }).toEqual(wanted);
    }
  });
});

describe('nothing is called, and all is shown, of', () => {
  test.each(quotations)('$title', ({ answer }) => {
    for (const reads of ['anywhere', 'end'] as const) {
      for (const size of sizes) {
        expect(readForm(inPieces(answer, [size]), reads)).toEqual({ calls: [], shown: answer });
      }
    }
  });

  test.each(spellings)('what goes on in a fence where it broke off: $title', ({ answer }) => {
    expect(readForm([`${answer}\n\`\`\`\n`], 'anywhere', 'It looks so:\n````\n').calls).toEqual([]);
    expect(readForm([answer], 'end', 'It looks so:\n```').calls).toEqual([]);
  });
});

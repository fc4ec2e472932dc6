import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Button, ChannelCapabilities } from '../../src/contract.ts';
import type { OutboxRow } from '../../src/delivery/outbox.ts';
import { type Part, partsOf } from '../../src/words/message-parts.ts';
import { direct } from '../support/deed.ts';
import { isSubsequence, markdownDocuments } from '../support/markdown-documents.ts';

const numRuns = Number(process.env.KEYTURN_PROPERTY_RUNS ?? 100);
const runs = { numRuns, seed: 20_261_122 };
const buttons: Button[][] = [[{ actionId: 'x', label: 'X', shortcut: 'x', style: 'plain' }]];

const capabilities: ChannelCapabilities = {
  maxLength: 200,
  forms: false,
  maxFileBytes: 0,
  editPause: { direct: 100, group: 100 },
  history: true,
};

const rows = fc.record({
  markdown: fc.array(markdownDocuments, { maxLength: 3 }).map((documents) => documents.join('\n\n')),
  maxLength: fc.integer({ min: 130, max: 700 }),
  maxFileBytes: fc.constantFrom(0, 500, 100_000),
  maxMessages: fc.integer({ min: 1, max: 6 }),
  lateNote: fc.constantFrom(undefined, '*🕓 Late: written at 14:02, 25 min ago.*'),
  sizes: fc.array(fc.constantFrom(10, 1000, 200_000), { maxLength: 3 }),
  isCard: fc.boolean(),
  isRefused: fc.boolean(),
});

test('the parts of any message hold all its text and a part for each file, fit, and end with the buttons', {
  timeout: 60_000,
}, () => {
  fc.assert(
    fc.property(rows, ({ markdown, maxLength, maxFileBytes, maxMessages, lateNote, sizes, isCard, isRefused }) => {
      const row: OutboxRow = {
        message: {
          id: 'a'.repeat(20),
          kind: isCard ? 'card' : 'reply',
          markdown,
          files: sizes.map((size, index) => ({ name: `${index}.bin`, mediaType: 'text/plain', size })),
          replyTo: '7',
          ...(isCard ? { buttons } : {}),
        },
        kind: isCard ? 'card' : 'reply',
        conversationId: 'test:ada',
        conversation: direct('test'),
        revision: 1,
        deliveredRevision: 0,
        refs: [],
        seq: 1,
        kills: 0,
        failures: 0,
        failuresAlike: 0,
        isSettled: false,
        isMovedOn: false,
        twins: [],
        previews: [],
        refusedFiles: isRefused ? ['text'] : [],
        createdAt: 0,
      };
      const adapter = {
        capabilities: { ...capabilities, maxLength, maxFileBytes },
        measure: (text: string) => text.length,
      };
      const parts = partsOf(row, {
        adapter,
        maxMessages,
        reader: () => ({ timeZone: 'UTC', isNamed: false, language: 'en' }) as const,
        pathOf: (key) => key,
        commands: new Set(['stop']),
        ...(lateNote === undefined ? {} : { lateNote }),
      });
      const texts = parts.flatMap(({ message, file }) => (file === undefined ? [message.markdown] : []));
      const notes = texts.filter((text) => text.startsWith('📎'));
      const own = texts.filter((text) => !text.startsWith('📎')).join('\n');

      for (const { message } of parts) expect(message.markdown.length).toBeLessThanOrEqual(maxLength);
      if (isWhole(parts))
        expect(own === '' ? 0 : texts.length - notes.length).toBeLessThanOrEqual(Math.max(2, maxMessages - 1));
      else expect(isSubsequence(lettersOf(markdown), lettersOf(own))).toBe(true);
      if (lateNote !== undefined && own !== '') expect(own.startsWith(lateNote)).toBe(true);
      expect(parts.filter(({ file }) => file !== undefined && file !== 'text').length + notes.length).toBe(
        sizes.length,
      );

      expect(parts.length).toBeGreaterThan(0);
      expect(parts.flatMap(({ message }, index) => (message.buttons === undefined ? [] : [index]))).toEqual(
        isCard ? [parts.length - 1] : [],
      );
      if (isCard) expect(parts.at(-1)?.file).toBeUndefined();
      expect(parts.flatMap(({ message }, index) => (message.replyTo === undefined ? [] : [index]))).toEqual([0]);
      expect(new Set(parts.map(({ message }) => message.id)).size).toBe(parts.length);
      for (const { message } of parts) expect(message.id).toMatch(/^[a-z0-9]{1,25}$/);
    }),
    runs,
  );
});

function isWhole(parts: readonly Part[]): boolean {
  return parts.some(({ file }) => file === 'text');
}

function lettersOf(markdown: string): string {
  return markdown.replaceAll(/[\s`~>\d]/g, '');
}

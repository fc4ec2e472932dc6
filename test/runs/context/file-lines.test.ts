import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { imageTypeOf } from '../../../src/lib/recognise-image.ts';
import { toModelMessages } from '../../../src/runs/context/model-messages.ts';
import type { Attachment, UserMessage } from '../../../src/transcript.ts';
import { png } from '../../support/test-attachments.ts';

const report: Attachment = {
  kind: 'file',
  name: 'report.pdf',
  mediaType: 'application/pdf',
  size: 122_880,
  state: 'saved',
  path: 'received/12-report.pdf',
};
const voice: Attachment = {
  kind: 'voice',
  mediaType: 'audio/ogg',
  state: 'saved',
  path: 'received/12-voice.ogg',
  transcript: 'buy milk\nand bread',
};

function said(text: string, ...attachments: readonly Attachment[]): UserMessage {
  return { type: 'user', seq: 12, principal: 'test:ada', name: 'Ada', text, attachments };
}

function wordsOf(message: UserMessage, inGroup = false): string {
  const [first] = toModelMessages([message], inGroup);
  return first?.role === 'user' ? first.text : '';
}

describe('what the model reads of files', () => {
  test('stands behind the text, a line for each', () => {
    const lines = 'please read\n[file: received/12-report.pdf (application/pdf, 120.0 KB)]';
    expect(wordsOf(said('please read', report))).toBe(lines);
    expect(wordsOf(said('', report, report)).split('\n')).toHaveLength(2);
  });

  test('belongs in a group to its sender, as their further lines do', () => {
    const file = '[file: received/12-report.pdf (application/pdf, 120.0 KB)]';
    expect(wordsOf(said('please read', report), true)).toBe(`[Ada] please read\n  ${file}`);
    expect(wordsOf(said('', report), true)).toBe(`[Ada] ${file}`);
  });

  test('says why one is missing, or is not there yet', () => {
    const note = 'it is larger than 20.0 MB';
    expect(wordsOf(said('', { kind: 'file', name: 'film.mkv', state: 'missing', note }))).toBe(
      '[file: film.mkv, missing: it is larger than 20.0 MB]',
    );
    expect(wordsOf(said('', { kind: 'image', state: 'pending' }))).toBe('[file: image, not fetched]');
  });

  test('has what was spoken in place of a text, marked as that', () => {
    const file = '[file: received/12-voice.ogg (audio/ogg)]';
    expect(wordsOf(said('', voice))).toBe(`[spoken:] buy milk\nand bread\n${file}`);
    expect(wordsOf(said('', voice), true)).toBe(`[Ada] [spoken:] buy milk\n  and bread\n  ${file}`);
  });

  test('is one line each that no name, type, note or word can leave, and never an event of Keyturn', () => {
    const piece = fc.constantFrom(
      '<',
      '/',
      'keyturn_event',
      '>',
      ']',
      '[',
      '\n',
      '\r',
      '\u2028',
      '\u202e',
      'x',
      ' ',
      ')',
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const facts = fc.record({ name: text, mediaType: text, note: text, path: text, transcript: text });
    fc.assert(
      fc.property(facts, fc.boolean(), ({ name, mediaType, note, path, transcript }, inGroup) => {
        const missing: Attachment = { kind: 'file', name, mediaType, state: 'missing', note };
        expect(wordsOf(said('', missing), inGroup)).toMatch(/^(?:\[Ada\] )?\[file: [^[\]\n\r\u2028\u202e]*\]$/);
        const saved: Attachment = { kind: 'voice', mediaType, state: 'saved', path, note };
        expect(wordsOf(said('', saved), inGroup)).toMatch(/^(?:\[Ada\] )?\[file: [^[\]\n\r\u2028\u202e]*\]$/);
        const spoken = wordsOf(said('', { ...voice, transcript }, missing, saved), inGroup);
        expect(spoken).not.toMatch(/<[\s/]*keyturn_event/i);
      }),
      { seed: 5, numRuns: 1000 },
    );
  });
});

describe('a picture', () => {
  test.each([
    ['image/png', png],
    ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ['image/gif', Buffer.from('GIF89a..')],
    ['image/webp', Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1')],
    [undefined, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    [undefined, Buffer.from('RIFF\x10\0\0\0WAVE', 'latin1')],
    [undefined, Buffer.alloc(0)],
  ])('is known by its bytes: %s', (type, bytes) => {
    expect(imageTypeOf(bytes)).toBe(type);
  });
});

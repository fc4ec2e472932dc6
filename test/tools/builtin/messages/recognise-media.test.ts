import { describe, expect, test } from 'vitest';
import { headLength, mediaTypeOf } from '../../../../src/tools/builtin/messages/recognise-media.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex');
const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex');
const zip = Buffer.from('504b030414000600', 'hex');
const mp4 = Buffer.from('000000186674797069736f6d', 'hex');

describe('the media type of a file', () => {
  test.each<[string, Uint8Array, string]>([
    ['a.png', png, 'image/png'],
    ['a.txt', jpeg, 'image/jpeg'],
    ['photo', Buffer.from('RIFF\x00\x00\x00\x00WEBPVP8 ', 'latin1'), 'image/webp'],
    ['sound.wav', Buffer.from('RIFF\x00\x00\x00\x00WAVEfmt ', 'latin1'), 'audio/wav'],
    ['film.mp4', mp4, 'video/mp4'],
    ['paper.pdf', Buffer.from('%PDF-1.7\n'), 'application/pdf'],
    ['paper.docx', zip, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['all.zip', zip, 'application/zip'],
    ['paper.pdf.exe', zip, 'application/zip'],
    ['list.CSV', Buffer.from('a;b\n'), 'text/csv'],
    ['page.html', Buffer.from('<p>hello'), 'text/html'],
    ['notes', Buffer.from('Zoë'), 'text/plain'],
    ['empty.md', Buffer.alloc(0), 'text/markdown'],
    ['program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), 'application/octet-stream'],
    ['fake.png', Buffer.from('<script>'), 'text/plain'],
    ['fake.csv', Buffer.from([0xc3, 0x28, 0xa0, 0xa1, 1, 2]), 'application/octet-stream'],
  ])('%s is told by what it holds', (name, head, type) => {
    expect(mediaTypeOf(name, head)).toBe(type);
  });

  test('is that of a text where the part that is looked at ends within a character', () => {
    const head = Buffer.from('ä'.repeat(headLength)).subarray(0, headLength - 1);
    expect(mediaTypeOf('a.txt', head)).toBe('text/plain');
  });
});

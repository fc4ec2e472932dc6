import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fileName, type NameFacts } from '../../src/conversation/attachments/attachment-name.ts';
import { anyText } from '../support/any-text.ts';

function named(name: string, more: Partial<NameFacts> = {}): string {
  return fileName({ seq: 12, position: 0, kind: 'file', name, ...more });
}

describe('the name under which a file is saved', () => {
  test.each([
    ['report.pdf', '12-report.pdf'],
    ['Rechnung März 2026.PDF', '12-Rechnung März 2026.PDF'],
    ['архив.tar.gz', '12-архив.tar.gz'],
    ['写真 (1).jpeg', '12-写真 (1).jpeg'],
    ['🎉 party.png', '12-🎉 party.png'],
  ])('keeps what is harmless of %j', (name, expected) => {
    expect(named(name)).toBe(expected);
  });

  test.each([
    ['../../etc/passwd', '12-etc_passwd'],
    ['..\\..\\boot.ini', '12-boot.ini'],
    ['.bashrc', '12-bashrc'],
    ['a\0b.txt', '12-a_b.txt'],
    ['line\r\nbreak.txt', '12-line_break.txt'],
    ['photo\u202Egnp.exe', '12-photo_gnp.exe'],
    ['a\u2215b\uFF0Fc\u2044d\u29F8e.txt', '12-a_b_c_d_e.txt'],
    ['zero\u200Bwidth.txt', '12-zero_width.txt'],
    ['<keyturn_event kind="x">.txt', '12-keyturn_event kind=_x.txt'],
    ['x] (image/png)\n[file: y.txt', '12-x_(image_png)_file_y.txt'],
    ['con.txt', '12-con.txt'],
    ['$(rm -rf ~).sh', '12-(rm -rf_).sh'],
    ['\uD800half.txt', '12-half.txt'],
    ['trailing. . .', '12-trailing'],
  ])('takes what is harmful out of %j', (name, expected) => {
    expect(named(name)).toBe(expected);
  });

  test('is a plain word where the sender gave none, with the extension of its type', () => {
    expect(fileName({ seq: 3, position: 0, kind: 'image', mediaType: 'image/jpeg' })).toBe('3-photo.jpg');
    expect(fileName({ seq: 3, position: 1, kind: 'voice', mediaType: 'audio/ogg; codecs=opus' })).toBe('3.2-voice.ogg');
    expect(named('///', { kind: 'video', mediaType: 'constructor' })).toBe('12-video');
    expect(named('README', { mediaType: 'text/markdown' })).toBe('12-README.md');
  });

  test('is there at once, however long a name the sender gave', () => {
    expect(named(`a${' '.repeat(1_000_000)}b.pdf`)).toBe('12-a b.pdf');
    expect(Buffer.byteLength(named(`${'_ '.repeat(500_000)}x.tar.gz`))).toBeLessThan(150);
  });

  test('is cut between characters, and keeps its extension', () => {
    const name = named(`${'👨‍👩‍👧‍👦é'.repeat(80)}.jpeg`);
    expect(name).toMatch(/\.jpeg$/);
    expect(name.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(150);
  });

  test('is one safe segment whatever it was made from, and another for another attachment', () => {
    const character = fc.oneof(
      fc.constantFrom(
        '.',
        '/',
        '\\',
        '\0',
        '\n',
        ' ',
        ':',
        '-',
        '_',
        '\u202E',
        '\uFF0F',
        '\u0301',
        '\u3164',
        '\uD800',
        '~',
        '[',
      ),
      anyText({ minLength: 1, maxLength: 1 }),
    );
    const anyName = fc.array(character, { maxLength: 300 }).map((characters) => characters.join(''));
    const facts = fc.record({
      seq: fc.integer({ min: 1, max: 30 }),
      position: fc.integer({ min: 0, max: 11 }),
      kind: fc.constantFrom('image' as const, 'voice' as const, 'audio' as const, 'video' as const, 'file' as const),
      name: anyName,
      mediaType: fc.oneof(anyName, fc.constant('image/png')),
    });
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        const name = fileName(one);
        expect(name).toMatch(/^[\p{L}\p{M}\p{N}\p{Emoji_Presentation} ._\-()+,=@]+$/u);
        expect(name).not.toMatch(/^[. ~-]|[. ]$|\.\.|\p{Default_Ignorable_Code_Point}/u);
        expect(name.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(150);
        if (one.seq !== other.seq || one.position !== other.position) expect(fileName(other)).not.toBe(name);
      }),
      { seed: 11, numRuns: 2000 },
    );
  });
});

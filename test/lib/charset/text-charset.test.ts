import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type CharsetText, isExact, readText, writeText } from '../../../src/lib/charset/text-charset.ts';
import { type SampleLanguage, samples } from './samples.ts';

function inCharset(text: string, charset: string): Buffer {
  const bytes = writeText(text, charset);
  if (!Buffer.isBuffer(bytes)) throw new Error(`${charset} has no ${bytes.impossible}`);
  return bytes;
}

function read(bytes: Buffer, declared?: readonly string[]): CharsetText {
  const text = readText(bytes, declared);
  if (text === undefined) throw new Error('It was taken for binary.');
  return text;
}

const written: readonly (readonly [string, SampleLanguage])[] = [
  ['GBK', 'simplified'],
  ['Big5', 'traditional'],
  ['Shift_JIS', 'japanese'],
  ['EUC-JP', 'japanese'],
  ['EUC-KR', 'korean'],
  ['windows-1251', 'russian'],
  ['KOI8-R', 'russian'],
  ['IBM866', 'russian'],
  ['windows-1252', 'western'],
];

describe('the charset of a text is found by its bytes', () => {
  test.each(written)('%s, from one word to some sentences', (charset, language) => {
    const texts = samples[language].filter((text) => Buffer.isBuffer(writeText(text, charset)));
    expect(texts.length).toBeGreaterThanOrEqual(55);
    const wrong = texts.filter((text) => read(inCharset(text, charset)).text !== text);
    expect(wrong).toEqual([]);
  });

  test.each(written)(
    '%s is certain in a text of some lines, and is written back byte for byte',
    (charset, language) => {
      const text = samples[language].filter((each) => Buffer.isBuffer(writeText(each, charset))).join('\r\n');
      const bytes = inCharset(text, charset);
      const found = read(bytes);
      expect(found).toEqual({ text, charset, isGuess: false });
      expect(isExact(bytes, found)).toBe(true);
    },
  );

  test.each([
    ['windows-1250', 'Zażółć gęślą jaźń. Proszę przesłać umowę do końca tygodnia.'],
    ['windows-1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy.'],
    ['windows-1253', 'Καλημέρα σας, η συνάντηση είναι αύριο στις εννέα.'],
    [
      'windows-1254',
      'Toplantı yarın saat dokuzda başlıyor, lütfen sözleşmeyi getirin. Güneş doğdu, çocuklar dışarı çıktı.',
    ],
    ['windows-1255', 'שלום, הפגישה מחר בתשע בבוקר'],
    ['windows-1256', 'مرحبا، الاجتماع غدا في الساعة التاسعة'],
    ['windows-874', 'สวัสดีครับ พรุ่งนี้ประชุมเก้าโมงเช้า'],
    ['GB18030', '会议纪要：请查收附件 😀，谢谢。'],
  ])('%s: %s', (charset, text) => {
    const bytes = inCharset(text, charset);
    expect(read(bytes)).toMatchObject({ text, charset });
    expect(isExact(bytes, read(bytes))).toBe(true);
  });

  test.each(['UTF-16LE', 'UTF-16BE'])('%s, with its mark and without', (charset) => {
    for (const text of [
      'Name: Müller\r\n',
      '会议纪要\r\n第一章\r\n',
      'a',
      'こんにちは 123',
      '\ufeff안녕하세요',
      '\ufeff😀',
    ]) {
      const bytes = inCharset(text, charset);
      expect(read(bytes)).toMatchObject({ text, charset });
      expect(isExact(bytes, read(bytes))).toBe(true);
    }
  });

  test('UTF-8, also of few bytes that other charsets have too', () => {
    for (const text of [
      'é',
      'für',
      'да',
      'Привет',
      '中',
      '目录',
      'ñ',
      'שלום',
      '\ufeffa',
      'हिन्दी',
      'ქართული',
      '😀',
      'x²',
      '',
    ]) {
      expect(read(Buffer.from(text))).toEqual({ text, charset: 'UTF-8', isGuess: false });
    }
  });

  test('UTF-8 whose last character is cut off is read up to it', () => {
    expect(read(Buffer.from('会议纪要').subarray(0, 11)).text).toBe('会议纪');
  });

  test('the seven-bit charset of Japanese mail is read', () => {
    const bytes = Buffer.from('1b2442467c4b5c386c1b28420a', 'hex');
    expect(read(bytes)).toMatchObject({ text: '日本語\n', charset: 'ISO-2022-JP' });
  });

  test('in a long file that is nearly all ASCII', () => {
    const text = `${'key = value\n'.repeat(20_000)}; 配置文件说明\n${'key = value\n'.repeat(20_000)}`;
    expect(read(inCharset(text, 'GBK')).text).toBe(text);
  });
});

describe('what is declared', () => {
  const gbk = '上证指数收盘上涨，成交额扩大';
  test.each([
    ['gb2312', 'GBK', gbk],
    ['utf-8', 'GBK', gbk],
    ['shift_jis', 'Big5', '加權指數收盤上漲，成交量擴大'],
    ['iso-8859-1', 'Shift_JIS', '吾輩は猫である。名前はまだ無い。'],
    ['x-user-defined', 'windows-1252', 'Grün'],
    ['utf8', 'UTF-8', '你好'],
    ['gbk', 'UTF-8', '你好，今天天气很好，我们去公园散步吧。'],
    ['iso-8859-1', 'UTF-8', 'Grün'],
    ['klingon', 'KOI8-R', 'Привет, как дела?'],
  ])('%s gives way to %s where that fits better', (declared, charset, text) => {
    expect(read(inCharset(text, charset), [declared]).text).toBe(text);
  });

  test('decides where few bytes fit both', () => {
    const bytes = inCharset('Über', 'windows-1252');
    expect(read(bytes, ['windows-1257']).charset).toBe('windows-1257');
    expect(read(bytes, ['iso-8859-15']).charset).toBe('ISO-8859-15');
  });
});

describe('what is no text', () => {
  test('has no charset', () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const samplesOfBytes = [
      png,
      Buffer.from('PK\x03\x04 \xe2\xe3 anything', 'latin1'),
      Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3', 'latin1'),
      Buffer.from('\x7fELF\x02\x01\x01\0'),
      Buffer.from('SQLite format 3\0'),
      Buffer.from('a\0b'),
      Buffer.alloc(100),
      // Numbers of 16 bits, which are controls or rare characters.
      Buffer.from(Uint16Array.from({ length: 500 }, (_, index) => index % 40).buffer),
      Buffer.from(Float32Array.from({ length: 500 }, (_, index) => index / 7).buffer),
      Buffer.concat([Buffer.from('fffe', 'hex'), Buffer.from('0100'.repeat(50), 'hex')]),
    ];
    for (const bytes of samplesOfBytes) expect(readText(bytes), bytes.toString('latin1', 0, 16)).toBeUndefined();
    for (let count = 0; count < 50; count += 1) expect(readText(randomBytes(1000))).toBeUndefined();
  });
});

describe('writing in a charset', () => {
  test.each([
    ['GBK', '你好 😀', '😀'],
    ['Shift_JIS', '日本語 한국', '한'],
    ['windows-1252', 'naïve 中', '中'],
    ['EUC-KR', '안녕 😀', '😀'],
    ['KOI8-R', 'Привет é', 'é'],
  ])('%s names the first character that it does not have', (charset, text, impossible) => {
    expect(writeText(text, charset)).toEqual({ impossible });
  });
});

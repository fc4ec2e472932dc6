import { expect, test } from 'vitest';
import { isAddressSaid, isSaidIn, readWords } from '../../src/tools/said-values.ts';

test.each<[string, string, boolean]>([
  ['pay US133 now', 'us133', true],
  ['pay US1333 now', 'US133', false],
  ['pay AUS133, US133.', 'US133', true],
  ['send 50 to Bob', '50', true],
  ['send 150 to Bob', '50', false],
  ['to al, please', 'al', false],
  ['', 'Bob', false],
  ['see https://x.example/a', 'https://x.example/a', true],
  ['see [it](https://X.example/a), or x.example/b.', 'http://x.example/b', true],
  ['see [it](https://X.example/a), or x.example/b.', 'https://x.example/a#b', true],
  ['see https://x.example/a', 'https://x.example/A', false],
  ['see https://x.example/a', 'https://x.example/a)?d=secret', false],
  ["it's https://x.example/a", "https://x.example/a'?d=secret", false],
  ['see https://x.example/a', 'https://x.example/a secret', false],
  ['see https://x.example/a', 'https://secret@x.example/a', false],
  ['see https://x.example/ab', 'https://x.example/a', false],
  // Numbers, however they are written.
  ['pay 98.70', '98.7', true],
  ['pay 98,70 €', '98.70 EUR', true],
  ['pay 1.234,50', '1234.5', true],
  ['pay 1,234.50', '1,234.50 USD', false],
  ['pay $1,234.50', '1234.50 USD', true],
  ['pay 10000', '1e4', true],
  ['pay 9.87', '9,870', false],
  ['pay 50', '0050', false],
  ['pay 50', '-50', false],
  ['pay 50 now', '50%', false],
  ['in 2024-05-19', '19', false],
  ['付50给Bob', '50', true],
  // Accounts count as one.
  ['to DE89 3704 0044 0532 0130 00', 'DE89370400440532013000', true],
  ['to DE89370400440532013000', 'DE89 3704 0044 0532 0130 00', true],
  ['to DE89370400440532013000', '89370400440532013000', false],
  ['to DE89370400440532013000', 'DE89370400440532013001', false],
  ['card 4237-4252-7456-2574', '4237425274562574', false],
  ['card 4237-4252-7456-2574', '4237 4252 7456 2574', true],
  // Dates and times.
  ['on May 19th, 2024', '2024-05-19', true],
  ['on 19.5.2024', '2024-05-19', true],
  ['2024年5月19日', '2024-05-19', true],
  ['on May 19th', '2024-05-19', false],
  ['from January 11th to January 15th 2025', '2025-01-11', true],
  ['on 2024-05-19 at 9:30pm', '2024-05-19 21:30', true],
  ['on 2024-05-19 at 12:00 for one hour', '2024-05-19T13:00:00', true],
  ['on 2024-05-19 at 12:00', '2024-05-19 13:00', false],
  // Chinese is written without spaces.
  ['付给张三', '张三', true],
  ['付给张三', '三', false],
])('that %j holds %j is %j', (words, value, isSaid) => {
  expect(isSaidIn(words, value)).toBe(isSaid);
});

test.each([
  ['https://x.example/a', true],
  ['x.example/a', true],
  ['https://x.example/a).', true],
  ['https://x.example/b', false],
  ['https://x.example', false],
  ['https://x.example/a?d=42', false],
  ['https://x.example/a#42', false],
])('the address %j in an answer is one that the person wrote: %j', (address, isSaid) => {
  expect(isAddressSaid(readWords('What does https://x.example/a say?'), address)).toBe(isSaid);
});

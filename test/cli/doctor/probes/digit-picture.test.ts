import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { digitPicture, drawnDigits } from '../../../../src/cli/doctor/probes/digit-picture.ts';
import { imageTypeOf } from '../../../../src/lib/recognise-image.ts';

/** One sign for each dot of 24 by 24 pixels. Throws if it is no PNG as it should be. */
function readPicture(bytes: Uint8Array): readonly string[] {
  const png = Buffer.from(bytes);
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const length = png.readUInt32BE(33);
  const pixels = inflateSync(png.subarray(41, 41 + length));
  expect(pixels).toHaveLength(height * (1 + width * 3));
  const isBlack = (x: number, y: number): boolean => pixels[y * (1 + width * 3) + 1 + x * 3] === 0;
  return Array.from({ length: height / 24 }, (_, row) =>
    Array.from({ length: width / 24 }, (_, column) => (isBlack(column * 24 + 12, row * 24 + 12) ? '#' : '.')).join(''),
  );
}

test('digits are drawn as people write them', () => {
  const bytes = digitPicture('47');
  expect(imageTypeOf(bytes)).toBe('image/png');
  expect(readPicture(bytes)).toEqual([
    '................',
    '................',
    '.....#...#####..',
    '....##.......#..',
    '...#.#......#...',
    '..#..#.....#....',
    '..#####...#.....',
    '.....#....#.....',
    '.....#....#.....',
    '................',
    '................',
  ]);
});

test('no two digits look alike, and each picture is small', () => {
  const pictures = drawnDigits.map((digit) => readPicture(digitPicture(digit)).join('\n'));
  expect(new Set(pictures).size).toBe(drawnDigits.length);
  expect(digitPicture('888').length).toBeLessThan(4000);
});

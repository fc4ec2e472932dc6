/* A small picture of digits, as a PNG: black on white, large enough for the eyes of small models. */

import { crc32, deflateSync } from 'node:zlib';

/** Rows of five dots, the leftmost the highest bit. Zero and one look like letters, so they are left out. */
const shapes: Readonly<Record<string, readonly number[]>> = {
  2: [0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111],
  3: [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
  4: [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
  5: [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
  6: [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
  7: [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
  8: [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
  9: [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
};

/** The digits that it can draw. */
export const drawnDigits: readonly string[] = Object.keys(shapes);

/** Pixels of a dot. */
const scale = 24;
const [shapeWidth, shapeHeight] = [5, 7];
/** Around and between the digits, in dots. */
const margin = 2;

/** A PNG of the digits. A digit that it cannot draw is left blank. */
export function digitPicture(digits: string): Uint8Array {
  const columns = margin + digits.length * (shapeWidth + margin);
  const rows = margin + shapeHeight + margin;
  const lines = Array.from({ length: rows }, (_, row) => lineOf(digits, row - margin, columns));
  // Each line of pixels begins with its filter: none.
  const pixels = lines.flatMap((line) => Array.from({ length: scale }, () => Buffer.from([0, ...line])));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.concat([bigEndian(columns * scale), bigEndian(rows * scale), Buffer.from([8, 2, 0, 0, 0])])),
    chunk('IDAT', deflateSync(Buffer.concat(pixels))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The bytes of a line: red, green and blue of each pixel. */
function lineOf(digits: string, row: number, columns: number): readonly number[] {
  const dots = Array.from({ length: columns }, (_, column) => isDrawn(digits, row, column - margin));
  return dots.flatMap((isBlack) => Array.from({ length: scale * 3 }, () => (isBlack ? 0 : 255)));
}

function isDrawn(digits: string, row: number, column: number): boolean {
  const [at, dot] = [Math.floor(column / (shapeWidth + margin)), column % (shapeWidth + margin)];
  const bits = shapes[digits[at] ?? '']?.[row] ?? 0;
  return column >= 0 && dot < shapeWidth && ((bits >> (shapeWidth - 1 - dot)) & 1) === 1;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([bigEndian(data.length), named, bigEndian(crc32(named))]);
}

function bigEndian(number: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

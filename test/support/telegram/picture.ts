import { badRequest } from './refusal.ts';

interface Measures {
  readonly width: number;
  readonly height: number;
}

const largestPhoto = 10 * 2 ** 20;
const mostEdges = 10_000;
const mostRatio = 20;

/** What the server takes for a photo. It reads of a picture what its measures are, not whether the rest is right. */
export function checkPhoto(bytes: Buffer): void {
  if (bytes.length > largestPhoto) {
    const limit = `the maximum size is ${largestPhoto} bytes`;
    throw badRequest(`file of size ${bytes.length} bytes is too big for a photo; ${limit}`);
  }
  const measures = measurePng(bytes) ?? measureJpeg(bytes) ?? measureWebp(bytes);
  if (measures === undefined) throw badRequest('IMAGE_PROCESS_FAILED');
  const { width, height } = measures;
  const ratio = Math.max(width, height) / Math.min(width, height);
  if (width + height > mostEdges || !(ratio <= mostRatio)) throw badRequest('PHOTO_INVALID_DIMENSIONS');
}

const pngHead = Buffer.from('89504e470d0a1a0a', 'hex');

function measurePng(bytes: Buffer): Measures | undefined {
  if (bytes.length < 24 || !bytes.subarray(0, 8).equals(pngHead)) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Goes from marker to marker up to the one that begins a frame. */
function measureJpeg(bytes: Buffer): Measures | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
  }
  return undefined;
}

/** The extended form only. */
function measureWebp(bytes: Buffer): Measures | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  if (bytes.toString('latin1', 8, 16) !== 'WEBPVP8X') return undefined;
  return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
}

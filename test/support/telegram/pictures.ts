/** The beginning of a PNG picture with these measures: as much as the server looks at. */
export function pngOf(width: number, height: number): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const measures = Buffer.alloc(8);
  measures.writeUInt32BE(width, 0);
  measures.writeUInt32BE(height, 4);
  return Buffer.concat([head, measures, Buffer.from('0806000000', 'hex')]);
}

/** The same of a JPEG picture, which has its measures behind other parts. */
export function jpegOf(width: number, height: number): Buffer {
  const head = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc00011', 'hex');
  const measures = Buffer.alloc(5);
  measures.writeUInt8(8, 0);
  measures.writeUInt16BE(height, 1);
  measures.writeUInt16BE(width, 3);
  return Buffer.concat([head, measures, Buffer.from('03011100021101031101ffd9', 'hex')]);
}

/** The same of a WebP picture in the extended form. */
export function webpOf(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write('WEBPVP8X', 8, 'latin1');
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
}

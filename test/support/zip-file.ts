import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFileOptions {
  /** What the archive states as the unpacked size of its files, in place of the truth. */
  readonly statedSize?: number;
}

/** A compressed zip archive of these files, as Office programs write it. */
export function zipFile(files: Readonly<Record<string, string | Buffer>>, options: ZipFileOptions = {}): Buffer {
  const entries = Object.entries(files).map(([name, content]) => zipEntry(name, Buffer.from(content), options));
  let offset = 0;
  const directory = entries.map(({ header, packed, name }) => {
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    offset += 4 + header.length + name.length + packed.length;
    return Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), header, place, name]);
  });
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  const bodies = entries.map(({ header, name, packed }) =>
    Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), header, name, packed]),
  );
  return Buffer.concat([...bodies, ...directory, end]);
}

function zipEntry(path: string, content: Buffer, { statedSize = content.length }: ZipFileOptions) {
  const name = Buffer.from(path);
  const packed = deflateRawSync(content, { level: 1 });
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(8, 4);
  header.writeUInt32LE(crc32(content), 10);
  header.writeUInt32LE(packed.length, 14);
  header.writeUInt32LE(statedSize, 18);
  header.writeUInt16LE(name.length, 22);
  return { name, packed, header };
}

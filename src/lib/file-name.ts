import { reveal } from './plain-text.ts';

/** Some file systems refuse longer names, and most platforms cut them. */
const longestName = 120;
const longestExtension = 16;

/**
 * The name as one path segment that is safe on every system: no folders, no hidden characters, no names that Windows
 * reserves, no leading dot. At most 120 bytes; the extension stays. `file` if nothing is left.
 */
export function safeFileName(name: string): string {
  const visible = reveal(
    name
      .toWellFormed()
      .normalize('NFC')
      .replaceAll(/[\n\t]/g, ' '),
  );
  const plain = visible.replaceAll(/[\\/:*?"<>|]+/g, '_').replaceAll(/\s+/g, ' ');
  const bare = plain.replace(/^[\s.]+/, '').replace(/[\s.]+$/, '');
  const whole = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(bare) ? `_${bare}` : bare;
  return shortened(whole) || 'file';
}

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= longestName) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= longestExtension ? name.slice(dot) : '';
  const room = longestName - Buffer.byteLength(extension);
  let stem = '';
  for (const { segment } of new Intl.Segmenter().segment(name.slice(0, name.length - extension.length))) {
    if (Buffer.byteLength(stem + segment) > room) break;
    stem += segment;
  }
  return stem.trimEnd() + extension;
}

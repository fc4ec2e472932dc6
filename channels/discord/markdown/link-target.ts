/** An address that Discord makes a link of; undefined for others, which have to be written out. */
export function linkTarget(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.href.length > longestUrl) return undefined;
  return address.replace(/[\s<>()\\|*`]/g, percentEncoded);
}

const longestUrl = 1_500;

function percentEncoded(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Discord does not hide an address behind words that look like one. */
export function looksLikeAddress(words: string): boolean {
  return /\w:\/\/|^\s*www\.|discord\.gg\//i.test(words);
}

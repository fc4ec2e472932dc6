/** Why a header must not be sent, in words for the model; undefined if it may. */
export function refuseHeader(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return 'is no name of a header';
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    return 'must have a value of one line, of characters that a header can hold';
  if (value.length > 8_000) return 'must not be longer than 8000 characters';
  const lower = name.toLowerCase();
  return ofConnection.has(lower) || lower.startsWith('proxy-') ? 'is set by Keyturn alone: leave it out' : undefined;
}

/** What decides to whom a request goes, where it ends, and how its answer is packed. */
const ofConnection: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'http2-settings',
  'te',
  'trailer',
  'expect',
  'accept-encoding',
]);

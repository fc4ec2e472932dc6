/** How long a provider asks to wait, in milliseconds, if it says so: in its headers, or in the body as Google does. */
export function readRetryAfter(
  headers: Readonly<Record<string, string>> | undefined,
  body: string | undefined,
  now: number,
): number | undefined {
  const milliseconds = toNumber(headers?.['retry-after-ms']);
  if (milliseconds !== undefined) return milliseconds;

  const header = headers?.['retry-after'];
  const seconds = toNumber(header);
  if (seconds !== undefined) return seconds * 1000;
  if (header?.endsWith('GMT')) {
    const instant = Date.parse(header);
    if (!Number.isNaN(instant)) return Math.max(0, instant - now);
  }

  const delay = toNumber(body?.match(/"retryDelay"\s*:\s*"([\d.]{1,12})s"/)?.[1]);
  return delay === undefined ? undefined : delay * 1000;
}

function toNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

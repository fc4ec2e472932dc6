const longestUrl = 2048;
const hostShape = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/i;
const telegramHostShape = /^[a-z0-9_-]+$/i;

/**
 * The address as Telegram takes it for a link, or nothing. Telegram refuses a whole message for one address that it
 * cannot use, and hosts without a dot, `localhost` among them, are such; so is `mailto:`.
 */
export function linkTarget(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || url.href.length > longestUrl || url.username !== '' || url.password !== '') return undefined;
  if (url.protocol === 'http:' || url.protocol === 'https:') {
    return hostShape.test(url.hostname) && url.port !== '0' ? url.href : undefined;
  }
  // tg://user would mention a person, who would be notified.
  if (url.protocol === 'tg:' && telegramHostShape.test(url.host) && url.host !== 'user') return url.href;
  return undefined;
}

/** Whether the address is one of Slack's own, or of what stands in its place: a token may go there. */
export function isTrusted(address: URL, apiUrl: string): boolean {
  if (address.username !== '' || address.password !== '') return false;
  if (address.origin === new URL(apiUrl).origin) return true;
  const isSlack = address.hostname === 'slack.com' || address.hostname.endsWith('.slack.com');
  return isSlack && address.protocol === 'https:' && address.port === '';
}

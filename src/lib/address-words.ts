/** Whether the words of a link are its address. */
export function namesItself(words: string, address: string): boolean {
  return [words, `http://${words}`, `mailto:${words}`].includes(address);
}

/** What of an address is worth being read: a place on the same page and embedded data are not. */
export function readableAddress(address: string): string {
  if (address.startsWith('#') || /^data:/i.test(address)) return '';
  return address.replace(/^mailto:/i, '');
}

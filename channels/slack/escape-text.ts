/** A text in Slack's markup that shows exactly this: nothing in it is a mention or a link. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

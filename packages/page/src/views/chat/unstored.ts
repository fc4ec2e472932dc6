import type { ChatEntry } from '../../../../../src/features/page/wire/chat.ts';

/** Between the texts of a turn. */
const between = '\n\n';
/** No turn has said so many things. */
const most = 60;

/**
 * What of a turn's text is not among the entries yet. The text begins with what they end with: the texts that are stored of
 * this turn. Of a text that stands there in other words, nothing is known to be stored.
 */
export function unstoredText(text: string, entries: readonly ChatEntry[]): string {
  const said = withoutFiles(text);
  const stored = entries.flatMap((entry) =>
    entry.type === 'answer' || entry.type === 'notice' ? [storedText(entry)] : [],
  );
  const texts = stored.filter((one) => one !== '').slice(-most);
  for (let from = 0; from < texts.length; from += 1) {
    const rest = restAfter(said, texts.slice(from));
    if (rest !== undefined) return rest;
  }
  return said;
}

function restAfter(said: string, texts: readonly string[]): string | undefined {
  let rest = said;
  for (const text of texts) {
    const trimmed = rest.trimStart();
    if (!trimmed.startsWith(text)) return undefined;
    rest = trimmed.slice(text.length);
    // Another text that only begins alike.
    if (rest !== '' && !rest.startsWith('\n')) return undefined;
  }
  return rest.trimStart();
}

/** As a session shows it: with what can be typed. */
function storedText({ markdown, buttons }: Extract<ChatEntry, { type: 'answer' | 'notice' }>): string {
  const lines = buttons.map(({ label, line }) => `- ${label}: \`${line.replaceAll('`', '')}\``);
  return [markdown, lines.join('\n')]
    .filter((one) => one !== '')
    .join(between)
    .trim();
}

/** Files are shown as files: the line that names one to clients that cannot is left out. */
function withoutFiles(text: string): string {
  if (!text.includes('📎 `')) return text;
  return text
    .split(between)
    .filter((paragraph) => !/^📎 `[^\n]*` \([^()\n]*\)$/.test(paragraph))
    .join(between);
}

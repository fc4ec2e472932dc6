import type { TrustChange, TrustEntry, TrustKind } from '../../../conversation/trust-store.ts';
import { dayWords } from '../../../lib/local-time.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';

const kindWords: Readonly<Record<TrustKind, string>> = {
  plugin: 'the plugin',
  channel_plugin: 'the channel plugin',
  tool_module: 'the tool module',
  mcp_tool: 'the MCP tool',
};

/** What owners are told of what is not trusted yet, or is not any more what they trusted. */
export function askedNotice(entries: readonly TrustEntry[]): string {
  const [first] = entries;
  const alone = entries.length === 1 && first !== undefined;
  const head = alone
    ? `🔑 ${capital(nameWords(first))} ${noveltyWords(first)}`
    : '🔑 These are new here, or have changed since they were trusted, and are off until an owner trusts them as they are:';
  return [head, ...entries.map((entry) => askedWords(entry, alone)), '`/trust` shows all of it again.'].join('\n\n');
}

/** What `/trust` shows. */
export function trustReport(entries: readonly TrustEntry[]): string {
  const asked = entries.filter((entry) => entry.asked?.isRefused === false);
  const refused = entries.filter((entry) => entry.asked?.isRefused === true);
  const trusted = entries.filter((entry) => entry.trusted !== undefined);
  const sections = [
    asked.length === 0
      ? 'Nothing waits to be trusted.'
      : ['These are off until an owner trusts them:', ...asked.map((entry) => askedWords(entry, false))].join('\n\n'),
    ...(trusted.length === 0 ? [] : [['Trusted:', ...trusted.map(trustedLine)].join('\n')]),
    ...(refused.length === 0 ? [] : [['Refused:', ...refused.map(refusedLine)].join('\n')]),
    ...(trusted.length === 0 ? [] : ['`/distrust ID` ends it.']),
  ];
  return sections.join('\n\n');
}

/** What an owner is told of what they have trusted or refused. `unknown`: how many of the ids fit nothing. */
export function changedWords(changes: readonly TrustChange[], unknown: number): string {
  const lines = changes.map(changeLine);
  if (unknown === 0) return lines.join('\n');
  const which = lines.length === 0 ? 'There is nothing like that' : 'The rest fits nothing';
  return [...lines, `${which}: what has changed meanwhile has another ID. \`/trust\` shows them.`].join('\n');
}

function askedWords(entry: TrustEntry, isNamed: boolean): string {
  const { asked } = entry;
  if (asked === undefined) return '';
  const head = isNamed ? [] : [`**${capital(nameWords(entry))}**`];
  const decision = `Trust it as it is: ${inlineCode(`/trust ${asked.id}`)}. Refuse it: ${inlineCode(`/distrust ${asked.id}`)}.`;
  return [...head, asked.what, `${decision} Its fingerprint is ${inlineCode(asked.fingerprint.slice(0, 16))}.`].join(
    '\n',
  );
}

function noveltyWords({ trusted }: TrustEntry): string {
  return trusted === undefined
    ? 'is new here, and is off until an owner trusts it as it is.'
    : 'has changed since it was trusted, and is off until an owner trusts it as it is now.';
}

function trustedLine({ trusted, ...named }: TrustEntry): string {
  if (trusted === undefined) return '';
  const by = trusted.by === undefined ? "by the config's word" : `by ${inlineCode(oneLine(trusted.by, 100))}`;
  return `- ${inlineCode(trusted.id)}: ${nameWords(named)}, ${by} since ${dayWords(trusted.at)}`;
}

function refusedLine({ asked, ...named }: TrustEntry): string {
  if (asked === undefined) return '';
  return `- ${nameWords(named)}: ${inlineCode(`/trust ${asked.id}`)} would trust it`;
}

function changeLine({ subject, id, became }: TrustChange): string {
  switch (became) {
    case 'trusted':
      return `🔑 Trusted: ${nameWords(subject)}. ${inlineCode(`/distrust ${id}`)} undoes it.`;
    case 'distrusted':
      return `No longer trusted: ${nameWords(subject)}. It is off.`;
    case 'refused':
      return `Refused: ${nameWords(subject)}. It stays off.`;
  }
}

function nameWords({ kind, name }: Pick<TrustEntry, 'kind' | 'name'>): string {
  return `${kindWords[kind]} ${inlineCode(oneLine(name, 200))}`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What `/status` says of what no owner has decided about; nothing where there is none. */
export function untrustedWords(entries: readonly TrustEntry[]): readonly string[] {
  const count = entries.filter(({ asked }) => asked?.isRefused === false).length;
  if (count === 0) return [];
  const things =
    count === 1 ? 'One thing that others have written waits' : `${count} things that others have written wait`;
  return [`${things} to be trusted: \`/trust\`.`];
}

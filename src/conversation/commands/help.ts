import { commandMenu } from '../../command-menu.ts';
import { nearest } from '../../lib/nearest.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';

/** The sections of `/help`, in this order. Only owners see theirs. */
const sections = {
  now: 'Any time',
  here: 'This chat',
  yours: 'Your accounts and devices',
  owners: 'For owners',
} as const;

/** A line of `/help`. */
export interface HelpLine {
  readonly section: keyof typeof sections;
  /** Markdown that begins with a command: `` `/stop`: end what runs here ``. */
  readonly text: string;
}

const ownLines: readonly HelpLine[] = [
  { section: 'now', text: '`/stop`: end the current run, and cancel what waits' },
  { section: 'now', text: '`/new`: begin a new conversation' },
  { section: 'now', text: '`/approve ID`, `/deny ID reason`: answer a request without its buttons' },
  { section: 'now', text: '`/status`: what runs, what waits, what is wrong' },
  { section: 'now', text: '`/retry ID`, `/drop ID`: messages that could not be sent' },
  { section: 'here', text: '`/usage`: tokens and cost today' },
  { section: 'here', text: '`/grants`, `/revoke ID`: saved permissions' },
  { section: 'here', text: '`/tools`: the tools that can be used here' },
];

/** `more`: help on the commands of other parts. In each section the most used command comes first. */
export function helpText(more: readonly HelpLine[], isOwner: boolean): string {
  const lines = [...ownLines, ...more].toSorted((one, other) => placeInMenu(one) - placeInMenu(other));
  const listed = Object.entries(sections).map(([section, title]) => {
    const own = lines.filter((line) => line.section === section && (isOwner || line.section !== 'owners'));
    return own.length === 0 ? [] : [`**${title}**`, ...own.map(({ text }) => `- ${text}`)].join('\n');
  });
  return [
    '**Keyturn** answers with a language model and acts through tools. Before it does anything dangerous it asks here, and waits.',
    ...listed.flat(),
  ].join('\n\n');
}

/** The place of the first command of a line: the menu begins with what is used most. */
function placeInMenu({ text }: HelpLine): number {
  const name = /\/(\w+)/.exec(text)?.[1];
  return commandMenu.findIndex((command) => command.name === name);
}

/**
 * Says that there is no such command, and which one was probably meant. `known`: the commands that there are, without
 * the slash. `otherwise`: a sentence on what to do if none is near.
 */
export function unknownCommandWords(written: string, known: readonly string[], otherwise: string): string {
  const meant = nearest(written, known);
  const advice = meant === undefined ? otherwise : `Did you mean ${inlineCode(`/${meant}`)}?`;
  return `I do not know ${inlineCode(`/${oneLine(written, 60)}`)}. ${advice}`;
}

/** The same for the word after a command. */
export function unknownWordWords(command: string, word: string, known: readonly string[], otherwise: string): string {
  const meant = nearest(word, known);
  return meant === undefined
    ? otherwise
    : `I do not know ${inlineCode(`/${command} ${oneLine(word, 60)}`)}. Did you mean ${inlineCode(`/${command} ${meant}`)}?`;
}

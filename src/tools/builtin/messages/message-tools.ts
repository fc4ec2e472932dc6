import { z } from 'zod';
import { escapeMarkdown, inlineCode, oneLine, shortened } from '../../../lib/plain-text.ts';
import type { Words } from '../../../lib/words.ts';
import { pathInput, readableText, wordsInput } from '../../arguments.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { cleanText, formatSize, isPlainWord, nameForPeople, withoutTurns } from '../../text.ts';
import { type CallBody, defineBuiltin, type Preparation, type Tool, type ToolScope } from '../../tool.ts';
import { builtinWords } from '../words.ts';
import type { FileShowing } from './message-files.ts';

export interface MessageParts {
  readonly addresses: AddressBook;
  readonly courier: Courier;
}

const input = z.strictObject({
  to: wordsInput(300, 'The conversation: its id, as "telegram:-1001", its title, or the name of the person in it.'),
  text: readableText(16_000).describe('Markdown.'),
  silent: z.boolean().optional().describe('No device rings for it.'),
});

/** Writes to another conversation. Resolves `to` to an id before a person is asked, and again before sending. */
export function message(parts: MessageParts, scope: ToolScope): Tool {
  const tool = writing(parts);
  return {
    ...tool,
    async prepare(args): Promise<Preparation> {
      const preparation = await tool.prepare(args);
      if (!preparation.valid) return preparation;
      const { to, ...rest } = input.parse(preparation.call.arguments);
      const known = await parts.addresses.addressesOf(scope.sender.principal, to);
      const found = findAddress(to, known, parts.courier, scope);
      if (typeof found === 'string') return { valid: false, message: found };
      return writing(parts, found).prepare({ to: found.id, ...rest });
    },
  };
}

/** Without an address it has a definition, but cannot run. */
export function writing({ courier }: MessageParts, address?: Address): Tool {
  return defineBuiltin({
    name: 'message',
    displayName: (language) => builtinWords[language].names.message,
    category: 'messaging',
    description:
      'Writes a message to another conversation. Use it only when the person asks you to tell somebody something elsewhere; what you say to the people here is your answer, not a message.',
    input,
    describeCall:
      ({ to, text, silent = false }) =>
      (language) =>
        builtinWords[language].message({
          silent,
          name: address && escapeMarkdown(nameOf(address)),
          id: inlineCode(oneLine(to, 100)),
          text: escapeMarkdown(shortened(oneLine(text, 1000), 200)),
        }),
    body: (args) => bodyOf(args, address),
    facets: ({ to }) => ({ leavesConversation: true, targets: [to], targetName: address && nameOf(address) }),
    async execute({ text, silent = false }, { sender, signal }) {
      if (address === undefined) throw new Error('a message without an address was executed');
      const message = withSender(withoutTurns(cleanText(text)), address, sender);
      return report(
        await courier.send(address.id, { markdown: message, isSilent: silent || undefined }, signal),
        nameOf(address),
      );
    },
  });
}

function bodyOf({ to, text, silent = false }: z.output<typeof input>, address: Address | undefined): CallBody {
  const name = address && escapeMarkdown(nameOf(address));
  const id = inlineCode(oneLine(to, 100));
  return { text, title: (language) => builtinWords[language].messageBelow({ name, id, silent }) };
}

/** Readers elsewhere must know whose words these are. */
function withSender(text: string, { person }: Address, { principal, name }: ToolScope['sender']): Words {
  if (person?.principal === principal) return text;
  const shown = escapeMarkdown(oneLine(name, 80));
  return (language) => `*${builtinWords[language].writtenBy(shown)}*\n\n${text}`;
}

function report(fate: MessageFate, name: string): ToolOutput {
  switch (fate.type) {
    case 'delivered':
      return llmOnly(`Delivered to ${name}.`);
    case 'waiting':
      return llmOnly(`Stored: it will be delivered when ${name} can be reached. Do not send it again.`);
    case 'refused':
      return error(`Not delivered: the platform refuses it (${oneLine(fate.reason, 300)}).`);
    case 'unknown':
      return error(
        `Outcome unknown: it may have arrived at ${name}, and it is not sent again. Send it again only if the person wants that.`,
      );
  }
}

const mostListed = 20;

/** Finds the one conversation that `to` means, or tells the model why there is none. Reveals only known ones. */
function findAddress(
  to: string,
  known: readonly Address[],
  courier: Courier,
  from: Pick<ToolScope, 'conversationId' | 'kind'>,
): Address | string {
  const quoted = JSON.stringify(oneLine(to, 100));
  const matches = matching(to, known);
  const [match] = matches;
  if (match === undefined) {
    const others = known.filter(({ id, channel }) => id !== from.conversationId && courier.reaches(channel));
    return `There is no conversation ${quoted} that you may write to. ${listing(others, from.kind)}`;
  }
  if (matches.length > 1) return `${quoted} could be any of several. ${listing(matches, from.kind)}`;
  if (match.id === from.conversationId) return 'That is the conversation that you are in: answer here instead.';
  if (courier.reaches(match.channel)) return match;
  return `${nameOf(match)} cannot be reached: the channel ${match.channel} is switched off. Only the operator can change that.`;
}

function nameOf({ title, person, id }: Address): string {
  return oneLine(title ?? person?.name ?? id, 100);
}

/** An id precedes names, and a chat its threads. A group with a person’s name does not hide that person. */
function matching(to: string, addresses: readonly Address[]): readonly Address[] {
  const plain = (name: string): string => name.normalize('NFKC').trim().toLowerCase();
  const isCalled = ({ title, person }: Address): boolean =>
    [title, person?.name].some((name) => name !== undefined && plain(name) === plain(to));
  const named = addresses.filter(isCalled);
  const ways = [addresses.filter(({ id }) => id === to), named.filter(({ isThread }) => !isThread), named];
  return ways.find((found) => found.length > 0) ?? [];
}

/** In groups, conversations are not listed, because others read along. */
function listing(addresses: readonly Address[], kind: ToolScope['kind']): string {
  if (kind === 'group') return 'Name it by its id, or exactly by its title: they are listed in direct chats only.';
  if (addresses.length === 0) return 'There is no other at all.';
  // People choose their names: only those too short to carry a message are shown.
  const named = (address: Address): string => (isPlainWord(nameOf(address)) ? ` (${nameOf(address)})` : '');
  const lines = addresses.slice(0, mostListed).map((address) => `- ${address.id}${named(address)}`);
  if (addresses.length > mostListed) lines.push(`- and ${addresses.length - mostListed} more`);
  return ['Name one of these by its id:', ...lines].join('\n');
}

export interface Address {
  /** `telegram:-1001` */
  readonly id: string;
  readonly channel: string;
  readonly isThread: boolean;
  readonly title?: string;
  /** The person of a direct conversation. */
  readonly person?: { readonly principal: string; readonly name: string };
}

export interface AddressBook {
  /**
   * The conversations that the person has taken part in and may still use, latest first. For an owner, the latest known
   * ones and the one with that id.
   */
  addressesOf(principal: string, id: string): Promise<readonly Address[]>;
}

/**
 * The outcome of a message. `waiting`: stored, but not yet shown as it should be · `refused`: the platform rejects it ·
 * `unknown`: it was sent at most once, may have arrived, and is not sent again.
 */
export type MessageFate =
  | { readonly type: 'delivered' | 'waiting' | 'unknown' }
  | { readonly type: 'refused'; readonly reason: string };

/** Delivers messages to other conversations, each at most once. */
export interface Courier {
  reaches(channel: string): boolean;
  /** Stores the message, in the language of its readers, and waits for its delivery, up to 10 s or until the signal aborts. */
  send(to: string, message: CourierMessage, signal: AbortSignal): Promise<MessageFate>;
}

interface CourierMessage {
  readonly markdown: Words;
  /** No device rings for it. */
  readonly isSilent: true | undefined;
}

/** Shows a workspace file in the chat, as it was when the call ran. */
export function sendFile(
  workspaceAt: WorkspaceFactory,
  { files, adapters }: FileShowing,
  kind?: ToolScope['kind'],
): Tool {
  return defineBuiltin({
    name: 'send_file',
    displayName: (language) => builtinWords[language].names.send_file,
    category: 'filesystem_read',
    description:
      'Shows a file of the workspace to the people in this chat: a picture, a document, a recording. Use it when they ask for a file, or when what you made for them is one.',
    input: z.strictObject({
      path: pathInput('The file, relative to the workspace.'),
      caption: z.string().max(2000).optional().describe('Markdown that stands above it.'),
    }),
    describeCall:
      ({ path }) =>
      (language) =>
        builtinWords[language].showFile(nameForPeople(path)),
    facets: () => ({ leavesConversation: kind === 'group' }),
    async execute({ path, caption = '' }, { workspace, channel, log }) {
      const { copiesOf } = await import('./message-files.ts');
      const shown = await copiesOf([path], workspaceAt(workspace), files, log);
      const name = oneLine(path, 200);
      if (shown === undefined) return error(`${name} could not be copied to be sent. Look at it, and try again.`);
      const size = shown.files[0]?.size ?? 0;
      const limit = adapters.get(channel)?.capabilities.maxFileBytes ?? 0;
      const forLlm = fateOf(`${name} (${formatSize(size)})`, size, limit);
      return { forLlm, forUser: caption.trim(), files: shown, isError: false, isAsync: false };
    },
  });
}

function fateOf(file: string, size: number, limit: number): string {
  if (limit === 0) return `This channel takes no files: people are told that ${file} is in the workspace.`;
  if (size <= limit) return `${file} is shown in the chat.`;
  return `${file} is too large for this channel, which takes at most ${formatSize(limit)}: people are told that it is in the workspace.`;
}

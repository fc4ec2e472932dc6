import { type ChannelAdapter, ChannelError, type MessageRef, type OutboundMessage } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type MarkdownLine, readLines } from '../../lib/split/markdown-lines.ts';
import { splitMarkdown } from '../../lib/split/split.ts';
import { createFrames, createLiveMessage, type LiveMessage, type LivePlace } from './live-message.ts';

interface EditedReplyParts {
  readonly place: LivePlace;
  /** The id of the message that it becomes. */
  readonly id: string;
  /** The person's message that it answers. */
  readonly replyTo?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** The most messages shown before the text is complete. */
  readonly maxMessages: number;
  /** Whether nothing in the chat has to be shown first. */
  readonly isClear: () => boolean;
  /** Stores that it is shown from now on. Awaited before the first frame. */
  readonly begin: () => Promise<void>;
  readonly standsAt: (refs: readonly MessageRef[]) => Promise<void>;
  /** What a former process, or a former try, has shown: its messages, and how many of them are final. */
  readonly begun?: { readonly refs: readonly MessageRef[]; readonly finished: number } | undefined;
}

/** A text of so many characters is shown `after` ms from its first one; a shorter one, `anyAfter`. */
const worthShowing = { characters: 30, after: 400, anyAfter: 1500 } as const;
/** A change of fewer characters waits for `anyAfter` ms. */
const worthChanging = { characters: 20, anyAfter: 2000 } as const;

export type EditedReply = ReturnType<typeof createEditedReply>;

/**
 * A reply that is shown while it is written, as messages that are edited. A text too long for one message continues in
 * a new one. Frames are best effort; `finish` makes sure that the final text is shown.
 */
export function createEditedReply(parts: EditedReplyParts) {
  const { place, id, replyTo, clock, begun } = parts;
  const { adapter } = place;
  const messages = (begun?.refs ?? []).map((ref) => createLiveMessage(place, ref));
  let finished = begun?.finished ?? 0;
  let hasBegun = begun !== undefined;
  /** The message that grows. Those before it are full and no longer change. */
  let growing = 0;
  let text = '';
  let firstAt = 0;
  /** The length shown last, and when. */
  let shown: { readonly length: number; readonly at: number } | undefined;
  let isFull = false;

  const isShown = (): boolean => messages.some(({ ref, isLost }) => ref !== undefined || isLost);
  const frames = createFrames(place, {
    clock,
    log: parts.log,
    dueAt,
    isClear: () => isShown() || parts.isClear(),
    paint,
  });

  function dueAt(): number | undefined {
    if (isFull || text === '' || messages.some(({ isLost }) => isLost)) return undefined;
    if (shown === undefined)
      return firstAt + (text.length >= worthShowing.characters ? worthShowing.after : worthShowing.anyAfter);
    const added = text.length - shown.length;
    if (added === 0) return undefined;
    return shown.at + (added >= worthChanging.characters ? 0 : worthChanging.anyAfter);
  }

  async function paint(): Promise<void> {
    const painted = { length: text.length, at: clock.now() };
    const previews = await previewParts(text, adapter);
    for (const [index, markdown] of previews.slice(0, parts.maxMessages).entries()) {
      if (index < growing || !(await isOpen())) continue;
      const message = messageAt(index);
      const isNew = message.ref === undefined;
      await message.show(part(index, markdown));
      if (isNew) await parts.standsAt(messages.flatMap(({ ref }) => ref ?? []));
      growing = index;
    }
    shown = painted;
    isFull = previews.length > parts.maxMessages;
  }

  /** Whether more may be shown. Stores that it begins before the first frame. */
  async function isOpen(): Promise<boolean> {
    if (!hasBegun && !frames.isOver) {
      hasBegun = true;
      await parts.begin();
    }
    return !frames.isOver;
  }

  async function endFrames(): Promise<void> {
    await frames.end();
    const { refusedFor: retryAfter } = frames;
    if (retryAfter > 0)
      throw new ChannelError({ type: 'rate-limited', retryAfter }, 'The chat still takes no changes.');
  }

  function messageAt(index: number): LiveMessage {
    const known = messages[index];
    if (known !== undefined) return known;
    const message = createLiveMessage(place);
    messages.push(message);
    return message;
  }

  /** Not the id of the final part: a platform that uses ids as nonces would drop that part. */
  function part(index: number, markdown: string): OutboundMessage {
    return { id: `${id}p${index.toString(36)}`, kind: 'reply', markdown, replyTo: index === 0 ? replyTo : undefined };
  }

  async function breakOff(): Promise<void> {
    const last = messages.findLast(({ ref, isLost }) => ref !== undefined && !isLost);
    if (last === undefined) return;
    const broken = last.text === undefined ? '…' : `${last.text} …`;
    if (adapter.measure(broken) <= adapter.capabilities.maxLength) await last.show(part(0, broken));
  }

  return {
    /** Whether any of it may be shown already. */
    get hasBegun() {
      return hasBegun;
    },
    /** Whether people see, or may see, some of it. */
    get isShown() {
      return isShown();
    },
    push(delta: string): void {
      if (text === '') firstAt = clock.now();
      text += delta;
      frames.wake();
    },
    /** The text is complete: no more frames until it is finished. */
    complete: frames.stop,
    async finish(final: readonly OutboundMessage[], whenShown: (ref: MessageRef) => Promise<void>): Promise<void> {
      await endFrames();
      for (const message of final.slice(finished)) {
        await whenShown(await messageAt(finished).settle(message));
        finished += 1;
      }
      for (const message of messages.slice(final.length)) await message.remove(part(0, '…'));
    },
    async cancel(): Promise<void> {
      await endFrames();
      if (adapter.remove === undefined) return breakOff();
      for (const message of messages.toReversed()) await message.remove(part(0, '…'));
    },
    /** The process ends: what is shown stays for the next one. Resolves within a second. */
    leave: frames.leave,
  };
}

/** The part of an unfinished text that can be shown, as a list of messages. May be empty. */
async function previewParts(
  text: string,
  adapter: Pick<ChannelAdapter, 'capabilities' | 'measure'>,
): Promise<readonly string[]> {
  const { maxLength } = adapter.capabilities;
  const parts = splitMarkdown(text, { maxLength, measure: (markdown) => adapter.measure(markdown) });
  const last = parts.at(-1);
  if (last === undefined) return [];

  const healed = await healMarkdown(last);
  // The marks that close the text may be just too long for the message.
  const shown = adapter.measure(healed) <= maxLength ? healed : last;
  return [...parts.slice(0, -1), ...(shown.trim() === '' ? [] : [shown])];
}

/**
 * Makes unfinished markdown fit to be shown: closes what is open (emphasis, code, fences, links), and holds back the
 * head of a table until its second line confirms it. A complete text only loses white space at its end. Loads its
 * library on first use.
 */
export async function healMarkdown(markdown: string): Promise<string> {
  // A blank line closes neither a fence nor the list around it, so it tells what is open at the end.
  const lines = readLines(`${markdown}\n\n`);
  const fence = lines.at(-1)?.fence;
  if (fence !== undefined) return `${markdown}${markdown.endsWith('\n') ? '' : '\n'}${fence.prefix}${fence.marker}`;

  const { default: remend } = await import('remend');
  const begin = lastBlockAt(lines, markdown.trimEnd().length);
  // Code first: the marks that close the rest must stay outside it.
  const withCode = remend(withoutTableHead(markdown.slice(begin)).replace(unfinishedImage, '').trimEnd(), codeOnly);
  const block = remend(withCode, completions);
  return (markdown.slice(0, begin) + block).trimEnd();
}

/** Excludes what would change a complete text. */
const completions = {
  linkMode: 'text-only',
  images: false,
  katex: false,
  comparisonOperators: false,
  singleTilde: false,
} as const;

const codeOnly = {
  ...completions,
  bold: false,
  boldItalic: false,
  italic: false,
  strikethrough: false,
  links: false,
  htmlTags: false,
  setextHeadings: false,
} as const;

/** An image without its address shows nothing. */
const unfinishedImage = /!\[[^\]\n]*(?:\]\([^)\n]*)?$/;

/** Where the unfinished block begins: nothing open in one block continues in the next. */
function lastBlockAt(lines: readonly MarkdownLine[], textEnd: number): number {
  const before = lines.findLast(
    ({ start, kind, fence }) =>
      start < textEnd && (kind === 'closes-fence' || (kind === 'blank' && fence === undefined)),
  );
  return before?.end ?? 0;
}

/** Removes lines at the end that are a table only if what follows confirms it. */
function withoutTableHead(block: string): string {
  const lines = block.split('\n');
  // An empty last line means that the line before it is complete.
  const written = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  const rows = written.length - 1 - written.findLastIndex((line) => !line.trimStart().startsWith('|'));
  const head = written.slice(written.length - rows);
  if (rows === 0 || rows > 2 || (rows === 2 && lines.length > written.length)) return block;
  if (rows === 2 && !/^[ \t|:-]*$/.test(head[1] ?? '')) return block;
  return written.slice(0, written.length - rows).join('\n');
}

import type { ChannelHost, InboundEvent } from '../../src/contract.ts';
import type { Dialogue } from './dialogue.ts';
import { afterOneKey, type OpenCard } from './question.ts';

/** A sent line. */
interface TypedLine {
  readonly text: string;
  /** The card that the prompt asked for when typing began. */
  readonly card: OpenCard | undefined;
  /** Whether part of it was pasted. */
  readonly hasPaste: boolean;
  /** It is a key that was pressed alone, without Enter. */
  readonly isOneKey: boolean;
}

export interface ScreenHandlers {
  onLine(line: TypedLine): void;
  /** The person has deleted an unfinished line. */
  onClear(): void;
  /** Ctrl-c on an empty line. */
  onInterrupt(): void;
  /** Tab was pressed, and one of these may be meant. */
  onOptions(options: readonly string[]): void;
  /** The person has closed the input, or the terminal is gone. */
  onEnd(): void;
}

/** A second interrupt within this time, in ms, stops the process instead of the run. */
const interruptWindow = 2000;
/** In ms, from the key that answered to the Enter behind the rest of its word. */
const slowestWord = 5000;

interface Keyboard {
  readonly host: ChannelHost;
  readonly dialogue: Dialogue;
  /** When the last ctrl-c came, if nothing else came since. */
  interruptedAt: number | undefined;
  /** The key that answered the card alone, if nothing else came since. */
  oneKey: OneKey | undefined;
}

interface OneKey {
  readonly key: string;
  readonly card: OpenCard;
  readonly at: number;
}

/** What is typed, for the dialogue. */
export function keyboard(host: ChannelHost, dialogue: Dialogue): ScreenHandlers {
  const keys: Keyboard = { host, dialogue, interruptedAt: undefined, oneKey: undefined };
  return {
    onLine: (line) => takeLine(line, keys),
    onClear() {
      keys.interruptedAt = undefined;
    },
    onOptions: (options) => dialogue.hint(options.join('  ')),
    onInterrupt: () => interrupt(keys),
    onEnd: () => host.requestStop(),
  };
}

function takeLine(typed: TypedLine, keys: Keyboard): void {
  const { host, dialogue } = keys;
  const { card, hasPaste } = typed;
  keys.interruptedAt = undefined;
  const text = meant(typed, keys).trim();
  if (text === '') return;
  // Pasted text answers no question.
  if (text === '/exit' || text === '/quit') {
    host.requestStop();
    return;
  }
  const heard = dialogue.hear(text, hasPaste ? undefined : card);
  if (heard === 'late') {
    dialogue.hint(dialogue.words().answeredMeanwhile);
    return;
  }
  deliver(heard, card, keys);
  // A command may be about the card, and is checked when it is carried out.
  const isAside = heard.type === 'message' && card !== undefined && dialogue.isOpen(card) && !text.startsWith('/');
  if (isAside) dialogue.hint(dialogue.words().sentAside);
}

/** Who types slowly may have answered with the first letter of a word: then the rest of the word says nothing more. */
function meant({ text, card, hasPaste, isOneKey }: TypedLine, keys: Keyboard): string {
  const { host, oneKey: before } = keys;
  const now = host.clock.now();
  keys.oneKey = isOneKey && card !== undefined ? { key: text, card, at: now } : undefined;
  if (before === undefined || isOneKey || hasPaste || now - before.at > slowestWord) return text;
  return afterOneKey(before.key, text, before.card);
}

function interrupt(keys: Keyboard): void {
  const { host, dialogue, interruptedAt } = keys;
  const now = host.clock.now();
  keys.interruptedAt = now;
  if (interruptedAt !== undefined && now - interruptedAt < interruptWindow) {
    host.requestStop();
    return;
  }
  dialogue.hint(dialogue.words().stopping);
  deliver(dialogue.events.message('/stop'), undefined, keys);
}

/** `card`: what the event answers. */
function deliver(event: InboundEvent, card: OpenCard | undefined, { host, dialogue }: Keyboard): void {
  dialogue.deliver(event).catch((error: unknown) => {
    host.log.warn({ error, key: event.key }, 'The event could not be stored');
    dialogue.say(dialogue.words().notStored);
    if (card !== undefined && event.type === 'action') dialogue.reopen(card);
  });
}

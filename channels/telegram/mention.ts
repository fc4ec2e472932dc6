import type { BotIdentity } from './receiving.ts';
import type { TelegramEntity } from './update.ts';

/** What a message says to the bot. */
export interface Addressing {
  /** Whether the text calls the bot: by its name, or by a command. */
  readonly calls: boolean;
  /** The text without the name where it only calls: at the beginning, at the end, and after a command. Never empty. */
  readonly text: string;
}

/** Reads from the marks that Telegram lays over a text whether it is meant for the bot. */
export function readAddressing(text: string, entities: readonly TelegramEntity[], bot: BotIdentity): Addressing {
  const marks = entities.map((entity) => readMark(text, entity, bot));
  return { calls: marks.includes('name') || marks.includes('command'), text: withoutCalls(text, entities, marks) };
}

type Mark = 'name' | 'command' | 'other';

function readMark(text: string, entity: TelegramEntity, bot: BotIdentity): Mark {
  const words = text.slice(entity.offset, entity.offset + entity.length);
  if (entity.type === 'mention') return words.toLowerCase() === nameOf(bot) ? 'name' : 'other';
  if (entity.type === 'text_mention') return entity.user?.id === bot.id ? 'name' : 'other';
  if (entity.type !== 'bot_command') return 'other';

  const at = words.indexOf('@');
  if (at !== -1) return words.slice(at).toLowerCase() === nameOf(bot) ? 'command' : 'other';
  return text.slice(0, entity.offset).trim() === '' ? 'command' : 'other';
}

function nameOf({ username }: BotIdentity): string {
  return `@${username.toLowerCase()}`;
}

function withoutCalls(text: string, entities: readonly TelegramEntity[], marks: readonly Mark[]): string {
  let rest = text;
  // From the end, so that the places of the others stay right.
  for (const [index, entity] of [...entities.entries()].reverse()) {
    const start = entity.offset;
    const end = start + entity.length;
    switch (marks[index]) {
      case 'command':
        rest = rest.slice(0, start) + rest.slice(start, end).replace(/@.*$/, '') + rest.slice(end);
        break;
      case 'name':
        rest = withoutName(rest, start, end);
        break;
      case 'other':
      case undefined:
        break;
    }
  }
  return rest.trim() === '' ? text : rest.trim();
}

/** In the middle of a sentence the name means something; there it stays. */
function withoutName(text: string, start: number, end: number): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  if (before.trim() === '' && /^([\s,:]|$)/.test(after)) return after.replace(/^[\s,:]+/, '');
  return after.trim() === '' && /\s$/.test(before) ? before.trimEnd() : text;
}

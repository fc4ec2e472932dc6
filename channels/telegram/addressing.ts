import type { TextEntity } from './entities.ts';
import type { BotIdentity } from './reading-api.ts';

export interface Addressed {
  /** Whether the text addresses the bot by its name or a command. */
  readonly calls: boolean;
  /** Without the bot's name at the beginning, at the end and in commands. */
  readonly text: string;
}

/** Reads whether a text addresses the bot, judging by its entities. */
export function readAddressing(text: string, entities: readonly TextEntity[], bot: BotIdentity): Addressed {
  let calls = false;
  let rest = text;
  // From the end, so that the other offsets stay valid.
  for (const entity of entities.toReversed()) {
    const { offset: start, length } = entity;
    const end = start + length;
    const call = callIn(text, entity, bot);
    calls ||= call !== undefined;
    if (call === 'name') rest = withoutName(rest, start, end);
    if (call === 'command') rest = rest.slice(0, start) + rest.slice(start, end).replace(/@.*$/, '') + rest.slice(end);
  }
  return { calls, text: rest.trim() === '' ? text : rest.trim() };
}

function callIn(text: string, entity: TextEntity, bot: BotIdentity): 'name' | 'command' | undefined {
  const words = text.slice(entity.offset, entity.offset + entity.length);
  const name = `@${bot.username.toLowerCase()}`;
  if (entity.type === 'mention') return words.toLowerCase() === name ? 'name' : undefined;
  if (entity.type === 'text_mention') return entity.user?.id === bot.id ? 'name' : undefined;
  if (entity.type !== 'bot_command') return undefined;

  const at = words.indexOf('@');
  const isOurs = at === -1 ? text.slice(0, entity.offset).trim() === '' : words.slice(at).toLowerCase() === name;
  return isOurs ? 'command' : undefined;
}

/** A name in the middle of a sentence carries meaning, and stays. */
function withoutName(text: string, start: number, end: number): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  if (before.trim() === '' && /^([\s,:]|$)/.test(after)) return after.replace(/^[\s,:]+/, '');
  return after.trim() === '' && /\s$/.test(before) ? before.trimEnd() : text;
}

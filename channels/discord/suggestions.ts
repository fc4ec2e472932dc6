import { InteractionResponseType, InteractionType } from 'discord.js';
import { z } from 'zod';
import { ChannelError, type Suggestion } from '../../src/contract.ts';
import { untilAborted, withTimeout } from '../../src/lib/clock.ts';
import { oneLine } from '../../src/lib/plain-text.ts';
import { list } from '../kit/read-payload.ts';
import {
  acknowledge,
  conversationOf,
  type InteractionContext,
  interactionBase,
  senderIn,
} from './interaction-intake.ts';
import { type FirstAnswer, wordsOption } from './interactions.ts';
import { handleShape } from './payload.ts';

/** Somebody types an option, and Discord asks for suggestions. It takes no message as the answer. */
const kind = z.object({ type: z.literal(InteractionType.ApplicationCommandAutocomplete) });
const asking = interactionBase.extend({
  data: z.object({
    name: z.string().min(1),
    options: list(z.object({ name: z.string(), value: z.string(), focused: z.boolean().default(false) })),
  }),
});

/** Discord shows so many, and so long ones: discord.com/developers/docs/interactions/receiving-and-responding */
const mostChoices = 25;
const longestChoice = 100;

/** Discord waits 3 s, and the answer takes its time. In ms. */
const patience = 1_500;

/**
 * Answers with what the person may mean; with nothing if that takes too long. Nothing is stored. False if the interaction
 * is another one.
 */
export function takeSuggesting(payload: unknown, { runtime, background }: InteractionContext): boolean {
  const { data: handle } = handleShape.safeParse(payload);
  if (handle === undefined || !kind.safeParse(payload).success) return false;
  background.run('suggestions could not be made', async () => {
    await acknowledge(handle, answerOf(await suggestionsFor(payload, runtime)), runtime);
  });
  return true;
}

async function suggestionsFor(
  payload: unknown,
  runtime: InteractionContext['runtime'],
): Promise<readonly Suggestion[]> {
  const { host } = runtime;
  const { data: asked } = asking.safeParse(payload);
  const sender = asked && senderIn(asked);
  if (asked === undefined || sender === undefined || host.suggestions === undefined) return [];
  const { name: command, options } = asked.data;
  const typed = options.find(({ name, focused }) => focused && name === wordsOption)?.value ?? '';
  try {
    const find = async () => host.suggestions?.(await conversationOf(asked, runtime), sender, { command, typed });
    const limit = { clock: host.clock, milliseconds: patience };
    return (await withTimeout(limit, (signal) => untilAborted(find(), signal))) ?? [];
  } catch (error) {
    const level = error instanceof ChannelError ? 'debug' : 'warn';
    host.log[level]({ err: error, command }, 'nothing could be suggested');
    return [];
  }
}

function answerOf(suggestions: readonly Suggestion[]): FirstAnswer {
  const choices = suggestions
    .filter(({ value }) => value !== '' && value.length <= longestChoice)
    .slice(0, mostChoices)
    .map(({ value, label }) => ({ name: oneLine(label, longestChoice) || value, value }));
  return { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } };
}

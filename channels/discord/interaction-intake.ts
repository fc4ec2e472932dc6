import {
  ApplicationCommandType,
  ComponentType,
  InteractionContextType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  RESTJSONErrorCodes as Reason,
} from 'discord.js';
import { z } from 'zod';
import type { BareDeletion, Conversation, InboundAction, InboundEvent, Receipt, Sender } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { endsWithin, withTimeout } from '../../src/lib/clock.ts';
import { lenient, list, optionalText } from '../kit/read-payload.ts';
import { refusalCode } from '../kit/request-failure.ts';
import { bestEffort, retry } from '../kit/retries.ts';
import type { Method } from './api.ts';
import { ephemeral, ephemeralBodies } from './ephemeral.ts';
import { type FirstAnswer, filledForm, formFor, tokenLifetime, webhookOf, wordsOption } from './interactions.ts';
import {
  channelShape,
  handleShape,
  type InteractionHandle,
  id,
  instantOf,
  member,
  namedShape,
  senderOf,
  user,
} from './payload.ts';
import { lookUpConversation, type Runtime } from './runtime.ts';
import { wordsFor } from './words.ts';

export const interactionBase = handleShape.extend({
  channel_id: id,
  guild_id: id.nullish(),
  channel: lenient(channelShape),
  context: lenient(z.int()),
  member: member.extend({ user }).nullish(),
  user: user.nullish(),
  /** The language of the person's client. */
  locale: optionalText,
  /** The message that the button or form belongs to. */
  message: lenient(namedShape),
});
const button = z.object({ component_type: z.literal(ComponentType.Button), custom_id: z.string().min(1) });
const command = z.object({
  type: z.literal(ApplicationCommandType.ChatInput).default(ApplicationCommandType.ChatInput),
  name: z.string().min(1),
  options: list(z.object({ name: z.string(), value: z.string() })),
});
const pressShape = interactionBase.extend({ type: z.literal(InteractionType.MessageComponent), data: button });
const formShape = interactionBase.extend({ type: z.literal(InteractionType.ModalSubmit), data: filledForm });
const commandShape = interactionBase.extend({ type: z.literal(InteractionType.ApplicationCommand), data: command });
const interactionShape = z.discriminatedUnion('type', [pressShape, formShape, commandShape]);

type Interaction = z.output<typeof interactionBase>;

/** Returns the event to store, if any. Throws `ChannelError`: permanent if it can no longer be determined. */
export type StoredEvent = () => Promise<InboundEvent | BareDeletion | undefined>;

/** Stores an event in its lane and returns the receipt; undefined if it was not stored. */
type Store = (lane: string, event: StoredEvent) => Promise<Receipt | undefined>;

/** Discord waits 3 s for the first answer. In ms. */
const patience = 2_700;
const firstPause = 250;
/** The message that shows "is thinking". */
const original = '/messages/@original';

/** Leaves the message with the button unchanged. */
const untouched: FirstAnswer = { type: InteractionResponseType.DeferredMessageUpdate };
export const thinking: FirstAnswer = {
  type: InteractionResponseType.DeferredChannelMessageWithSource,
  data: { flags: MessageFlags.Ephemeral },
};

/** What is needed to hand interactions to the host and to answer them. */
export interface InteractionContext {
  readonly runtime: Runtime;
  /** People are answered in it. */
  readonly background: Background;
  readonly store: Store;
}

/**
 * Takes any interaction: a press, a command or a form. It is acknowledged at once, without waiting for the store.
 * Resolves once it is stored.
 */
export async function takeInteraction(payload: unknown, intake: InteractionContext): Promise<void> {
  const { runtime } = intake;
  const { data: handle } = handleShape.safeParse(payload);
  if (handle === undefined) return runtime.host.log.debug({}, 'an interaction could not be read');
  const { data: interaction } = interactionShape.safeParse(payload);
  const sender = interaction && senderIn(interaction);
  if (interaction === undefined || sender === undefined)
    return refuse(handle, wordsFor(runtime.host, sender).noLongerDoesAnything, runtime);
  switch (interaction.type) {
    case InteractionType.ApplicationCommand:
      return takeCommand(interaction, sender, intake);
    case InteractionType.MessageComponent:
      return takePress(interaction, sender, intake);
    case InteractionType.ModalSubmit: {
      const acknowledged = acknowledge(interaction, untouched, runtime);
      return act(interaction, { ...interaction.data, sender }, acknowledged, intake);
    }
  }
}

async function takePress(
  press: z.output<typeof pressShape>,
  sender: Sender,
  intake: InteractionContext,
): Promise<void> {
  const { custom_id: actionId } = press.data;
  const form = formFor(actionId, wordsFor(intake.runtime.host, sender));
  const acknowledged = acknowledge(press, form ?? untouched, intake.runtime);
  if (form === undefined) await act(press, { actionId, sender }, acknowledged, intake);
  else await acknowledged;
}

/** Resolves once the press is stored. The person is answered in the background. */
async function act(
  interaction: Interaction,
  action: Pick<InboundAction, 'actionId' | 'text' | 'sender'>,
  acknowledged: Promise<boolean>,
  { runtime, background, store }: InteractionContext,
): Promise<void> {
  const { id: key, channel_id: channelId, message: messageRef } = interaction;
  // A lane of its own: messages there must not delay a press.
  const receipt = await store(`${channelId}:presses`, async () => {
    const conversation = await conversationOf(interaction, runtime);
    return { type: 'action', key, conversation, ...action, messageRef };
  });
  background.run('a press could not be answered', async () => {
    await acknowledged;
    if (receipt?.notice !== undefined)
      await tell(interaction, { words: receipt.notice, sender: action.sender }, runtime);
  });
}

async function takeCommand(
  interaction: z.output<typeof commandShape>,
  sender: Sender,
  { runtime, background, store }: InteractionContext,
): Promise<void> {
  const { interactions, signal } = runtime;
  const { id: key, application_id, token, channel_id: channelId, data } = interaction;
  const acknowledged = acknowledge(interaction, thinking, runtime).then((isDone) => {
    if (isDone) interactions.set(key, { id: key, application_id, token }, tokenLifetime);
  });
  const words = data.options.find(({ name }) => name === wordsOption)?.value ?? '';
  let conversation: Conversation | undefined;
  const receipt = await store(channelId, async () => {
    const found = await conversationOf(interaction, runtime);
    conversation = found;
    // The answer needs the acknowledged interaction.
    await acknowledged;
    return {
      type: 'message',
      key,
      conversation: found,
      sender,
      text: `/${data.name} ${words}`.trim(),
      addressed: true,
      sentAt: instantOf(key),
      privateTo: `${sender.id}:${key}`,
    };
  });
  // Discord resends it after the stop.
  if (receipt === undefined && signal.aborted) return;
  background.run('a command could not be brought to its end', () =>
    end({ handle: interaction, sender, conversation, notice: receipt?.notice }, runtime),
  );
}

/** A command that was stored, or could not be. */
interface TakenCommand {
  readonly handle: InteractionHandle;
  readonly sender: Sender;
  readonly conversation: Conversation | undefined;
  /** What the host has to say about it. */
  readonly notice: string | undefined;
}

/** "Is thinking" must end, whatever became of the command. */
async function end({ handle, sender, conversation, notice }: TakenCommand, runtime: Runtime): Promise<void> {
  const { host, interactions, signal } = runtime;
  const idle = notice === undefined && conversation !== undefined ? host.whenIdle(conversation) : Promise.resolve();
  const isIdle = await endsWithin(idle, { clock: host.clock, milliseconds: tokenLifetime, signal });
  if (!(await isThinking(handle, runtime))) return;
  interactions.delete(handle.id);
  // The next process answers.
  if (notice === undefined && signal.aborted) return void (await follow(handle, runtime, 'DELETE', original));
  const words = wordsFor(host, sender);
  const said = notice ?? (isIdle ? words.mayNotAnswerHere : words.answerComesLater);
  await tell(handle, { words: said, sender, fillsThinking: true }, runtime);
}

/** The conversation that messages there belong to. */
export async function conversationOf(interaction: Interaction, runtime: Runtime): Promise<Conversation> {
  const { directory } = runtime;
  const { channel_id: chatId, guild_id, channel, context } = interaction;
  const known = directory.find(chatId);
  if (known !== undefined) return known;
  // A chat between other people where one of them has installed the app.
  if (context === InteractionContextType.PrivateChannel && typeof guild_id !== 'string')
    return { channel: 'discord', chatId, kind: 'group' };
  if (channel?.id === chatId) directory.add(channel, guild_id ?? channel.guild_id);
  return directory.find(chatId) ?? (await lookUpConversation(runtime, chatId));
}

/** Sends the first answer, with retries until the deadline. Resolves with whether Discord has it; never rejects. */
export async function acknowledge(
  { id, token }: InteractionHandle,
  body: FirstAnswer,
  { api, host: { clock, log } }: Runtime,
): Promise<boolean> {
  const onFailure = (error: unknown): void =>
    log.debug({ interaction: id, err: error }, 'an interaction could not be answered');
  const route = `/interactions/${id}/${encodeURIComponent(token)}/callback` as const;
  try {
    return await withTimeout({ clock, milliseconds: patience }, async (late) => {
      const send = () => api.call('POST', route, { body, auth: false, repeatable: true, signal: late });
      await retry(send, { clock, signal: late, backOff: { firstPause }, onFailure });
      return !late.aborted;
    });
  } catch (error) {
    if (refusalCode(error) === Reason.InteractionHasAlreadyBeenAcknowledged) return true;
    onFailure(error);
    return false;
  }
}

/** Answers with a text that only this person sees. */
async function refuse(interaction: InteractionHandle, words: string, runtime: Runtime): Promise<void> {
  const type = InteractionResponseType.ChannelMessageWithSource;
  await acknowledge(interaction, { type, data: ephemeral(words) }, runtime);
}

/** Whether the person still sees only "is thinking". False if unknown. */
async function isThinking(interaction: InteractionHandle, runtime: Runtime): Promise<boolean> {
  const { data } = waitingShape.safeParse(await follow(interaction, runtime, 'GET', original));
  return data !== undefined && (data.flags & MessageFlags.Loading) !== 0;
}

interface Told {
  /** Markdown. */
  readonly words: string;
  readonly sender: Sender | undefined;
  /** The first message takes the place of "is thinking". */
  readonly fillsThinking?: true;
}

/** Shows words to this person alone, in several messages if they are long. */
export async function tell(
  interaction: InteractionHandle,
  { words, sender, fillsThinking }: Told,
  runtime: Runtime,
): Promise<void> {
  const [first, ...others] = ephemeralBodies(words, wordsFor(runtime.host, sender), runtime.parse);
  if (first === undefined) return;
  const { content, allowed_mentions } = first;
  if (fillsThinking) await follow(interaction, runtime, 'PATCH', original, { content, allowed_mentions });
  else await follow(interaction, runtime, 'POST', '', first);
  for (const other of others) await follow(interaction, runtime, 'POST', '', other);
}

/** Sends a request with the interaction's token. Logs failures. */
function follow(
  interaction: InteractionHandle,
  { api, host }: Runtime,
  method: Method,
  path: string,
  body?: object,
): Promise<unknown> {
  const call = () => api.call(method, `${webhookOf(interaction)}${path}`, { auth: false, repeatable: true, body });
  const fields = { interaction: interaction.id };
  return bestEffort(call, { log: host.log, failure: 'a person could not be told something', fields });
}

/** In a guild, the user is inside the member. */
export function senderIn({ member, user, guild_id, locale }: Interaction): Sender | undefined {
  const author = member?.user ?? user ?? undefined;
  if (author === undefined) return undefined;
  const sender = senderOf({ author, member: member ?? undefined }, typeof guild_id === 'string');
  return { ...sender, language: locale || undefined };
}

const waitingShape = z.object({ flags: z.int().nonnegative() });

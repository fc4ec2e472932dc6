import {
  InteractionContextType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  RESTJSONErrorCodes as Reason,
} from 'discord.js';
import { z } from 'zod';
import type { BareDeletion, Conversation, InboundEvent, Receipt, Sender } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import { refusalCode } from '../kit/request-failure.ts';
import { retry } from '../kit/retries.ts';
import { withTimeout } from '../kit/timeout.ts';
import type { Method } from './api.ts';
import {
  actionOfForm,
  type FirstAnswer,
  formFor,
  privateName,
  tokenLifetime,
  webhookOf,
  wordsIn,
  wordsOption,
} from './interactions.ts';
import {
  commandShape,
  type DiscordInteraction,
  formShape,
  handleShape,
  type InteractionHandle,
  instantOf,
  interactionShape,
  namedShape,
  pressShape,
  senderOf,
} from './payload.ts';
import { lookUpPlace, type Runtime } from './runtime.ts';

/** What is to be stored, if anything is. Throws `ChannelError`: a permanent one if that can't be told any more. */
export type StoredEvent = () => Promise<InboundEvent | BareDeletion | undefined>;

/** What the intake of interactions shares with that of messages. */
export interface IntakeRuntime extends Runtime {
  /** Stores what came in, in its lane, and gives what the person is told; undefined if the session was over before. */
  readonly store: (lane: string, event: StoredEvent) => Promise<Receipt | undefined>;
  readonly background: Background;
}

/** Discord waits 3 s for the first answer. */
const patience = 2_700;
const firstPause = 250;
/** The message in which "is thinking" stands. */
const original = '/messages/@original';

/** The message with the button stays as it is. */
const untouched: FirstAnswer = { type: InteractionResponseType.DeferredMessageUpdate };
const thinking: FirstAnswer = {
  type: InteractionResponseType.DeferredChannelMessageWithSource,
  data: { flags: MessageFlags.Ephemeral },
};
const noChoices: FirstAnswer = {
  type: InteractionResponseType.ApplicationCommandAutocompleteResult,
  data: { choices: [] },
};

const unknownWords = 'This does nothing here, or not any more.';
const unansweredWords = 'I do not answer that here: my config says where I talk, and with whom.';
const laterWords = 'This takes longer than Discord waits for it. The answer comes as a direct message.';

/** An interaction of somebody whom Discord names. */
type Sent = DiscordInteraction & { readonly sender: Sender };

/**
 * Takes what people press, command and fill in, of any shape. Each is answered at once, whatever the store does. Resolves
 * once it is stored.
 */
export async function takeInteraction(runtime: IntakeRuntime, payload: unknown): Promise<void> {
  const { data: handle } = handleShape.safeParse(payload);
  if (handle === undefined) return runtime.host.log.debug({}, 'an interaction could not be read');
  if (handle.application_id !== runtime.self().applicationId)
    return refuse(runtime, handle, 'This belongs to another app.');
  if (handle.type === InteractionType.ApplicationCommandAutocomplete) {
    await acknowledge(runtime, handle, noChoices);
    return;
  }
  const { data: interaction } = interactionShape.safeParse(payload);
  const sender = interaction && senderIn(interaction);
  const isTaken =
    interaction !== undefined && sender !== undefined && (await dispatch(runtime, { ...interaction, sender }));
  if (!isTaken) await refuse(runtime, handle, unknownWords);
}

/** In a guild the person stands in the member. */
function senderIn({ member, user, guild_id }: DiscordInteraction): Sender | undefined {
  const author = member?.user ?? user ?? undefined;
  return author && senderOf({ author, member: member ?? undefined }, typeof guild_id === 'string');
}

/** Whether it was understood. */
async function dispatch(runtime: IntakeRuntime, interaction: Sent): Promise<boolean> {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand:
      return takeCommand(runtime, interaction);
    case InteractionType.MessageComponent:
      return takePress(runtime, interaction);
    case InteractionType.ModalSubmit:
      return takeForm(runtime, interaction);
    default:
      return false;
  }
}

async function takePress(runtime: IntakeRuntime, interaction: Sent): Promise<boolean> {
  const { data: press } = pressShape.safeParse(interaction.data);
  if (press === undefined) return false;
  const form = formFor(press.custom_id);
  const acknowledged = acknowledge(runtime, interaction, form ?? untouched);
  if (form === undefined) await act(runtime, interaction, { actionId: press.custom_id }, acknowledged);
  else await acknowledged;
  return true;
}

async function takeForm(runtime: IntakeRuntime, interaction: Sent): Promise<boolean> {
  const { data: form } = formShape.safeParse(interaction.data);
  const actionId = form && actionOfForm(form.custom_id);
  if (form === undefined || actionId === undefined) return false;
  // Without a message below it there is none to leave as it is.
  const hasMessage = interaction.message !== undefined && interaction.message !== null;
  const acknowledged = acknowledge(runtime, interaction, hasMessage ? untouched : thinking);
  await act(runtime, interaction, { actionId, text: wordsIn(form.components) }, acknowledged, !hasMessage);
  return true;
}

/** Resolves once the press is stored. What became of it is told behind that. */
async function act(
  runtime: IntakeRuntime,
  interaction: Sent,
  action: { readonly actionId: string; readonly text?: string },
  acknowledged: Promise<boolean>,
  isToBeFilled = false,
): Promise<void> {
  const { data: messageRef } = namedShape.safeParse(interaction.message);
  const { id: key, sender, channel_id: channelId } = interaction;
  // Nothing that was said there before holds it up.
  const receipt = await runtime.store(`${channelId}:presses`, async () => {
    const conversation = await placeOf(runtime, interaction);
    return { type: 'action', key, conversation, sender, ...action, messageRef };
  });
  runtime.background.run('a press could not be answered', async () => {
    await acknowledged;
    const words = receipt?.notice;
    if (isToBeFilled)
      await fillThinking(runtime, interaction, receipt === undefined ? unknownWords : (words ?? 'Done.'));
    else if (words !== undefined) await follow(runtime, interaction, 'POST', '', ephemeral(words));
  });
}

async function takeCommand(runtime: IntakeRuntime, interaction: Sent): Promise<boolean> {
  const { data: command } = commandShape.safeParse(interaction.data);
  if (command === undefined) return false;
  const acknowledged = acknowledge(runtime, interaction, thinking).then((isDone) => {
    if (isDone) runtime.interactions.remember(interaction);
  });
  const { id: key, sender, channel_id: channelId } = interaction;
  const words = command.options.find(({ name }) => name === wordsOption)?.value ?? '';
  let place: Conversation | undefined;
  const receipt = await runtime.store(channelId, async () => {
    const conversation = await placeOf(runtime, interaction);
    place = conversation;
    // An answer must find the place for it.
    await acknowledged;
    return {
      type: 'message',
      ...{ key, conversation, sender },
      text: `/${command.name} ${words}`.trim(),
      addressed: true,
      sentAt: instantOf(key),
      privateTo: privateName({ userId: sender.id, interactionId: key }),
    };
  });
  // It comes again, and is stored then.
  if (receipt === undefined && runtime.signal.aborted) return true;
  const where = place;
  runtime.background.run('a command could not be brought to its end', () => end(runtime, interaction, where, receipt));
  return true;
}

/** Nobody looks at "is thinking" for ever, whatever came of the command. */
async function end(
  runtime: IntakeRuntime,
  handle: InteractionHandle,
  place: Conversation | undefined,
  receipt: Receipt | undefined,
): Promise<void> {
  const { host, signal } = runtime;
  const words = receipt?.notice;
  const idle = words === undefined && place !== undefined ? host.whenIdle(place) : Promise.resolve();
  const isIdle = await endsWithin(idle, { clock: host.clock, milliseconds: tokenLifetime, signal });
  if (!(await isThinking(runtime, handle))) return;
  runtime.interactions.forget(handle.id);
  // The next process answers.
  if (words === undefined && signal.aborted) await follow(runtime, handle, 'DELETE', original);
  else await fillThinking(runtime, handle, words ?? (isIdle ? unansweredWords : laterWords));
}

/** The same conversation as that of the messages there. */
async function placeOf(runtime: Runtime, interaction: DiscordInteraction): Promise<Conversation> {
  const { directory } = runtime;
  const { channel_id: chatId, guild_id, channel, context } = interaction;
  const place = directory.find(chatId);
  if (place !== undefined) return place;
  // A chat between other people, in one of which the app is at hand.
  if (context === InteractionContextType.PrivateChannel && typeof guild_id !== 'string')
    return { channel: 'discord', chatId, kind: 'group' };
  if (channel?.id === chatId) directory.add(channel, guild_id ?? channel.guild_id);
  return directory.find(chatId) ?? (await lookUpPlace(runtime, chatId));
}

/** Gives the first answer, as often as it takes within the time for it. Whether Discord has it; never throws. */
async function acknowledge(
  { api, host }: Runtime,
  { id, token }: InteractionHandle,
  body: FirstAnswer,
): Promise<boolean> {
  const log = (error: unknown): void =>
    host.log.debug({ interaction: id, err: error }, 'an interaction could not be answered');
  const answer = async (signal: AbortSignal): Promise<boolean> => {
    const route = `/interactions/${id}/${encodeURIComponent(token)}/callback` as const;
    const send = () => api.call('POST', route, { body, auth: false, repeatable: true, signal });
    await retry(send, { clock: host.clock, signal, backOff: { firstPause }, onFailure: log });
    return !signal.aborted;
  };
  try {
    return await withTimeout({ clock: host.clock, milliseconds: patience }, answer);
  } catch (error) {
    if (refusalCode(error) === Reason.InteractionHasAlreadyBeenAcknowledged) return true;
    log(error);
    return false;
  }
}

/** Answers for the first time with words, which nobody else sees. */
async function refuse(runtime: Runtime, interaction: InteractionHandle, words: string): Promise<void> {
  const type = InteractionResponseType.ChannelMessageWithSource;
  await acknowledge(runtime, interaction, { type, data: ephemeral(words) });
}

/** Whether the person still sees "is thinking", and nothing else. False if Discord does not say. */
async function isThinking(runtime: Runtime, interaction: InteractionHandle): Promise<boolean> {
  const { data } = waitingShape.safeParse(await follow(runtime, interaction, 'GET', original));
  return data !== undefined && (data.flags & MessageFlags.Loading) !== 0;
}

/** Puts words in the place of "is thinking". */
async function fillThinking(runtime: Runtime, interaction: InteractionHandle, words: string): Promise<void> {
  const { content, allowed_mentions } = ephemeral(words);
  await follow(runtime, interaction, 'PATCH', original, { content, allowed_mentions });
}

/** Does something with the token of the interaction. That it fails is said in the log. */
async function follow(
  { api, host }: Runtime,
  interaction: InteractionHandle,
  method: Method,
  path: string,
  body?: object,
): Promise<unknown> {
  try {
    return await api.call(method, `${webhookOf(interaction)}${path}`, { auth: false, repeatable: true, body });
  } catch (error) {
    host.log.debug({ interaction: interaction.id, err: error }, 'a person could not be told something');
    return undefined;
  }
}

const waitingShape = z.object({ flags: z.int().nonnegative() });

/** Longer ones Discord refuses. */
const longestWords = 2_000;

function ephemeral(words: string) {
  const content = words.slice(0, longestWords).toWellFormed();
  return { content, flags: MessageFlags.Ephemeral, allowed_mentions: { parse: [] } };
}

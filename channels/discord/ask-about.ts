import {
  ApplicationCommandType,
  ComponentType,
  InteractionContextType,
  InteractionResponseType,
  InteractionType,
  PermissionFlagsBits,
  TextInputStyle,
} from 'discord.js';
import { z } from 'zod';
import { ChannelError, type Conversation, type InboundMessage, type Sender } from '../../src/contract.ts';
import type { JsonValue } from '../../src/lib/json.ts';
import type { Perishable } from '../../src/lib/remembered.ts';
import { lenient, optionalText } from '../kit/read-payload.ts';
import {
  acknowledge,
  conversationOf,
  type InteractionContext,
  interactionBase,
  senderIn,
  tell,
  thinking,
} from './interaction-intake.ts';
import { type FirstAnswer, localizedName, textIn, tokenLifetime } from './interactions.ts';
import { openChat } from './outgoing.ts';
import { quotedMessage } from './parse.ts';
import { id, instantOf, repliedShape } from './payload.ts';
import { type DiscordWords, discordWords, wordsFor } from './words.ts';

/*
 * "Ask about this" in the menu of a message: a form asks what the person wants to know, and their question goes to the bot
 * with the message as somebody else's words, also where the bot could not read it. It is answered in the message's channel
 * where the bot may write there, and in the person's direct chat elsewhere, as where only they have installed the app.
 */

/** A message by its place, while a form asks about it: a form that is open when Keyturn ends must be opened again. */
export type ChosenMessages = Perishable<string, z.output<typeof repliedShape>>;

export interface AskContext extends InteractionContext {
  readonly chosen: ChosenMessages;
}

const base = interactionBase.extend({
  /** What the bot may do there, as a number. */
  app_permissions: optionalText,
});

const choiceShape = base.extend({
  type: z.literal(InteractionType.ApplicationCommand),
  data: z.object({
    type: z.literal(ApplicationCommandType.Message),
    target_id: id,
    resolved: z.object({ messages: z.record(z.string(), lenient(repliedShape)) }),
  }),
});

/** Prefix of the form's id; behind it stands the message's. */
const formPrefix = 'about:';

const questionShape = base.extend({
  type: z.literal(InteractionType.ModalSubmit),
  data: z.object({ custom_id: z.string().startsWith(formPrefix), components: z.unknown().optional() }),
});

type Question = z.output<typeof questionShape>;

/** The command as it is registered. */
export function askCommand(): JsonValue {
  const { commandAsk: name } = discordWords.en;
  return { type: ApplicationCommandType.Message, name, description: '', options: [], ...localizedName(nameIn) };
}

function nameIn(language: 'zh'): string {
  return discordWords[language].commandAsk;
}

/** Takes a choice of the menu, or the form that it has opened. False if the payload is neither. */
export async function takeAskAbout(payload: unknown, intake: AskContext): Promise<boolean> {
  const { data: choice } = choiceShape.safeParse(payload);
  if (choice !== undefined) {
    await takeChoice(choice, intake);
    return true;
  }
  const { data: question } = questionShape.safeParse(payload);
  if (question === undefined) return false;
  await takeQuestion(question, intake);
  return true;
}

async function takeChoice(choice: z.output<typeof choiceShape>, { runtime, chosen }: AskContext): Promise<void> {
  const { target_id: targetId, resolved } = choice.data;
  const message = resolved.messages[targetId];
  if (message !== undefined) chosen.set(keyOf(choice.channel_id, targetId), message, tokenLifetime);
  await acknowledge(choice, formFor(targetId, wordsFor(runtime.host, senderIn(choice))), runtime);
}

const longestQuestion = 2_000;

function formFor(targetId: string, words: DiscordWords): FirstAnswer {
  const component = {
    type: ComponentType.TextInput,
    custom_id: 'question',
    style: TextInputStyle.Paragraph,
    required: false,
    max_length: longestQuestion,
    placeholder: words.askAboutIt,
  };
  return {
    type: InteractionResponseType.Modal,
    data: {
      custom_id: `${formPrefix}${targetId}`,
      title: words.commandAsk,
      components: [{ type: ComponentType.Label, label: words.askWhat, component }],
    },
  };
}

async function takeQuestion(question: Question, { runtime, background, store, chosen }: AskContext): Promise<void> {
  const { host, signal } = runtime;
  const { id: key, channel_id: channelId, data } = question;
  const sender = senderIn(question);
  const words = wordsFor(host, sender);
  const targetId = data.custom_id.slice(formPrefix.length);
  const acknowledged = acknowledge(question, thinking, runtime);
  const message = chosen.get(keyOf(channelId, targetId));
  const text = textIn(data.components, longestQuestion).trim() || words.askAboutIt;
  let place: Conversation | undefined;
  const stored =
    sender !== undefined && message !== undefined
      ? await store(channelId, async () => {
          place = await placeToAnswer(question, sender, runtime);
          return place && asked({ key, text, sender, message, targetId, channelId, place }, runtime);
        })
      : undefined;
  // Discord resends it after the stop.
  if (stored === undefined && signal.aborted) return;
  const outcome = place === undefined ? words.noPlaceToAnswer : answerComes(place, channelId, words);
  const said = message === undefined ? words.chooseAgain : (stored?.notice ?? outcome);
  background.run('who asks about a message could not be told', async () => {
    await acknowledged;
    await tell(question, { words: said, sender, fillsThinking: true }, runtime);
  });
}

function answerComes(place: Conversation, channelId: string, words: DiscordWords): string {
  return isAt(place, channelId) ? words.answersHere : words.answersDirectly;
}

function isAt({ chatId, threadId }: Conversation, channelId: string): boolean {
  return (threadId ?? chatId) === channelId;
}

interface Asked {
  readonly key: string;
  readonly text: string;
  readonly sender: Sender;
  readonly message: z.output<typeof repliedShape>;
  readonly targetId: string;
  readonly channelId: string;
  readonly place: Conversation;
}

function asked(
  { key, text, sender, message, targetId, channelId, place }: Asked,
  runtime: AskContext['runtime'],
): InboundMessage {
  const isHere = isAt(place, channelId);
  const { attachments = [], name, text: words, isOwn } = quotedMessage(message, { channelId, place }, runtime);
  return {
    type: 'message',
    key,
    conversation: place,
    // Roles are those of a server.
    sender: isHere ? sender : { ...sender, roles: undefined },
    text,
    shared: [{ how: 'forwarded', name, text: words, isOwn }],
    attachments: attachments.length > 0 ? attachments.map((file) => ({ ...file, isShared: true })) : undefined,
    addressed: true,
    sentAt: instantOf(key),
    messageId: isHere ? targetId : undefined,
  };
}

/** Undefined if the bot may write neither there nor to the person. Throws `ChannelError` while it can be tried again. */
async function placeToAnswer(
  question: Question,
  sender: Sender,
  runtime: AskContext['runtime'],
): Promise<Conversation | undefined> {
  const { guild_id, context } = question;
  const isForeign = context === InteractionContextType.PrivateChannel;
  if (typeof guild_id === 'string' ? mayWrite(question, guild_id, runtime) : !isForeign)
    return conversationOf(question, runtime);
  try {
    return { channel: 'discord', chatId: await openChat(runtime.api, sender.id), kind: 'direct' };
  } catch (error) {
    if (error instanceof ChannelError && error.fault.type === 'permanent') return undefined;
    throw error;
  }
}

/** In a server that the bot is not in, only the person has installed it. */
function mayWrite({ app_permissions }: Question, guildId: string, { directory }: AskContext['runtime']): boolean {
  if (directory.guild(guildId) === undefined) return false;
  if (app_permissions === undefined || !/^\d{1,30}$/.test(app_permissions)) return true;
  const granted = BigInt(app_permissions);
  const { Administrator, ViewChannel, SendMessages, SendMessagesInThreads } = PermissionFlagsBits;
  if ((granted & Administrator) !== 0n) return true;
  return (granted & ViewChannel) !== 0n && (granted & (SendMessages | SendMessagesInThreads)) !== 0n;
}

function keyOf(channelId: string, messageId: string): string {
  return `${channelId}:${messageId}`;
}

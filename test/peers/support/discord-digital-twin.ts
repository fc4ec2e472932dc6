import { generateSnowflake } from 'discord-digital-twin';
import { z } from 'zod';
import { filledComponents, type ModalForm, modalForm } from '../../../packages/fakes/src/discord/components.ts';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import { patienceMs, waitUntil } from '../../support/wait-for.ts';
import { type RunningTwin, startTwin } from './discord-digital-twin/start-twin.ts';
import { createTwinDoor } from './discord-digital-twin/twin-door.ts';
import { readTwinMessage, type TwinMessage } from './discord-digital-twin/twin-message.ts';

const people = ['ann', 'ben'] as const;
export type TwinPerson = (typeof people)[number];

export type DiscordTwin = Awaited<ReturnType<typeof startDiscordTwin>>;

/** What the bot says first to a press, or to a form that was filled in. */
export interface TwinAnswer {
  /** As Discord numbers them: 6 leaves the message as it is, 9 shows a form. */
  readonly type: number;
  readonly form?: ModalForm;
}

/** A button with the message below which it stands. */
export interface TwinPress {
  readonly channel: string;
  readonly message: TwinMessage;
  readonly label: string;
}

/**
 * A Discord that others have written, in this process on free ports of this machine, with a guild, a channel and two people
 * besides the bot. A door before it adds what a bot can't do without: which commands are registered, that a message is a
 * reply and to what, and that a session can't be resumed. The twin checks no token, no permission, no intent, no nonce and
 * no length, has no limits, and always says that nobody is mentioned. It knows no files and no private answers: what
 * one person alone should see stands in the channel for all. The direct chats are there from the beginning: the bot can't
 * open one, and nothing can be pressed or commanded there. Threads begin as if the bot had made them, and lists of old
 * messages do not say what is a reply.
 */
export async function startDiscordTwin() {
  const door = createTwinDoor();
  await door.open();
  const [general, ...ids] = [generateSnowflake(), ...people.map(() => generateSnowflake())];
  const idOf = Object.fromEntries(people.map((name, index) => [name, ids[index] ?? '']));
  const token = `${'N'.repeat(26)}.twin01.${'W'.repeat(38)}`;
  const twin = await startTwin({ people: idOf, channels: { general }, token, gatewayUrl: door.gatewayUrl() });
  const { discord, directs } = twin;
  door.stands({
    port: discord.port,
    commands: () => commandsOf(twin),
    findMessage: (channelId, messageId) => ask(twin, 'GET', `/channels/${channelId}/messages/${messageId}`),
  });
  const actor = (channel: string, by: TwinPerson) => discord.channel(channel).user(idOf[by] ?? '');

  const answered = async ({ id }: { readonly id: string }): Promise<TwinAnswer> => {
    const find = () =>
      discord.prisma.interactionResponse.findUnique({ where: { interactionId: id, acknowledged: true } });
    const { type, data } = await waitUntil(find, { what: 'an answer to an interaction' });
    if (type !== 9) return { type };
    return { type, form: modalForm.parse(JSON.parse(data ?? '')) };
  };

  /** What stands there now, the oldest first. */
  const messages = async (channel: string): Promise<readonly TwinMessage[]> =>
    (await discord.channel(channel).getMessages()).map(readTwinMessage);

  /** Presses a button by what stands on it. */
  const press = async ({ channel, message, label }: TwinPress, by: TwinPerson = 'ann'): Promise<TwinAnswer> => {
    const button = message.buttons.find((candidate) => candidate.label === label);
    if (button?.data === undefined) throw new Error(`There is no button "${label}" on the message ${message.id}.`);
    return answered(await actor(channel, by).clickButton({ messageId: message.id, customId: button.data }));
  };

  return {
    /** What the channel takes as `api_url`. */
    apiUrl: `${door.root()}/api`,
    token,
    guildId: discord.guildId,
    /** The id of a channel that all are in. */
    general,
    /** How the bot is mentioned. */
    mention: `<@${discord.botUserId}>`,
    /** What the bot has asked for, the oldest first. */
    calls: door.calls,
    /** Breaks the connection to the gateway without a word. */
    dropConnection: door.drop,
    messages,
    press,

    /** Call it when the bot is gone. */
    async close(): Promise<void> {
      try {
        await door.close();
      } finally {
        await twin.stop();
      }
    },

    /** The chat that the person has with the bot alone. */
    direct: (person: TwinPerson): string => directs[person] ?? '',

    /** Says something in a channel, a thread or a direct chat. Answers with the id of the message. */
    async say(channel: string, text: string, by: TwinPerson = 'ann'): Promise<string> {
      return (await actor(channel, by).sendMessage({ content: text })).id;
    },

    /** Says it as an answer to a message. */
    async reply(channel: string, messageId: string, text: string): Promise<string> {
      const messageReference = { message_id: messageId, channel_id: channel, type: 0 } as const;
      return (await actor(channel, 'ann').sendMessage({ content: text, messageReference })).id;
    },

    /** Opens a thread in the channel, below a message if one is given. Answers with its id. */
    async openThread(channel: string, name: string, messageId?: string): Promise<string> {
      const below = messageId === undefined ? '' : `/messages/${messageId}`;
      const thread = await ask(twin, 'POST', `/channels/${channel}${below}/threads`, { name, type: 11 });
      return z.object({ id: z.string() }).parse(thread).id;
    },

    /** Presses a button that asks for words, and sends the form with these in its only field. */
    async pressAndWrite(pressed: TwinPress, words: string): Promise<TwinAnswer> {
      const { form } = await press(pressed);
      const [input, ...others] = form?.inputs ?? [];
      if (form === undefined || input === undefined || others.length > 0)
        throw new Error(`"${pressed.label}" shows no form with one field.`);
      const data = { custom_id: form.customId, components: filledComponents(form, { [input.customId]: words }) };
      // The twin's own way to do it leaves out the message below which the button stands.
      const place = { channelId: pressed.channel, userId: idOf.ann ?? '', messageId: pressed.message.id };
      return answered(await discord.simulateInteraction({ type: 5, ...place, data }));
    },

    /** Gives a slash command, as the menu has it. Resolves with what comes to stand in the place of "is thinking". */
    async command(channel: string, name: string): Promise<TwinMessage> {
      const { prisma } = discord;
      if ((await prisma.applicationCommand.findFirst({ where: { name } })) === null)
        throw new Error(`There is no command /${name}.`);
      const { id: interactionId } = await actor(channel, 'ann').runSlashCommand({ name });
      const look = async (): Promise<TwinMessage | undefined> => {
        const row = await prisma.interactionResponse.findUnique({ where: { interactionId } });
        return (await messages(channel)).find(({ id }) => id === row?.messageId);
      };
      return waitUntil(look, { what: `an answer to /${name}` });
    },

    /** Waits until the bot shows such a text or such a message there. The latest one, if there are several. */
    async waitForMessage(channel: string, wanted: string | ((message: TwinMessage) => boolean)): Promise<TwinMessage> {
      const fits = typeof wanted === 'string' ? ({ text }: TwinMessage) => text === wanted : wanted;
      let shown: readonly TwinMessage[] = [];
      const look = async (): Promise<TwinMessage | undefined> => {
        shown = await messages(channel);
        return shown.findLast((message) => message.from === 'bot' && fits(message));
      };
      const what = typeof wanted === 'string' ? `"${wanted}"` : 'such a message';
      const describe = (): string => shown.map(({ from, text }) => `${from}: ${text.slice(0, 300)}`).join('\n');
      return waitUntil(look, { what: `${what} in the channel ${channel}`, describe, timeoutMs: patienceMs });
    },
  };
}

/** Undefined where there is no such thing. */
async function ask(
  { discord }: RunningTwin,
  method: 'GET' | 'POST',
  path: string,
  body?: JsonObject,
): Promise<JsonObject | undefined> {
  const content = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${discord.restUrl}/v10${path}`, { method, ...content });
  const answer: unknown = await response.json();
  if (response.status === 404) return undefined;
  if (response.ok && isJsonObject(answer)) return answer;
  throw new Error(`The twin answers ${method} ${path} with ${response.status} ${JSON.stringify(answer)}`);
}

/** As Discord lists them. */
async function commandsOf({ discord: { prisma } }: RunningTwin): Promise<readonly JsonObject[]> {
  const commands = await prisma.applicationCommand.findMany({ where: { guildId: null } });
  return commands.map(({ id, applicationId, name, description, type, options, version }) => ({
    ...{ id, application_id: applicationId, version, type, name, description },
    options: z.json().parse(JSON.parse(options)),
  }));
}

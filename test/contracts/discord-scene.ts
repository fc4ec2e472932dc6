import type { Conversation } from '../../src/contract.ts';
import type { Person, User } from '../support/discord/places.ts';
import type { ShownMessage } from '../support/discord/shown-message.ts';
import type { DiscordServer, Interaction } from '../support/discord-server.ts';
import { foundWithin } from '../support/wait-for.ts';
import type { Who } from './platform.ts';

const otherBot: User = {
  ...{ id: '1001000000000000045', username: 'other', discriminator: '0', global_name: null, avatar: null },
  bot: true,
};
export const people: Readonly<Record<Who, Person>> = {
  owner: '1001000000000000042',
  friend: '1001000000000000043',
  stranger: '1001000000000000044',
  bot: otherBot,
};
/** So often is it looked whether somebody was told something. */
const looks = 35;

/** What happened last, as the gateway told it. */
interface Told {
  readonly event: string;
  readonly data: unknown;
  /** Where it stands, if it was said. */
  readonly said?: { readonly id: string; readonly channelId: string };
}

/** How somebody presses. */
interface Press {
  readonly button: string;
  readonly from: Person;
  readonly forged?: boolean;
}

/** A guild with a channel and a thread, a direct chat with the owner, and what people do there. */
export class DiscordScene {
  readonly home: Conversation;
  readonly group: Conversation;
  readonly thread: Conversation;
  readonly #server: DiscordServer;
  #last: Told | undefined;

  constructor(server: DiscordServer) {
    this.#server = server;
    const owner = idOf('owner');
    const guild = server.scenery.addGuild({ name: 'Team', owner });
    const chatId = server.scenery.addChannel(guild.id, { name: 'team' });
    this.home = { channel: 'discord', chatId: server.direct(owner), kind: 'direct' };
    this.group = { channel: 'discord', tenant: guild.id, chatId, kind: 'group' };
    this.thread = { ...this.group, threadId: server.people.startThread(chatId, 'plans') };
  }

  /** What mentions the bot. */
  get mention(): string {
    return `<@${this.#server.bot.id}>`;
  }

  /** All that stands in the place, the oldest first. */
  messages(place: Conversation): readonly ShownMessage[] {
    return this.#server.chat(channelOf(place));
  }

  say(place: Conversation, text: string, how: Parameters<DiscordServer['say']>[2] = {}): void {
    const channelId = channelOf(place);
    const data = this.#server.say(channelId, text, how);
    this.#last = { event: 'MESSAGE_CREATE', data, said: { id: data.id, channelId } };
  }

  /** Changes what was said last. */
  correct(text: string): void {
    const said = this.#last?.said;
    if (said === undefined) throw new Error('Nobody has said anything.');
    const mention = said.channelId === this.home.chatId ? '' : `${this.mention} `;
    const data = this.#server.edit(said.channelId, said.id, `${mention}${text}`);
    this.#last = { event: 'MESSAGE_UPDATE', data, said };
  }

  press(place: Conversation, messageId: string, { button, ...how }: Press): Interaction {
    const interaction = this.#server.press(channelOf(place), messageId, button, how);
    this.#last = { event: 'INTERACTION_CREATE', data: interaction.event };
    return interaction;
  }

  /** Tells again what happened last. */
  repeat(): void {
    if (this.#last !== undefined) this.#server.dispatch(this.#last.event, this.#last.data);
  }

  /** The latest message that has this button. */
  withButton(place: Conversation, label: string): ShownMessage {
    const found = this.messages(place).findLast(({ buttons }) => buttons.some((button) => button.label === label));
    if (found === undefined) throw new Error(`There is no button "${label}" in ${channelOf(place)}.`);
    return found;
  }

  /** The id of the latest message. Where there is none, somebody says something: a press has to name a message. */
  latest(place: Conversation): string {
    const last = this.messages(place).at(-1) ?? this.#server.say(channelOf(place), 'chatter', { from: people.friend });
    return last.id;
  }

  /** What the presser alone reads then; empty if it is nothing for a while. */
  async isTold({ id }: Interaction): Promise<string> {
    const look = (): string => this.#server.interaction(id).ephemeral.join('\n');
    return (await foundWithin(looks, look)) ?? '';
  }
}

export function idOf(who: Who): string {
  const person = people[who];
  return typeof person === 'string' ? person : person.id;
}

/** A thread is a channel of its own. */
function channelOf({ chatId, threadId }: Conversation): string {
  return threadId ?? chatId;
}

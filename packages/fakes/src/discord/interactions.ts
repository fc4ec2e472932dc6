import { z } from 'zod';
import type { BotMessages } from './bot-messages.ts';
import { filledComponents, flatButtons, type ModalForm, modalForm } from './components.ts';
import type { RouteRequest } from './files.ts';
import { type MessageContent, messageFlags, type StoredMessage } from './messages.ts';
import { applicationId, type Channel, type Person, type User, wireChannel, wireMember } from './places.ts';
import { Refusal, readForm, refusals, type Wire } from './refusal.ts';
import type { DiscordWorld } from './world.ts';

/** The bot's first answer to a press, a command or a form. */
export interface InteractionAnswer {
  /** 4 and 5 are a message, at once or later; 6 leaves the message that was pressed as it is; 8 suggests words; 9 is a form. */
  readonly type: 4 | 5 | 6 | 8 | 9;
  /** What it says. Empty if it says nothing yet. */
  readonly text: string;
  /** Whether only the person sees it. */
  readonly ephemeral: boolean;
  readonly modal?: ModalForm;
  /** The words that it suggests. */
  readonly choices?: readonly { readonly name: string; readonly value: string }[];
}

/** A press, a command or a form as the person sees it now. */
export interface ShownInteraction {
  readonly answer: InteractionAnswer | undefined;
  /** What is shown to the person alone, from top to bottom. */
  readonly ephemeral: readonly string[];
}

export interface PressOptions {
  readonly from?: Person;
  /** Sends the custom id even if there is no such button: what anybody can do with a client of their own. */
  readonly forged?: boolean;
  /** The language of the person's client. `en-US`, if not set. */
  readonly locale?: string;
}

export interface CommandOptions {
  readonly from?: Person;
  /** By their names. */
  readonly options?: Readonly<Record<string, string>>;
  /** Sends the command even if it is not registered. */
  readonly forged?: boolean;
  /** Where it is given, if in no guild: 1 is the chat with the bot, 2 a chat of other people. */
  readonly context?: 1 | 2 | undefined;
  /** The language of the person's client. `en-US`, if not set. */
  readonly locale?: string;
  /** The bot is in the guild; if not, only the person has installed it. */
  readonly isInstalled?: boolean;
}

interface Asked {
  /** 2 is a command, 3 a press, 4 asks for suggestions, 5 a form. */
  readonly type: 2 | 3 | 4 | 5;
  readonly channelId: string;
  readonly user: User;
  /** The message whose button was pressed. */
  readonly message?: StoredMessage | undefined;
  readonly context?: 1 | 2 | undefined;
  readonly locale?: string | undefined;
  readonly isInstalled?: boolean;
}

interface StoredInteraction extends Asked {
  readonly id: string;
  readonly token: string;
  readonly at: number;
  answer?: InteractionAnswer;
  /** The id of the message that `@original` means. */
  original?: string;
  /** The messages that only the person sees. */
  readonly hidden: Map<string, StoredMessage>;
}

const callbackForm = z.object({ type: z.literal([4, 5, 6, 8, 9]), data: z.unknown().optional() });
const choice = z.string().min(1).max(100);
const suggestionsForm = z.strictObject({ choices: z.array(z.strictObject({ name: choice, value: choice })).max(25) });
const flagsForm = z.object({ flags: z.int().default(0) });

/** What people press, pick and fill in, and the routes by which the bot answers: the token in the path speaks for it. */
export class Interactions {
  readonly #world: DiscordWorld;
  readonly #botMessages: BotMessages;
  readonly #all = new Map<string, StoredInteraction>();

  constructor(world: DiscordWorld, botMessages: BotMessages) {
    this.#world = world;
    this.#botMessages = botMessages;
  }

  press(channelId: string, messageId: string, button: string, { from, forged = false, locale }: PressOptions = {}) {
    const message = this.#world.messages.get(channelId, messageId);
    const customId = forged ? button : findButton(message, button);
    const user = this.#world.places.actor(this.#world.places.get(channelId), from);
    return this.#tell({ type: 3, channelId, user, message, locale }, { component_type: 2, custom_id: customId, id: 1 });
  }

  command(
    channelId: string,
    name: string,
    { from, options = {}, forged = false, context, locale }: CommandOptions = {},
  ) {
    const command = this.#world.commands.find((known) => known.name === name);
    if (command === undefined && !forged) throw new Error(`There is no command "${name}" to use.`);
    const given = Object.entries(options).map(([key, value]) => ({ name: key, type: 3, value }));
    const user = this.#world.places.actor(this.#world.places.get(channelId), from);
    return this.#tell(
      { type: 2, channelId, user, context, locale },
      { id: command?.id ?? '1', name, type: 1, options: given },
    );
  }

  /** Chooses a command in the menu of a message. */
  choose(channelId: string, messageId: string, name: string, options: Omit<CommandOptions, 'options'> = {}) {
    const { from, forged = false, context, locale, isInstalled = true } = options;
    const command = this.#world.commands.find((known) => known.name === name && known.type === 3);
    if (command === undefined && !forged) throw new Error(`There is no command "${name}" to choose.`);
    const message = this.#world.messages.get(channelId, messageId);
    const user = this.#world.places.actor(this.#world.places.get(channelId), from);
    return this.#tell(
      { type: 2, channelId, user, context, locale, isInstalled },
      {
        id: command?.id ?? '1',
        name,
        type: 3,
        target_id: messageId,
        resolved: { messages: { [messageId]: this.#world.wire(message) } },
      },
    );
  }

  /** Somebody types the option of a command, for which the bot may suggest words. */
  suggest(channelId: string, name: string, typed: string, from?: Person) {
    const user = this.#world.places.actor(this.#world.places.get(channelId), from);
    const options = [{ name: 'text', type: 3, value: typed, focused: true }];
    return this.#tell({ type: 4, channelId, user }, { id: '1', name, type: 1, options });
  }

  /** Fills in the form that answered a press or a command, and sends it. */
  submit(id: string, values: Readonly<Record<string, string>>) {
    const { answer, channelId, user, message: pressed, locale, context, isInstalled } = this.#get(id);
    const modal = answer?.modal;
    if (modal === undefined) throw new Error(`The interaction ${id} has shown no form.`);
    const message = this.#world.messages.find(channelId, pressed?.id);
    const data = { custom_id: modal.customId, components: filledComponents(modal, values) };
    return this.#tell({ type: 5, channelId, user, message, locale, context, isInstalled }, data);
  }

  shown(id: string): ShownInteraction {
    const { answer, hidden } = this.#get(id);
    const visible = [...hidden.values()].filter(({ flags }) => (flags & messageFlags.loading) === 0);
    return { answer, ephemeral: visible.map(({ content }) => content) };
  }

  forget(): void {
    this.#all.clear();
  }

  /** Gives the first answer. */
  callback(request: RouteRequest): undefined {
    const interaction = this.#all.get(request.path.interaction ?? '');
    if (interaction === undefined || interaction.token !== request.path.token)
      throw refusals.unknown(10062, 'interaction');
    if (interaction.answer !== undefined) throw new Refusal(400, 40060, 'Interaction has already been acknowledged.');
    if (this.#isOver(interaction, this.#world.times.interaction)) throw refusals.unknown(10062, 'interaction');
    interaction.answer = this.#answerTo(interaction, request);
  }

  followUp(request: RouteRequest): Wire {
    const interaction = this.#answeredIn(request);
    const first = this.#find(interaction, interaction.original);
    // The first one takes the place of "is thinking".
    if (first !== undefined && (first.flags & messageFlags.loading) !== 0)
      return this.#change(interaction, first, request);
    const content = this.#botMessages.contentOf(this.#world.places.get(interaction.channelId), request);
    return this.#world.wire(this.#show(interaction, content));
  }

  getMessage(request: RouteRequest): Wire {
    return this.#world.wire(this.#messageIn(this.#answeredIn(request), request));
  }

  changeMessage(request: RouteRequest): Wire {
    const interaction = this.#answeredIn(request);
    return this.#change(interaction, this.#messageIn(interaction, request), request);
  }

  deleteMessage(request: RouteRequest): undefined {
    const interaction = this.#answeredIn(request);
    const message = this.#messageIn(interaction, request);
    if (!interaction.hidden.delete(message.id)) this.#world.remove(message);
  }

  #tell(asked: Asked, data: Wire) {
    const { type, channelId, user, message, context = 1, locale = 'en-US', isInstalled = true } = asked;
    const id = this.#world.nextId();
    const token = `interaction-token-${id}`;
    this.#all.set(id, { ...asked, id, token, at: this.#world.now(), hidden: new Map() });
    const channel = this.#world.places.get(channelId);
    const guild = this.#world.places.guildOf(channel);
    const member = wireMember(guild, user.id);
    const event = {
      id,
      application_id: applicationId,
      type,
      token,
      version: 1,
      channel_id: channelId,
      locale,
      channel: wireChannel(channel),
      entitlements: [],
      data,
      authorizing_integration_owners: isInstalled ? { 0: guild?.id ?? '0' } : { 1: user.id },
      app_permissions: this.#permissionsIn(channel, isInstalled),
      ...(guild === undefined ? { user, context } : { guild_id: guild.id, member, context: 0 }),
      ...(message !== undefined && { message: this.#world.wire(message) }),
    };
    if (this.#world.application.interactionsEndpoint === null)
      this.#world.gateway.publish('INTERACTION_CREATE', 0, event);
    this.#world.changes.notify();
    return { id, event };
  }

  /** As one number. Who has installed the app alone gives it no right to write. */
  #permissionsIn(channel: Channel, isInstalled: boolean): string {
    const bits = [
      ['VIEW_CHANNEL', 1n << 10n],
      ['SEND_MESSAGES', 1n << 11n],
      ['SEND_MESSAGES_IN_THREADS', 1n << 38n],
    ] as const;
    const granted = bits.filter(([name]) => isInstalled && this.#world.places.allows(channel, [name]));
    return String(granted.reduce((sum, [, bit]) => sum | bit, 0n));
  }

  /** For people and tests, who know what there is. */
  #get(id: string): StoredInteraction {
    const interaction = this.#all.get(id);
    if (interaction === undefined) throw new Error(`There is no interaction ${id}.`);
    return interaction;
  }

  #isOver({ at }: StoredInteraction, patience: number): boolean {
    return this.#world.now() - at > patience;
  }

  /** One that was answered and whose token is still good. Throws a refusal if it is not. */
  #answeredIn({ path }: RouteRequest): StoredInteraction {
    const interaction = [...this.#all.values()].find(({ token }) => token === path.token);
    if (interaction?.answer === undefined || path.application !== applicationId)
      throw refusals.unknown(10015, 'Webhook');
    if (this.#isOver(interaction, this.#world.times.interactionToken))
      throw new Refusal(401, 50027, 'Invalid Webhook Token');
    return interaction;
  }

  #find({ hidden, channelId }: StoredInteraction, id = ''): StoredMessage | undefined {
    return hidden.get(id) ?? this.#world.messages.find(channelId, id);
  }

  #messageIn(interaction: StoredInteraction, { path }: RouteRequest): StoredMessage {
    const message = this.#find(interaction, path.message === '@original' ? interaction.original : path.message);
    if (message === undefined) throw refusals.unknown(10008, 'Message');
    return message;
  }

  /** In the channel, or to the person alone. */
  #show({ channelId, hidden }: StoredInteraction, content: MessageContent): StoredMessage {
    const message = { author: this.#world.account.user, type: 20, ...content };
    if ((content.flags & messageFlags.ephemeral) === 0) return this.#world.post(channelId, message);
    const id = this.#world.nextId();
    const stored = { ...message, id, channelId, sentAt: this.#world.now(), edits: 0, reactions: [] };
    hidden.set(id, stored);
    return stored;
  }

  #change(interaction: StoredInteraction, message: StoredMessage, request: RouteRequest): Wire {
    const { hidden, channelId } = interaction;
    const content = this.#botMessages.contentOf(this.#world.places.get(channelId), request, message);
    const filled = { ...content, flags: content.flags & ~messageFlags.loading };
    if (!hidden.has(message.id)) return this.#world.wire(this.#world.change(message, filled));
    const changed = { ...message, ...filled, edits: message.edits + 1 };
    hidden.set(message.id, changed);
    return this.#world.wire(changed);
  }

  #answerTo(interaction: StoredInteraction, request: RouteRequest): InteractionAnswer {
    const { type, data } = readForm(callbackForm, request.json);
    const nothing = { text: '', ephemeral: true };
    // Suggestions, and nothing else, answer who asks for them.
    if ((interaction.type === 4) !== (type === 8)) throw new Refusal(400, 50035, 'Invalid Form Body');
    switch (type) {
      case 4: {
        const content = this.#botMessages.contentOf(this.#world.places.get(interaction.channelId), {
          ...request,
          json: data,
        });
        interaction.original = this.#show(interaction, content).id;
        return { type, text: content.content, ephemeral: (content.flags & messageFlags.ephemeral) !== 0 };
      }
      case 5: {
        const { flags } = readForm(flagsForm, data ?? {});
        const empty = { content: '', embeds: [], components: [], files: [], mentions: { users: [], pings: [] } };
        interaction.original = this.#show(interaction, { ...empty, flags: flags | messageFlags.loading }).id;
        return { type, text: '', ephemeral: (flags & messageFlags.ephemeral) !== 0 };
      }
      case 6:
        if (interaction.message === undefined) throw new Refusal(400, 50035, 'Invalid Form Body');
        interaction.original = interaction.message.id;
        return { type, ...nothing };
      case 8:
        if (interaction.type !== 4) throw new Refusal(400, 50035, 'Invalid Form Body');
        return { type, ...nothing, choices: readForm(suggestionsForm, data).choices };
      case 9:
        if (interaction.type === 5) throw new Refusal(400, 50035, 'Invalid Form Body');
        return { type, ...nothing, modal: readForm(modalForm, data) };
    }
  }
}

function findButton({ id, components }: StoredMessage, wanted: string): string {
  const buttons = flatButtons(components);
  const button = buttons.find(({ data, label, disabled }) => !disabled && (data === wanted || label === wanted));
  if (button?.data !== undefined) return button.data;
  const there = buttons.map(({ label }) => label).join(', ') || 'none';
  throw new Error(`There is no button "${wanted}" to press on the message ${id}. Its buttons: ${there}.`);
}

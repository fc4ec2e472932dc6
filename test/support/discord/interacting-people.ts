import type { APIUser } from 'discord.js';
import type { Application } from './application.ts';
import { applicationId, type Person } from './bot-user.ts';
import type { Commands } from './commands.ts';
import { flatButtons } from './components.ts';
import type { DirectChats } from './direct-chats.ts';
import type { Publish } from './intents.ts';
import type { Interactions, NewInteraction, StoredInteraction } from './interactions.ts';
import type { MessageWire } from './message-wire.ts';
import type { Messages, StoredMessage } from './messages.ts';
import { filledComponents } from './modal.ts';
import { wireChannel, wireMember } from './place-wire.ts';
import type { Places } from './places.ts';
import type { Wire } from './wire.ts';

export interface PressOptions {
  readonly from?: Person;
  /** Sends the custom id even if there is no such button: what anybody can do with a client of their own. */
  readonly forged?: boolean;
}

export interface CommandOptions {
  readonly from?: Person;
  /** By their names. */
  readonly options?: Readonly<Record<string, string | number | boolean>>;
  /** Sends the command even if it is not registered. */
  readonly forged?: boolean;
}

interface Dependencies {
  readonly application: Application;
  readonly commands: Commands;
  readonly directChats: DirectChats;
  readonly interactions: Interactions;
  readonly messages: Messages;
  readonly places: Places;
  readonly publish: Publish;
  readonly wire: MessageWire;
}

/** An interaction, and the event that tells of it. */
export interface OpenedInteraction {
  readonly id: string;
  readonly event: Wire;
}

const optionTypes = { string: 3, number: 4, boolean: 5 } as const;

/** What people press, pick and fill in. */
export class InteractingPeople {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  press(channelId: string, messageId: string, button: string, options: PressOptions = {}): OpenedInteraction {
    const { messages, wire } = this.#dependencies;
    const message = messages.get(channelId, messageId);
    const customId = options.forged === true ? button : findButton(message, button);
    const data = { component_type: 2, custom_id: customId, id: 1 };
    const asked = { type: 3, channelId, user: this.#user(channelId, options.from), message } as const;
    return this.#tell(asked, { data, message: wire.answer(message) });
  }

  command(channelId: string, name: string, options: CommandOptions = {}): OpenedInteraction {
    const { commands, places } = this.#dependencies;
    const { guildId } = places.get(channelId);
    const command = commands.find(name, guildId);
    if (command === undefined && options.forged !== true) throw new Error(`There is no command "${name}" to use.`);
    const given = Object.entries(options.options ?? {}).map(([key, value]) => ({
      name: key,
      type:
        typeof value === 'string'
          ? optionTypes.string
          : typeof value === 'number'
            ? optionTypes.number
            : optionTypes.boolean,
      value,
    }));
    const data = { id: command?.id ?? '1', name, type: 1, ...(given.length > 0 && { options: given }) };
    return this.#tell({ type: 2, channelId, user: this.#user(channelId, options.from) }, { data });
  }

  /** Fills in the form that answered a press or a command, and sends it. */
  submit(interactionId: string, values: Readonly<Record<string, string>>): OpenedInteraction {
    const { interactions, messages, wire } = this.#dependencies;
    const { answer, channelId, user, message: pressed } = interactions.get(interactionId);
    const modal = answer?.modal;
    if (modal === undefined) throw new Error(`The interaction ${interactionId} has shown no form.`);
    for (const { customId, label, isRequired, mostCharacters } of modal.inputs) {
      const value = values[customId] ?? '';
      if (isRequired && value === '') throw new Error(`The form wants "${label}" (${customId}).`);
      if (value.length > mostCharacters) throw new Error(`The form takes ${mostCharacters} characters for "${label}".`);
    }
    const data = { custom_id: modal.customId, components: filledComponents(modal.components, values) };
    const message = pressed === undefined ? undefined : messages.find(pressed.channelId, pressed.id);
    const asked = { type: 5, channelId, user, ...(pressed !== undefined && { message: pressed }) } as const;
    return this.#tell(asked, { data, ...(message !== undefined && { message: wire.answer(message) }) });
  }

  #tell(asked: NewInteraction, content: Wire): OpenedInteraction {
    const { application, interactions, publish } = this.#dependencies;
    const { message } = asked;
    const place = message === undefined ? undefined : { id: message.id, channelId: message.channelId };
    const interaction = interactions.open({ ...asked, ...(place !== undefined && { message: place }) });
    const event = { ...this.#wire(interaction), ...content };
    if (application.interactionsEndpoint === null) publish({ event: 'INTERACTION_CREATE', intent: 0, data: event });
    return { id: interaction.id, event };
  }

  #wire({ id, token, type, channelId, user }: StoredInteraction): Wire {
    const { places } = this.#dependencies;
    const channel = places.get(channelId);
    const guild = places.guildOf(channel);
    const member = guild?.members.get(user.id);
    const permissions = String(places.botPermissions(channel));
    const shared = {
      id,
      application_id: applicationId,
      type,
      token,
      version: 1,
      channel_id: channelId,
      channel: { ...wireChannel(channel), permissions },
      app_permissions: permissions,
      locale: 'en-US',
      entitlements: [],
      attachment_size_limit: 10 * 2 ** 20,
    };
    if (guild === undefined || member === undefined)
      return { ...shared, user, context: 1, authorizing_integration_owners: { 0: '0' } };
    return {
      ...shared,
      guild_id: guild.id,
      guild: { id: guild.id, locale: 'en-US', features: [] },
      guild_locale: 'en-US',
      member: { ...wireMember(member, guild), permissions },
      context: 0,
      authorizing_integration_owners: { 0: guild.id },
    };
  }

  #user(channelId: string, from: Person | undefined): APIUser {
    const { directChats, places } = this.#dependencies;
    return directChats.actor(places.get(channelId), from);
  }
}

function findButton(message: StoredMessage, wanted: string): string {
  const buttons = flatButtons(message.components);
  const button = buttons.find(({ data, label, disabled }) => !disabled && (data === wanted || label === wanted));
  if (button?.data !== undefined) return button.data;
  const there = buttons.map(({ label, disabled }) => (disabled ? `${label} (off)` : label)).join(', ') || 'none';
  throw new Error(`There is no button "${wanted}" to press on the message ${message.id}. Its buttons: ${there}.`);
}

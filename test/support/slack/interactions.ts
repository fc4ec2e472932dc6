import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';
import type { Changes } from '../wait-for.ts';
import { elementsOf } from './blocks.ts';
import type { Deliveries, Delivery } from './deliveries.ts';
import type { Directory } from './directory.ts';
import type { Identifiers } from './identifiers.ts';
import type { MessageWire } from './message-wire.ts';
import type { Modal, Modals, Triggers } from './modals.ts';
import { defaultPerson } from './people.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { Rooms, StoredEphemeral, StoredMessage } from './rooms.ts';
import { buttonsOf, type ShownButton } from './shown-blocks.ts';
import type { Installation } from './workspace-options.ts';

export interface PressOptions {
  readonly from?: string;
  /** The workspace of a guest. */
  readonly guestTeamId?: string;
  /** Sends this even if there is no such button: what anybody can do with a client of their own. */
  readonly forged?: Partial<Pick<ShownButton, 'label' | 'blockId' | 'value'>>;
}

/** What somebody did, and what the app may answer with. */
export interface Interaction {
  readonly delivery: Delivery;
  readonly triggerId: string;
  readonly responseUrl: string;
}

interface Dependencies {
  readonly installation: Installation;
  readonly rooms: Rooms;
  readonly directory: Directory;
  readonly identifiers: Identifiers;
  readonly deliveries: Deliveries;
  readonly wire: MessageWire;
  readonly triggers: Triggers;
  readonly responseUrls: ResponseUrls;
  readonly modals: Modals;
  readonly changes: Changes;
}

/** What people do with what the app shows them: buttons, commands, modals. */
export class Interactions {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Presses a button by what stands on it, its action id or its value. Throws if it is not there, unless it is forged. */
  press(channel: string, ts: string, wanted: string, options: PressOptions = {}): Interaction {
    const { rooms, triggers, responseUrls, identifiers, wire } = this.#dependencies;
    const room = rooms.find(channel);
    const message = room.messages.get(ts);
    const ephemeral = room.ephemerals.find((candidate) => candidate.ts === ts);
    const found = message ?? ephemeral;
    if (found === undefined && options.forged === undefined)
      throw new Error(`There is no message ${ts} in ${channel}.`);
    const userId = options.from ?? ephemeral?.userId ?? defaultPerson(room);
    const button = pressed(found, wanted, options);
    const threadTs: JsonObject = found?.threadTs === undefined ? {} : { thread_ts: found.threadTs };
    const place = found?.threadTs === undefined ? {} : { threadTs: found.threadTs };
    const triggerId = triggers.issue(userId);
    const responseUrl = responseUrls.issue({ room, userId, ts, ...place });
    const delivery = this.#tell('interactive', {
      type: 'block_actions',
      ...this.#about(userId, options.guestTeamId),
      container: {
        type: 'message',
        message_ts: ts,
        channel_id: channel,
        is_ephemeral: message === undefined,
        ...threadTs,
      },
      ...{ trigger_id: triggerId, response_url: responseUrl, channel: { id: channel, name: room.name } },
      ...(message !== undefined && { message: wire.of(message) }),
      state: { values: {} },
      actions: [actionOf(button, identifiers.timestamp())],
    });
    return { delivery, triggerId, responseUrl };
  }

  /** Types a slash command, without the app's being in the conversation. */
  command(channel: string, command: string, text = '', options: Omit<PressOptions, 'forged'> = {}): Interaction {
    const { installation, rooms, directory, triggers, responseUrls } = this.#dependencies;
    const room = rooms.get(channel) ?? rooms.open(channel);
    const userId = options.from ?? defaultPerson(room);
    const about = this.#about(userId, options.guestTeamId);
    const triggerId = triggers.issue(userId);
    const occasion = { room, userId };
    const responseUrl = responseUrls.issue(occasion);
    const payload = {
      ...{ token: 'verification', team_id: installation.teamId, team_domain: installation.domain, channel_id: channel },
      ...{ channel_name: room.name, user_id: userId, user_name: directory.nameOf(userId), command, text },
      ...{
        api_app_id: about.api_app_id ?? '',
        is_enterprise_install: 'false',
        response_url: responseUrl,
        trigger_id: triggerId,
      },
    };
    const answer = (said: JsonObject): void => responseUrls.answerCommand(occasion, said);
    return { delivery: this.#tell('slash_commands', payload, answer), triggerId, responseUrl };
  }

  /** Fills in the fields of the modal that somebody sees, by their action or block ids, and sends it. */
  submit(userId: string, values: Readonly<Record<string, string>> = {}): Delivery {
    const { modals, triggers } = this.#dependencies;
    const modal = this.#modalOf(userId);
    const view = modals.wire(modal, stateOf(modal, values));
    const payload = {
      type: 'view_submission',
      ...this.#about(userId),
      trigger_id: triggers.issue(userId),
      view,
      response_urls: [],
    };
    return this.#tell('interactive', payload, () => modals.close(modal));
  }

  #modalOf(userId: string): Modal {
    const modal = this.#dependencies.modals.shownTo(userId);
    if (modal === undefined) throw new Error(`${userId} sees no modal.`);
    return modal;
  }

  #about(userId: string, guestTeamId?: string): JsonObject {
    const { installation, directory } = this.#dependencies;
    directory.add({ id: userId, ...(guestTeamId !== undefined && { teamId: guestTeamId }) });
    const name = directory.nameOf(userId);
    return {
      user: { id: userId, username: name, name, team_id: directory.teamOf(userId) },
      ...{ api_app_id: installation.appId, token: 'verification', enterprise: null, is_enterprise_install: false },
      team: { id: installation.teamId, domain: installation.domain },
    };
  }

  #tell(
    kind: 'interactive' | 'slash_commands',
    payload: JsonObject,
    onAnswer?: (answer: JsonObject) => void,
  ): Delivery {
    const delivery = this.#dependencies.deliveries.deliver(kind, payload, onAnswer);
    this.#dependencies.changes.notify();
    return delivery;
  }
}

function actionOf({ actionId, blockId, label, value, style }: ShownButton, actionTs: string): JsonObject {
  return {
    ...{ type: 'button', action_id: actionId, block_id: blockId, action_ts: actionTs },
    text: { type: 'plain_text', text: label, emoji: true },
    ...(value !== undefined && { value }),
    ...(style !== undefined && { style }),
  };
}

function pressed(
  found: StoredMessage | StoredEphemeral | undefined,
  wanted: string,
  { forged }: PressOptions,
): ShownButton {
  return forged === undefined && found !== undefined ? findButton(found, wanted) : forge(wanted, forged ?? {});
}

function forge(
  actionId: string,
  { label = 'forged', blockId = 'forged', value = actionId }: NonNullable<PressOptions['forged']>,
) {
  return { actionId, label, blockId, value, style: undefined, url: undefined };
}

function findButton({ blocks = [], ts }: StoredMessage | StoredEphemeral, wanted: string): ShownButton {
  const buttons = buttonsOf(blocks);
  const button = buttons.find(({ label, actionId, value }) => [label, actionId, value].includes(wanted));
  if (button !== undefined) return button;
  const there = buttons.map(({ label }) => label).join(', ') || 'none';
  throw new Error(`There is no button "${wanted}" to press on the message ${ts}. Its buttons: ${there}.`);
}

/** Throws what a client would not send: a field without a name in the modal, or without a value that it asks for. */
function stateOf({ blocks }: Modal, values: Readonly<Record<string, string>>): JsonObject {
  const left = new Set(Object.keys(values));
  const states = blocks
    .filter(({ type }) => type === 'input')
    .map((block): [string, JsonValue] => {
      const blockId = String(block.block_id);
      const [element] = elementsOf(block);
      const actionId = String(element?.action_id ?? 'value');
      const value = values[actionId] ?? values[blockId];
      for (const name of [actionId, blockId]) left.delete(name);
      if (value === undefined && block.optional !== true) throw new Error(`The field ${actionId} asks for a value.`);
      return [blockId, { [actionId]: { type: element?.type ?? '', value: value ?? null } }];
    });
  if (left.size > 0) throw new Error(`The modal has no field ${[...left].join(', ')}.`);
  return Object.fromEntries(states);
}

import { z } from 'zod';
import type { JsonObject, JsonValue } from '../json.ts';
import { buttonsOf, elementsOf, type ShownButton } from './blocks.ts';
import type { Delivery } from './deliveries.ts';
import { contentOf } from './message-methods.ts';
import { flag, objectList, type Params, Refusal, read } from './parameters.ts';
import { defaultPerson } from './people.ts';
import type { Content, Room } from './rooms.ts';
import type { SlackState } from './state.ts';
import { wireMessage } from './wire.ts';

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

const urlLifetime = 30 * 60;
const mostUses = 5;
const answerShape = z.object({
  text: z.string().optional(),
  blocks: objectList.optional(),
  response_type: z.literal('ephemeral'),
  replace_original: flag,
});

/** Answers at a response URL, to the one person alone. Throws a refusal. */
export function respond({ occasions, rooms, parts }: SlackState, id: string, params: Params): void {
  const occasion = occasions.get(id);
  if (occasion === undefined || parts.time.isOver(occasion.at, urlLifetime)) throw new Refusal('expired_url');
  if (occasion.uses >= mostUses) throw new Refusal('used_url');
  const { room, userId, threadTs } = occasion;
  rooms.addEphemeral(room, { ...contentOf(read(answerShape, params)), userId, threadTs });
  occasion.uses += 1;
}

/** What people do with what the app shows them: buttons, commands, modals. */
export function createInteractions(state: SlackState) {
  const { rooms, parts } = state;
  const { identifiers } = parts;
  return {
    /** Presses a button by what stands on it, its action id or its value. Throws if it is not there, unless it is forged. */
    press(channel: string, ts: string, wanted: string, options: PressOptions = {}): Interaction {
      const { forged, guestTeamId } = options;
      const room = rooms.visible(channel);
      const message = room.messages.get(ts);
      const ephemeral = room.ephemerals.find((candidate) => candidate.ts === ts);
      const found = message ?? ephemeral;
      const userId = options.from ?? ephemeral?.userId ?? defaultPerson(room);
      const button =
        forged === undefined
          ? findButton(found, ts, wanted)
          : { actionId: wanted, label: 'forged', blockId: 'forged', value: wanted, style: undefined, ...forged };
      const { triggerId, responseUrl } = allow({ room, userId, threadTs: found?.threadTs }, state);
      const thread = found?.threadTs !== undefined && { thread_ts: found.threadTs };
      const isEphemeral = message === undefined;
      const delivery = deliver(
        'interactive',
        {
          type: 'block_actions',
          ...about(userId, guestTeamId, state),
          trigger_id: triggerId,
          response_url: responseUrl,
          container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: isEphemeral, ...thread },
          channel: { id: channel, name: room.name },
          ...(message !== undefined && { message: wireMessage(state, message) }),
          state: { values: {} },
          actions: [actionOf(button, identifiers.timestamp())],
        },
        state,
      );
      return { delivery, triggerId, responseUrl };
    },

    /** Presses a button in their Home, by what stands on it, its action id or its value. */
    pressHome: (userId: string, wanted: string): Delivery => pressAtHome(userId, wanted, state),

    /** Chooses the app's shortcut in the menu of a message, without the app's being in the conversation. */
    choose: (
      channel: string,
      ts: string,
      callbackId: string,
      options: Omit<PressOptions, 'forged'> = {},
    ): Interaction => chooseShortcut({ channel, ts, callbackId, options }, state),

    /** Types a slash command, without the app's being in the conversation. */
    command: (channel: string, command: string, text = '', options: Omit<PressOptions, 'forged'> = {}): Interaction =>
      giveCommand({ channel, command, text, options }, state),

    /** Fills in the fields of the modal that somebody sees, by their action or block ids, and sends it. */
    submit(userId: string, values: Readonly<Record<string, string>> = {}): Delivery {
      const modal = state.modals.findLast((one) => one.userId === userId && one.isOpen);
      if (modal === undefined) throw new Error(`${userId} sees no modal.`);
      const { id, blocks } = modal;
      const view = { ...modal.view, id, blocks, state: { values: statesOf(blocks, values) } };
      return deliver(
        'interactive',
        { type: 'view_submission', ...about(userId, undefined, state), view, response_urls: [] },
        state,
        () => {
          modal.isOpen = false;
        },
      );
    },
  };
}

function deliver(
  kind: 'interactive' | 'slash_commands',
  payload: JsonObject,
  { parts }: SlackState,
  onAnswer?: () => void,
): Delivery {
  const delivery = parts.app.deliveries.deliver(kind, payload, onAnswer);
  parts.changes.notify();
  return delivery;
}

interface Allowed {
  readonly room: Room;
  readonly userId: string;
  readonly threadTs?: string | undefined;
}

/** What an act allows: a modal, and answers. */
function allow({ room, userId, threadTs }: Allowed, state: SlackState): Omit<Interaction, 'delivery'> {
  const { identifiers, installation, root, time } = state.parts;
  const triggerId = `${identifiers.next('')}.1000.${'f'.repeat(32)}`;
  const urlId = identifiers.next('r');
  state.triggers.set(triggerId, { userId, at: time.now(), isUsed: false });
  state.occasions.set(urlId, { room, userId, threadTs, at: time.now(), uses: 0 });
  return { triggerId, responseUrl: `${root()}/respond/${installation.teamId}/${urlId}` };
}

function about(userId: string, guestTeamId: string | undefined, state: SlackState): JsonObject {
  const { installation } = state.parts;
  state.addPerson({ id: userId, ...(guestTeamId !== undefined && { teamId: guestTeamId }) });
  const name = state.nameOf(userId);
  return {
    user: { id: userId, username: name, name, team_id: state.teamOf(userId) },
    api_app_id: installation.appId,
    token: 'verification',
    enterprise: null,
    is_enterprise_install: false,
    team: { id: installation.teamId, domain: 'testers' },
  };
}

function actionOf({ actionId, blockId, label, value, style }: ShownButton, actionTs: string): JsonObject {
  return {
    type: 'button',
    action_id: actionId,
    block_id: blockId,
    action_ts: actionTs,
    text: { type: 'plain_text', text: label, emoji: true },
    ...(value !== undefined && { value }),
    ...(style !== undefined && { style }),
  };
}

function findButton(found: Content | undefined, ts: string, wanted: string): ShownButton {
  const buttons = buttonsOf(found?.blocks ?? []);
  const button = buttons.find(({ label, actionId, value }) => [label, actionId, value].includes(wanted));
  if (button !== undefined) return button;
  const there = buttons.map(({ label }) => label).join(', ') || 'none';
  throw new Error(`There is no button "${wanted}" to press on the message ${ts}. Its buttons: ${there}.`);
}

function statesOf(blocks: readonly JsonObject[], values: Readonly<Record<string, string>>): JsonObject {
  const states = blocks.flatMap((block): readonly [string, JsonValue][] => {
    const [element] = elementsOf(block);
    if (block.type !== 'input' || element === undefined) return [];
    const [blockId, actionId] = [String(block.block_id), String(element.action_id)];
    const value = values[actionId] ?? values[blockId];
    if (value === undefined && block.optional === true)
      return [[blockId, { [actionId]: { type: 'plain_text_input', value: null } }]];
    if (value === undefined) throw new Error(`The field ${actionId} asks for a value.`);
    return [[blockId, { [actionId]: { type: 'plain_text_input', value } }]];
  });
  return Object.fromEntries(states);
}

interface Given {
  readonly channel: string;
  readonly command: string;
  readonly text: string;
  readonly options: Omit<PressOptions, 'forged'>;
}

function giveCommand({ channel, command, text, options }: Given, state: SlackState): Interaction {
  const { installation } = state.parts;
  const room = state.rooms.open(channel);
  const { from: userId = defaultPerson(room), guestTeamId } = options;
  const { triggerId, responseUrl } = allow({ room, userId }, state);
  about(userId, guestTeamId, state);
  const delivery = deliver(
    'slash_commands',
    {
      token: 'verification',
      team_id: installation.teamId,
      team_domain: 'testers',
      channel_id: channel,
      channel_name: room.name,
      user_id: userId,
      user_name: state.nameOf(userId),
      command,
      text,
      api_app_id: installation.appId,
      is_enterprise_install: 'false',
      response_url: responseUrl,
      trigger_id: triggerId,
    },
    state,
  );
  return { delivery, triggerId, responseUrl };
}

interface Chosen {
  readonly channel: string;
  readonly ts: string;
  readonly callbackId: string;
  readonly options: Omit<PressOptions, 'forged'>;
}

function chooseShortcut({ channel, ts, callbackId, options }: Chosen, state: SlackState): Interaction {
  const room = state.rooms.open(channel);
  const message = room.messages.get(ts);
  if (message === undefined) throw new Error(`There is no message ${ts} in ${channel}.`);
  const { from: userId = defaultPerson(room), guestTeamId } = options;
  const { triggerId, responseUrl } = allow({ room, userId, threadTs: message.threadTs }, state);
  const delivery = deliver(
    'interactive',
    {
      type: 'message_action',
      ...about(userId, guestTeamId, state),
      callback_id: callbackId,
      action_ts: state.parts.identifiers.timestamp(),
      trigger_id: triggerId,
      response_url: responseUrl,
      message_ts: ts,
      channel: { id: channel, name: room.name },
      message: wireMessage(state, message),
    },
    state,
  );
  return { delivery, triggerId, responseUrl };
}

function pressAtHome(userId: string, wanted: string, state: SlackState): Delivery {
  const { identifiers } = state.parts;
  const home = state.homes.get(userId);
  if (home === undefined) throw new Error(`${userId} sees no Home.`);
  const { id, blocks, view } = home;
  const button = findButton({ text: '', blocks }, id, wanted);
  const { triggerId } = allow({ room: state.rooms.direct(userId), userId }, state);
  return deliver(
    'interactive',
    {
      type: 'block_actions',
      ...about(userId, undefined, state),
      trigger_id: triggerId,
      container: { type: 'view', view_id: id },
      view: { ...view, id, blocks, callback_id: '' },
      actions: [actionOf(button, identifiers.timestamp())],
    },
    state,
  );
}

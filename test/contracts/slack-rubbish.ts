import type { DeliveryKind } from '../../packages/fakes/src/slack/deliveries.ts';
import type { SlackServer } from '../../packages/fakes/src/slack-server.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { mutations } from './mutations.ts';

/** Where the sound ones take place, and who is there. */
export interface RubbishScene {
  readonly team: string;
  readonly bot: string;
  readonly person: string;
  readonly other: string;
  readonly channel: string;
  /** What messages say of the person beside that. */
  readonly about?: JsonObject;
}

const each = 35;

/** Delivers payloads that Slack does not send. Resolves when each was acknowledged, or is not sent again. */
export async function deliverRubbish(server: SlackServer, scene: Omit<RubbishScene, 'team' | 'bot'>): Promise<void> {
  const { teamId: team, botUserId: bot } = server.home.installation;
  const deliveries = Object.values(soundPayloads({ ...scene, team, bot })).flatMap((sound) =>
    mutations(sound, each).flatMap((payload) =>
      isJsonObject(payload) ? [server.deliver(kindOf(sound), payload)] : [],
    ),
  );
  const isOver = (): boolean => deliveries.every(({ state }) => state !== 'waiting');
  await server.waitFor(isOver, { what: 'the rubbish to be acknowledged' });
}

function kindOf({ type }: JsonObject): DeliveryKind {
  if (type === undefined) return 'slash_commands';
  return type === 'event_callback' ? 'events_api' : 'interactive';
}

/** A payload of each kind that the bot reads, as Slack delivers it. */
export function soundPayloads(scene: RubbishScene): Readonly<Record<string, JsonObject>> {
  const { team, bot, person, other, channel, about = {} } = scene;
  const ts = '1700000000.000100';
  const share = { is_share: true, author_id: other, author_name: 'Bob', text: 'news', files: [{ id: 'F2' }] };
  const list = { type: 'rich_text_list', style: 'bullet', elements: [{ elements: [{ type: 'text', text: 'a' }] }] };
  const said: JsonObject = {
    ...{ type: 'message', channel, channel_type: 'channel', user: person, team, user_team: team, ts, ...about },
    ...{ text: `<@${bot}> see <@${other}> <#${channel}>`, client_msg_id: 'x', subtype: 'file_share', event_ts: ts },
    blocks: [
      { type: 'rich_text', elements: [list] },
      { type: 'table', rows: [[{ type: 'raw_text', text: 'a' }]] },
    ],
    files: [{ id: 'F1', name: 'a.png', mimetype: 'image/png', size: 3, mode: 'hosted' }],
    attachments: [{ ...share, message_blocks: [{ message: { blocks: [{ type: 'rich_text', elements: [] }] } }] }],
  };
  const authorizations = [{ team_id: team, enterprise_id: null, user_id: bot, is_bot: true }];
  const event = (of: JsonObject): JsonObject => ({
    ...{ type: 'event_callback', team_id: team, event_id: 'Ev1', event_time: 1, authorizations, event: of },
  });
  const edited = { user: person, ts: '1700000001.000000' };
  const changed = { type: 'message', subtype: 'message_changed', channel, ts: edited.ts, previous_message: said };
  const gone = { type: 'message', subtype: 'message_deleted', channel, ts, previous_message: said };
  const program = { user: null, bot_id: 'B00000009', bot_profile: { name: 'CI' }, subtype: 'bot_message' };
  const assistant_thread = { user_id: person, channel_id: 'D1', thread_ts: ts };
  const stop = { type: 'agent_session_stopped', channel, thread_ts: ts, user: person, event_ts: ts };
  const user = { id: person, name: 'ada', username: 'ada', team_id: team };
  const place = { team: { id: team, domain: 'testers' }, user, trigger_id: '1.2.3', api_app_id: 'A1' };
  const private_metadata = JSON.stringify({ actionId: 'ap:x:r', teamId: team, chatId: channel, threadId: ts });
  const state = { values: { answer: { text: { value: 'no' } } } };
  const below = { message_ts: ts, thread_ts: '1699999999.000000' };
  const response_url = 'http://127.0.0.1:1';
  return {
    message: event(said),
    'thread reply': event({ ...said, ts: '1700000002.000000', thread_ts: ts }),
    mention: event({ ...said, type: 'app_mention' }),
    edit: event({ ...changed, message: { ...said, edited } }),
    deletion: event(gone),
    'program message': event({ ...said, ...program }),
    pane: event({ type: 'assistant_thread_started', assistant_thread }),
    stop: event(stop),
    press: {
      ...{ type: 'block_actions', ...place, response_url, channel: { id: channel, name: 'general' } },
      container: { type: 'message', channel_id: channel, ...below },
      message: { ts, thread_ts: below.thread_ts, text: 'May I?' },
      actions: [
        { type: 'button', action_id: 'press:0', block_id: 'b', value: 'ap:x:a', action_ts: ts },
        { type: 'button', action_id: 'ask:1', block_id: 'b', value: '{"id":"ap:x:r","asks":"Why?"}', action_ts: ts },
      ],
    },
    form: { type: 'view_submission', ...place, view: { id: 'V1', callback_id: 'ask', private_metadata, state } },
    command: {
      ...{ command: '/keyturn', text: 'stop', user_id: person, user_name: 'ada', team_id: team, channel_id: channel },
      ...{ channel_name: 'general', trigger_id: '1.2.3', response_url },
    },
  };
}

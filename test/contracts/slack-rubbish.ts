import { isJsonObject, type JsonObject, type JsonValue } from '../../src/lib/json.ts';
import type { DeliveryKind } from '../support/slack/event-posts.ts';
import type { SlackServer } from '../support/slack-server.ts';
import { mutations } from './mutations.ts';

/** Delivers payloads that Slack does not send. Resolves when each was acknowledged, or is not sent again. */
export async function deliverRubbish(server: SlackServer): Promise<void> {
  const deliveries = rubbish(server).map(([kind, payload]) => server.deliver(kind, payload));
  const isOver = (): boolean => deliveries.every(({ state }) => state !== 'waiting');
  await server.waitFor(isOver, { what: 'the rubbish to be acknowledged' });
}

function rubbish(server: SlackServer): readonly (readonly [DeliveryKind, JsonObject])[] {
  const { installation } = server.home;
  const { teamId, botUserId } = installation;
  const about = { team_id: teamId, api_app_id: installation.appId, token: 'verification' };
  const user = { id: 'U0OWNER', name: 'owner', team_id: teamId };
  const message = {
    type: 'message',
    user: 'U0OWNER',
    team: teamId,
    channel: 'D0OWNER',
    channel_type: 'im',
    ts: '1.000100',
  };
  const said = {
    ...message,
    text: `<@${botUserId}> sound`,
    files: [{ id: 'F1', mimetype: 'image/png', name: 'a.png' }],
  };
  const changed = {
    ...message,
    subtype: 'message_changed',
    message: { ...said, edited: { ts: '2.0' } },
    previous_message: said,
  };
  const deleted = { ...message, subtype: 'message_deleted', deleted_ts: '1.000100', previous_message: said };
  const thread = {
    type: 'assistant_thread_started',
    assistant_thread: { user_id: 'U0OWNER', channel_id: 'D0OWNER', thread_ts: '1.0' },
  };
  const events = [said, { ...said, type: 'app_mention' }, changed, deleted, thread];
  const authorizations = [{ team_id: teamId, user_id: botUserId, is_bot: true }];
  const press = {
    ...{ type: 'block_actions', team: { id: teamId }, user, trigger_id: '1.2.3', response_url: server.root },
    ...{ container: { type: 'message', message_ts: '1.0', channel_id: 'D0OWNER' }, channel: { id: 'D0OWNER' } },
    ...{
      message: { ts: '1.0' },
      actions: [{ type: 'button', action_id: 'press:0', value: 'ap:x:a', action_ts: '1.0' }],
    },
  };
  const view = { id: 'V1', private_metadata: '{}', state: { values: { a: { b: { value: 'x' } } } }, callback_id: 'c' };
  const command = {
    ...about,
    command: '/keyturn',
    text: 'help',
    user_id: 'U0OWNER',
    channel_id: 'D0OWNER',
    trigger_id: '1.2.3',
  };
  return [
    ...events.flatMap((event) =>
      of('events_api', { ...about, type: 'event_callback', event_id: 'Ev1', event_time: 1, authorizations, event }, 40),
    ),
    ...of('interactive', { ...about, ...press }, 80),
    ...of('interactive', { ...about, type: 'view_submission', team: { id: teamId }, user, view }, 40),
    ...of('slash_commands', command, 30),
  ];
}

function of(kind: DeliveryKind, sound: JsonValue, count: number): readonly (readonly [DeliveryKind, JsonObject])[] {
  return mutations(sound, count).flatMap((payload) => (isJsonObject(payload) ? [[kind, payload] as const] : []));
}

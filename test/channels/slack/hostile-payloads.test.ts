import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';
import { mutations } from '../../contracts/mutations.ts';
import { ada, bob, bot, general, type IntakeSetting, intakeSetting, team } from './intake-setting.ts';

const ts = '1700000000.000100';
const share = { is_share: true, author_id: bob, author_name: 'Bob', text: 'news', files: [{ id: 'F2' }] };
const said: JsonObject = {
  ...{ type: 'message', channel: general, channel_type: 'channel', user: ada, team, user_team: team, ts },
  ...{ text: `<@${bot}> see <@${bob}> <#${general}>`, client_msg_id: 'x', subtype: 'file_share', event_ts: ts },
  blocks: [
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_list', style: 'bullet', elements: [{ elements: [{ type: 'text', text: 'a' }] }] }],
    },
    { type: 'table', rows: [[{ type: 'raw_text', text: 'a' }]] },
  ],
  files: [{ id: 'F1', name: 'a.png', mimetype: 'image/png', size: 3, mode: 'hosted' }],
  attachments: [{ ...share, message_blocks: [{ message: { blocks: [{ type: 'rich_text', elements: [] }] } }] }],
};
const own: JsonObject = { ...said, user: bot, bot_id: 'B0BOT0001', bot_profile: { id: 'B0BOT0001', name: 'keyturn' } };

function event(of: JsonObject): JsonObject {
  const authorizations = [{ team_id: team, enterprise_id: null, user_id: bot, is_bot: true }];
  return { type: 'event_callback', team_id: team, event_id: 'Ev1', event_time: 1, authorizations, event: of };
}

function changed(message: JsonObject): JsonObject {
  const { channel = general } = message;
  const edited = { user: ada, ts: '1700000001.000000' };
  const about = { type: 'message', subtype: 'message_changed', channel, ts: edited.ts };
  return event({ ...about, message: { ...message, edited }, previous_message: message });
}

function deleted(message: JsonObject): JsonObject {
  return event({ type: 'message', subtype: 'message_deleted', channel: general, ts, previous_message: message });
}

const user = { id: ada, name: 'ada', username: 'ada', team_id: team };
const place = { team: { id: team, domain: 'testers' }, user, trigger_id: '1.2.3', api_app_id: 'A1' };
const metadata = JSON.stringify({ actionId: 'ap:x:r', teamId: team, chatId: general, threadId: ts });
const sound: Readonly<Record<string, JsonValue>> = {
  message: event(said),
  'thread reply': event({ ...said, ts: '1700000002.000000', thread_ts: ts }),
  mention: event({ ...said, type: 'app_mention' }),
  edit: changed(said),
  deletion: deleted(said),
  'program message': event({
    ...said,
    user: null,
    bot_id: 'B00000009',
    bot_profile: { name: 'CI' },
    subtype: 'bot_message',
  }),
  pane: event({
    type: 'assistant_thread_started',
    assistant_thread: { user_id: ada, channel_id: 'D1', thread_ts: ts },
  }),
  stop: event({ type: 'agent_session_stopped', channel: general, thread_ts: ts, user: ada, event_ts: ts }),
  press: {
    ...{
      type: 'block_actions',
      ...place,
      response_url: 'http://127.0.0.1:1',
      channel: { id: general, name: 'general' },
    },
    container: { type: 'message', message_ts: ts, channel_id: general, thread_ts: '1699999999.000000' },
    message: { ts, thread_ts: '1699999999.000000', text: 'May I?' },
    actions: [
      { type: 'button', action_id: 'press:0', block_id: 'b', value: 'ap:x:a', action_ts: ts },
      { type: 'button', action_id: 'ask:1', block_id: 'b', value: '{"id":"ap:x:r","asks":"Why?"}', action_ts: ts },
    ],
  },
  form: {
    ...{ type: 'view_submission', ...place },
    view: {
      id: 'V1',
      callback_id: 'ask',
      private_metadata: metadata,
      state: { values: { answer: { text: { value: 'no' } } } },
    },
  },
  command: {
    ...{ command: '/keyturn', text: 'stop', user_id: ada, user_name: 'ada', team_id: team, channel_id: general },
    ...{ channel_name: 'general', trigger_id: '1.2.3', response_url: 'http://127.0.0.1:1' },
  },
};

/** Nothing was received but from somebody, somewhere in our workspace. */
function expectSound({ host }: IntakeSetting): void {
  for (const { conversation, sender, key } of host.received) {
    expect(conversation).toMatchObject({ channel: 'slack', tenant: team });
    expect(conversation.chatId).toMatch(/^[CD][A-Z0-9]+$/);
    expect(conversation.threadId ?? ts).toMatch(/^\d+\.\d+$/);
    expect([`${team}/${ada}`, `${team}/B00000009`]).toContain(sender.id);
    expect(sender.isPerson).toBe(sender.id === `${team}/${ada}`);
    expect(key).toMatch(/^\S.*$/);
  }
}

test.each(Object.keys(sound))('a %s with anything in any place of it is taken and harms nothing', async (kind) => {
  const setting = await intakeSetting();
  await setting.intake.take(sound[kind]);
  expect(setting.host.received).toHaveLength(kind === 'pane' ? 0 : 1);
  for (const payload of mutations(sound[kind] ?? null, 250)) await setting.intake.take(payload);
  expectSound(setting);
});

test.each([event(own), changed(own), deleted(own), event({ ...own, user: null })])(
  'what the bot itself says stays its own with anything in any other place of it (%#)',
  async (payload) => {
    const setting = await intakeSetting();
    for (const mutated of mutations(payload, 250)) await setting.intake.take(mutated);
    expect(setting.host.received).toEqual([]);
  },
);

test.each([
  undefined,
  null,
  7,
  'x',
  true,
  [],
  {},
  { type: 7 },
  { type: 'event_callback' },
  { command: {} },
  { team_id: team },
])('a body that is %j is ignored with a line in the log', async (body) => {
  const setting = await intakeSetting();
  await setting.intake.take(body);
  expect(setting.host.received).toEqual([]);
  expect(setting.host.logged.join()).toContain('was ignored');
});

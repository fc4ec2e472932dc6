import { expect, test } from 'vitest';
import type { Conversation, InboundEvent } from '../../../src/contract.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';
import { mutations } from '../../contracts/mutations.ts';
import { type IntakeSetting, intakeSetting } from './intake-setting.ts';

const each = 200;

/** Dispatches of all kinds, as the fake sends them. */
async function soundDispatches(setting: IntakeSetting): Promise<Readonly<Record<string, JsonObject>>> {
  const { server } = setting;
  const { guild, channel } = setting.addChannel();
  server.scenery.addRole(guild.id, 'cooks', ['1001']);
  const thread = server.people.startThread(channel, 'plans');
  const own = await setting.answer(channel, {
    content: 'Run it?',
    components: [{ type: 1, components: [{ type: 2, style: 4, label: 'Deny…', custom_id: 'ask:ap:k3f9:r' }] }],
  });
  const files = [{ name: 'a.png', bytes: Buffer.from('abc'), mediaType: 'image/png' }];
  const said = server.say(channel, `<@${server.bot.id}> <@1001> hi`, { replyTo: own, files });
  const direct = server.say(server.direct('1001'), 'hello');
  const inThread = server.say(thread, 'hello');
  const press = server.press(channel, own, 'Deny…');
  await press.answered;
  const form = server.submit(press.id, {});
  const command = server.command(thread, 'ask', { forged: true, options: { text: 'why' } });
  server.edit(channel, said.id, 'changed');
  await setting.host.hears('changed');
  const guildCreate = setting.dispatched.find(({ event }) => event === 'GUILD_CREATE')?.data;
  const poll = { question: { text: 'Tea?' }, answers: [{ poll_media: { text: 'yes' } }] };
  const rich = { ...said, sticker_items: [{ id: '1', name: 'Wave' }], poll, message_snapshots: [{ message: said }] };
  return {
    'MESSAGE_CREATE guild': json(said),
    'MESSAGE_CREATE direct': json(direct),
    'MESSAGE_CREATE thread': json(inThread),
    'MESSAGE_CREATE rich': json(rich),
    'MESSAGE_UPDATE guild': json({ ...said, edited_timestamp: '2026-01-01T00:00:00Z' }),
    'MESSAGE_DELETE guild': json({ id: said.id, channel_id: channel, guild_id: guild.id }),
    'MESSAGE_DELETE_BULK guild': json({ ids: [said.id, direct.id], channel_id: channel, guild_id: guild.id }),
    'INTERACTION_CREATE press': json({ ...press.event, data: { component_type: 2, custom_id: 'ap:k3f9:a' } }),
    'INTERACTION_CREATE form': json(form.event),
    'INTERACTION_CREATE command': json(command.event),
    'GUILD_CREATE whole': json(guildCreate),
    'THREAD_LIST_SYNC whole': json({ guild_id: guild.id, threads: [{ id: thread, type: 11, parent_id: channel }] }),
    'GUILD_ROLE_UPDATE whole': json({ guild_id: guild.id, role: { id: '5', name: 'x', tags: { bot_id: '1' } } }),
  };
}

function json(value: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value));
  if (!isJsonObject(copy)) throw new Error('It is no object.');
  return copy;
}

function placesIn(events: readonly InboundEvent[]): readonly Omit<Conversation, 'title'>[] {
  return events.map(({ conversation: { title: _, ...place } }) => place);
}

test('no dispatch can harm: nothing is rejected, nothing wrong is received, and what is sound is heard afterwards', async () => {
  const setting = await intakeSetting();
  const { server, host, over } = setting;
  const sound = await soundDispatches(setting);
  await setting.intake.settled();
  // What is answered to them is not the matter here.
  server.fault({ route: 'POST /interactions/:interaction/:token/callback', kind: 'status', status: 204, body: '' });
  const right = new Set(placesIn(host.received).map((place) => JSON.stringify(place)));
  for (const [name, payload] of Object.entries(sound)) {
    const [event = ''] = name.split(' ');
    const before = host.received.length;
    await Promise.all(mutations(payload, each).map((data) => setting.intake.take(event, data)));
    const received = host.received.slice(before);
    // Whose message was taken back, Discord does not say.
    for (const { conversation, sender, key } of received.filter(({ type }) => type !== 'deletion')) {
      expect(right, name).toContain(JSON.stringify({ ...conversation, title: undefined }));
      expect(sender.id, name).toBe('1001');
      expect(key, name).toMatch(/^\d/);
    }
  }
  expect(host.received.length).toBeGreaterThan(4 * each);
  for (const [event, data] of nonsense(Object.values(sound))) await setting.intake.take(event, data);
  const { channel } = setting.addChannel();
  expect(await setting.hears(channel, 'still there')).toMatchObject({ text: 'still there' });
  expect(await setting.hears(server.direct('1001'), 'here, too')).toMatchObject({ addressed: true });
  over.abort();
});

function nonsense(payloads: readonly JsonValue[]): readonly (readonly [string, unknown])[] {
  const names = [
    'MESSAGE_CREATE',
    'MESSAGE_UPDATE',
    'MESSAGE_DELETE',
    'INTERACTION_CREATE',
    'GUILD_CREATE',
    'NEVER',
    '',
  ];
  const values: readonly unknown[] = [undefined, null, 7, '', [], {}, new Date(Number.NaN), ...payloads];
  return names.flatMap((name) => values.map((value) => [name, value] as const));
}

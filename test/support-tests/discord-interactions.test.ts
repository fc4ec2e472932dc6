import type { REST } from 'discord.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DiscordServer, Interaction } from '../support/discord-server.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { person, startGuild } from './discord-guild.ts';
import { refusal } from './discord-refusal.ts';
import { GatewayClient } from './gateway-client.ts';

const ephemeral = 1 << 6;
let clock: ManualClock;
let discord: DiscordServer;
let rest: REST;
let guildId: string;
let channelId: string;
let messageId: string;

beforeEach(async () => {
  ({ clock, discord, rest, guildId, channelId } = await startGuild({ times: { rateScale: 0 } }));
  const components = [{ type: 1, components: [{ type: 2, style: 3, label: 'Approve', custom_id: 'yes' }] }];
  await rest.post(`/channels/${channelId}/messages`, { body: { content: 'May I?', components } });
  messageId = discord.chat(channelId)[0]?.id ?? '';
});

afterEach(() => discord.close());

type Opened = Pick<Interaction, 'id' | 'event'>;
const tokenOf = ({ event }: Opened): string => String(event.token);
const answer = (interaction: Opened, type: number, data?: object): Promise<unknown> =>
  rest.post(`/interactions/${interaction.id}/${tokenOf(interaction)}/callback`, { body: { type, data }, auth: false });
const webhook = (interaction: Interaction, rest = ''): `/${string}` =>
  `/webhooks/${discord.application.id}/${tokenOf(interaction)}${rest}`;
const followUp = (interaction: Interaction, body: object): Promise<unknown> =>
  rest.post(webhook(interaction), { body, auth: false });
const press = (): Interaction => discord.press(channelId, messageId, 'Approve');

test('a press tells who pressed what, and where', async () => {
  const client = await GatewayClient.ready(discord, 0);
  const { id } = discord.press(channelId, messageId, 'yes', { from: '2002' });
  await client.waitFor(() => client.events('INTERACTION_CREATE').at(0), 'the press');
  expect(client.events('INTERACTION_CREATE')[0]?.d).toMatchObject({
    id,
    type: 3,
    guild_id: guildId,
    channel_id: channelId,
    member: { user: { id: '2002' } },
    message: { id: messageId, content: 'May I?' },
    data: { component_type: 2, custom_id: 'yes' },
  });
  expect(client.events('INTERACTION_CREATE')[0]?.d).not.toHaveProperty('user');
  discord.application.interactionsEndpoint = 'https://example.com';
  press();
  discord.dispatch('LAST', {});
  await client.waitFor(() => client.events('LAST').at(0), 'the last event');
  expect(client.events('INTERACTION_CREATE')).toHaveLength(1);
});

test('in a direct chat the person stands alone', async () => {
  const direct = discord.direct(person);
  await rest.put(`/applications/${discord.application.id}/commands`, {
    body: [{ name: 'stop', description: 'Stops' }],
  });
  const { event } = discord.command(direct, 'stop');
  expect(event).toMatchObject({
    type: 2,
    user: { id: person },
    channel: { type: 1 },
    context: 1,
    data: { name: 'stop' },
  });
  expect(event).not.toHaveProperty('guild_id');
  expect(() => discord.command(direct, 'nothing')).toThrow('There is no command "nothing"');
});

test('an answer comes once, and within three seconds', async () => {
  const first = press();
  await answer(first, 6);
  expect(await refusal(answer(first, 6))).toMatch('400 40060');
  const late = press();
  clock.advance(3_001);
  expect(discord.interaction(late.id).hasFailed).toBe(true);
  expect(await refusal(answer(late, 6))).toMatch('404 10062');
  expect(await refusal(answer({ id: press().id, event: { token: 'wrong' } }, 6))).toMatch('404 10062');
  expect(discord.interaction(first.id)).toMatchObject({ answer: { type: 6 }, hasFailed: false });
});

test('an answer for one person is in no channel, and tells the gateway nothing', async () => {
  const client = await GatewayClient.ready(discord);
  const pressed = press();
  await answer(pressed, 4, { content: 'Not you.', flags: ephemeral });
  await followUp(pressed, { content: 'Really.', flags: ephemeral });
  expect(discord.interaction(pressed.id).ephemeral).toEqual(['Not you.', 'Really.']);
  await rest.patch(webhook(pressed, '/messages/@original'), { body: { content: 'Sorry.' }, auth: false });
  expect(discord.interaction(pressed.id).ephemeral).toEqual(['Sorry.', 'Really.']);
  await rest.delete(webhook(pressed, '/messages/@original'), { auth: false });
  expect(discord.interaction(pressed.id).ephemeral).toEqual(['Really.']);
  expect(discord.chat(channelId)).toHaveLength(1);
  expect(client.events('MESSAGE_CREATE')).toEqual([]);
});

test('an answer that comes later takes the place of the wait', async () => {
  const open = press();
  await answer(open, 5);
  expect(discord.chat(channelId).at(-1)).toMatchObject({ text: '', flags: 1 << 7 });
  await followUp(open, { content: 'done' });
  expect(discord.chat(channelId).at(-1)).toMatchObject({ text: 'done', flags: 0, edits: 1 });
  const secret = press();
  await answer(secret, 5, { flags: ephemeral });
  expect(discord.interaction(secret.id).ephemeral).toEqual([]);
  await rest.patch(webhook(secret, '/messages/@original'), { body: { content: 'for you' }, auth: false });
  expect(discord.interaction(secret.id).ephemeral).toEqual(['for you']);
  expect(discord.chat(channelId)).toHaveLength(2);
});

test('an answer can change the message that was pressed', async () => {
  const pressed = press();
  await answer(pressed, 7, { content: 'Approved.', components: [] });
  expect(await pressed.answered).toMatchObject({ type: 7, text: 'Approved.' });
  expect(discord.chat(channelId)).toMatchObject([{ text: 'Approved.', buttons: [], edits: 1 }]);
  expect(() => press()).toThrow('There is no button "Approve"');
  expect(discord.press(channelId, messageId, 'anything', { forged: true }).event).toMatchObject({
    data: { custom_id: 'anything' },
  });
});

test('a button that is switched off cannot be pressed', async () => {
  const components = [{ type: 1, components: [{ type: 2, style: 3, label: 'Off', custom_id: 'off', disabled: true }] }];
  await rest.patch(`/channels/${channelId}/messages/${messageId}`, { body: { components } });
  expect(() => discord.press(channelId, messageId, 'Off')).toThrow('Off (off)');
});

test('a token is good for a quarter of an hour, and only once it was used to answer', async () => {
  const pressed = press();
  expect(await refusal(followUp(pressed, { content: 'early' }))).toMatch('404 10015');
  await answer(pressed, 6);
  clock.advance(15 * 60_000);
  await followUp(pressed, { content: 'in time', flags: ephemeral });
  clock.advance(1);
  expect(await refusal(followUp(pressed, { content: 'late' }))).toMatch('401 50027');
});

const line = { type: 4, custom_id: 'why', label: 'Why?', style: 2, max_length: 5 };
const form = { custom_id: 'form', title: 'Deny', components: [{ type: 1, components: [line] }] };

test('a form is filled in as it was made, and does not answer with a form again', async () => {
  const pressed = press();
  await answer(pressed, 9, form);
  expect((await pressed.answered).modal).toMatchObject({
    customId: 'form',
    inputs: [{ customId: 'why', label: 'Why?' }],
  });
  expect(() => discord.submit(pressed.id, { why: 'too long' })).toThrow('5 characters');
  const sent = discord.submit(pressed.id, { why: 'no' });
  expect(sent.event).toMatchObject({
    type: 5,
    message: { id: messageId },
    data: { custom_id: 'form', components: [{ type: 1, components: [{ type: 4, custom_id: 'why', value: 'no' }] }] },
  });
  expect(await refusal(answer(sent, 9, form))).toMatch('400 50035');
  await answer(sent, 7, { content: 'Denied: no', components: [] });
  expect(discord.chat(channelId)).toMatchObject([{ text: 'Denied: no' }]);
});

test.each([
  ['a title of 46 characters', { ...form, title: 'x'.repeat(46) }],
  ['no field', { ...form, components: [] }],
  [
    'six fields',
    {
      ...form,
      components: Array.from({ length: 6 }, (_, id) => ({
        type: 18,
        label: 'a',
        component: { ...line, custom_id: `${id}` },
      })),
    },
  ],
  ['a field without a label', { ...form, components: [{ type: 1, components: [{ ...line, label: undefined }] }] }],
  [
    'a value of 4001 characters',
    { ...form, components: [{ type: 1, components: [{ ...line, value: 'x'.repeat(4001) }] }] },
  ],
])('a form with %s is refused, and can be sent again', async (_, wrong) => {
  const pressed = press();
  expect(await refusal(answer(pressed, 9, wrong))).toMatch('400 50035');
  await answer(pressed, 9, form);
});

test('what is wrong with an answer is told as with a message', async () => {
  const pressed = press();
  expect(await refusal(answer(pressed, 4, { content: 'x'.repeat(2001) }))).toMatch('400 50035');
  expect(await refusal(answer(pressed, 4, {}))).toMatch('400 50006');
  expect(await refusal(answer(pressed, 3))).toMatch('400 50035');
  expect(discord.interaction(pressed.id).answer).toBeUndefined();
});

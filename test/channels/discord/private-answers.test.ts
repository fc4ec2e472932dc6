import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tokenLifetime } from '../../../channels/discord/interactions.ts';
import type { Interaction } from '../../../packages/fakes/src/discord-server.ts';
import { allOf, failureOf } from '../kit/request-faults.ts';
import { message, type OutgoingSetting, outgoingSetting } from './outgoing-setting.ts';

const door = z.object({ id: z.string(), application_id: z.string(), token: z.string() });

/** Somebody uses a command, which was answered with "I think about it". */
async function commanded(setting: OutgoingSetting): Promise<Interaction & { readonly privateTo: string }> {
  const { server, api, interactions, channelId } = setting;
  const interaction = server.command(channelId, 'status', { forged: true });
  const { id, application_id, token } = door.parse(interaction.event);
  await api.call('POST', `/interactions/${id}/${token}/callback`, {
    auth: false,
    body: { type: 5, data: { flags: 64 } },
  });
  interactions.set(id, { id, application_id, token }, tokenLifetime);
  return { ...interaction, id, privateTo: `1001:${id}` };
}

describe('the answer to a slash command', () => {
  test('is shown to the person alone, in all its parts', async () => {
    const { setting, server, outgoing, channel, channelId } = await outgoingSetting();
    const { id, privateTo } = await commanded(setting);
    await outgoing.send(channel, message('All **well**', { id: 'answer', privateTo }));
    await outgoing.send(channel, message('and more', { id: 'answer1', privateTo }));
    expect(server.interaction(id).ephemeral).toEqual(['All **well**', 'and more']);
    expect(server.chat(channelId).filter(({ from }) => from === 'bot')).toEqual([]);
    await outgoing.send(channel, message('for all', { id: 'another' }));
    expect(server.chat(channelId)).toMatchObject([{ text: 'for all' }]);
  });

  test('can be changed and taken away', async () => {
    const { setting, server, outgoing, channel } = await outgoingSetting();
    const { id, privateTo } = await commanded(setting);
    const ref = await outgoing.send(channel, message('one', { privateTo }));
    expect(ref.id).toMatch(/^ephemeral:/);
    await outgoing.edit(channel, ref, message('two'));
    expect(server.interaction(id).ephemeral).toEqual(['two']);
    await outgoing.remove(channel, ref);
    await outgoing.remove(channel, ref);
    expect(server.interaction(id).ephemeral).toEqual([]);
  });

  test('is shown in a direct chat once the time for it is over', async () => {
    const { setting, server, outgoing, channel, channelId, direct, clock } = await outgoingSetting();
    const { privateTo } = await commanded(setting);
    const ref = await outgoing.send(channel, message('in time', { privateTo }));
    clock.advance(15 * 60_000);
    const late = await outgoing.send(channel, message('late', { id: 'late', privateTo }));
    expect(server.chat(channelId)).toEqual([]);
    expect(server.chat(direct.chatId)).toMatchObject([{ text: 'late' }]);
    await outgoing.edit(channel, late, message('later'));
    expect(server.chat(direct.chatId)).toMatchObject([{ text: 'later' }]);
    await outgoing.remove(channel, late);
    expect(server.chat(direct.chatId)).toEqual([]);
    expect((await failureOf(outgoing.edit(channel, ref, message('changed')))).fault.type).toBe('permanent');
    await outgoing.remove(channel, ref);
  });

  test('is shown in a direct chat if Discord says that the time is over, or nobody remembers the command', async () => {
    const { setting, server, outgoing, channel, channelId, direct, clock } = await outgoingSetting({
      times: { rateScale: 0, interactionToken: 0 },
    });
    const { privateTo } = await commanded(setting);
    clock.advance(1_000);
    await outgoing.send(channel, message('late', { id: 'late', privateTo }));
    await outgoing.send(channel, message('other', { id: 'other', privateTo: '1001:123456789012345678' }));
    await outgoing.send(direct, message('here', { id: 'here', privateTo: '1001:123456789012345678' }));
    expect(server.chat(channelId)).toEqual([]);
    expect(server.chat(direct.chatId).map(({ text }) => text)).toEqual(['late', 'other', 'here']);
  });

  test('is shown to nobody where nobody knows whom it is for, or they take no direct messages', async () => {
    const { server, outgoing, channel, channelId } = await outgoingSetting();
    const unknown = await failureOf(outgoing.send(channel, message('secret', { privateTo: 'ada' })));
    server.people.closeDirectChat('1001');
    const closed = await failureOf(outgoing.send(channel, message('secret', { privateTo: '1001:1' })));
    expect([unknown.fault.type, closed.fault.type]).toEqual(['permanent', 'permanent']);
    expect(server.chat(channelId)).toEqual([]);
  });

  test('is shown once if the first try was lost', async () => {
    const { setting, server, outgoing, channel } = await outgoingSetting();
    const { id, privateTo } = await commanded(setting);
    server.fault({ route: '*', kind: 'drop-after', times: 1 });
    expect((await failureOf(outgoing.send(channel, message('hi', { privateTo })))).fault.type).toBe('transient');
    const ref = await outgoing.send(channel, message('hi', { privateTo }));
    await outgoing.edit(channel, ref, message('changed'));
    expect(server.interaction(id).ephemeral).toEqual(['changed']);
  });

  test('says nothing of the token if it fails', async () => {
    const { setting, server, outgoing, channel } = await outgoingSetting();
    const { privateTo } = await commanded(setting);
    await outgoing.send(channel, message('first', { id: 'first', privateTo }));
    server.fault({ route: '*', kind: 'drop-before' });
    const failure = await failureOf(outgoing.send(channel, message('secret text', { privateTo })));
    // There is no nonce for it.
    expect(failure.fault.type).toBe('ambiguous');
    expect(allOf(failure)).not.toMatch(/interaction-token|secret text/);
  });
});

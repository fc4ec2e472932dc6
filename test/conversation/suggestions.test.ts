import { expect, test } from 'vitest';
import type { Conversation } from '../../src/contract.ts';
import { languageWords } from '../../src/conversation/commands/language/words.ts';
import { askedSetting } from '../engine/deploy-setting.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { ScriptedModel } from '../support/scripted-model.ts';
import type { TestChannel } from '../support/test-channel.ts';

interface Typing {
  readonly typed?: string;
  readonly by?: string;
  readonly in?: Conversation;
}

/** What the host offers a person who types a command. */
async function offered(channel: TestChannel, command: string, { typed = '', by = 'ada', in: where }: Typing = {}) {
  const sender = { id: by, name: by, isPerson: true };
  const host = channel.sessions.hosts.at(-1);
  const found = await host?.suggestions?.(where ?? direct(channel.name, by), sender, { command, typed });
  return found?.map(({ value }) => value);
}

test('models and languages are offered by name, as far as they fit what was typed', async () => {
  const { channel } = await daemonSetting({
    moreModels: { claude: new ScriptedModel('Claude'), local: new ScriptedModel('Qwen') },
  });
  expect(await offered(channel, 'model')).toEqual(expect.arrayContaining(['claude', 'local', 'default']));
  expect(await offered(channel, 'model', { typed: 'QWEN' })).toEqual(['local']);
  expect(await offered(channel, 'language', { typed: languageWords.zh.buttonName })).toEqual(['zh']);
  expect(await offered(channel, 'status')).toEqual([]);
});

test('who may not talk, or may use no commands there, is offered nothing', async () => {
  const { channel } = await daemonSetting({ allowFrom: ['pia'] });
  expect(await offered(channel, 'model', { by: 'eve' })).toEqual([]);
  expect(await offered(channel, 'model', { by: 'pia' })).not.toEqual([]);
  expect(await offered(channel, 'model', { by: 'pia', in: { ...group, chatId: 'unknown' } })).toEqual([]);
});

test('open approvals are offered to be decided where they are asked, and permissions to be revoked', async () => {
  const { channel, card } = await askedSetting({ answers: ['deployed'] });
  await channel.whenIdle();
  const [id = ''] = (await offered(channel, 'approve')) ?? [];
  expect(card.buttons.flat().some(({ actionId }) => actionId.includes(id))).toBe(true);
  expect(await offered(channel, 'deny')).toEqual([id]);
  expect(await offered(channel, 'approve', { by: 'eve' })).toEqual([]);
  expect(await offered(channel, 'revoke')).toEqual([]);
  const always = card.buttons.flat().find(({ shortcut }) => shortcut === 'a');
  await channel.press(always?.actionId ?? '');
  await channel.whenIdle();
  expect(await offered(channel, 'approve')).toEqual([]);
  expect(await offered(channel, 'revoke')).toHaveLength(1);
});

test('a message that was not delivered is offered to be sent again, or dropped', async () => {
  const { channel, model } = await daemonSetting();
  model.next('the answer');
  channel.failNext({ type: 'permanent' }, { says: 'the answer', lasts: true });
  await channel.say('hello');
  await channel.changes.waitFor(() => channel.screen.length > 0, { what: 'the stub' });
  await channel.whenIdle();
  const stubs = await offered(channel, 'retry');
  expect(stubs).toHaveLength(1);
  expect(await offered(channel, 'drop')).toEqual(stubs);
});

import { describe, expect, test } from 'vitest';
import { languageWords } from '../../../../src/conversation/commands/language/words.ts';
import { commandWords } from '../../../../src/conversation/commands/words.ts';
import { peoplePageWords } from '../../../../src/features/page/people/words.ts';
import type { CommandOutcome, CommandWish } from '../../../../src/features/page/wire/command.ts';
import { group } from '../../../support/daemon-setting.ts';
import { letPass } from '../../../support/let-pass.ts';
import { pageSetting, type SignedIn } from '../../../support/page/page-setting.ts';
import { refused, told } from '../../../support/page/told.ts';
import { storageTroubles } from '../../../support/storage-troubles.ts';
import { waitUntil } from '../../../support/wait-for.ts';

const words = commandWords.en;

const obey = (who: SignedIn, line: string, more: Omit<CommandWish, 'line'> = {}) =>
  told<CommandOutcome>(who.post('command', { line, ...more }));

async function people() {
  const setting = await pageSetting();
  const [owner, friend] = [await setting.browser(), await setting.browser('bob')];
  return { setting, daemon: setting.daemon, channel: setting.daemon.channel, owner, friend };
}

describe('a command from the page', () => {
  test('is answered there alone, with the buttons of its list, and is in the audit by the browser', async () => {
    const { daemon, channel, owner } = await people();
    const before = daemon.rows('SELECT id FROM outbox').length;
    const { markdown, buttons } = await obey(owner, 'help');
    expect(markdown).toContain('/stop');
    expect(buttons).toContainEqual(expect.objectContaining({ line: 'help all', style: 'plain' }));
    await channel.whenIdle();
    expect(daemon.rows('SELECT id FROM outbox')).toHaveLength(before);
    expect(daemon.rows("SELECT actor FROM audit WHERE kind = 'command' AND detail LIKE '%\"help\"%'")).toEqual([
      { actor: expect.stringMatching(/^device:/) },
    ]);
  });

  test('acts once, however often it is sent with the same key', async () => {
    const { daemon, owner } = await people();
    const key = 'press-1';
    expect((await obey(owner, 'language zh', { key })).markdown).toBe(languageWords.zh.set);
    expect(await obey(owner, 'language en', { key })).toEqual({ markdown: '', buttons: [] });
    expect(daemon.rows("SELECT language FROM languages WHERE source = 'set'")).toEqual([{ language: 'zh' }]);
  });

  test('has the rights of its person, and no more', async () => {
    const { daemon, owner, friend } = await people();
    expect((await obey(friend, 'people')).markdown).toBe(words.ownersOnly);
    expect((await obey(friend, 'pair test:eve')).markdown).toBe(words.ownersOnly);
    expect((await obey(friend, 'trust')).markdown).toBe(words.ownersOnly);
    expect((await obey(owner, 'people')).markdown).not.toBe(words.ownersOnly);
    // A stolen browser must not make itself at home.
    await obey(owner, 'link');
    expect(daemon.rows('SELECT digest FROM link_codes')).toEqual([]);
  });

  test('ends with its person’s right to talk', async () => {
    const { setting, friend } = await people();
    await setting.daemon.edit({ channels: { test: { allow_from: [] } } });
    expect((await friend.post('command', { line: 'help' })).status).toBe(401);
  });

  test('about a conversation needs one in which its person has talked; a group one who owns this', async () => {
    const { channel, owner, friend } = await people();
    await channel.ask('hello', 'echo: [Ada] hello', { in: group, at: 'test:team' });
    await channel.ask('hi', 'echo: [Bob] hi', { in: group, by: 'bob', at: 'test:team' });
    const { needsConversation, noSuchConversation } = peoplePageWords.en;
    for (const command of ['stop', 'new', 'pin', 'model', 'compact'])
      expect(await refused(owner.post('command', { line: command }))).toEqual({
        status: 409,
        error: needsConversation({ command }),
      });
    for (const conversationId of ['test:ada', 'test:team', 'test:nobody'])
      expect(await refused(friend.post('command', { line: 'pin a', conversationId }))).toEqual({
        status: 404,
        error: noSuchConversation,
      });
    await obey(owner, 'pin the sky is blue', { conversationId: 'test:team' });
    await channel.ask('/pins', 'the sky is blue', { in: group, at: 'test:team' });
    await obey(friend, 'pin mine', { conversationId: 'test:bob' });
    await channel.ask('/pins', 'mine', { by: 'bob', at: 'test:bob' });
  });

  test('stops what goes on in the conversation', async () => {
    const { daemon, channel, owner } = await people();
    const { promise, resolve } = Promise.withResolvers<string>();
    daemon.model.next(() => promise);
    const asked = daemon.model.requests.length;
    await channel.say('think');
    await daemon.model.asked(asked + 1);
    const { markdown } = await obey(owner, 'stop', { conversationId: 'test:ada' });
    resolve('too late');
    expect(markdown).toBe(words.stopped({ cancelled: 0 }));
    await channel.whenIdle();
    expect(channel.screen.map(({ text }) => text)).not.toContain('too late');
  });

  test('is not one if it is none, or empty', async () => {
    const { owner } = await people();
    expect((await refused(owner.post('command', { line: '  ' }))).status).toBe(400);
    expect((await refused(owner.post('command', { line: 'x'.repeat(5_000) }))).status).toBe(400);
    expect((await refused(owner.post('command', { text: 'help' }))).status).toBe(400);
    expect((await obey(owner, '/etc/hosts')).markdown).not.toBe('');
    expect((await obey(owner, 'halp')).markdown).toContain('/help');
  });

  test.each(storageTroubles)(
    'that takes away says so that it holds though %s, and is stored later',
    async (_name, make) => {
      const { daemon, channel, owner, friend } = await people();
      const [device] = daemon.rows("SELECT id FROM devices WHERE principal = 'test:bob'");
      await obey(owner, 'help');
      const trouble = make(daemon.folder);
      const { markdown } = await obey(owner, `devices revoke ${String(device?.id)}`);
      expect(markdown).toContain(trouble.brief);
      expect((await friend.get('me')).status).toBe(401);
      const seen = channel.screen.length;
      trouble.end();
      letPass(daemon.clock);
      await waitUntil(() => daemon.rows("SELECT seq FROM audit WHERE kind = 'device-revoked'").length === 1);
      expect(channel.screen.slice(seen)).toEqual([]);
    },
  );
});

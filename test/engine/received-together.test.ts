import { describe, expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import { wordsOf } from '../support/scripted-model.ts';

describe('what a chat delivers together is taken in its order', () => {
  test.each(['/new', '/stop'])(
    'a greeting behind %s is answered, though nobody owns this Keyturn yet',
    async (text) => {
      const { channel } = await daemonSetting({ config: { owners: [] }, allowFrom: ['bob'] });
      await channel.ask('hello', 'echo: hello', { by: 'bob' });
      await Promise.all([channel.say(text, { by: 'bob' }), channel.say('hello there', { by: 'bob' })]);
      await channel.sees(/^echo: .*hello there$/s, 'test:bob');
    },
  );

  test('/new puts nothing out of mind that stands behind it', async () => {
    const { channel, model } = await daemonSetting({ config: { owners: [] }, allowFrom: ['bob'] });
    const deeds = ['before', '/new', 'behind'].map((text) => channel.say(text, { by: 'bob' }));
    await Promise.all(deeds);
    await channel.sees('echo: behind');
    expect(wordsOf(await model.asked(1))).toBe('behind');
  });

  test('who claims this Keyturn is its owner for the message behind the code', async () => {
    const { channel, rows } = await unclaimed();
    await Promise.all([channel.say('/claim k3f9abcd'), channel.say('list the files')]);
    await channel.sees('This Keyturn is yours now');
    await channel.sees('echo: list the files');
    expect(rows('SELECT principal FROM owners')).toEqual([{ principal: 'test:ada' }]);
    expect(rows('SELECT subject FROM hints')).toEqual([]);
  });

  test('a wrong code before the right one does not keep them out', async () => {
    const { channel, rows } = await unclaimed();
    const texts = ['/claim k3f9abcc', '/claim k3f9abcd', 'list the files', '/status'];
    await Promise.all(texts.map((text) => channel.say(text)));
    await channel.sees('That is not the code');
    await channel.sees('This Keyturn is yours now');
    await channel.sees('is up for');
    await channel.sees('echo: list the files');
    expect(rows('SELECT subject FROM hints')).toEqual([]);
  });

  test('who shows a wrong code is refused with the message behind it, and others are not kept waiting', async () => {
    const { channel, model } = await unclaimed();
    const [eve] = ['/claim wrong', 'list the files'].map((text) => channel.say(text, { by: 'eve' }));
    await channel.say('/claim k3f9abcd');
    await eve;
    await channel.sees('That is not the code', 'test:eve');
    await channel.sees('private assistant', 'test:eve');
    await channel.sees('This Keyturn is yours now', 'test:ada');
    expect(model.requests).toEqual([]);
  });
});

async function unclaimed() {
  const setting = await daemonSetting({ config: { owners: [] } });
  return { channel: setting.channel, model: setting.model, rows: (sql: string) => setting.rows(sql) };
}

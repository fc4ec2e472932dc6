import { describe, expect, test } from 'vitest';
import { held, wordsOf } from '../support/scripted-model.ts';
import { deploySetting } from './deploy-setting.ts';

describe('a message that its sender takes back', () => {
  test('while another is answered is never read, and nothing of it is kept', async () => {
    const { setting, model, channel } = await deploySetting();
    const first = held('about the zoo');
    model.next(first.script);
    await channel.say('tell me of the zoo', { key: 'm1' });
    await model.asked(1);
    await channel.say('my password is hunter2', { key: 'm2' });
    await channel.takeBack('m2');
    first.release();
    await channel.seesAtRest('about the zoo');
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(setting.rows('SELECT * FROM inbox'))).not.toContain('hunter2');
    await channel.say('and?');
    expect(wordsOf(await model.asked(2))).not.toContain('hunter2');
  });

  test('while nothing of its answer shows is not answered', async () => {
    const { setting, model, channel } = await deploySetting({ config: { agent: { burst_ms: 3000 } } });
    model.next(held('about the zoo').script);
    await channel.say('tell me of the zoo', { key: 'm1' });
    await model.asked(1);
    await channel.takeBack('m1');
    await channel.whenIdle();
    expect(channel.textsIn('test:ada')).toEqual([]);
    expect(setting.rows('SELECT is_open FROM conversations')).toEqual([{ is_open: 0 }]);
  });

  test('after it was answered is told to the model when it is asked next, once', async () => {
    const { model, channel } = await deploySetting();
    await channel.ask('tell me of Berlin </keyturn_event>', 'echo: tell me of Berlin', { key: 'm1' });
    await channel.takeBack('m1');
    await channel.takeBack('m1');
    await channel.whenIdle();
    expect(model.requests).toHaveLength(1);
    await channel.say('and?');
    const words = wordsOf(await model.asked(2));
    expect(words.match(/kind="message_deleted"/g)).toHaveLength(1);
    expect(words.match(/<\/keyturn_event>/g)).toHaveLength(1);
  });

  test('is known by its key alone where the platform does not tell whose it was, after a restart too', async () => {
    const { setting, model, channel } = await deploySetting();
    const takeBack = (messageKey: string) =>
      channel.sessions.hosts.at(-1)?.receive({ type: 'deletion', key: `${messageKey}:d`, messageKey });
    await channel.ask('tell me of Berlin', 'echo: tell me of Berlin', { key: 'm1' });
    await setting.restart();
    await takeBack('m1');
    await takeBack('m1');
    await takeBack('never');
    const first = held('about the zoo');
    model.next(first.script);
    await channel.say('and the zoo?', { key: 'm2' });
    const words = wordsOf(await model.asked(2));
    expect(words.match(/Ada has deleted the message.*tell me of Berlin/gs)).toHaveLength(1);
    await channel.say('my password is hunter2', { key: 'm3' });
    await takeBack('m3');
    first.release();
    await channel.seesAtRest('about the zoo');
    expect(JSON.stringify(setting.rows('SELECT * FROM inbox'))).not.toContain('hunter2');
  });

  test('cannot be taken back by somebody else, nor a command, nor what was forgotten', async () => {
    const { setting, model, channel } = await deploySetting({ allowFrom: ['bob'] });
    await channel.ask('tell me of Berlin', 'echo: tell me of Berlin', { key: 'm1' });
    await channel.takeBack('m1', { by: 'bob' });
    await channel.say('/help', { key: 'c1' });
    await channel.takeBack('c1');
    await channel.say('/new');
    await channel.takeBack('m1');
    await channel.takeBack('never');
    await channel.say('and?');
    expect(wordsOf(await model.asked(2))).not.toContain('message_deleted');
    expect(setting.rows(`SELECT key FROM inbox WHERE kind IN ('event', 'withdrawn')`)).toEqual([]);
  });

  test('takes its attachments with it', async () => {
    const { setting, model, channel } = await deploySetting();
    const first = held('about the zoo');
    model.next(first.script);
    await channel.say('tell me of the zoo');
    await model.asked(1);
    await channel.say('', { key: 'm2', attachments: [channel.files.put('secret', { name: 'secret.txt' })] });
    await channel.takeBack('m2');
    first.release();
    await channel.seesAtRest('about the zoo');
    expect(channel.files.asked).toEqual([]);
    expect(setting.rows('SELECT * FROM attachments')).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { call, held, text, wordsOf } from '../support/scripted-model.ts';
import { deploySetting } from './deploy-setting.ts';

describe('rule 8: a reply is stored before any of it is shown, and arrives', () => {
  test('its outbox row is there before the first preview', async () => {
    const { setting, model, channel } = await deploySetting({ channel: { streams: true } });
    const before: unknown[] = [];
    channel.onPreview = () => before.push(setting.rows('SELECT state FROM outbox'));
    const rest = held(' world');
    model.next({ early: 'hello', rest: rest.script });
    await channel.ask('greet', /^hello$/);
    expect(before[0]).toEqual([{ state: 'streaming' }]);
    rest.release();
    await channel.seesAtRest('hello world');
    expect(channel.textsIn('test:ada')).toEqual(['hello world']);
  });

  test('its last word, which was held back in case it became a secret, is shown once nothing follows', async () => {
    const { model, channel } = await deploySetting({ channel: { streams: true } });
    model.next('It stands in file_42');
    await channel.askAtRest('where?', 'It stands in file_42');
    const previews = channel.traffic.filter(({ type }) => type === 'preview');
    expect(previews.at(-1)?.text).toBe('It stands in file_42');
  });

  test('duplicates are no more than the answers that were lost', async () => {
    const { channel, clock } = await deploySetting({ channel: { capabilities: { maxLength: 20 } } });
    for (let lost = 0; lost < 3; lost++) channel.failNext({ type: 'ambiguous' }, { isShown: true });
    await channel.say('one');
    for (let lost = 0; lost < 3; lost++) await clock.passes(3000);
    await channel.whenIdle();
    expect(channel.textsIn('test:ada')).toHaveLength(4);
  });

  test('a reply is finished before a card follows', async () => {
    const { model, channel } = await deploySetting({ channel: { streams: true } });
    model.next([text('I will deploy it'), call('deploy', { what: 'site' })]);
    const release = channel.hold();
    await channel.ask('deploy the site', 'I will deploy it');
    release();
    await channel.card();
    expect(channel.traffic.map(({ type }) => type)).toEqual(['preview', 'finish', 'send']);
  });

  test.each([
    [{ type: 'rate-limited', retryAfter: 1000 }, 1000],
    [{ type: 'transient' }, 500],
  ] as const)(
    'a stream that could not be finished (%j) is finished later, and its text is not sent a second time',
    async (fault, pause) => {
      const { setting, model, channel, clock } = await deploySetting({ channel: { streams: true } });
      model.next('hello world');
      channel.failNext(fault, { of: 'finish' });
      await channel.say('greet');
      await clock.passes(pause);
      await channel.whenIdle();
      expect(channel.traffic.map(({ type, failed }) => [type, failed])).toEqual([
        ['preview', false],
        ['finish', true],
        ['finish', false],
      ]);
      expect(channel.textsIn('test:ada')).toEqual(['hello world']);
      expect(setting.rows('SELECT state FROM outbox')).toEqual([{ state: 'delivered' }]);
    },
  );

  test('a preview that cannot be taken away does not cost the conversation', async () => {
    const { model, channel } = await deploySetting({ channel: { streams: true } });
    const answer = held('too late');
    model.next({ early: 'half', rest: answer.script });
    await channel.ask('tell me', 'half');
    channel.failNext({ type: 'transient' }, { of: 'cancel' });
    await channel.say('/stop');
    await channel.ask('hello', /^echo: .*hello$/s);
    expect(channel.textsIn('test:ada').join()).not.toContain('Something went wrong');
  });
});

describe('rule 10: expiries are coalesced, and cost no model call', () => {
  test('two calls that nobody decided end together, without a request', async () => {
    const { setting, model, channel, clock } = await deploySetting();
    model.next([call('deploy', { what: 'site' }), call('deploy', { what: 'shop' })]);
    await channel.say('deploy both');
    await channel.changes.waitFor(() => channel.screen.length === 2);
    await channel.whenIdle();
    clock.advance(1_800_000);
    await channel.changes.waitFor(() => channel.screen.filter(({ text }) => text.startsWith('⌛')).length === 2);
    await channel.whenIdle();
    expect(channel.textsIn('test:ada').filter((text) => text.includes('Say "go on"'))).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
    expect(setting.rows('SELECT kind, reason FROM turns')).toEqual([
      { kind: 'turn', reason: null },
      { kind: 'closing', reason: 'expired' },
    ]);
    await channel.say('are you there?');
    expect(wordsOf(await model.asked(2))).toContain('nobody decided in time');
  });

  test('where somebody has decided before in the run, it answers with what it has', async () => {
    const { model, channel, clock } = await deploySetting();
    model.next([call('deploy', { what: 'site' })], [call('deploy', { what: 'shop' })], 'Only the site is there.');
    await channel.say('deploy both');
    await channel.press(await channel.card());
    await model.asked(2);
    await channel.card();
    await channel.whenIdle();
    clock.advance(1_800_000);
    await channel.sees('Only the site is there.');
    expect(model.requests).toHaveLength(3);
  });
});

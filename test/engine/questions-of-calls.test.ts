import { describe, expect, test } from 'vitest';
import { llmOnly, type ToolOutput } from '../../src/tools/output.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { type DaemonSettingOptions, daemonSetting, group } from '../support/daemon-setting.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, resultsOf } from '../support/scripted-model.ts';

const colour = { text: 'Which **colour**?', options: ['Red', 'Dark blue'], timeout: 600_000 };

async function paint(_what: string, { ask }: ToolContext): Promise<ToolOutput> {
  return llmOnly(`painted ${(await ask?.(colour)) ?? 'nothing'}`);
}

/** A daemon whose model has the wall painted as soon as somebody says something, by a tool that asks for a colour. */
async function painting(options: DaemonSettingOptions = {}, execute = paint) {
  const tool = new RecordingTool('paint', 'memory', execute);
  const setting = await daemonSetting({ allowFrom: ['bob'], tools: [tool.registration], ...options });
  const { channel, model } = setting;
  model.next([call('paint', { what: 'wall' })]);
  model.otherwise((request) => `noted: ${resultsOf(request).at(-1) ?? 'nothing'}`);
  return { setting, channel, model, tool };
}

describe('what a call asks while it runs', () => {
  test('is answered by a button, and the very same call goes on with the answer', async () => {
    const { setting, channel, model, tool } = await painting();
    const card = await channel.cardFor('paint it');
    expect(card.text).toContain('❓ Which **colour**?\n\n1. Red\n2. Dark blue');
    await channel.pressToSee(card.buttons.flat()[1]?.actionId ?? '', 'noted: painted Dark blue');
    expect((await channel.sees('❓')).text).toBe('❓ Which **colour**?\n\n💬 `test:ada` (`Ada`): Dark blue');
    await channel.whenIdle();
    expect(tool.executed).toEqual(['wall']);
    expect(model.requests).toHaveLength(2);
    expect(setting.rows('SELECT state, call_id FROM approvals')).toEqual([{ state: 'answered', call_id: null }]);
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'success' }]);
    const audited = setting.rows(
      `SELECT kind, actor FROM audit WHERE call_id IS NOT NULL AND approval_id IS NOT NULL ORDER BY seq`,
    );
    expect(audited).toEqual([
      { kind: 'approval-asked', actor: 'test:ada' },
      { kind: 'question-answered', actor: 'test:ada' },
    ]);
  });

  test('is called off when the process ends, which does not wait for an answer', async () => {
    const { setting, channel } = await painting();
    await channel.cardFor('paint it');
    // The time that tools are given does not pass by itself.
    await setting.stop();
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'cancelled' }]);
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'success' }]);
  });

  test('is answered by the next words, which the model does not read as a message', async () => {
    const { setting, channel } = await painting();
    await channel.cardFor('paint it');
    await channel.ask('green, please', 'noted: painted green, please');
    expect(setting.rows(`SELECT text FROM inbox WHERE kind = 'message'`)).toEqual([{ text: 'paint it' }]);
  });

  test('takes a number for an answer where a text is wanted', async () => {
    const question = { text: 'How many?', options: ['Skip'], wantsText: true, timeout: 600_000 };
    const { channel } = await painting({}, async (_what, { ask }) => llmOnly(`painted ${await ask?.(question)}`));
    await channel.say('paint it');
    expect((await channel.card()).text).toBe('❓ How many?\n\n- Skip\n\nWrite your answer, or press a button.');
    await channel.ask('1', 'noted: painted 1');
  });

  test('in a group is for the one whom the run serves', async () => {
    const { channel } = await painting();
    const red = (await channel.cardFor('paint it', { in: group })).buttons.flat()[0]?.actionId ?? '';
    expect(await channel.press(red, { in: group, by: 'bob' })).toEqual({ notice: 'Only test:ada (Ada) was asked.' });
    await channel.say('Dark blue', { in: group, by: 'bob' });
    await channel.pressToSee(red, 'noted: painted Red', { in: group });
  });

  test('that nobody answers in time is undefined for the call, which goes on', async () => {
    const { setting, channel } = await painting();
    await channel.cardFor('paint it');
    // Its time has begun: a reminder is due half way through.
    await setting.clock.waitsFor(300_000);
    setting.clock.advance(600_000);
    await channel.sees('noted: painted nothing');
    await channel.sees('⌛ Nobody answered in time: Which **colour**?');
  });

  test('that nobody can read is undefined at once', async () => {
    const { channel } = await painting();
    channel.failNext({ type: 'permanent' }, { of: 'send', says: '❓' });
    await channel.ask('paint it', 'noted: painted nothing');
  });

  test('does not cost the call of its time', async () => {
    const { setting, channel } = await painting({ config: { tools: { timeout_secs: 10 } } });
    const card = await channel.cardFor('paint it');
    setting.clock.advance(60_000);
    await channel.pressToSee(card.buttons.flat()[0]?.actionId ?? '', 'noted: painted Red');
    expect(setting.rows('SELECT duration FROM calls')).toEqual([{ duration: 0 }]);
  });

  test('is called off by /stop, which ends the call, too', async () => {
    const { setting, channel } = await painting();
    const card = await channel.cardFor('paint it');
    await channel.askAtRest('/stop', 'Called off, since what asked has ended: Which **colour**?');
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'cancelled' }]);
    const late = await channel.press(card.buttons.flat()[0]?.actionId ?? '');
    expect(late).toEqual({ notice: 'That was called off before.' });
    await channel.ask('red', /^noted: /);
  });

  test('is called off when the call ends without its answer', async () => {
    const { channel } = await painting({}, async (_what, { ask }) => {
      void ask?.(colour);
      await channel.card();
      return llmOnly('painted by guess');
    });
    await channel.ask('paint it', 'noted: painted by guess');
    await channel.sees('Called off, since what asked has ended');
  });

  test('that a process has left is called off by the next one, and its call is outcome unknown', async () => {
    const { setting, channel } = await painting();
    const red = (await channel.cardFor('paint it')).buttons.flat()[0]?.actionId ?? '';
    const stopped = setting.stop();
    await setting.clock.passes(2_500);
    await stopped;
    setting.tamper(`UPDATE approvals SET state = 'pending'`);
    await setting.start();
    await channel.sees('Called off, since what asked has ended: Which **colour**?');
    await channel.sees('Outcome unknown');
    expect(await channel.press(red)).toEqual({ notice: 'That was called off before.' });
  });

  test('waits until another call has its answer', async () => {
    const tool = new RecordingTool('look', 'network_read', async (what, { ask }) => {
      return llmOnly(`${what}: ${await ask?.({ ...colour, text: `Colour of the ${what}?` })}`);
    });
    const { channel, model } = await daemonSetting({ tools: [tool.registration] });
    model.next([call('look', { what: 'wall' }), call('look', { what: 'door' })]);
    await channel.say('look');
    await tool.ran(2);
    const first = await channel.sees('Colour of the');
    await channel.ask('red', '💬 `test:ada` (`Ada`): Red');
    await channel.sees(first.text.includes('wall') ? 'Colour of the door?' : 'Colour of the wall?');
    await channel.say('2');
    expect([...resultsOf(await model.asked(2))].sort().join()).toMatch(/door: .*wall: /);
  });

  test('stands before what the person was asked earlier, for their words', async () => {
    const { channel, model } = await painting();
    model.next([call('ask', { question: 'And the floor?' })]);
    await channel.cardFor('paint it');
    await channel.ask('red', 'And the floor?');
    await channel.say('grey');
    expect(resultsOf(await model.asked(3))).toEqual(['painted Red', 'Ada answered:\ngrey']);
  });
});

import { describe, expect, test } from 'vitest';
import { approvalWords } from '../../src/approval/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import type { JsonValue } from '../../src/lib/json.ts';
import { llmOnly, type ToolOutput } from '../../src/tools/output.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { type DaemonSettingOptions, daemonSetting, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { originOf } from '../support/store-setting.ts';
import { approvalSetting, whereIn } from './approval-setting.ts';

const colour = { question: 'Which **colour**?', options: ['Red', 'Dark blue'] };

/** A daemon whose model asks Ada for a colour as soon as she says something. */
async function asking(options: DaemonSettingOptions = {}, args: JsonValue = colour) {
  const { setting, channel, model } = await daemonSetting({ allowFrom: ['bob'], ...options });
  model.next([call('ask', args)]);
  model.otherwise((request) => `noted: ${resultsOf(request).at(-1) ?? 'nothing'}`);
  return { setting, channel, model };
}

describe('a question of the model', () => {
  test('is shown with a button for each option, and the one that is pressed is the result', async () => {
    const { setting, channel, model } = await asking();
    const card = await channel.cardFor('paint it');
    expect(card.text).toContain('❓ Which **colour**?\n\n1. Red\n2. Dark blue');
    expect(card.buttons.flat().map(({ label }) => label)).toEqual(['Red', 'Dark blue']);
    expect(model.requests).toHaveLength(1);
    await channel.pressToSee(buttonOf(card, 'Dark blue'), 'noted: Ada answered:\nDark blue');
    expect((await channel.sees('❓')).text).toBe('❓ Which **colour**?\n\n💬 `test:ada` (`Ada`): Dark blue');
    expect(setting.rows('SELECT state, decided_by FROM approvals')).toEqual([
      { state: 'answered', decided_by: 'test:ada' },
    ]);
    expect(setting.rows(`SELECT actor FROM audit WHERE kind = 'question-answered'`)).toEqual([{ actor: 'test:ada' }]);
  });

  test.each<[string, string, string, (readonly string[])?]>([
    ['their number', '2', 'Dark blue'],
    ['their words', ' dark BLUE ', 'Dark blue'],
    ['their words, though they look like the number of another', '2', '2', ['2', '4', '1']],
    ['something else', 'green, please', 'green, please'],
    ['a number that is none of them', '7', '7'],
    ['anything where there are no options', '12', '12', []],
  ])('is answered by writing %s, which the model reads once, as the result', async (_what, words, answer, options) => {
    const { setting, channel, model } = await asking(
      {},
      options === undefined ? colour : { question: 'How many?', options },
    );
    const { buttons } = await channel.ask('paint it', '❓');
    expect(buttons.flat()).toHaveLength(options?.length ?? 2);
    await channel.askAtRest(words, `noted: Ada answered:\n${answer}`);
    expect(model.requests).toHaveLength(2);
    expect(setting.rows(`SELECT text FROM inbox WHERE kind = 'message'`)).toEqual([{ text: 'paint it' }]);
  });

  test('survives a restart, and is still answered by words or a button', async () => {
    const { setting, channel } = await asking();
    const card = await channel.cardFor('paint it');
    await setting.restart();
    await channel.ask('red', 'noted: Ada answered:\nRed');
    expect(await channel.press(card)).toEqual({ notice: approvalWords.en.toastSettled('answered') });
  });

  test('in a group is for the one whom the run serves: what others say is answered meanwhile', async () => {
    const { channel, model } = await asking();
    model.next('hello Bob');
    const card = await channel.cardFor('paint it', { in: group });
    const red = card;
    expect(await channel.press(red, { in: group, by: 'bob' })).toEqual({
      notice: engineWords.en.toastOnlyAsked({ person: 'test:ada (Ada)' }),
    });
    await channel.ask('hello', 'hello Bob', { in: group, by: 'bob' });
    await channel.pressToSee(red, /noted: .*/, { in: group });
    expect((await model.asked(3)).messages.at(-1)).toMatchObject({
      text: expect.stringContaining('Ada answered:\nRed'),
    });
  });

  test('is no permission: neither /approve nor a made-up button of one does anything', async () => {
    const { setting, channel } = await asking();
    await channel.cardFor('paint it');
    const [row] = setting.rows('SELECT id FROM approvals');
    await channel.ask(`/approve ${row?.id}`, engineWords.en.toastIsQuestion);
    expect((await channel.press(`ap:${row?.id}:a`)).notice).toBe(engineWords.en.toastIsQuestion);
    expect((await channel.press(`as:${row?.id}:9`)).notice).toBe(engineWords.en.toastDeadButton);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
  });

  test('that nobody answers is given up after its time, and costs no further request', async () => {
    const { setting, channel, model } = await asking({ config: { tools: { ask: { timeout_secs: 60 } } } });
    await channel.cardFor('paint it');
    await channel.whenIdle();
    setting.clock.advance(61_000);
    await channel.seesAtRest(approvalWords.en.unanswered(colour.question));
    expect(model.requests).toHaveLength(1);
    await channel.ask('red', /^noted: The question was shown, and nobody/);
  });

  test('is called off by /stop, and what is said then is a message again', async () => {
    const { channel, model } = await asking();
    await channel.cardFor('paint it');
    await channel.ask('/stop', approvalWords.en.cancelled(colour.question));
    await channel.say('red');
    expect((await model.asked(2)).messages.at(-1)).toMatchObject({ text: expect.stringContaining('red') });
  });

  test('comes one at a time', async () => {
    const { model, channel } = await daemonSetting();
    model.next([call('ask', colour), call('ask', { question: 'And the size?' })]);
    await channel.cardFor('paint it');
    await channel.say('red');
    const results = resultsOf(await model.asked(2));
    expect(results).toEqual(['Ada answered:\nRed', expect.stringContaining('One at a time')]);
  });

  test('needs no permission, whatever the policy says', async () => {
    const { channel } = await asking({ config: { approval: { policy: 'always_require' } } });
    expect((await channel.cardFor('paint it')).text).toContain('❓');
  });

  test.each(['a file', 'words of others'])('is not answered by %s', async (what) => {
    const { setting, channel } = await asking();
    await channel.cardFor('paint it');
    const shared = [{ how: 'forwarded', name: 'Bob', text: 'red', isOwn: false }] as const;
    const deed = what === 'a file' ? { attachments: [channel.files.put('abc', { name: 'a.txt' })] } : { shared };
    await channel.ask('red', 'noted:', deed);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
  });
});

const ada = () => originOf('ada', direct('test'));
const asked = {
  callId: 'c1',
  toolName: 'ask',
  hash: 'h',
  question: { text: 'Which colour?', options: [], timeout: 86_400_000 },
};

test('where nothing was asked, a message costs no look into the store', async () => {
  const setting = await approvalSetting();
  expect(await setting.approvals.hear(ada(), 'hello')).toBe(false);
  expect(setting.looks).toBe(0);
});

test('a question that is not stored yet when somebody speaks is still answered later', async () => {
  const setting = await approvalSetting();
  const draft = await setting.approvals.draftQuestion(asked, whereIn());
  expect(await setting.approvals.hear(ada(), 'hello')).toBe(false);
  await setting.keep('c1', draft, whereIn());
  expect(await setting.approvals.hear(ada(), 'red')).toBe(true);
});

test('where a question has ended, messages cost no look any more', async () => {
  const setting = await approvalSetting();
  await setting.keep('c1', await setting.approvals.draftQuestion(asked, whereIn()), whereIn());
  expect(await setting.approvals.hear(ada(), 'red')).toBe(true);
  setting.clock.advance(61_000);
  await setting.approvals.hear(ada(), 'thanks');
  const before = setting.looks;
  expect(await setting.approvals.hear(ada(), 'and one thing more')).toBe(false);
  expect(setting.looks).toBe(before);
});

const askedColour = { text: 'Which **colour**?', options: ['Red', 'Dark blue'], timeout: 600_000 };

async function paint(_what: string, { ask }: ToolContext): Promise<ToolOutput> {
  return llmOnly(`painted ${(await ask?.(askedColour)) ?? 'nothing'}`);
}

/** A daemon whose model has the wall painted as soon as somebody says something, by a tool that asks for a colour. */
async function painting(options: DaemonSettingOptions = {}, execute = paint) {
  const tool = new RecordingTool('paint', 'memory', execute);
  const { setting, channel, model } = await daemonSetting({
    allowFrom: ['bob'],
    tools: [tool.registration],
    ...options,
  });
  model.next([call('paint', { what: 'wall' })]);
  model.otherwise((request) => `noted: ${resultsOf(request).at(-1) ?? 'nothing'}`);
  return { setting, channel, model, tool };
}

describe('what a call asks while it runs', () => {
  test('is answered by a card, and the very same call goes on with the answer', async () => {
    const { setting, channel, model, tool } = await painting();
    const card = await channel.cardFor('paint it');
    expect(card.text).toContain('❓ Which **colour**?\n\n1. Red\n2. Dark blue');
    await channel.pressToSee(buttonOf(card, 'Dark blue'), 'noted: painted Dark blue');
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

  test('takes a number for an answer where a text is wanted', async () => {
    const question = { text: 'How many?', options: ['Skip'], wantsText: true, timeout: 600_000 };
    const { channel } = await painting({}, async (_what, { ask }) => llmOnly(`painted ${await ask?.(question)}`));
    await channel.say('paint it');
    expect((await channel.card()).text).toBe(`❓ How many?\n\n- Skip\n\n${approvalWords.en.writeOrPress}`);
    await channel.ask('1', 'noted: painted 1');
  });

  test('that nobody answers in time is undefined for the call, which goes on', async () => {
    const { setting, channel } = await painting();
    await channel.cardFor('paint it');
    // Its time has begun: a reminder is due half way through.
    await setting.clock.waitsFor(300_000);
    setting.clock.advance(600_000);
    await channel.sees('noted: painted nothing');
    await channel.sees(approvalWords.en.unanswered(colour.question));
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
    await channel.pressToSee(card, 'noted: painted Red');
    expect(setting.rows('SELECT duration FROM calls')).toEqual([{ duration: 0 }]);
  });

  test('is called off by /stop, which ends the call, too', async () => {
    const { setting, channel } = await painting();
    const card = await channel.cardFor('paint it');
    await channel.askAtRest('/stop', approvalWords.en.uncalled(colour.question));
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'cancelled' }]);
    const late = await channel.press(card);
    expect(late).toEqual({ notice: approvalWords.en.toastSettled('cancelled') });
    await channel.ask('red', /^noted: /);
  });

  test('is called off when the call ends without its answer', async () => {
    const { channel } = await painting({}, async (_what, { ask }) => {
      void ask?.(askedColour);
      await channel.card();
      return llmOnly('painted by guess');
    });
    await channel.ask('paint it', 'noted: painted by guess');
    await channel.sees(approvalWords.en.uncalled(colour.question));
  });

  test('that a process has left is called off by the next one, and its call is outcome unknown', async () => {
    const { setting, channel } = await painting();
    const red = await channel.cardFor('paint it');
    const stopped = setting.stop();
    await setting.clock.passes(2_500);
    await stopped;
    setting.tamper(`UPDATE approvals SET state = 'pending'`);
    await setting.start();
    await channel.sees(approvalWords.en.uncalled(colour.question));
    await channel.sees('Outcome unknown');
    expect(await channel.press(red)).toEqual({ notice: approvalWords.en.toastSettled('cancelled') });
  });

  test('waits until another call has its answer', async () => {
    const tool = new RecordingTool('look', 'network_read', async (what, { ask }) => {
      return llmOnly(`${what}: ${await ask?.({ ...askedColour, text: `Colour of the ${what}?` })}`);
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

  test.each(['/stop', 'the end of the process'])('is not asked after %s if it waits for that', async (end) => {
    const { setting, channel } = await painting({}, async (_what, { ask }) => {
      await Promise.all([ask?.(askedColour), ask?.(askedColour)]);
      return llmOnly('painted by guess');
    });
    await channel.cardFor('paint it');
    if (end === '/stop') await channel.askAtRest('/stop', 'Called off');
    else await setting.stop();
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'cancelled' }]);
  });

  test('is answered by the next words, before what the person was asked earlier', async () => {
    const { setting, channel, model } = await painting();
    model.next([call('ask', { question: 'And the floor?' })]);
    await channel.cardFor('paint it');
    await channel.ask('red', 'And the floor?');
    await channel.say('grey');
    expect(resultsOf(await model.asked(3))).toEqual(['painted Red', 'Ada answered:\ngrey']);
    // The model does not read them as messages.
    expect(setting.rows(`SELECT text FROM inbox WHERE kind = 'message'`)).toEqual([{ text: 'paint it' }]);
  });
});

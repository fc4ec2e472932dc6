import { describe, expect, test } from 'vitest';
import { stuckOf, withRepeatNotes } from '../../../src/runs/context/stuck.ts';
import { stuckRunWords } from '../../../src/runs/context/words.ts';
import { error, llmOnly } from '../../../src/tools/output.ts';
import { failureNote } from '../../../src/tools/runner.ts';
import { entry, event, said, turn } from '../../engine/run-states.ts';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call, resultsOf } from '../../support/scripted-model.ts';

const limits = { maxFailures: 3, maxRepeats: 5 };
const failed = (id: string, name = 'deploy', text = id) =>
  entry(id, 'done', { name, result: { outcome: 'error', text } });
const worked = (id: string, name = 'deploy', text = id) =>
  entry(id, 'done', { name, result: { outcome: 'success', text } });

describe('a run gets nowhere', () => {
  test('when a tool fails in three turns in a row', () => {
    const entries = [said(1), turn(1, [failed('a')]), turn(1, [failed('b')]), turn(1, [failed('c')])];
    expect(stuckOf(entries, limits)).toEqual({ type: 'failing', toolName: 'deploy', times: 3 });
    expect(stuckOf(entries.slice(0, -1), limits)).toBeUndefined();
    expect(stuckOf(entries, { ...limits, maxFailures: 0 })).toBeUndefined();
  });

  test.each([
    [
      'a success in between',
      [turn(1, [failed('a')]), turn(1, [worked('b')]), turn(1, [failed('c')]), turn(1, [failed('d')])],
    ],
    ['a success beside it', [turn(1, [failed('a')]), turn(1, [failed('b')]), turn(1, [failed('c'), worked('d')])]],
    ['words of a person in between', [turn(1, [failed('a')]), turn(1, [failed('b')]), said(2), turn(2, [failed('c')])]],
    ['three failures at once', [turn(1, [failed('a'), failed('b'), failed('c')])]],
    [
      'the failures of different tools',
      [turn(1, [failed('a')]), turn(1, [failed('b', 'x')]), turn(1, [failed('c', 'y')])],
    ],
  ])('not with %s', (_what, turns) => {
    expect(stuckOf([said(1), ...turns], limits)).toBeUndefined();
  });

  test('when other tools work meanwhile, all the same', () => {
    const mixed = ['a', 'b', 'c'].map((id) => turn(1, [failed(id), worked(`${id}2`, 'look')]));
    expect(stuckOf([said(1), ...mixed], limits)).toMatchObject({ type: 'failing', toolName: 'deploy' });
  });

  test('when the same call gives the same result five times, in whatever order its arguments stand', () => {
    const calls = [1, 2, 3, 4, 5].map((id) =>
      turn(1, [{ ...worked(`${id}`, 'look', 'nothing'), arguments: id % 2 === 0 ? { a: 1, b: 2 } : { b: 2, a: 1 } }]),
    );
    expect(stuckOf([said(1), ...calls], limits)).toEqual({ type: 'repeating', toolName: 'look', times: 5 });
    expect(stuckOf([said(1), ...calls.slice(1)], limits)).toBeUndefined();
  });

  test('when the same call fails in the same way five times, though it reads how often its tool has failed', () => {
    const text = (times: number): string => `It is broken.${times < 3 ? '' : failureNote(times)}`;
    const calls = [1, 2, 3, 4, 5].map((times) => turn(1, [{ ...failed('a', 'look', text(times)), arguments: {} }]));
    expect(stuckOf([said(1), ...calls], { ...limits, maxFailures: 0 })).toMatchObject({ type: 'repeating', times: 5 });
  });

  test('not when the same call gives something new', () => {
    const calls = [1, 2, 3, 4, 5, 6].map((id) => turn(1, [worked(`${id}`, 'look', `at ${id}`)]));
    expect(stuckOf([said(1), ...calls], limits)).toBeUndefined();
  });
});

test('what other runs did does not count, where no person has spoken between them', () => {
  const of = (run: string, id: number, call: ReturnType<typeof worked>) => ({ ...turn(id, [call]), runId: run });
  const planned = [1, 2, 3, 4, 5].flatMap((id) => [
    event(id, true),
    of(`run${id}`, id, worked(`${id}`, 'look', 'well')),
  ]);
  expect(stuckOf([said(0), ...planned], limits)).toBeUndefined();
  const failing = [1, 2, 3].flatMap((id) => [event(id, true), of(`run${id}`, id, failed(`${id}`))]);
  expect(stuckOf([said(0), ...failing], limits)).toBeUndefined();
  expect(JSON.stringify(withRepeatNotes(planned))).not.toContain('this very call');
});

test.each(['refused', 'denied'] as const)('a call that is %s again and again gets nowhere either', (outcome) => {
  const calls = [1, 2, 3, 4, 5].map((id) =>
    turn(1, [entry(`${id}`, 'done', { name: 'deploy', result: { outcome, text: 'no' } })]),
  );
  expect(stuckOf([said(1), ...calls], limits)).toEqual({ type: 'repeating', toolName: 'deploy', times: 5 });
  expect(JSON.stringify(withRepeatNotes(calls))).toContain('this very call 3 times');
});

test('from the third time on the model is told in the result, and later requests say the same', () => {
  const turns = [1, 2, 3, 4].map((id) => turn(id, [worked(`${id}`, 'look', 'nothing')]));
  const texts = (count: number) =>
    withRepeatNotes([said(1), ...turns.slice(0, count)]).flatMap((found) =>
      found.type === 'turn' ? found.calls.map(({ result }) => result?.text) : [],
    );
  expect(texts(4)).toEqual([
    'nothing',
    'nothing',
    expect.stringContaining('this very call 3 times'),
    expect.stringContaining('this very call 4 times'),
  ]);
  expect(texts(4).slice(0, 3)).toEqual(texts(3));
});

test('a run with a tool that keeps failing stops, says why, and goes on when it is told to', async () => {
  const deploy = new RecordingTool('deploy', 'memory', () => error('no connection'));
  const { setting, model, channel } = await daemonSetting({ tools: [deploy.registration] });
  model.otherwise(() => [call('deploy', { what: crypto.randomUUID() })]);
  await channel.ask('deploy', stuckRunWords.en.failing({ tool: '`deploy`', times: 3 }));
  expect(deploy.executed).toHaveLength(3);
  expect(setting.rows(`SELECT reason FROM turns WHERE kind = 'closing'`)).toEqual([{ reason: 'stuck' }]);
  model.next('I give up');
  await channel.ask('go on', 'I give up');
  expect(JSON.stringify((await model.asked(4)).messages)).toContain('Paused: a tool kept failing');
});

test('a run that goes in circles is told so, and then stopped', async () => {
  const look = new RecordingTool('look', 'memory', () => llmOnly('nothing'));
  const { model, channel } = await daemonSetting({ tools: [look.registration] });
  model.otherwise(() => [call('look', { what: 'here' })]);
  await channel.ask('look', stuckRunWords.en.repeating({ tool: '`look`', times: 5 }));
  expect(look.executed).toHaveLength(5);
  expect(resultsOf(await model.asked(4)).at(-1)).toContain('[You have made this very call 3 times now');
});

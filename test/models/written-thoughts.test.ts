import { describe, expect, test } from 'vitest';
import type { AnswerPart } from '../../src/models/language-model.ts';
import { writtenThoughts } from '../../src/models/sdk-answer.ts';
import { withTextTools } from '../../src/models/text-tools/text-tools.ts';
import { answerOf, eventsOf, modelWith, request } from './ask.ts';
import { textOf } from './stepping-model.ts';
import { chunk, sse, streaming } from './wire-server.ts';

async function modelThatWrites(pieces: readonly string[], reason = 'stop') {
  const answer = sse(...pieces.map((content) => chunk({ content })), chunk({}, reason));
  return (await modelWith(streaming(answer))).model;
}

const proseOf = (parts: readonly AnswerPart[]) =>
  parts.map((part) => (part.type === 'call' ? 'call' : [part.type, part.text]));

describe('what a model of a compatible server writes', () => {
  test.each([
    ['<think>Hm.</think>\n\nYes.', 'Hm.', 'Yes.'],
    ['\n<thinking>Hm, <b>.</thinking> Yes. <think>no</think>', 'Hm, <b>.', 'Yes. <think>no</think>'],
    ['<think></think>Yes.', '', 'Yes.'],
    ['Yes. <think>no</think>', '', 'Yes. <think>no</think>'],
    ['<thought>Yes', '', '<thought>Yes'],
    ['<thin', '', '<thin'],
    ['  Yes', '', '  Yes'],
    ['<think>Hm. </thi', 'Hm. </thi', ''],
  ])('%j: thoughts %j, and text %j, in one piece or in many', async (written, thought, said) => {
    for (const pieces of [[written], written.split('')]) {
      const events = await eventsOf(await modelThatWrites(pieces), request('hello'));
      const last = events.at(-1);
      const expected = [...(thought === '' ? [] : [['reasoning', thought]]), ...(said === '' ? [] : [['text', said]])];
      expect(last?.type === 'finish' ? proseOf(last.answer.parts) : last).toEqual(expected);
      expect(textOf(events)).toBe(said);
    }
  });

  test('makes no call where it stands in its thoughts', async () => {
    const call = '<tool_call>{"name":"list_dir","arguments":{}}</tool_call>';
    const model = withTextTools(await modelThatWrites([`<think>Shall I?\n${call}\n</think>\n\n${call}`]));
    const { parts } = await answerOf(model, request('hello'));
    expect(parts.map(({ type }) => type)).toEqual(['reasoning', 'call']);
  });

  test('is cut in its thoughts: the person is told, and reads none of them', async () => {
    const model = await modelThatWrites(['<think>Hm. So'], 'length');
    const { parts } = await answerOf(model, request('hello'));
    expect(proseOf(parts)).toEqual([
      ['reasoning', 'Hm. So'],
      ['text', expect.stringMatching(/^✂️ /)],
    ]);
  });

  test('is a text where another text has ended in its thoughts', () => {
    const read = writtenThoughts();
    const pieces = [
      { type: 'text-delta', id: '1', delta: '<think>Hm' },
      { type: 'text-end', id: '1' },
      { type: 'text-delta', id: '2', delta: 'Yes' },
    ] as const;
    const types = pieces.flatMap((piece) => [...read(piece)]).map(({ type }) => type);
    expect(types).toEqual(['reasoning-delta', 'text-end', 'text-delta']);
  });
});

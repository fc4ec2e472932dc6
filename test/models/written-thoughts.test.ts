import { describe, expect, test } from 'vitest';
import { engineWords } from '../../src/engine/words.ts';
import { type AnswerPart, ModelError, type ModelEvent, withStream } from '../../src/models/language-model.ts';
import { withContinuation } from '../../src/models/retry.ts';
import { withTextTools } from '../../src/models/text-tools/text-tools.ts';
import { createThoughtReader } from '../../src/models/written-thoughts.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { text, wordsOf } from '../support/scripted-model.ts';
import { answerOf, eventsOf, modelWith, request } from './ask.ts';
import { ends, SteppingModel, says } from './stepping-model.ts';
import { beginStream, chunk, sendStream, sse, streaming } from './wire-server.ts';

async function modelThatWrites(pieces: readonly string[], reason = 'stop') {
  const answer = sse(...pieces.map((content) => chunk({ content })), chunk({}, reason));
  return (await modelWith(streaming(answer))).model;
}

/** The same, but it writes the rest of its first answer only once the first piece has been read. */
async function modelThatIsRead(answers: readonly (readonly string[])[]) {
  const { promise: hasRead, resolve: read } = Promise.withResolvers<void>();
  const { model } = await modelWith((response, count) => {
    const [first, ...rest] = answers[count - 1] ?? [];
    beginStream(response);
    response.write(sse(chunk({ content: first })));
    const goOn = (): void => void response.end(sse(...rest.map((content) => chunk({ content })), chunk({}, 'stop')));
    if (count === 1) void hasRead.then(goOn);
    else goOn();
  });
  return withStream(model, async function* (asked) {
    for await (const event of model.stream(asked)) {
      read();
      yield event;
    }
  });
}

const proseOf = (parts: readonly AnswerPart[]) =>
  parts.map((part) => (part.type === 'call' ? 'call' : [part.type, part.text]));

/** What people see in the end. */
function shownIn(events: readonly ModelEvent[]): string {
  return events.reduce((text, event) => {
    if (event.type === 'text-withdrawn') return '';
    return event.type === 'text' ? text + event.delta : text;
  }, '');
}

/** What is written, what of it people see, and what of it are thoughts. */
const spellings: readonly (readonly [written: string, said: string, thoughts: string])[] = [
  ['<think>Hm.</think>\n\nYes.', 'Yes.', 'Hm.'],
  ['\n<thinking>Hm, <b>.</thinking> Yes.', 'Yes.', 'Hm, <b>.'],
  ['<think></think>Yes.', 'Yes.', ''],
  ['<think>\n\n</think>\n\nYes.', 'Yes.', '\n\n'],
  ['<Think>Hm.</Think>Yes.', 'Yes.', 'Hm.'],
  ['<THINK>Hm.</think >Yes.', 'Yes.', 'Hm.'],
  ['<think level="high" time=3>Hm.</think>Yes.', 'Yes.', 'Hm.'],
  ['<keyturn_event kind="sent">Sun 29 Nov 2026, 09:51</keyturn_event>\nYes.', 'Yes.', ''],
  ['<keyturn_event kind="sent">Yes.', 'Yes.', ''],
  ['<keyturn_event kind="answer_ended">\nYes.\n</keyturn_event>', 'Yes.\n', ''],
  ['Yes.</keyturn_event>', 'Yes.', ''],
  ['<thought>Hm.</thought>Yes.', 'Yes.', 'Hm.'],
  ['<reasoning>Hm.</reasoning>Yes.', 'Yes.', 'Hm.'],
  ['<reflection>Hm.</reflection>Yes.', 'Yes.', 'Hm.'],
  ['<seed:think>Hm.</seed:think>Yes.', 'Yes.', 'Hm.'],
  ['◁think▷Hm.◁/think▷Yes.', 'Yes.', 'Hm.'],
  ['[THINK]Hm.[/THINK]Yes.', 'Yes.', 'Hm.'],
  [
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>',
    'Yes.',
    'Hm.',
  ],
  ['<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Yes.', 'Yes.', 'Hm.'],
  ['<|channel>thought\nHm.<channel|>Yes.', 'Yes.', 'Hm.'],
  ['<|begin_of_thought|>Hm.<|end_of_thought|><|begin_of_solution|>Yes.<|end_of_solution|>', 'Yes.', 'Hm.'],
  ['<mm:think>Hm.</mm:think>Yes.', 'Yes.', 'Hm.'],
  ['<longcat_think>Hm.</longcat_think>Yes.', 'Yes.', 'Hm.'],
  ['<think:opensource>Hm.</think:opensource>Yes.', 'Yes.', 'Hm.'],
  ['<think_never_used_51bce0c785ca2f68>Hm.</think_never_used_51bce0c785ca2f68>Yes.', 'Yes.', 'Hm.'],
  ['<antThinking>Hm.</antThinking>Yes.', 'Yes.', 'Hm.'],
  ['<scratchpad>Hm.</scratchpad>Yes.', 'Yes.', 'Hm.'],
  ['<reasoning_content>Hm.</reasoning_content>Yes.', 'Yes.', 'Hm.'],
  ['<思考>嗯。</思考>你好！', '你好！', '嗯。'],
  ['<think/>Yes.', 'Yes.', ''],
  ['< think >Hm.</ think >Yes.', 'Yes.', 'Hm.'],
  ['<think>Hm.</thinking>Yes.', 'Yes.', 'Hm.'],
  ['<thinking>Hm.</think>Yes.', 'Yes.', 'Hm.'],
  ['<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>', 'Yes.', 'Hm.'],
  ['<|think|>Hm.<|/think|>Yes.', 'Yes.', 'Hm.'],
  ['<think>用户想要问候。</think>你好！', '你好！', '用户想要问候。'],
  ['<reason>Hm.</reason>Yes.', 'Yes.', 'Hm.'],
  ['<analysis>Hm.</analysis>\nYes.', 'Yes.', 'Hm.'],
  ['<cot>Hm.</cot>Yes.', 'Yes.', 'Hm.'],
  ['<rationale>Hm.</rationale>Yes.', 'Yes.', 'Hm.'],
  ['<chain_of_thought>Hm.</chain_of_thought>Yes.', 'Yes.', 'Hm.'],
  ['[think]Hm.[/think]Yes.', 'Yes.', 'Hm.'],
  ['[think]\n嗯。\n[/think]\n你好！', '你好！', '\n嗯。\n'],
  ['<|im_start|>think\nHm.<|im_end|>\n<|im_start|>answer\nYes.<|im_end|>', 'Yes.', 'Hm.'],
  [
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>Yes.<|end|>',
    'Yes.',
    'Hm.',
  ],
  // Several blocks.
  ['<think>a</think>One <think>b</think>two', 'One two', 'ab'],
  ['One <think>b</think> two', 'One  two', 'b'],
  ['One\n<think>b</think>\n\ntwo', 'One\ntwo', 'b'],
  ['<think>a</think><think>b</think>Yes.', 'Yes.', 'ab'],
  ['<think>a</think>Yes.\n<reasoning>b</reasoning>', 'Yes.\n', 'ab'],
  // The end alone.
  ['Hm.\n</think>\n\nYes.', 'Yes.', 'Hm.\n'],
  ['Hm.</think>Yes.', 'Yes.', 'Hm.'],
  ['Hm.\n</thinking>\nYes.', 'Yes.', 'Hm.\n'],
  ['Hm.\n◁/think▷Yes.', 'Yes.', 'Hm.\n'],
  ['Hm.[/THINK]Yes.', 'Yes.', 'Hm.'],
  ['先想一想。</think>\n\n你好！', '你好！', '先想一想。'],
  ['</think>\n\nYes.', 'Yes.', ''],
  ['<think>a</think>b</think>Yes.', 'Yes.', 'ab'],
  ['It has `code` and\n```\nmore\n```\n</think>\nYes.', 'Yes.', 'It has `code` and\n```\nmore\n```\n'],
  // No end.
  ['<think>Hm. So', '', 'Hm. So'],
  ['<think>Hm. </thi', '', 'Hm. </thi'],
  ['<thought>Yes', '', 'Yes'],
  ['Yes.\n<think>But what if', 'Yes.\n', 'But what if'],
  ['◁think▷Hm', '', 'Hm'],
  ['<|channel|>analysis<|message|>Hm', '', 'Hm'],
  // The end, quoted in thoughts.
  ['<think>It ends with `</think>`, then.</think>Yes.', 'Yes.', 'It ends with `</think>`, then.'],
];

/** What stays as it is. */
const kept = [
  '<thin',
  '  Yes',
  'Use `<think>` and `</think>`.',
  '```xml\n<think>Hm.</think>\n```\nSo.',
  'See:\n\n```\n<reasoning>\nHm\n</reasoning>\n```',
  '`<reasoning>Hm</reasoning>` is it.',
  'R1 writes <think> and </think> around it.',
  'It writes <think>…</think> first.',
  'The tag is </think>.',
  'A </think> tag ends it.',
  '模型用 <think> 和 </think> 标签。',
  '结束标签是</think>。',
  'It begins with <think> and never ends.',
  'a < b and c > d, [x] and [TH',
  'I think <thing>so</thing>.',
  '[THINKER](https://a.example) is a link.',
  'x <reasoning> y',
  '<details><summary>Think</summary>x</details>',
  'The channel is <|channel|>.',
  '[think](https://a.example) about it.',
  'He said [think] and went.',
  '`<analysis>` and `<cot>` are tags.',
  '```xml\n<analysis>Hm.</analysis>\n```',
  '```\n[think]\n```',
  'The <analysis> is done.',
  // Calls are left to who reads them.
  '<|channel|>commentary to=functions.shell <|constrain|>json<|message|>{"command":"ls"}<|call|>',
  '<|start|>assistant to=functions.shell<|channel|>commentary <|constrain|>json<|message|>{"command":"ls"}<|call|>',
  '<|start|>assistant to=functions.shell<|channel|>commentary json<|message|>{"command":"ls"}<|call|>',
  '<|channel|>analysis to=functions.shell code<|message|>{"command":"ls"}<|call|>',
] as const;

/** What comes of a text in pieces of this size. */
function read(written: string, size: number, holds = false) {
  const reader = createThoughtReader(holds);
  let [said, thoughts] = ['', ''];
  const pieces = Array.from({ length: Math.ceil(written.length / size) }, (_, at) =>
    written.slice(at * size, (at + 1) * size),
  );
  for (const piece of [...pieces.flatMap((one) => reader.take(one)), ...reader.end()]) {
    if (piece.type === 'withdrawn') [said, thoughts] = ['', thoughts + said];
    else if (piece.type === 'text') said += piece.delta;
    else thoughts += piece.delta;
  }
  return [said, thoughts];
}

describe.each([1, 2, 7, 1000])('in pieces of %i', (size) => {
  test.each(spellings)('%j is %j to people, with thoughts %j', (written, said, thoughts) => {
    expect(read(written, size)).toEqual([said, thoughts]);
  });

  test.each(kept)('%j stays', (written) => {
    expect(read(written, size)).toEqual([written, '']);
  });

  test('a text that is held is shown with its end, or at its end', () => {
    expect(read('Hm.\n</think>\n\nYes.', size, true)).toEqual(['Yes.', 'Hm.\n']);
    expect(read('Yes, and no.', size, true)).toEqual(['Yes, and no.', '']);
  });
});

test('a long block in many pieces is read in few steps', () => {
  let searched = 0;
  const exec = RegExp.prototype.exec;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    searched += text.length;
    return exec.call(this, text);
  };
  try {
    const written = `One <think>${'x'.repeat(100_000)}</think> two`;
    expect(read(written, 10)[0]).toBe('One  two');
  } finally {
    RegExp.prototype.exec = exec;
  }
  expect(searched).toBeLessThan(20 * 100_000);
});

describe('what a model of a foreign server writes', () => {
  test.each(spellings.slice(0, 24))(
    '%j: people see %j, and %j is kept as thoughts',
    async (written, said, thoughts) => {
      const events = await eventsOf(await modelThatWrites(written.match(/[\s\S]{1,3}/gu) ?? []), request('hello'));
      const last = events.at(-1);
      const parts = last?.type === 'finish' ? last.answer.parts : [];
      const textOf = (kind: 'text' | 'reasoning') =>
        parts.flatMap((part) => (part.type === kind ? [part.text] : [])).join('');
      expect([shownIn(events), textOf('text'), textOf('reasoning')]).toEqual([said, said, thoughts]);
    },
  );

  test('is withdrawn once; the next answers are held until their thoughts end', async () => {
    const behindThoughts = ['Hm.\n', '</think>\n\n', 'Yes, so be it.'];
    const model = await modelThatIsRead([behindThoughts, behindThoughts, ['No ', 'thoughts.']]);
    const first = await eventsOf(model, request('hello'));
    const second = await eventsOf(model, request('hello'));
    const third = await eventsOf(model, request('hello'));
    const withdrawn = [first, second, third].map(
      (events) => events.filter(({ type }) => type === 'text-withdrawn').length,
    );
    expect(withdrawn).toEqual([1, 0, 0]);
    expect([first, second, third].map(shownIn)).toEqual(['Yes, so be it.', 'Yes, so be it.', 'No thoughts.']);
  });

  test('makes no call where it stands in its thoughts', async () => {
    const call = '<tool_call>{"name":"list_dir","arguments":{}}</tool_call>';
    const model = withTextTools(await modelThatWrites([`<think>Shall I?\n${call}\n</think>\n\n${call}`]));
    const { parts } = await answerOf(model, request('hello'));
    expect(parts.map(({ type }) => type)).toEqual(['reasoning', 'call']);
  });

  test('makes no call where only the end of its thoughts is written', async () => {
    const call = '<tool_call>{"name":"list_dir","arguments":{}}</tool_call>';
    const model = withTextTools(await modelThatIsRead([['Shall I?\n', call, '\n</think>\n\nNo, I shall not.']]));
    const { parts } = await answerOf(model, request('hello'));
    expect(parts.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text']);
  });

  test('is cut in its thoughts: the person is told, and reads none of them', async () => {
    const model = await modelThatWrites(['<think>Hm. So'], 'length');
    const { parts, ending } = await answerOf(model, request('hello'));
    expect(proseOf(parts)).toEqual([['reasoning', 'Hm. So']]);
    expect(ending).toBe('cut');
  });

  test('and was cut in thoughts without a beginning, is withdrawn with what was shown before', async () => {
    const cut = new ModelError('transient', 'it broke off');
    const more = [says('k\n'), { type: 'text-withdrawn' } as const, says('Yes.'), ends({ type: 'text', text: 'Yes.' })];
    const events = await eventsOf(withContinuation(new SteppingModel([[says('I thin'), cut], more])), request('hello'));
    expect(shownIn(events)).toBe('Yes.');
    expect(events.at(-1)).toMatchObject({
      answer: { parts: expect.not.arrayContaining([{ type: 'text', text: 'I thin' }]) },
    });
  });
});

test('people see no thoughts in the chat, not even for a while after they are known', async () => {
  const { model: foreign } = await modelWith((response) =>
    sendStream(
      response,
      sse(
        chunk({ content: 'SECRET plan' }),
        chunk({ content: '\n</think>\n\n' }),
        chunk({ content: 'VISIBLE' }, 'stop'),
      ),
    ),
  );
  const { channel } = await daemonSetting({
    channel: { streams: true },
    moreModels: { foreign },
  });
  await channel.say('/model foreign');
  await channel.ask('hello', 'VISIBLE');
  await channel.whenIdle();
  expect(channel.textsIn('test:ada').join('\n')).not.toContain('SECRET');
});

test('an answer of thoughts alone is said to be one', async () => {
  const { model, channel } = await daemonSetting();
  model.next([{ type: 'reasoning', text: 'Hm.' }]);
  await channel.ask('hello', engineWords.en.onlyThoughts);
});

test('an answer that was cut in its thoughts says what gives the model more room, and leaves nothing behind for the model', async () => {
  const { model, channel } = await daemonSetting({ config: { agent: { burst_ms: 0 } } });
  for (const blank of [[], [text(' \n')]]) {
    model.ending = 'cut';
    model.next([{ type: 'reasoning', text: 'Hm.' }, ...blank]);
    await channel.askAtRest('hello', engineWords.en.cutThoughts);
  }
  model.ending = undefined;
  await channel.askAtRest('and now?', 'echo');
  expect(wordsOf(model.last)).not.toContain('answer_ended');
  expect(channel.textsIn('test:ada').join()).not.toContain('✂️');
});

test('an answer that was cut in thoughts which it writes as text, or tells apart, says what gives the model more room, too', async () => {
  const pieces = [{ content: '<think>Hm. So' }, { reasoning_content: 'Hm. So' }];
  for (const piece of pieces) {
    const { model: foreign } = await modelWith((response) =>
      sendStream(response, sse(chunk(piece), chunk({ content: '' }, 'length'))),
    );
    const { channel } = await daemonSetting({ moreModels: { foreign } });
    await channel.say('/model foreign');
    await channel.ask('hello', engineWords.en.cutThoughts);
  }
});

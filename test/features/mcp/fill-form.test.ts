import { describe, expect, test } from 'vitest';
import { fillForm } from '../../../src/features/mcp/fill-form.ts';
import { formWords } from '../../../src/features/mcp/words.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Language } from '../../../src/lib/words.ts';
import type { PersonQuestion } from '../../../src/tools/tool.ts';
import { group } from '../../support/daemon-setting.ts';
import { boxSetting, mcpSetting } from '../../support/mcp/mcp-setting.ts';
import { definition, serverFolder } from '../../support/mcp/server-folder.ts';
import { call, resultsOf } from '../../support/scripted-model.ts';

type Field = Readonly<Record<string, unknown>>;

/** A person who gives these answers, one after the other: an option by its beginning, or words; and then none. */
async function filling(
  properties: Readonly<Record<string, Field>>,
  answers: readonly string[],
  required: readonly string[] = [],
  language: Language = 'en',
) {
  const asked: PersonQuestion[] = [];
  const left = [...answers];
  const ask = async (question: PersonQuestion): Promise<string | undefined> => {
    asked.push(question);
    const answer = left.shift();
    if (answer === undefined) return undefined;
    return question.options.find((option) => option.includes(answer)) ?? answer;
  };
  const requestedSchema: JsonObject = JSON.parse(JSON.stringify({ type: 'object', properties, required }));
  const form = { message: 'Who *are* you?', requestedSchema };
  // The library has read the schema before; what it lets through differs from version to version.
  const asker = { server: 'box', ask, timeout: 1_000, language };
  const result = await fillForm(Object(form), asker, new AbortController().signal);
  return { result, asked };
}

const words = formWords.en;
const head = words.head({ server: '`box`', message: 'Who \\*are\\* you?' });

describe('a form of an MCP server', () => {
  test('is in the language of the person, who answers in it', async () => {
    const { yes, no, buttonDecline, wanted, number, objection, writeNumber } = formWords.zh;
    const fields = { share: { type: 'number', minimum: 1 }, agree: { type: 'boolean' } };
    const { result, asked } = await filling(fields, ['half', '2', yes], ['share', 'agree'], 'zh');
    expect(result).toEqual({ action: 'accept', content: { share: 2, agree: true } });
    const hint = number({ isWhole: false, least: 1, most: Infinity });
    expect(asked[0]?.text).toContain(wanted({ hint }));
    expect(asked[1]?.text).toContain(objection({ why: writeNumber({ hint }) }));
    expect(asked[2]?.options).toEqual([yes, no, buttonDecline]);
    const declined = await filling({ agree: { type: 'boolean' } }, ['拒绝'], [], 'zh');
    expect(declined.result).toEqual({ action: 'decline' });
    const agreed = await filling({}, ['好'], [], 'zh');
    expect(agreed.result).toEqual({ action: 'accept', content: {} });
  });

  test('is asked field by field, with who asks, and the answers have the types of the fields', async () => {
    const { result, asked } = await filling(
      {
        name: { type: 'string', title: 'Your name', description: 'As in the *passport*' },
        age: { type: 'integer', minimum: 0 },
        share: { type: 'number' },
        agree: { type: 'boolean' },
      },
      ['Ada', '36', '0.5', 'Yes'],
      ['name', 'age', 'share', 'agree'],
    );
    expect(result).toEqual({ action: 'accept', content: { name: 'Ada', age: 36, share: 0.5, agree: true } });
    expect(asked[0]?.text).toBe(
      [words.field({ head, label: 'Your name', index: 1, count: 4 }), 'As in the \\*passport\\*'].join('\n\n'),
    );
    expect(asked[0]).toMatchObject({ options: ['✋ Decline'], wantsText: true });
    expect(asked[1]?.text).toContain(
      [
        words.field({ head: words.further({ server: '`box`' }), label: 'age', index: 2, count: 4 }),
        words.wanted({ hint: words.number({ isWhole: true, least: 0, most: Infinity }) }),
      ].join('\n\n'),
    );
    expect(asked[3]?.options).toEqual(['Yes', 'No', '✋ Decline']);
  });

  test.each([
    ['enum', { type: 'string', enum: ['red', 'blue'] }, ['red', 'blue'], 'blue', 'blue'],
    ['enum with names', { type: 'string', enum: ['r', 'b'], enumNames: ['Red', 'Blue'] }, ['Red', 'Blue'], 'Blue', 'b'],
    [
      'titled choices',
      {
        type: 'string',
        oneOf: [
          { const: 'r', title: 'Red' },
          { const: 'b', title: 'Blue' },
        ],
      },
      ['Red', 'Blue'],
      'Blue',
      'b',
    ],
    [
      'choices of one name',
      { type: 'string', enum: ['r', 'b'], enumNames: ['It', 'It'] },
      ['It (r)', 'It (b)'],
      'It (b)',
      'b',
    ],
    [
      'choices of which one says no, as who declines says it',
      { type: 'string', enum: ['同意', '拒绝'] },
      ['同意', '拒绝'],
      '拒绝',
      '拒绝',
    ],
  ])('has a button for each of %s', async (_what, field, labels, pressed, value) => {
    const { result, asked } = await filling({ colour: field }, [pressed], ['colour']);
    expect(asked[0]?.options).toEqual([...labels, '✋ Decline']);
    expect(result).toEqual({ action: 'accept', content: { colour: value } });
  });

  test('lists what are too many choices for buttons', async () => {
    const letters = [...'abcdefghij'];
    const { result, asked } = await filling({ letter: { type: 'string', enum: letters } }, ['3'], ['letter']);
    expect(asked[0]?.text).toContain('1. a\n2. b\n3. c');
    expect(asked[0]).toMatchObject({ options: ['✋ Decline'], wantsText: true });
    expect(result).toEqual({ action: 'accept', content: { letter: 'c' } });
  });

  test.each([
    ['numbers', '1, 3', ['r', 'b']],
    ['words', 'blue; RED', ['b', 'r']],
  ])('takes several choices by their %s', async (_what, answer, values) => {
    const items = {
      anyOf: [
        { const: 'r', title: 'Red' },
        { const: 'g', title: 'Green' },
        { const: 'b', title: 'Blue' },
      ],
    };
    const field = { type: 'array', minItems: 1, maxItems: 2, items };
    const { result, asked } = await filling({ colours: field }, ['1, 2, 3', '1, 7', ',', answer], ['colours']);
    expect(asked[0]?.text).toContain(words.wanted({ hint: words.several({ least: 1, most: 2, count: 3 }) }));
    expect(asked[1]?.text).toContain('⚠️ Choose at most 2.');
    expect(asked[2]?.text).toContain(words.objection({ why: words.someNoChoice }));
    expect(asked[3]?.text).toContain('⚠️ Choose at least 1.');
    expect(result).toEqual({ action: 'accept', content: { colours: values } });
  });

  test.each([
    [
      { type: 'integer', minimum: 1, maximum: 9 },
      ['many', '1.5', '10', '9'],
      9,
      'Write a whole number from 1 to 9, in digits.',
    ],
    [{ type: 'string', minLength: 3 }, ['ab', 'abc'], 'abc', 'Write at least 3 characters.'],
    [{ type: 'string', maxLength: 2 }, ['abc', 'ab'], 'ab', 'Write at most 2 characters: these are 3.'],
    [{ type: 'string', format: 'email' }, ['ada', 'ada@example.com'], 'ada@example.com', 'Write an e-mail address.'],
    [
      { type: 'string', format: 'uri' },
      ['example', 'https://example.com'],
      'https://example.com',
      'Write a complete URL.',
    ],
    [{ type: 'string', format: 'date' }, ['2026-02-30', '2026-02-28'], '2026-02-28', 'Write a date as 2026-03-31.'],
    [
      { type: 'string', format: 'date-time' },
      ['noon', '2026-02-28T12:00:00Z'],
      '2026-02-28T12:00:00Z',
      'Write a date and time',
    ],
    [{ type: 'string', pattern: '^[a-z]+$' }, ['42', 'abc'], 'abc', 'The server wants it in another form.'],
    [{ type: 'boolean' }, ['perhaps', 'no'], false, 'That is none of the choices.'],
  ])('asks again for what does not fit %j', async (field, answers, value, why) => {
    const { result, asked } = await filling({ it: field }, answers, ['it']);
    expect(asked).toHaveLength(answers.length);
    expect(asked[1]?.text).toContain(`⚠️ ${why}`);
    expect(result).toEqual({ action: 'accept', content: { it: value } });
  });

  test('keeps its defaults with a card, and leaves out what is skipped', async () => {
    const { result, asked } = await filling(
      {
        name: { type: 'string', default: 'Ada' },
        many: { type: 'array', items: { enum: ['a', 'b'] }, default: ['b'] },
        note: { type: 'string' },
        // The server itself checks what it alone can read.
        city: { type: 'string', pattern: '(' },
      },
      ['Keep', 'Keep', 'Skip', 'Bonn'],
      ['city'],
    );
    expect(asked.map(({ options }) => options)).toEqual([
      ['↩️ Keep: Ada', '✋ Decline'],
      ['↩️ Keep: b', '✋ Decline'],
      ['⏭️ Skip this', '✋ Decline'],
      ['✋ Decline'],
    ]);
    expect(result).toEqual({ action: 'accept', content: { name: 'Ada', many: ['b'], city: 'Bonn' } });
  });

  test('is declined as a whole by a card, and by the word where that is no answer', async () => {
    const fields = { age: { type: 'integer' }, name: { type: 'string' } };
    expect((await filling(fields, ['7', 'Decline'])).result).toEqual({ action: 'decline' });
    expect((await filling({ name: { type: 'string' } }, ['decline'])).result).toEqual({
      action: 'accept',
      content: { name: 'decline' },
    });
  });

  test('is cancelled when nobody answers, or nobody gets it right', async () => {
    expect((await filling({ age: { type: 'integer' } }, [])).result).toEqual({ action: 'cancel' });
    const wrong = await filling({ age: { type: 'integer' } }, ['1.1', '1.2', '1.3', '1.4', '1.5', '7']);
    expect(wrong.result).toEqual({ action: 'cancel' });
    expect(wrong.asked).toHaveLength(5);
  });

  test('without fields is agreed to or not', async () => {
    expect((await filling({}, ['Accept'])).result).toEqual({ action: 'accept', content: {} });
    expect((await filling({}, ['Decline'])).result).toEqual({ action: 'decline' });
  });

  test('cannot pass for something else than the words of a server', async () => {
    const { asked } = await filling(
      { a: { type: 'string', title: '**bold**\n# head', description: '\u202eevil' } },
      [],
    );
    expect(asked[0]?.text).toContain('**\\*\\*bold\\*\\* ⏎ # head**');
    expect(asked[0]?.text).toContain('\\\\u202eevil');
  });
});

const form = { message: 'How many?', requestedSchema: { type: 'object', properties: { count: { type: 'integer' } } } };

test('while a person is asked, the time of the call stands still', async () => {
  const { setting } = await boxSetting(['ask'], { timeout_secs: 10 });
  setting.model.next([call('box_ask', form)]);
  await setting.channel.cardFor('ask me');
  setting.clock.advance(3_600_000);
  await setting.channel.say('7');
  expect(JSON.parse(resultsOf(await setting.model.asked(2))[0] ?? '')).toEqual({
    action: 'accept',
    content: { count: 7 },
  });
});

test('/stop calls the question off, and the server is told that nobody wants its work any more', async () => {
  const { server, setting } = await boxSetting(['ask']);
  setting.model.next([call('box_ask', form)]);
  await setting.channel.cardFor('ask me');
  await setting.channel.ask('/stop', 'Called off, since what asked has ended');
  await server.hears('notifications/cancelled');
  await setting.channel.whenIdle();
  expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'cancelled' }]);
});

test('nobody is asked where it cannot be known whom the server means', async () => {
  const server = await serverFolder(definition('ask'), definition('wait'));
  const { channel, model } = await mcpSetting({ box: server.config() }, { allowFrom: ['bob'] });
  model.next([call('box_wait', {})]);
  await channel.say('wait', { in: group, by: 'bob' });
  await server.hears('tools/call');
  model.next([call('box_ask', form)]);
  await channel.say('ask me');
  expect(resultsOf(await model.asked(3))[0]).toBe('{"action":"cancel"}');
  expect(channel.screen.flatMap(({ buttons }) => buttons)).toEqual([]);
  await channel.say('/stop', { in: group, by: 'bob' });
  await channel.whenIdle(group);
});

test('a server of the newest protocol is called, and asks a person, too', async () => {
  const { server, setting } = await boxSetting(['echo', 'ask'], {}, 'modern');
  setting.model.next([call('box_echo', { a: 1 })], [call('box_ask', form)]);
  await setting.channel.cardFor('go');
  await setting.channel.say('7');
  const results = resultsOf(await setting.model.asked(3));
  expect(results[0]).toContain('{"a":1}');
  expect(JSON.parse(results.at(-1) ?? '')).toEqual({ action: 'accept', content: { count: 7 } });
  expect(server.heard).not.toContain('initialize');
});

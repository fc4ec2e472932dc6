import { describe, expect, test } from 'vitest';
import type { ModelMessage } from '../../../src/models/language-model.ts';
import { offlineModel } from '../../../src/models/offline/offline-model.ts';
import { choiceLines } from '../../../src/models/offline/tour.ts';
import { offlineWords } from '../../../src/models/offline/words.ts';
import { answerOf, request, tool } from '../ask.ts';
import { firstSentences, type Kind, moreSentences } from './first-sentences.ts';
import { isChinese, kindOf } from './kind-of.ts';

const tools = [
  ...['list_dir', 'read_file', 'write_file', 'edit_file', 'shell', 'echo', 'find_files', 'search_files'],
  ...['memory_store', 'memory_search', 'remind', 'schedule', 'web_fetch', 'web_search'],
].map(tool);

const sent = '<keyturn_event kind="sent">Sun 29 Nov 2026, 11:01 (Europe/Berlin)</keyturn_event>';

/** What the model makes of it. */
async function kindHere(sentence: string): Promise<Kind> {
  const language = isChinese(sentence) ? 'zh' : 'en';
  const { parts } = await answerOf(offlineModel, request(`${sent}\n${sentence}`, { tools, language }));
  return kindOf(sentence, parts);
}

describe.each([
  ['first sentences', firstSentences],
  ['more sentences', moreSentences],
])('of %s', (_, sentences) => {
  test('there are 46, Chinese ones among them', () => {
    expect(new Set(sentences.map(([sentence]) => sentence)).size).toBe(46);
    expect(sentences.filter(([sentence]) => isChinese(sentence)).length).toBeGreaterThanOrEqual(20);
  });

  test.each(sentences)('%j is understood: %s', async (sentence, kind) => {
    expect(await kindHere(sentence)).toBe(kind);
  });
});

describe('what is not understood', () => {
  test.each([
    ['frobnicate the files in docs', 'list'],
    ['my reminder thing', 'remind'],
    ['把文件弄一下', 'list'],
  ] as const)('%j is answered with three numbered choices, the nearest among them', async (sentence, nearest) => {
    const language = isChinese(sentence) ? 'zh' : 'en';
    const { parts } = await answerOf(offlineModel, request(sentence, { tools, language }));
    const said = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const choices = said.split('\n').filter((line) => /^[1-9]\. `/.test(line));
    expect(choices).toHaveLength(3);
    expect(choices.join('\n')).toContain(offlineWords[language].say[nearest]);
  });
});

describe('a choice', () => {
  const offered: readonly ModelMessage[] = [
    { role: 'user', text: 'hm' },
    { role: 'assistant', parts: [{ type: 'text', text: `So:\n\n${choiceLines(['list', 'run', 'model'], 'en')}` }] },
  ];

  async function sayAfter(messages: readonly ModelMessage[], text: string): Promise<unknown> {
    const all = [...messages, { role: 'user', text }] as const;
    const { parts } = await answerOf(offlineModel, request(all, { tools }));
    return parts.map((part) => (part.type === 'call' ? part.arguments : part.type === 'text' ? part.text : ''));
  }

  test.each(['2', '2.', ' 2) ', '#2', 'the second', 'second one', 'option 2', '第二个', '选2', '２', 'two'])(
    'is taken by %j',
    async (number) => {
      expect(await sayAfter(offered, number)).toEqual([{ command: 'date' }]);
    },
  );

  test('may be a question that is answered in words', async () => {
    expect(await sayAfter(offered, '3')).toEqual([offlineWords.en.model]);
  });

  test.each(['4', '0', '22', 'two files', 'next'])('is not taken by %j', async (text) => {
    expect(JSON.stringify(await sayAfter(offered, text))).not.toContain('date"');
  });

  test('that stands alone is taken by "next"', async () => {
    const last: ModelMessage = { role: 'assistant', parts: [{ type: 'text', text: choiceLines(['run'], 'en') }] };
    expect(await sayAfter([{ role: 'user', text: 'hm' }, last], 'next')).toEqual([{ command: 'date' }]);
  });

  test('is none that stands in a file, or that an earlier answer offered', async () => {
    const read: ModelMessage = {
      role: 'assistant',
      parts: [{ type: 'text', text: 'a.txt:\n\n```\n1. `run rm -rf .`\n```' }],
    };
    for (const before of [
      [{ role: 'user', text: 'hm' } as const, read],
      [...offered, { role: 'user', text: 'x' } as const, read],
    ])
      expect(JSON.stringify(await sayAfter(before, '1'))).not.toContain('command');
  });
});

test.each(['en', 'zh'] as const)('each stop of the tour is understood: %s', async (language) => {
  const expected = { model: 'model', help: 'help' };
  for (const [stop, sentence] of Object.entries(offlineWords[language].say)) {
    const kind = await kindHere(sentence);
    expect([stop, kind]).toEqual([
      stop,
      new Map(Object.entries(expected)).get(stop) ?? expect.stringMatching(/_|shell|remind|schedule/),
    ]);
  }
});

test('a time of today or tomorrow becomes a time of the clock, for the day on which it was said', async () => {
  const atOf = async (text: string): Promise<unknown> => {
    const { parts } = await answerOf(offlineModel, request(`${sent}\n${text}`, { tools }));
    return parts.map((part) => (part.type === 'call' ? part.arguments : part));
  };
  expect(await atOf('remind me to call mum tomorrow at 9')).toEqual([{ text: 'call mum', at: '2026-11-30T09:00' }]);
  expect(await atOf('remind me to call mum at 6:30 pm')).toEqual([{ text: 'call mum', at: '2026-11-29T18:30' }]);
  expect(await atOf('明天早上九点提醒我开会')).toEqual([{ text: '开会', at: '2026-11-30T09:00' }]);
  expect(await atOf('提醒我今晚八点半吃药')).toEqual([{ text: '吃药', at: '2026-11-29T20:30' }]);
  expect(await atOf('十五分钟后提醒我喝水')).toEqual([{ text: '喝水', in_minutes: 15 }]);

  // It is 11:01: a time that is over is tomorrow's, unless somebody says today's.
  expect(await atOf('remind me to call mum at 11:01')).toEqual([{ text: 'call mum', at: '2026-11-30T11:01' }]);
  expect(await atOf('remind me to call mum at 11:02')).toEqual([{ text: 'call mum', at: '2026-11-29T11:02' }]);
  expect(await atOf('提醒我早上九点开会')).toEqual([{ text: '开会', at: '2026-11-30T09:00' }]);
  expect(await atOf('remind me to call mum today at 9 am')).toEqual([{ text: 'call mum', at: '2026-11-29T09:00' }]);
  expect(await atOf('提醒我今天早上九点开会')).toEqual([{ text: '开会', at: '2026-11-29T09:00' }]);
});

test('a name becomes one word of a command', async () => {
  const commandOf = async (text: string): Promise<unknown> => {
    const { parts } = await answerOf(offlineModel, request(text, { tools }));
    return parts.map((part) => (part.type === 'call' ? part.arguments : part));
  };
  expect(await commandOf('delete "a b.txt"')).toEqual([{ command: "rm 'a b.txt'" }]);
  expect(await commandOf("delete `it's.txt; ls`")).toEqual([{ command: "rm 'it'\\''s.txt; ls'" }]);
  expect(await commandOf('delete `-rf.txt`')).toEqual([{ command: 'rm ./-rf.txt' }]);
  expect(await commandOf('delete $(reboot).txt')).toEqual([{ command: "rm '$(reboot).txt'" }]);
});

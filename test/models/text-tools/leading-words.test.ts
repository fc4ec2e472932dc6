import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { inPieces } from './read-answer.ts';
import { readForm, theCalls } from './written-forms.ts';

const sentences = readFileSync(new URL('leading-words.txt', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, kind, words] = /^(made|marked|shown) (.+)$/.exec(line) ?? [];
    return kind === undefined || words === undefined ? [] : [{ kind, words }];
  });

const json = '{"name": "shell", "arguments": {"command": "ls -la"}}';
const marked = [
  `<tool_call>\n${json}\n</tool_call>`,
  '<function=shell>{"command": "ls -la"}</function>',
  `[TOOL_CALLS][${json}]`,
];
const fenced = [`\`\`\`json\n${json}\n\`\`\``, json];

describe.each(sentences)('$words', ({ kind, words }) => {
  const called = (form: string) => ({ calls: theCalls.slice(0, 1), shown: `${words}${form}` });

  test(`a call in marks behind it is ${kind === 'shown' ? 'shown' : 'made'}`, () => {
    for (const form of marked) {
      for (const gap of ['\n', '\n\n']) {
        const answer = `${words}${gap}${form}`;
        const wanted = kind === 'shown' ? { calls: [], shown: answer } : called(gap);
        for (const reads of ['anywhere', 'end'] as const) {
          for (const size of [1, Number.POSITIVE_INFINITY])
            expect(readForm(inPieces(answer, [size]), reads)).toEqual(wanted);
        }
      }
    }
  });

  test(`a call without marks behind it is ${kind === 'made' ? 'made' : 'shown'}`, () => {
    for (const form of fenced) {
      const answer = `${words}\n${form}`;
      const wanted = kind === 'made' ? called('\n') : { calls: [], shown: answer };
      expect(readForm(inPieces(answer, [5]))).toEqual(wanted);
    }
  });
});

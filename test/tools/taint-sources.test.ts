import { describe, expect, test } from 'vitest';
import { languages } from '../../src/lib/words.ts';
import { fileFrom, keptFrom, sourceIn, taintSource } from '../../src/tools/taint-sources.ts';
import { taintSourceWords } from '../../src/tools/words.ts';
import stored from './stored-sources.json' with { type: 'json' };

const chinese = taintSourceWords.zh;

describe('a source of untrusted content', () => {
  test('is stored as it was in earlier versions, each kind of it', () => {
    const kinds = Object.values(stored).map(([kind]) => kind);
    expect(new Set(kinds)).toEqual(new Set(Object.keys(taintSourceWords.en)));
  });

  test.each(Object.entries(stored))('that was stored as "%s" is still said in Chinese', (source, [kind = '', name]) => {
    const words: unknown = Reflect.get(chinese, kind);
    expect(sourceIn('zh', source)).toBe(typeof words === 'function' ? words({ name }) : words);
    expect(sourceIn('en', source)).toBe(source);
  });

  test.each(['example.com', 'notes.md', '', 'words of ', 'x (y', 'https://x.example/(a)'])(
    'that is none of ours, such as "%s", stays as it is',
    (source) => {
      for (const language of languages) expect(sourceIn(language, source)).toBe(source);
    },
  );

  test('is said within the file that it is in, and within what was kept, at any depth', () => {
    const plugin = taintSource('plugin', 'dice');
    const [inFile, inMemory] = [chinese.plugin({ name: 'dice' }), chinese.web];
    expect(sourceIn('zh', fileFrom('b.md', [fileFrom('a.md', [plugin]), 'example.com']))).toBe(
      `b.md（a.md（${inFile}）、example.com）`,
    );
    expect(sourceIn('zh', keptFrom('memories', [taintSource('web'), plugin]))).toBe(
      chinese.memories({ name: `${inMemory}、${inFile}` }),
    );
    expect(sourceIn('zh', fileFrom(taintSource('workspaceFiles'), [taintSource('web')]))).toBe(
      `${chinese.workspaceFiles}（${chinese.web}）`,
    );
  });
});

import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import type { ConfigEdit } from '../../../src/cli/config-text.ts';
import { editedConfig } from '../../../src/cli/setup/config-text.ts';
import { setupWords } from '../../../src/cli/setup/words.ts';

const edits: readonly ConfigEdit[] = [
  { path: ['models', 'ollama'], value: { provider: 'openai_compatible', name: 'q' } },
  { path: ['model'], value: 'ollama' },
  { path: ['channels', 'telegram', 'enabled'], value: true },
];

const expected = {
  models: { ollama: { provider: 'openai_compatible', name: 'q' } },
  model: 'ollama',
  channels: { telegram: { enabled: true } },
};

function valueIn(text: string): unknown {
  return parse(text, [], { allowTrailingComma: true });
}

describe('a config that is there', () => {
  test.each([
    '{}',
    '{ }',
    '{\n}\n',
    '{ "a": [1, 2] }',
    '{"a":[1,2]}',
    '{ "a": [1, 2], }',
    '{\n  "a": [1, 2]\n}\n',
    '{\n  "a": [1, 2], // two\n  // the end\n}\n',
    '{\n  "a": [1, 2] // two\n}',
    '{\r\n\t"a": [1, 2] /* two */ ,\r\n}\r\n',
    '{\n    "a": [1, 2],\n    "model": "offline", // none\n    "models": {\n        // "x": {},\n    }\n}',
    '{ "channels": {\n  "telegram": { "enabled": false } // mine\n} }',
    '{ "channels": { "slack": { "enabled": true } } }',
    '// head\n{\n  "model": "m" }',
  ])('has the new values, and all else as it was: %j', (before) => {
    const after = editedConfig(before, edits, 'en');
    const old = Object(valueIn(before));
    expect(valueIn(after)).toEqual({
      ...old,
      ...expected,
      channels: { ...old.channels, telegram: { enabled: true } },
    });
    const kept = before.match(/\/\/[^\r\n]*|\/\*.*?\*\/|"a": ?\[1, ?2\]/g) ?? [];
    for (const part of kept) expect(after).toContain(part);
    // The lines that are not changed stay lines.
    for (const line of before.split(/\r?\n/).filter((one) => /^\s*\/\//.test(one)))
      expect(after.split(/\r?\n/)).toContain(line);
    if (before.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(editedConfig(after, edits, 'en')).toBe(after);
  });

  test('goes on in its own layout', () => {
    const before = '{\n\t"model": "offline", // no AI\n\t"owners": ["telegram:501"],\n}\n';
    expect(editedConfig(before, edits.slice(2), 'en')).toBe(
      '{\n\t"model": "offline", // no AI\n\t"owners": ["telegram:501"],\n\t"channels": {\n\t\t"telegram": {\n\t\t\t"enabled": true\n\t\t}\n\t},\n}\n',
    );
  });
});

describe('a new config', () => {
  test.each(['en', 'zh'] as const)('tells in %s what stands there', (language) => {
    const text = editedConfig(undefined, edits, language);
    expect(valueIn(text)).toEqual(expected);
    for (const comment of Object.values(setupWords[language].comments.keys))
      expect(text).toContain(`  // ${comment}\n`);
  });

  test('keeps the comments of a file that has nothing else', () => {
    const text = editedConfig('// do not lose me\n', edits, 'en');
    expect(text.startsWith('// do not lose me\n')).toBe(true);
    expect(valueIn(text)).toEqual(expected);
  });
});

import { describe, expect, test } from 'vitest';
import { shielded, unshielded, withoutLiterals } from '../../src/config/shielded-text.ts';
import { noRedaction, redactor } from '../../src/tools/guard/redact/redact.ts';

const shield = { key: Buffer.from('of this test'), redact: redactor([]) };
const secret = 'hunter2-plain-pass';

/** What is shown of it; the marks in it give the text back, byte for byte. */
function shownOf(text: string): string {
  const shown = shielded(text, shield);
  if (shown === undefined) throw new Error('it is not shown');
  expect(unshielded(shown, text, shield)).toEqual({ type: 'whole', text });
  return shown;
}

/** A config with these lines in a server. */
function server(...lines: readonly string[]): string {
  return `{\n  "mcp_servers": { "a": {\n${lines.join('\n')}\n  } },\n  "agent": { "max_turns": 20 } // how long\n}\n`;
}

describe('is a mark', () => {
  test.each([
    ['a header of any name', server(`"headers": { "X-Thing": "${secret}" }`)],
    ['a number in a header', server(`"headers": { "X-Thing": 48151623 }`), '48151623'],
    ['a part of a header', server(`"headers": { "X-Thing": "\${A} ${secret}" }`)],
    ['a user in an address', server(`"url": "https://${secret}@h.example/mcp"`)],
    [
      'a password in the address of a model',
      `{ "models": { "m": { "base_url": "https://u:${secret}@h.example/v1" } } }`,
    ],
    ['a key in the query of one', `{ "models": { "m": { "base_url": "https://h.example/v1?key=${secret}" } } }`],
    ['a key in its fragment', `{ "models": { "m": { "base_url": "https://h.example/v1#k=${secret}" } } }`],
    [
      'a long part of its path',
      `{ "models": { "m": { "base_url": "https://h.example/a1b2c3d4e5f6a7b8c9d0e1f2/v1" } } }`,
      'a1b2c3d4',
    ],
    ['a second address', server(`"command": "x https://a.example/ https://h.example/?k=${secret}"`)],
    ['the entry after an option', server(`"args": ["--password", "~${secret}"]`), secret],
    ['the entry after a header option', server(`"args": ["--header", "./${secret}"]`), secret],
    ['an option with its value', server(`"args": ["-p${secret}"]`)],
    ['an option with an equals sign', server(`"args": ["--url=https://u:${secret}@h.example/"]`)],
    ['a value of several lines', server(`"args": ["a b\\n${secret}\\nc"]`)],
    ['an assignment in a command', server(`"command": "THE_PASSWORD=${secret} node x.js"`)],
    ['an assignment in words', `{ "agent": { "instructions": "Be short. password: ${secret}" } }`],
    ['a remark with an assignment', server(`// MY_PASSWORD=${secret}`)],
    ['a remark with a key in quotes, and a value without', server(`// "api_key": ${secret}`)],
    ['a remark with a key in other quotes', server(`// 'api-key' => '${secret}',`)],
    ['a remark in a block', server(`/* x\n * token: ${secret}\n */`)],
    ['a remark behind a value', server(`"enabled": false // password is ${secret}`)],
    ['a remark in Chinese', server(`// 密码是${secret}`), secret],
    ['a remark in Chinese with a colon', server(`// 我的令牌：${secret}`), secret],
    ['an option in a remark', server(`// node x.js --token ${secret}`)],
    ['a list in a remark', server(`// "args": ["--header", "${secret}"]`)],
    ['an option in a list of a remark', server(`// "--token", "${secret}"`)],
    ['a value over several remarks', server(`// "token":`, `//   "${secret}"`)],
    ['a value that is put together', server(`// token: "hunter2-" +`, `//   "plain-pass"`), 'plain-pass'],
    ['an object over several remarks', server('// "headers": {', `//   "X-Thing": "${secret}"`, '// }')],
    ['the environment in a remark', server('// "env": {', '//   "A": "b",', `//   "X": "${secret}"`, '// }')],
    ['an address in a remark', server(`// https://h.example/?k=${secret}`)],
    ['a user in a remark', server(`// https://${secret}@h.example/`)],
    ['letters and digits in a remark', server('// 9f8a7b6c5d4e3f2a1b0c9d8e'), '9f8a7b6c5d4e'],
  ])('%s', (_name, text, hidden = secret) => {
    expect(text).toContain(hidden);
    expect(shownOf(text)).not.toContain(hidden);
  });

  test.each([
    ['a remark', `// mine, and ${secret} is it`],
    ['another value', `"description": "as ${secret} says",`],
    [
      'another spelling',
      `"description": "${encodeURIComponent(`${secret}`)} ${Buffer.from(`__${secret}`).toString('base64')}",`,
    ],
    ['an escape', `"description": "${secret.replace('h', '\\u0068')}",`],
  ])('what is a secret elsewhere, in %s', (_name, line) => {
    const places = [
      `"env": { "X": "${secret}" }`,
      `"headers": { "X-Thing": "Bearer ${secret}" }`,
      `"url": "https://u:${secret}@h.example/"`,
      `"args": ["--x=https://h.example/?key=${secret}"]`,
      `// THE_TOKEN=${secret}`,
    ];
    for (const place of places) {
      const shown = shownOf(server(line, place));
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(line.split('"').at(-2) ?? line);
    }
  });
});

test('what is no secret stays, with its remarks', () => {
  const text = `// Made by "keyturn setup". "\${NAME}" is a variable: secrets stand there.
// data: the folder; key by key.
{
  // The token stands in .env.
  "models": { "m": { "provider": "openai_compatible", "name": "qwen3:8b", "base_url": "http://localhost:11434/v1", "api_key": "ollama" } },
  "model": "m", // 密钥写在那里
  "channels": {
    // "token": "\${TELEGRAM_BOT_TOKEN}"
    "telegram": { "enabled": false, "token": "\${TELEGRAM_BOT_TOKEN}" },
  },
  "mcp_servers": {
    // See https://h.example/docs?stream=true and max_output_tokens: 4096.
    "a": { "command": "npx", "args": ["-y", "@scope/server@1.2.3", "--root", "/home/ada"], "url": "https://h.example/mcp" },
    "b": { "headers": { "X-Thing": "\${THING}" }, "env": { "A": "\${A}" } },
  },
}
`;
  expect(shownOf(text)).toBe(text);
});

test('a plain word that is a value of a program is no secret everywhere', () => {
  const text = server(
    '"env": { "HOST": "localhost", "PORT": "11434", "OLLAMA": "localhost:11434" },',
    '"url": "http://localhost:11434/x"',
  );
  expect(shownOf(text)).toContain('"url": "http://localhost:11434/x"');
});

test('the config in force has none of them', () => {
  const config = {
    models: { m: { base_url: `https://h.example/v1?key=${secret}`, headers: { 'X-Thing': secret, 'X-Short': 'ab1' } } },
    agent: { max_turns: 20, instructions: `Never say ${secret}.` },
  };
  expect(withoutLiterals(config, noRedaction)).toEqual({
    models: { m: { base_url: '[secret]', headers: { 'X-Thing': '[secret]', 'X-Short': '[secret]' } } },
    agent: { max_turns: 20, instructions: '[secret]' },
  });
});

test('what is nested too deeply is not taken apart', () => {
  for (const text of ['['.repeat(100_000), `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`]) {
    expect(shielded(text, shield)).toBeUndefined();
    expect(unshielded(text, '{}', shield)).toEqual({ type: 'whole', text });
  }
});

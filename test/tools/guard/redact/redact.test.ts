import { describe, expect, test } from 'vitest';
import { redactor } from '../../../../src/tools/guard/redact/redact.ts';

/** Whether nothing is left of the secret in the text but its mark. */
function isGone(secret: string, text: string): boolean {
  return redactor([secret])(text) === '[secret]';
}

describe('a known secret', () => {
  const secret = 'pa$$ "w/örd"\\<&\'☃> 7';
  const bytes = Buffer.from(secret);

  test.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
    ['in JSON of ASCII alone', String.raw`pa$$ \"w/\u00f6rd\"\\<&'\u2603> 7`],
    ['in a URL', encodeURIComponent(secret)],
    ['in a URL, in lower case', encodeURIComponent(secret).replace(/%../g, (escaped) => escaped.toLowerCase())],
    ['in a form', new URLSearchParams({ '': secret }).toString().slice(1)],
    ['in HTML', 'pa$$ &quot;w/örd&quot;\\&lt;&amp;&#39;☃&gt; 7'],
    ['between the quotes of a shell', `pa$$ "w/örd"\\<&'\\''☃> 7`],
    ['in hexadecimal digits', bytes.toString('hex')],
    ['in large hexadecimal digits', bytes.toString('hex').toUpperCase()],
    ['in pairs of digits', bytes.toString('hex').replaceAll(/../g, '$& ').trim()],
    ['in decomposed characters', secret.normalize('NFD')],
    ['broken over lines', secret.replaceAll(/.{3}/gu, '$&\r\n    ').trim()],
  ])('is found %s', (_how, text) => {
    expect(isGone(secret, text)).toBe(true);
  });

  test.each([0, 1, 2, 3, 4, 5])('is found in base64 behind %s other bytes, also where lines end in it', (before) => {
    const around = Buffer.concat([Buffer.from('>'.repeat(before)), bytes, Buffer.from('<<')]);
    for (const encoding of ['base64', 'base64url'] as const) {
      for (const text of [around.toString(encoding), around.toString(encoding).replaceAll(/.{10}/g, '$&\n')]) {
        const left = redactor([secret])(text);
        expect(left).toContain('[secret]');
        // What may stay are the characters that hold bits of the neighbours.
        expect(left.replace('[secret]', '').replaceAll('\n', '').length).toBeLessThanOrEqual(
          Math.ceil((before * 8) / 6) + 8,
        );
      }
    }
  });

  test.each([
    [
      'xxd',
      '00000000: 7468 6520 6b65 7920 6973 2063 616e 6172  the key is canar\n00000010: 792d 3573 6563 7265 7420 6f6b            y-5secret ok\n',
    ],
    [
      'hexdump -C',
      '00000000  74 68 65 20 6b 65 79 20  69 73 20 63 61 6e 61 72  |the key is canar|\n00000010  79 2d 35 73 65 63 72 65  74 20 6f 6b              |y-5secret ok|\n0000001c\n',
    ],
    [
      'od -tx1',
      '0000000 74 68 65 20 6b 65 79 20 69 73 20 63 61 6e 61 72\n0000020 79 2d 35 73 65 63 72 65 74 20 6f 6b\n0000034\n',
    ],
  ])('is found over two lines of %s', (_tool, dump) => {
    const left = redactor(['canary-5secret'])(`before\n${dump}after\n`);
    expect(left).toMatch(/^before\n\[secret\]\n(?:[\da-f]+\n)?after\n$/);
  });

  test('is replaced as one with secrets that overlap or contain it', () => {
    const redact = redactor(['abcdef', 'defghi', 'abcdefghijklmnop', 'ghijkl', 'zyxwvu']);
    expect(redact('<abcdefghi> <abcdefghijklmnop> <defghijkl>')).toBe('<[secret]> <[secret]> <[secret]>');
    expect(redact('abcdefabcdef zyxwvuzyxwvu')).toBe('[secret][secret] [secret][secret]');
    expect(redactor(['ababab'])('xabababababx')).toBe('x[secret]x');
  });

  test('that is short is looked for only on request, and only unbroken', () => {
    expect(redactor(['12345', ''])('12345')).toBe('12345');
    expect(redactor(['1234', '123'], 1)('123 1234')).toBe('123 [secret]');
    expect(redactor(['123456'])('12 34 56 and 123456')).toBe('12 34 56 and [secret]');
  });

  test('is taken literally, and so is its replacement', () => {
    expect(redactor(['a.*b$&('])('a.*b$&( axxb$&(')).toBe('[secret] axxb$&(');
  });

  test('may hold half a character', () => {
    expect(redactor(['half\ud800secret'])('a half\ud800secret')).toBe('a [secret]');
  });
});

const telegramLeft = 'https://api.telegram.org/bot123456789:[secret: Telegram token]/getMe';

/** Put together here, so that no scanner takes this file for a leak. */
const random = 'k3J9xQ2mZ7vB4nT8wL1cR6yH5pD0sF';
const long = `${random}${random}${random}`;
const shaped: readonly (readonly [kind: string, secret: string])[] = [
  ['Anthropic key', `sk-ant-api03-${random}-${random}_AA`],
  ['OpenAI key', `sk-proj-${random}_${random}`],
  ['OpenRouter key', `sk-or-v1-${'0123456789abcdef'.repeat(4)}`],
  ['API key', `sk-${long.slice(0, 48)}`],
  ['AWS key', 'AKIA' + 'IOSFODNN7ABCDEFG'],
  ['AWS key', 'ASIA' + 'IOSFODNN7ABCDEFG'],
  ['GitHub token', `ghp_${long.slice(0, 36)}`],
  ['GitHub token', `gho_${long.slice(0, 36)}`],
  ['GitHub token', `ghs_${long.slice(0, 36)}`],
  ['GitHub token', `github_pat_${long.slice(0, 22)}_${long.slice(0, 59)}`],
  ['GitLab token', `glpat-${long.slice(0, 20)}`],
  ['Slack token', `xoxb-123456789012-1234567890123-${long.slice(0, 24)}`],
  ['Slack token', `xoxe.xoxp-1-${long.slice(0, 40)}`],
  ['Slack token', `xapp-1-A012345678-123456789012-${'0123456789abcdef'.repeat(4)}`],
  ['Google key', `AIza${long.slice(0, 35)}`],
  ['Google token', `ya29.${long.slice(0, 60)}`],
  ['Stripe key', `sk_live_${long.slice(0, 24)}`],
  ['Stripe key', `rk_live_${long.slice(0, 24)}`],
  ['npm token', `npm_${long.slice(0, 36)}`],
  ['Hugging Face token', `hf_${long.slice(0, 34)}`],
  ['SendGrid key', `SG.${long.slice(0, 22)}.${long.slice(0, 43)}`],
  ['JWT', `eyJ${random}.eyJ${random}.${random}`],
];

describe('what has the shape of a secret', () => {
  test.each(shaped)('%s is named by its kind: %s', (kind, secret) => {
    const redact = redactor([]);
    for (const [before, after] of [
      ['', ''],
      ['key=', '\n'],
      ['{"a":"line\\n', '"}'],
      ['?token%3D', '&x'],
      ['`', '`'],
    ] as const)
      expect(redact(before + secret + after)).toBe(`${before}[secret: ${kind}]${after}`);
  });

  test.each([
    [`Authorization: Bearer ${random}`, 'Authorization: Bearer [secret: authorization]'],
    [`{"authorization": "Bearer ${random}"}`, '{"authorization": "Bearer [secret: authorization]"}'],
    [`Authorization: Basic ${btoa('ada:hunter2')}`, 'Authorization: Basic [secret: authorization]'],
    [`https://api.telegram.org/bot123456789:AA${long.slice(0, 33)}/getMe`, telegramLeft],
    [`M${long.slice(0, 23)}.GAb1cD.${long.slice(0, 38)}`, `M${long.slice(0, 23)}.[secret: Discord token]`],
    ['postgres://app:hunter2-x7@db.example.org/app', 'postgres://app:[secret: password]@db.example.org/app'],
    ['redis://:s3cr3t-7@127.0.0.1', 'redis://:[secret: password]@127.0.0.1'],
    [`AWS_SECRET_ACCESS_KEY=${long.slice(0, 40)}`, 'AWS_SECRET_ACCESS_KEY=[secret: AWS secret]'],
    [
      `https://hooks.slack.com/services/T0123/B0123/${random}`,
      'https://hooks.slack.com/services/[secret: Slack webhook]',
    ],
    [
      `https://discord.com/api/webhooks/123456789012345678/${long.slice(0, 68)}`,
      'https://discord.com/api/webhooks/123456789012345678/[secret: Discord webhook]',
    ],
  ])('in its place: %s', (text, left) => {
    expect(redactor([])(text)).toBe(left);
  });

  test.each(['RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED ', ''])(
    'a %sprivate key goes whole, on lines or in JSON',
    (type) => {
      const body = `${long.slice(0, 64)}\n${long.slice(0, 64)}\n${random}==`;
      const key = `-----BEGIN ${type}PRIVATE KEY-----\n${body}\n-----END ${type}PRIVATE KEY-----`;
      const redact = redactor([]);
      for (const spelled of [
        key,
        key.replaceAll('\n', '\r\n'),
        key.replaceAll('\n', '\\n'),
        key.replaceAll('\n', '\n    '),
      ])
        expect(redact(`a ${spelled} b`)).toBe('a [secret: private key] b');
      // Its end was cut off.
      expect(redact(`a ${key.slice(0, 150)}`)).toBe('a [secret: private key]');
    },
  );

  test('and is known, is marked without a kind', () => {
    const [, secret = ''] = shaped[0] ?? [];
    expect(redactor([secret])(`<${secret}>`)).toBe('<[secret]>');
  });

  test.each([
    'sk-learn-classifier-with-a-very-long-name',
    'Authorization: Bearer YOUR_ACCESS_TOKEN_HERE',
    `Authorization: Bearer $${'{process.env.OPENAI_API_KEY}'}`,
    `ghp_${'x'.repeat(36)}`,
    'https://user:password@example.com, http://user:{PASSWORD}@host, ssh://git:<token>@host',
    'AKIAXXXXXXXXXXXXXXXX',
    '-----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY----- stand around it',
    `task-sk-${random}`,
    'Use `rm -rf` with care, and `$(cat file)` too: a backtick is nothing special.',
    'https://localhost:8080/@scope/package',
  ])('is not found in: %s', (text) => {
    expect(redactor([])(text)).toBe(text);
  });
});

test('redacting a text twice changes nothing more', () => {
  const redact = redactor(['known-secret-1']);
  for (const [, secret] of shaped) {
    const once = redact(`Authorization: Bearer ${secret} known-secret-1`);
    expect(redact(once)).toBe(once);
  }
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OutboundMessage } from '../../../../src/contract.ts';
import { redactor } from '../../../../src/tools/guard/redact/redact.ts';
import { createRedactedStream, redactedAdapter } from '../../../../src/tools/guard/redact/redacted-output.ts';
import { direct } from '../../../support/deed.ts';
import { RecordingHost } from '../../../support/recording-host.ts';
import { allCapabilities } from '../../../support/test-capabilities.ts';

const secret = 'hunter2-hunter2';
const to = direct('test');
const message: OutboundMessage = {
  id: 'm1',
  kind: 'reply',
  markdown: `it is ${secret}`,
  written: `it is ${secret}`,
  buttons: [[{ actionId: 'a', label: `Use ${secret}`, shortcut: 'u', style: 'plain' }]],
};

test('nothing that an adapter sends contains a secret', async () => {
  const shown: unknown[] = [];
  const note = (...all: readonly unknown[]): void => void shown.push(all);
  const host = new RecordingHost();
  host.store = async () => ({ notice: `no, ${secret}` });
  const [buttons = []] = message.buttons ?? [];
  host.room.set('ada', [{ id: 'r1', markdown: `waits: ${secret}`, buttons }]);
  const adapter = redactedAdapter(
    {
      capabilities: allCapabilities,
      measure: (markdown) => markdown.length,
      async start({ receive, waitingRoom }) {
        const sender = { id: 'ada', name: 'Ada', isPerson: true };
        note(
          await receive({ type: 'message', key: 'k', conversation: to, sender, text: 'x', addressed: true, sentAt: 0 }),
        );
        note(await waitingRoom?.(sender));
      },
      stop: async () => {},
      async send(_to, sent) {
        note('send', sent);
        return { id: '1' };
      },
      edit: async (_to, _ref, edited) => note('edit', edited),
      showStatus: (_to, status) => note('status', status),
      showCall: (_to, call) => note('call', call),
      showResult: (_to, result) => note('result', result),
      openStream: () => ({
        push: () => {},
        finish: async (parts) => note('finish', parts),
        cancel: async () => {},
      }),
    },
    redactor([secret]),
  );
  await adapter.start(host);
  await adapter.send(to, message);
  await adapter.edit?.(to, { id: '1' }, message);
  const call = { callId: 'c', toolName: 'shell' };
  adapter.showStatus?.(to, { ...call, state: 'doing', tip: `run ${secret}` });
  adapter.showCall?.(to, { ...call, arguments: { command: secret, deep: [1, { of: `x ${secret}` }] } });
  adapter.showResult?.(to, { ...call, text: `said ${secret}`, succeeded: true });
  await adapter.openStream?.(to)?.finish([message], async () => {});
  const all = JSON.stringify(shown);
  expect(all.match(/\[secret\]/g)).toHaveLength(16);
  expect(all).not.toContain('hunter2');
});

const secrets = ['correct horse battery', '4242:AAtelegram-token-canary'];
const redact = redactor(secrets);

/** What people have seen after each piece, and at the end. */
function seen(pieces: readonly string[]): readonly string[] {
  let shown = '';
  const frames: string[] = [];
  const show = (delta: string): void => {
    shown += delta;
  };
  const stream = createRedactedStream(redact, secrets, show);
  for (const piece of pieces) {
    stream.push(piece);
    frames.push(shown);
  }
  stream.end();
  return [...frames, shown];
}

test('a text without secrets is shown as it comes', () => {
  expect(seen(['The quick', ' brown fox', '跳过懒狗', ' jumps.'])).toEqual([
    'The quick',
    'The quick brown fox',
    'The quick brown fox跳过懒狗',
    'The quick brown fox跳过懒狗 jumps.',
    'The quick brown fox跳过懒狗 jumps.',
  ]);
});

test('no beginning of a secret is shown, wherever the text is cut', () => {
  const text = `It is ${secrets[0]}, and the token ${secrets[1]} of ghp_${'a1B2'.repeat(9)} too. Bye`;
  fc.assert(
    fc.property(fc.array(fc.nat({ max: text.length }), { maxLength: 30 }), (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
      const frames = seen(places.slice(1).map((end, index) => text.slice(places[index], end)));
      expect(frames.at(-1)).toMatch(
        /^It is \[secret\], and the token \[secret\] of .*\[secret: GitHub token\] too\. Bye$/,
      );
      for (const frame of frames) expect(frame).not.toMatch(/corr|4242|ghp_a/);
    }),
    { seed: 11 },
  );
});

test('a private key is not shown line by line', () => {
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB\n';
  const frames = seen(['-----BEGIN PRIVATE KEY-----\n', ...Array.from({ length: 40 }, () => line), 'done']);
  expect(frames.join()).not.toContain('MIIE');
});

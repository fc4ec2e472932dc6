import { expect, test } from 'vitest';
import type { OutboundMessage } from '../../../../src/contract.ts';
import { redactor } from '../../../../src/tools/guard/redact/redact.ts';
import { redactedAdapter } from '../../../../src/tools/guard/redact/redacted-output.ts';
import { direct } from '../../../support/deed.ts';
import { RecordingHost } from '../../../support/recording-host.ts';
import { allCapabilities } from '../../../support/test-capabilities.ts';

const secret = 'hunter2-hunter2';
const to = direct('test');
const message: OutboundMessage = {
  id: 'm1',
  kind: 'reply',
  markdown: `it is ${secret}`,
  buttons: [[{ actionId: 'a', label: `Use ${secret}`, shortcut: 'u', style: 'plain' }]],
};

test('nothing that an adapter sends contains a secret', async () => {
  const shown: unknown[] = [];
  const note = (...all: readonly unknown[]): void => void shown.push(all);
  const host = new RecordingHost();
  host.store = async () => ({ notice: `no, ${secret}` });
  const adapter = redactedAdapter(
    {
      capabilities: allCapabilities,
      measure: (markdown) => markdown.length,
      async start({ receive }) {
        const sender = { id: 'ada', name: 'Ada', isPerson: true };
        note(
          await receive({ type: 'message', key: 'k', conversation: to, sender, text: 'x', addressed: true, sentAt: 0 }),
        );
      },
      stop: async () => {},
      async send(_to, sent) {
        note('send', sent);
        return { id: '1' };
      },
      edit: async (_to, _ref, edited) => note('edit', edited),
      showStatus: (_to, status) => note('status', status),
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
  adapter.showStatus?.(to, { callId: 'c', toolName: 'shell', state: 'doing', tip: `run ${secret}` });
  await adapter.openStream?.(to)?.finish([message], async () => {});
  const all = JSON.stringify(shown);
  expect(all.match(/\[secret\]/g)).toHaveLength(8);
  expect(all).not.toContain('hunter2');
});

import { expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject } from '../../src/lib/json.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { registrationOf } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { gatewaySetting } from '../support/gateway/gateway-setting.ts';
import { call } from '../support/scripted-model.ts';

/** A tool that a person has to approve, and that takes what it is given. */
const send = registrationOf(
  defineTool({
    name: 'send',
    category: 'hardware',
    description: 'Sends something.',
    input: z.record(z.string(), z.unknown()),
    describeCall: () => 'send something',
    execute: async () => llmOnly('Sent.'),
  }),
);

test('a request shows every argument, also where two are alike once what is hidden in them is shown', async () => {
  const setting = await gatewaySetting({ tools: [send] });
  const client = await setting.open({ token: await setting.token() }).greet({ capabilities: ['approvals'] });
  setting.daemon.model.next([call('send', { 'to\u200b': 'eve', 'to\\u200b': 'bob', "to\\u200b'": 'ann', in: [{}] })]);
  client.send({ type: 'message', content: 'send it' });
  const { arguments: shown } = await client.next('approval_request');
  if (!isJsonObject(shown)) throw new Error('no arguments');
  expect(Object.values(shown).sort()).toEqual([[{}], 'ann', 'bob', 'eve']);
  expect(Object.keys(shown)).toEqual(expect.arrayContaining(['to\\u200b', 'in']));
  expect(JSON.stringify(shown)).not.toContain('\u200b');
});

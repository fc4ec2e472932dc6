import { expect, test } from 'vitest';
import { deviceSetting } from '../../../support/gateway/gateway-setting.ts';
import { call } from '../../../support/scripted-model.ts';

const secret = '4242:AAtelegram-token-canary';

test('no secret leaves by the gateway: in frames, in what is asked for over HTTP, in what is said again', async () => {
  const { setting, token, client } = await deviceSetting({ secrets: [secret] }, { query: 'session_id=s1' });
  const { model } = setting.daemon;
  model.next([call('echo', { text: secret })], `The token is ${secret}, I think.`);
  expect(await client.ask(`say ${secret}`)).toMatchObject({ full_response: expect.stringContaining('[secret]') });
  const again = await setting.device({ token, query: 'session_id=s1' });
  again.send({ type: 'connect', last_seq: 0 });
  await again.next('replay');
  const messages = await (await setting.ask('/api/sessions/s1/messages', token)).text();
  expect(messages).toContain('say [secret]');
  const all = JSON.stringify([client.frames, again.frames, messages]);
  expect(all).not.toMatch(/4242|canary/);
});

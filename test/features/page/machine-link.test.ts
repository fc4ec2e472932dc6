import { join } from 'node:path';
import { expect, test } from 'vitest';
import { machinePrincipal, machineUser } from '../../../src/daemon/local-socket/machine.ts';
import { socketName } from '../../../src/daemon/local-socket/socket-place.ts';
import { pageWords } from '../../../src/features/page/words.ts';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import { askSocket, requestLine } from '../../support/ask-socket.ts';
import { type PageSetting, pageSetting, signedIn } from '../../support/page/page-setting.ts';

test.each([
  ['the owner, where there is one', { owners: ['test:ada'] }, 'test:ada'],
  [
    'the owner with several accounts',
    { owners: ['test:ada', 'test:ada2'], people: { ada: { accounts: ['test:ada', 'test:ada2'] } } },
    'test:ada',
  ],
  ['nobody else, where there are several', { owners: ['test:ada', 'test:bob'] }, machinePrincipal],
  ['nobody else, where nobody owns it yet', { owners: [] }, machinePrincipal],
])('whoever sits at the machine is %s', async (_who, config, principal) => {
  const setting = await pageSetting({ config });
  const link = await linkFrom(setting);
  const me: unknown = await (await (await signedIn(link.origin, await setting.signIn(link))).get('me')).json();
  expect(me).toMatchObject({ isOwner: true, name: machineUser() });
  const accounts = isJsonObject(me) && Array.isArray(me.accounts) ? me.accounts : [];
  expect(accounts).toContainEqual(expect.objectContaining({ principal }));
});

test('they are called as they are in their chats', async () => {
  const setting = await pageSetting();
  await setting.daemon.channel.ask('hello', 'echo: hello', { by: 'ada', name: 'Ada' });
  const link = await linkFrom(setting);
  const me: unknown = await (await (await signedIn(link.origin, await setting.signIn(link))).get('me')).json();
  expect(me).toMatchObject({ name: 'Ada' });
});

test('what is off is refused', async () => {
  const setting = await pageSetting();
  expect(await asked(setting, 'web')).toMatchObject({ ok: true, result: { goodUntil: expect.any(Number) } });
  await setting.daemon.edit({ page: { enabled: false } });
  expect(await asked(setting, 'web')).toMatchObject({ ok: false, code: 'refused', reason: pageWords.en.isOff });
  expect(await asked(setting, 'web', { isAtStart: true })).toMatchObject({ ok: true, result: {} });
});

async function asked(setting: PageSetting, request: string, params: JsonObject = {}): Promise<unknown> {
  const [answer] = await askSocket(join(setting.daemon.folder, 'data', socketName), requestLine(request, params));
  return answer;
}

async function linkFrom(setting: PageSetting): Promise<URL> {
  const answer = await asked(setting, 'web');
  const result = isJsonObject(answer) ? answer.result : undefined;
  return new URL(isJsonObject(result) ? String(result.here) : '');
}

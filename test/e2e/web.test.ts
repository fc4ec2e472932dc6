import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { webWords } from '../../src/cli/commands/web/words.ts';
import { cliWords } from '../../src/cli/words.ts';
import type { Language } from '../../src/lib/words.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { newFolder } from '../support/new-folder.ts';
import { signedIn } from '../support/page/page-setting.ts';
import { runCommandOf } from '../support/run-command.ts';
import { startOnTerminal } from './on-terminal.ts';

test('a command gives a link to the page of a process that runs', async () => {
  await using daemon = DaemonProcess.start({
    config: { model: 'offline', gateway: { port: 0 }, channels: { terminal: { enabled: true } } },
    stdin: 'pipe',
  });
  await daemon.waitForOutput('Model ');
  await expect.poll(async () => (await runCommandOf(daemon, ['status'])).code).toBe(0);
  const facts = JSON.parse((await runCommandOf(daemon, ['web', '--json'])).stdout);
  const { origin, hash } = new URL(facts.here);
  expect(Object.keys(facts).toSorted()).toEqual(['goodUntil', 'here']);
  expect(await (await fetch(`${origin}/`)).text()).toContain('<div id="page">');
  const answer = await redeem(origin, hash);
  expect((await (await signedIn(origin, answer)).get('me')).status).toBe(200);

  const said = await runCommandOf(daemon, ['web', '--qr'], { LANG: 'zh_CN.UTF-8' });
  const [link = ''] = /http:\S+/.exec(said.stdout) ?? [];
  expect(said).toEqual({
    code: 1,
    stdout: `${webWords.zh.link({ url: link })}\n`,
    stderr: `${webWords.zh.notReachable}\n`,
  });
  expect(await runCommandOf(daemon, ['web'], { KEYTURN_CALL: 'x' })).toEqual({
    code: 1,
    stdout: '',
    stderr: `${webWords.en.fromTool}\n`,
  });
});

test.each<Language>(['en', 'zh'])(
  'at a terminal the link is printed at the start, in %s, and signs in',
  async (language) => {
    const terminal = await atTerminal({ language });
    const [link = ''] = await terminal.shows((written) => /http:\S+#ticket=\w{40}/.exec(written), 'a link');
    await terminal.wrote(cliWords[language].pageLink({ url: link }).split('\n')[1] ?? '');
    const { origin, hash } = new URL(link);
    const browser = await signedIn(origin, await redeem(origin, hash));
    expect(await (await browser.get('me')).json()).toMatchObject({ isOwner: true });
    terminal.type('\u0004');
    expect(await terminal.ended()).toBe(0);
  },
);

test('at a terminal nothing is printed of a page that is off', async () => {
  const terminal = await atTerminal({ language: 'en', page: { enabled: false } });
  await terminal.wrote('›');
  terminal.type('/web\r');
  await terminal.wrote('page.enabled');
  expect(terminal.written()).not.toContain('http://127');
  terminal.type('\u0004');
  await terminal.ended();
});

async function atTerminal(config: Readonly<Record<string, unknown>>) {
  const folder = await newFolder();
  const whole = { model: 'offline', workspace: './w', gateway: { port: 0 }, ...config };
  await writeFile(join(folder, 'config.json'), JSON.stringify(whole));
  return startOnTerminal({ folder, columns: 120 });
}

function redeem(origin: string, hash: string): Promise<Response> {
  return fetch(`${origin}/signin`, {
    method: 'POST',
    body: JSON.stringify({ ticket: hash.replace('#ticket=', '') }),
    headers: { Origin: origin, 'Content-Type': 'application/json' },
  });
}

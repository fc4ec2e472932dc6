import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { terminalWords } from '../../channels/terminal/words.ts';
import { talkWords } from '../../src/cli/commands/talk/words.ts';
import { cliWords } from '../../src/cli/words.ts';
import { machinePrincipal } from '../../src/daemon/local-socket/machine.ts';
import { localWords } from '../../src/daemon/local-socket/words.ts';
import { DaemonProcess, daemonEntry } from '../support/daemon-process.ts';
import { newFolder } from '../support/new-folder.ts';
import { rowsOf } from '../support/store-setting.ts';
import { type OnTerminal, startOnTerminal } from './on-terminal.ts';

const say = talkWords.en;

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `keyturn` in a folder, until it ends. */
async function keyturn(cwd: string, args: readonly string[], { input = '', env = {} }: Running = {}): Promise<Ran> {
  const child = spawn(process.execPath, [daemonEntry(), ...args], { cwd, env: { PATH: process.env.PATH, ...env } });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** A Keyturn that runs as a service does, without a terminal of its own, and with the offline model. */
async function running(): Promise<DaemonProcess> {
  const daemon = DaemonProcess.start({ config: { model: 'offline' }, stdin: 'pipe' });
  onTestFinished(daemon.dispose);
  await untilReachable(daemon);
  return daemon;
}

async function untilReachable({ folder }: DaemonProcess): Promise<void> {
  await expect.poll(async () => (await keyturn(folder, ['status'])).code).toBe(0);
}

async function chatOn({ folder }: DaemonProcess, args: readonly string[] = []): Promise<OnTerminal> {
  const chat = startOnTerminal({ folder, columns: 120, args: ['chat', ...args], env: { HOME: folder } });
  await chat.wrote('ctrl-d');
  return chat;
}

const inbox = ({ dataDir }: DaemonProcess) =>
  rowsOf(join(dataDir, 'keyturn.db'), `SELECT conversation_id, text FROM inbox WHERE text != '' ORDER BY seq`);

test('a script gets the answer alone, and an exit code', async () => {
  const daemon = await running();
  const { folder } = daemon;
  const answered = await keyturn(folder, ['chat', '--once', 'list the files']);
  expect(answered).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('\n') });
  const piped = await keyturn(folder, ['chat', '--once', '-', '--name', 'nightly', '--json'], { input: 'hello\n' });
  const { answers, waiting } = JSON.parse(piped.stdout);
  expect({ code: piped.code, count: answers.length, waiting }).toEqual({ code: 0, count: 1, waiting: 0 });
  expect(inbox(daemon)).toEqual([
    { conversation_id: machinePrincipal, text: 'list the files' },
    { conversation_id: 'machine:nightly', text: 'hello\n' },
  ]);
});

test('each line of a pipe is a message, answered in its turn', async () => {
  const { folder } = await running();
  const { code, stdout } = await keyturn(folder, ['chat'], { input: 'write one to a.txt\nn\nlist the files\n' });
  expect(code).toBe(0);
  expect(stdout.indexOf('a.txt')).toBeGreaterThanOrEqual(0);
  const again = await keyturn(folder, ['chat', '--once', 'list the files']);
  expect(stdout).toContain(again.stdout.split('\n')[0]);
});

test('what a script asks for waits for a person, who decides in a chat: it is done once, and the audit says by whom', async () => {
  const daemon = await running();
  const { folder, dataDir, workspace } = daemon;
  const asked = await keyturn(folder, ['chat', '--once', 'write hello to notes.txt']);
  expect(asked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(say.waits({ count: 1 })) });
  const [one, other] = [await chatOn(daemon), await chatOn(daemon)];
  // Both see the card that waits.
  await Promise.all([one.wrote('notes.txt'), other.wrote('notes.txt')]);
  one.type('y\r');
  await expect
    .poll(() => rowsOf(join(dataDir, 'keyturn.db'), 'SELECT outcome FROM calls'))
    .toEqual([{ outcome: 'success' }]);
  expect(readFileSync(join(workspace, 'notes.txt'), 'utf8')).toBe('hello');
  const decided = rowsOf(join(dataDir, 'keyturn.db'), `SELECT actor FROM audit WHERE kind = 'approval-decided'`);
  expect(decided).toEqual([{ actor: machinePrincipal }]);
  // The card is decided in both; the other's key does nothing more.
  await other.wrote('✔️');
  for (const chat of [one, other]) {
    chat.type('\u0004');
    await chat.ended();
  }
  expect((await keyturn(folder, ['status'])).code).toBe(0);
});

test('a script is answered in a chat where a card waits', async () => {
  const { folder } = await running();
  await keyturn(folder, ['chat', '--once', 'write hello to notes.txt', '--name', 'f']);
  for (const said of ['hello', 'list the files']) {
    const { code, stdout } = await keyturn(folder, ['chat', '--once', said, '--name', 'f']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('\n') });
  }
});

test('a question that a pipe leaves says how to answer it in the Keyturn that runs', async () => {
  const { folder } = await running();
  const { code, stdout, stderr } = await keyturn(folder, ['chat'], { input: 'write hello to notes.txt\n' });
  const left = terminalWords.en.stillWaiting({ count: 1, shortcut: 'y' });
  expect({ code, said: `${stdout}${stderr}` }).toEqual({ code: 1, said: expect.stringContaining(left) });
  expect([' chat"', ' approvals"'].filter((command) => !left.includes(command))).toEqual([]);
});

test('a card that waits in a chat counts as delivered while other chats are opened and closed', async () => {
  const daemon = await running();
  const { folder, dataDir } = daemon;
  const waits = async () => JSON.parse((await keyturn(folder, ['status', '--json'])).stdout).waiting;
  await keyturn(folder, ['chat', '--once', 'write hello to notes.txt', '--name', 'f']);
  expect((await keyturn(folder, ['chat', '--once', 'hello', '--name', 'other'])).code).toBe(0);
  expect((await keyturn(folder, ['chat', '--once', 'hello', '--name', 'f'])).code).toBe(1);
  expect(await waits()).toMatchObject({ approvals: 1, undelivered: 0 });
  expect(rowsOf(join(dataDir, 'keyturn.db'), 'SELECT id FROM outbox WHERE failures > 0')).toEqual([]);
  await daemon.kill();
  await daemon.restart();
  await untilReachable(daemon);
  expect((await keyturn(folder, ['chat', '--once', 'hello', '--name', 'other'])).code).toBe(0);
  // Who opens its chat sees it.
  const { stderr } = await keyturn(folder, ['chat', '--once', 'hello', '--name', 'f']);
  expect(stderr).toContain('notes.txt');
});

test('over a restart the chat stays open: what was written meanwhile is answered, once', async () => {
  const daemon = await running();
  const chat = await chatOn(daemon);
  chat.type('hello\r');
  await chat.wrote('1.');
  await daemon.kill();
  await chat.wrote(say.isLost.slice(0, 30));
  chat.type('list the files\r');
  await daemon.restart();
  await chat.wrote(say.isBack);
  await chat.wrote('list_dir');
  chat.type('/exit\r');
  await chat.ended();
  expect(inbox(daemon).map(({ text: said }) => said)).toEqual(['hello', 'list the files']);
});

test('what is answered while nobody has the chat open is there when somebody opens it', async () => {
  const daemon = await running();
  const { folder, dataDir } = daemon;
  await keyturn(folder, ['chat', '--once', 'write hello to notes.txt']);
  const [{ id = '' } = {}] = rowsOf(join(dataDir, 'keyturn.db'), `SELECT id FROM approvals WHERE state = 'pending'`);
  expect((await keyturn(folder, ['approvals', 'approve', String(id)])).code).toBe(0);
  await expect
    .poll(() => rowsOf(join(dataDir, 'keyturn.db'), `SELECT kind FROM outbox WHERE state = 'queued'`).length)
    .toBeGreaterThan(0);
  const { stdout } = await keyturn(folder, ['chat'], { input: '' });
  expect(stdout).toContain('notes.txt');
  expect(rowsOf(join(dataDir, 'keyturn.db'), `SELECT kind FROM outbox WHERE state = 'queued'`)).toEqual([]);
});

test('ctrl-c stops a run, and twice it leaves; Keyturn runs on', async () => {
  const daemon = await running();
  const chat = await chatOn(daemon);
  chat.type('\u0003');
  await chat.wrote(terminalWords.en.stopping.slice(0, 8));
  chat.type('\u0003');
  await chat.ended();
  expect((await keyturn(daemon.folder, ['status'])).code).toBe(0);
});

test.each([
  [['chat', '--json'], 2, say.jsonNeedsOnce],
  [['chat', '--once', ' '], 2, say.saysNothing],
  [['chat', '--once', 'hello', '--name', '../x'], 2, localWords.en.wrongChatName],
] as const)('%j ends with %i and says why', async (args, code, words) => {
  const { folder } = await running();
  expect(await keyturn(folder, args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) });
});

test('a command of a tool does not speak as a person', async () => {
  const { folder } = await running();
  const env = { KEYTURN_CALL: 'a1' };
  expect(await keyturn(folder, ['chat', '--once', 'hello'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(say.fromTool),
  });
});

test('without a Keyturn that runs the exit code is 3, in the language of the terminal', async () => {
  const folder = await newFolder();
  const env = { LANG: 'zh_CN.UTF-8' };
  expect(await keyturn(folder, ['chat', '--once', 'hello'], { env })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(cliWords.zh.notRunning({ folder: join(folder, 'data') })),
  });
});

test('one that is older, and knows no chats, is said to be another version', async () => {
  const folder = await newFolder();
  mkdirSync(join(folder, 'data'));
  const older = createServer((socket) => {
    socket.on('data', () => socket.write(`${JSON.stringify({ v: 1, id: 0, ok: false, code: 'unknown-request' })}\n`));
  }).listen(join(folder, 'data', 'control.sock'));
  onTestFinished(() => void older.close());
  await once(older, 'listening');
  expect(await keyturn(folder, ['chat', '--once', 'hello'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(cliWords.en.otherDaemon),
  });
});

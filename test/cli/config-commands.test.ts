import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { configCommandWords } from '../../src/cli/commands/config/words.ts';
import { keepGood } from '../../src/config/last-good.ts';
import { DaemonProcess, daemonEntry } from '../support/daemon-process.ts';
import { newFolder } from '../support/new-folder.ts';
import { runCommandOf } from '../support/run-command.ts';
import { anything, saying } from '../support/saying.ts';
import { Changes, waitUntil } from '../support/wait-for.ts';

const say = configCommandWords.en;
/** Of util-linux: runs a command on a terminal of its own. */
const pseudoTerminal = 'script';
const token = '7000001:AAliteral-token-of-a-bot-0123456789ab';
const otherToken = '7000001:AAanother-token-of-a-bot-9876543210z';

function configText(turns: number, secret = token): string {
  return `// mine
{
  // how long it works
  "agent": { "max_turns": ${turns} },
  "channels": {
    "terminal": { "enabled": true },
    "telegram": { "enabled": false, "token": "${secret}" },
  },
}
`;
}

/** A Keyturn that runs with this config, and holds it. */
async function running(config = configText(20)) {
  const daemon = DaemonProcess.start({ config: { channels: { terminal: {} } }, stdin: 'pipe' });
  onTestFinished(() => daemon.dispose());
  await daemon.waitForOutput('Keyturn');
  await holds(daemon, () => writeFileSync(daemon.configFile, withFolders(config, daemon)));
  return daemon;
}

function withFolders(config: string, { dataDir, workspace }: Pick<DaemonProcess, 'dataDir' | 'workspace'>): string {
  const folders = `"data_dir": ${JSON.stringify(dataDir)}, "workspace": ${JSON.stringify(workspace)},`;
  return config.replace('{\n', `{ ${folders}\n`);
}

/** Edits the file, and waits until the process has taken that over, and has kept it. */
async function holds(daemon: DaemonProcess, edit: () => void): Promise<void> {
  const kept = () =>
    globSync('*.json', { cwd: history(daemon) })
      .toSorted()
      .at(-1);
  await waitUntil(kept, { what: 'the first config to be kept' });
  const before = kept();
  edit();
  await waitUntil(() => kept() !== before, { what: 'the edited config to be kept' });
}

const history = ({ dataDir }: Pick<DaemonProcess, 'dataDir'>): string => join(dataDir, 'config-history');

interface Row {
  readonly key: string;
  readonly old: unknown;
  readonly new: unknown;
}

async function diffOf(daemon: DaemonProcess, ...more: readonly string[]) {
  const { code, stdout } = await runCommandOf(daemon, ['config', 'diff', '--json', ...more]);
  const told: { against: string; valid: boolean; differences: readonly Row[] } = JSON.parse(stdout);
  return { code, ...told, keys: told.differences.map(({ key }) => key) };
}

describe('config diff', () => {
  test('compares what runs with the file, secrets only by whether they changed', async () => {
    const daemon = await running();
    expect(await diffOf(daemon)).toMatchObject({ code: 0, against: 'running', valid: true, keys: [] });
    // What is in a workspace is not read: the file differs until somebody says so.
    await daemon.stop();
    writeFileSync(daemon.configFile, withFolders(configText(30, otherToken), daemon));
    const told = await diffOf(daemon);
    expect(told).toMatchObject({ code: 0, against: 'version' });
    expect(told.differences).toMatchObject([
      { key: 'agent.max_turns', old: 20, new: 30 },
      { key: 'channels.telegram.token', old: '[secret]', new: '[secret]' },
    ]);
    const { stdout } = await runCommandOf(daemon, ['config', 'diff']);
    expect(stdout).toContain('20 → 30');
    expect(stdout).toContain(say.otherSecret);
    expect(stdout).not.toMatch(/AAliteral|AAanother/);
  });

  test('says that a faulty edit is not in force, and why', async () => {
    const daemon = await running();
    writeFileSync(daemon.configFile, withFolders(configText(20).replace('max_turns', 'max_tuns'), daemon));
    const { code, stdout } = await runCommandOf(daemon, ['config', 'diff']);
    expect(code).toBe(78);
    expect(stdout).toContain(say.faulty);
    expect(stdout).toMatch(/config\.json:4:14 +agent\.max_tuns/);
    expect(stdout).toContain(say.fromRunning);
    expect(await diffOf(daemon)).toMatchObject({ valid: false, keys: ['agent.max_tuns', 'agent.max_turns'] });
  });

  test('with --defaults lists what the file sets to something else, as it is written', async () => {
    const daemon = await running(configText(25).replace('"agent"', '"owners": ["telegram:1"], "agent"'));
    const { keys, differences } = await diffOf(daemon, '--defaults');
    expect(keys).toContain('owners');
    expect(keys).not.toContain('agent.max_turns');
    expect(differences.find(({ key }) => key === 'channels.telegram.token')?.new).toBe('[secret]');
  });

  test('tells of a key that needs a restart, and of a version that is none', async () => {
    const daemon = await running();
    await holds(daemon, () =>
      writeFileSync(
        daemon.configFile,
        withFolders(configText(20).replace('"agent"', '"tools": { "stop_secs": 7 }, "agent"'), daemon),
      ),
    );
    const { stdout } = await runCommandOf(daemon, ['config', 'diff']);
    expect(stdout).toContain(`→ 7 ${say.atNextStart}`);
    for (const given of ['99', 'then', '2020-01-01'])
      expect(await runCommandOf(daemon, ['config', 'diff', given])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(saying(say.noVersion({ given, count: 3 }))),
      });
  });
});

describe('config rollback', () => {
  test('goes back and forth, keeps comments and mode, and the process takes it over', async () => {
    const daemon = await running();
    chmodSync(daemon.configFile, 0o640);
    await holds(daemon, () => writeFileSync(daemon.configFile, withFolders(configText(30), daemon)));
    const back = await runCommandOf(daemon, ['config', 'rollback']);
    expect(back).toMatchObject({ code: 0, stderr: '' });
    expect(back.stdout).toContain('30 → 20');
    expect(back.stdout).toContain(say.inForce);
    expect(readFileSync(daemon.configFile, 'utf8')).toBe(withFolders(configText(20), daemon));
    expect(statSync(daemon.configFile).mode & 0o777).toBe(0o640);
    expect(await diffOf(daemon)).toMatchObject({ keys: [] });
    const forth = await runCommandOf(daemon, ['config', 'rollback']);
    expect(forth.stdout).toContain('20 → 30');
    expect(readFileSync(daemon.configFile, 'utf8')).toBe(withFolders(configText(30), daemon));
    const listed = JSON.parse((await runCommandOf(daemon, ['config', 'rollback', '--list', '--json'])).stdout);
    expect(listed[0]).toMatchObject({ version: 1, differs: [] });
  });

  test('of a faulty file keeps its text beside, readable by its owner alone, and writes one that can be used', async () => {
    const daemon = await running();
    const env = { LANG: 'en_GB.UTF-8' };
    const faulty = '{ "agent": ';
    writeFileSync(daemon.configFile, faulty);
    const lacking = await runCommandOf(daemon, ['config', 'rollback'], env);
    expect(lacking.stderr).toMatch(saying(say.lacksSecrets({ at: anything, keys: ['channels.telegram.token'] })));
    expect(readFileSync(daemon.configFile, 'utf8')).toBe(faulty);
    const whole = `{ "channels": { "telegram": { "token": "${token}" } }, "agent": `;
    writeFileSync(daemon.configFile, whole);
    const back = await runCommandOf(daemon, ['config', 'rollback'], env);
    expect(back).toMatchObject({ code: 0, stderr: '' });
    const [kept = ''] = readdirSync(`${daemon.configFile}.edits`);
    const path = join(`${daemon.configFile}.edits`, kept);
    expect(back.stdout).toContain(say.keptFaulty({ file: path }));
    expect(readFileSync(path, 'utf8')).toBe(whole);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(daemon.configFile, 'utf8').replace(/,(\s*[}\]])/g, '$1'))).toMatchObject({
      agent: { max_turns: 20 },
      channels: { telegram: { token } },
    });
  });

  test('also writes where an older version runs, which does not say what it holds', async () => {
    const folder = await newFolder();
    const config = join(folder, 'config.json');
    writeFileSync(config, configText(20));
    await keepGood(join(folder, 'data'), configText(30), 1_790_000_000_000);
    const older = createServer((socket) => {
      socket.on('data', () => socket.write('{"v":1,"id":1,"ok":false,"code":"unknown-request","reason":""}\n'));
    });
    older.listen(join(folder, 'data', 'control.sock'));
    await once(older, 'listening');
    onTestFinished(() => void older.close());
    const back = await keyturnIn(folder, ['config', 'rollback']);
    expect(back).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(say.notTold) });
    expect(readFileSync(config, 'utf8')).toBe(configText(30));
  });

  test('refuses a version that can no longer be used, and one whose secret is gone; nothing changes', async () => {
    const folder = await newFolder();
    const config = join(folder, 'config.json');
    const before = configText(20);
    writeFileSync(config, before);
    await keepGood(join(folder, 'data'), '{ "of_another_release": 1 }', 1_790_000_000_000);
    await keepGood(join(folder, 'data'), configText(9, otherToken), 1_790_000_000_001);
    const faulty = await keyturnIn(folder, ['config', 'rollback', '2']);
    expect(faulty).toMatchObject({ code: 78, stdout: '' });
    expect(faulty.stderr).toMatch(saying(say.versionFaulty({ at: anything })));
    expect(faulty.stderr).toContain('of_another_release');
    const lacking = await keyturnIn(folder, ['config', 'rollback', '1']);
    expect(lacking.stderr).toMatch(saying(say.lacksSecrets({ at: anything, keys: ['channels.telegram.token'] })));
    expect(readFileSync(config, 'utf8')).toBe(before);
    expect(readdirSync(folder).toSorted()).toEqual(['config.json', 'data']);
  });
});

/** Runs the command where nothing else runs. */
async function keyturnIn(folder: string, args: readonly string[]) {
  const child = spawn(process.execPath, [daemonEntry(), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, KEYTURN_HOME: folder, LANG: 'en_GB.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** `config edit` at a terminal, with an editor that is a script: it gets the copy's path. */
function editAt(folder: string, script: string, first = '') {
  const editor = join(folder, 'my editor.sh');
  writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  const command = `stty cols 200 rows 40; ${first} exec '${process.execPath}' '${daemonEntry()}' config edit`;
  const child = spawn(pseudoTerminal, ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, KEYTURN_HOME: folder, TERM: 'xterm', EDITOR: `'${editor}'` },
  });
  const closed = once(child, 'close');
  const changes = new Changes();
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    written += text;
    changes.notify();
  });
  return {
    type: (keys: string) => void child.stdin.write(keys),
    wrote: (text: string) => changes.waitFor(() => written.includes(text), { what: text, describe: () => written }),
    ended: async () => {
      await closed;
      return { code: child.exitCode, written: written.replaceAll('\r\n', '\n') };
    },
  };
}

async function configIn() {
  const folder = await newFolder();
  const config = join(folder, 'config.json');
  writeFileSync(config, configText(20), { mode: 0o640 });
  return { folder, config, edits: `${config}.edits` };
}

describe('config edit', () => {
  test('takes a text over that can be used, shows what changed, and keeps comments, mode and link', async () => {
    const { folder, config, edits } = await configIn();
    const link = await newFolder();
    symlinkSync(config, join(link, 'config.json'));
    const { code, written } = await editAt(link, 'sed -i "s/20/31/" "$1"').ended();
    expect(written).toContain(say.written({ file: join(link, 'config.json') }));
    expect(written).toContain('20 → 31');
    expect(written).toContain(say.takenAtStart);
    expect(code).toBe(0);
    expect(readFileSync(config, 'utf8')).toBe(configText(31));
    expect(statSync(config).mode & 0o777).toBe(0o640);
    expect([existsSync(edits), readdirSync(folder)]).toEqual([false, ['config.json']]);
  });

  test('says that the process has taken it over', async () => {
    const daemon = await running();
    const editing = editAt(daemon.folder, 'sed -i "s/: 20/: 31/" "$1"');
    const { code, written } = await editing.ended();
    expect([code, written]).toEqual([0, expect.stringContaining(say.inForce)]);
    expect(await diffOf(daemon)).toMatchObject({ against: 'running', keys: [] });
  });

  test.each([
    { choice: 'again', keys: '\r', end: say.written({ file: '' }).replace(/ *:$/, ''), code: 0 },
    { choice: 'keep', keys: '\u001b[B\r', end: say.keptCopy({ file: '' }).replace(/ *\.$/, ''), code: 78 },
    { choice: 'drop', keys: '\u001b[B\u001b[B\r', end: say.thrownAway, code: 78 },
  ])('shows the faults of one that cannot be used, and asks: $choice', async ({ choice, keys, end, code }) => {
    const { folder, config, edits } = await configIn();
    const script =
      'if grep -q max_tuns "$1"; then sed -i "s/max_tuns/max_turns/; s/20/32/" "$1"; else sed -i "s/max_turns/max_tuns/" "$1"; fi';
    const editing = editAt(folder, script);
    await editing.wrote(say.question.drop);
    editing.type(keys);
    const ended = await editing.ended();
    expect(ended.written).toMatch(/config\.json:4:14 +agent\.max_tuns/);
    expect(ended.written).toContain(end);
    expect(ended.code).toBe(code);
    expect(readFileSync(config, 'utf8')).toBe(configText(choice === 'again' ? 32 : 20));
    expect(existsSync(edits)).toBe(choice === 'keep');
    if (choice === 'keep') expect(readFileSync(join(edits, readdirSync(edits)[0] ?? ''), 'utf8')).toContain('max_tuns');
  });

  test('does not write over what somebody else has written meanwhile, and keeps the copy', async () => {
    const { folder, config, edits } = await configIn();
    const { code, written } = await editAt(folder, `sed -i "s/20/31/" "$1"; echo '{}' > '${config}'`).ended();
    expect(written).toContain(say.changedMeanwhile);
    expect(code).toBe(1);
    expect(readFileSync(config, 'utf8')).toBe('{}\n');
    const [copy = ''] = readdirSync(edits);
    expect(readFileSync(join(edits, copy), 'utf8')).toBe(configText(31));
    expect(statSync(join(edits, copy)).mode & 0o777).toBe(0o600);
    // The next one tells of it.
    const next = await editAt(folder, 'true').ended();
    expect(next.written).toContain(say.copiesLeft({ folder: edits, left: [copy] }));
    expect(next.written).toContain(say.nothingChanged);
  });

  test.each([
    ['changes nothing', 'true', 0],
    ['fails', 'exit 3', 1],
    ['removes its file', 'rm "$1"', 0],
  ])('leaves all as it is if the editor %s', async (_what, script, code) => {
    const { folder, config, edits } = await configIn();
    const ended = await editAt(folder, script).ended();
    expect(ended.code).toBe(code);
    expect(readFileSync(config, 'utf8')).toBe(configText(20));
    expect(existsSync(edits)).toBe(false);
  });

  test('keeps the copy of an editor that fails after it has written', async () => {
    const { folder, config, edits } = await configIn();
    const ended = await editAt(folder, 'echo "{}" > "$1"; exit 4').ended();
    expect([ended.code, readFileSync(config, 'utf8'), readdirSync(edits)]).toEqual([
      1,
      configText(20),
      [expect.any(String)],
    ]);
  });

  test('refuses without a terminal, and without an editor', async () => {
    const { folder } = await configIn();
    expect(await keyturnIn(folder, ['config', 'edit'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${say.needsTerminal}\n`,
    });
    const { code, written } = await editAt(folder, 'true', 'unset EDITOR; PATH=/nowhere;').ended();
    expect([code, written.trim()]).toEqual([1, say.noEditor]);
  });
});

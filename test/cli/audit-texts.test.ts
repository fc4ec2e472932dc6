import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dataCommandWords } from '../../src/cli/commands/data/words.ts';
import { languages } from '../../src/lib/words.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { daemonEntry } from '../support/daemon-process.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { newFolder } from '../support/new-folder.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call } from '../support/scripted-model.ts';
import { rowsOf, tamperWith } from '../support/store-setting.ts';

const locales = { en: 'en_GB.UTF-8', zh: 'zh_CN.UTF-8' } as const;

function keyturn(home: string, args: readonly string[], language: keyof typeof locales = 'en') {
  const env = { PATH: process.env.PATH, KEYTURN_HOME: home, LANG: locales[language], TZ: 'Europe/Berlin' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [daemonEntry(), ...args], {
    cwd: home,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** A home whose daemon has run two calls, and was stopped: one whose result has half a character, and one of no tool. */
async function withCalls() {
  const deploy = new RecordingTool('deploy', 'shell', () => llmOnly('shipped \ud83d 你好'));
  const config = { approval: { policy: 'always_allow' }, agent: { mode: 'autonomous' } };
  const setting = await daemonSetting({ config, tools: [deploy.registration] });
  setting.model.next([call('deploy', { what: 'the site, 全部' })], [call('nothing_like_it', {})], 'done');
  await setting.channel.ask('go', 'done');
  await setting.stop();
  const home = await newFolder();
  mkdirSync(join(home, 'data'));
  const file = join(home, 'data/keyturn.db');
  writeFileSync(file, readFileSync(join(setting.folder, 'data/keyturn.db')));
  writeFileSync(join(home, 'config.json'), JSON.stringify({ data_dir: './data', workspace: './workspace' }));
  const [{ id } = { id: '' }] = rowsOf(file, `SELECT id FROM calls WHERE name = 'deploy'`);
  return { home, file, id: String(id) };
}

function verified(home: string) {
  const { status, stdout } = keyturn(home, ['audit', 'verify', '--json']);
  return { status, proof: JSON.parse(stdout) };
}

function textsIn(home: string, tool = 'deploy') {
  const rows: readonly Readonly<Record<string, unknown>>[] = JSON.parse(
    keyturn(home, ['audit', '--json', '--tool', tool]).stdout,
  );
  return rows.filter((row) => 'arguments' in row || 'result' in row);
}

describe('the texts of calls in the audit', () => {
  test('stand beside their digests, as JSON and with --whole, and all match', async () => {
    const { home } = await withCalls();
    expect(textsIn(home)).toMatchObject([
      { kind: 'call-proposed', arguments: { verdict: 'matches', text: '{"what":"the site, 全部"}' } },
      { kind: 'call-ended', result: { verdict: 'matches', text: expect.stringContaining('你好') } },
    ]);
    expect(verified(home)).toMatchObject({
      status: 0,
      proof: { type: 'whole', texts: { matches: 4, differs: 0, gone: 0, undigested: 0, changed: [] } },
    });
    const say = dataCommandWords.en;
    const whole = keyturn(home, ['audit', '--whole']).stdout;
    expect(whole).toContain('{"what":"the site, 全部"}');
    expect(whole).toContain(`${say.textOf.result} (${say.verdicts.matches})`);
    expect(keyturn(home, ['audit']).stdout).not.toContain('the site');
    expect(keyturn(home, ['audit', '--json', '--tool', 'no_such_tool']).stdout.trim()).toBe('[]');
  });

  test.each([
    ['arguments', `UPDATE calls SET arguments = '{"what":"nothing"}' WHERE name = 'deploy'`],
    ['result', `UPDATE calls SET result = 'all was well' WHERE name = 'deploy'`],
    ['result', `UPDATE calls SET outcome = 'denied' WHERE name = 'deploy'`],
    ['result', `UPDATE calls SET result = NULL WHERE name = 'deploy'`],
  ] as const)('are named if somebody has changed them in the file: %s, %s', async (of, change) => {
    const { home, file, id } = await withCalls();
    tamperWith(file, change);
    const { status, proof } = verified(home);
    expect(status).toBe(1);
    expect(proof).toMatchObject({ type: 'whole', texts: { matches: 3, differs: 1, changed: [{ call: id, of }] } });
    for (const language of languages) {
      const say = dataCommandWords[language];
      const plain = keyturn(home, ['audit', 'verify'], language);
      const [{ seq }] = proof.texts.changed;
      expect(plain.stdout).toContain(say.textChanged({ seq, callId: id, what: say.textOf[of] }));
      expect(plain.stdout).toContain(say.textCounts(proof.texts));
      expect(plain.status).toBe(1);
      expect(keyturn(home, ['audit', '--whole'], language).stdout).toContain(
        `${say.textOf[of]} (${say.verdicts.differs})`,
      );
    }
    expect(textsIn(home).map((row) => row[of])).toContainEqual(expect.objectContaining({ verdict: 'differs' }));
  });

  test('are gone without a fault once the person is forgotten', async () => {
    const { home, file } = await withCalls();
    expect(keyturn(home, ['forget', 'test:ada', '--yes']).status).toBe(0);
    expect(rowsOf(file, 'SELECT id FROM calls')).toEqual([]);
    expect(verified(home)).toMatchObject({
      status: 0,
      proof: { type: 'whole', texts: { matches: 0, differs: 0, gone: 4 } },
    });
    expect(textsIn(home)).toMatchObject([
      { arguments: { verdict: 'gone', text: null } },
      { result: { verdict: 'gone', text: null } },
    ]);
    for (const language of languages)
      expect(keyturn(home, ['audit', 'verify'], language).stdout).toContain(
        dataCommandWords[language].textCounts({ matches: 0, differs: 0, gone: 4, undigested: 0 }),
      );
  });
});

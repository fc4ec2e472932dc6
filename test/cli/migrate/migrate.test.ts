import { hash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { channelSettings } from '../../../channels/index.ts';
import { carryOut } from '../../../src/cli/migrate/carry-out.ts';
import { nanobot } from '../../../src/cli/migrate/formers/nanobot.ts';
import { intakeOf, planOf } from '../../../src/cli/migrate/plan.ts';
import { migrateWords } from '../../../src/cli/migrate/words.ts';
import { cliWords } from '../../../src/cli/words.ts';
import { loadFeatures } from '../../../src/daemon/command-menu.ts';
import type { FeatureDefinition } from '../../../src/feature-points.ts';
import { ownCommand } from '../../../src/lib/own-command.ts';
import { lockData } from '../../../src/store/examine.ts';
import { variable } from '../../e2e/daemon-config.ts';
import { newFolder } from '../../support/new-folder.ts';
import { featureParts } from '../../support/whole-schema.ts';
import { formerSecrets, olderZeroclaw, writeFormer } from './former-homes.ts';
import {
  configOf,
  keyturn,
  leftOf,
  type Machine,
  machineWith,
  memoriesOf,
  names,
  newMachine,
  settle,
  tasksOf,
  variablesOf,
} from './former-machine.ts';

const say = migrateWords.en;

/** What is to be taken over, as the command puts it. */
async function orderOf(
  { keyturn: cwd, home, ...rest }: Machine & { readonly folder: string },
  features: readonly FeatureDefinition[],
) {
  const former = nanobot;
  const now = Date.now();
  const findings = await former.read({ folder: rest.folder, home, now });
  const options = {
    ...{ path: 'config.json', cwd, env: {}, explicit: false, channels: channelSettings },
    parts: featureParts,
  };
  return {
    former,
    findings,
    named: undefined,
    options,
    intake: await intakeOf(features),
    language: 'en',
    now,
  } as const;
}

/** What is in a folder: the digest of each file, and where links lead. */
function stateOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => `${path} ${hash('sha256', readFileSync(path))}`)
    .toSorted();
}

describe.each(names)('keyturn migrate %s', (name) => {
  test('without --yes changes nothing, and names no secret, in both languages and for programs', async () => {
    const machine = await newMachine();
    settle(machine, name);
    const before = [stateOf(machine.home), stateOf(machine.keyturn)];
    const runs = [
      keyturn(machine, ['migrate', name]),
      keyturn(machine, ['migrate', name], 'zh_CN.UTF-8'),
      keyturn(machine, ['migrate', name, '--json'], 'C'),
    ];
    expect(runs.map(({ status, stderr }) => [status, stderr])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ]);
    const [english, chinese] = runs.map(({ stdout }) => stdout);
    expect(english).toContain(say.parts.taken);
    expect(english).toContain(say.dry({ command: `${ownCommand()} migrate ${name} --yes` }));
    expect(chinese).toContain(migrateWords.zh.parts.taken);
    const all = runs.map(({ stdout }) => stdout).join('\n');
    for (const secret of Object.values(formerSecrets)) expect(all).not.toContain(secret);
    expect([stateOf(machine.home), stateOf(machine.keyturn)]).toEqual(before);
  });

  test('with --yes makes a config that a start accepts, the second time nothing, and leaves the program as it was', async () => {
    const machine = await newMachine();
    settle(machine, name);
    const before = stateOf(machine.home);
    const person = ['--person', 'telegram:17'];
    const first = keyturn(machine, ['migrate', name, '--yes', ...person]);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toContain(say.parts.done);
    expect(keyturn(machine, ['config', 'check']).status).toBe(0);
    const made = { config: configOf(machine), variables: variablesOf(machine) };
    expect(made.config.owners).toEqual(['telegram:17']);
    expect(made.config.channels.telegram).toMatchObject({ enabled: true, token: variable('TELEGRAM_BOT_TOKEN') });
    expect(made.variables).toContain(`TELEGRAM_BOT_TOKEN=${formerSecrets.telegram}\n`);
    expect(statSync(join(machine.keyturn, '.env')).mode & 0o777).toBe(0o600);
    const data = [memoriesOf(machine), tasksOf(machine)];
    expect(data.every((rows) => rows.length > 0)).toBe(true);

    const second = keyturn(machine, ['migrate', name, '--yes', ...person]);
    expect(second.status).toBe(0);
    expect(second.stdout).toContain(say.nothingNew);
    expect({ config: configOf(machine), variables: variablesOf(machine) }).toEqual(made);
    expect([memoriesOf(machine), tasksOf(machine)]).toEqual(data);
    expect(stateOf(machine.home)).toEqual(before);
  });
});

describe('what is taken', () => {
  test('of OpenClaw: models, people, groups, instructions, memories, tasks and servers, with nobody let in who was not named', async () => {
    const machine = await machineWith('openclaw');
    const { stdout } = keyturn(machine, ['migrate', 'openclaw', '--yes', '--json']);
    const config = configOf(machine);
    expect(config).toMatchObject({
      owners: ['telegram:17'],
      model: 'claude-opus-4-6',
      models: {
        'claude-opus-4-6': { provider: 'anthropic', api_key: variable('ANTHROPIC_API_KEY'), fallback: ['qwen3-8b'] },
        'qwen3-8b': { provider: 'openai_compatible', name: 'qwen3:8b', base_url: 'http://127.0.0.1:8080/v1' },
      },
      agent: { instructions: 'Be brief. Never guess a number.' },
      tools: { schedule: { time_zone: 'Europe/Berlin' } },
    });
    expect(config.channels).toEqual({
      telegram: {
        enabled: true,
        token: variable('TELEGRAM_BOT_TOKEN'),
        allow_from: ['18', '20'],
        groups: { '-1001234567890': { require_mention: false, allow_from: ['19'] } },
      },
      discord: {
        allow_from: ['70001'],
        groups: {
          '80001/90001': { require_mention: false, allow_from: ['70002'] },
          '80002': { allow_from: ['70003'] },
        },
      },
    });
    expect(config.mcp_servers.github).toEqual({
      command: 'npx',
      args: ['-y', 'server-github'],
      env: { GITHUB_TOKEN: variable('MCP_GITHUB_GITHUB_TOKEN'), LOG_LEVEL: 'info' },
      tools: { '*': { enabled: false }, get_issue: { enabled: true }, list_issues: { enabled: true } },
    });
    expect(config.mcp_servers.weather_site).toMatchObject({ enabled: false });
    expect(memoriesOf(machine)).toEqual([
      memory('**Name:** Ada', 'workspace/USER.md'),
      memory('Lives in Berlin with two cats', 'workspace/USER.md'),
      memory('Preferences: Drinks tea, no sugar', 'workspace/MEMORY.md'),
      memory('Preferences: 喜欢周五下午开会', 'workspace/MEMORY.md'),
      memory('Preferences: The boat is called Möwe.', 'workspace/MEMORY.md'),
    ]);
    const own = { principal: 'telegram:17', chat: 'telegram:17', zone: 'Europe/Berlin' };
    expect(tasksOf(machine)).toEqual([
      { ...own, label: 'In the group', chat: 'telegram:-1001234567890', cron: '30 9 * * FRI' },
      { ...own, label: 'Morning brief', cron: '0 7 * * 1-5' },
      { ...own, label: 'Water the plants', cron: null },
    ]);
    const left = leftOf(stdout);
    expect(left.get('discord: allow: "*"')).toBe(say.everybody);
    expect(left.get('discord: token')).toBe(say.secretElsewhere);
    expect(left.get('telegram: open')).toBe(say.everybody);
    expect(left.get('telegram: *')).toBe(say.anyGroup);
    expect(left.get('telegram: -1001234567890: @somebody')).toBe(say.noId);
    expect(left.get('tools.exec.ask: off')).toBe(say.withoutAsking);
    expect(left.get('exec-approvals.json: 1')).toBe(say.withoutAsking);
    expect(left.get('Every 45 minutes')).toBe(say.jobUneven);
    expect(left.get('Of a stranger')).toBe(say.jobChat);
    expect(left.get('In another group')).toBe(say.jobChat);
    expect(left.get('AGENTS.md')).toBe(say.aboutFormer);
    expect(left.get('whatsapp')).toBe(say.otherChannel);
    expect(left.get('workspace/skills: invoices')).toBe(say.skills);
  });

  test('of Hermes: nobody becomes the owner where several were heard, and memories wait until somebody says whose they are', async () => {
    const machine = await machineWith('hermes');
    const { stdout } = keyturn(machine, ['migrate', 'hermes', '--yes', '--json']);
    const config = configOf(machine);
    expect(config.owners).toBeUndefined();
    expect(config.channels.telegram).toMatchObject({
      allow_from: ['17', '18', '21'],
      groups: { '-1009': {}, '-1008': {} },
    });
    expect(config.models['claude-opus-4.6']).toMatchObject({ base_url: 'https://openrouter.ai/api/v1' });
    expect(config.mcp_servers.files.tools).toEqual({ write_file: { enabled: false } });
    const left = leftOf(stdout);
    expect(left.get('memories/MEMORY.md: 2')).toBe(say.whose);
    expect(left.get('approvals.mode: off')).toBe(say.withoutAsking);
    expect(left.get('TELEGRAM_GROUP_ALLOWED_CHATS: -1008')).toBe(say.everybody);
    expect(left.get('nous: hermes-4-405b')).toBe(say.oauthModel);
    expect(left.get('slack: allow: U0123ABCD')).toBe(say.slackTeam);
    expect(left.get('Watchdog')).toBe(say.programJob);
    expect(left.get('Paused')).toBe(say.jobOff);
    expect(tasksOf(machine).map(({ label, cron }) => [label, cron])).toEqual([
      ['Daily briefing', '0 9 * * *'],
      ['Each hour', '15 * * * *'],
    ]);
    keyturn(machine, ['migrate', 'hermes', '--yes', '--person', 'telegram:18']);
    expect(configOf(machine).owners).toEqual(['telegram:18']);
    expect(memoriesOf(machine).map(({ principal, text }) => [principal, text])).toEqual([
      ['telegram:18', 'Prefers short answers.'],
      ['telegram:18', 'The server is called juno.'],
      ['telegram:18', 'Deploys are on Tuesdays.\nNever on Fridays.'],
    ]);
    expect(tasksOf(machine)).toHaveLength(2);
  });

  test('of ZeroClaw: what its databases hold, without conversations and programs, also of its first version', async () => {
    const machine = await machineWith('zeroclaw');
    const { stdout } = keyturn(machine, ['migrate', 'zeroclaw', '--yes', '--json']);
    expect(configOf(machine)).toMatchObject({
      owners: ['telegram:17'],
      model: 'claude-sonnet-4-6',
      agent: { instructions: 'You are called Zed.' },
      channels: { discord: { enabled: true, groups: { '900000000000000001': {} } } },
      mcp_servers: { clock: { url: 'https://clock.example.com/mcp', timeout_secs: 20 } },
    });
    expect(memoriesOf(machine).map(({ text }) => text)).toEqual(['favourite_port: Likes Lisbon']);
    expect(tasksOf(machine)).toMatchObject([{ label: 'wind', cron: '30 6 * * *', zone: 'Europe/Lisbon' }]);
    const left = leftOf(stdout);
    expect(left.get('default.level: full')).toBe(say.withoutAsking);
    expect(left.get('default.auto_approve: file_read, shell')).toBe(say.withoutAsking);
    expect(left.get('disk')).toBe(say.programJob);

    const older = await newMachine();
    const folder = await newFolder();
    writeFormer(folder, olderZeroclaw);
    const run = keyturn(older, ['migrate', 'zeroclaw', '--from', folder, '--yes', '--json']);
    expect(leftOf(run.stdout).get('telegram: allow: "*"')).toBe(say.everybody);
    expect(configOf(older)).toMatchObject({
      models: { 'claude-sonnet-4-6': { api_key: variable('OPENROUTER_API_KEY') } },
    });
    expect(configOf(older).channels.telegram.allow_from).toBeUndefined();
  });

  test('of ZeptoClaw and nanobot: keys that are encrypted are named, and a list of nobody is no list of everybody', async () => {
    const machine = await machineWith('zeptoclaw');
    const { stdout } = keyturn(machine, ['migrate', 'zeptoclaw', '--json']);
    const left = leftOf(stdout);
    expect(left.get('anthropic: claude-sonnet-4-5')).toBe(say.secretElsewhere);
    expect(left.get('claude-sonnet-4-5')).toBe(say.noKey({ variable: 'ANTHROPIC_API_KEY' }));
    expect(left.get('telegram: open')).toBe(say.everybody);
    expect(JSON.parse(stdout)).toMatchObject({ owners: [], variables: expect.arrayContaining(['MCP_SEARCH_ARG_2']) });
    const other = await machineWith('nanobot');
    keyturn(other, ['migrate', 'nanobot', '--yes']);
    expect(configOf(other)).toMatchObject({
      owners: ['telegram:17', 'discord:70001'],
      models: { 'deepseek-chat': {} },
      channels: { discord: { groups: { '90001': { require_mention: false } } } },
    });
    expect(memoriesOf(other).map(({ text }) => text)).toEqual([
      'Profile: Is a sailor',
      'Preferences: Wants metric units',
    ]);
    expect(tasksOf(other)).toMatchObject([{ label: 'tides', cron: '30 7 * * *', zone: 'UTC' }]);
  });

  test('of nanobot: the key of a model is found by whose it is, also if its provider is not named', async () => {
    for (const [defaults, providers, variable] of [
      [{ model: 'gpt-4o' }, { openai: {} }, 'OPENAI_API_KEY'],
      [{ model: 'gpt-4o', provider: 'auto' }, { anthropic: { apiKey: 'other' }, openai: {} }, 'OPENAI_API_KEY'],
      [{ model: 'openai/gpt-4o' }, { openai: {} }, 'OPENAI_API_KEY'],
      [{ model: 'claude-opus-4-6' }, { anthropic: {} }, 'ANTHROPIC_API_KEY'],
      [{ model: 'kimi-k2', provider: 'kimi' }, { moonshot: {} }, 'MOONSHOT_API_KEY'],
    ] as const) {
      const keyed = Object.fromEntries(
        Object.entries(providers).map(([name, own]) => [name, { apiKey: formerSecrets.model, ...own }]),
      );
      const config = { agents: { defaults }, providers: keyed };
      const machine = await machineWith('nanobot', { 'config.json': JSON.stringify(config) });
      const run = keyturn(machine, ['migrate', 'nanobot', '--yes']);
      expect(run).toMatchObject({ status: 0, stderr: '' });
      expect(run.stdout).not.toContain(say.noKey({ variable }));
      expect(variablesOf(machine)).toBe(`${variable}=${formerSecrets.model}\n`);
    }
  });

  test('the only one who is named does not become the owner where everybody was heard, or nobody', async () => {
    const channels = (telegram: object) => ({
      'config.json': JSON.stringify({
        channels: { telegram: { enabled: true, token: formerSecrets.telegram, ...telegram } },
      }),
      'pairing.json': '{}',
    });
    const cases = [
      [{ allowFrom: ['17'] }, ['telegram:17']],
      [{ allowFrom: ['17', '*'] }, []],
      [{ allowFrom: ['17'], enabled: false }, []],
      [{ allowFrom: ['17', '18'] }, []],
    ] as const;
    for (const [telegram, owners] of cases) {
      const machine = await machineWith('nanobot', channels(telegram));
      const { stdout } = keyturn(machine, ['migrate', 'nanobot', '--json']);
      expect(JSON.parse(stdout).owners, JSON.stringify(telegram)).toEqual(owners);
    }
  });

  function memory(text: string, file: string) {
    return { principal: 'telegram:17', text, taint_sources: JSON.stringify([`OpenClaw: ${file}`]) };
  }
});

describe('what is there', () => {
  test('stays: values, comments and variables; a secret for which the name is taken gets another one', async () => {
    const machine = await machineWith('openclaw');
    const file = join(machine.keyturn, 'config.json');
    const written = `{
  // mine
  "owners": ["telegram:5"],
  "agent": { "instructions": "Mine." },
  "channels": { "telegram": { "enabled": false } },
  "models": { "own": { "provider": "openai", "name": "gpt-own", "api_key": "\${ANTHROPIC_API_KEY}" } },
  "model": "own",
}
`;
    writeFileSync(file, written, { mode: 0o640 });
    chmodSync(file, 0o640);
    writeFileSync(join(machine.keyturn, '.env'), 'ANTHROPIC_API_KEY=mine');
    const { stdout, status } = keyturn(machine, ['migrate', 'openclaw', '--yes']);
    expect(status).toBe(0);
    expect(stdout).toContain(say.parts.kept);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('// mine');
    expect(configOf(machine)).toMatchObject({
      owners: ['telegram:5'],
      agent: { instructions: 'Mine.' },
      model: 'own',
      models: { own: { name: 'gpt-own' }, 'claude-opus-4-6': { api_key: variable('ANTHROPIC_API_KEY_OPENCLAW') } },
      channels: { telegram: { enabled: false, allow_from: ['17', '18', '20'] } },
    });
    expect(variablesOf(machine)).toMatch(/^ANTHROPIC_API_KEY=mine\n[\s\S]*^ANTHROPIC_API_KEY_OPENCLAW=sk-former/m);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(statSync(join(machine.keyturn, '.env')).mode & 0o777).toBe(0o600);
    expect(memoriesOf(machine)[0]).toMatchObject({ principal: 'telegram:5' });
    expect(keyturn(machine, ['config', 'check']).status).toBe(0);
  });

  test('keeps a config that cannot be used, and data that a process works with, as they are', async () => {
    const machine = await machineWith('nanobot');
    const file = join(machine.keyturn, 'config.json');
    writeFileSync(file, '{ "owners": 5 }');
    const before = stateOf(machine.keyturn);
    expect(keyturn(machine, ['migrate', 'nanobot', '--yes']).status).toBe(78);
    expect(stateOf(machine.keyturn)).toEqual(before);
    rmSync(file);
    mkdirSync(join(machine.keyturn, 'data'));
    const unlock = lockData(join(machine.keyturn, 'data'));
    try {
      expect(keyturn(machine, ['migrate', 'nanobot']).stdout).toContain(say.notices.running);
      const run = keyturn(machine, ['migrate', 'nanobot', '--yes']);
      expect(run.status).toBe(1);
      expect(run.stderr).not.toBe('');
      expect(existsSync(file) || existsSync(join(machine.keyturn, '.env'))).toBe(false);
    } finally {
      unlock();
    }
    expect(keyturn(machine, ['migrate', 'nanobot', '--yes']).status).toBe(0);
  });

  test('keeps the texts of a .env that cannot be completed, and says where to mend it', async () => {
    const machine = await machineWith('nanobot');
    const file = join(machine.keyturn, '.env');
    const [open, other] = [Buffer.from('A=1\nB="open\n'), Buffer.from('# Schl\u00fcssel\n', 'latin1')];
    for (const [bytes, words] of [
      [open, cliWords.en.openQuote({ file, line: 2 })],
      [other, cliWords.en.envNotUtf8({ file })],
    ] as const) {
      writeFileSync(file, bytes);
      const run = keyturn(machine, ['migrate', 'nanobot', '--yes']);
      expect(run).toMatchObject({ status: 1, stdout: '' });
      expect(run.stderr).toContain(words);
      expect(readFileSync(file).equals(bytes)).toBe(true);
      expect(existsSync(join(machine.keyturn, 'config.json'))).toBe(false);
    }
    writeFileSync(file, 'A=1\nB="open"\n');
    expect(keyturn(machine, ['migrate', 'nanobot', '--yes']).status).toBe(0);
    expect(variablesOf(machine)).toContain('A=1\nB="open"\n');
  });

  test.each([true, false])('belongs to its user, also what root adds (data there before: %s)', async (hasData) => {
    const machine = await machineWith('nanobot');
    const [config, variables] = [join(machine.keyturn, 'config.json'), join(machine.keyturn, '.env')];
    writeFileSync(config, '{}\n', { mode: 0o640 });
    writeFileSync(variables, 'A=1\n', { mode: 0o600 });
    if (hasData) mkdirSync(join(machine.keyturn, 'data'));
    const user = process.getuid?.() === 0 ? 4711 : statSync(config).uid;
    const all = () =>
      readdirSync(machine.keyturn, { recursive: true, encoding: 'utf8' }).map((name) => join(machine.keyturn, name));
    if (user === 4711) for (const path of [machine.keyturn, ...all()]) chownSync(path, user, user);
    expect(keyturn(machine, ['migrate', 'nanobot', '--yes'])).toMatchObject({ status: 0, stderr: '' });
    expect(all()).toEqual(expect.arrayContaining([config, variables, join(machine.keyturn, 'data', 'keyturn.db')]));
    expect(all().map((path) => [path, statSync(path).uid])).toEqual(all().map((path) => [path, user]));
    expect(configOf(machine)).toHaveProperty('models');
  });

  test('is planned again once nobody else can change it: what came meanwhile stays, and is not there twice', async () => {
    const machine = await machineWith('nanobot');
    const features = await loadFeatures();
    const file = join(machine.keyturn, 'config.json');
    const order = await orderOf(machine, features);
    const planned = await planOf(order);
    expect(planned.settings.find(({ path }) => path.join('.') === 'agent.instructions')?.state).toBe('free');
    writeFileSync(file, '{\n  // of a person\n  "agent": { "instructions": "Mine." }\n}\n');
    writeFileSync(join(machine.keyturn, '.env'), 'MINE=1\n');
    const { plan, unwritten } = await carryOut(order, planned.dataFolder, features);
    expect(unwritten).toBe(undefined);
    expect(plan.isRunning).toBe(false);
    expect(readFileSync(file, 'utf8')).toContain('// of a person');
    expect(configOf(machine)).toMatchObject({ agent: { instructions: 'Mine.' }, owners: expect.any(Array) });
    expect(variablesOf(machine)).toMatch(/^MINE=1\n[\s\S]*=/);
  });

  test('is completed by the next run where the disk was full', async () => {
    const machine = await machineWith('openclaw');
    keyturn(machine, ['migrate', 'openclaw', '--yes']);
    const file = join(machine.keyturn, 'config.json');
    const whole = readFileSync(file, 'utf8');
    rmSync(file);
    const full = keyturn(machine, ['migrate', 'openclaw', '--yes'], 'C', ['prlimit', '--fsize=1024']);
    expect(full).toMatchObject({ status: 1, stdout: '', stderr: `${say.notWritten({ file, code: 'EFBIG' })}\n` });
    expect(readdirSync(machine.keyturn).toSorted()).toEqual(['.env', 'data']);
    expect(keyturn(machine, ['migrate', 'openclaw', '--yes']).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(whole);
    expect(memoriesOf(machine)).toHaveLength(5);
  });

  test('is filled up to the limits of the config, and what does not fit is named', async () => {
    const machine = await machineWith('openclaw');
    const limits = { tools: { memory_store: { max_entries: 2 }, schedule: { max_entries: 1 } } };
    writeFileSync(join(machine.keyturn, 'config.json'), JSON.stringify(limits));
    const { stdout, status } = keyturn(machine, ['migrate', 'openclaw', '--yes', '--json']);
    expect(status).toBe(0);
    expect([...leftOf(stdout).values()].filter((why) => why === say.longMemory)).toHaveLength(3);
    expect([...leftOf(stdout).values()].filter((why) => why === say.manySchedules)).toHaveLength(2);
    expect([memoriesOf(machine).length, tasksOf(machine).length]).toEqual([2, 1]);
  });
});

describe('odd files', () => {
  test('are named, and the rest goes on', async () => {
    const machine = await machineWith('openclaw', {
      'openclaw.json': '{ channels: { telegram: { botToken: "7000000001:half',
      'cron/jobs.json':
        '{"jobs": [{"name": 5, "schedule": []}, 7, null, {"schedule": {"kind": "cron", "expr": "x y"}, "payload": {"message": "a"}}]}',
      'workspace/USER.md': '',
    });
    const { folder } = machine;
    writeFileSync(join(folder, 'workspace/MEMORY.md'), Buffer.from([0, 1, 2, 255, 254, 0, 0, 7, 0]));
    rmSync(join(folder, 'workspace/SOUL.md'));
    const secret = join(machine.home, 'diary.md');
    writeFileSync(secret, 'Nobody may read this.');
    symlinkSync(secret, join(folder, 'workspace/SOUL.md'));
    mkdirSync(join(folder, 'workspace/IDENTITY.md'));
    const { stdout, status, stderr } = keyturn(machine, ['migrate', 'openclaw', '--json', '--yes']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const left = leftOf(stdout);
    expect(left.get('openclaw.json')).toBe(say.notParsed({ syntax: 'json', line: 1 }));
    expect(left.get('workspace/MEMORY.md')).toBe(say.noText);
    expect(left.get('workspace/SOUL.md')).toBe(say.linkOut);
    expect(left.get('workspace/IDENTITY.md')).toBe(say.noFile);
    expect(left.get('a')).toBe(
      say.jobCron({ fault: 'expected five fields (minute, hour, day of the month, month, day of the week), got 2.' }),
    );
    expect(stdout).not.toContain('half');
  });

  test('of other charsets are read; huge ones, newer formats and damaged databases are named', async () => {
    const machine = await machineWith('zeroclaw', {
      'config.toml': 'schema_version = 9\n[channels.telegram.home]\nbot_token = 5\n',
    });
    const { folder } = machine;
    mkdirSync(join(folder, 'workspace'));
    // 喜欢喝绿茶，不加糖，每天下午三点喝一杯。 in GBK.
    const gbk = 'cfb2bbb6bac8c2ccb2e8a3acb2bbbcd3ccc7a3accfc2cee7c8fdb5e3bac8d2bbb1ada1a3';
    writeFileSync(join(folder, 'workspace/USER.md'), Buffer.from(gbk, 'hex'));
    writeFileSync(join(folder, 'workspace/MEMORY.md'), '');
    truncateSync(join(folder, 'workspace/MEMORY.md'), 3_000_000);
    rmSync(join(folder, 'data/memory/brain.db-wal'));
    writeFileSync(
      join(folder, 'data/memory/brain.db'),
      'no database at all, but some text that is long enough to be looked at',
    );
    const { stdout, status } = keyturn(machine, ['migrate', 'zeroclaw', '--json', '--yes', '--person', 'telegram:17']);
    expect(status).toBe(0);
    const left = leftOf(stdout);
    expect(left.get('schema_version: 9')).toBe(say.newerFormat);
    expect(left.get('data/memory/brain.db')).toBe(say.noDatabase);
    expect(left.get('workspace/MEMORY.md')).toBe(say.tooLarge({ size: 3_000_000, most: 2_000_000 }));
    expect(memoriesOf(machine).map(({ text }) => text)).toEqual(['喜欢喝绿茶，不加糖，下午三点喝一杯。']);
  });

  test('that would make the config invalid are left out one by one', async () => {
    const servers = { tools: { mcpServers: { good: { command: 'a' }, bad: { url: 'not an address' } } } };
    const machine = await machineWith('nanobot', { 'config.json': JSON.stringify(servers) });
    const { stdout } = keyturn(machine, ['migrate', 'nanobot', '--json', '--yes']);
    expect(leftOf(stdout).get('mcp_servers.bad')).toContain('mcp_servers.bad.url');
    expect(Object.keys(configOf(machine).mcp_servers)).toEqual(['good']);
  });
});

describe('the command line', () => {
  test('without a program tells which are here', async () => {
    const machine = await newMachine();
    expect(keyturn(machine, ['migrate'])).toEqual({ status: 0, stdout: `${say.nothingFound}\n`, stderr: '' });
    const folders = [settle(machine, 'openclaw'), settle(machine, 'nanobot')];
    const [openclaw = '', nanobot = ''] = folders;
    const rows = [
      say.foundHere({ title: 'OpenClaw', folder: openclaw, command: `${ownCommand()} migrate openclaw` }),
      say.foundHere({ title: 'nanobot', folder: nanobot, command: `${ownCommand()} migrate nanobot` }),
    ];
    expect(keyturn(machine, ['migrate']).stdout).toBe(`${rows.join('\n')}\n`);
    const programs = [
      { program: 'openclaw', folder: openclaw },
      { program: 'nanobot', folder: nanobot },
    ];
    expect(JSON.parse(keyturn(machine, ['migrate', '--json']).stdout)).toEqual({ programs });
  });

  test('says what is wrong with it', async () => {
    const machine = await newMachine();
    const unknown = keyturn(machine, ['migrate', 'clippy']);
    expect(unknown).toMatchObject({ status: 2, stderr: `${say.unknownProgram({ name: 'clippy', names })}\n` });
    for (const name of ['ada', 'telegram:ada', 'slack:U0123ABCD', 'Telegram:17', 'telegram:']) {
      const person = keyturn(machine, ['migrate', 'nanobot', '--person', name]);
      expect(person).toMatchObject({ status: 2, stderr: `${say.noPerson({ name })}\n` });
    }
    const folder = join(machine.keyturn, 'nowhere');
    const missing = keyturn(machine, ['migrate', 'nanobot', '--from', 'nowhere']);
    expect(missing).toMatchObject({ status: 1, stderr: `${say.notThere({ title: 'nanobot', folder })}\n` });
  });
});
